#include "kubernetes/lease_codec.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "json/rfc3339.h"

namespace leaderelection {
namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kApiVersion = "coordination.k8s.io/v1";
constexpr std::size_t kLongestQuote = 32;
constexpr std::size_t kLongestAnnotationName = 63;

// A field that is not as it must be; never leaves this file.
struct Mismatch {
  std::string message;
};

std::string Quoted(std::string_view text) { return "'" + Excerpt(text, kLongestQuote) + "'"; }

// Null if the field is absent or null, which is the same to Kubernetes.
const Json* Find(const Json& object, const char* name) {
  const auto field = object.find(name);
  return field != object.end() && !field->is_null() ? &*field : nullptr;
}

const Json& ObjectAt(const Json& object, const char* name) {
  static const Json none = Json::object();
  const Json* field = Find(object, name);
  if (!field) return none;
  if (!field->is_object()) throw Mismatch{std::string(name) + " is not an object"};
  return *field;
}

std::string Text(const Json& object, const char* name) {
  const Json* field = Find(object, name);
  if (!field) return "";
  if (!field->is_string()) throw Mismatch{std::string(name) + " is not a string"};
  return field->get<std::string>();
}

void Expect(const Json& object, const char* name, std::string_view expected) {
  const std::string text = Text(object, name);
  if (text != expected) {
    throw Mismatch{std::string(name) + " is " + Quoted(text) + ", not " + Quoted(expected)};
  }
}

std::int64_t Natural(const Json& object, const char* name) {
  const Json* field = Find(object, name);
  if (!field) return 0;
  if (!field->is_number_integer()) throw Mismatch{std::string(name) + " is not a whole number"};
  if (!field->is_number_unsigned() && field->get<std::int64_t>() < 0) {
    throw Mismatch{std::string(name) + " is negative"};
  }
  const auto number = field->get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(kLargestInt32)) {
    throw Mismatch{std::string(name) + " is larger than " + std::to_string(kLargestInt32)};
  }
  return static_cast<std::int64_t>(number);
}

WallTime Time(const Json& object, const char* name) {
  const std::string text = Text(object, name);
  if (text.empty()) return {};
  const auto time = ParseRfc3339(text);
  if (!time) throw Mismatch{std::string(name) + " is no RFC 3339 time: " + Quoted(text)};
  return *time;
}

