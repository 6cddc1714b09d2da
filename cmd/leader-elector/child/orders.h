// What leader-elector and its watcher tell each other, one message a packet.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "leaderelection/clock.h"

namespace leaderelection::command {

struct Order {
  enum class Kind : std::uint32_t {
    kStart,      // run the command, with `environment` added to its own
    kSignal,     // send it `signal`
    kTerminate,  // SIGTERM, and SIGKILL at kill_at
  };
  Kind kind = Kind::kStart;
  int signal = 0;
  MonotonicTime kill_at{};
  std::string environment;  // KEY=VALUE, each ended by a zero byte
};

struct Report {
  enum class Kind : std::uint32_t {
    kStarted,     // `status` is its process
    kGone,        // the command and all it started; `status` as waitpid gives it
    kNotStarted,  // `status` is the errno
    kExpired,     // its time was over, so it was killed, or not started at all
  };
  Kind kind = Kind::kGone;
  int status = 0;
};

// False if nobody listens any more. Neither blocks: there are never more than a few messages under way.
bool Send(int socket, const Order& order);
bool Send(int socket, const Report& report);

// Waits for one; nothing once the other side is gone.
[[nodiscard]] std::optional<Order> ReceiveOrder(int socket);
[[nodiscard]] std::optional<Report> ReceiveReport(int socket);

}  // namespace leaderelection::command
