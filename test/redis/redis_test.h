// What the tests on real servers have in common.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "leaderelection/redis_lock.h"
#include "leaderelection/testing/lock_client.h"
#include "leaderelection/testing/lock_contract.h"
#include "leaderelection/testing/watch_log.h"
#include "redis/redis_servers.h"

namespace leaderelection::testing {

inline constexpr std::chrono::seconds kPatience{30};

class RedisTest : public ::testing::Test {
 protected:
  void SetUp() override { RequireRedis(); }

  static LockClient Client(const RedisOptions& options, const std::string& name) {
    return {std::make_shared<RedisLock>(std::make_shared<RedisClient>(options), name), kPatience};
  }
};

inline MonotonicTime In(std::chrono::milliseconds time) { return BootClock::now() + time; }

// Repeats the question until the answer is liked; looks a few times a second.
inline ::testing::AssertionResult Eventually(const std::function<bool()>& likes) {
  const MonotonicTime end = In(kPatience);
  std::promise<void> never;
  while (!likes()) {
    if (BootClock::now() > end) return ::testing::AssertionFailure() << "not within " << kPatience.count() << " s";
    never.get_future().wait_for(std::chrono::milliseconds(50));
    never = {};
  }
  return ::testing::AssertionSuccess();
}

// Asks again until there is a definite answer, as an elector would.
inline Result<Stored> GetDefinitely(const LockClient& client) {
  Result<Stored> answer = client.Get(In(std::chrono::seconds(2)));
  EXPECT_TRUE(Eventually([&] {
    if (answer || answer.error().code == ErrorCode::kNotFound) return true;
    answer = client.Get(In(std::chrono::seconds(2)));
    return false;
  })) << answer.error().message;
  return answer;
}

inline Record Lasting(std::chrono::milliseconds duration, const std::string& holder) {
  Record record = contract::HeldBy(holder);
  record.lease_duration = duration;
  return record;
}

MATCHER_P2(FailsWith, code, text, "") {
  if (arg.ok()) {
    *result_listener << "it succeeded";
    return false;
  }
  *result_listener << ToString(arg.error().code) << ": " << arg.error().message;
  return arg.error().code == code && arg.error().message.find(text) != std::string::npos;
}

}  // namespace leaderelection::testing