bool IsAlphanumeric(char c) { return ('0' <= c && c <= '9') || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

// A name that an annotation can have after its prefix.
bool CanBeAnnotation(std::string_view key) {
  if (key.empty() || key.size() > kLongestAnnotationName) return false;
  if (!IsAlphanumeric(key.front()) || !IsAlphanumeric(key.back())) return false;
  return std::all_of(key.begin(), key.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Others may edit annotations, and no rule of the election reads metadata: what makes no sense here is passed over.
Metadata ReadMetadata(const Json& annotations, const std::string& holder) {
  Metadata metadata;
  const auto owner = annotations.find(kMetadataHolder);
  if (owner == annotations.end() || *owner != holder) return metadata;
  for (const auto& [key, value] : annotations.items()) {
    if (key.starts_with(kMetadataPrefix) && value.is_string()) {
      metadata.emplace(key.substr(kMetadataPrefix.size()), value.get<std::string>());
    }
  }
  const auto rest = ParseBoundedJson(TextAt(annotations, std::string(kMetadataRest).c_str()));
  if (!rest || !rest->is_object()) return metadata;
  for (const auto& [key, value] : rest->items()) {
    if (value.is_string()) metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

void WriteMetadata(Json& annotations, const Record& record) {
  for (auto entry = annotations.begin(); entry != annotations.end();) {
    const std::string& key = entry.key();
    const bool is_ours = key.starts_with(kMetadataPrefix) || key == kMetadataRest || key == kMetadataHolder;
    entry = is_ours ? annotations.erase(entry) : std::next(entry);
  }
  if (record.metadata.empty()) return;
  Json rest = Json::object();
  for (const auto& [key, value] : record.metadata) {
    if (CanBeAnnotation(key)) {
      annotations[std::string(kMetadataPrefix) + key] = value;
    } else {
      rest[key] = value;
    }
  }
  if (!rest.empty()) annotations[std::string(kMetadataRest)] = rest.dump();
  annotations[std::string(kMetadataHolder)] = record.holder_identity;
}

Stored ReadLease(Json object, const LeaseName& expected) {
  if (!object.is_object()) throw Mismatch{"it is not a JSON object"};
  Expect(object, "kind", "Lease");
  Expect(object, "apiVersion", kApiVersion);
  const Json& metadata = ObjectAt(object, "metadata");
  Expect(metadata, "name", expected.name);
  Expect(metadata, "namespace", expected.name_space);
  // Without it a PUT would re-create a Lease that was deleted.
  if (Text(metadata, "uid").empty()) throw Mismatch{"uid is missing"};
  const auto order = ParseResourceVersion(Text(metadata, "resourceVersion"));
  if (!order) throw Mismatch{order.error().message};

  const Json& spec = ObjectAt(object, "spec");
  Stored stored;
  stored.version.order = *order;
  Record& record = stored.record;
  record.holder_identity = Text(spec, "holderIdentity");
  if (record.holder_identity.size() > kLongestHolderIdentity) {
    throw Mismatch{"holderIdentity is longer than " + std::to_string(kLongestHolderIdentity) + " bytes"};
  }
  record.lease_duration = seconds(Natural(spec, "leaseDurationSeconds"));
  record.acquire_time = Time(spec, "acquireTime");
  record.renew_time = Time(spec, "renewTime");
  record.transitions = Natural(spec, "leaseTransitions");
  record.metadata = ReadMetadata(ObjectAt(metadata, "annotations"), record.holder_identity);
  stored.version.origin = std::make_shared<const Json>(std::move(object));
  return stored;
}

std::string TimeText(WallTime time, const char* name) {
  auto text = FormatRfc3339(time);
  if (!text) throw Mismatch{std::string(name) + " is not in the years 0001 to 9999"};
  return *std::move(text);
}

// An object in the place of whatever is there: null stands for an absent one.
Json& MakeObjectAt(Json& object, const char* name) {
  Json& field = object[name];
  if (!field.is_object()) field = Json::object();
  return field;
}

void WriteRecord(Json& object, const Metadata& labels, const Record& wanted) {
  const Record record = StorableInLease(wanted);
  if (record.holder_identity.size() > kLongestHolderIdentity) {
    throw Mismatch{"holderIdentity is longer than " + std::to_string(kLongestHolderIdentity) + " bytes"};
  }
  if (record.transitions < 0) throw Mismatch{"leaseTransitions is negative"};
  Json& spec = MakeObjectAt(object, "spec");
  spec["holderIdentity"] = record.holder_identity;
  spec["leaseDurationSeconds"] = std::chrono::duration_cast<seconds>(record.lease_duration).count();
  spec["acquireTime"] = TimeText(record.acquire_time, "acquireTime");
  spec["renewTime"] = TimeText(record.renew_time, "renewTime");
  spec["leaseTransitions"] = record.transitions;
  Json& metadata = MakeObjectAt(object, "metadata");
  if (!labels.empty()) {
    Json& all = MakeObjectAt(metadata, "labels");
    for (const auto& [key, value] : labels) all[key] = value;
  }
  Json& annotations = MakeObjectAt(metadata, "annotations");
  WriteMetadata(annotations, record);
  if (annotations.empty()) metadata.erase("annotations");
}

Result<std::string> Encode(Json object, const Metadata& labels, const Record& record) {
  try {
    WriteRecord(object, labels, record);
    return object.dump();
  } catch (const Mismatch& mismatch) {
    return {ErrorCode::kInvalid, "a Lease cannot hold the record: " + mismatch.message};
  } catch (const Json::type_error&) {
    return {ErrorCode::kInvalid, "a Lease cannot hold the record: holderIdentity, metadata or a label is not UTF-8"};
  }
}

}  // namespace

Record StorableInLease(Record record) {
  record.lease_duration =
      std::clamp<milliseconds>(ceil<seconds>(record.lease_duration), seconds(1), seconds(kLargestInt32));
  record.transitions = std::min(record.transitions, kLargestInt32);
  return record;
}

Result<Stored> DecodeLease(Json object, const LeaseName& expected) {
  try {
    return ReadLease(std::move(object), expected);
  } catch (const Mismatch& mismatch) {
    return {ErrorCode::kCorrupt, "no Lease of an election: " + mismatch.message};
  }
}

Result<std::string> EncodeNewLease(const LeaseName& name, const Metadata& labels, const Record& record) {
  Json object{{"apiVersion", kApiVersion},
              {"kind", "Lease"},
              {"metadata", {{"name", name.name}, {"namespace", name.name_space}}}};
  return Encode(std::move(object), labels, record);
}

Result<std::string> EncodeLease(const Version& expected, const Metadata& labels, const Record& record) {
  if (!expected.origin) return {ErrorCode::kInvalid, "the version expected was not read from a Lease"};
  return Encode(OriginOf(expected), labels, record);
}

const Json& OriginOf(const Version& version) { return *static_cast<const Json*>(version.origin.get()); }

Result<std::uint64_t> ParseResourceVersion(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stopped == end && number != 0) return number;
  return {ErrorCode::kCorrupt, "resourceVersion is no number: " + Quoted(text)};
}

}  // namespace leaderelection
