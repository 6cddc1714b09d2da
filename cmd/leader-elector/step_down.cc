#include <ostream>

#include "commands.h"
#include "leader_text.h"
#include "leaderelection/admin_server.h"
#include "locks/locks.h"
#include "read_once.h"
#include "usage_error.h"

namespace leaderelection::command {

// Nobody but the holder writes an empty holder into the lock, so the holder is asked to.
int StepDown(const Values& values, std::ostream& out) {
  const auto timeout = values.Duration("timeout");
  const std::shared_ptr<ResourceLock> lock = MakeLock(values);
  const std::optional<Stored> stored = ReadOnce(*lock, timeout);
  if (!stored || stored->record.holder_identity.empty()) {
    out << lock->Describe() << ": nobody leads" << std::endl;
    return kNobodyCode;
  }
  const Record& record = stored->record;
  const std::string holder = Printable(record.holder_identity);
  const auto address = record.metadata.find("admin-address");
  if (address == record.metadata.end()) {
    throw UsageError("the leader, " + holder + ", has told no address of its admin endpoints; stop it instead");
  }
  const Status status = AskToStepDown(address->second, record.holder_identity, "", timeout);
  if (status.ok()) {
    out << lock->Describe() << ": " << holder << " steps down" << std::endl;
    return 0;
  }
  const std::string advice =
      status.error().code == ErrorCode::kDenied ? "; start it with --admin-step-down=this-host, or everybody" : "";
  throw UsageError(holder + " does not step down: " + Printable(status.error().message) + advice);
}

}  // namespace leaderelection::command
