// The command, and that a seed replays.

#include "simulation/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "simulation/schedule.h"

namespace leaderelection::simulation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Ran {
  int status;
  std::string out, err;
};

Ran Command(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int status = Simulate(arguments, out, err);
  return {status, out.str(), err.str()};
}

TEST(Replay, TheSameSeedIsTheSameScheduleTracedOrNot) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::ostringstream trace;
    const Outcome once = RunSchedule(seed, {});
    EXPECT_EQ(RunSchedule(seed, {}).hash, once.hash) << seed;
    EXPECT_EQ(RunSchedule(seed, {.trace = &trace}).hash, once.hash) << seed;
    EXPECT_FALSE(trace.str().empty());
  }
}

TEST(Replay, AnotherSeedIsAnotherSchedule) { EXPECT_NE(RunSchedule(1, {}).hash, RunSchedule(2, {}).hash); }

TEST(Replay, AnotherOptionIsAnotherSchedule) {
  const std::uint64_t hash = RunSchedule(1, {}).hash;
  EXPECT_NE(RunSchedule(1, {.ratio = 1.45}).hash, hash);
  EXPECT_NE(RunSchedule(1, {.faults = *ParseFaults("none")}).hash, hash);
  EXPECT_NE(RunSchedule(1, {.rules = Rules::kClientGo}).hash, hash);
}

TEST(SimulateCommand, SaysHowManySchedulesASecondAndWhatBecameOfThem) {
  const Ran ran = Command({"--seeds", "20", "--from", "5"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("20 schedules in"));
  EXPECT_THAT(ran.out, HasSubstr("a second"));
  EXPECT_THAT(ran.out, HasSubstr("violations: 0"));
  EXPECT_TRUE(ran.err.empty());
}

TEST(SimulateCommand, AViolationPrintsItsSeedAndHowToReplayIt) {
  const Ran ran = Command({"--seeds", "200", "--ratio", "1.7"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("VIOLATION overlap seed="));
  EXPECT_THAT(ran.out, HasSubstr("replay: simulate --seeds 1 --from "));
  EXPECT_THAT(ran.out, HasSubstr(" --ratio 1.7 --trace"));
}

TEST(SimulateCommand, OneSeedIsTracedReadably) {
  const Ran ran = Command({"--seeds", "1", "--trace"});
  EXPECT_THAT(ran.out, HasSubstr("TERM STARTS"));
  EXPECT_THAT(ran.out, HasSubstr("asks"));
}

TEST(SimulateCommand, EachScheduleIsToldIfAsked) {
  EXPECT_THAT(Command({"--seeds", "2", "--verbose"}).out, HasSubstr("seed 2: "));
}

TEST(SimulateCommand, OtherRulesAreCountedAndNotBlamed) {
  const Ran ran = Command({"--seeds", "50", "--policy", "client-go"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("overlaps: "));
  EXPECT_THAT(ran.out, Not(HasSubstr("VIOLATION")));
}

TEST(SimulateCommand, HelpNamesEveryOption) {
  const Ran ran = Command({"--help"});
  EXPECT_EQ(ran.status, 0);
  for (const char* option :
       {"--seeds", "--from", "--ratio", "--candidates", "--seconds", "--faults", "--policy", "--trace", "--verbose"}) {
    EXPECT_THAT(ran.out, HasSubstr(option));
  }
}

TEST(SimulateCommand, ArgumentsThatMakeNoSenseAreRefusedByName) {
  const std::vector<std::vector<std::string>> all = {
      {"--seeds"},        {"--seeds", "many"},     {"--seeds", "-1"},     {"--from", ""},
      {"--ratio", "0.5"}, {"--ratio", "nan"},      {"--candidates", "1"}, {"--candidates", "27"},
      {"--seconds", "1"}, {"--faults", "weather"}, {"--policy", "own"},   {"--unheard-of", "yes"},
      {"seven"},          {"--seeds", "10 "},
  };
  for (const auto& arguments : all) {
    const Ran ran = Command(arguments);
    EXPECT_EQ(ran.status, 2) << arguments.front();
    EXPECT_THAT(ran.err, HasSubstr("do not understand " + arguments.front()));
    EXPECT_TRUE(ran.out.empty());
  }
}

TEST(SimulateCommand, FaultsMayBeChosenByName) {
  EXPECT_EQ(Command({"--seeds", "5", "--faults", "none"}).status, 0);
  EXPECT_EQ(Command({"--seeds", "5", "--faults", "usual,-pause,-crash"}).status, 0);
  const Ran ran = Command({"--seeds", "20", "--faults", "crash"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("crash="));
  EXPECT_THAT(ran.out, Not(HasSubstr("pause=")));
}

}  // namespace
}  // namespace leaderelection::simulation
