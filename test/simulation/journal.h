// What happened, in order: a hash that tells whether two runs were the same, and for people a readable trace.

#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>

namespace leaderelection::simulation {

// True time: what an observer outside sees on a perfect watch, started with the schedule.
using TrueTime = std::chrono::nanoseconds;

class Journal {
 public:
  explicit Journal(std::ostream* trace) : trace_(trace) {}

  // `describe` makes the text; it is called only if someone reads it.
  template <class Describe>
  void Note(TrueTime at, std::string_view who, std::string_view what, Describe&& describe) {
    Mix(static_cast<std::uint64_t>(at.count()));
    for (const char letter : what) Mix(static_cast<unsigned char>(letter));
    if (trace_ != nullptr) Write(at, who, what, describe());
  }
  void Note(TrueTime at, std::string_view who, std::string_view what) {
    Note(at, who, what, [] { return std::string(); });
  }

  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  void Mix(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3; }

  void Write(TrueTime at, std::string_view who, std::string_view what, const std::string& text) {
    char head[80];
    std::snprintf(head, sizeof(head), "%11.6f  %-10.*s %-18.*s ", static_cast<double>(at.count()) / 1e9,
                  static_cast<int>(who.size()), who.data(), static_cast<int>(what.size()), what.data());
    *trace_ << head << text << '\n';
  }

  std::ostream* const trace_;
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace leaderelection::simulation
