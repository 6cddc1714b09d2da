#include "simulation/simulate.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string_view>

#include "simulation/schedule.h"

namespace leaderelection::simulation {

namespace {

constexpr std::string_view kUsage = R"(simulate [options]

Runs the election among simulated candidates, on faulty clocks, machines and networks, and judges what they do.

  --seeds N         how many schedules, 1000 unless told otherwise
  --from S          the first seed
  --ratio R         of the fastest clock to the slowest, 1.0; the durations in use tolerate 1.5
  --candidates K    in each schedule, 2 to 26; else 3 to 7
  --seconds T       of virtual time in each schedule, 300
  --faults LIST     none, usual, all, or names with commas in between, also as in usual,-pause
  --policy P        ours, or client-go: counts what its rules would have done
  --trace           tells all that happens
  --verbose         tells of each schedule
)";

struct Request {
  std::uint64_t seeds = 1000;
  std::uint64_t from = 1;
  bool verbose = false;
  ScheduleOptions options;
  std::string replay;  // the options that a replay needs
};

template <class Number>
bool ParseNumber(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// False if it makes no sense.
bool ParseOption(const std::string& name, const std::string& value, Request& request) {
  ScheduleOptions& options = request.options;
  if (name == "--seeds") return ParseNumber(value, request.seeds);
  if (name == "--from") return ParseNumber(value, request.from);
  request.replay += " " + name + " " + value;
  if (name == "--ratio") return ParseNumber(value, options.ratio) && options.ratio >= 1.0 && options.ratio <= 10.0;
  if (name == "--candidates") {
    return ParseNumber(value, options.candidates.emplace()) && *options.candidates >= 2 && *options.candidates <= 26;
  }
  if (name == "--seconds") {
    std::int64_t length = 0;
    if (!ParseNumber(value, length) || length < 10 || length > 1'000'000) return false;
    options.length = std::chrono::seconds(length);
    return true;
  }
  if (name == "--faults") {
    const auto faults = ParseFaults(value);
    if (faults) options.faults = *faults;
    return faults.has_value();
  }
  if (name == "--policy") {
    options.rules = value == "ours" ? Rules::kOurs : Rules::kClientGo;
    return value == "ours" || value == "client-go";
  }
  return false;
}

std::optional<Request> Parse(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Request request;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string& name = arguments[index];
    if (name == "--trace") {
      request.options.trace = &out;
    } else if (name == "--verbose") {
      request.verbose = true;
    } else if (index + 1 >= arguments.size() || !ParseOption(name, arguments[index + 1], request)) {
      err << "simulate: do not understand " << name << "\n\n" << kUsage;
      return std::nullopt;
    } else {
      ++index;
    }
  }
  return request;
}

double InSeconds(TrueTime time) { return std::chrono::duration<double>(time).count(); }

class Summary {
 public:
  void Add(const Outcome& outcome) {
    ++schedules_;
    const Tally& tally = outcome.tally;
    total_.terms += tally.terms;
    total_.hand_offs += tally.hand_offs;
    total_.requests += tally.requests;
    total_.overlaps += tally.overlaps;
    total_.overlap_time += tally.overlap_time;
    total_.excused_overlaps += tally.excused_overlaps;
    total_.writes += tally.writes;
    total_.refused_writes += tally.refused_writes;
    for (std::size_t index = 0; index < kFaults; ++index) faults_[index] += outcome.faults[index];
    if (outcome.hand_off) {
      const bool released = outcome.hand_off->kind == HandOff::Kind::kRelease;
      (released ? after_release_ : without_release_).push_back(outcome.hand_off->took);
    }
    if (tally.overlaps > 0) ++overlapping_;
    if (outcome.violations.empty()) return;
    ++violating_;
    for (const Violation& violation : outcome.violations) ++violations_[violation.oracle];
  }

  void Print(std::ostream& out, double elapsed) {
    char line[256];
    std::snprintf(line, sizeof(line), "%llu schedules in %.1f s: %.0f a second\n",
                  static_cast<unsigned long long>(schedules_), elapsed, static_cast<double>(schedules_) / elapsed);
    out << line << "faults:";
    for (std::size_t index = 0; index < kFaults; ++index) {
      if (faults_[index] > 0) out << ' ' << ToString(static_cast<Fault>(index)) << '=' << faults_[index];
    }
    out << "\nterms: " << total_.terms << ", of another process than before: " << total_.hand_offs
        << ", requests: " << total_.requests << "\nwrites taken by the fenced register: " << total_.writes
        << ", refused: " << total_.refused_writes << '\n';
    PrintTimes(out, "take-over without a release, in calm", without_release_);
    PrintTimes(out, "hand-off after a release, in calm", after_release_);
    std::snprintf(line, sizeof(line),
                  "overlaps: %llu in %llu schedules (%.2f %%), %.1f s in all; after a stated loss: %llu\n",
                  static_cast<unsigned long long>(total_.overlaps), static_cast<unsigned long long>(overlapping_),
                  schedules_ == 0 ? 0 : 100.0 * static_cast<double>(overlapping_) / static_cast<double>(schedules_),
                  InSeconds(total_.overlap_time), static_cast<unsigned long long>(total_.excused_overlaps));
    out << line << "violations: " << violating_;
    for (const auto& [oracle, count] : violations_) out << ' ' << oracle << '=' << count;
    out << '\n';
  }

  [[nodiscard]] std::uint64_t violating() const { return violating_; }
  [[nodiscard]] std::uint64_t count(std::string_view oracle) const { return violations_.at(oracle); }

 private:
  static void PrintTimes(std::ostream& out, std::string_view what, std::vector<TrueTime>& times) {
    if (times.empty()) return;
    std::sort(times.begin(), times.end());
    char line[160];
    std::snprintf(line, sizeof(line), "%.*s: median %.3f s, longest %.3f s of %zu\n", static_cast<int>(what.size()),
                  what.data(), InSeconds(times[times.size() / 2]), InSeconds(times.back()), times.size());
    out << line;
  }

  std::uint64_t schedules_ = 0;
  std::uint64_t overlapping_ = 0;
  std::uint64_t violating_ = 0;
  Tally total_;
  FaultCounts faults_{};
  std::vector<TrueTime> without_release_;
  std::vector<TrueTime> after_release_;
  std::map<std::string_view, std::uint64_t> violations_;
};

}  // namespace

int Simulate(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    out << kUsage;
    return 0;
  }
  const auto request = Parse(arguments, out, err);
  if (!request) return 2;
  constexpr std::uint64_t kTold = 5;  // of each oracle: who breaks a rule breaks it many times over
  Summary summary;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t seed = request->from; seed < request->from + request->seeds; ++seed) {
    const Outcome outcome = RunSchedule(seed, request->options);
    summary.Add(outcome);
    if (request->verbose) {
      out << "seed " << seed << ": " << outcome.tally.terms << " terms, " << outcome.tally.requests
          << " requests, hash " << std::hex << outcome.hash << std::dec << '\n';
    }
    if (outcome.violations.empty() || request->options.rules != Rules::kOurs) continue;
    const Violation& violation = outcome.violations.front();
    if (summary.count(violation.oracle) > kTold) continue;
    out << "VIOLATION " << violation.oracle << " seed=" << seed << " at " << InSeconds(violation.at)
        << " s: " << violation.text << "\n  replay: simulate --seeds 1 --from " << seed << request->replay
        << " --trace\n";
    out.flush();
  }
  summary.Print(out, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return summary.violating() > 0 && request->options.rules == Rules::kOurs ? 1 : 0;
}

}  // namespace leaderelection::simulation
