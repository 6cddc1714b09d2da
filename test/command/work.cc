// The command that leader-elector runs in these tests. Writes "NAME WHAT NANOSECONDS PID FENCING_TOKEN" lines, each by
// one write to a shared file, so that tests can tell in which order things happened in several processes.
//
//   work FILE NAME [ignore-term] [slow-term] [fork] [exit=CODE] [signal=NUMBER]

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

int file = -1;
std::string name;
volatile sig_atomic_t terminated = 0;
volatile sig_atomic_t other_signal = 0;

void Write(const char* what) {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const char* token = std::getenv("LEADER_ELECTION_FENCING_TOKEN");
  const std::string line = name + " " + what + " " + std::to_string(now.tv_sec * 1'000'000'000 + now.tv_nsec) + " " +
                           std::to_string(::getpid()) + " " + (token != nullptr ? token : "0") + "\n";
  if (::write(file, line.data(), line.size()) < 0) ::_exit(99);
}

void OnTerm(int) { terminated = 1; }
void OnOther(int signal) { other_signal = signal; }

// Beats until it is asked to end.
void Beat(bool ignore_term, int most = 1'000'000) {
  for (int beat = 0; beat < most && (ignore_term || terminated == 0); ++beat) {
    Write("beat");
    if (other_signal != 0) {
      Write(other_signal == SIGHUP ? "hup" : "usr1");
      other_signal = 0;
    }
    ::poll(nullptr, 0, 20);
  }
}

// One in our group, and one that has left group and session and lost its parent.
void Fork() {
  if (::fork() == 0) Beat(true);
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    Beat(true);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const auto has = [&](const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  file = ::open(words.at(0).c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  name = words.at(1);
  ::signal(SIGTERM, &OnTerm);
  ::signal(SIGHUP, &OnOther);
  ::signal(SIGUSR1, &OnOther);
  Write("start");
  if (has("fork")) Fork();
  for (const std::string& word : words) {
    if (word.starts_with("exit=")) return std::atoi(word.c_str() + 5);
    if (word.starts_with("signal=")) ::kill(::getpid(), std::atoi(word.c_str() + 7));
  }
  Beat(has("ignore-term"));
  Write("term");
  if (has("slow-term")) Beat(true, 250);  // longer than the lease
  Write("end");
  return 3;
}
