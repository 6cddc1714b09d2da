// Where chance comes from: one seed, one sequence, the same on every machine.

#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace leaderelection::simulation {

// splitmix64. The distributions of <random> may differ between standard libraries, and a seed must replay anywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t word = (state_ += 0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }

  double Fraction() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  bool Chance(double probability) { return probability > 0 && Fraction() < probability; }
  std::size_t Below(std::size_t bound) { return static_cast<std::size_t>(Next() % bound); }
  double Between(double low, double high) { return low + (high - low) * Fraction(); }
  // As many between 1 and 10 as between 10 and 100.
  double Scattered(double low, double high) { return low * std::exp(Fraction() * std::log(high / low)); }

  std::chrono::nanoseconds Between(std::chrono::nanoseconds low, std::chrono::nanoseconds high) {
    return low +
           std::chrono::nanoseconds(static_cast<std::int64_t>(Fraction() * static_cast<double>((high - low).count())));
  }
  std::chrono::nanoseconds Scattered(std::chrono::nanoseconds low, std::chrono::nanoseconds high) {
    return std::chrono::nanoseconds(
        static_cast<std::int64_t>(Scattered(static_cast<double>(low.count()), static_cast<double>(high.count()))));
  }
  // The time to the next of events that come at random, this far apart on average.
  std::chrono::nanoseconds Wait(std::chrono::nanoseconds mean) {
    return std::chrono::nanoseconds(
        static_cast<std::int64_t>(-std::log(1 - Fraction()) * static_cast<double>(mean.count())));
  }

 private:
  std::uint64_t state_;
};

}  // namespace leaderelection::simulation
