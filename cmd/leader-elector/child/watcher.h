// The small process between leader-elector and the command. It starts the command and ends it when told to, when its
// time is over, or when leader-elector is gone: a leader-elector that is killed, stopped or hung would else leave a
// command behind that acts beside the next leader's.
//
// It is a subreaper, so whatever the command starts stays below it, also what has left its group or session, and is
// ended and reaped with it. Beyond its reach are processes it may not signal (set-uid programs of another user) and
// those that wait inside the kernel (state D) until they no longer do. It must itself be left alone: should it be
// killed, leader-elector ends the command and exits; killed both at once, only the command's own process dies with it.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "child/descriptor.h"
#include "child/lifeline.h"
#include "child/orders.h"

namespace leaderelection::command {

// leader-elector's end of it. Send may be called from any thread.
class Watcher {
 public:
  // Forks; so there must be no other threads yet, and SIGCHLD must be blocked. `grace` is what is left of the command's
  // processes have when the command itself exits.
  Watcher(const std::vector<std::string>& command, std::chrono::milliseconds grace, const Lifeline& lifeline);
  // It ends all it has started, and itself.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  bool Send(const Order& order) const { return command::Send(socket_.number(), order); }
  [[nodiscard]] int socket() const { return socket_.number(); }  // to wait for reports
  [[nodiscard]] pid_t id() const { return id_; }
  // Its exit was seen by whoever reaps all children.
  void NoteReaped() { id_ = -1; }

 private:
  Descriptor socket_;
  pid_t id_ = -1;
};

// The watcher's end: returns when leader-elector is gone and all is ended.
void Watch(int socket, const std::vector<std::string>& command, std::chrono::milliseconds grace,
           const Lifeline& lifeline);

}  // namespace leaderelection::command
