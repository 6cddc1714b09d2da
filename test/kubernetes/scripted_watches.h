// A server's side of watches, for ScriptedApi.

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/scripted_api.h"
#include "leaderelection/testing/watch_log.h"

namespace leaderelection::testing {

inline constexpr const char* kJson = "Content-Type: application/json\r\n";

inline std::string Event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
inline std::string Bookmark(int version) {
  return Event("BOOKMARK", R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"resourceVersion":")" +
                               std::to_string(version) + R"("}})");
}

// What becomes of a connection on which a watch was asked for.
using WatchScript = std::function<bool(Conversation&)>;  // whether it goes on

inline WatchScript Sends(const std::string& bytes) {
  return [bytes](Conversation& client) { return client.Send(bytes); };
}
// A reply that goes on.
inline WatchScript Stays(const std::string& lines) {
  return [lines](Conversation& client) {
    client.Send(std::string(kChunkedHead) + (lines.empty() ? "" : Chunk(lines)));
    client.Swallow();
    return false;
  };
}
// One that breaks after these.
inline WatchScript Breaks(const std::string& lines) {
  return [lines](Conversation& client) {
    client.Send(std::string(kChunkedHead) + Chunk(lines));
    client.Reset();
    return false;
  };
}

// Answers the first watch with the first script, and so on; the last one serves all that follow. Watches of one Lease
// may be left out of that: each then goes on without a word.
class Watches {
 public:
  enum class Of { kAll, kNamespaces };
  explicit Watches(std::vector<WatchScript> scripts, Of of = Of::kAll) : state_(std::make_shared<State>()) {
    state_->scripts = std::move(scripts);
    state_->of = of;
  }

  void operator()(Conversation& client) const {
    Requests requests(client);
    while (const auto asked = requests.Next()) {
      state_->notes.Add(*asked);
      const bool is_left_out = state_->of == Of::kNamespaces && IsOfOneLease(*asked);
      if (!(is_left_out ? Stays("") : Next())(client)) return;
    }
  }

  [[nodiscard]] const Notes& notes() const { return state_->notes; }
  [[nodiscard]] std::vector<std::string> OfNamespace() const { return Targets(false); }
  [[nodiscard]] std::vector<std::string> OfOneLease() const { return Targets(true); }

 private:
  struct State {
    std::vector<WatchScript> scripts;
    Of of = Of::kAll;
    Notes notes;
    std::mutex mutex;
    std::size_t next = 0;
  };

  static bool IsOfOneLease(const Asked& asked) { return asked.target.find("fieldSelector") != std::string::npos; }
  [[nodiscard]] std::vector<std::string> Targets(bool of_one_lease) const {
    std::vector<std::string> targets;
    for (const Asked& asked : state_->notes.all()) {
      if (IsOfOneLease(asked) == of_one_lease) targets.push_back(asked.target);
    }
    return targets;
  }
  [[nodiscard]] const WatchScript& Next() const {
    const std::lock_guard lock(state_->mutex);
    return state_->scripts[std::min(state_->next++, state_->scripts.size() - 1)];
  }

  std::shared_ptr<State> state_;
};

inline std::vector<WatchEvent::Kind> KindsOf(const WatchLog& log) {
  std::vector<WatchEvent::Kind> kinds;
  for (const WatchEvent& event : log.events()) kinds.push_back(event.kind);
  return kinds;
}

}  // namespace leaderelection::testing
