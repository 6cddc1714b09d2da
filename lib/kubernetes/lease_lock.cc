#include "leaderelection/lease_lock.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include "kubernetes/api_client.h"
#include "kubernetes/api_status.h"
#include "kubernetes/lease_codec.h"
#include "kubernetes/lease_event.h"
#include "kubernetes/lease_names.h"
#include "kubernetes/lease_path.h"
#include "kubernetes/lease_watches.h"
#include "kubernetes/own_thread.h"
#include "kubernetes/pending_requests.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatienceForEvent = 10s;
constexpr auto kPatienceForLastEvent = 2s;

LeaseName CheckedName(const KubeClient* client, const LeaseLockOptions& options) {
  LeaseName lease{options.lease_namespace, options.lease_name};
  if (client && lease.name_space.empty() && options.use_default_namespace) {
    lease.name_space = client->config().default_namespace();
  }
  std::string wrong;
  const auto check = [&wrong](bool is_right, const std::string& what) {
    if (!is_right) wrong += (wrong.empty() ? "" : "; ") + what;
  };
  check(client, "client is null");
  check(!lease.name_space.empty(), options.use_default_namespace
                                       ? "lease_namespace is empty and the configuration names none"
                                       : "lease_namespace is empty");
  check(lease.name_space.empty() || IsDnsLabel(lease.name_space),
        "lease_namespace is not a DNS-1123 label (at most 63 of a-z, 0-9 and -)");
  check(!lease.name.empty(), "lease_name is empty");
  check(lease.name.empty() || IsDnsSubdomain(lease.name),
        "lease_name is not a DNS-1123 subdomain (at most 253 of a-z, 0-9, - and .)");
  if (!wrong.empty()) throw std::invalid_argument("LeaseLock: " + wrong);
  return lease;
}

// The holder's own writes, his last one too, keep a term or a hand-off from being late.
Urgency UrgencyOf(const Record& record, const Version& expected) {
  const Json& origin = OriginOf(expected);
  const bool is_holders =
      record.holder_identity.empty() ||
      (origin.contains("spec") && TextAt(origin["spec"], "holderIdentity") == record.holder_identity);
  return is_holders ? Urgency::kUrgent : Urgency::kNormal;
}

}  // namespace

// What requests under way refer to: it may outlive the lock, and keeps neither the lock nor the client.
class LeaseLock::Requests : public std::enable_shared_from_this<Requests> {
 public:
  Requests(LeaseName lease_name, Metadata own_labels) : lease(std::move(lease_name)), labels(std::move(own_labels)) {}

  void Send(ApiClient& api, Verb verb, MonotonicTime deadline, std::string body, Done<Stored> done,
            Urgency urgency = Urgency::kNormal) {
    ApiRequest request{.target = LeasePath(lease), .deadline = deadline, .stop = stop.get_token(), .urgency = urgency};
    if (verb == Verb::kCreate) request.target = LeasesPath(lease.name_space);
    if (verb != Verb::kGet) request.method = verb == Verb::kCreate ? "POST" : "PUT";
    request.body = std::move(body);
    const std::uint64_t number = pending.Add(std::move(done));
    api.Send(std::move(request), [self = shared_from_this(), verb, number](Result<http::Response> response) {
      self->pending.Complete(number, self->Translate(verb, response));
    });
  }

  Result<Stored> Translate(Verb verb, const Result<http::Response>& response) {
    if (!response) return response.error();
    auto stored = TranslateObject(verb, lease, *response);
    if (stored) {
      const std::lock_guard lock(mutex);
      last_seen = stored->version;
    }
    return stored;
  }

  std::optional<Version> LastSeen() {
    const std::lock_guard lock(mutex);
    return last_seen;
  }

  // An Event is under way for as long as what this gives lives.
  std::shared_ptr<void> EventUnderWay() {
    const std::lock_guard lock(mutex);
    ++events_under_way;
    return {this, [self = shared_from_this()](void*) {
              const std::lock_guard ending(self->mutex);
              if (--self->events_under_way == 0) self->no_event.notify_all();
            }};
  }

  void AwaitEvents(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    no_event.wait_for(lock, patience, [this] { return events_under_way == 0; });
  }

  const LeaseName lease;
  const Metadata labels;
  PendingRequests pending;
  std::stop_source stop;
  std::atomic<std::uint64_t> events = 0;

 private:
  std::mutex mutex;
  int events_under_way = 0;
  std::condition_variable no_event;
  std::optional<Version> last_seen;  // for Events alone: no write is ever based on it
};

LeaseLock::LeaseLock(std::shared_ptr<KubeClient> client, LeaseLockOptions options)
    : client_(std::move(client)),
      requests_(std::make_shared<Requests>(CheckedName(client_.get(), options), std::move(options.labels))) {}

// A program that stops leading and exits would else take its last Event along.
LeaseLock::~LeaseLock() {
  requests_->stop.request_stop();
  requests_->pending.DropAll();
  if (!IsInCallback()) requests_->AwaitEvents(kPatienceForLastEvent);
}

void LeaseLock::Get(MonotonicTime deadline, Done<Stored> done) {
  requests_->Send(*client_->api(), Verb::kGet, deadline, "", std::move(done));
}

void LeaseLock::Create(MonotonicTime deadline, const Record& record, Done<Stored> done) {
  auto body = EncodeNewLease(requests_->lease, requests_->labels, record);
  if (!body) return std::move(done)(body.error());
  requests_->Send(*client_->api(), Verb::kCreate, deadline, std::move(body).value(), std::move(done));
}

void LeaseLock::Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) {
  auto body = EncodeLease(expected, requests_->labels, record);
  if (!body) return std::move(done)(body.error());
  requests_->Send(*client_->api(), Verb::kUpdate, deadline, std::move(body).value(), std::move(done),
                  UrgencyOf(record, expected));
}

std::unique_ptr<Watch> LeaseLock::Observe(std::function<void(WatchEvent)> on_event) {
  return client_->watches().Observe(client_->api(), requests_->lease, std::move(on_event));
}

Record LeaseLock::Storable(Record record) const { return StorableInLease(std::move(record)); }

std::string LeaseLock::Describe() const { return requests_->lease.name_space + "/" + requests_->lease.name; }

void LeaseLock::RecordEvent(const std::string& identity, const std::string& what) {
  const auto seen = requests_->LastSeen();
  if (!seen) return;
  const auto now = std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  const auto distinction =
      static_cast<std::uint64_t>(now.time_since_epoch().count()) * 1000 + requests_->events++ % 1000;
  auto body = EncodeLeaseEvent(requests_->lease, OriginOf(*seen), identity, what, now, distinction);
  if (!body) return;
  const auto& api = client_->api();
  ApiRequest request{.method = "POST",
                     .target = EventsPath(requests_->lease.name_space),
                     .body = std::move(body).value(),
                     .deadline = BootClock::now() + kPatienceForEvent,
                     .urgency = Urgency::kBackground};
  api->Send(std::move(request), [weak = std::weak_ptr(api), lease = requests_->lease,
                                 under_way = requests_->EventUnderWay()](const Result<http::Response>& response) {
    const auto alive = weak.lock();
    if (!alive || (response && response->status == 201)) return;
    const Error error = response ? TranslateRefusal(Verb::kCreate, lease, *response) : response.error();
    alive->Log({.level = LogLevel::kDebug,
                .message = "an Event could not be written",
                .fields = {{"lock", lease.name_space + "/" + lease.name}, {"error", error.message}}});
  });
}

}  // namespace leaderelection
