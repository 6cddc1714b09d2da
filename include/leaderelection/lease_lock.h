// An election on a Lease of Kubernetes (coordination.k8s.io/v1), beside client-go's candidates or without them.
//
//   auto client = KubeClient::Make(*KubeConfig::Load());
//   auto lock = std::make_shared<LeaseLock>(*client, LeaseLockOptions{.lease_namespace = "default", .lease_name =
//   "demo"});

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "leaderelection/export.h"
#include "leaderelection/kube_client.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection {

struct LeaseLockOptions {
  std::string lease_namespace;
  std::string lease_name;
  // An empty lease_namespace is the one that the configuration names: the context's, or the pod's own.
  bool use_default_namespace = false;
  // Set whenever the Lease is written; labels of other keys are left alone.
  Metadata labels = {};
};

// The record is the Lease's spec as client-go writes it; whatever else is in the object stays as it is. Durations are
// whole seconds, rounded up. Metadata is kept in annotations. The fencing number is the resourceVersion, which rises
// across deletion too, but not across a restored backup of the server's etcd.
//
// Permissions: get and update on the Lease; create, unless someone has created it (RBAC cannot limit create to a name);
// watch, without which candidates poll. A write is refused if anyone, also an administrator, has touched the object
// since it was read; the elector then reads it again.
//
// Locks of one KubeClient share at most 32 connections for their requests, of which renewals take precedence. A
// watch takes one more: the first four of a namespace one each, which need permission for their own Lease only; all
// others together one on the whole namespace, if watching it is allowed and not too much of what it brings is
// strangers', else one each, too.
//
// After a release every candidate tries at once. The first write to arrive wins; each of the others is refused and
// reads once. To wait at random first would have to last much longer than a write takes to be told to the others (some
// 6 ms) to keep many of them from trying, and would only delay the one who wins.
//
// Thread-safe; has no thread of its own.
class LEADERELECTION_EXPORT LeaseLock final : public ResourceLock {
 public:
  // Throws std::invalid_argument, naming every field that is wrong, if there is no client, or the namespace or the name
  // is not one that Kubernetes knows (DNS-1123).
  LeaseLock(std::shared_ptr<KubeClient> client, LeaseLockOptions options);
  // Waits up to two seconds for an Event that is under way, unless it is called in a callback of the client's.
  ~LeaseLock() override;

  void Get(MonotonicTime deadline, Done<Stored> done) override;
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override;
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override;
  // Refused (kRefused) if the server does not allow it for some seconds; that is logged once.
  [[nodiscard]] std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) override;
  [[nodiscard]] Record Storable(Record record) const override;
  [[nodiscard]] std::string Describe() const override;  // "default/demo"

  // Writes an Event about the Lease, "<identity> <what>", as client-go does for "became leader" and "stopped leading".
  // Best effort: it never blocks or fails, is tried once, and does nothing before the Lease was read or written here.
  // Needs permission to create events.
  void RecordEvent(const std::string& identity, const std::string& what) override;

 private:
  class Requests;
  const std::shared_ptr<KubeClient> client_;
  const std::shared_ptr<Requests> requests_;
};

}  // namespace leaderelection
