#include "consul/session.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "consul/refusal.h"
#include "consul/session_settings.h"

namespace leaderelection::consul {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::size_t kRemembered = 8;
constexpr milliseconds kRenewalRetry = 1s;
constexpr milliseconds kLongestRequest = 10s;

// As it goes into paths, and into transactions.
bool IsId(const std::string& text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return ('0' <= c && c <= '9') || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '-';
  });
}

Result<std::string> ParseId(const Result<http::Response>& answer) {
  if (!answer) return answer.error();
  if (answer->status != 200) return Refusal("create a session", *answer);
  const auto body = nlohmann::json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
  if (const auto id = body.find("ID"); id != body.end() && id->is_string() && IsId(*id)) return id->get<std::string>();
  return {ErrorCode::kUnknown, "Consul's answer names no session"};
}

MonotonicTime Soonest(MonotonicTime deadline) { return std::min(deadline, BootClock::now() + kLongestRequest); }

}  // namespace

Session::Session(std::shared_ptr<Transport> transport, std::function<ConsulSession()> settings)
    : transport_(std::move(transport)), settings_(std::move(settings)), timer_(transport_->io()->context()) {}

Session::~Session() { stop_.request_stop(); }

// An answer that comes after this object has gone is nobody's.
template <class Method>
Transport::Answered Session::Bound(Method method) {
  return [weak = weak_from_this(), method](Result<http::Response> answer) {
    if (const auto self = weak.lock()) method(*self, std::move(answer));
  };
}

void Session::Ensure(MonotonicTime deadline, milliseconds lease_duration, Ready ready) {
  if (!id_.empty()) {
    if (std::exchange(resting_, false)) Renew();
    return ready(id_);
  }
  waiting_.push_back(std::move(ready));
  if (waiting_.size() > 1) return;
  ConsulSession settings;
  if (const std::string wrong = AskForSettings(settings); !wrong.empty()) {
    return std::exchange(waiting_, {}).front()(Error{ErrorCode::kInvalid, wrong, std::nullopt});
  }
  ttl_ = TtlFor(settings, lease_duration);
  transport_->Send({.method = "PUT",
                    .path = "/v1/session/create",
                    .body = SessionToJson(settings, lease_duration),
                    .deadline = Soonest(deadline),
                    .stop = stop_.get_token()},
                   Bound([](Session& self, auto answer) { self.OnCreated(std::move(answer)); }));
}

// What is wrong with them; empty: nothing.
std::string Session::AskForSettings(ConsulSession& settings) const {
  try {
    settings = settings_();
  } catch (const std::exception& error) {
    return std::string("the session's settings are not to be had: ") + error.what();
  }
  const std::string wrong = WrongSettings(settings);
  return wrong.empty() ? wrong : wrong.substr(2);
}

void Session::OnCreated(Result<http::Response> answer) {
  const Result<std::string> id = ParseId(answer);
  if (id) {
    id_ = *id;
    latest_.push_back(id_);
    if (latest_.size() > kRemembered) latest_.pop_front();
    Schedule(ttl_ / 3);
  }
  for (const Ready& ready : std::exchange(waiting_, {})) ready(id);
}

void Session::Schedule(milliseconds delay) {
  timer_.expires_after(delay);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    const auto self = weak.lock();
    if (self && !cancelled) self->OnTime();
  });
}

void Session::OnTime() {
  resting_ ? Destroy(BootClock::now() + kLongestRequest, [] {}) : Renew();
}

void Session::Renew() {
  if (id_.empty()) return;
  transport_->Send({.method = "PUT",
                    .path = "/v1/session/renew/" + id_,
                    .deadline = BootClock::now() + std::min(ttl_ / 3, kLongestRequest),
                    .stop = stop_.get_token()},
                   Bound([id = id_](Session& self, const auto& answer) { self.OnRenewed(id, answer); }));
}

void Session::OnRenewed(const std::string& id, const Result<http::Response>& answer) {
  if (id != id_) return;
  if (answer && answer->status == 404) return Forget(id);
  Schedule(answer && answer->status == 200 ? ttl_ / 3 : kRenewalRetry);
}

void Session::Rest() {
  if (id_.empty()) return;
  resting_ = true;
  Schedule(ttl_ / 3);
}

void Session::Forget(const std::string& id) {
  if (id != id_) return;
  id_.clear();
  resting_ = false;
  timer_.cancel();
}

void Session::Destroy(MonotonicTime deadline, std::function<void()> done) {
  if (!waiting_.empty()) {
    waiting_.push_back(
        [this, deadline, done = std::move(done)](const Result<std::string>&) { Destroy(deadline, done); });
    return;
  }
  when_destroyed_.push_back(std::move(done));
  ++being_destroyed_;
  if (id_.empty()) return OnDestroyed();
  const std::string id = id_;
  Forget(id);
  transport_->Send(
      {.method = "PUT", .path = "/v1/session/destroy/" + id, .deadline = deadline, .stop = stop_.get_token()},
      Bound([](Session& self, const auto&) { self.OnDestroyed(); }));
}

void Session::OnDestroyed() {
  if (--being_destroyed_ > 0) return;
  for (const auto& done : std::exchange(when_destroyed_, {})) done();
}

void Session::Abandon() {
  stop_.request_stop();
  timer_.cancel();
  when_destroyed_.clear();
}

bool Session::WasOurs(const std::string& id) const {
  return std::find(latest_.begin(), latest_.end(), id) != latest_.end();
}

}  // namespace leaderelection::consul
