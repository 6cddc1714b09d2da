#include "http/cpprest_client.h"
#include "http/shared_io_thread.h"

namespace leaderelection::http {

std::unique_ptr<Client> MakeClient(net::Endpoint server) {
  return MakeCpprestClient(std::move(server), SharedIoThread());
}

}  // namespace leaderelection::http
