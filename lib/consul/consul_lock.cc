#include "leaderelection/consul_lock.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "consul/lock_requests.h"
#include "consul/lock_watch.h"
#include "consul/session_settings.h"
#include "consul/transport.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongestKey = 512;
// How long the destructor waits for the session's end.
constexpr std::chrono::milliseconds kFarewell = 1s;

std::string WrongKey(const std::string& key) {
  if (key.empty()) return "; key is empty";
  std::string wrong;
  if (key.size() > kLongestKey) wrong += "; key is longer than " + std::to_string(kLongestKey) + " bytes";
  if (key.front() == '/' || key.back() == '/') wrong += "; key begins or ends with a slash";
  for (const char c : key) {
    if (static_cast<unsigned char>(c) < ' ') return wrong + "; key holds a control character";
  }
  try {
    (void)nlohmann::json(key).dump();
  } catch (const nlohmann::json::exception&) {
    wrong += "; key is not UTF-8";
  }
  return wrong;
}

std::shared_ptr<consul::LockRequests> MakeRequests(const std::shared_ptr<consul::Transport>& transport,
                                                   ConsulLockOptions options) {
  std::string wrong = transport ? "" : "; client is missing";
  wrong += WrongKey(options.key) + consul::WrongSettings(options.session);
  if (!wrong.empty()) throw std::invalid_argument("ConsulLock: " + wrong.substr(2));
  return std::make_shared<consul::LockRequests>(transport, std::move(options));
}

}  // namespace

ConsulClient::ConsulClient(const ConsulOptions& options) : transport_(consul::Transport::Make(options)) {}

ConsulClient::~ConsulClient() = default;

ConsulLock::ConsulLock(std::shared_ptr<ConsulClient> client, ConsulLockOptions options)
    : client_(std::move(client)),
      requests_(MakeRequests(client_ ? client_->transport_ : nullptr, std::move(options))) {}

ConsulLock::~ConsulLock() { requests_->Close(BootClock::now() + kFarewell); }

void ConsulLock::Get(MonotonicTime deadline, Done<Stored> done) { requests_->Get(deadline, std::move(done)); }

void ConsulLock::Create(MonotonicTime deadline, const Record& record, Done<Stored> done) {
  requests_->Create(deadline, record, std::move(done));
}

void ConsulLock::Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) {
  requests_->Update(deadline, record, expected, std::move(done));
}

std::unique_ptr<Watch> ConsulLock::Observe(std::function<void(WatchEvent)> on_event) {
  return std::make_unique<consul::LockWatch>(*requests_, std::move(on_event));
}

std::string ConsulLock::Describe() const { return requests_->key(); }

}  // namespace leaderelection
