#include "leaderelection/leader_elector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "leaderelection/memory_lock.h"
#include "support/elector_stage.h"

namespace leaderelection::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

class LeaderElectorTest : public ::testing::Test, protected ElectorStage {};

TEST_F(LeaderElectorTest, OfSeveralCandidatesOneLeadsAndAllSeeIt) {
  LeaderElector a(Config("a"));
  LeaderElector b(Config("b"));
  LeaderElector c(Config("c"));
  a.Start();
  executor->Advance(1s);
  b.Start();
  c.Start();
  executor->Advance(60s);
  EXPECT_TRUE(a.IsLeader());
  EXPECT_FALSE(b.IsLeader() || c.IsLeader());
  EXPECT_EQ(b.GetLeader(), "a");
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees a", "a started 1", "b sees a", "c sees a"));
}

TEST_F(LeaderElectorTest, TheLeadersWorkGetsTheTermWithItsNumberAndIdentity) {
  lock->Put(HeldBy(""));
  auto config = Config("a");
  std::optional<Term> got;
  config.callbacks.on_started_leading = [&](const Term& term) { got = term; };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->IsValid());
  EXPECT_EQ(got->fencing_token(), lock->stored()->version.order);
  EXPECT_EQ(got->identity(), "a");
  EXPECT_EQ(got->TimeLeft(), 10s);
  EXPECT_FALSE(got->stop_token().stop_requested());
}

TEST_F(LeaderElectorTest, ATermOutlivesItsElectorAndIsOver) {
  auto config = Config("a");
  std::optional<Term> got;
  config.callbacks.on_started_leading = [&](const Term& term) { got = term; };
  auto elector = std::make_unique<LeaderElector>(std::move(config));
  elector->Start();
  executor->RunUntilIdle();
  elector.reset();
  ASSERT_TRUE(got);
  EXPECT_FALSE(got->IsValid());
  EXPECT_EQ(got->TimeLeft(), 0ns);
  EXPECT_TRUE(got->stop_token().stop_requested());
}

TEST_F(LeaderElectorTest, IsLeaderIsFalseAtTheDeadlineThoughNoThreadHasMoved) {
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->RunUntilIdle();
  const std::optional<Term> term = elector.CurrentTerm();
  ASSERT_TRUE(term);
  executor->Stall(9999ms);
  EXPECT_TRUE(elector.IsLeader());
  executor->Stall(1ms);
  EXPECT_FALSE(elector.IsLeader());
  EXPECT_FALSE(term->IsValid());
  EXPECT_EQ(term->TimeLeft(), 0ns);
}

TEST_F(LeaderElectorTest, ALostTermStopsTheWorkAndSaysSoOnce) {
  auto config = Config("a");
  std::stop_token stop;
  config.callbacks.on_started_leading = [&](const Term& term) { stop = term.stop_token(); };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  lock->FailEvery(ErrorCode::kUnknown);
  executor->Advance(9s);
  EXPECT_FALSE(stop.stop_requested());
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees a"));
  executor->Advance(1s);
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_THAT(TakeNotes(), ElementsAre("a stopped"));
  executor->Advance(60s);
  EXPECT_THAT(TakeNotes(), IsEmpty());
}

TEST_F(LeaderElectorTest, ALostTermIsStoodForAgainWithAHigherNumber) {
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->RunUntilIdle();
  lock->FailEvery(ErrorCode::kUnknown);
  executor->Advance(30s);
  lock->Recover();
  executor->Advance(30s);
  EXPECT_TRUE(elector.IsLeader());
  const auto told = TakeNotes();
  ASSERT_EQ(told.size(), 4U);
  EXPECT_EQ(told[1], "a started 1");
  EXPECT_EQ(told[2], "a stopped");
  EXPECT_THAT(told[3], HasSubstr("a started "));
  EXPECT_GT(elector.CurrentTerm()->fencing_token(), 1U);
}

