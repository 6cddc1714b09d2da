#include "fuzz/target.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace leaderelection::fuzz {

namespace {

// Room for a path, a field's name and a sentence.
constexpr std::size_t kLongestMessage = 1000;

}  // namespace

void Require(bool holds, std::string_view sentence) {
  if (holds) return;
  std::fprintf(stderr, "it does not hold that %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  std::abort();
}

void RequireReadable(std::string_view message) {
  Require(!message.empty(), "a failure says why");
  Require(message.size() <= kLongestMessage, "a message is short");
  Require(std::none_of(message.begin(), message.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
          "a message is one line without control characters");
}

void RequireNoSecret(std::string_view message) {
  Require(message.find(kSecret) == std::string_view::npos, "no error holds a secret");
}

unsigned char Pieces::Byte() {
  const std::string_view byte = Text(1);
  return byte.empty() ? 0 : static_cast<unsigned char>(byte.front());
}

std::string_view Pieces::Line() {
  const std::string_view line = Text(std::min(rest_.find('\n'), rest_.size()));
  Text(1);
  return line;
}

std::string_view Pieces::Text(std::size_t size) {
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(text.size());
  return text;
}

InputFile::InputFile()
    : descriptor_(::memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  Require(descriptor_ >= 0, "there is memory for a file");
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::Write(std::string_view content) {
  const bool written = ::ftruncate(descriptor_, 0) == 0 &&
                       ::pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size());
  Require(written, "the file can be written");
}

}  // namespace leaderelection::fuzz
