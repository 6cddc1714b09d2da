// The requests of one lock, from the caller's wish to the answer.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "consul/session.h"
#include "consul/transaction.h"
#include "consul/transport.h"
#include "leaderelection/consul_lock.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection::consul {

class LockRequests : public std::enable_shared_from_this<LockRequests> {
 public:
  LockRequests(std::shared_ptr<Transport> transport, ConsulLockOptions options);

  // From any thread.
  void Get(MonotonicTime deadline, Done<Stored> done);
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done);
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done);
  // Drops what is not answered and destroys the session; waits for that until the deadline, but not on the I/O thread.
  void Close(MonotonicTime deadline);

  [[nodiscard]] const std::string& key() const { return options_.key; }
  [[nodiscard]] const std::shared_ptr<Transport>& transport() const { return transport_; }
  [[nodiscard]] std::weak_ptr<const Session> session() const { return session_; }
  // "/v1/kv/..."
  [[nodiscard]] std::string path() const;

 private:
  // A write under way.
  struct Write {
    std::uint64_t id = 0;  // of whom to answer
    MonotonicTime deadline;
    Record record;
    std::uint64_t expected_index = 0;
    std::string found_session;  // on the key, as it was judged
    bool creates = false;
    bool session_renewed = false;  // ours had gone, and it was tried again with another
  };
  using Asked = std::function<void(LockRequests&, Result<http::Response>)>;

  std::uint64_t Keep(Done<Stored> done);
  void Answer(std::uint64_t id, Result<Stored> result);
  void Send(Call call, Asked then);
  void Read(MonotonicTime deadline, Asked then);
  void Begin(Write write);
  void Transact(Write write, const std::string& session);
  void OnOutcome(Write write, const std::string& session, const Outcome& outcome);
  // What kept a creation from creating.
  void OnOccupied(Write write, const Result<http::Response>& answer);
  [[nodiscard]] Result<Stored> Judged(const Result<http::Response>& answer) const;
  [[nodiscard]] bool IsOwn(const std::string& session) const { return session_->WasOurs(session); }

  const std::shared_ptr<Transport> transport_;
  const ConsulLockOptions options_;
  const std::shared_ptr<Session> session_;         // on the I/O thread only, as all below
  std::map<std::uint64_t, Done<Stored>> waiting_;  // for an answer
  std::uint64_t last_id_ = 0;
  std::stop_source stop_;
};

}  // namespace leaderelection::consul
