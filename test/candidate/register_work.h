// A leader's work on another system: it reads a register, thinks, and writes back what it read with one element more.

#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "leaderelection/term.h"

namespace leaderelection::candidate {

struct RegisterOptions {
  std::string address;  // host:port of a Redis without password
  std::string key;
  // Hands the term's number along with each read and write, and the register refuses a smaller one than it has seen.
  bool guarded = true;
  // Between the read and the write: the longer, the likelier a leader that is paused writes what it read long ago.
  std::chrono::milliseconds think{20};
};

// Goes on until the term is over. It asks before each read and, as programs do, not again before the write: that the
// write is late is for the register to find. `wrote` hears of each element that was acknowledged, `refused` of each
// that was not taken because of its number; what is unknown, nobody hears of. `name` begins each element.
void UpdateRegister(const Term& term, const RegisterOptions& options, const std::string& name,
                    const std::function<void(const std::string&)>& wrote,
                    const std::function<void(const std::string&)>& refused);

}  // namespace leaderelection::candidate
