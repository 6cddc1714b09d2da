#include "kubernetes/lease_watch.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "kubernetes/api_status.h"
#include "kubernetes/lease_path.h"
#include "kubernetes/watch_frames.h"

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

}  // namespace

// One reply at a time. Its callbacks come one after another; Connect and Stop come from elsewhere, so all share a
// mutex, which is never held while the watcher is told or a stream is destroyed.
class LeaseWatch::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(const std::shared_ptr<ApiClient>& api, LeaseName lease, std::shared_ptr<Mailbox> mailbox)
      : api_(api), lease_(std::move(lease)), mailbox_(std::move(mailbox)) {}

  void Connect();
  void Stop();

 private:
  // How a reply ended, as far as it is not known from its end alone.
  enum class Ending { kByItself, kExpired, kRefused, kUnauthorized, kFailed };

  void Open(const Result<Credential>& credential);
  void EndStream();
  void OpenGuarded(const Result<Credential>& credential);
  void OnResponse(const http::Response& response);
  void OnPiece(std::string_view piece);
  void OnEnd(const Status& status);
  bool OnLine(std::string_view line);

  // All of these are called with the mutex held; what they have to tell is told by Deliver, without it.
  void Tell(WatchEvent event) { mailbox_->Enqueue(std::move(event)); }
  void TellLive();
  void TellLost();
  void TellChange(Json object);
  void TellDeletion(const Json& object);
  void Fail(Ending ending, Error error);
  void Retry();
  void GiveUp();
  void RetryAfterPause(milliseconds at_least);
  void ConnectAt(MonotonicTime time);
  void ReplaceCredentialAndRetry();

  [[nodiscard]] ApiRequest Wish();
  milliseconds Between(milliseconds low, milliseconds high);

  const std::weak_ptr<ApiClient> api_;
  const LeaseName lease_;
  const std::shared_ptr<Mailbox> mailbox_;

  std::mutex mutex_;
  bool is_stopped_ = false;
  bool is_retrying_ = false;  // the present reply is of no use any more, and the next one is on its way
  std::unique_ptr<http::Streaming> stream_;
  std::string resume_from_;  // a resourceVersion; empty: begin with the Lease as it is
  bool is_live_ = false;
  bool has_been_live_ = false;
  int failures_ = 0;  // in a row
  std::optional<MonotonicTime> refused_since_;
  std::minstd_rand random_{std::random_device()()};
  // Of the present reply:
  std::uint64_t credential_ = 0;
  MonotonicTime opened_{};
  WatchFrames frames_{kLargestJson};
  Ending ending_ = Ending::kByItself;
  Error error_;
  bool has_tried_other_credential_ = false;
};

LeaseWatch::LeaseWatch(const std::shared_ptr<ApiClient>& api, const LeaseName& lease,
                       std::function<void(WatchEvent)> on_event)
    : api_(api),
      mailbox_(std::make_shared<Mailbox>(std::move(on_event))),
      session_(std::make_shared<Session>(api, lease, mailbox_)) {
  session_->Connect();
}

LeaseWatch::~LeaseWatch() {
  mailbox_->Close();
  session_->Stop();
}

void LeaseWatch::Session::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  EndStream();
}

void LeaseWatch::Session::Connect() {
  const auto api = api_.lock();
  if (!api) return;
  api->UseCredential([weak = weak_from_this()](const Result<Credential>& credential) {
    if (const auto self = weak.lock()) self->Open(credential);
  });
}

void LeaseWatch::Session::Open(const Result<Credential>& credential) {
  EndStream();
  OpenGuarded(credential);
  mailbox_->Deliver();
}

// What is left of the old reply must not be taken for the new one's: it is passed over until its stream is gone.
void LeaseWatch::Session::EndStream() {
  std::unique_ptr<http::Streaming> ended;  // goes after the guard: it waits for callbacks, which want the mutex
  const std::lock_guard lock(mutex_);
  ended.swap(stream_);
}

void LeaseWatch::Session::OpenGuarded(const Result<Credential>& credential) {
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
  ending_ = Ending::kByItself;
  error_ = {};
  const auto weak = weak_from_this();
  const auto with_self = [weak](auto then) {
    if (const auto self = weak.lock()) {
      then(*self);
      self->mailbox_->Deliver();
    }
  };
  stream_ = api->Stream(
      Wish(), *credential, kSilence,
      {.on_response =
           [with_self](const http::Response& response) {
             with_self([&](Session& self) { self.OnResponse(response); });
           },
       .on_piece = [with_self](std::string_view piece) { with_self([&](Session& self) { self.OnPiece(piece); }); },
       .on_end = [with_self](const Status& status) { with_self([&](Session& self) { self.OnEnd(status); }); }});
}

ApiRequest LeaseWatch::Session::Wish() {
  // Servers end a watch after a time; asked for at random, so that not all come back at once.
  const auto time = std::chrono::duration_cast<seconds>(Between(300s, 600s));
  std::string target = LeasesPath(lease_.name_space) +
                       "?watch=1&allowWatchBookmarks=true&fieldSelector=metadata.name%3D" + lease_.name +
                       "&timeoutSeconds=" + std::to_string(time.count());
  if (!resume_from_.empty()) target += "&resourceVersion=" + resume_from_;
  return {.target = std::move(target), .deadline = opened_ + kPatienceForHead};
}

