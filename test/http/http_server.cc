#include "http/http_server.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace leaderelection::testing {
namespace {

std::string Lowered(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](unsigned char c) { return std::tolower(c); });
  return lowered;
}

}  // namespace

std::string Asked::Header(std::string_view name) const {
  const std::size_t at = Lowered(head).find("\r\n" + Lowered(name) + ":");
  if (at == std::string::npos) return "";
  const std::size_t from = head.find_first_not_of(' ', at + 3 + name.size());
  return head.substr(from, head.find("\r\n", from) - from);
}

std::optional<Asked> Requests::Next() {
  const auto read_until = [this](const auto& enough) {
    while (!enough()) {
      const std::string bytes = client_.Read();
      if (bytes.empty()) return false;
      unread_ += bytes;
    }
    return true;
  };
  if (!read_until([&] { return unread_.find("\r\n\r\n") != std::string::npos; })) return std::nullopt;
  Asked asked;
  asked.head = unread_.substr(0, unread_.find("\r\n\r\n") + 2);
  unread_.erase(0, asked.head.size() + 2);
  asked.method = asked.head.substr(0, asked.head.find(' '));
  asked.target = asked.head.substr(asked.method.size() + 1);
  asked.target.resize(asked.target.find(' '));
  const std::string length = asked.Header("Content-Length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  if (!read_until([&] { return unread_.size() >= size; })) return std::nullopt;
  asked.body = unread_.substr(0, size);
  unread_.erase(0, size);
  return asked;
}

std::string Reply(int status, std::string_view body, std::string_view headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(headers) + "\r\n" + std::string(body);
}

std::string Chunk(std::string_view piece) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string size;
  for (std::size_t left = piece.size(); left > 0; left /= 16) size.insert(size.begin(), kDigits[left % 16]);
  return size + "\r\n" + std::string(piece) + "\r\n";
}

ScriptedServer::Script Answering(std::function<std::string(const Asked&)> answer) {
  return [answer = std::move(answer)](Conversation& client) {
    Requests requests(client);
    while (const auto asked = requests.Next()) {
      if (!client.Send(answer(*asked))) return;
    }
  };
}

void Notes::Add(const Asked& asked) {
  const std::lock_guard lock(mutex_);
  asked_.push_back(asked);
}

std::vector<Asked> Notes::all() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

}  // namespace leaderelection::testing
