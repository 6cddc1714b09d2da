// A watch's reply, cut into pieces anywhere. The first byte is the longest line, the second the size of a piece.

#include "kubernetes/watch_frames.h"

#include <optional>
#include <vector>

#include "fuzz/target.h"

namespace leaderelection::fuzz {

namespace {

using Lines = std::vector<std::string>;

struct Heard {
  Lines lines;
  bool failed = false;
  friend bool operator==(const Heard&, const Heard&) = default;
};

Heard Hear(std::string_view text, std::size_t longest, std::size_t piece) {
  WatchFrames frames(longest);
  Heard heard;
  for (std::size_t at = 0; at < text.size() && !heard.failed; at += piece) {
    const Status fed = frames.Feed(text.substr(at, piece), [&heard](std::string_view line) {
      heard.lines.emplace_back(line);
      return true;
    });
    if (fed) continue;
    heard.failed = true;
    RequireReadable(fed.error().message);
  }
  return heard;
}

// As one would write it if all of it were there at once.
Heard Expect(std::string_view text, std::size_t longest) {
  Heard heard;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.size() > longest) {
      heard.failed = true;
      break;
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) heard.lines.emplace_back(line);
  }
  return heard;
}

}  // namespace

void Fuzz(std::string_view input) {
  Pieces pieces(input);
  const std::size_t longest = pieces.Byte();
  const std::size_t piece = pieces.Byte() + 1U;
  const std::string_view text = pieces.Rest();
  const Heard expected = Expect(text, longest);
  Require(Hear(text, longest, text.size() + 1) == expected, "the lines are those of the text");
  Require(Hear(text, longest, piece) == expected, "where a stream is cut makes no difference");
  Require(Hear(text, longest, 1) == expected, "a stream may come byte by byte");
}

}  // namespace leaderelection::fuzz
