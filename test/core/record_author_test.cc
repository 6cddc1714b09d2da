#include "core/record_author.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

class RecordAuthorTest : public ::testing::Test {
 protected:
  Instant At(std::chrono::nanoseconds since_start, std::chrono::seconds wall_since_start) const {
    return {MonotonicTime(1h) + since_start, kStart + wall_since_start};
  }

  static constexpr WallTime kStart{std::chrono::seconds(1'750'000'000)};
  RecordAuthor author_{"a", 15s, [](Record record) { return record; }};
};

TEST_F(RecordAuthorTest, ARecordOnAnEmptyStoreBeginsNowWithoutTransitions) {
  const Record record = author_.Acquire(At(0s, 0s), std::nullopt);
  EXPECT_EQ(record.holder_identity, "a");
  EXPECT_EQ(record.lease_duration, 15s);
  EXPECT_EQ(record.acquire_time, kStart);
  EXPECT_EQ(record.renew_time, kStart);
  EXPECT_EQ(record.transitions, 0);
}

TEST_F(RecordAuthorTest, EveryChangeOfHolderIsCounted) {
  struct Row {
    const char* what;
    Record replaced;
    std::int64_t transitions;
  };
  Record by_other = HeldBy("b");
  by_other.transitions = 4;
  Record released = Released();
  released.transitions = 4;
  Record own_leftover = HeldBy("a");
  own_leftover.transitions = 4;
  Record endless = HeldBy("b");
  endless.transitions = std::numeric_limits<std::int32_t>::max();
  for (const Row& row :
       {Row{"another holder", by_other, 5}, Row{"a release", released, 5}, Row{"our own leftover", own_leftover, 4},
        Row{"the last number there is", endless, std::numeric_limits<std::int32_t>::max()}}) {
    EXPECT_EQ(author_.Acquire(At(0s, 0s), row.replaced).transitions, row.transitions) << row.what;
  }
}

TEST_F(RecordAuthorTest, ARenewalChangesTheRenewTimeAlone) {
  const Record acquired = author_.Acquire(At(0s, 0s), std::nullopt);
  Record renewed = author_.Renew(At(2s, 2s), acquired);
  EXPECT_EQ(renewed.renew_time, kStart + 2s);
  renewed.renew_time = acquired.renew_time;
  EXPECT_EQ(renewed, acquired);
}

TEST_F(RecordAuthorTest, AReleaseIsInClientGosForm) {
  Record held = author_.Acquire(At(0s, 0s), std::nullopt);
  held.transitions = 7;
  const Record released = author_.Release(At(3s, 3s), held);
  EXPECT_EQ(released.holder_identity, "");
  EXPECT_EQ(released.lease_duration, 1s);
  EXPECT_EQ(released.acquire_time, kStart + 3s);
  EXPECT_EQ(released.renew_time, kStart + 3s);
  EXPECT_EQ(released.transitions, 7);
  EXPECT_TRUE(released.metadata.empty());
}

TEST_F(RecordAuthorTest, MetadataIsInEveryRecordOfTheHolder) {
  author_.SetMetadata({{"version", "1"}});
  const Record acquired = author_.Acquire(At(0s, 0s), std::nullopt);
  author_.SetMetadata({{"version", "2"}});
  EXPECT_EQ(acquired.metadata.at("version"), "1");
  EXPECT_EQ(author_.Renew(At(2s, 2s), acquired).metadata.at("version"), "2");
}

TEST_F(RecordAuthorTest, WhatIsSentIsWhatTheBackendCanStore) {
  RecordAuthor author("a", 2500ms, [](Record record) {
    record.lease_duration = std::chrono::ceil<std::chrono::seconds>(record.lease_duration);
    return record;
  });
  EXPECT_EQ(author.Acquire(At(0s, 0s), std::nullopt).lease_duration, 3s);
}

using Rule4ClocksWritten = RecordAuthorTest;

TEST_F(Rule4ClocksWritten, TheRenewTimeRisesWhateverTheWallClockDoes) {
  struct Row {
    const char* what;
    std::chrono::seconds wall;
    std::chrono::seconds written;
  };
  for (const Row& row : {Row{"goes as it should", 2s, 2s}, Row{"stands still", 0s, 2s}, Row{"is set back", -3600s, 2s},
                         Row{"is set forward", 3600s, 3600s}}) {
    RecordAuthor author("a", 15s, [](Record record) { return record; });
    const Record acquired = author.Acquire(At(0s, 0s), std::nullopt);
    EXPECT_EQ(author.Renew(At(2s, row.wall), acquired).renew_time, kStart + row.written) << row.what;
  }
}

TEST_F(Rule4ClocksWritten, TwoRecordsOfOneMomentDiffer) {
  const Record acquired = author_.Acquire(At(0s, 0s), std::nullopt);
  const Record renewed = author_.Renew(At(0s, 0s), acquired);
  EXPECT_GT(renewed.renew_time, acquired.renew_time);
  EXPECT_GT(author_.Release(At(0s, 0s), renewed).renew_time, renewed.renew_time);
}

// Found at ratio 1.45 by seed 17275: a process restarted under its old name, on a wall clock that stood still, wrote
// the very record it found, and nobody saw a sign of life.
TEST_F(Rule4ClocksWritten, ARestartOnAStoppedWallClockDoesNotRepeatItsNamesakesRecord) {
  const Record found = RecordAuthor("a", 15s, [](Record record) { return record; }).Acquire(At(0s, 0s), std::nullopt);
  const Record written = author_.Acquire(At(20s, 0s), found);
  EXPECT_GT(written.renew_time, found.renew_time);
  EXPECT_GT(written.acquire_time, found.acquire_time);
}

// Found at ratio 1.45 by seed 1094193: two of one name took the same record for their own.
TEST_F(Rule4ClocksWritten, TwoNamesakesWithSlowWallClocksDoNotWriteTheSameRecord) {
  Record found = HeldBy("a");
  found.renew_time = kStart + 3600s;
  RecordAuthor other("a", 15s, [](Record record) { return record; });
  EXPECT_NE(author_.Acquire(At(20s, 20s), found), other.Acquire(At(20s + 17us, 20s), found));
}

}  // namespace
}  // namespace leaderelection