void LeaseWatch::Session::OnResponse(const http::Response& response) {
  const std::lock_guard lock(mutex_);
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

void LeaseWatch::Session::OnPiece(std::string_view piece) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_ || is_retrying_) return;
  const Status fed = frames_.Feed(piece, [this](std::string_view line) { return OnLine(line); });
  if (!fed) Fail(Ending::kFailed, fed.error());
  // The rest of a reply that is of no use is not waited for.
  if (ending_ != Ending::kByItself) Retry();
}

bool LeaseWatch::Session::OnLine(std::string_view line) {
  auto parsed = ParseBoundedJson(line);
  if (!parsed || !parsed->is_object() || !parsed->contains("object")) {
    const std::string why = parsed ? "it has no object" : parsed.error().message;
    Fail(Ending::kFailed, {ErrorCode::kUnknown, "an event of the watch cannot be read: " + why, std::nullopt});
    return false;
  }
  Json event = std::move(parsed).value();
  const std::string type = TextAt(event, "type");
  Json& object = event["object"];
  if (type == "ADDED" || type == "MODIFIED") {
    TellChange(std::move(object));
  } else if (type == "DELETED") {
    TellDeletion(object);
  } else if (type == "BOOKMARK" && object.contains("metadata")) {
    const auto order = ParseResourceVersion(TextAt(object["metadata"], "resourceVersion"));
    if (order) resume_from_ = std::to_string(*order);
  } else if (type == "ERROR") {
    Fail(IsExpired(object) ? Ending::kExpired : Ending::kFailed,
         {ErrorCode::kUnknown, "the watch ended: " + Excerpt(TextAt(object, "message"), 200), std::nullopt});
  }
  return ending_ == Ending::kByItself;
}

// An object that is no Lease of an election is for a read to report: kLive makes the elector ask.
void LeaseWatch::Session::TellChange(Json object) {
  auto stored = DecodeLease(std::move(object), lease_);
  if (!stored) {
    TellLost();
    return TellLive();
  }
  resume_from_ = std::to_string(stored->version.order);
  Tell({.kind = WatchEvent::Kind::kChanged, .stored = std::move(stored).value()});
}

void LeaseWatch::Session::TellDeletion(const Json& object) {
  const auto order =
      ParseResourceVersion(object.contains("metadata") ? TextAt(object["metadata"], "resourceVersion") : "");
  if (!order) {
    TellLost();
    return TellLive();
  }
  resume_from_ = std::to_string(*order);
  Tell({.kind = WatchEvent::Kind::kDeleted, .stored = {.version = {.order = *order}}});
}

void LeaseWatch::Session::TellLive() {
  if (!std::exchange(is_live_, true)) Tell({.kind = WatchEvent::Kind::kLive});
}

void LeaseWatch::Session::TellLost() {
  if (std::exchange(is_live_, false)) Tell({.kind = WatchEvent::Kind::kLost, .error = error_});
}

void LeaseWatch::Session::Fail(Ending ending, Error error) {
  ending_ = ending;
  error_ = std::move(error);
}

void LeaseWatch::Session::OnEnd(const Status& status) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_ || is_retrying_) return;
  if (ending_ == Ending::kByItself && !status) {
    Fail(Ending::kFailed, status.error());
    if (const auto api = api_.lock()) api->SuspectCredential();
  }
  Retry();
}

void LeaseWatch::Session::Retry() {
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
      if (has_lived) return ConnectAt(BootClock::now());
      [[fallthrough]];
    case Ending::kFailed:
      TellLost();
      return RetryAfterPause(error_.retry_after.value_or(0ms));
  }
}

void LeaseWatch::Session::GiveUp() {
  is_stopped_ = true;
  Tell({.kind = WatchEvent::Kind::kRefused, .error = error_});
  const auto api = api_.lock();
  if (!api) return;
  api->Log({.level = LogLevel::kWarning,
            .message = "the watch on the Lease is refused; polling instead",
            .fields = {{"lock", lease_.name_space + "/" + lease_.name}, {"error", error_.message}}});
}

void LeaseWatch::Session::ReplaceCredentialAndRetry() {
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

void LeaseWatch::Session::RetryAfterPause(milliseconds at_least) {
  const milliseconds longest = std::min(kLongestPause, kFirstPause * (1 << std::min(failures_, 10)));
  ++failures_;
  ConnectAt(BootClock::now() + std::max(at_least, Between(longest / 2, longest)));
}

void LeaseWatch::Session::ConnectAt(MonotonicTime time) {
  const auto api = api_.lock();
  if (!api || is_stopped_) return;
  api->At(time, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Connect();
  });
}

milliseconds LeaseWatch::Session::Between(milliseconds low, milliseconds high) {
  return milliseconds(std::uniform_int_distribution<milliseconds::rep>(low.count(), high.count())(random_));
}

}  // namespace leaderelection
