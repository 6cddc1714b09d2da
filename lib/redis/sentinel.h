// Asks the sentinels who the primary is.

#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "redis/finder.h"
#include "redis/link.h"

namespace leaderelection::redis {

// Lives on the context's thread. Asks one after the other, the last that answered first, each with its share of the
// time. What they say may be behind: whoever connects asks the server itself for its role.
class SentinelFinder final : public Finder, public std::enable_shared_from_this<SentinelFinder> {
 public:
  SentinelFinder(boost::asio::io_context& context, std::vector<net::Endpoint> sentinels, std::string master,
                 LinkSettings settings);

  void Find(MonotonicTime deadline, Found found) override;

 private:
  struct Search;

  void AskNext(const std::shared_ptr<Search>& search);
  void Ask(const std::shared_ptr<Search>& search, MonotonicTime deadline);
  void Introduced(const std::shared_ptr<Search>& search, MonotonicTime deadline, const Status& status);
  void Answered(const std::shared_ptr<Search>& search, const Result<Reply>& reply);
  void Failed(const std::shared_ptr<Search>& search, const Error& why);
  void End(const std::shared_ptr<Search>& search, Result<net::Endpoint> result);

  boost::asio::io_context& context_;
  const std::vector<net::Endpoint> sentinels_;
  const std::string master_;
  const LinkSettings settings_;
  std::size_t preferred_ = 0;
  std::set<std::shared_ptr<Search>> searches_;  // under way; they go with the finder
};

}  // namespace leaderelection::redis
