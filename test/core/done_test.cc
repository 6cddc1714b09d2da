#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "leaderelection/resource_lock.h"

namespace leaderelection {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Answers as numbers: the value, or the code of the error, negative.
class Answers {
 public:
  Done<int> MakeDone() {
    return Done<int>([this](const Result<int>& answer) {
      list_.push_back(answer ? *answer : -static_cast<int>(answer.error().code));
    });
  }
  const std::vector<int>& list() const { return list_; }

 private:
  std::vector<int> list_;
};

constexpr int kDropped = -static_cast<int>(ErrorCode::kUnknown);

TEST(Done, IsCalledOnceHoweverOftenItIsCalled) {
  Answers answers;
  {
    Done<int> done = answers.MakeDone();
    std::move(done)(1);
    std::move(done)(2);  // NOLINT(bugprone-use-after-move)
  }
  EXPECT_THAT(answers.list(), ElementsAre(1));
}

TEST(Done, DroppedUncalledAnswersUnknown) {
  Answers answers;
  { Done<int> done = answers.MakeDone(); }
  EXPECT_THAT(answers.list(), ElementsAre(kDropped));
}

TEST(Done, MovedFromSaysNothing) {
  Answers answers;
  std::optional<Done<int>> from(answers.MakeDone());
  Done<int> to(std::move(*from));
  from.reset();
  EXPECT_THAT(answers.list(), IsEmpty());
  std::move(to)(3);
  EXPECT_THAT(answers.list(), ElementsAre(3));
}

TEST(Done, AssignedOverAnswersUnknownFirst) {
  Answers old_answers;
  Answers new_answers;
  Done<int> done = old_answers.MakeDone();
  done = new_answers.MakeDone();
  EXPECT_THAT(old_answers.list(), ElementsAre(kDropped));
  std::move(done)(4);
  EXPECT_THAT(new_answers.list(), ElementsAre(4));
}

TEST(Done, MayBeDroppedInsideItsOwnCall) {
  std::optional<Done<int>> done;
  int calls = 0;
  done.emplace([&](const Result<int>&) {
    ++calls;
    done.reset();
  });
  std::move (*done)(5);
  EXPECT_EQ(calls, 1);
}

TEST(Done, OfNothingMayBeCalledAndDropped) {
  Done<int> done;
  std::move(done)(6);
}

}  // namespace
}  // namespace leaderelection
