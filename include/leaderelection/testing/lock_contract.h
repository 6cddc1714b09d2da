// What every backend must do, as a GoogleTest suite: run it on yours before you trust it with an election.
//
//   class MyBackend {                                            // each object: one record of its own, absent at first
//    public:
//     static constexpr LockTraits kTraits{.watches = false};
//     std::shared_ptr<ResourceLock> Connect() { return std::make_shared<MyLock>(server, name_); }
//     void Delete() { server.Remove(name_); }
//    private:
//     const std::string name_ = UniqueName();
//   };
//   namespace leaderelection::testing {
//   INSTANTIATE_TYPED_TEST_SUITE_P(MyBackend, LockContract, ::MyBackend);
//   }
//
// It asks nothing of time but patience, so it runs on real servers as it does in memory. It needs GoogleTest; the
// library leaderelection::testing does not.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"
#include "leaderelection/testing/lock_client.h"
#include "leaderelection/testing/watch_log.h"

namespace leaderelection::testing {

// What a backend can do, and how long the suite waits for it before it calls it hanging.
struct LockTraits {
  bool watches = true;   // Observe gives a watch
  bool expires = false;  // the server drops a record by itself and tells what is left: Stored::expires_in
  std::chrono::seconds patience{30};
};

namespace contract {

inline ::testing::AssertionResult Succeeded(const Result<Stored>& result) {
  if (result) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << ToString(result.error().code) << ": " << result.error().message;
}

inline ::testing::AssertionResult FailedWith(const Result<Stored>& result, std::initializer_list<ErrorCode> expected) {
  if (result) return ::testing::AssertionFailure() << "it succeeded";
  if (std::find(expected.begin(), expected.end(), result.error().code) != expected.end()) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << ToString(result.error().code) << ": " << result.error().message;
}

inline ::testing::AssertionResult IsStored(const LockClient& client, const Stored& expected) {
  const auto read = client.Get();
  if (!read) return Succeeded(read);
  if (read->record != expected.record) {
    return ::testing::AssertionFailure() << "the record differs; its holder is " << read->record.holder_identity;
  }
  if (read->version.order != expected.version.order) {
    return ::testing::AssertionFailure() << "order " << read->version.order << " is stored, not "
                                         << expected.version.order;
  }
  return ::testing::AssertionSuccess();
}

// A record like those of an election; `renewal` makes it differ from the holder's others.
inline Record HeldBy(std::string holder, int renewal = 0) {
  const WallTime acquired{std::chrono::sys_days(std::chrono::year(2024) / 5 / 15) + std::chrono::microseconds(123'456)};
  return {.holder_identity = std::move(holder),
          .lease_duration = std::chrono::seconds(60),
          .acquire_time = acquired,
          .renew_time = acquired + std::chrono::seconds(renewal) + std::chrono::microseconds(1),
          .transitions = 3};
}

// Runs `send(i)` on `count` threads that start together; gives their answers.
template <class Send>
std::vector<Result<Stored>> AllAtOnce(std::size_t count, Send send) {
  std::vector<Result<Stored>> answers(count, Error{});
  std::latch start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      answers[i] = send(i);
    });
  }
  for (std::jthread& thread : threads) thread.join();
  return answers;
}

// Which one succeeded; the others must have failed with `refusal`.
inline std::optional<std::size_t> OnlyWinner(const std::vector<Result<Stored>>& answers, ErrorCode refusal) {
  std::optional<std::size_t> winner;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) {
      EXPECT_TRUE(FailedWith(answers[i], {refusal})) << "request " << i;
      continue;
    }
    EXPECT_FALSE(winner) << "requests " << winner.value_or(0) << " and " << i << " both succeeded";
    winner = i;
  }
  EXPECT_TRUE(winner) << "nobody succeeded";
  return winner;
}

}  // namespace contract

template <class Backend>
class LockContract : public ::testing::Test {
 protected:
  static constexpr LockTraits kTraits = Backend::kTraits;

  LockClient Connect() { return LockClient(backend_.Connect(), kTraits.patience); }
  std::vector<LockClient> Connect(std::size_t count) {
    std::vector<LockClient> clients;
    while (clients.size() < count) clients.push_back(Connect());
    return clients;
  }
  void Delete() { backend_.Delete(); }

 private:
  Backend backend_;
};