TEST_F(LeaderElectorTest, TheSightOfARivalEndsTheTermAtOnce) {
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->RunUntilIdle();
  TakeNotes();
  lock->Put(HeldBy("b"));
  executor->RunUntilIdle();
  EXPECT_FALSE(elector.IsLeader());
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees b", "a stopped"));
}

TEST_F(LeaderElectorTest, AResignationOnItsWayWhenTheTermBeginsLeavesNoWorkBehind) {
  auto config = Config("a");
  config.release_on_cancel = true;
  LeaderElector elector(std::move(config));
  lock->Hold();
  elector.Start();
  executor->RunUntilIdle();
  lock->Answer();  // there is no record
  executor->RunUntilIdle();
  lock->Answer();  // it is created; the answer waits behind nothing, the step-down behind the answer
  elector.StepDown();
  lock->Resume();
  executor->RunUntilIdle();
  EXPECT_FALSE(elector.IsLeader());
  EXPECT_EQ(lock->stored()->record.holder_identity, "");
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees a"));
}

TEST_F(LeaderElectorTest, ACleanStopReleasesBeforeItSaysSo) {
  auto config = Config("a");
  config.release_on_cancel = true;
  config.callbacks.on_stopped_leading = [this] {
    Note(lock->stored()->record.holder_identity.empty() ? "stopped, released" : "stopped, held");
  };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  TakeNotes();
  Await([&] { elector.Stop(); });
  EXPECT_THAT(TakeNotes(), ElementsAre("stopped, released"));
  EXPECT_EQ(lock->stored()->record.lease_duration, 1s);
  EXPECT_EQ(elector.GetLeader(), "");
}

TEST_F(LeaderElectorTest, ACleanStopWithoutReleaseLeavesTheLockToExpire) {
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->RunUntilIdle();
  (void)lock->TakeCalls();
  Await([&] { elector.Stop(); });
  EXPECT_FALSE(elector.IsLeader());
  EXPECT_EQ(lock->stored()->record.holder_identity, "a");
  EXPECT_THAT(lock->TakeCalls(), IsEmpty());
}

TEST_F(LeaderElectorTest, StopMayBeRepeatedAndStartMayFollow) {
  LeaderElector elector(Config("a"));
  elector.Stop();
  elector.Start();
  executor->RunUntilIdle();
  Await([&] { elector.Stop(); });
  elector.Stop();
  elector.Start();
  executor->Advance(20s);
  EXPECT_TRUE(elector.IsLeader());
  Await([&] { elector.Stop(); });
}

TEST_F(LeaderElectorTest, ASecondStartIsAnError) {
  LeaderElector elector(Config("a"));
  elector.Start();
  EXPECT_THROW(elector.Start(), std::logic_error);
  EXPECT_THROW(elector.Run({}), std::logic_error);
  EXPECT_THROW((void)elector.TryAcquire(), std::logic_error);
}

TEST_F(LeaderElectorTest, AFollowerTakesOverAtOnceAfterARelease) {
  auto config = Config("a");
  config.release_on_cancel = true;
  LeaderElector a(std::move(config));
  LeaderElector b(Config("b"));
  a.Start();
  executor->RunUntilIdle();
  b.Start();
  executor->Advance(5s);
  TakeNotes();
  Await([&] { a.Stop(); });
  EXPECT_TRUE(b.IsLeader());
  EXPECT_THAT(TakeNotes(), ::testing::Contains(HasSubstr("b started")));
}

TEST_F(LeaderElectorTest, RunIsOneTermAndMayBeRepeated) {
  LeaderElector elector(Config("a"));
  std::stop_source stop;
  std::jthread thread([&] { elector.Run(stop.get_token()); });
  while (!elector.IsLeader()) executor->RunUntilIdle();
  executor->RunUntilIdle();
  TakeNotes();
  lock->Put(HeldBy("b"));
  Await([&] { thread.join(); });
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees b", "a stopped"));
  lock->Put(HeldBy(""));
  thread = std::jthread([&] { elector.Run(stop.get_token()); });
  while (!elector.IsLeader()) executor->RunUntilIdle();
  stop.request_stop();
  Await([&] { thread.join(); });
  EXPECT_FALSE(elector.IsLeader());
}

