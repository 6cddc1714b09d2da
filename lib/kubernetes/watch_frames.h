// A watch's reply is one JSON object per line, cut into pieces anywhere. This puts the lines together again.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "leaderelection/error.h"

namespace leaderelection {

// Not thread-safe.
class WatchFrames {
 public:
  // A line that is longer is an error, before it is whole.
  explicit WatchFrames(std::size_t longest_line) : longest_line_(longest_line) {}

  // Calls `on_line` for each line that this piece completes, without its end; empty lines are passed over. Stops as
  // soon as `on_line` answers false. After an error there is nothing more to be had.
  [[nodiscard]] Status Feed(std::string_view piece, const std::function<bool(std::string_view)>& on_line);

 private:
  std::size_t longest_line_;
  std::string begun_;  // the line that has no end yet
};

}  // namespace leaderelection
