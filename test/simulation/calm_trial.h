// What is expected of the candidates once nothing goes wrong any more: a leader soon, quiet, and quick hand-offs.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simulation/candidate.h"
#include "simulation/process.h"

namespace leaderelection::simulation {

// How the lock changed hands while all was calm, in true time.
struct HandOff {
  enum class Kind { kCrash, kNoRelease, kRelease };
  Kind kind = Kind::kCrash;
  TrueTime took{0};
};

class CalmTrial {
 public:
  // Patient: waits long for a successor, to measure those who are slower than we allow. Forgetful: the store may have
  // gone back, which costs another lease, for the first write is not believed.
  CalmTrial(const Stage& stage, const std::vector<std::unique_ptr<Candidate>>& candidates, Plant plant, bool patient,
            bool forgetful);

  // How long all parts of the trial take together.
  [[nodiscard]] TrueTime length() const { return settling_ + kQuiet + taking_over_ + std::chrono::seconds(1); }
  void Begin();

  [[nodiscard]] const std::optional<HandOff>& hand_off() const { return hand_off_; }

 private:
  static constexpr std::chrono::seconds kQuiet{60};

  void ExpectLeader();
  void ExpectQuiet();
  void Disturb();
  void Provoke();
  void ExpectSuccessor();
  [[nodiscard]] Process* Leader() const;
  [[nodiscard]] TrueTime Allowed() const;

  Stage stage_;
  const std::vector<std::unique_ptr<Candidate>>& candidates_;
  const Plant plant_;
  const bool patient_;
  double slowest_ = 1.0;
  TrueTime longest_lease_{0};
  TrueTime longest_retry_{0};
  TrueTime settling_{0};
  TrueTime taking_over_{0};
  Process* leader_ = nullptr;
  std::vector<std::uint64_t> requests_;  // of each candidate when the quiet began
  std::uint64_t terms_ = 0;
  TrueTime provoked_at_{0};
  HandOff::Kind kind_ = HandOff::Kind::kCrash;
  TrueTime allowed_{0};
  std::optional<HandOff> hand_off_;
};

}  // namespace leaderelection::simulation