TEST_F(LeaderElectorTest, RunWithAStopAlreadyRequestedSendsNothingAndCallsNobody) {
  LeaderElector elector(Config("a"));
  std::stop_source stop;
  stop.request_stop();
  elector.Run(stop.get_token());
  executor->Advance(60s);
  EXPECT_THAT(lock->TakeCalls(), IsEmpty());
  EXPECT_THAT(TakeNotes(), IsEmpty());
}

TEST_F(LeaderElectorTest, RunThatNeverLedCallsNobodyWhenItIsStopped) {
  lock->Put(HeldBy("b"));
  LeaderElector elector(Config("a"));
  std::stop_source stop;
  std::jthread thread([&] { elector.Run(stop.get_token()); });
  while (elector.GetLeader().empty()) executor->RunUntilIdle();
  executor->RunUntilIdle();
  stop.request_stop();
  Await([&] { thread.join(); });
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees b"));
}

TEST_F(LeaderElectorTest, StepDownInARunEndsTheRun) {
  LeaderElector elector(Config("a"));
  std::jthread thread([&] { elector.Run({}); });
  while (!elector.IsLeader()) executor->RunUntilIdle();
  executor->RunUntilIdle();
  elector.StepDown();
  Await([&] { thread.join(); });
  EXPECT_EQ(lock->stored()->record.holder_identity, "");
}

TEST_F(LeaderElectorTest, AfterStepDownAnotherLeadsFirst) {
  LeaderElector a(Config("a"));
  LeaderElector b(Config("b"));
  a.Start();
  executor->RunUntilIdle();
  b.Start();
  executor->Advance(5s);
  a.StepDown();
  executor->Advance(1s);
  EXPECT_FALSE(a.IsLeader());
  EXPECT_TRUE(b.IsLeader());
}

TEST_F(LeaderElectorTest, AfterStepDownWithoutAnotherItLeadsAgainAfterALease) {
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->RunUntilIdle();
  elector.StepDown();
  executor->Advance(14s);
  EXPECT_FALSE(elector.IsLeader());
  executor->Advance(4s);
  EXPECT_TRUE(elector.IsLeader());
}

TEST_F(LeaderElectorTest, StepDownOfAFollowerChangesNothing) {
  lock->Put(HeldBy("b"));
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->Advance(1s);
  elector.StepDown();
  executor->Advance(15s);
  EXPECT_TRUE(elector.IsLeader());
}

TEST_F(LeaderElectorTest, AnObserverSeesWhoLeadsAndNeverWrites) {
  lock->Put(HeldBy("b"));
  auto config = Config("watcher");
  config.observe_only = true;
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->Advance(1s);
  lock->Put(HeldBy("c"));
  executor->Advance(120s);
  lock->Delete();
  executor->Advance(120s);
  EXPECT_THAT(TakeNotes(), ElementsAre("watcher sees b", "watcher sees c"));
  EXPECT_EQ(elector.GetLeader(), "");
  for (const Call& call : lock->TakeCalls()) EXPECT_EQ(call.verb, Verb::kGet);
  EXPECT_THROW((void)LeaderElector([&] {
                 auto observer = Config("x");
                 observer.observe_only = true;
                 return observer;
               }())
                   .TryAcquire(),
               std::logic_error);
}

