// One target of the fuzzer is one file: it defines Fuzz, which reads the input as the library would and requires what
// must hold of every input. hack/fuzz.sh makes inputs with libFuzzer; without clang, corpus.cc feeds it those of the
// tree.

#pragma once

#include <string>
#include <string_view>

#include "leaderelection/error.h"

namespace leaderelection::fuzz {

// Called again and again, with anything.
void Fuzz(std::string_view input);

// Ends the process with the sentence, which says what must hold, unless it does.
void Require(bool holds, std::string_view sentence);

// A secret that stands in many inputs, and must never stand in an error.
inline constexpr std::string_view kSecret = "correct-horse-battery";

// What holds of each message for a person: it is one short line, in whatever the input was written.
void RequireReadable(std::string_view message);

// And of those about what may hold secrets.
void RequireNoSecret(std::string_view message);

// Takes an input apart from the front; where it has ended, zeros and empty texts follow.
class Pieces {
 public:
  explicit Pieces(std::string_view input) : rest_(input) {}

  [[nodiscard]] bool AtEnd() const { return rest_.empty(); }
  unsigned char Byte();
  std::string_view Line();                  // up to the next line break, which is taken too
  std::string_view Text(std::size_t size);  // so many bytes, or fewer
  std::string_view Rest() { return Text(rest_.size()); }

 private:
  std::string_view rest_;
};

// The input as a file that has a name, for what reads files.
class InputFile {
 public:
  InputFile();
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  void Write(std::string_view content);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace leaderelection::fuzz
