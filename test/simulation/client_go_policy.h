// The rules of client-go's leaderelection package, for comparison: what they would have done in the same schedule.

#pragma once

#include <memory>

#include "simulation/policy.h"

namespace leaderelection::simulation {

// One run is one term, as there; the program stands again afterwards. Half of the processes release on cancel. A
// process counts as leading from OnStartedLeading until its context is cancelled, and not while it is stopped.
std::unique_ptr<Policy> MakeClientGoPolicy(Means means);

}  // namespace leaderelection::simulation
