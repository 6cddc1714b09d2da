#include "net/lookup.h"

#include <gtest/gtest.h>

#include <memory>

#include "net/answer_box.h"
#include "net/io_thread.h"
#include "net/name_server.h"

namespace leaderelection::net {
namespace {

using testing::AnswerBox;
using testing::NameServer;

Result<Addresses> LookUp(const std::string& host, const std::string& name_server = "") {
  IoThread io;
  AnswerBox<Result<Addresses>> box;
  std::unique_ptr<Lookup> lookup;
  io.RunAndWait([&] {
    lookup = std::make_unique<Lookup>(io.context(), host, Lookup::Options{name_server},
                                      [&](Result<Addresses> found) { box.Put(std::move(found)); });
  });
  auto found = box.Take();
  io.RunAndWait([&] { lookup.reset(); });
  return found;
}

boost::asio::ip::address Address(const char* text) { return boost::asio::ip::make_address(text); }

TEST(Lookup, AnAddressIsItself) {
  EXPECT_EQ(LookUp("::1").value(), Addresses{Address("::1")});
  EXPECT_EQ(LookUp("127.0.0.1").value(), Addresses{Address("127.0.0.1")});
}

TEST(Lookup, LocalhostNeedsNoNameServer) {
  const NameServer silent(NameServer::Manner::kSilent);
  const auto found = LookUp("localhost", silent.address());
  ASSERT_TRUE(found.ok()) << found.error().message;
  for (const auto& address : *found) EXPECT_TRUE(address.is_loopback());
}

TEST(Lookup, TheNameServersAddressesAreFound) {
  const NameServer server(NameServer::Manner::kAnswers, {"127.0.0.7", "127.0.0.8"});
  const auto found = LookUp("lock.example", server.address());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->size(), 2u);
}

TEST(Lookup, AnUnknownNameIsNamed) {
  const NameServer server(NameServer::Manner::kKnowsNothing);
  const auto found = LookUp("nowhere.example", server.address());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kUnknown);
  EXPECT_EQ(found.error().message, "cannot look up nowhere.example: Domain name not found");
}

TEST(Lookup, ASilentNameServerHoldsNothingUp) {
  const NameServer silent(NameServer::Manner::kSilent);
  IoThread io;
  int calls = 0;
  std::unique_ptr<Lookup> lookup;
  io.RunAndWait([&] {
    lookup = std::make_unique<Lookup>(io.context(), "lock.example", Lookup::Options{silent.address()},
                                      [&](const Result<Addresses>&) { ++calls; });
  });
  io.RunAndWait([&] { lookup.reset(); });
  EXPECT_EQ(calls, 0);
}

TEST(Lookup, GoesWithItsThreadInTheMiddle) {
  const NameServer silent(NameServer::Manner::kSilent);
  auto kept = std::make_shared<int>(0);
  {
    IoThread io;
    io.RunAndWait([&] {
      auto lookup = std::make_shared<std::unique_ptr<Lookup>>();
      *lookup = std::make_unique<Lookup>(io.context(), "lock.example", Lookup::Options{silent.address()},
                                         [kept](const Result<Addresses>&) { ++*kept; });
      io.Post([lookup] {});
      io.context().stop();
    });
  }
  EXPECT_EQ(*kept, 0);
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace leaderelection::net
