// A timer on the clock of all deadlines.

#pragma once

#include <boost/asio/basic_waitable_timer.hpp>

#include "leaderelection/clock.h"

namespace leaderelection::net {

// The context itself waits on CLOCK_MONOTONIC: what falls due while the machine is suspended fires after the resume,
// at the latest by the time that was left before.
using Timer = boost::asio::basic_waitable_timer<BootClock>;

}  // namespace leaderelection::net
