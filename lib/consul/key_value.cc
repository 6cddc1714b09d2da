#include "consul/key_value.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "consul/refusal.h"
#include "json/base64.h"
#include "json/record_json.h"

namespace leaderelection::consul {
namespace {

using Json = nlohmann::json;

constexpr const char* kSessionField = "session";

// The number inside the JSON is for backends that have no other; here ModifyIndex is the number, known after the write.
constexpr std::uint64_t kUnusedNumber = 1;

Result<KeyValue> ReadKeyValue(const Json& entry) {
  KeyValue key;
  // By reference, for a fraction, a sign or a boolean would be made a number of.
  key.flags = entry.at("Flags").get_ref<const std::uint64_t&>();
  key.modify_index = entry.at("ModifyIndex").get_ref<const std::uint64_t&>();
  if (const auto session = entry.find("Session"); session != entry.end()) key.session = session->get<std::string>();
  if (const Json& value = entry.at("Value"); !value.is_null()) {
    auto bytes = DecodeBase64(value.get_ref<const std::string&>());
    if (!bytes) return {ErrorCode::kUnknown, "Consul's answer holds a value that is not base64"};
    key.value = *std::move(bytes);
  }
  if (key.modify_index == 0) return {ErrorCode::kUnknown, "Consul's answer has a ModifyIndex of zero"};
  return key;
}

// Only of a value that RecordFromJson has taken, so that its size and depth are known to be small.
std::string WritersSession(const std::string& value) {
  const Json object = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  const auto field = object.find(kSessionField);
  return field != object.end() && field->is_string() ? field->get<std::string>() : std::string();
}

Finding Foreign(Finding finding, std::string why) {
  finding.kind = Finding::Kind::kForeign;
  finding.why = std::move(why);
  return finding;
}

}  // namespace

Result<KeyValue> ParseKeyValue(std::string_view body) {
  try {
    const Json entries = Json::parse(body);
    if (entries.is_array() && entries.size() == 1) return ReadKeyValue(entries.front());
  } catch (const Json::exception&) {
  }
  return {ErrorCode::kUnknown, "Consul's answer is not one key"};
}

Result<std::string> RecordToValue(const Record& record, const std::string& session) {
  auto value = RecordToJson(record, kUnusedNumber);
  if (!value || session.empty()) return value;
  std::string text = std::move(value).value();
  text.pop_back();
  text += std::string(",\"") + kSessionField + "\":" + Json(session).dump() + "}";
  if (text.size() >= kLargestRecordJson) return {ErrorCode::kInvalid, "the record cannot be stored: it is too large"};
  return text;
}

Version MakeVersion(std::uint64_t modify_index, std::string session) {
  return {.order = modify_index, .origin = std::make_shared<const KeyOrigin>(KeyOrigin{std::move(session)})};
}

std::string SessionOf(const Version& version) {
  return version.origin ? static_cast<const KeyOrigin*>(version.origin.get())->session : std::string();
}

Finding Judge(const KeyValue& key, const std::function<bool(const std::string&)>& is_own) {
  Finding finding;
  finding.stored.version = MakeVersion(key.modify_index, key.session);
  auto parsed = RecordFromJson(key.value);
  if (parsed) {
    const std::string writers_session = WritersSession(key.value);
    if (!key.session.empty() && key.session != writers_session) {
      return Foreign(std::move(finding),
                     "the key is locked by a session that did not write its record: " + Quoted(key.session));
    }
    const bool lost = key.session.empty() && !parsed->record.holder_identity.empty();
    if (lost && is_own(writers_session)) return finding;
    finding.kind = Finding::Kind::kRecord;
    finding.stored.record = std::move(parsed).value().record;
    return finding;
  }
  if (!key.session.empty()) {
    return Foreign(std::move(finding), "the key is held by another Consul client, with session " + Quoted(key.session));
  }
  // A lock of another Consul client that has let go of it, which any of them would take.
  if (key.value.empty() || key.flags == kLockFlag) return finding;
  return Foreign(std::move(finding), "the key holds " + parsed.error().message);
}

Result<Stored> ToAnswer(Finding finding) {
  switch (finding.kind) {
    case Finding::Kind::kRecord:
      return std::move(finding.stored);
    case Finding::Kind::kVacant:
      return {ErrorCode::kNotFound, "there is no record"};
    case Finding::Kind::kForeign:
      break;
  }
  return {ErrorCode::kCorrupt, std::move(finding.why)};
}

}  // namespace leaderelection::consul
