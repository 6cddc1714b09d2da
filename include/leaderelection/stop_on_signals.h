// A stop token that signals request. std::stop_source::request_stop must not be called in a signal handler.
//
//   elector.Run(StopOnSignals({SIGINT, SIGTERM}));

#pragma once

#include <csignal>
#include <initializer_list>
#include <memory>
#include <stop_token>

#include "leaderelection/export.h"

namespace leaderelection {

// From here to the end of its life the first of the signals requests a stop, and a second one has the effect it had
// before: Ctrl-C twice ends a program that does not stop. One at a time in a process.
class LEADERELECTION_EXPORT StopOnSignals {
 public:
  // Throws std::logic_error if there is one already, std::system_error if a signal cannot be handled.
  explicit StopOnSignals(std::initializer_list<int> signals);
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  [[nodiscard]] std::stop_token token() const noexcept;
  operator std::stop_token() const noexcept { return token(); }

  // The signal that requested the stop; 0 if none has.
  [[nodiscard]] int signal() const noexcept;

 private:
  class Listener;
  const std::unique_ptr<Listener> listener_;
};

}  // namespace leaderelection