TEST_F(LeaderElectorTest, LeaderInformationTellsIdentityTimesTransitionsAndMetadata) {
  Record record = HeldBy("b");
  record.metadata = {{"zone", "x"}};
  lock->Put(record);
  LeaderElector elector(Config("a"));
  EXPECT_FALSE(elector.GetLeaderInfo());
  elector.Start();
  executor->RunUntilIdle();
  executor->Advance(4s);
  const auto info = elector.GetLeaderInfo();
  ASSERT_TRUE(info);
  EXPECT_EQ(info->identity, "b");
  EXPECT_EQ(info->acquired_at, record.acquire_time);
  EXPECT_EQ(info->renewed_at, record.renew_time);
  EXPECT_EQ(info->lease_duration, 15s);
  EXPECT_EQ(info->time_to_expiry, 11s);
  EXPECT_EQ(info->transitions, 3);
  EXPECT_EQ(info->metadata, record.metadata);
}

TEST_F(LeaderElectorTest, AChangeOfLeaderTellsTheCurrentAndThePreviousOne) {
  auto config = Config("a");
  config.observe_only = true;
  std::vector<std::string> changes;
  config.callbacks.on_leader_changed = [&](const LeaderChange& change) {
    changes.push_back((change.previous ? change.previous->identity : "-") + std::string(" -> ") +
                      (change.current ? change.current->identity : "-"));
  };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  for (const char* holder : {"b", "b", "c", "", "c"}) lock->Put(HeldBy(holder));
  lock->Delete();
  executor->RunUntilIdle();
  EXPECT_THAT(changes, ElementsAre("- -> b", "b -> c", "c -> -", "- -> c", "c -> -"));
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees b", "a sees c", "a sees c"));
}

TEST_F(LeaderElectorTest, MetadataTravelsWithTheLockAndAProviderAddsToIt) {
  auto config = Config("a");
  config.metadata = {{"zone", "x"}, {"version", "1"}};
  int calls = 0;
  config.metadata_provider = [&] { return Metadata{{"version", "2"}, {"call", std::to_string(++calls)}}; };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  EXPECT_EQ(lock->stored()->record.metadata, (Metadata{{"zone", "x"}, {"version", "2"}, {"call", "1"}}));
  executor->Advance(3s);
  EXPECT_EQ(lock->stored()->record.metadata.at("call"), "2");
  elector.SetMetadata({{"zone", "y"}});
  executor->Advance(3s);
  EXPECT_EQ(lock->stored()->record.metadata.at("zone"), "y");
  EXPECT_TRUE(elector.IsLeader());
}

TEST_F(LeaderElectorTest, AProviderThatThrowsIsLoggedAndTheElectionGoesOn) {
  auto config = Config("a");
  config.metadata_provider = []() -> Metadata { throw std::runtime_error("no zone"); };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  EXPECT_TRUE(elector.IsLeader());
  EXPECT_TRUE(Logged("what=\"no zone\""));
}

TEST_F(LeaderElectorTest, WorkThatThrowsStepsDownAndStandsAgainLater) {
  auto config = Config("a");
  int starts = 0;
  config.callbacks.on_started_leading = [&](const Term&) {
    if (++starts == 1) throw std::runtime_error("boom");
  };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->Advance(1s);
  EXPECT_FALSE(elector.IsLeader());
  EXPECT_EQ(lock->stored()->record.holder_identity, "");
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees a", "a stopped"));
  EXPECT_TRUE(Logged("what=boom"));
  executor->Advance(20s);
  EXPECT_TRUE(elector.IsLeader());
  EXPECT_EQ(starts, 2);
}

TEST_F(LeaderElectorTest, WorkThatThrowsKeepsLeadingIfAskedTo) {
  auto config = Config("a");
  config.work_failure = LeaderElectionConfig::WorkFailure::kKeepLeading;
  config.callbacks.on_started_leading = [&](const Term&) { throw 7; };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->Advance(60s);
  EXPECT_TRUE(elector.IsLeader());
  EXPECT_TRUE(Logged("something that is no std::exception"));
}

