#include "consul/lock_watch.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <utility>

#include "consul/read_key.h"
#include "net/timer.h"

namespace leaderelection::consul {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// How long the server holds an answer back if there is no news, and how much longer a living one may take: it adds up
// to a sixteenth itself.
constexpr milliseconds kWait = 30s;
constexpr milliseconds kGrace = 5s;
constexpr milliseconds kFirstAnswer = 10s;
constexpr milliseconds kFirstRetry = 100ms;
constexpr milliseconds kLongestRetry = 5s;
// Answers without news that come sooner than this are held against the server.
constexpr milliseconds kTooSoon = 1s;

}  // namespace

// On the I/O thread only.
class LockWatch::Query : public std::enable_shared_from_this<Query> {
 public:
  Query(const LockRequests& lock, std::function<void(WatchEvent)> on_event)
      : transport_(lock.transport()),
        path_(lock.path()),
        session_(lock.session()),
        on_event_(std::move(on_event)),
        timer_(transport_->io()->context()),
        random_(std::random_device()()) {}

  void Ask() {
    Call call{.path = path_, .query = {{"consistent", ""}}, .stop = stop_.get_token()};
    asked_at_ = BootClock::now();
    call.deadline = asked_at_ + kFirstAnswer;
    if (index_ != 0) {
      const milliseconds wait = Jittered(kWait);
      call.query.emplace_back("index", std::to_string(index_));
      call.query.emplace_back("wait", std::to_string(wait.count()) + "ms");
      call.deadline = asked_at_ + wait + wait / 16 + kGrace;
    }
    transport_->Send(std::move(call), [weak = weak_from_this()](const Result<http::Response>& answer) {
      if (const auto self = weak.lock()) self->OnAnswer(answer);
    });
  }

  void Stop() {
    stop_.request_stop();
    timer_.cancel();
  }

 private:
  void OnAnswer(const Result<http::Response>& answer) {
    if (stopped()) return;
    const auto read = ParseKeyRead(answer);
    if (!read) return OnBroken(read.error());
    retry_ = kFirstRetry;
    if (!std::exchange(live_, true)) Tell({.kind = WatchEvent::Kind::kLive});
    const bool news = TellState(*read);
    // An index that falls (a restored server, a key of another history) begins anew; zero would not wait.
    index_ = read->index < index_ ? 0 : std::max<std::uint64_t>(read->index, 1);
    if (news || BootClock::now() - asked_at_ >= kTooSoon || first_) {
      first_ = false;
      if (!stopped()) Ask();
    } else {
      AskAfter(Jittered(2 * kFirstRetry));
    }
  }

  void OnBroken(const Error& error) {
    const bool told = std::exchange(live_, false) || first_;
    first_ = false;
    index_ = 0;
    if (told) Tell({.kind = WatchEvent::Kind::kLost, .error = error});
    AskAfter(Jittered(retry_));
    retry_ = std::min(2 * retry_, kLongestRetry);
  }

  // Whether there was anything to tell.
  bool TellState(const KeyRead& read) {
    WatchEvent event{.kind = WatchEvent::Kind::kDeleted};
    event.stored.version.order = read.index;
    if (read.key) {
      const auto session = session_.lock();
      Finding finding = Judge(*read.key, [&](const std::string& id) { return session && session->WasOurs(id); });
      if (finding.kind == Finding::Kind::kRecord) event.kind = WatchEvent::Kind::kChanged;
      event.stored = std::move(finding.stored);
    }
    const State state{event.kind, event.stored.version.order};
    // The index of an absent key rises with every write to others.
    const bool same = told_ && told_->first == state.first &&
                      (told_->second == state.second || (!read.key && state.first == WatchEvent::Kind::kDeleted));
    const bool absent_from_the_start = !told_ && state.first == WatchEvent::Kind::kDeleted;
    if (!same) told_ = state;
    if (same || absent_from_the_start) return false;
    Tell(std::move(event));
    return true;
  }

  void Tell(WatchEvent event) {
    if (!stopped()) on_event_(std::move(event));
  }

  void AskAfter(milliseconds delay) {
    if (stopped()) return;
    timer_.expires_after(delay);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code&) {
      const auto self = weak.lock();
      if (self && !self->stopped()) self->Ask();
    });
  }

  // Watches that were broken together come back one by one.
  milliseconds Jittered(milliseconds time) {
    return milliseconds(std::uniform_int_distribution<milliseconds::rep>(time.count() / 2, time.count())(random_));
  }

  bool stopped() const { return stop_.stop_requested(); }

  using State = std::pair<WatchEvent::Kind, std::uint64_t>;

  const std::shared_ptr<Transport> transport_;
  const std::string path_;
  const std::weak_ptr<const Session> session_;
  const std::function<void(WatchEvent)> on_event_;
  std::stop_source stop_;
  net::Timer timer_;
  std::minstd_rand random_;
  MonotonicTime asked_at_{};
  std::uint64_t index_ = 0;  // zero: ask for the state as it is
  bool first_ = true;
  bool live_ = false;
  milliseconds retry_ = kFirstRetry;
  std::optional<State> told_;
};

LockWatch::LockWatch(const LockRequests& lock, std::function<void(WatchEvent)> on_event)
    : transport_(lock.transport()), query_(std::make_shared<Query>(lock, std::move(on_event))) {
  transport_->io()->Post([query = query_] { query->Ask(); });
}

LockWatch::~LockWatch() {
  transport_->io()->RunAndWait([this] { query_->Stop(); });
}

}  // namespace leaderelection::consul
