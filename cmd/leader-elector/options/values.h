// What was configured, and where: flags win over variables, variables over the file.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leaderelection/record.h"
#include "options/table.h"

namespace leaderelection::command {

struct Value {
  std::vector<std::string> texts;  // several only for kPairs
  std::string source;              // for errors: "--lease-duration", "LEADER_ELECTOR_LOCK", "elector.yaml:3: file.path"
};

// By an option's flag.
using ValueMap = std::map<std::string_view, Value>;

// Read by an option's flag; one that is not in the table is a programmer's mistake (std::logic_error).
class Values {
 public:
  explicit Values(ValueMap values) : values_(std::move(values)) {}

  [[nodiscard]] bool Given(std::string_view flag) const;
  // The default if it was not given.
  [[nodiscard]] std::string Text(std::string_view flag) const;
  [[nodiscard]] std::chrono::milliseconds Duration(std::string_view flag) const;
  [[nodiscard]] Metadata Pairs(std::string_view flag) const;
  // Where it came from, or how to give it: to begin an error with.
  [[nodiscard]] std::string Source(std::string_view flag) const;

 private:
  ValueMap values_;
};

using Environment = std::map<std::string, std::string>;
[[nodiscard]] Environment ProcessEnvironment();

// Each throws UsageError for what it does not know, with the nearest name that exists.
[[nodiscard]] ValueMap FromFlags(Command command, const std::vector<std::string>& arguments);
[[nodiscard]] ValueMap FromEnvironment(const Environment& environment);
[[nodiscard]] ValueMap FromFile(const std::string& path);

// All three together, every value checked against its kind.
[[nodiscard]] Values Configure(Command command, const std::vector<std::string>& arguments,
                               const Environment& environment);

}  // namespace leaderelection::command
