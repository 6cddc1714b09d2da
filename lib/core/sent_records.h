// Rule 3: which records are ours.

#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
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

  // The one we hold is remembered however many are sent in vain after it.
  void Acknowledge(const Record& record) { acknowledged_ = record; }

  [[nodiscard]] bool Contains(const Record& record) const {
    return acknowledged_ == record || std::find(records_.rbegin(), records_.rend(), record) != records_.rend();
  }

 private:
  friend class ElectionMemory;  // test/model puts what is remembered aside and back

  // A term without an acknowledgement lasts for renew_deadline and needs fewer attempts than this, at any sane ratio to
  // retry_period; one forgotten is waited out like a stranger's.
  static constexpr std::size_t kKept = 16;
  std::deque<Record> records_;
  std::optional<Record> acknowledged_;
};

}  // namespace leaderelection
