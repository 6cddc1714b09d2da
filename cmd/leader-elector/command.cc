#include "command.h"

#include <algorithm>
#include <exception>
#include <ostream>

#include "commands.h"
#include "leaderelection/version.h"
#include "options/suggestion.h"
#include "usage_error.h"

namespace leaderelection::command {

namespace {

bool IsHelp(const std::string& argument) { return argument == "--help" || argument == "-h"; }

int Dispatch(std::vector<std::string> arguments, const Environment& environment, std::ostream& out, std::ostream& err) {
  if (arguments.empty()) throw UsageError("what shall it do? leader-elector --help lists the commands");
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  std::vector<std::string> to_run;
  if (const auto dashes = std::find(arguments.begin(), arguments.end(), "--"); dashes != arguments.end()) {
    if (name != "run") throw UsageError("-- and what is behind it belongs to run");
    to_run.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }
  if (IsHelp(name) || name == "help" || std::any_of(arguments.begin(), arguments.end(), IsHelp)) {
    out << Help(name == "help" && !arguments.empty() ? arguments.front() : name);
    return 0;
  }
  if (name == "--version" || name == "version") {
    out << "leader-elector " << LEADERELECTION_VERSION_STRING << "\n";
    return 0;
  }
  if (name == "run") return RunWhileLeading(Configure(kRun, arguments, environment), to_run, err);
  if (name == "observe") return Observe(Configure(kObserve, arguments, environment), out, err);
  if (name == "status") return ShowStatus(Configure(kStatus, arguments, environment), out);
  if (name == "step-down") return StepDown(Configure(kStepDown, arguments, environment), out);
  if (name == "demo" || name == "options") {
    if (!arguments.empty()) throw UsageError("'" + arguments.front() + "' is not expected here");
    if (name == "demo") return Demo(out);
    out << MarkdownTable();
    return 0;
  }
  throw UsageError("unknown command '" + name + "'" +
                   Suggestion(name, {"run", "observe", "status", "step-down", "demo", "options", "help", "version"}) +
                   (name.starts_with("-") ? "; the command comes first" : ""));
}

}  // namespace

int Run(const std::vector<std::string>& arguments, const Environment& environment, std::ostream& out,
        std::ostream& err) {
  try {
    return Dispatch(arguments, environment, out, err);
  } catch (const UsageError& mistake) {
    err << "leader-elector: " << mistake.what() << std::endl;
    return kUsageCode;
  } catch (const std::exception& failure) {
    err << "leader-elector: " << failure.what() << std::endl;
    return 1;
  }
}

}  // namespace leaderelection::command
