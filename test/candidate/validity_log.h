// When an elector's terms were valid, for certain, as seen from inside its process.

#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "leaderelection/leader_elector.h"

namespace leaderelection::candidate {

// Asks IsLeader() every other millisecond, from a thread of its own, and keeps one line in the file for each term:
// number, first and last moment of certain validity, looks. A look that found a term valid proves that it was so
// somewhere between the clock read before and the one after it; so the span runs from the read *after* the first such
// look to the read *before* the last one, and a process that is stopped within a look claims no time that it did not
// have. The line is written over in place, so the file of a killed process is as good as any.
class ValidityLog {
 public:
  // Throws std::system_error if the file cannot be made. The elector outlives it.
  ValidityLog(const LeaderElector& elector, const std::string& path);
  ~ValidityLog();
  ValidityLog(const ValidityLog&) = delete;
  ValidityLog& operator=(const ValidityLog&) = delete;

 private:
  void Look();
  void Write() const;

  const LeaderElector& elector_;
  const int file_;
  // The newest term's line; the looking thread's only.
  std::int64_t index_ = -1;
  std::uint64_t number_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::uint64_t looks_ = 0;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace leaderelection::candidate
