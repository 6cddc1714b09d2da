#include "kubernetes/lease_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr WallTime kNoon = std::chrono::sys_days(std::chrono::year(2025) / 11 / 18) + 12h;
const LeaseName kName{"default", "demo"};

Record Sample() {
  return {.holder_identity = "a",
          .lease_duration = 15s,
          .acquire_time = kNoon,
          .renew_time = kNoon + 1us,
          .transitions = 3,
          .metadata = {}};
}

Json SampleLease() {
  return Json::parse(R"({
    "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
    "metadata": {"name": "demo", "namespace": "default", "uid": "1-2-3", "resourceVersion": "42",
                 "labels": {"team": "x"}, "annotations": {"note": "kept"}, "finalizers": ["example.com/f"]},
    "spec": {"holderIdentity": "a", "leaseDurationSeconds": 15, "acquireTime": "2025-11-18T12:00:00.000000Z",
             "renewTime": "2025-11-18T12:00:00.000001Z", "leaseTransitions": 3, "future": {"a": [1, 2.5]}}})");
}

Stored Decoded(const Json& lease) {
  auto stored = DecodeLease(lease, kName);
  EXPECT_TRUE(stored.ok()) << stored.error().message;
  return stored.ok() ? *stored : Stored{};
}

std::string CorruptionOf(const Json& lease) {
  const auto stored = DecodeLease(lease, kName);
  if (stored) return "";
  EXPECT_EQ(stored.error().code, ErrorCode::kCorrupt);
  return stored.error().message;
}

// What the server would hand out after a PUT of this.
Json Rewritten(const Json& lease, const Record& record, const Metadata& labels = {}) {
  const auto body = EncodeLease(Decoded(lease).version, labels, record);
  EXPECT_TRUE(body.ok()) << body.error().message;
  return Json::parse(*body);
}

TEST(LeaseCodec, ReadsALeaseAsClientGoWritesIt) {
  const Stored stored = Decoded(SampleLease());
  EXPECT_EQ(stored.record, Sample());
  EXPECT_EQ(stored.version.order, 42U);
}

TEST(LeaseCodec, WritesTimesWithSixDigitsAndNumbersAsNumbers) {
  Record record = Sample();
  record.renew_time = kNoon + 2s;
  const Json spec = Rewritten(SampleLease(), record)["spec"];
  EXPECT_EQ(spec["renewTime"], "2025-11-18T12:00:02.000000Z");
  EXPECT_EQ(spec["acquireTime"], "2025-11-18T12:00:00.000000Z");
  EXPECT_EQ(spec["leaseDurationSeconds"], 15);
  EXPECT_EQ(spec["leaseTransitions"], 3);
  EXPECT_EQ(spec["holderIdentity"], "a");
}

TEST(LeaseCodec, ReplacesItsOwnFieldsAndNothingElse) {
  Record record = Sample();
  record.holder_identity = "b";
  Json expected = SampleLease();
  expected["spec"]["holderIdentity"] = "b";
  EXPECT_EQ(Rewritten(SampleLease(), record), expected);
}

TEST(LeaseCodec, KeepsStrategyAndPreferredHolderAsTheyAreStored) {
  Json lease = SampleLease();
  lease["spec"]["strategy"] = "OldestEmulationVersion";
  lease["spec"]["preferredHolder"] = "c";
  EXPECT_EQ(Rewritten(lease, Sample()), lease);
}

TEST(LeaseCodec, OwnLabelsAreSetAndOthersKept) {
  const Json labels = Rewritten(SampleLease(), Sample(), {{"app", "demo"}})["metadata"]["labels"];
  EXPECT_EQ(labels, (Json{{"team", "x"}, {"app", "demo"}}));
  Json bare = SampleLease();
  bare["metadata"]["labels"] = nullptr;
  EXPECT_EQ(Rewritten(bare, Sample(), {{"app", "demo"}})["metadata"]["labels"], (Json{{"app", "demo"}}));
}

TEST(LeaseCodec, ANewLeaseHasANameAndARecordAndNoVersion) {
  const auto body = EncodeNewLease(kName, {{"app", "demo"}}, Sample());
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(Json::parse(*body), Json::parse(R"({
    "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
    "metadata": {"name": "demo", "namespace": "default", "labels": {"app": "demo"}},
    "spec": {"holderIdentity": "a", "leaseDurationSeconds": 15, "acquireTime": "2025-11-18T12:00:00.000000Z",
             "renewTime": "2025-11-18T12:00:00.000001Z", "leaseTransitions": 3}})"));
}

TEST(LeaseCodec, AnAbsentANullAndAnEmptyHolderAreAlike) {
  for (const char* spec : {R"({})", R"({"holderIdentity":null})", R"({"holderIdentity":""})"}) {
    Json lease = SampleLease();
    lease["spec"] = Json::parse(spec);
    EXPECT_EQ(Decoded(lease).record, Record{}) << spec;
  }
  Json lease = SampleLease();
  lease.erase("spec");
  EXPECT_EQ(Decoded(lease).record, Record{});
}

