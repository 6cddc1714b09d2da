#include "kubernetes/watch_session.h"

#include <algorithm>
#include <utility>

#include "kubernetes/api_status.h"
#include "kubernetes/lease_path.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kPatienceForHead = 10s;
// Bookmarks come about once a minute; a Lease that nobody renews is otherwise silent.
constexpr milliseconds kSilence = 150s;
constexpr milliseconds kFirstPause = 100ms;
constexpr milliseconds kLongestPause = 5s;
// A server that has just started refuses everyone until it has read who may do what. So a refusal counts only if it
// lasts; nobody waits for it, for the elector asks meanwhile.
constexpr auto kLeastRefusal = 3s;
constexpr auto kLeastRefusalAfterLife = 60s;
// A reply that ends sooner did not end because its time was up.
constexpr auto kLeastLife = 2s;

std::uint64_t OrderOf(const Json& object) {
  if (!object.is_object() || !object.contains("metadata")) return 0;
  const auto order = ParseResourceVersion(TextAt(object["metadata"], "resourceVersion"));
  return order ? *order : 0;
}

}  // namespace

WatchSession::WatchSession(const std::shared_ptr<ApiClient>& api, LeaseName lease, Listener listener)
    : api_(api), lease_(std::move(lease)), listener_(std::move(listener)) {}

void WatchSession::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  EndStream();
}

void WatchSession::Connect() {
  const auto api = api_.lock();
  if (!api) return;
  api->UseCredential([weak = weak_from_this()](const Result<Credential>& credential) {
    if (const auto self = weak.lock()) self->Open(credential);
  });
}

void WatchSession::Open(const Result<Credential>& credential) {
  EndStream();
  OpenGuarded(credential);
  listener_.deliver();
}

// What is left of the old reply must not be taken for the new one's: it is passed over until its stream is gone.
void WatchSession::EndStream() {
  std::unique_ptr<http::Streaming> ended;  // goes after the guard: it waits for callbacks, which want the mutex
  const std::lock_guard lock(mutex_);
  ended.swap(stream_);
}

void WatchSession::OpenGuarded(const Result<Credential>& credential) {
  const auto api = api_.lock();
  const std::lock_guard lock(mutex_);
  if (is_stopped_ || !api) return;
  is_retrying_ = false;
  if (!credential) {
    Fail(Ending::kFailed, credential.error());
    return Retry();
  }
  credential_ = credential->number;
  opened_ = BootClock::now();
  frames_ = WatchFrames(kLargestJson);
  // A reply without a place to go on from begins with all Leases in the order of their names.
  is_in_order_ = !resume_from_.empty() || !lease_.name.empty();
  ending_ = Ending::kByItself;
  error_ = {};
  const auto weak = weak_from_this();
  const auto with_self = [weak](auto then) {
    if (const auto self = weak.lock()) {
      then(*self);
      self->listener_.deliver();
    }
  };
  stream_ = api->Stream(
      Wish(), *credential, kSilence,
      {.on_response =
           [with_self](const http::Response& response) {
             with_self([&](WatchSession& self) { self.OnResponse(response); });
           },
       .on_piece = [with_self](std::string_view piece) { with_self([&](WatchSession& self) { self.OnPiece(piece); }); },
       .on_end = [with_self](const Status& status) { with_self([&](WatchSession& self) { self.OnEnd(status); }); }});
}

ApiRequest WatchSession::Wish() {
  // Servers end a watch after a time; asked for at random, so that not all come back at once.
  const auto time = std::chrono::duration_cast<seconds>(Between(300s, 600s));
  std::string target = LeasesPath(lease_.name_space) +
                       "?watch=1&allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(time.count());
  if (!lease_.name.empty()) target += "&fieldSelector=metadata.name%3D" + lease_.name;
  if (!resume_from_.empty()) target += "&resourceVersion=" + resume_from_;
  return {.target = std::move(target), .deadline = opened_ + kPatienceForHead};
}

void WatchSession::OnResponse(const http::Response& response) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) return;
  if (200 <= response.status && response.status < 300) {
    has_tried_other_credential_ = false;
    has_been_live_ = true;
    refused_since_.reset();
    return TellLive();
  }
  if (response.status == 410) return Fail(Ending::kExpired, {});
  Error error = TranslateRefusal(Verb::kWatch, lease_, response);
  const bool is_unauthorized = response.status == 401;
  const bool is_final = error.code == ErrorCode::kDenied || error.code == ErrorCode::kInvalid;
  Fail(is_unauthorized ? Ending::kUnauthorized : is_final ? Ending::kRefused : Ending::kFailed, std::move(error));
}

void WatchSession::OnPiece(std::string_view piece) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_ || is_retrying_) return;
  const Status fed = frames_.Feed(piece, [this](std::string_view line) { return OnLine(line); });
  if (!fed) Fail(Ending::kFailed, fed.error());
  // The rest of a reply that is of no use is not waited for.
  if (ending_ != Ending::kByItself) Retry();
}

