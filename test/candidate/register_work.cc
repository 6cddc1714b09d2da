#include "candidate/register_work.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace leaderelection::candidate {
namespace {

// A read shows the number too: else a late write of an old leader could slip in between the new one's first read and
// its first write.
constexpr const char* kGuardedRead = R"(
if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'number') or '0') then return redis.error_reply('STALE') end
redis.call('HSET', KEYS[1], 'number', ARGV[1])
return redis.call('HGET', KEYS[1], 'value') or '')";

constexpr const char* kGuardedWrite = R"(
if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'number') or '0') then return redis.error_reply('STALE') end
redis.call('HSET', KEYS[1], 'number', ARGV[1], 'value', ARGV[2])
return 'OK')";

struct FreeContext {
  void operator()(redisContext* context) const { ::redisFree(context); }
};
struct FreeReply {
  void operator()(void* reply) const { ::freeReplyObject(reply); }
};

class Register {
 public:
  Register(const RegisterOptions& options, std::uint64_t number) : options_(options), number_(std::to_string(number)) {}

  // Nothing if there was no answer.
  struct Answer {
    bool stale = false;
    std::string text;
  };
  std::optional<Answer> Read() {
    if (options_.guarded) return Ask({"EVAL", kGuardedRead, "1", options_.key, number_});
    return Ask({"HGET", options_.key, "value"});
  }
  std::optional<Answer> Write(const std::string& value) {
    if (options_.guarded) return Ask({"EVAL", kGuardedWrite, "1", options_.key, number_, value});
    return Ask({"HSET", options_.key, "value", value});
  }

 private:
  std::optional<Answer> Ask(const std::vector<std::string_view>& words) {
    if (!Connect()) return std::nullopt;
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string_view word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(
        ::redisCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(), sizes.data())));
    if (!reply) {
      context_ = nullptr;
      return std::nullopt;
    }
    const std::string text = reply->str != nullptr ? std::string(reply->str, reply->len) : "";
    if (reply->type != REDIS_REPLY_ERROR) return Answer{.text = text};
    if (text.find("STALE") == std::string::npos) return std::nullopt;
    return Answer{.stale = true};
  }

  bool Connect() {
    if (context_) return true;
    const std::size_t colon = options_.address.rfind(':');
    constexpr timeval kPatience{.tv_sec = 2, .tv_usec = 0};
    context_.reset(::redisConnectWithTimeout(options_.address.substr(0, colon).c_str(),
                                             std::stoi(options_.address.substr(colon + 1)), kPatience));
    if (context_ && (context_->err != 0 || ::redisSetTimeout(context_.get(), kPatience) != REDIS_OK)) {
      context_ = nullptr;
    }
    return context_ != nullptr;
  }

  const RegisterOptions& options_;
  const std::string number_;
  std::unique_ptr<redisContext, FreeContext> context_;
};

void Think(std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, time, [] { return false; });
}

}  // namespace

void UpdateRegister(const Term& term, const RegisterOptions& options, const std::string& name,
                    const std::function<void(const std::string&)>& wrote,
                    const std::function<void(const std::string&)>& refused) {
  Register shared(options, term.fencing_token());
  const std::string prefix = name + "." + std::to_string(term.fencing_token()) + ".";
  for (std::uint64_t count = 1; term.IsValid() && !term.stop_token().stop_requested(); ++count) {
    const auto read = shared.Read();
    const std::string element = prefix + std::to_string(count);
    Think(options.think);
    if (!read) continue;
    const auto written = read->stale ? read : shared.Write(read->text + element + " ");
    if (!written) continue;
    (written->stale ? refused : wrote)(element);
  }
}

}  // namespace leaderelection::candidate
