#include "file/interruption.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace leaderelection {

Interruption::Interruption() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Interruption::Raise() noexcept { ::eventfd_write(event_.number(), 1); }

void Interruption::Lower() noexcept {
  eventfd_t ignored = 0;
  ::eventfd_read(event_.number(), &ignored);
}

bool Interruption::WaitFor(std::chrono::nanoseconds time) const noexcept {
  time = std::max(time, std::chrono::nanoseconds(0));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
  pollfd raised{.fd = event_.number(), .events = POLLIN, .revents = 0};
  return ::ppoll(&raised, 1, &timeout, nullptr) > 0;
}

bool Interruption::WaitForReadable(const Descriptor& descriptor) const noexcept {
  std::array<pollfd, 2> either{{{.fd = event_.number(), .events = POLLIN, .revents = 0},
                                {.fd = descriptor.number(), .events = POLLIN, .revents = 0}}};
  while (::poll(either.data(), either.size(), -1) < 0 && errno == EINTR) {
  }
  return either[0].revents != 0;
}

}  // namespace leaderelection
