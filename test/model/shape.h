// What one search is about: who stands, by which clocks, and how much may go wrong.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include "core/election.h"
#include "model/state.h"

namespace leaderelection::model {

struct Shape {
  std::string name;
  int candidates = 2;
  // What each candidate's clock counts while one tick of true time passes.
  std::array<std::chrono::milliseconds, kSeats> tick{std::chrono::milliseconds(500), std::chrono::milliseconds(500),
                                                     std::chrono::milliseconds(500)};
  std::chrono::milliseconds lease_duration{1500};
  std::chrono::milliseconds renew_deadline{1000};
  std::chrono::milliseconds retry_period{500};
  std::chrono::milliseconds drain_timeout{1000};
  int exchanges = 2;              // under way for each candidate; with one more the oldest is lost
  bool reads_are_atomic = false;  // an answer to a read shows what is stored when it comes
  int news = 1;  // changes that each candidate's watch has yet to tell; with one more the oldest is lost
  Budget budget;

  int depth = 1000;                    // steps
  std::uint64_t states = 100'000'000;  // looked at; where either ends the search it says so

  [[nodiscard]] ElectionSettings Settings(int identity) const {
    return {.identity = NameOf(identity),
            .lease_duration = lease_duration,
            .renew_deadline = renew_deadline,
            .retry_period = retry_period,
            .renew_interval = retry_period,
            .drain_timeout = drain_timeout};
  }
  // As many ticks as anything of the past still counts.
  [[nodiscard]] Number Memory(int seat) const {
    const auto ticks = lease_duration / tick[static_cast<std::size_t>(seat)];
    return static_cast<Number>(ticks) + 2;
  }
};

}  // namespace leaderelection::model
