// The log that leaders write to: one ConfigMap, replaced by its version, that refuses whoever comes with a smaller
// number than it has seen. It is the third system of which the library's promise speaks.
//
// It keeps one line of JSON for each term, not for each entry, so that a night of entries stays far below the 1 MiB
// that an API server takes: entries are numbered from 1 without gaps, and a term says which ones are its own.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "kubernetes/bounded_json.h"
#include "leaderelection/clock.h"
#include "leaderelection/kube_client.h"

namespace leaderelection::witness {

struct Writer {
  std::string identity;
  std::uint64_t number = 0;  // the fencing number of its term
};

struct Acknowledged {
  std::uint64_t entry = 0;
};
struct Refused {
  std::uint64_t stored = 0;  // a larger number than the writer's, or the same one of another writer
};
// What else can come: no answer, a conflict, an error. The entry may have been written all the same, unless it says
// otherwise; it was not acknowledged.
struct Failed {
  std::string why;
};
struct Attempt {
  MonotonicTime sent;  // just before the entry was handed to the client, or before a read that failed
  std::variant<Acknowledged, Refused, Failed> outcome;
};

// The content of the log with one more entry of this writer, or why it is refused. `content` is what is stored.
struct Appended {
  std::string content;
  std::uint64_t entry = 0;
};
[[nodiscard]] std::variant<Appended, Refused> AppendTo(const std::string& content, const Writer& writer,
                                                       MonotonicTime sent);

// For one thread.
class FencedLog {
 public:
  FencedLog(std::shared_ptr<KubeClient> client, std::string config_map);

  // Reads the log if it is not known, and writes it with one more entry. Bounded by `patience`.
  [[nodiscard]] Attempt Append(const Writer& writer, std::chrono::milliseconds patience);

 private:
  [[nodiscard]] Result<Json> Ask(const std::string& method, const std::string& body, MonotonicTime deadline);

  const std::shared_ptr<KubeClient> client_;
  const std::string path_;
  std::optional<Json> known_;  // the object as last read or written; none after a failure
};

}  // namespace leaderelection::witness
