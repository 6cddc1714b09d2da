#include "leaderelection/redis_lock.h"

#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "redis/record_key.h"
#include "redis/record_watch.h"
#include "redis/redis_client.h"

namespace leaderelection {
namespace {

using redis::RecordKey;
using redis::RecordWatch;

// Keeps the client while it runs, for it may outlive its lock.
class ClientWatch final : public Watch {
 public:
  ClientWatch(std::shared_ptr<RedisClient> client, net::IoThread& io, std::shared_ptr<RecordWatch> watch)
      : client_(std::move(client)), io_(io), watch_(std::move(watch)) {
    io_.Post([watch = watch_] { watch->Start(); });
  }
  ~ClientWatch() override {
    watch_->StopTelling();
    io_.Post([watch = std::move(watch_)] { watch->Stop(); });
  }

 private:
  const std::shared_ptr<RedisClient> client_;
  net::IoThread& io_;
  std::shared_ptr<RecordWatch> watch_;
};

void CheckArguments(const RedisClient* client, const std::string& name) {
  std::string mistakes;
  if (!client) mistakes += "client is null";
  if (name.empty()) mistakes += std::string(mistakes.empty() ? "" : "; ") + "name is empty";
  if (!mistakes.empty()) throw std::invalid_argument("RedisLock: " + mistakes);
}

}  // namespace

// What has been asked and not been answered. The lock's destructor drops it; an answer that comes later finds nothing.
class RedisLock::Requests : public std::enable_shared_from_this<Requests> {
 public:
  explicit Requests(std::string key) : key_(std::make_shared<RecordKey>(std::move(key))) {}

  [[nodiscard]] const std::shared_ptr<RecordKey>& key() const { return key_; }

  using Reading = Result<Stored> (RecordKey::*)(const Result<redis::Reply>&);
  void Send(RedisClient::Inside& client, Result<redis::ScriptCall> call, Reading read, MonotonicTime deadline,
            Done<Stored> done) {
    if (!call) return std::move(done)(call.error());
    client.Run(std::move(call).value(), deadline,
               [weak = weak_from_this(), read, id = Add(std::move(done))](const Result<redis::Reply>& reply) {
                 if (const auto self = weak.lock()) self->Answer(id, (*self->key_.*read)(reply));
               });
  }

  void DropAll() {
    std::unordered_map<std::uint64_t, Done<Stored>> dropped;  // goes after the guard, for a Done may do anything
    const std::lock_guard lock(mutex_);
    dropped.swap(unanswered_);
  }

 private:
  std::uint64_t Add(Done<Stored> done) {
    const std::lock_guard lock(mutex_);
    unanswered_.emplace(++last_id_, std::move(done));
    return last_id_;
  }

  void Answer(std::uint64_t id, Result<Stored> answer) {
    Done<Stored> done;
    {
      const std::lock_guard lock(mutex_);
      const auto found = unanswered_.find(id);
      if (found == unanswered_.end()) return;
      done = std::move(found->second);
      unanswered_.erase(found);
    }
    std::move(done)(std::move(answer));
  }

  const std::shared_ptr<RecordKey> key_;
  std::mutex mutex_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, Done<Stored>> unanswered_;
};

RedisLock::RedisLock(std::shared_ptr<RedisClient> client, const std::string& name)
    : client_((CheckArguments(client.get(), name), std::move(client))),
      requests_(std::make_shared<Requests>(
          client_->inside_->key_prefix().empty() ? name : client_->inside_->key_prefix() + ":" + name)) {}

RedisLock::~RedisLock() { requests_->DropAll(); }

void RedisLock::Get(MonotonicTime deadline, Done<Stored> done) {
  requests_->Send(*client_->inside_, requests_->key()->GetCall(), &RecordKey::ReadGot, deadline, std::move(done));
}

void RedisLock::Create(MonotonicTime deadline, const Record& record, Done<Stored> done) {
  requests_->Send(*client_->inside_, requests_->key()->CreateCall(record), &RecordKey::ReadWritten, deadline,
                  std::move(done));
}

void RedisLock::Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) {
  requests_->Send(*client_->inside_, requests_->key()->UpdateCall(record, expected), &RecordKey::ReadWritten, deadline,
                  std::move(done));
}

std::unique_ptr<Watch> RedisLock::Observe(std::function<void(WatchEvent)> on_event) {
  auto& inside = *client_->inside_;
  auto watch =
      std::make_shared<RecordWatch>(inside.io().context(), inside.servers(), requests_->key(), std::move(on_event));
  return std::make_unique<ClientWatch>(client_, inside.io(), std::move(watch));
}

std::string RedisLock::Describe() const { return requests_->key()->key(); }

}  // namespace leaderelection
