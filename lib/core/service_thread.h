// How the library's own threads start: with a name, and out of the way of the program's signals.

#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace leaderelection {

// Signals sent to the process (SIGTERM, SIGINT, SIGHUP, ...) are left to the program's threads: a program that blocks
// them in order to wait for them would otherwise die of one delivered here. Faults of this very thread are not blocked,
// so that crash reporters work. At most 15 characters of the name are shown.
template <class Function>
std::thread StartServiceThread(const char* name, Function run) {
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);  // inherited, so that there is no moment without it
  struct Restore {
    const sigset_t* mask;
    ~Restore() { pthread_sigmask(SIG_SETMASK, mask, nullptr); }
  } restore{&before};
  std::thread thread(std::move(run));
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace leaderelection
