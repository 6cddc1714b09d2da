// leader-elector run, as real processes on a file lock. Times are compared with each other on one clock, never with
// what a loaded machine should take.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "child/process_tree.h"
#include "command/program.h"

namespace leaderelection::command {
namespace {

using ::testing::HasSubstr;

class Child : public testing::Test {
 protected:
  // A candidate on the lock of 3 s that runs `work NAME ...` while it leads.
  std::unique_ptr<Program> Candidate(const std::string& name, const std::vector<std::string>& work = {},
                                     const std::vector<std::string>& options = {}) {
    std::vector<std::string> command = {LEADER_ELECTOR_WORK, folder_ / "events", name};
    command.insert(command.end(), work.begin(), work.end());
    return Running(name, command, options);
  }

  std::unique_ptr<Program> Running(const std::string& name, const std::vector<std::string>& command,
                                   const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {LEADER_ELECTOR, "run", "--lock=file", "--lock-file=" + lock(),
                                      "--identity=" + name};
    words.insert(words.end(), durations_.begin(), durations_.end());
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return std::make_unique<Program>(words, folder_ / (name + ".log"));
  }

  std::string lock() const { return folder_ / "lock"; }
  std::vector<Event> Events() const { return ReadEvents(folder_ / "events"); }

  std::vector<Event> Events(const std::string& name, const std::string& what = "") const {
    std::vector<Event> events = Events();
    std::erase_if(events,
                  [&](const Event& event) { return event.name != name || (!what.empty() && event.what != what); });
    return events;
  }
  bool Sees(const std::string& name, const std::string& what) const {
    return Eventually([&] { return !Events(name, what).empty(); });
  }
  // Whether all of the first one's events came before all of the second one's.
  void ExpectOrder(const std::string& first, const std::string& second) const {
    const std::vector<Event> before = Events(first);
    const std::vector<Event> after = Events(second);
    ASSERT_FALSE(before.empty() || after.empty());
    EXPECT_LT(before.back().time, after.front().time) << "two at work";
    EXPECT_LT(before.back().token, after.front().token);
  }
  // Whether none of the processes that have written as `name` is alive any more.
  bool AllGone(const std::string& name) const {
    return Eventually([&] {
      const std::vector<Event> events = Events(name);
      return std::none_of(events.begin(), events.end(), [](const Event& event) { return IsAlive(event.process); });
    });
  }
  std::size_t Processes(const std::string& name) const {
    std::set<pid_t> processes;
    for (const Event& event : Events(name)) processes.insert(event.process);
    return processes.size();
  }

  const Folder folder_;
  std::vector<std::string> durations_ = {"--lease-duration=3s", "--renew-deadline=2s", "--retry-period=500ms"};
};

// Holds the writers' turn, so that nobody can renew or acquire: the lock is out of reach.
class Outage {
 public:
  explicit Outage(const std::string& lock) : file_(::open((lock + ".lock").c_str(), O_RDWR | O_CLOEXEC)) {
    EXPECT_EQ(::flock(file_, LOCK_EX), 0);
  }
  ~Outage() { ::close(file_); }
  Outage(const Outage&) = delete;
  Outage& operator=(const Outage&) = delete;

