// The code that ships, driven as the elector drives it.

#include <utility>

#include "core/announcement.h"
#include "core/election_driver.h"
#include "core/validity.h"
#include "simulation/policy.h"

namespace leaderelection::simulation {

namespace {

class OurPolicy final : public Policy {
 public:
  explicit OurPolicy(Means means)
      : clock_(means.clock),
        program_(*means.program),
        validity_(std::make_shared<Validity>(means.clock)),
        driver_(std::make_shared<ElectionDriver>(std::move(means.settings), std::move(means.lock),
                                                 std::move(means.executor), validity_,
                                                 [this](const Announcement& news) { Hear(news); })) {}

  void Stand(Standing how) override {
    switch (how) {
      case Standing::kAlways:
        return driver_->Stand(Election::Role::kCandidate);
      case Standing::kOneTerm:
        return driver_->Stand(Election::Role::kOneTerm);
      case Standing::kObserving:
        return driver_->Stand(Election::Role::kObserver);
      case Standing::kOneAttempt:
        return driver_->Try();
    }
  }
  void Resign(Election::Resignation how, bool release) override { driver_->Resign(how, release); }
  // In one step, as the elector does it: a resignation that was on its way before has ended the term by then.
  void StartWork() override {
    driver_->Post([this, term = term_](Election& election, Instant at) {
      if (term != term_ || ending_) return election.HandleTime(at);
      program_.OnWorkStarts();
      return election.WorkStarted(at);
    });
  }
  void WorkReturned() override { driver_->WorkReturned(); }

  bool AskLeads() override { return validity_->IsValid(term_); }
  // Without IsValid, which seals what it finds over.
  bool Leads() const override { return clock_->Now() < validity_->Deadline(term_); }
  // Validity rounds down to milliseconds, and what nobody has found over may be extended up to its exact end.
  bool MayLead() const override { return clock_->Now() < validity_->Deadline(term_) + std::chrono::milliseconds(1); }

 private:
  void Hear(const Announcement& news) {
    if (const auto* started = std::get_if<announce::TermStarted>(&news)) {
      term_ = started->validity_term;
      ending_ = false;
      program_.OnTermStarted(started->number);
    } else if (std::holds_alternative<announce::WorkMustStop>(news)) {
      ending_ = true;
      program_.OnWorkMustStop();
    } else if (std::holds_alternative<announce::TermEnded>(news)) {
      ending_ = true;
      program_.OnTermEnded();
    } else if (std::holds_alternative<announce::Idle>(news)) {
      program_.OnIdle();
    }
  }

  const std::shared_ptr<SimClock> clock_;
  Program& program_;
  const std::shared_ptr<Validity> validity_;
  std::uint32_t term_ = 0;
  bool ending_ = false;
  const std::shared_ptr<ElectionDriver> driver_;
};

}  // namespace

std::unique_ptr<Policy> MakeOurPolicy(Means means) { return std::make_unique<OurPolicy>(std::move(means)); }

}  // namespace leaderelection::simulation
