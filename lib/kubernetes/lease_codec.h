// A Lease of coordination.k8s.io/v1 as a record of an election, and back, in the form that client-go reads and writes.
//
// The object that was read is the version's origin. What is written is that very object with our fields replaced, so
// that its uid and resourceVersion are the condition of the write, and whatever others keep in it stays.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kubernetes/bounded_json.h"
#include "leaderelection/error.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// A longer name is nobody's: such a Lease is reported and left alone.
inline constexpr std::size_t kLongestHolderIdentity = 64UL << 10;
inline constexpr std::int64_t kLargestInt32 = 2'147'483'647;

struct LeaseName {
  std::string name_space;
  std::string name;
};

// Metadata is kept in annotations. A key that can be the name of one has its own, metadata.leaderelection.io/<key>; all
// others share one that holds JSON. A further one says whose they are: client-go leaves annotations alone, so those of
// an earlier holder may stand beside another's name, and are then not his.
inline constexpr std::string_view kMetadataPrefix = "metadata.leaderelection.io/";
inline constexpr std::string_view kMetadataRest = "leaderelection.io/metadata";
inline constexpr std::string_view kMetadataHolder = "leaderelection.io/metadata-holder";

// As a Lease would give it back: whole seconds, rounded up, at least one; transitions stop at the largest int32.
[[nodiscard]] Record StorableInLease(Record record);

// kCorrupt, naming the field, for what is not the Lease of this name or holds what no election writes. Absent fields
// are read as zero, as client-go does; times with any number of fraction digits are read.
[[nodiscard]] Result<Stored> DecodeLease(Json object, const LeaseName& expected);

// The body of a POST; kInvalid, naming the field, if a Lease cannot hold the record.
[[nodiscard]] Result<std::string> EncodeNewLease(const LeaseName& name, const Metadata& labels, const Record& record);

// The body of a PUT that replaces exactly `expected`, which must come from DecodeLease. Labels of other keys stay.
[[nodiscard]] Result<std::string> EncodeLease(const Version& expected, const Metadata& labels, const Record& record);

// What names the very object for others (Events): its uid and resourceVersion.
[[nodiscard]] const Json& OriginOf(const Version& version);

// A resourceVersion as a number; kCorrupt if it is none.
[[nodiscard]] Result<std::uint64_t> ParseResourceVersion(std::string_view text);

}  // namespace leaderelection
