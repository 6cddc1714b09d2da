// What a Redis server answers, and the reader that makes it of bytes from anyone.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leaderelection/error.h"

struct redisReader;

namespace leaderelection::redis {

struct Reply {
  enum class Kind { kNil, kText, kStatus, kInteger, kError, kArray };

  Kind kind = Kind::kNil;
  std::string text;  // kText, kStatus, kError
  long long integer = 0;
  std::vector<Reply> elements;

  [[nodiscard]] bool IsError() const { return kind == Kind::kError; }
  // The word an error begins with, which is all that is meant for programs: "WRONGPASS", "MOVED".
  [[nodiscard]] std::string_view ErrorWord() const;
};

// What is larger, longer or deeper than any answer we ask for ends the connection instead of filling the memory.
inline constexpr std::size_t kLargestReply = 1 << 20;
inline constexpr int kMostElements = 1024;

// RESP2, by hiredis. After an error there is nothing more to read.
class ReplyReader {
 public:
  ReplyReader();
  ~ReplyReader();

  // Appends the whole replies that have come to `replies`.
  [[nodiscard]] Status Feed(std::string_view bytes, std::vector<Reply>& replies);

 private:
  struct Freer {
    void operator()(redisReader* reader) const;
  };

  std::size_t size_of_reply_ = 0;  // so far
  bool is_first_byte_ = true;
  std::unique_ptr<redisReader, Freer> reader_;
};

}  // namespace leaderelection::redis
