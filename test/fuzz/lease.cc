// A Lease as an API server, or whoever edited it, may give it.

#include "fuzz/target.h"
#include "kubernetes/lease_codec.h"
#include "kubernetes/lease_event.h"

namespace leaderelection::fuzz {

namespace {

const LeaseName kName{.name_space = "default", .name = "demo"};

// What others keep in a Lease: all of it but what an election writes.
Json KeptByOthers(Json object) {
  if (object["spec"].is_null()) object["spec"] = Json::object();
  for (const char* ours : {"holderIdentity", "leaseDurationSeconds", "acquireTime", "renewTime", "leaseTransitions"}) {
    object["spec"].erase(ours);
  }
  Json& metadata = object["metadata"];
  Json annotations = metadata.value("annotations", Json());
  for (auto entry = annotations.begin(); annotations.is_object() && entry != annotations.end();) {
    const bool ours = entry.key().find("leaderelection.io/") != std::string::npos;
    entry = ours ? annotations.erase(entry) : std::next(entry);
  }
  metadata.erase("annotations");
  if (!annotations.empty()) metadata["annotations"] = annotations;
  return object;
}

Stored Reread(const std::string& body) {
  auto object = ParseBoundedJson(body);
  Require(object.ok(), "what is written is JSON");
  auto stored = DecodeLease(std::move(object).value(), kName);
  Require(stored.ok(), "what is written is a Lease of an election");
  return std::move(stored).value();
}

void Replace(const Stored& stored) {
  const auto body = EncodeLease(stored.version, {}, stored.record);
  Require(body.ok(), "what was read can be written");
  const Stored again = Reread(*body);
  Require(again.record == StorableInLease(stored.record), "what was written is read as it was");
  Require(again.version.order == stored.version.order, "a write is bound to the version that was read");
  Require(KeptByOthers(OriginOf(again.version)) == KeptByOthers(OriginOf(stored.version)),
          "whatever others keep in a Lease stays");
}

void CreateAnew(const Stored& stored) {
  const auto body = EncodeNewLease(kName, {}, stored.record);
  Require(body.ok(), "what was read can be written to a new Lease");
  const auto object = ParseBoundedJson(*body);
  Require(object.ok() && !object->at("metadata").contains("uid"), "a new Lease claims no uid");
}

}  // namespace

void Fuzz(std::string_view input) {
  auto object = ParseBoundedJson(input);
  if (!object) {
    Require(object.error().code == ErrorCode::kCorrupt, "what is no JSON is corrupt");
    return RequireReadable(object.error().message);
  }
  const auto stored = DecodeLease(std::move(object).value(), kName);
  if (!stored) {
    Require(stored.error().code == ErrorCode::kCorrupt, "what is no Lease of an election is corrupt");
    return RequireReadable(stored.error().message);
  }
  Require(stored->version.order != 0, "a version has a number");
  Require(!OriginOf(stored->version).at("metadata").at("uid").get<std::string>().empty(), "a version is of one object");
  Require(stored->record.lease_duration.count() >= 0 && stored->record.transitions >= 0, "no number is negative");
  Replace(*stored);
  CreateAnew(*stored);
  const auto event = EncodeLeaseEvent(kName, OriginOf(stored->version), "a", "became leader", WallTime(), 1);
  Require(event.ok(), "an Event can be written about every Lease that was read");
}

}  // namespace leaderelection::fuzz
