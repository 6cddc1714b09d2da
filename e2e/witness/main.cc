// witness CONFIG_MAP: what a leader does, for all to see. Run by leader-elector while it leads, it appends an entry to
// a fenced log ten times a second until SIGTERM, and says what became of each on standard output, as lines of JSON with
// the times of CLOCK_BOOTTIME, which all containers of one host share.
//
// An acknowledged entry is told only after the log has it, so a process killed in between leaves an entry in the log
// that nobody told of; the other way round is a lost entry. One that is refused does not end it: what a leader does
// that does not know yet that it is none any more is what the log is there for.

#include <signal.h>
#include <time.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

#include "fenced_log.h"
#include "leaderelection/kube_config.h"

namespace leaderelection::witness {
namespace {

constexpr timespec kPace = {.tv_sec = 0, .tv_nsec = 100'000'000};
constexpr std::chrono::milliseconds kPatience(1000);

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') throw std::invalid_argument(std::string(name) + " is not set");
  return value;
}

std::uint64_t ToNumber(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || *end != '\0') throw std::invalid_argument("'" + text + "' is no number");
  return number;
}

// One line, one write: a reader of the pod's log never sees half of one.
void Tell(const Writer& writer, const char* event, Json fields = Json::object()) {
  fields.update({{"event", event},
                 {"identity", writer.identity},
                 {"number", writer.number},
                 {"boot_ns", BootClock::now().time_since_epoch().count()}});
  const std::string line = fields.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

void Tell(const Writer& writer, const Attempt& attempt) {
  Json fields = {{"sent_ns", attempt.sent.time_since_epoch().count()}};
  if (const auto* acknowledged = std::get_if<Acknowledged>(&attempt.outcome)) {
    fields["entry"] = acknowledged->entry;
    return Tell(writer, "acknowledged", fields);
  }
  if (const auto* refused = std::get_if<Refused>(&attempt.outcome)) {
    fields["stored"] = refused->stored;
    return Tell(writer, "refused", fields);
  }
  fields["why"] = std::get<Failed>(attempt.outcome).why;
  Tell(writer, "failed", fields);
}

std::shared_ptr<KubeClient> Connect() {
  const auto config = KubeConfig::Load();
  if (!config) throw std::runtime_error(config.error().message);
  auto client = KubeClient::Make(*config, {.log = nullptr, .user_agent = "witness"});
  if (!client) throw std::runtime_error(client.error().message);
  return std::move(client).value();
}

int Run(const char* config_map) {
  const Writer writer{Variable("LEADER_ELECTION_IDENTITY"), ToNumber(Variable("LEADER_ELECTION_FENCING_TOKEN"))};
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &end, nullptr);  // inherited by the client's threads
  Tell(writer, "started");
  FencedLog log(Connect(), config_map);
  do {
    Tell(writer, log.Append(writer, kPatience));
  } while (::sigtimedwait(&end, nullptr, &kPace) != SIGTERM);
  Tell(writer, "stopped");
  return 0;
}

}  // namespace
}  // namespace leaderelection::witness

int main(int count, char** arguments) {
  try {
    if (count != 2) throw std::invalid_argument("usage: witness CONFIG_MAP");
    return leaderelection::witness::Run(arguments[1]);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "witness: %s\n", failure.what());
    return 2;
  }
}
