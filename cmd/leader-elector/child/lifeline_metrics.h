// Extends the command's life with every renewal, and passes on what is counted.

#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "child/lifeline.h"
#include "leaderelection/metrics.h"

namespace leaderelection::command {

// The elector tells the end of a term before on_started_leading and after each acknowledged renewal, counted from when
// it was sent. The command may live `longer` than the term: it has that to end after a loss.
class LifelineMetrics final : public Metrics {
 public:
  LifelineMetrics(Lifeline& lifeline, std::chrono::nanoseconds longer, std::shared_ptr<Metrics> next)
      : lifeline_(lifeline), longer_(longer), next_(std::move(next)) {}

  void SetExpiry(std::string_view name, MonotonicTime valid_until) override {
    lifeline_.Set(valid_until + longer_);
    next_->SetExpiry(name, valid_until);
  }
  void SetLeader(std::string_view name, bool leads) override { next_->SetLeader(name, leads); }
  void CountSlowPath(std::string_view name) override { next_->CountSlowPath(name); }
  void CountRenewal(std::string_view name, std::chrono::nanoseconds latency) override {
    next_->CountRenewal(name, latency);
  }
  void CountFailure(std::string_view name, ErrorCode code) override { next_->CountFailure(name, code); }
  void CountTransition(std::string_view name) override { next_->CountTransition(name); }

 private:
  Lifeline& lifeline_;
  const std::chrono::nanoseconds longer_;
  const std::shared_ptr<Metrics> next_;
};

}  // namespace leaderelection::command
