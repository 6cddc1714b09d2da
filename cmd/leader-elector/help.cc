#include <sstream>

#include "commands.h"
#include "options/table.h"

namespace leaderelection::command {

namespace {

constexpr std::size_t kWidth = 96;

struct Page {
  std::string_view name;
  unsigned command;
  std::string_view usage;
  std::string_view text;
};

constexpr Page kPages[] = {
    {"run", kRun, "leader-elector run [options] -- COMMAND [ARGUMENT...]",
     "Runs the command while this candidate leads. On a clean stop (SIGTERM, SIGINT) the command gets SIGTERM, has its "
     "grace period while the lock is renewed, and then the lock is freed. On a loss it and all it started are gone "
     "before another candidate may lead, also if leader-elector itself is killed, stopped or hangs. Then it stands "
     "again. A server that does not answer is waited for, since it may only start later; the log tells.\n\n"
     "The command finds LEADER_ELECTION_FENCING_TOKEN, LEADER_ELECTION_IDENTITY, LEADER_ELECTION_LOCK and "
     "LEADER_ELECTION_ADMIN_ADDRESS in its environment. It must stay in the foreground. SIGHUP, SIGQUIT, SIGUSR1, "
     "SIGUSR2 and SIGWINCH are passed on to it. When it exits, leader-elector frees the lock and exits with its code "
     "(128 + N if signal N ended it, 127 or 126 if it cannot be started).\n"},
    {"observe", kObserve, "leader-elector observe [options]",
     "Prints a line whenever the leader changes, until SIGINT or SIGTERM.\n"},
    {"status", kStatus, "leader-elector status [options]",
     "Prints who leads and exits with 0 if someone leads (with --identity: if that one does), 1 if another than "
     "--identity leads, 3 if nobody leads, 2 if that cannot be told. A leader whose last renewal looks old is watched "
     "for the length of its lease first.\n"},
    {"step-down", kStepDown, "leader-elector step-down [options]",
     "Asks the leader to give up, by its admin endpoint, whose address it has told with the lock; it must run with "
     "--admin-step-down. Never writes the lock. Exits with 0 if it agrees, 3 if nobody leads, 2 otherwise.\n"},
};

// The text in lines of at most kWidth, each behind `indent`.
std::string Wrapped(std::string_view text, const std::string& indent) {
  std::string result;
  std::istringstream paragraphs{std::string(text)};
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::istringstream words(paragraph);
    std::string line = indent;
    for (std::string word; words >> word;) {
      if (line.size() > indent.size() && line.size() + 1 + word.size() > kWidth) {
        result += line + "\n";
        line = indent;
      }
      line += (line.size() > indent.size() ? " " : "") + word;
    }
    result += (line == indent ? "" : line) + "\n";
  }
  return result;
}

std::string OptionText(const Option& option) {
  std::string text = "  ";
  if (option.short_flag.size() == 1) text += "-" + std::string(option.short_flag) + ", ";
  text += "--" + std::string(option.flag);
  if (option.short_flag.size() > 1) text += ", --" + std::string(option.short_flag);
  text += " " + std::string(option.value) + "\n";
  const std::string fallback = option.fallback.empty() ? "" : " Default: " + std::string(option.fallback) + ".";
  return text + Wrapped(std::string(option.help) + fallback, "        ");
}

constexpr std::string_view kOverview =
    "leader-elector runs a command on one of many hosts at a time.\n"
    "\n"
    "  leader-elector run --lock=file --lock-file=/tmp/leader -- ./my-service\n"
    "  leader-elector run --name=my-service -- ./my-service            (a Lease, in Kubernetes)\n"
    "  leader-elector run --lock=redis --redis-url=redis://db --name=my-service -- ./my-service\n"
    "\n"
    "Commands:\n"
    "  run        runs a command while this candidate leads\n"
    "  observe    follows who leads\n"
    "  status     tells who leads; the exit code tells too\n"
    "  step-down  asks the leader to give up\n"
    "  demo       shows an election, a crash and a hand-over, on this host\n"
    "  options    lists every option with its variable and its key in the YAML file\n"
    "\n"
    "leader-elector COMMAND --help tells more.\n";

}  // namespace

std::string Help(const std::string& command) {
  for (const Page& page : kPages) {
    if (page.name != command) continue;
    std::string text = std::string(page.usage) + "\n\n" + Wrapped(page.text, "");
    std::string_view section;
    for (const Option& option : Options()) {
      if ((option.commands & page.command) == 0) continue;
      if (option.section != section) text += "\n" + std::string(option.section) + ":\n";
      section = option.section;
      text += OptionText(option);
    }
    return text + "\n" +
           Wrapped(
               "Durations need a unit: 15s, 500ms, 1m30s. Every option is an environment variable and a key of the "
               "YAML file, too: see leader-elector options.",
               "");
  }
  return std::string(kOverview);
}

std::string MarkdownTable() {
  std::string table = "| flag | variable | YAML key | default | meaning |\n|---|---|---|---|---|\n";
  const auto code = [](const std::string& text) { return text.empty() ? "" : "`" + text + "`"; };
  for (const Option& option : Options()) {
    std::string flags = code("--" + std::string(option.flag));
    if (!option.short_flag.empty()) {
      flags += ", " + code((option.short_flag.size() == 1 ? "-" : "--") + std::string(option.short_flag));
    }
    std::string help(option.help);
    if (option.kind == Kind::kChoice) {
      std::string choices(option.value);
      for (std::size_t at = 0; (at = choices.find('|', at)) != std::string::npos;) choices.replace(at, 1, ", ");
      help += " One of " + choices + ".";
    }
    for (const std::string& cell : {flags, code(std::string(option.variable)), code(std::string(option.key)),
                                    code(std::string(option.fallback)), help}) {
      table.append("| ").append(cell).append(" ");
    }
    table += "|\n";
  }
  return table;
}

}  // namespace leaderelection::command