TEST(LeaseCodec, ARecordGoesIntoALeaseWithoutSpec) {
  for (const Json& spec : {Json(), Json::object()}) {
    Json lease = SampleLease();
    lease["spec"] = spec;
    EXPECT_EQ(Decoded(Rewritten(lease, Sample())).record, Sample());
  }
}

TEST(LeaseCodec, AReleaseIsAnEmptyTextNotNull) {
  Record released = Sample();
  released.holder_identity = "";
  released.lease_duration = 1s;
  const Json spec = Rewritten(SampleLease(), released)["spec"];
  EXPECT_EQ(spec["holderIdentity"], "");
  EXPECT_EQ(spec["leaseDurationSeconds"], 1);
}

TEST(LeaseCodec, TimesOfAnyPrecisionAreRead) {
  struct Row {
    const char* text;
    std::chrono::microseconds after_noon;
  };
  for (const Row& row : {Row{"2025-11-18T12:00:00Z", 0us}, Row{"2025-11-18T12:00:00.123Z", 123ms},
                         Row{"2025-11-18T12:00:00.123456789Z", 123'456us}, Row{"2025-11-18T13:00:00+01:00", 0us}}) {
    Json lease = SampleLease();
    lease["spec"]["renewTime"] = row.text;
    EXPECT_EQ(Decoded(lease).record.renew_time, kNoon + row.after_noon) << row.text;
  }
}

TEST(LeaseCodec, MissingTimesAndNumbersAreZero) {
  Json lease = SampleLease();
  for (const char* field : {"leaseDurationSeconds", "acquireTime", "renewTime", "leaseTransitions"}) {
    lease["spec"][field] = nullptr;
  }
  EXPECT_EQ(Decoded(lease).record, Record{.holder_identity = "a"});
}

TEST(LeaseCodec, TheLargestNumbersOfALeaseAreRead) {
  Json lease = SampleLease();
  lease["spec"]["leaseDurationSeconds"] = 2'147'483'647;
  lease["spec"]["leaseTransitions"] = 2'147'483'647;
  const Record record = Decoded(lease).record;
  EXPECT_EQ(record.lease_duration, 2'147'483'647s);
  EXPECT_EQ(record.transitions, 2'147'483'647);
}

TEST(LeaseCodec, WhatNoElectionWritesIsCorruptAndNamed) {
  struct Row {
    const char* pointer;
    Json value;
    const char* said;
  };
  const Row rows[] = {
      {"/spec/leaseDurationSeconds", -1, "leaseDurationSeconds is negative"},
      {"/spec/leaseDurationSeconds", 2'147'483'648, "leaseDurationSeconds is larger than"},
      {"/spec/leaseDurationSeconds", 1.5, "leaseDurationSeconds is not a whole number"},
      {"/spec/leaseDurationSeconds", "15", "leaseDurationSeconds is not a whole number"},
      {"/spec/leaseTransitions", -1, "leaseTransitions is negative"},
      {"/spec/leaseTransitions", 18'446'744'073'709'551'615U, "leaseTransitions is larger than"},
      {"/spec/renewTime", "yesterday", "renewTime is no RFC 3339 time: 'yesterday'"},
      {"/spec/acquireTime", 7, "acquireTime is not a string"},
      {"/spec/holderIdentity", Json::array(), "holderIdentity is not a string"},
      {"/spec/holderIdentity", std::string(1 << 20, 'h'), "holderIdentity is longer than"},
      {"/spec", "text", "spec is not an object"},
      {"/metadata", Json::array(), "metadata is not an object"},
      {"/metadata/annotations", 1, "annotations is not an object"},
      {"/metadata/resourceVersion", "abc", "resourceVersion is no number: 'abc'"},
      {"/metadata/resourceVersion", "0", "resourceVersion is no number"},
      {"/metadata/resourceVersion", "18446744073709551616", "resourceVersion is no number"},
      {"/metadata/resourceVersion", "-1", "resourceVersion is no number"},
      {"/metadata/resourceVersion", nullptr, "resourceVersion is no number"},
      {"/metadata/uid", "", "uid is missing"},
      {"/metadata/name", "other", "name is 'other', not 'demo'"},
      {"/metadata/namespace", "other", "namespace is 'other', not 'default'"},
      {"/kind", "Pod", "kind is 'Pod', not 'Lease'"},
      {"/apiVersion", "coordination.k8s.io/v2", "apiVersion is 'coordination.k8s.io/v2'"},
      {"", Json::array(), "it is not a JSON object"},
  };
  for (const Row& row : rows) {
    Json lease = SampleLease();
    lease[Json::json_pointer(row.pointer)] = row.value;
    EXPECT_THAT(CorruptionOf(lease), HasSubstr(row.said)) << row.pointer;
  }
}

TEST(LeaseCodec, MetadataIsKeptInAnnotations) {
  Record record = Sample();
  record.metadata = {{"zone", "z\u00fcrich"}, {"example.com/address", "[::1]:8080"}, {"", "empty key"}, {"empty", ""}};
  const Json lease = Rewritten(SampleLease(), record);
  EXPECT_EQ(lease["metadata"]["annotations"]["metadata.leaderelection.io/zone"], "z\u00fcrich");
  EXPECT_EQ(lease["metadata"]["annotations"]["note"], "kept");
  EXPECT_EQ(Decoded(lease).record, record);
}

TEST(LeaseCodec, MetadataGoesWithTheHolderWhoWroteItAndForeignAnnotationsStay) {
  Record record = Sample();
  record.metadata = {{"zone", "x"}, {"a/b", "y"}};
  const Json held = Rewritten(SampleLease(), record);
  Record released = Sample();
  released.holder_identity = "";
  EXPECT_EQ(Rewritten(held, released)["metadata"]["annotations"], (Json{{"note", "kept"}}));
}

TEST(LeaseCodec, AnEarlierHoldersAnnotationsAreNotTheMetadataOfTheNext) {
  Record record = Sample();
  record.metadata = {{"zone", "x"}};
  Json taken_by_client_go = Rewritten(SampleLease(), record);
  taken_by_client_go["spec"]["holderIdentity"] = "go";
  EXPECT_EQ(Decoded(taken_by_client_go).record.metadata, Metadata{});
}

TEST(LeaseCodec, AnnotationsThatSomeoneSpoiledCostOnlyThemselves) {
  Record record = Sample();
  record.metadata = {{"zone", "x"}, {"a/b", "y"}};
  Json lease = Rewritten(SampleLease(), record);
  lease["metadata"]["annotations"][std::string(kMetadataRest)] = "{";
  EXPECT_EQ(Decoded(lease).record.metadata, (Metadata{{"zone", "x"}}));
}

TEST(LeaseCodec, WithoutAnnotationsNoneAreMade) {
  Json lease = SampleLease();
  lease["metadata"].erase("annotations");
  EXPECT_EQ(Rewritten(lease, Sample()), lease);
}

TEST(LeaseCodec, DurationsAreWholeSecondsRoundedUpAndAtLeastOne) {
  struct Row {
    std::chrono::milliseconds wished;
    std::chrono::milliseconds stored;
  };
  for (const Row& row : {Row{15s, 15s}, Row{1ms, 1s}, Row{1001ms, 2s}, Row{0ms, 1s}, Row{-5s, 1s}}) {
    Record record = Sample();
    record.lease_duration = row.wished;
    EXPECT_EQ(StorableInLease(record).lease_duration, row.stored) << row.wished.count();
    EXPECT_EQ(Decoded(Rewritten(SampleLease(), record)).record, StorableInLease(record));
  }
}

TEST(LeaseCodec, TransitionsStopAtTheLargestThatALeaseHolds) {
  Record record = Sample();
  record.transitions = 2'147'483'648;
  EXPECT_EQ(StorableInLease(record).transitions, 2'147'483'647);
}

TEST(LeaseCodec, WhatALeaseCannotHoldIsInvalidAndNamed) {
  Record no_utf8 = Sample();
  no_utf8.holder_identity = "\xff";
  Record too_long = Sample();
  too_long.holder_identity = std::string(kLongestHolderIdentity + 1, 'x');
  Record negative = Sample();
  negative.transitions = -1;
  Record ancient = Sample();
  ancient.renew_time = WallTime::min();
  struct Row {
    Record record;
    const char* said;
  };
  for (const Row& row :
       {Row{no_utf8, "not UTF-8"}, Row{too_long, "holderIdentity is longer"},
        Row{negative, "leaseTransitions is negative"}, Row{ancient, "renewTime is not in the years"}}) {
    const auto body = EncodeNewLease(kName, {}, row.record);
    ASSERT_FALSE(body.ok()) << row.said;
    EXPECT_EQ(body.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(body.error().message, HasSubstr(row.said));
  }
}

TEST(LeaseCodec, AVersionThatCameFromNoLeaseIsInvalid) {
  EXPECT_EQ(EncodeLease(Version{}, {}, Sample()).error().code, ErrorCode::kInvalid);
}

TEST(BoundedJson, IsBoundedInDepthAndSizeAndNotQuoted) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_THAT(ParseBoundedJson(deep).error().message, HasSubstr("deeper than 64"));
  EXPECT_THAT(ParseBoundedJson(std::string(100'000, '[')).error().message, HasSubstr("deeper than 64"));
  EXPECT_THAT(ParseBoundedJson("\"" + std::string(kLargestJson, 'x') + "\"").error().message, HasSubstr("larger than"));
  EXPECT_EQ(ParseBoundedJson("{\"a\": canary}").error().message, "no JSON at byte 7");
  EXPECT_EQ(ParseBoundedJson("").error().message, "it is empty");
  EXPECT_TRUE(ParseBoundedJson(std::string(60, '[') + std::string(60, ']')).ok());
}

TEST(BoundedJson, AnExcerptIsShortAndOnOneLine) {
  EXPECT_EQ(Excerpt("a\nb\tc", 10), "a b c");
  EXPECT_EQ(Excerpt("abcdef", 3), "abc...");
  EXPECT_EQ(Excerpt("ab\u00e9", 3), "ab...");
}

}  // namespace
}  // namespace leaderelection
