// How often this thread has asked for memory.

#pragma once

namespace leaderelection {

[[nodiscard]] long Allocations();

}  // namespace leaderelection
