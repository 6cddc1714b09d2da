// One step of the model: what happens next, to whom.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/shape.h"
#include "model/state.h"

namespace leaderelection::model {

struct Action {
  enum Kind : std::uint8_t {
    kTick,         // true time passes
    kWake,         // a candidate does what is due
    kCarryOut,     // a request reaches the store; the answer is under way
    kAnswer,       // an answer arrives. One that never does is lost, before or after the request was carried out
    kTell,         // the watch tells a change; what it had to tell before is lost
    kWorkBegins,   // the work of the term
    kWorkReturns,  // having been asked to
    kStandAgain,   // after a stop
    // Each of these from a budget.
    kErrorBefore,  // the answer is a server error, and nothing was written
    kErrorAfter,   // the answer is a server error, and it was carried out all the same
    kDuplicate,    // the request arrives once more
    kStaleAck,     // the answer shows the record as sent by the old version, and nothing was written
    kCrash,        // the process is gone; what it sent is under way all the same
    kRestart,      // the next process on that seat, under a new name
    kDelete,       // an outsider deletes the record. Only one that everybody knows the holder of: see lib/README.md
    kRelabel,      // an outsider writes another version of the same record
    kStop,
    kStepDown,
  };
  Kind kind = kTick;
  std::uint8_t seat = 0;
  std::uint8_t which = 0;  // exchange or change
};

// How many candidates have something to do now.
int Late(const State& state, const Shape& shape);

// All that may happen in this state.
std::vector<Action> Possible(const State& state, const Shape& shape);

// "b's renewal is carried out", for whoever sits on which seat.
std::string Describe(const Action& action, const State& state, const std::string& name);

}  // namespace leaderelection::model
