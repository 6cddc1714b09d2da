#include "kubernetes/watch_frames.h"

#include <variant>

namespace leaderelection {

Status WatchFrames::Feed(std::string_view piece, const std::function<bool(std::string_view)>& on_line) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (part.size() > longest_line_ - begun_.size()) {
      return {ErrorCode::kUnknown, "an event of the watch is larger than " + std::to_string(longest_line_) + " bytes"};
    }
    if (end == std::string_view::npos) {
      begun_ += part;
      break;
    }
    piece.remove_prefix(end + 1);
    // A line that came in one piece is handed on as it lies.
    std::string line;
    std::string_view whole = part;
    if (!begun_.empty()) {
      line.swap(begun_);
      line += part;
      whole = line;
    }
    if (whole.ends_with('\r')) whole.remove_suffix(1);
    if (!whole.empty() && !on_line(whole)) break;
  }
  return std::monostate();
}

}  // namespace leaderelection
