// The record as JSON, for backends whose store keeps plain bytes.
//
//   {"format":"leaderelection/v1","fencingNumber":1763455560000000,"holderIdentity":"a","leaseDurationMilliseconds":15000,
//    "acquireTime":"2025-11-18T08:46:00.000000Z","renewTime":"2025-11-18T08:46:02.000000Z","leaseTransitions":1,
//    "metadata":{"zone":"x"}}

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "leaderelection/error.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

// What is written can be read again: the same limits hold both ways.
inline constexpr std::size_t kLargestRecordJson = 64 * 1024;
// JSON readers that keep numbers as doubles, Lua's among them, are exact up to here. Microseconds reach it in 2255.
inline constexpr std::uint64_t kLargestJsonInteger = (std::uint64_t{1} << 53) - 1;
inline constexpr std::chrono::milliseconds kLongestLeaseDuration = std::chrono::hours(24 * 365);

// One line without a line break. kInvalid, naming the field, if the record goes beyond a limit or is not UTF-8.
[[nodiscard]] Result<std::string> RecordToJson(const Record& record, std::uint64_t order);

// kCorrupt, saying what is wrong, for whatever is not a record of this format; fields it does not know are passed over.
// The text may come from anyone: its size and depth are bounded and messages quote little of it.
[[nodiscard]] Result<Stored> RecordFromJson(std::string_view text);

}  // namespace leaderelection
