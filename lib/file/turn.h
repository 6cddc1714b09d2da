// Writers take turns.

#pragma once

#include <string>

#include "file/descriptor.h"
#include "file/folder.h"
#include "file/interruption.h"
#include "leaderelection/clock.h"
#include "leaderelection/error.h"

namespace leaderelection {

// Holds the flock of a file that exists for nothing else: the record itself cannot carry the flock, for each write puts
// another file in its place. The kernel ends a turn when its process dies, however it dies.
class Turn {
 public:
  // Tries until the deadline: kTimeout, and nothing was done.
  static Result<Turn> Take(const Folder& folder, const std::string& name, MonotonicTime deadline,
                           const Interruption& interruption);
  Turn(Turn&&) = default;
  Turn& operator=(Turn&&) = delete;
  ~Turn();

  // False if someone has removed the file against the rules, so that another may have his turn at the same time.
  [[nodiscard]] bool IsAlone(const Folder& folder) const;

 private:
  Turn(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  Descriptor file_;
  std::string name_;
};

}  // namespace leaderelection
