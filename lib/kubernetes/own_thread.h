// Who may destroy a client: its last owner may be a callback, and a client waits for its callbacks to return.

#pragma once

#include <functional>

namespace leaderelection {

// Marks a callback of a transport or an executor for as long as it lives.
class OwnThread {
 public:
  OwnThread();
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;
};

// Whether the caller is inside such a callback, where to wait for another one would be to wait for itself.
[[nodiscard]] bool IsInCallback();

// Runs it here, or, inside such a callback, on a thread made for it, which is joined later, at the latest at the
// process's end.
void DestroyOutsideCallbacks(std::function<void()> destroy);

}  // namespace leaderelection
