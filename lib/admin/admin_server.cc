#include "leaderelection/admin_server.h"

#include <utility>

#include "admin/endpoints.h"
#include "admin/http_server.h"

namespace leaderelection {

class AdminServer::Listener {
 public:
  explicit Listener(const AdminServerOptions& options) : endpoints(options) {}

  Endpoints endpoints;
  std::unique_ptr<HttpServer> server;  // last, so that it goes first
};

Result<std::unique_ptr<AdminServer>> AdminServer::Start(const AdminServerOptions& options) {
  auto listener = std::make_unique<Listener>(options);
  auto server = HttpServer::Start(
      options.address, options.request_timeout,
      [endpoints = &listener->endpoints](const HttpRequest& request) { return endpoints->Answer(request); });
  if (!server.ok()) return server.error();
  listener->server = std::move(server).value();
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(listener)));
}

AdminServer::AdminServer(std::unique_ptr<Listener> listener) : listener_(std::move(listener)) {}
AdminServer::~AdminServer() = default;

void AdminServer::Add(LeaderElector& elector) { listener_->endpoints.Add(elector); }
void AdminServer::Remove(const LeaderElector& elector) { listener_->endpoints.Remove(elector); }
const std::string& AdminServer::address() const noexcept { return listener_->server->address(); }

}  // namespace leaderelection
