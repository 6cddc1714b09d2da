// The ConfigMaps that the operator manages: those of one namespace with the label example.leaderelection/managed=true.

#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "config_map.h"
#include "http_client.h"

namespace example_operator {

struct ConfigMapList {
  std::vector<ConfigMap> items;
  std::string version;  // where a watch goes on
};

// The changes after a list, as they happen.
class ConfigMapWatch {
 public:
  explicit ConfigMapWatch(std::unique_ptr<HttpExchange> answer) : answer_(std::move(answer)) {}

  // The next ConfigMap that is new or changed. Nothing when `until` has come, a stop was requested, or the watch is
  // over, be it that the server knows the list's version no more (410): then it is time for a new list.
  [[nodiscard]] leaderelection::Result<std::optional<ConfigMap>> Next(std::chrono::steady_clock::time_point until,
                                                                      const std::stop_token& stop);

 private:
  const std::unique_ptr<HttpExchange> answer_;
};

// For one thread, as HttpClient.
class ConfigMaps {
 public:
  ConfigMaps(HttpClient& client, const std::string& name_space);

  [[nodiscard]] leaderelection::Result<ConfigMapList> List(const std::stop_token& stop);
  [[nodiscard]] ConfigMapWatch Watch(const std::string& version, std::chrono::seconds duration);
  // Compare-and-swap: kConflict if it is not `map.version` any more, kNotFound if it is gone.
  [[nodiscard]] leaderelection::Status Annotate(const ConfigMap& map,
                                                const std::map<std::string, std::string>& annotations,
                                                std::chrono::milliseconds timeout, const std::stop_token& stop);

 private:
  HttpClient& client_;
  const std::string path_;
};

}  // namespace example_operator
