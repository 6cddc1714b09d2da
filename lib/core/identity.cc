#include <unistd.h>

#include <array>
#include <cstdio>
#include <random>
#include <string>

#include "leaderelection/leader_elector.h"

namespace leaderelection {

std::string DefaultIdentity() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0')
    std::snprintf(host.data(), host.size(), "host");
  std::random_device random;  // the kernel's: two containers may start with the same process id at the same time
  std::array<char, 32> rest{};
  std::snprintf(rest.data(), rest.size(), "_%ld_%08x%08x", static_cast<long>(::getpid()), random(), random());
  return std::string(host.data()) + rest.data();
}

}  // namespace leaderelection
