// What leader-elector does, each in a file of its own. All return the exit code, and throw UsageError for code 2.

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "options/values.h"

namespace leaderelection::command {

// A mistake in the command line, or a lock that cannot be reached.
inline constexpr int kUsageCode = 2;

// status answers with these.
inline constexpr int kLeaderCode = 0;
inline constexpr int kFollowerCode = 1;
inline constexpr int kNobodyCode = 3;

int RunWhileLeading(const Values& values, const std::vector<std::string>& command, std::ostream& err);
int Observe(const Values& values, std::ostream& out, std::ostream& err);
int ShowStatus(const Values& values, std::ostream& out);
int StepDown(const Values& values, std::ostream& out);
int Demo(std::ostream& out);

// The page for a command ("run", ...), or the one that lists them.
[[nodiscard]] std::string Help(const std::string& command);
// All options as a table for README.
[[nodiscard]] std::string MarkdownTable();

}  // namespace leaderelection::command
