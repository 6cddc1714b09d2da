// What is cpprestsdk's own: one thread pool per process, which a program may have made before us.

#include <gtest/gtest.h>
#include <pplx/threadpool.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "http/client_fixture.h"

namespace leaderelection::http {
namespace {

class CpprestPool : public ClientTest<Cpprest> {
 protected:
  static std::ptrdiff_t Threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
  }
  // Whether a client works, and how many threads there are beside the server's two.
  static std::ptrdiff_t ThreadsOfAWorkingClient() {
    ScriptedServer server({}, Answering([](const Asked&) { return Reply(200, "hello"); }));
    const auto client = ClientOf(server);
    return Expect(*client).body == "hello" ? Threads() - 2 : 0;
  }
};

TEST_F(CpprestPool, HasFewThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The program's own, the I/O thread, cpprestsdk's two, and the one that its resolver keeps.
  EXPECT_EXIT(
      std::exit(static_cast<int>(ThreadsOfAWorkingClient())),
      [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) > 0 && WEXITSTATUS(status) <= 6; }, "");
}

TEST_F(CpprestPool, OfTheProgramsOwnMakingWillDo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        crossplat::threadpool::initialize_with_threads(1);
        std::exit(ThreadsOfAWorkingClient() > 0 ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace leaderelection::http