bool WatchSession::OnLine(std::string_view line) {
  auto parsed = ParseBoundedJson(line);
  if (!parsed || !parsed->is_object() || !parsed->contains("object")) {
    const std::string why = parsed ? "it has no object" : parsed.error().message;
    Fail(Ending::kFailed, {ErrorCode::kUnknown, "an event of the watch cannot be read: " + why, std::nullopt});
    return false;
  }
  Json event = std::move(parsed).value();
  const std::string type = TextAt(event, "type");
  Json& object = event["object"];
  if (type == "ADDED" || type == "MODIFIED" || type == "DELETED") {
    TellObject(type, std::move(object));
  } else if (type == "BOOKMARK") {
    OnBookmark(object);
  } else if (type == "ERROR") {
    Fail(IsExpired(object) ? Ending::kExpired : Ending::kFailed,
         {ErrorCode::kUnknown, "the watch ended: " + Excerpt(TextAt(object, "message"), 200), std::nullopt});
  }
  return ending_ == Ending::kByItself;
}

void WatchSession::TellObject(const std::string& type, Json object) {
  const std::uint64_t order = OrderOf(object);
  if (order != 0 && is_in_order_) resume_from_ = std::to_string(order);
  listener_.queue({.kind = type == "DELETED" ? WatchEvent::Kind::kDeleted : WatchEvent::Kind::kChanged,
                   .object = std::move(object),
                   .order = order,
                   .is_renewal = type == "MODIFIED"});
}

void WatchSession::OnBookmark(const Json& object) {
  const std::uint64_t order = OrderOf(object);
  if (order == 0) return;
  is_in_order_ = true;
  resume_from_ = std::to_string(order);
}

void WatchSession::TellLive() {
  if (!std::exchange(is_live_, true)) listener_.queue({.kind = WatchEvent::Kind::kLive});
}

void WatchSession::TellLost() {
  if (std::exchange(is_live_, false)) listener_.queue({.kind = WatchEvent::Kind::kLost, .error = error_});
}

void WatchSession::Fail(Ending ending, Error error) {
  ending_ = ending;
  error_ = std::move(error);
}

void WatchSession::OnEnd(const Status& status) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_ || is_retrying_) return;
  if (ending_ == Ending::kByItself && !status) {
    Fail(Ending::kFailed, status.error());
    if (const auto api = api_.lock()) api->SuspectCredential();
  }
  Retry();
}

void WatchSession::Retry() {
  is_retrying_ = true;
  const bool has_lived = BootClock::now() - opened_ >= kLeastLife;
  if (has_lived) failures_ = 0;
  switch (ending_) {
    case Ending::kRefused:
      if (!refused_since_) refused_since_ = BootClock::now();
      if (BootClock::now() - *refused_since_ >= (has_been_live_ ? kLeastRefusalAfterLife : kLeastRefusal)) {
        return GiveUp();
      }
      TellLost();
      return RetryAfterPause(0ms);
    case Ending::kUnauthorized:
      TellLost();
      return ReplaceCredentialAndRetry();
    case Ending::kExpired:
      // Where the server finds even "as it is now" too old, waiting is all that helps.
      TellLost();
      if (std::exchange(resume_from_, "").empty()) return RetryAfterPause(0ms);
      return ConnectAt(BootClock::now());
    case Ending::kByItself:
      if (has_lived && is_in_order_) return ConnectAt(BootClock::now());
      [[fallthrough]];
    case Ending::kFailed:
      TellLost();
      return RetryAfterPause(error_.retry_after.value_or(0ms));
  }
}

void WatchSession::GiveUp() {
  is_stopped_ = true;
  listener_.queue({.kind = WatchEvent::Kind::kRefused, .error = error_});
}

void WatchSession::ReplaceCredentialAndRetry() {
  const auto api = api_.lock();
  if (!api) return;
  if (std::exchange(has_tried_other_credential_, true)) {
    has_tried_other_credential_ = false;
    return RetryAfterPause(0ms);
  }
  // Off this callback and its mutex, for the answer may come at once.
  api->At(BootClock::now(), [weak = weak_from_this(), weak_api = api_, refused = credential_] {
    const auto alive = weak_api.lock();
    if (!alive) return;
    alive->ReplaceCredential(refused, [weak, refused](const Result<Credential>& fresh) {
      const auto self = weak.lock();
      if (!self) return;
      if (fresh && fresh->number != refused) return self->Open(fresh);
      const std::lock_guard lock(self->mutex_);
      self->RetryAfterPause(0ms);
    });
  });
}

void WatchSession::RetryAfterPause(milliseconds at_least) {
  const milliseconds longest = std::min(kLongestPause, kFirstPause * (1 << std::min(failures_, 10)));
  ++failures_;
  ConnectAt(BootClock::now() + std::max(at_least, Between(longest / 2, longest)));
}

void WatchSession::ConnectAt(MonotonicTime time) {
  const auto api = api_.lock();
  if (!api || is_stopped_) return;
  api->At(time, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Connect();
  });
}

milliseconds WatchSession::Between(milliseconds low, milliseconds high) {
  return milliseconds(std::uniform_int_distribution<milliseconds::rep>(low.count(), high.count())(random_));
}

}  // namespace leaderelection
