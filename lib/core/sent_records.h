// Rule 3: which records are ours.

#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include "leaderelection/record.h"

namespace leaderelection {

// The last few records this elector sent, those without an answer included. A record is ours if it equals one of them,
// never by name: our name in another record is another holder.
class SentRecords {
 public:
  void Add(Record record) {
    if (records_.size() == kKept) records_.pop_front();
    records_.push_back(std::move(record));
  }

  [[nodiscard]] bool Contains(const Record& record) const {
    return std::find(records_.rbegin(), records_.rend(), record) != records_.rend();
  }

  void Clear() { records_.clear(); }

 private:
  // A term without an acknowledgement lasts for renew_deadline and needs fewer attempts than this, at any sane ratio to
  // retry_period; one forgotten is waited out like a stranger's.
  static constexpr std::size_t kKept = 16;
  std::deque<Record> records_;
};

}  // namespace leaderelection
