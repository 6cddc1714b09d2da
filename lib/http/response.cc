#include "http/client.h"
#include "http/request_check.h"

namespace leaderelection::http {

const std::string* Response::Find(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (IsSameName(key, name)) return &value;
  }
  return nullptr;
}

}  // namespace leaderelection::http
