// The leader's work: every managed ConfigMap carries the checksum of its contents, written with the term's number.

#pragma once

#include <leaderelection/log.h>
#include <leaderelection/term.h>

#include <string>

#include "http_client.h"

namespace example_operator {

// Thread-safe: it keeps nothing from one term to the next.
class Reconciler {
 public:
  Reconciler(ServerSettings server, std::string name_space, leaderelection::LogSink log);

  // Returns when the term's stop token is requested, at once whatever it waits for. Failures are logged and tried
  // again, after a while that grows to half a minute.
  void Work(const leaderelection::Term& term) const;

 private:
  const ServerSettings server_;
  const std::string name_space_;
  const leaderelection::LogSink log_;
};

}  // namespace example_operator
