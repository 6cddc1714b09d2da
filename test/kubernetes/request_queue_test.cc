#include "kubernetes/request_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace leaderelection {
namespace {

using namespace std::chrono_literals;
using std::vector;

// Requests that end when the test says so.
class Requests {
 public:
  ~Requests() { ForgetQueue(); }  // before the places go: those that wait still do not begin any more
  void Enter(const std::string& name, Urgency urgency = Urgency::kNormal, std::chrono::seconds deadline = 10s) {
    queue_->Enter(urgency, now_ + deadline, [this, name](RequestQueue::Place place) {
      if (!place) return turned_away_.push_back(name);
      begun_.push_back(name);
      under_way_[name] = std::move(place);
    });
  }
  void Enter(int count, Urgency urgency) {
    for (int i = 0; i < count; ++i) Enter("first-" + std::to_string(entered_++), urgency);
    begun_.clear();
  }
  void End(const std::string& name) { under_way_.erase(name); }
  void ForgetQueue() { queue_.reset(); }
  void Pass(std::chrono::milliseconds time) { now_ += time; }

  // Those that have begun since the last time it was asked.
  vector<std::string> Begun() { return std::exchange(begun_, {}); }
  std::size_t under_way() const { return under_way_.size(); }
  MonotonicTime now() const { return now_; }
  const vector<std::string>& turned_away() const { return turned_away_; }

 private:
  MonotonicTime now_{};
  std::shared_ptr<RequestQueue> queue_ = std::make_shared<RequestQueue>([this] { return now_; });
  vector<std::string> turned_away_;
  int entered_ = 0;
  vector<std::string> begun_;
  std::map<std::string, RequestQueue::Place> under_way_;
};

TEST(RequestQueue, BeginsAtOnceWhileThereIsRoom) {
  Requests requests;
  requests.Enter("a");
  requests.Enter("b");
  EXPECT_EQ(requests.Begun(), (vector<std::string>{"a", "b"}));
}

TEST(RequestQueue, NeverHasMoreThanItsRoomUnderWayHoweverMany) {
  Requests requests;
  requests.Enter(1000, Urgency::kUrgent);
  EXPECT_EQ(requests.under_way(), 32U);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LE(requests.under_way(), 32U);
    requests.End("first-" + std::to_string(i));
  }
  EXPECT_EQ(requests.under_way(), 0U);
  EXPECT_EQ(requests.Begun().size(), 968U);
}

TEST(RequestQueue, ARenewalFindsRoomThoughAllOthersHang) {
  Requests requests;
  requests.Enter(100, Urgency::kBackground);
  EXPECT_EQ(requests.under_way(), 4U);
  requests.Enter(100, Urgency::kNormal);
  EXPECT_EQ(requests.under_way(), 24U);
  requests.Enter("renewal", Urgency::kUrgent);
  EXPECT_EQ(requests.Begun(), vector<std::string>{"renewal"});
}

TEST(RequestQueue, TheMoreUrgentGoesFirstAndThenTheOneWithLessTime) {
  Requests requests;
  requests.Enter(32, Urgency::kUrgent);
  requests.Enter("event", Urgency::kBackground, 1s);
  requests.Enter("read with time", Urgency::kNormal, 9s);
  requests.Enter("read in a hurry", Urgency::kNormal, 2s);
  requests.Enter("renewal", Urgency::kUrgent, 20s);
  EXPECT_EQ(requests.Begun(), vector<std::string>{});
  for (int i = 0; i < 32; ++i) requests.End("first-" + std::to_string(i));
  EXPECT_EQ(requests.Begun(), (vector<std::string>{"renewal", "read in a hurry", "read with time", "event"}));
}

TEST(RequestQueue, WhoseTimeIsOverIsTurnedAwayUnsent) {
  Requests requests;
  requests.Enter(32, Urgency::kUrgent);
  requests.Enter("late", Urgency::kUrgent, 1s);
  requests.Enter("in time", Urgency::kUrgent, 3s);
  requests.Pass(2s);
  requests.End("first-0");
  EXPECT_EQ(requests.turned_away(), vector<std::string>{"late"});
  EXPECT_EQ(requests.Begun(), vector<std::string>{"in time"});
}

// Nobody would get an answer in time if each were sent when its time is almost over.
TEST(RequestQueue, AServerThatIsTooSlowForAllIsNotAskedForWhatWouldComeTooLate) {
  Requests requests;
  constexpr int kWaiting = 1000;
  for (int i = 0; i < kWaiting; ++i) requests.Enter("read-" + std::to_string(i), Urgency::kNormal, 3s);
  // It answers each after 300 ms: 80 a second.
  int answered = 0;
  for (auto begun = requests.Begun(); !begun.empty(); begun = requests.Begun()) {
    requests.Pass(300ms);
    for (const std::string& name : begun) {
      answered += requests.now() <= MonotonicTime(3s);
      requests.End(name);
    }
  }
  EXPECT_GE(answered, 8 * 24);
  EXPECT_EQ(static_cast<int>(requests.turned_away().size()) + answered, kWaiting) << "none was sent in vain";
}

TEST(RequestQueue, HoweverSlowTheServerWasWhoHasASecondIsNotTurnedAway) {
  Requests requests;
  requests.Enter(32, Urgency::kUrgent);
  requests.Pass(10min);
  for (int i = 1; i < 32; ++i) requests.End("first-" + std::to_string(i));
  for (int i = 0; i < 31; ++i) requests.Enter("again-" + std::to_string(i), Urgency::kUrgent);
  requests.Enter("renewal", Urgency::kUrgent, 1s);
  requests.End("first-0");
  EXPECT_EQ(requests.Begun().back(), "renewal");
}

TEST(RequestQueue, OneThatFailsAtOnceMakesRoomForTheNext) {
  const auto queue = std::make_shared<RequestQueue>();
  int begun = 0;
  for (int i = 0; i < 100; ++i) queue->Enter(Urgency::kNormal, kNever, [&](const RequestQueue::Place&) { ++begun; });
  EXPECT_EQ(begun, 100);
}

TEST(RequestQueue, APlaceMayOutliveIt) {
  Requests requests;
  requests.Enter(40, Urgency::kUrgent);
  requests.ForgetQueue();
  requests.End("first-0");
  EXPECT_EQ(requests.Begun(), vector<std::string>{});
}

}  // namespace
}  // namespace leaderelection
