// The words of the contract suite, for tests that do not run it.

#pragma once

#include <gtest/gtest.h>

#include "leaderelection/testing/lock_contract.h"

namespace leaderelection::testing {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);

using contract::FailedWith;
using contract::HeldBy;
using contract::Succeeded;

}  // namespace leaderelection::testing
