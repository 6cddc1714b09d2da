// 2025-11-18T08:46:00.123Z

#pragma once

#include <string>

#include "leaderelection/clock.h"

namespace leaderelection::command {

[[nodiscard]] std::string FormatTime(WallTime time);

}  // namespace leaderelection::command
