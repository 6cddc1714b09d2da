#include "json/record_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "json/rfc3339.h"

namespace leaderelection {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFormat = "leaderelection/v1";
constexpr int kDeepest = 8;
constexpr std::size_t kLongestQuote = 32;

// A field that is not as it must be; never leaves this file.
struct Mismatch {
  std::string message;
};

std::string Quoted(std::string_view text) {
  const bool cut = text.size() > kLongestQuote;
  const Json piece = text.substr(0, kLongestQuote);
  return piece.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + (cut ? "..." : "");
}

const Json& Field(const Json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end()) throw Mismatch{std::string(name) + " is missing"};
  return *field;
}

std::string Text(const Json& value, const std::string& name) {
  if (!value.is_string()) throw Mismatch{name + " is not a string"};
  return value.get<std::string>();
}

std::uint64_t Natural(const Json& object, const char* name, std::uint64_t largest) {
  const Json& value = Field(object, name);
  if (!value.is_number_integer()) throw Mismatch{std::string(name) + " is not a whole number"};
  if (!value.is_number_unsigned()) throw Mismatch{std::string(name) + " is negative"};
  const auto number = value.get<std::uint64_t>();
  if (number > largest) throw Mismatch{std::string(name) + " is larger than " + std::to_string(largest)};
  return number;
}

WallTime Time(const Json& object, const char* name) {
  const std::string text = Text(Field(object, name), name);
  const auto time = ParseRfc3339(text);
  if (!time) throw Mismatch{std::string(name) + " is no RFC 3339 time: " + Quoted(text)};
  return *time;
}

Metadata ReadMetadata(const Json& object) {
  Metadata metadata;
  const auto field = object.find("metadata");
  if (field == object.end()) return metadata;
  if (!field->is_object()) throw Mismatch{"metadata is not an object"};
  for (const auto& [key, value] : field->items()) metadata.emplace(key, Text(value, "metadata " + Quoted(key)));
  return metadata;
}

void CheckFormat(const Json& object) {
  const std::string format = Text(Field(object, "format"), "format");
  if (format != kFormat) throw Mismatch{"format is " + Quoted(format) + ", not " + Quoted(kFormat)};
}

Stored ReadRecord(const Json& object) {
  if (!object.is_object()) throw Mismatch{"it is not a JSON object"};
  CheckFormat(object);
  Stored stored;
  stored.version.order = Natural(object, "fencingNumber", kLargestJsonInteger);
  if (stored.version.order == 0) throw Mismatch{"fencingNumber is zero"};
  Record& record = stored.record;
  record.holder_identity = Text(Field(object, "holderIdentity"), "holderIdentity");
  record.lease_duration = std::chrono::milliseconds(
      Natural(object, "leaseDurationMilliseconds", static_cast<std::uint64_t>(kLongestLeaseDuration.count())));
  record.acquire_time = Time(object, "acquireTime");
  record.renew_time = Time(object, "renewTime");
  record.transitions = static_cast<std::int64_t>(Natural(object, "leaseTransitions", kLargestJsonInteger));
  record.metadata = ReadMetadata(object);
  return stored;
}

// The library's own messages quote what they read, so only the position is taken from them.
Json ParseBounded(std::string_view text) {
  if (text.empty()) throw Mismatch{"it is empty"};
  if (text.size() > kLargestRecordJson) {
    throw Mismatch{"it is larger than " + std::to_string(kLargestRecordJson) + " bytes"};
  }
  bool too_deep = false;
  const auto keep_shallow = [&too_deep](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) too_deep = true;
    return !too_deep;
  };
  try {
    Json parsed = Json::parse(text, keep_shallow);
    if (!too_deep) return parsed;
  } catch (const Json::exception& error) {
    const auto* syntax = dynamic_cast<const Json::parse_error*>(&error);
    if (!too_deep) throw Mismatch{syntax ? "no JSON at byte " + std::to_string(syntax->byte) : "no JSON"};
  }
  throw Mismatch{"it is nested deeper than " + std::to_string(kDeepest) + " levels"};
}

std::string TimeText(WallTime time, const char* name) {
  auto text = FormatRfc3339(time);
  if (!text) throw Mismatch{std::string(name) + " is not in the years 0001 to 9999"};
  return *std::move(text);
}

void CheckRange(std::int64_t value, std::uint64_t largest, const char* name) {
  if (value < 0) throw Mismatch{std::string(name) + " is negative"};
  if (static_cast<std::uint64_t>(value) > largest) {
    throw Mismatch{std::string(name) + " is larger than " + std::to_string(largest)};
  }
}

std::string WriteRecord(const Record& record, std::uint64_t order) {
  if (order == 0 || order > kLargestJsonInteger) {
    throw Mismatch{"fencingNumber is not in 1 to " + std::to_string(kLargestJsonInteger)};
  }
  CheckRange(record.lease_duration.count(), static_cast<std::uint64_t>(kLongestLeaseDuration.count()),
             "leaseDurationMilliseconds");
  CheckRange(record.transitions, kLargestJsonInteger, "leaseTransitions");
  nlohmann::ordered_json object{
      {"format", kFormat},
      {"fencingNumber", order},
      {"holderIdentity", record.holder_identity},
      {"leaseDurationMilliseconds", record.lease_duration.count()},
      {"acquireTime", TimeText(record.acquire_time, "acquireTime")},
      {"renewTime", TimeText(record.renew_time, "renewTime")},
      {"leaseTransitions", record.transitions},
  };
  if (!record.metadata.empty()) object["metadata"] = record.metadata;
  std::string text = object.dump();
  // One byte is left for the line break that ends a file.
  if (text.size() >= kLargestRecordJson) {
    throw Mismatch{"it is larger than " + std::to_string(kLargestRecordJson - 1) + " bytes"};
  }
  return text;
}

}  // namespace

Result<std::string> RecordToJson(const Record& record, std::uint64_t order) {
  try {
    return WriteRecord(record, order);
  } catch (const Mismatch& mismatch) {
    return {ErrorCode::kInvalid, "the record cannot be stored: " + mismatch.message};
  } catch (const nlohmann::json::type_error&) {
    return {ErrorCode::kInvalid, "the record cannot be stored: holderIdentity or metadata is not UTF-8"};
  }
}

Result<Stored> RecordFromJson(std::string_view text) {
  try {
    return ReadRecord(ParseBounded(text));
  } catch (const Mismatch& mismatch) {
    return {ErrorCode::kCorrupt, "no record of an election: " + mismatch.message};
  }
}

}  // namespace leaderelection
