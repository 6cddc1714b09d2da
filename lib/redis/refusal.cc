#include "redis/refusal.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace leaderelection::redis {
namespace {

struct Meaning {
  std::string_view word;
  ErrorCode code;
  std::string_view hint;
};

// Each is said before the script has written anything: it is the first write that is refused, and nothing after the
// write can fail. See update.lua.
constexpr std::array kMeanings{
    Meaning{"NOAUTH", ErrorCode::kDenied, "a password is needed"},
    Meaning{"WRONGPASS", ErrorCode::kDenied, "wrong user name or password"},
    Meaning{"NOPERM", ErrorCode::kDenied, "not permitted to this user"},
    Meaning{"DENIED", ErrorCode::kDenied, "protected mode"},
    Meaning{"WRONGTYPE", ErrorCode::kCorrupt, "the key holds another type than a string"},
    Meaning{"OOM", ErrorCode::kThrottled, "the server is out of memory"},
    Meaning{"READONLY", ErrorCode::kThrottled, "the server is a replica"},
    Meaning{"LOADING", ErrorCode::kThrottled, "the server is loading its data"},
    Meaning{"MASTERDOWN", ErrorCode::kThrottled, "the server is a replica without its primary"},
    Meaning{"CLUSTERDOWN", ErrorCode::kThrottled, "the cluster is down"},
    Meaning{"TRYAGAIN", ErrorCode::kThrottled, "the key's slot is being moved"},
    Meaning{"BUSY", ErrorCode::kThrottled, "the server is busy with a script"},
    Meaning{"MISCONF", ErrorCode::kThrottled, "the server cannot save its data"},
    Meaning{"NOREPLICAS", ErrorCode::kThrottled, "the server has too few replicas"},
    Meaning{"MOVED", ErrorCode::kThrottled, "the key is on another node: a Cluster is to be configured as one"},
    Meaning{"ASK", ErrorCode::kThrottled,
            "the key is on its way to another node: a Cluster is to be configured as one"},
};

// "unknown command 'EVAL', with args beginning with: ..." repeats what was sent.
std::string Quotable(const std::string& text) {
  std::string quotable = text.substr(0, std::min<std::size_t>({200, text.find(", with args"), text.find('\n')}));
  std::replace_if(
      quotable.begin(), quotable.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return quotable;
}

}  // namespace

Error Refusal(const Reply& error, const std::string& server) {
  const std::string_view word = error.ErrorWord();
  const auto* meaning =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& m) { return m.word == word; });
  const std::string quoted = Quotable(error.text);
  if (meaning != kMeanings.end())
    return {meaning->code, "Redis " + server + ": " + std::string(meaning->hint) + " (" + quoted + ")", std::nullopt};
  // How Redis 7.0 says NOPERM inside a script; it does not say of what.
  if (error.text.starts_with("ERR The user executing the script")) {
    return {ErrorCode::kDenied,
            "Redis " + server + ": not permitted to this user, who needs get, set, strlen, pttl and time on the key (" +
                quoted + ")",
            std::nullopt};
  }
  const bool never_run = error.text.starts_with("ERR unknown command") || error.text.starts_with("ERR DB index") ||
                         error.text.starts_with("ERR invalid DB index") || error.text.starts_with("ERR SELECT");
  return {never_run ? ErrorCode::kInvalid : ErrorCode::kUnknown, "Redis " + server + ": " + quoted, std::nullopt};
}

Error LoginRefusal(const Reply& error, const std::string& server) {
  if (error.ErrorWord() == "LOADING") return Refusal(error, server);
  const bool needless = error.text.find("without any password configured") != std::string::npos;
  const std::string cause = error.ErrorWord() == "WRONGPASS" ? "wrong user name or password (WRONGPASS)"
                            : needless ? "a password was given, but the server's default user has none"
                                       : "the server refused AUTH";
  return {ErrorCode::kDenied, "Redis " + server + ": " + cause, std::nullopt};
}

bool MeansWrongServer(const Reply& error) {
  const std::string_view word = error.ErrorWord();
  return word == "READONLY" || word == "MASTERDOWN" || word == "NOAUTH";
}

}  // namespace leaderelection::redis