TEST_F(LeaderElectorTest, WorkThatMerelyReturnsKeepsTheLease) {
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->Advance(300s);
  EXPECT_TRUE(elector.IsLeader());
  EXPECT_THAT(TakeNotes(), ElementsAre("a sees a", "a started 1"));
}

TEST_F(LeaderElectorTest, CallbacksThatThrowAreLoggedAndTheElectionGoesOn) {
  auto config = Config("a");
  config.callbacks.on_stopped_leading = [] { throw std::runtime_error("in stopped"); };
  config.callbacks.on_new_leader = [](const std::string&) { throw std::runtime_error("in new"); };
  config.callbacks.on_leader_changed = [](const LeaderChange&) { throw std::runtime_error("in changed"); };
  config.log = [this](const LogEvent& event) {
    log.push_back(ToLogfmt(event));
    throw std::runtime_error("in log");
  };
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  elector.StepDown();
  executor->Advance(20s);
  EXPECT_TRUE(elector.IsLeader());
  for (const char* what : {"in stopped", "in new", "in changed"}) EXPECT_TRUE(Logged(what)) << what;
}

TEST_F(LeaderElectorTest, TwoProcessesOfOneIdentityAreReported) {
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->RunUntilIdle();
  lock->Put(HeldBy("a"));
  executor->RunUntilIdle();
  EXPECT_FALSE(elector.IsLeader());
  EXPECT_TRUE(Logged("another process stands under this identity"));
}

TEST_F(LeaderElectorTest, AFailureThatGoesOnIsLoggedOnceAndItsEndToo) {
  LeaderElector elector(Config("a"));
  elector.Start();
  executor->RunUntilIdle();
  lock->FailEvery(ErrorCode::kUnknown);
  executor->Advance(60s);
  lock->Recover();
  executor->Advance(60s);
  int warnings = 0;
  for (const std::string& line : log)
    warnings += line.find("level=warning msg=\"request failed\"") != std::string::npos;
  EXPECT_EQ(warnings, 1);
  EXPECT_TRUE(Logged("requests succeed again"));
}

TEST_F(LeaderElectorTest, ManyElectionsShareOneExecutor) {
  std::vector<std::unique_ptr<LeaderElector>> electors;
  for (int number = 0; number < 200; ++number) {
    auto config = Config("e" + std::to_string(number));
    config.lock = std::make_shared<MemoryLock>("lock-" + std::to_string(number));
    electors.push_back(std::make_unique<LeaderElector>(std::move(config)));
    electors.back()->Start();
  }
  executor->Advance(60s);
  for (const auto& elector : electors) EXPECT_TRUE(elector->IsLeader());
}

TEST_F(LeaderElectorTest, TheNameIsTheLocksUnlessGiven) {
  EXPECT_EQ(LeaderElector(Config("a")).name(), "stage");
  auto config = Config("a");
  config.name = "my-operator";
  EXPECT_EQ(LeaderElector(std::move(config)).name(), "my-operator");
}

TEST_F(LeaderElectorTest, EventsAreRecordedOnTheLock) {
  struct EventLock final : ResourceLock {
    void Get(MonotonicTime deadline, Done<Stored> done) override { inner.Get(deadline, std::move(done)); }
    void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override {
      inner.Create(deadline, record, std::move(done));
    }
    void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override {
      inner.Update(deadline, record, expected, std::move(done));
    }
    void RecordEvent(const std::string& identity, const std::string& what) override {
      events.push_back(identity + " " + what);
    }
    [[nodiscard]] std::string Describe() const override { return "events"; }
    MemoryLock inner;
    std::vector<std::string> events;
  };
  const auto events = std::make_shared<EventLock>();
  auto config = Config("baz");
  config.lock = events;
  LeaderElector elector(std::move(config));
  elector.Start();
  executor->RunUntilIdle();
  Await([&] { elector.Stop(); });
  EXPECT_THAT(events->events, ElementsAre("baz became leader", "baz stopped leading"));
}

}  // namespace
}  // namespace leaderelection::testing
