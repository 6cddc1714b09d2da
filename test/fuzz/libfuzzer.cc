// Where libFuzzer enters a target.

#include <cstddef>
#include <cstdint>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  leaderelection::fuzz::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
