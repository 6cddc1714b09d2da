// One key of the store, and what it is to an election.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "leaderelection/error.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection::consul {

// The mark that Consul's own clients put on a key they lock. They refuse to lock a key without it, and so would never
// wait for ours.
inline constexpr std::uint64_t kLockFlag = 0x2ddccbc058a50c18;

struct KeyValue {
  std::string value;
  std::uint64_t flags = 0;
  std::uint64_t modify_index = 0;
  std::string session;  // empty: nobody has it locked
};

// The body of a read of one key. kUnknown if it is none.
[[nodiscard]] Result<KeyValue> ParseKeyValue(std::string_view body);

// What is stored in the key: the record, and the session that it was written with; a released one names none.
[[nodiscard]] Result<std::string> RecordToValue(const Record& record, const std::string& session);

// Behind Version::origin: the session to unlock before another one can lock.
struct KeyOrigin {
  std::string session;
};
[[nodiscard]] Version MakeVersion(std::uint64_t modify_index, std::string session);
[[nodiscard]] std::string SessionOf(const Version& version);

struct Finding {
  enum class Kind {
    kRecord,
    kVacant,   // there is a key, but nothing in it that anyone holds or would miss
    kForeign,  // not ours to touch
  };
  Kind kind = Kind::kVacant;
  Stored stored;    // kRecord; of the others the version only
  std::string why;  // kForeign
};

// `is_own` tells the sessions that the asking lock has had: a record of its own that lost its session is vacant.
[[nodiscard]] Finding Judge(const KeyValue& key, const std::function<bool(const std::string&)>& is_own);

// As ResourceLock::Get answers it.
[[nodiscard]] Result<Stored> ToAnswer(Finding finding);

}  // namespace leaderelection::consul
