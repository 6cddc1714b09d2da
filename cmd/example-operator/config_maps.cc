#include "config_maps.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace example_operator {

namespace {

using leaderelection::Error;
using leaderelection::ErrorCode;
using leaderelection::Result;
using leaderelection::Status;
using nlohmann::json;

constexpr const char* kSelector = "labelSelector=example.leaderelection%2Fmanaged%3Dtrue";

Error Unreadable(const std::string& what) { return {ErrorCode::kCorrupt, "unreadable " + what, std::nullopt}; }

// Adds the page's items, and returns where the next page begins: empty after the last.
Result<std::string> AddPage(const std::string& body, ConfigMapList& list) try {
  const json page = json::parse(body);
  for (const json& item : page.at("items")) {
    auto map = ConfigMapFromJson(item);
    if (!map.ok()) return map.error();
    list.items.push_back(std::move(map).value());
  }
  list.version = page.at("metadata").at("resourceVersion").get<std::string>();
  return page.at("metadata").value("continue", "");
} catch (const json::exception&) {
  return Unreadable("list of ConfigMaps");
}

}  // namespace

Result<std::optional<ConfigMap>> ConfigMapWatch::Next(std::chrono::steady_clock::time_point until,
                                                      const std::stop_token& stop) try {
  while (true) {
    const auto line = answer_->NextLine(until, stop);
    if (!line.ok()) return line.error();
    if (!line.value()) return std::optional<ConfigMap>();
    const json event = json::parse(**line);
    const std::string type = event.at("type").get<std::string>();
    if (type == "ERROR" && event.at("object").value("code", 0) == 410) return std::optional<ConfigMap>();
    if (type == "ERROR") return Error{ErrorCode::kUnknown, event.at("object").value("message", "the watch failed"), {}};
    if (type != "ADDED" && type != "MODIFIED") continue;
    auto map = ConfigMapFromJson(event.at("object"));
    if (!map.ok()) return map.error();
    return std::optional(std::move(map).value());
  }
} catch (const json::exception&) {
  return Unreadable("event of a ConfigMap");
}

ConfigMaps::ConfigMaps(HttpClient& client, const std::string& name_space)
    : client_(client), path_("/api/v1/namespaces/" + name_space + "/configmaps") {}

Result<ConfigMapList> ConfigMaps::List(const std::stop_token& stop) {
  ConfigMapList list;
  std::string next;
  do {
    const std::string target = path_ + "?" + kSelector + "&limit=50" + (next.empty() ? "" : "&continue=" + next);
    const auto body = client_.Send({.target = target}, stop);
    if (!body.ok()) return body.error();
    auto more = AddPage(*body, list);
    if (!more.ok()) return more.error();
    next = std::move(more).value();
  } while (!next.empty());
  return list;
}

ConfigMapWatch ConfigMaps::Watch(const std::string& version, std::chrono::seconds duration) {
  // The server ends it in time; should it not answer any more, we do.
  return ConfigMapWatch(client_.Start({.target = path_ + "?" + kSelector + "&watch=true&resourceVersion=" + version +
                                                 "&timeoutSeconds=" + std::to_string(duration.count()),
                                       .timeout = duration + std::chrono::seconds(10)}));
}

Status ConfigMaps::Annotate(const ConfigMap& map, const std::map<std::string, std::string>& annotations,
                            std::chrono::milliseconds timeout, const std::stop_token& stop) {
  const json patch = {{"metadata", {{"resourceVersion", map.version}, {"annotations", annotations}}}};
  const auto body = client_.Send({.method = "PATCH",
                                  .target = path_ + "/" + map.name + "?fieldManager=example-operator",
                                  .body = patch.dump(),
                                  .content_type = "application/merge-patch+json",
                                  .timeout = timeout},
                                 stop);
  if (!body.ok()) return body.error();
  return std::monostate();
}

}  // namespace example_operator
