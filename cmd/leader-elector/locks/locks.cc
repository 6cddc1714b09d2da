#include "locks/locks.h"

#include <stdexcept>

#include "usage_error.h"

namespace leaderelection::command {

namespace {

using Maker = std::shared_ptr<ResourceLock> (*)(const Values&, const LogSink&);

#ifdef LEADER_ELECTOR_LEASE
constexpr Maker kLease = &MakeLeaseLock;
#else
constexpr Maker kLease = nullptr;
#endif
#ifdef LEADER_ELECTOR_REDIS
constexpr Maker kRedis = &MakeRedisLock;
#else
constexpr Maker kRedis = nullptr;
#endif
#ifdef LEADER_ELECTOR_CONSUL
constexpr Maker kConsul = &MakeConsulLock;
#else
constexpr Maker kConsul = nullptr;
#endif

Maker MakerOf(const std::string& kind) {
  if (kind == "file") return &MakeFileLock;
  if (kind == "lease") return kLease;
  if (kind == "redis") return kRedis;
  if (kind == "consul") return kConsul;
  return nullptr;
}

}  // namespace

std::string RequiredName(const Values& values) {
  std::string name = values.Text("leader-elect-resource-name");
  if (name.empty()) {
    throw UsageError("--name is missing: what is the election called? --lock=" +
                     values.Text("leader-elect-resource-lock") + " needs it");
  }
  return name;
}

std::shared_ptr<ResourceLock> MakeLock(const Values& values, const LogSink& log) {
  const std::string kind = values.Text("leader-elect-resource-lock");
  const Maker maker = MakerOf(kind);
  if (maker == nullptr) {
    throw UsageError("this leader-elector was built without the " + kind + " lock" +
                     (values.Given("leader-elect-resource-lock") ? "" : "; choose another by --lock"));
  }
  try {
    return maker(values, log);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError("--lock=" + kind + ": " + wrong.what());
  }
}

}  // namespace leaderelection::command
