// The one I/O thread of a process's clients that were given none.

#pragma once

#include <memory>

#include "net/io_thread.h"

namespace leaderelection::http {

// The same one for as long as anyone holds it. It goes with its last holder, so nothing is left running at exit.
[[nodiscard]] std::shared_ptr<net::IoThread> SharedIoThread();

}  // namespace leaderelection::http