 private:
  const int file_;
};

TEST_F(Child, ItsExitCodeIsPassedOnAndTheLockFreed) {
  EXPECT_EQ(Candidate("a", {"exit=7"})->Wait(), 7);
  EXPECT_EQ(Candidate("b", {"exit=0"})->Wait(), 0);
  ExpectOrder("a", "b");
}

TEST_F(Child, ASignalThatEndsItIsPassedOnAs128PlusItsNumber) {
  EXPECT_EQ(Candidate("a", {"signal=" + std::to_string(SIGKILL)})->Wait(), 128 + SIGKILL);
}

TEST_F(Child, OneThatCannotBeExecutedEndsWith126) { EXPECT_EQ(Running("a", {folder_ / "."})->Wait(), 126); }

TEST_F(Child, HasNumberIdentityAndLockInItsEnvironment) {
  auto program = Running("a", {"sh", "-c", "env | grep ^LEADER_ELECTION_"});
  EXPECT_EQ(program->Wait(), 0);
  EXPECT_THAT(program->Output(), HasSubstr("LEADER_ELECTION_IDENTITY=a\n"));
  EXPECT_THAT(program->Output(), HasSubstr("LEADER_ELECTION_LOCK=" + lock() + "\n"));
  EXPECT_THAT(program->Output(), testing::ContainsRegex("LEADER_ELECTION_FENCING_TOKEN=[1-9][0-9]+\n"));
  EXPECT_THAT(program->Output(), testing::ContainsRegex("LEADER_ELECTION_ADMIN_ADDRESS=127.0.0.1:[1-9]"));
}

TEST_F(Child, HasTheSignalsAndDescriptorsItWouldHaveWithoutLeaderElector) {
  const std::string script = "{ grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; ls /proc/self/fd; } >";
  EXPECT_EQ(Program({"sh", "-c", script + (folder_ / "bare").string()}, folder_ / "bare.log").Wait(), 0);
  EXPECT_EQ(Running("a", {"sh", "-c", script + (folder_ / "led").string()})->Wait(), 0);
  const auto contents = [](const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  EXPECT_THAT(contents(folder_ / "bare"), HasSubstr("SigBlk"));
  EXPECT_EQ(contents(folder_ / "led"), contents(folder_ / "bare"));
}

TEST_F(Child, RunsOnOneOfSeveral) {
  auto a = Candidate("a");
  ASSERT_TRUE(Sees("a", "beat"));
  auto b = Candidate("b");
  ASSERT_TRUE(Eventually([&] { return Events("a", "beat").size() > 100; }));
  EXPECT_TRUE(Events("b").empty());
}

TEST_F(Child, OnACleanStopTheLockIsRenewedUntilItHasEnded) {
  auto a = Candidate("a", {"slow-term"});  // takes 5 s of a lease of 3 s
  ASSERT_TRUE(Sees("a", "beat"));
  auto b = Candidate("b");
  a->Signal(SIGTERM);
  EXPECT_EQ(a->Wait(), 3);
  EXPECT_EQ(Events("a").back().what, "end");
  ASSERT_TRUE(Sees("b", "start"));
  ExpectOrder("a", "b");
}

TEST_F(Child, IsKilledAfterTheGracePeriod) {
  auto a = Candidate("a", {"ignore-term"}, {"--grace-period=500ms"});
  ASSERT_TRUE(Sees("a", "beat"));
  a->Signal(SIGTERM);
  EXPECT_EQ(a->Wait(), 128 + SIGKILL);
  EXPECT_TRUE(AllGone("a"));
}

TEST_F(Child, IsKilledAtOnceIfAskedTwice) {
  auto a = Candidate("a", {"ignore-term"}, {"--grace-period=10m"});
  ASSERT_TRUE(Sees("a", "beat"));
  a->Signal(SIGTERM);
  ASSERT_TRUE(Eventually([&] { return a->Output().find("asked to stop") != std::string::npos; }));
  a->Signal(SIGTERM);
  EXPECT_EQ(a->Wait(), 128 + SIGKILL);
}

TEST_F(Child, AFollowerStopsWith0) {
  auto a = Candidate("a");
  ASSERT_TRUE(Sees("a", "beat"));
  auto b = Candidate("b");
  ASSERT_TRUE(Eventually([&] { return b->Output().find("leader=a") != std::string::npos; }));
  b->Signal(SIGTERM);
  EXPECT_EQ(b->Wait(), 0);
  EXPECT_TRUE(Events("b").empty());
}

TEST_F(Child, GetsTheSignalsThatAreForIt) {
  auto a = Candidate("a");
  ASSERT_TRUE(Sees("a", "beat"));
  a->Signal(SIGHUP);
  EXPECT_TRUE(Sees("a", "hup"));
  a->Signal(SIGUSR1);
  EXPECT_TRUE(Sees("a", "usr1"));
}

TEST_F(Child, OnALossItIsGoneBeforeAnotherLeadsHoweverLongItsGracePeriod) {
  auto a = Candidate("a", {"ignore-term", "fork"}, {"--grace-period=10m"});
  ASSERT_TRUE(Eventually([&] { return Processes("a") == 3; }));
  auto b = Candidate("b");
  {
    const Outage outage(lock());
    EXPECT_TRUE(AllGone("a"));
    EXPECT_TRUE(Eventually([&] { return a->Output().find("its time was over") != std::string::npos; }));
    a->Signal(SIGKILL);  // so that b is the next
  }
  ASSERT_TRUE(Sees("b", "start"));
  ExpectOrder("a", "b");
}

TEST_F(Child, AfterALossItIsAskedFirst) {
  auto a = Candidate("a");
  ASSERT_TRUE(Sees("a", "beat"));
  {
    const Outage outage(lock());
    EXPECT_TRUE(Sees("a", "end"));
  }
  // And runs again, with a larger number, once it leads again.
  ASSERT_TRUE(Eventually([&] { return Events("a", "start").size() == 2; }));
  EXPECT_LT(Events("a", "start").front().token, Events("a", "start").back().token);
}

TEST_F(Child, AllThatItStartedIsEndedWithIt) {
  auto a = Candidate("a", {"fork"}, {"--grace-period=500ms"});
  ASSERT_TRUE(Eventually([&] { return Processes("a") == 3; }));
  a->Signal(SIGTERM);
  EXPECT_EQ(a->Wait(), 3);
  const std::size_t beats = Events("a").size();
  EXPECT_TRUE(AllGone("a"));
  EXPECT_EQ(Events("a").size(), beats) << "gone before leader-elector exits";
}

TEST_F(Child, IsEndedWithAllItStartedWhenLeaderElectorIsKilled) {
  auto a = Candidate("a", {"ignore-term", "fork"});
  ASSERT_TRUE(Eventually([&] { return Processes("a") == 3; }));
  auto b = Candidate("b");
  a->Signal(SIGKILL);
  EXPECT_EQ(a->Wait(), 128 + SIGKILL);
  EXPECT_TRUE(AllGone("a"));
  ASSERT_TRUE(Sees("b", "start"));
  ExpectOrder("a", "b");
}

TEST_F(Child, IsEndedLongBeforeItsLeaseIsOverWhenLeaderElectorIsKilled) {
  durations_ = {"--lease-duration=20m", "--renew-deadline=10m"};
  auto a = Candidate("a", {"ignore-term", "fork"});
  ASSERT_TRUE(Eventually([&] { return Processes("a") == 3; }));
  a->Signal(SIGKILL);
  EXPECT_TRUE(AllGone("a"));
}

TEST_F(Child, IsEndedWithAllItStartedWhenLeaderElectorIsStopped) {
  auto a = Candidate("a", {"ignore-term", "fork"});
  ASSERT_TRUE(Eventually([&] { return Processes("a") == 3; }));
  auto b = Candidate("b");
  a->Signal(SIGSTOP);
  ASSERT_TRUE(Sees("b", "beat"));
  EXPECT_TRUE(AllGone("a"));
  ExpectOrder("a", "b");

  // Resumed it follows, and starts nothing.
  const std::size_t events = Events("a").size();
  a->Signal(SIGCONT);
  ASSERT_TRUE(Eventually([&] { return a->Output().find("leader=b") != std::string::npos; }));
  EXPECT_EQ(Events("a").size(), events);
  a->Signal(SIGTERM);
  EXPECT_EQ(a->Wait(), 0);
}

TEST_F(Child, IsEndedWhenTheWatcherIsKilled) {
  auto a = Candidate("a", {"ignore-term", "fork"});
  ASSERT_TRUE(Eventually([&] { return Processes("a") == 3; }));
  ASSERT_GT(a->Watcher(), 0);
  ::kill(a->Watcher(), SIGKILL);
  EXPECT_EQ(a->Wait(), 1);
  EXPECT_TRUE(AllGone("a"));
}

TEST_F(Child, IsEndedInTimeThoughTheWatcherIsStopped) {
  auto a = Candidate("a", {"ignore-term", "fork"});
  ASSERT_TRUE(Eventually([&] { return Processes("a") == 3; }));
  auto b = Candidate("b");
  ::kill(a->Watcher(), SIGSTOP);
  {
    const Outage outage(lock());
    EXPECT_TRUE(AllGone("a"));
  }
  EXPECT_EQ(a->Wait(), 1);
  ASSERT_TRUE(Sees("b", "start"));
  ExpectOrder("a", "b");
}

TEST_F(Child, WhatItLeavesBehindIsEndedWhenItExits) {
  auto a = Candidate("a", {"fork", "exit=5"}, {"--grace-period=500ms"});
  EXPECT_EQ(a->Wait(), 5);
  EXPECT_TRUE(AllGone("a"));
}

// leader-elector as the first process of a container; null where that is not allowed.
class Container : public Child {
 protected:
  std::unique_ptr<Program> Contained(const std::vector<std::string>& command) {
    std::vector<std::string> words = {"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};
    std::vector<std::string> probe = words;
    probe.emplace_back("true");
    if (Program(probe, folder_ / "probe.log").Wait() != 0) return nullptr;
    for (const std::string& word : {std::string(LEADER_ELECTOR), std::string("run"), std::string("--lock=file"),
                                    "--lock-file=" + lock(), std::string("--")}) {
      words.push_back(word);
    }
    words.insert(words.end(), command.begin(), command.end());
    return std::make_unique<Program>(words, folder_ / "container.log");
  }
};

TEST_F(Container, TheCommandsOrphansLeaveNoZombies) {
  // Twenty orphans that end at once; then nobody may be left as a zombie.
  const auto program = Contained(
      {"sh", "-c",
       "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do (sh -c 'exit 0' &); done; "
       "for i in 1 2 3 4 5 6 7 8 9 10; do grep -qs '^State:.Z' /proc/[0-9]*/status || { echo clean; exit 0; }; "
       "sleep 1; done; exit 9"});
  if (!program) GTEST_SKIP() << "no right to make a pid namespace: run as root";
  EXPECT_EQ(program->Wait(), 0) << program->Output();
  EXPECT_THAT(program->Output(), HasSubstr("clean"));
}

TEST_F(Container, OthersOrphansLeaveNoZombiesEither) {
  const auto program = Contained({"sleep", "1000"});
  if (!program) GTEST_SKIP() << "no right to make a pid namespace: run as root";
  ASSERT_TRUE(Eventually([&] { return program->Output().find("command started") != std::string::npos; }));
  const pid_t first = program->Watcher();  // the one below unshare: leader-elector
  // As kubectl exec does: a process from outside, which leaves an orphan behind.
  Program guest({"nsenter", "--target", std::to_string(first), "--pid", "sh", "-c", "(sh -c 'exit 0' &)"},
                folder_ / "guest.log");
  EXPECT_EQ(guest.Wait(), 0) << guest.Output();
  EXPECT_TRUE(Eventually([&] { return !DeadChildren(first).empty(); }));
  EXPECT_TRUE(Eventually([&] { return DeadChildren(first).empty(); }));
  EXPECT_TRUE(IsAlive(first));
}

}  // namespace
}  // namespace leaderelection::command
