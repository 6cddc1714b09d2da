// What makes a configuration one that can work.

#pragma once

#include "leaderelection/leader_elector.h"

namespace leaderelection {

// Throws std::invalid_argument that names every wrong field; else fills in what was left to default.
[[nodiscard]] LeaderElectionConfig Checked(LeaderElectionConfig config);

}  // namespace leaderelection
