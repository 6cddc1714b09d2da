#include "core/observation.h"

#include <gtest/gtest.h>

#include "core/election_subject.h"

namespace leaderelection {
namespace {

using News = Observation::News;

class ObservationTest : public ::testing::Test {
 protected:
  [[nodiscard]] static MonotonicTime At(std::chrono::nanoseconds time) { return MonotonicTime(1h) + time; }
  [[nodiscard]] static Stored V(std::uint64_t order, const Record& record) {
    return {record, Version{order, nullptr}, std::nullopt};
  }
  News Read(std::chrono::nanoseconds time, const Stored& stored) {
    return observation_.OnRead(At(time), observation_.TakeMark(), stored);
  }
  News ReadAbsent(std::chrono::nanoseconds time) {
    return observation_.OnReadAbsent(At(time), observation_.TakeMark());
  }
  News Event(std::chrono::nanoseconds time, const Stored& stored) { return observation_.OnEvent(At(time), stored); }
  // How long after the start the wait is over.
  [[nodiscard]] std::chrono::nanoseconds Waits() const { return observation_.NotBefore() - At(0s); }

  SentRecords ours_;
  Observation observation_{15s, ours_};
  const Record b_ = HeldBy("b");
};

TEST_F(ObservationTest, NothingIsKnownAtFirst) {
  EXPECT_FALSE(observation_.IsKnown());
  EXPECT_EQ(observation_.Known(), nullptr);
  EXPECT_EQ(observation_.NotBefore(), MonotonicTime::min());
}

TEST_F(ObservationTest, TheRecordAndItsVersionComeFromTheSameAnswer) {
  EXPECT_EQ(Read(0s, V(5, b_)), News::kRecord);
  const Record renewed = Renewed(b_);
  EXPECT_EQ(Event(2s, V(7, renewed)), News::kRecord);
  EXPECT_EQ(observation_.Known()->record, renewed);
  EXPECT_EQ(observation_.Known()->version.order, 7U);
}

TEST_F(ObservationTest, AnAnswerOvertakenByNewsIsNoRollBack) {
  Read(0s, V(5, b_));
  const auto mark = observation_.TakeMark();
  Event(1s, V(6, Renewed(b_)));
  EXPECT_EQ(observation_.OnRead(At(2s), mark, V(5, b_)), News::kNone);
  EXPECT_EQ(observation_.Known()->version.order, 6U);
}

TEST_F(ObservationTest, AbsenceThatNewsOvertookIsReadAgain) {
  Read(0s, V(5, b_));
  const auto mark = observation_.TakeMark();
  Event(1s, V(6, Renewed(b_)));
  EXPECT_EQ(observation_.OnReadAbsent(At(2s), mark), News::kReadAgain);
  EXPECT_NE(observation_.Known(), nullptr);
}

// Found by seed 15814: the extra read ate the request that was needed to take over.
TEST_F(ObservationTest, AbsenceThatTheNewsOfADeletionOvertookIsBelieved) {
  Read(0s, V(5, b_));
  const auto mark = observation_.TakeMark();
  observation_.OnDeleted(At(1s), 6);
  EXPECT_EQ(observation_.OnReadAbsent(At(2s), mark), News::kNone);
  EXPECT_TRUE(observation_.IsKnown());
}

TEST_F(ObservationTest, ALowerVersionInADirectAnswerMeansThatTheStoreWentBack) {
  Read(0s, V(5, b_));
  EXPECT_EQ(Read(20s, V(4, Released())), News::kWentBack);
  EXPECT_EQ(observation_.Known()->version.order, 4U);
  EXPECT_EQ(Waits(), 35s) << "even an empty holder is waited out then";
}

TEST_F(ObservationTest, TheSameVersionWithAnotherContentMeansThatTheStoreWentBack) {
  Read(0s, V(5, b_));
  EXPECT_EQ(Read(1s, V(5, HeldBy("c"))), News::kWentBack);
}

TEST_F(ObservationTest, TheWaitAfterTheStoreWentBackIsTheLongestOfAllDurations) {
  Read(0s, V(5, HeldBy("b", 40s)));
  Read(1s, V(4, HeldBy("c", 20s)));
  EXPECT_EQ(Waits(), 41s);
}

TEST_F(ObservationTest, WhatIsUnreadableIsUnknownAndClearsNoWait) {
  Read(0s, V(5, b_));
  observation_.OnUnreadable();
  EXPECT_FALSE(observation_.IsKnown());
  EXPECT_EQ(Waits(), 15s);
  EXPECT_EQ(Read(1s, V(5, b_)), News::kRecord);
  EXPECT_EQ(Waits(), 15s) << "the same record is no sign of life";
}

using Rule2WaitingSeen = ObservationTest;

TEST_F(Rule2WaitingSeen, TheWaitIsCountedFromAfterTheRead) {
  Read(3s, V(5, b_));
  EXPECT_EQ(Waits(), 18s);
}

TEST_F(Rule2WaitingSeen, TheWaitMovesOnlyLater) {
  struct Row {
    const char* what;
    Record next;
    std::chrono::seconds waits;
  };
  Record shortened = b_;
  shortened.lease_duration = 2s;
  Record shortened_to_one = b_;
  shortened_to_one.lease_duration = 1s;
  Record renewed_shorter = Renewed(b_);
  renewed_shorter.lease_duration = 3s;
  Record insane = Renewed(b_);
  insane.lease_duration = -1s;
  Record endless = Renewed(b_);
  endless.lease_duration = std::chrono::milliseconds::max();
  Record fabric8 = Renewed(b_);
  fabric8.lease_duration = 1s;
  for (const Row& row :
       {Row{"a renewal", Renewed(b_), 19s}, Row{"a longer duration", HeldBy("c", 30s), 34s},
        Row{"another holder with a shorter one", HeldBy("c", 2s), 15s},
        Row{"a duration shortened by an outsider", shortened, 15s},
        Row{"one shortened to a second", shortened_to_one, 15s}, Row{"a renewal that is shorter", renewed_shorter, 15s},
        Row{"a duration that makes no sense", insane, 19s}, Row{"an endless one", endless, 19s},
        Row{"fabric8's release, the holder's own word", fabric8, 5s}}) {
    SentRecords ours;
    Observation observation(15s, ours);
    observation.OnRead(At(0s), observation.TakeMark(), V(5, b_));
    observation.OnEvent(At(4s), V(6, row.next));
    EXPECT_EQ(observation.NotBefore() - At(0s), row.waits) << row.what;
  }
}

TEST_F(Rule2WaitingSeen, OnlyASeenReleaseClearsIt) {
  Read(0s, V(5, b_));
  Event(1s, V(6, Released()));
  EXPECT_EQ(observation_.NotBefore(), MonotonicTime::min());
}

TEST_F(Rule2WaitingSeen, AbsenceClearsNoWait) {
  Read(0s, V(5, b_));
  ReadAbsent(0s);
  EXPECT_EQ(Waits(), 15s);
}

// Found by seeds 882 and 1297: renewals that a broken watch had swallowed, and then the deletion of the record.
TEST_F(Rule2WaitingSeen, AbsenceBeginsAnotherWaitForRenewalsMayHaveBeenMissed) {
  Read(0s, V(5, b_));
  EXPECT_EQ(ReadAbsent(14s), News::kAbsence);
  EXPECT_EQ(Waits(), 29s);
  EXPECT_EQ(ReadAbsent(20s), News::kNone);
  EXPECT_EQ(Waits(), 29s);
}

TEST_F(Rule2WaitingSeen, TheDeletionOfAReleasedRecordIsNotWaitedOut) {
  Read(0s, V(5, Released()));
  observation_.OnDeleted(At(1s), 6);
  EXPECT_EQ(observation_.NotBefore(), MonotonicTime::min());
}

TEST_F(Rule2WaitingSeen, TheDeletionOfOurOwnRecordIsNotWaitedOut) {
  const Record own = HeldBy("a");
  ours_.Add(own);
  Read(0s, V(5, own));
  observation_.OnDeleted(At(1s), 6);
  EXPECT_EQ(observation_.NotBefore(), MonotonicTime::min());
}

TEST_F(Rule2WaitingSeen, WithNativeExpiryTheServerSaysWhatIsLeft) {
  struct Row {
    const char* what;
    std::optional<std::chrono::milliseconds> left;
    std::chrono::seconds waits;
  };
  for (const Row& row : {Row{"less than the duration", 4s, 4s}, Row{"more than the duration", 40s, 15s},
                         Row{"nothing", 0s, 0s}, Row{"nonsense", -5s, 0s}, Row{"no word", std::nullopt, 15s}}) {
    SentRecords ours;
    Observation observation(15s, ours);
    observation.OnRead(At(0s), observation.TakeMark(), {b_, Version{5, nullptr}, row.left});
    EXPECT_EQ(observation.NotBefore() - At(0s), row.waits) << row.what;
  }
}

TEST_F(Rule2WaitingSeen, WithNativeExpiryAbsenceIsTheEndAndNothingMoreIsWaitedFor) {
  observation_.OnRead(At(0s), observation_.TakeMark(), {b_, Version{5, nullptr}, 4s});
  observation_.OnDeleted(At(4s), 6);
  EXPECT_EQ(Waits(), 4s);
}

TEST_F(Rule2WaitingSeen, ItIsRememberedThatTheServerExpiresRecordsThoughItsEventsDoNotSayWhatIsLeft) {
  observation_.OnRead(At(0s), observation_.TakeMark(), {b_, Version{5, nullptr}, 4s});
  Event(2s, V(6, Renewed(b_)));
  observation_.OnDeleted(At(17s), 7);
  EXPECT_EQ(Waits(), 17s);
}

TEST_F(Rule2WaitingSeen, OurOwnRecordIsNotWaitedOut) {
  const Record own = HeldBy("a");
  ours_.Add(own);
  Read(0s, V(5, own));
  EXPECT_EQ(observation_.NotBefore(), MonotonicTime::min());
}

using Rule6RivalsSeen = ObservationTest;

TEST_F(Rule6RivalsSeen, EventsNotNewerThanWhatIsKnownAreDropped) {
  Read(0s, V(5, b_));
  EXPECT_EQ(Event(1s, V(5, HeldBy("c"))), News::kNone);
  EXPECT_EQ(Event(1s, V(4, Released())), News::kNone);
  EXPECT_EQ(observation_.OnDeleted(At(1s), 5), News::kNone);
  EXPECT_EQ(observation_.Known()->record, b_);
  EXPECT_EQ(Waits(), 15s);
}

TEST_F(Rule6RivalsSeen, EventsFromBeforeADeletionAreDroppedToo) {
  Read(0s, V(5, b_));
  EXPECT_EQ(observation_.OnDeleted(At(1s), 8), News::kAbsence);
  EXPECT_EQ(Event(2s, V(7, Released())), News::kNone);
  EXPECT_EQ(observation_.Known(), nullptr);
}

TEST_F(Rule6RivalsSeen, AnAcknowledgementLowerThanWhatIsKnownCountsOnlyIfItsRecordStillStands) {
  const Record own = HeldBy("a");
  ours_.Add(own);
  Event(0s, V(9, own));
  EXPECT_TRUE(observation_.OnAcknowledged(At(1s), V(7, own)));
  EXPECT_EQ(observation_.Known()->version.order, 9U) << "the higher version stays";
  Event(2s, V(10, b_));
  EXPECT_FALSE(observation_.OnAcknowledged(At(3s), V(7, own)));
  EXPECT_EQ(observation_.Known()->record, b_);
}

using Rule8LifeSeen = ObservationTest;

TEST_F(Rule8LifeSeen, AChangeOfVersionWithoutAChangeOfRecordIsNoSignOfLife) {
  Read(0s, V(5, b_));
  EXPECT_EQ(Event(10s, V(6, b_)), News::kNone);
  EXPECT_EQ(Read(12s, V(7, b_)), News::kNone);
  EXPECT_EQ(Waits(), 15s);
  EXPECT_EQ(observation_.Known()->version.order, 7U) << "what is written next replaces the newest version";
}

TEST_F(Rule8LifeSeen, EveryFieldOfTheRecordIsASignOfLife) {
  struct Row {
    const char* what;
    void (*change)(Record&);
  };
  for (const Row& row : {Row{"renew time", [](Record& record) { record.renew_time += 1us; }},
                         Row{"transitions", [](Record& record) { ++record.transitions; }},
                         Row{"metadata", [](Record& record) { record.metadata["a"] = "b"; }},
                         Row{"duration", [](Record& record) { record.lease_duration += 1ms; }}}) {
    SentRecords ours;
    Observation observation(15s, ours);
    observation.OnRead(At(0s), observation.TakeMark(), V(5, b_));
    Record next = b_;
    row.change(next);
    observation.OnEvent(At(4s), V(6, next));
    EXPECT_GE(observation.NotBefore() - At(0s), 19s) << row.what;
  }
}

// Found by seed 273005: a namesake on a wall clock that stood still created the very record that had been deleted.
TEST_F(Rule8LifeSeen, ARecordCreatedAnewIsASignOfLifeEvenIfItLooksTheSame) {
  Read(0s, V(5, b_));
  observation_.OnDeleted(At(1s), 6);
  EXPECT_EQ(Event(14s, V(7, b_)), News::kRecord);
  EXPECT_EQ(Waits(), 29s);
}

}  // namespace
}  // namespace leaderelection
