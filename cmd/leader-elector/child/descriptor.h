// A file descriptor with an owner.

#pragma once

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace leaderelection::command {

class Descriptor {
 public:
  Descriptor() = default;
  // Throws std::system_error naming the call if it failed to give one.
  Descriptor(int number, const char* call) : number_(number) {
    if (number < 0) throw std::system_error(errno, std::generic_category(), call);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { Close(); }

  void Close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace leaderelection::command
