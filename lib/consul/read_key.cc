#include "consul/read_key.h"

#include <charconv>
#include <utility>

#include "consul/refusal.h"

namespace leaderelection::consul {
namespace {

std::optional<std::uint64_t> IndexOf(const http::Response& response) {
  const std::string* text = response.Find("X-Consul-Index");
  if (text == nullptr) return std::nullopt;
  std::uint64_t index = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), index);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return index;
}

}  // namespace

Result<KeyRead> ParseKeyRead(const Result<http::Response>& answer) {
  if (!answer) return answer.error();
  if (answer->status != 200 && answer->status != 404) return Refusal("read the key", *answer);
  const auto index = IndexOf(*answer);
  if (!index) return {ErrorCode::kUnknown, "an answer without X-Consul-Index is not Consul's"};
  if (answer->status == 404) return KeyRead{.index = *index};
  auto key = ParseKeyValue(answer->body);
  if (!key) return key.error();
  return KeyRead{.key = std::move(key).value(), .index = *index};
}

}  // namespace leaderelection::consul
