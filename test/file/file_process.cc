// What the tests run as another process. file_process [nobody] COMMAND...:
//
//   write PATH HOLDER        one write of that holder; prints its number or what went wrong
//   traced-write PATH HOLDER the same, stopped for the parent's ptrace before it begins
//   write-on PATH HOLDER     writes until it is killed; prints "writing" after the first
//   count PATH TIMES         adds one to metadata "count" that often, by compare-and-swap
//   stop-and-write PATH HOLDER MILLISECONDS   as write, with that deadline; stops itself when it has its turn
//   read PATH                prints the holder or what went wrong
//   watch PATH               prints the first event of a watch
//   descriptors              prints how many descriptors it has beside the standard ones
//
// `nobody`: without the rights of root.

#include <grp.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "file/record_file.h"
#include "leaderelection/file_lock.h"

namespace leaderelection {
namespace {

using Arguments = std::vector<std::string>;

// At once, in one system call, so that a test sees where it stands among the others.
void Print(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) ::_exit(3);
}

std::string Outcome(const Result<Stored>& result) {
  return result ? std::to_string(result->version.order) : std::string(ToString(result.error().code));
}

// Replaces what is there, or creates it, with `change` made to it.
Result<Stored> Write(RecordFile& file, MonotonicTime deadline, const std::function<void(Record&)>& change) {
  const auto current = file.Read();
  Record record = current ? current->record : Record{};
  change(record);
  record.renew_time = MachineWallTime();
  if (current) return file.Update(deadline, record, current->version);
  if (current.error().code == ErrorCode::kNotFound) return file.Create(deadline, record);
  return current;
}

Result<Stored> WriteHolder(RecordFile& file, const std::string& holder, MonotonicTime deadline = kNever) {
  return Write(file, deadline, [&](Record& record) { record.holder_identity = holder; });
}

void WriteOnce(const Arguments& arguments) {
  RecordFile file(arguments.at(0));
  Print(Outcome(WriteHolder(file, arguments.at(1))));
}

// Leaves without the checks at exit, for which a sanitizer would need ptrace itself.
void WriteTraced(const Arguments& arguments) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(4);
  ::raise(SIGSTOP);
  WriteOnce(arguments);
  ::_exit(0);
}

void WriteOn(const Arguments& arguments) {
  RecordFile file(arguments.at(0));
  for (bool told = false;;) {
    const bool written = WriteHolder(file, arguments.at(1)).ok();
    if (written && !std::exchange(told, true)) Print("writing");
  }
}

void Count(const Arguments& arguments) {
  RecordFile file(arguments.at(0));
  for (int left = std::stoi(arguments.at(1)); left > 0;) {
    const auto written = Write(file, kNever, [](Record& record) {
      std::string& count = record.metadata["count"];
      count = std::to_string((count.empty() ? 0 : std::stoi(count)) + 1);
    });
    if (written) --left;
  }
}

// The wall clock is looked at by who has the turn.
void StopAndWrite(const Arguments& arguments) {
  RecordFile file(arguments.at(0), {.wall_now = [] {
                    ::raise(SIGSTOP);
                    return MachineWallTime();
                  }});
  const auto deadline = BootClock::now() + std::chrono::milliseconds(std::stoi(arguments.at(2)));
  Print(Outcome(WriteHolder(file, arguments.at(1), deadline)));
}

void Read(const Arguments& arguments) {
  const auto read = RecordFile(arguments.at(0)).Read();
  Print(read ? read->record.holder_identity : std::string(ToString(read.error().code)));
}

void PrintFirstEvent(const Arguments& arguments) {
  FileLock lock(arguments.at(0));
  std::mutex mutex;
  std::condition_variable told;
  std::optional<WatchEvent> first;
  const auto watch = lock.Observe([&](const WatchEvent& event) {
    std::lock_guard guard(mutex);
    if (!first) first = event;
    told.notify_all();
  });
  std::unique_lock guard(mutex);
  told.wait(guard, [&] { return first.has_value(); });
  Print(first->kind == WatchEvent::Kind::kRefused ? "refused" : "not refused");
}

// The folder that is read has one itself.
void CountDescriptors() {
  std::ptrdiff_t count = -4;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  Print(std::to_string(count));
}

bool BecomeNobody() {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() != 0) return true;
  return ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
}

int Main(Arguments arguments) {
  if (!arguments.empty() && arguments.front() == "nobody") {
    if (!BecomeNobody()) return 2;
    arguments.erase(arguments.begin());
  }
  if (arguments.empty()) return 2;
  const std::string command = arguments.front();
  arguments.erase(arguments.begin());
  if (command == "write") return WriteOnce(arguments), 0;
  if (command == "traced-write") return WriteTraced(arguments), 0;
  if (command == "write-on") return WriteOn(arguments), 0;
  if (command == "count") return Count(arguments), 0;
  if (command == "stop-and-write") return StopAndWrite(arguments), 0;
  if (command == "read") return Read(arguments), 0;
  if (command == "watch") return PrintFirstEvent(arguments), 0;
  if (command == "descriptors") return CountDescriptors(), 0;
  return 2;
}

}  // namespace
}  // namespace leaderelection

int main(int count, char** words) { return leaderelection::Main({words + 1, words + count}); }
