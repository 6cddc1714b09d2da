#include "fenced_log.h"

#include <future>
#include <utility>

#include "kubernetes/api_client.h"

namespace leaderelection::witness {
namespace {

constexpr const char* kKey = "terms";

std::int64_t Nanoseconds(MonotonicTime time) { return time.time_since_epoch().count(); }

// Where the last line begins, which is the newest term's.
std::size_t LastLine(const std::string& content) {
  if (content.empty()) return 0;
  const std::size_t before = content.rfind('\n', content.size() - 2);
  return before == std::string::npos ? 0 : before + 1;
}

}  // namespace

std::variant<Appended, Refused> AppendTo(const std::string& content, const Writer& writer, MonotonicTime sent) {
  const std::size_t line = LastLine(content);
  const Json last =
      content.empty() ? Json::parse(R"({"number": 0, "identity": "", "last": 0})") : Json::parse(content.substr(line));
  const std::uint64_t stored = last.at("number");
  const bool same_term = stored == writer.number && last.at("identity") == writer.identity;
  if (stored >= writer.number && !same_term) return Refused{stored};
  const std::uint64_t entry = last.at("last").get<std::uint64_t>() + 1;
  Json term = last;
  if (!same_term) {
    term = {{"number", writer.number}, {"identity", writer.identity}};
    term.update({{"first", entry}, {"first_sent_ns", Nanoseconds(sent)}});
  }
  term.update({{"last", entry}, {"last_sent_ns", Nanoseconds(sent)}});
  return Appended{content.substr(0, same_term ? line : content.size()) + term.dump() + "\n", entry};
}

FencedLog::FencedLog(std::shared_ptr<KubeClient> client, std::string config_map)
    : client_(std::move(client)),
      path_("/api/v1/namespaces/" + client_->config().default_namespace() + "/configmaps/" + std::move(config_map)) {}

Result<Json> FencedLog::Ask(const std::string& method, const std::string& body, MonotonicTime deadline) {
  auto answer = std::make_shared<std::promise<Result<http::Response>>>();
  client_->api()->Send({.method = method, .target = path_, .body = body, .deadline = deadline},
                       [answer](Result<http::Response> response) { answer->set_value(std::move(response)); });
  const Result<http::Response> response = answer->get_future().get();
  if (!response) return response.error();
  auto object = ParseBoundedJson(response->body);
  if (response->status == 200) return object;
  return Error{ErrorCode::kUnknown,
               "HTTP status " + std::to_string(response->status) + ": " + (object ? TextAt(*object, "message") : "")};
}

Attempt FencedLog::Append(const Writer& writer, std::chrono::milliseconds patience) {
  MonotonicTime sent = BootClock::now();
  const MonotonicTime deadline = sent + patience;
  if (!known_) {
    auto read = Ask("GET", "", deadline);
    if (!read) return {sent, Failed{"not read, nothing was written: " + read.error().message}};
    known_ = std::move(read).value();
    sent = BootClock::now();
  }
  Json object = *std::exchange(known_, std::nullopt);
  Json& data = object["data"];
  auto next = AppendTo(data.is_object() ? TextAt(data, kKey) : "", writer, sent);
  if (const auto* refused = std::get_if<Refused>(&next)) return {sent, *refused};
  const Appended& appended = std::get<Appended>(next);
  data[kKey] = appended.content;
  auto written = Ask("PUT", object.dump(), deadline);
  if (!written) return {sent, Failed{written.error().message}};
  known_ = std::move(written).value();
  return {sent, Acknowledged{appended.entry}};
}

}  // namespace leaderelection::witness