TYPED_TEST_SUITE_P(LockContract);

TYPED_TEST_P(LockContract, AnAbsentRecordIsNotFound) {
  EXPECT_TRUE(contract::FailedWith(this->Connect().Get(), {ErrorCode::kNotFound}));
}

TYPED_TEST_P(LockContract, ACreatedRecordIsReadBackByEveryone) {
  const auto a = this->Connect();
  const auto b = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  EXPECT_EQ(created->record, a.lock().Storable(contract::HeldBy("a")));
  EXPECT_GT(created->version.order, 0u);
  const auto read = b.Get();
  ASSERT_TRUE(contract::Succeeded(read));
  EXPECT_EQ(read->record, created->record);
  EXPECT_EQ(read->version.order, created->version.order);
}

TYPED_TEST_P(LockContract, ASecondCreateIsRefusedAndChangesNothing) {
  const auto a = this->Connect();
  const auto b = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  EXPECT_TRUE(contract::FailedWith(b.Create(contract::HeldBy("b")), {ErrorCode::kAlreadyExists}));
  EXPECT_TRUE(contract::IsStored(a, *created));
}

TYPED_TEST_P(LockContract, AnUpdateOfTheVersionReadRaisesTheOrder) {
  const auto a = this->Connect();
  const auto b = this->Connect();
  ASSERT_TRUE(contract::Succeeded(a.Create(contract::HeldBy("a"))));
  const auto read = b.Get();
  ASSERT_TRUE(contract::Succeeded(read));
  const auto updated = b.Update(contract::HeldBy("b"), read->version);
  ASSERT_TRUE(contract::Succeeded(updated));
  EXPECT_GT(updated->version.order, read->version.order);
  EXPECT_EQ(updated->record, b.lock().Storable(contract::HeldBy("b")));
  EXPECT_TRUE(contract::IsStored(a, *updated));
}

TYPED_TEST_P(LockContract, TheVersionAnsweredIsTheOneToUpdateNext) {
  const auto a = this->Connect();
  auto last = a.Create(contract::HeldBy("a"));
  for (int renewal = 1; renewal <= 5; ++renewal) {
    ASSERT_TRUE(contract::Succeeded(last)) << "renewal " << renewal;
    const auto renewed = a.Update(contract::HeldBy("a", renewal), last->version);
    ASSERT_TRUE(contract::Succeeded(renewed)) << "renewal " << renewal;
    EXPECT_GT(renewed->version.order, last->version.order);
    last = renewed;
  }
}

TYPED_TEST_P(LockContract, AnUpdateOfAStaleVersionIsRefusedAndChangesNothing) {
  const auto a = this->Connect();
  const auto b = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  const auto seen_by_b = b.Get();
  ASSERT_TRUE(contract::Succeeded(seen_by_b));
  const auto renewed = a.Update(contract::HeldBy("a", 1), created->version);
  ASSERT_TRUE(contract::Succeeded(renewed));
  EXPECT_TRUE(contract::FailedWith(b.Update(contract::HeldBy("b"), seen_by_b->version), {ErrorCode::kConflict}));
  EXPECT_TRUE(contract::IsStored(a, *renewed));
}

// A lock that remembers "the latest version" and fills it in would take the record from its new holder here.
TYPED_TEST_P(LockContract, AStaleVersionIsRefusedAlsoByTheClientThatReadANewerOne) {
  const auto a = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  const auto renewed = a.Update(contract::HeldBy("a", 1), created->version);
  ASSERT_TRUE(contract::Succeeded(renewed));
  ASSERT_TRUE(contract::Succeeded(a.Get()));
  EXPECT_TRUE(contract::FailedWith(a.Update(contract::HeldBy("a", 2), created->version), {ErrorCode::kConflict}));
  EXPECT_TRUE(contract::IsStored(a, *renewed));
}

TYPED_TEST_P(LockContract, AnUpdateNeverRecreatesADeletedRecord) {
  const auto a = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  this->Delete();
  EXPECT_TRUE(contract::FailedWith(a.Update(contract::HeldBy("a", 1), created->version),
                                   {ErrorCode::kConflict, ErrorCode::kNotFound}));
  EXPECT_TRUE(contract::FailedWith(a.Get(), {ErrorCode::kNotFound}));
}

