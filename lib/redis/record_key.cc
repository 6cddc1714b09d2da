#include "redis/record_key.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "json/record_json.h"
#include "redis/refusal.h"

namespace leaderelection::redis {
namespace {

using namespace std::chrono_literals;

// Long enough that everyone who follows the election sees it as released, and not as lost.
constexpr std::chrono::milliseconds kReleasedRecordLasts = 24h;

std::chrono::milliseconds Lifetime(const Record& record) {
  return record.holder_identity.empty() ? kReleasedRecordLasts : record.lease_duration;
}

const Reply* Element(const Reply& reply, std::size_t index) {
  return reply.kind == Reply::Kind::kArray && index < reply.elements.size() ? &reply.elements[index] : nullptr;
}

bool Says(const Reply& reply, const char* word) {
  const Reply* first = Element(reply, 0);
  return first && first->text == word;
}

Error Unreadable(const std::string& key) {
  return {ErrorCode::kUnknown, "Redis " + key + ": an answer that no script of ours gives", std::nullopt};
}

}  // namespace

ScriptCall RecordKey::GetCall() const { return {&kGetScript, key_, {}}; }

// Above the number of a record that is gone stands that of its deletion, which others may have noticed.
Result<ScriptCall> RecordKey::CreateCall(const Record& record) const {
  return WriteCall(kCreateScript, record, highest_seen_ + 2);
}

// Without the text it came from a version fits nothing.
Result<ScriptCall> RecordKey::UpdateCall(const Record& record, const Version& expected) const {
  auto call = WriteCall(kUpdateScript, record, std::max<std::uint64_t>(highest_seen_, expected.order) + 1);
  if (!call) return call;
  ScriptCall complete = std::move(call).value();
  const auto* text = static_cast<const std::string*>(expected.origin.get());
  complete.arguments.push_back(text ? *text : "");
  return complete;
}

// The number is the server's to choose, so the record goes there in two pieces with a gap for it.
Result<ScriptCall> RecordKey::WriteCall(const Script& script, const Record& record, std::uint64_t lowest) const {
  const auto lifetime = Lifetime(record);
  if (lifetime < 1ms)
    return {ErrorCode::kInvalid, "Redis " + key_ + ": lease_duration is not positive, and the key could not expire"};
  if (lowest > kLargestJsonInteger)
    return {ErrorCode::kCorrupt, "Redis " + key_ + ": the fencing number is at its end"};
  const auto text = RecordToJson(record, kLargestJsonInteger);
  if (!text) return text.error();
  const std::string placeholder = std::to_string(kLargestJsonInteger);
  const auto gap = text->find(placeholder);  // Its first occurrence: only the format's name stands before it.
  return ScriptCall{&script,
                    key_,
                    {std::to_string(lowest), text->substr(0, gap), text->substr(gap + placeholder.size()),
                     std::to_string(lifetime.count())}};
}

Error RecordKey::Foreign(const std::string& why) const {
  return {ErrorCode::kCorrupt, "Redis " + key_ + ": " + why, std::nullopt};
}

Result<Stored> RecordKey::ReadGot(const Result<Reply>& reply) {
  if (!reply) return reply.error();
  if (reply->IsError()) return Refusal(*reply, key_);
  if (reply->kind == Reply::Kind::kNil) return {ErrorCode::kNotFound, "Redis " + key_ + ": there is no record"};
  const Reply* text = Element(*reply, 0);
  const Reply* left = Element(*reply, 1);
  if (text && !left && text->text == "foreign") return Foreign("a value larger than any record");
  if (!text || !left) return Unreadable(key_);
  auto stored = ReadRecord(text->text);
  if (!stored || left->integer < 0) return stored;
  Stored expiring = std::move(stored).value();
  expiring.expires_in = std::chrono::milliseconds(left->integer);
  return expiring;
}

Result<Stored> RecordKey::ReadWritten(const Result<Reply>& reply) {
  if (!reply) return reply.error();
  if (reply->IsError()) return Refusal(*reply, key_);
  if (Says(*reply, "absent")) return {ErrorCode::kNotFound, "Redis " + key_ + ": there is no record"};
  if (Says(*reply, "foreign")) return Foreign("a value larger than any record");
  const Reply* text = Element(*reply, 1);
  if (!text) return Unreadable(key_);
  auto stored = ReadRecord(text->text);
  if (!stored) return stored;
  if (Says(*reply, "exists")) return {ErrorCode::kAlreadyExists, "Redis " + key_ + ": there is a record already"};
  if (Says(*reply, "changed")) return {ErrorCode::kConflict, "Redis " + key_ + ": the record has changed"};
  if (!Says(*reply, "stored")) return Unreadable(key_);
  Stored written = std::move(stored).value();
  written.expires_in = Lifetime(written.record);
  return written;
}

Result<Stored> RecordKey::ReadRecord(const std::string& text) {
  auto read = RecordFromJson(text);
  if (!read) return Foreign(read.error().message);
  Stored stored = std::move(read).value();
  stored.version.origin = std::make_shared<const std::string>(text);
  Saw(stored.version.order);
  return stored;
}

void RecordKey::Saw(std::uint64_t order) {
  std::uint64_t highest = highest_seen_;
  while (highest < order && !highest_seen_.compare_exchange_weak(highest, order)) {
  }
}

}  // namespace leaderelection::redis