TYPED_TEST_P(LockContract, TheOrderRisesAcrossDeletion) {
  const auto a = this->Connect();
  const auto b = this->Connect();
  const auto first = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(first));
  const auto renewed = a.Update(contract::HeldBy("a", 1), first->version);
  ASSERT_TRUE(contract::Succeeded(renewed));
  this->Delete();
  const auto second = b.Create(contract::HeldBy("b"));
  ASSERT_TRUE(contract::Succeeded(second));
  EXPECT_GT(second->version.order, renewed->version.order);
}

TYPED_TEST_P(LockContract, AVersionOfADeletedRecordDoesNotFitItsSuccessor) {
  const auto a = this->Connect();
  const auto b = this->Connect();
  const auto first = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(first));
  this->Delete();
  const auto second = b.Create(contract::HeldBy("a"));  // the very same record
  ASSERT_TRUE(contract::Succeeded(second));
  EXPECT_TRUE(contract::FailedWith(a.Update(contract::HeldBy("a", 1), first->version),
                                   {ErrorCode::kConflict, ErrorCode::kNotFound}));
  EXPECT_TRUE(contract::IsStored(b, *second));
}

// Some servers answer "done" to such a write and change nothing. That is allowed, if the answer's order says so.
TYPED_TEST_P(LockContract, AnIdenticalWriteIsAnsweredWithTheOrderThatIsStored) {
  const auto a = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  const auto again = a.Update(contract::HeldBy("a"), created->version);
  ASSERT_TRUE(contract::Succeeded(again));
  EXPECT_GE(again->version.order, created->version.order);
  EXPECT_TRUE(contract::IsStored(a, *again));
}

TYPED_TEST_P(LockContract, EveryFieldOfARecordSurvives) {
  Record released = contract::HeldBy("");
  Record unicode = contract::HeldBy("z\u00fcrich-\u6771\u4eac-\U0001F5F3");
  Record quoted = contract::HeldBy(R"(a "quoted" \ 'name' {} [] <&>)");
  Record long_name = contract::HeldBy(std::string(1000, 'n'));
  Record described = contract::HeldBy("a");
  described.metadata = {{"zone", "z\u00fcrich"}, {"example.com/address", "[::1]:8080"}, {"empty", ""}};
  Record often_changed = contract::HeldBy("a");
  often_changed.transitions = 2'147'483'647;
  Record short_lived = contract::HeldBy("a");
  short_lived.lease_duration = std::chrono::milliseconds(61'500);
  Record precise = contract::HeldBy("a");
  precise.renew_time += std::chrono::microseconds(876'542);

  const auto a = this->Connect();
  const auto b = this->Connect();
  auto last = a.Create(contract::HeldBy("a", 100));
  for (const Record& record : {released, unicode, quoted, long_name, described, often_changed, short_lived, precise}) {
    SCOPED_TRACE(record.holder_identity);
    ASSERT_TRUE(contract::Succeeded(last));
    last = a.Update(record, last->version);
    ASSERT_TRUE(contract::Succeeded(last));
    EXPECT_EQ(last->record, a.lock().Storable(record));
    EXPECT_TRUE(contract::IsStored(b, *last));
  }
}

TYPED_TEST_P(LockContract, AStorableRecordDiffersInNothingButALongerDuration) {
  const auto a = this->Connect();
  Record record = contract::HeldBy("a");
  record.lease_duration = std::chrono::milliseconds(1'001);
  const Record storable = a.lock().Storable(record);
  EXPECT_EQ(a.lock().Storable(storable), storable);
  EXPECT_GE(storable.lease_duration, record.lease_duration);
  record.lease_duration = storable.lease_duration;
  EXPECT_EQ(storable, record);
}

TYPED_TEST_P(LockContract, WhatIsLeftIsToldIfAndOnlyIfTheServerExpiresRecords) {
  const auto a = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  const auto read = a.Get();
  ASSERT_TRUE(contract::Succeeded(read));
  ASSERT_EQ(read->expires_in.has_value(), this->kTraits.expires);
  if (!read->expires_in) return;
  EXPECT_GT(*read->expires_in, std::chrono::milliseconds(0));
  EXPECT_LE(*read->expires_in, created->record.lease_duration);
}

TYPED_TEST_P(LockContract, OfConcurrentCreatorsExactlyOneWins) {
  const auto clients = this->Connect(8);
  const auto answers = contract::AllAtOnce(32, [&](std::size_t i) {
    return clients[i % clients.size()].Create(contract::HeldBy("candidate-" + std::to_string(i)));
  });
  const auto winner = contract::OnlyWinner(answers, ErrorCode::kAlreadyExists);
  ASSERT_TRUE(winner);
  EXPECT_TRUE(contract::IsStored(clients.front(), *answers[*winner]));
}

TYPED_TEST_P(LockContract, OfConcurrentUpdatersOfOneVersionExactlyOneWins) {
  const auto clients = this->Connect(8);
  ASSERT_TRUE(contract::Succeeded(clients.front().Create(contract::HeldBy("a"))));
  std::vector<Version> versions;
  for (const auto& client : clients) {
    const auto read = client.Get();
    ASSERT_TRUE(contract::Succeeded(read));
    versions.push_back(read->version);
  }
  const auto answers = contract::AllAtOnce(32, [&](std::size_t i) {
    const std::size_t client = i % clients.size();
    return clients[client].Update(contract::HeldBy("candidate-" + std::to_string(i)), versions[client]);
  });
  const auto winner = contract::OnlyWinner(answers, ErrorCode::kConflict);
  ASSERT_TRUE(winner);
  EXPECT_TRUE(contract::IsStored(clients.front(), *answers[*winner]));
}

TYPED_TEST_P(LockContract, EveryRequestIsAnsweredOnceAlsoIfTheLockIsDestroyedMeanwhile) {
  auto a = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  std::vector<PendingAnswer> pending(24);
  for (std::size_t i = 0; i < pending.size(); i += 3) {
    a.lock().Get(a.Deadline(), pending[i].MakeDone());
    a.lock().Create(a.Deadline(), contract::HeldBy("b"), pending[i + 1].MakeDone());
    a.lock().Update(a.Deadline(), contract::HeldBy("a", 1), created->version, pending[i + 2].MakeDone());
  }
  a.Disconnect();
  for (const PendingAnswer& answer : pending) {
    (void)answer.Wait(this->kTraits.patience);
    EXPECT_EQ(answer.times(), 1);
  }
}

TYPED_TEST_P(LockContract, ADeadlineInThePastIsAnsweredAndTheAnswerIsTrue) {
  const auto a = this->Connect();
  const MonotonicTime past = BootClock::now() - std::chrono::seconds(1);
  const auto created = a.Create(past, contract::HeldBy("a"));
  if (created) {
    EXPECT_TRUE(contract::IsStored(a, *created));
  } else if (!MayHaveLanded(created.error().code)) {
    EXPECT_TRUE(contract::FailedWith(a.Get(), {ErrorCode::kNotFound}));
  }
  (void)a.Get(past);
  (void)a.Get(MonotonicTime());
  (void)a.Update(past, contract::HeldBy("a", 1), Version{});
}

TYPED_TEST_P(LockContract, ADeadlineMayBeNever) {
  const auto a = this->Connect();
  const auto created = a.Create(kNever, contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  ASSERT_TRUE(contract::Succeeded(a.Update(kNever, contract::HeldBy("a", 1), created->version)));
  EXPECT_TRUE(contract::Succeeded(a.Get(kNever)));
}

TYPED_TEST_P(LockContract, TheLockMayBeUsedInsideADone) {
  const auto a = this->Connect();
  PendingAnswer read;
  a.lock().Create(a.Deadline(), a.lock().Storable(contract::HeldBy("a")),
                  Done<Stored>([&](const Result<Stored>& created) {
                    EXPECT_TRUE(contract::Succeeded(created));
                    a.lock().Get(a.Deadline(), read.MakeDone());
                  }));
  EXPECT_TRUE(contract::Succeeded(read.Wait(this->kTraits.patience)));
}

TYPED_TEST_P(LockContract, ItSaysWhatItIsCalled) { EXPECT_NE(this->Connect().lock().Describe(), ""); }

TYPED_TEST_P(LockContract, ObserveGivesAWatchIfAndOnlyIfTheBackendCan) {
  const auto a = this->Connect();
  EXPECT_EQ(a.lock().Observe([](const WatchEvent&) {}) != nullptr, this->kTraits.watches);
}

TYPED_TEST_P(LockContract, AWatchIsLiveBeforeItTellsAnythingElse) {
  if (!this->kTraits.watches) GTEST_SKIP() << "the backend cannot watch";
  const auto a = this->Connect();
  ASSERT_TRUE(contract::Succeeded(a.Create(contract::HeldBy("a"))));
  WatchLog log(this->kTraits.patience);
  const auto watch = a.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  EXPECT_EQ(log.events().front().kind, WatchEvent::Kind::kLive);
}

TYPED_TEST_P(LockContract, AWatchTellsEveryChangeInOrder) {
  if (!this->kTraits.watches) GTEST_SKIP() << "the backend cannot watch";
  const auto a = this->Connect();
  const auto b = this->Connect();
  WatchLog log(this->kTraits.patience);
  const auto watch = b.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  auto last = a.Create(contract::HeldBy("a"));
  for (int renewal = 1; renewal <= 5; ++renewal) {
    SCOPED_TRACE(renewal);
    ASSERT_TRUE(contract::Succeeded(last));
    const auto told = log.WaitForWrite(last->version.order);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->stored.record, last->record);
    last = a.Update(contract::HeldBy("a", renewal), last->version);
  }
  EXPECT_TRUE(log.OrdersNeverFall());
}

TYPED_TEST_P(LockContract, AWatchTellsARelease) {
  if (!this->kTraits.watches) GTEST_SKIP() << "the backend cannot watch";
  const auto a = this->Connect();
  const auto b = this->Connect();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  WatchLog log(this->kTraits.patience);
  const auto watch = b.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  const auto released = a.Update(contract::HeldBy(""), created->version);
  ASSERT_TRUE(contract::Succeeded(released));
  const auto told = log.WaitForWrite(released->version.order);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->stored.record.holder_identity, "");
}

// An elector drops news that is not newer than what it knows, deletions too.
TYPED_TEST_P(LockContract, AWatchTellsADeletionWithAnOrderBetweenTheWritesAroundIt) {
  if (!this->kTraits.watches) GTEST_SKIP() << "the backend cannot watch";
  const auto a = this->Connect();
  const auto b = this->Connect();
  WatchLog log(this->kTraits.patience);
  const auto watch = b.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  const auto before = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(before));
  ASSERT_TRUE(log.WaitForWrite(before->version.order));
  this->Delete();
  const auto deletion = log.WaitForKind(WatchEvent::Kind::kDeleted);
  ASSERT_TRUE(deletion);
  EXPECT_GT(deletion->stored.version.order, before->version.order);
  const auto after = a.Create(contract::HeldBy("a", 1));
  ASSERT_TRUE(contract::Succeeded(after));
  EXPECT_GT(after->version.order, deletion->stored.version.order);
  EXPECT_TRUE(log.WaitForWrite(after->version.order));
}

TYPED_TEST_P(LockContract, TheVersionAWatchTellsIsOneToUpdate) {
  if (!this->kTraits.watches) GTEST_SKIP() << "the backend cannot watch";
  const auto a = this->Connect();
  const auto b = this->Connect();
  WatchLog log(this->kTraits.patience);
  const auto watch = b.lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  const auto told = log.WaitForWrite(created->version.order);
  ASSERT_TRUE(told);
  EXPECT_TRUE(contract::Succeeded(b.Update(contract::HeldBy("b"), told->stored.version)));
}

TYPED_TEST_P(LockContract, AWatchUnderManyWritersTellsInOrderOneAtATimeAndEndsWithTheLast) {
  if (!this->kTraits.watches) GTEST_SKIP() << "the backend cannot watch";
  const auto clients = this->Connect(4);
  ASSERT_TRUE(contract::Succeeded(clients.front().Create(contract::HeldBy("a"))));
  WatchLog log(this->kTraits.patience);
  const auto watch = clients.front().lock().Observe(log.Recorder());
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  (void)contract::AllAtOnce(clients.size(), [&](std::size_t i) {
    Result<Stored> last = clients[i].Get();
    for (int attempt = 0; attempt < 16; ++attempt) {
      if (last) (void)clients[i].Update(contract::HeldBy("candidate-" + std::to_string(i), attempt), last->version);
      last = clients[i].Get();
    }
    return last;
  });
  const auto last = clients.front().Get();
  ASSERT_TRUE(contract::Succeeded(last));
  EXPECT_TRUE(log.WaitForWrite(last->version.order));
  EXPECT_TRUE(log.OrdersNeverFall());
  EXPECT_FALSE(log.overlapped());
}

TYPED_TEST_P(LockContract, ADestroyedWatchTellsNothingMore) {
  if (!this->kTraits.watches) GTEST_SKIP() << "the backend cannot watch";
  const auto a = this->Connect();
  WatchLog destroyed(this->kTraits.patience);
  WatchLog running(this->kTraits.patience);
  auto watch = a.lock().Observe(destroyed.Recorder());
  const auto other = a.lock().Observe(running.Recorder());
  ASSERT_TRUE(destroyed.WaitForKind(WatchEvent::Kind::kLive));
  ASSERT_TRUE(running.WaitForKind(WatchEvent::Kind::kLive));
  watch.reset();
  const std::size_t told = destroyed.events().size();
  const auto created = a.Create(contract::HeldBy("a"));
  ASSERT_TRUE(contract::Succeeded(created));
  ASSERT_TRUE(running.WaitForWrite(created->version.order));
  EXPECT_EQ(destroyed.events().size(), told);
}

TYPED_TEST_P(LockContract, TheLockMayBeUsedInsideAWatchCallback) {
  if (!this->kTraits.watches) GTEST_SKIP() << "the backend cannot watch";
  const auto a = this->Connect();
  PendingAnswer answer;
  WatchLog log(this->kTraits.patience);
  const auto watch = a.lock().Observe(log.Recorder([&](const WatchEvent& event) {
    if (event.kind != WatchEvent::Kind::kChanged || event.stored.record.holder_identity != "a") return;
    a.lock().Update(a.Deadline(), a.lock().Storable(contract::HeldBy("b")), event.stored.version, answer.MakeDone());
  }));
  ASSERT_TRUE(log.WaitForKind(WatchEvent::Kind::kLive));
  ASSERT_TRUE(contract::Succeeded(a.Create(contract::HeldBy("a"))));
  const auto updated = answer.Wait(this->kTraits.patience);
  ASSERT_TRUE(contract::Succeeded(updated));
  EXPECT_TRUE(log.WaitForWrite(updated->version.order));
  EXPECT_FALSE(log.overlapped());
}

REGISTER_TYPED_TEST_SUITE_P(
    LockContract, AnAbsentRecordIsNotFound, ACreatedRecordIsReadBackByEveryone, ASecondCreateIsRefusedAndChangesNothing,
    AnUpdateOfTheVersionReadRaisesTheOrder, TheVersionAnsweredIsTheOneToUpdateNext,
    AnUpdateOfAStaleVersionIsRefusedAndChangesNothing, AStaleVersionIsRefusedAlsoByTheClientThatReadANewerOne,
    AnUpdateNeverRecreatesADeletedRecord, TheOrderRisesAcrossDeletion, AVersionOfADeletedRecordDoesNotFitItsSuccessor,
    AnIdenticalWriteIsAnsweredWithTheOrderThatIsStored, EveryFieldOfARecordSurvives,
    AStorableRecordDiffersInNothingButALongerDuration, WhatIsLeftIsToldIfAndOnlyIfTheServerExpiresRecords,
    OfConcurrentCreatorsExactlyOneWins, OfConcurrentUpdatersOfOneVersionExactlyOneWins,
    EveryRequestIsAnsweredOnceAlsoIfTheLockIsDestroyedMeanwhile, ADeadlineInThePastIsAnsweredAndTheAnswerIsTrue,
    ADeadlineMayBeNever, TheLockMayBeUsedInsideADone, ItSaysWhatItIsCalled, ObserveGivesAWatchIfAndOnlyIfTheBackendCan,
    AWatchIsLiveBeforeItTellsAnythingElse, AWatchTellsEveryChangeInOrder, AWatchTellsARelease,
    AWatchTellsADeletionWithAnOrderBetweenTheWritesAroundIt, TheVersionAWatchTellsIsOneToUpdate,
    AWatchUnderManyWritersTellsInOrderOneAtATimeAndEndsWithTheLast, ADestroyedWatchTellsNothingMore,
    TheLockMayBeUsedInsideAWatchCallback);

}  // namespace leaderelection::testing
