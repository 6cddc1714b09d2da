// One round of the work: a list, a look at everything in it, and a watch until it is time for the next list. Nothing is
// remembered beyond it, so whatever was missed is found again.

#pragma once

#include <leaderelection/error.h>
#include <leaderelection/log.h>
#include <leaderelection/term.h>

#include <chrono>
#include <string>

#include "config_maps.h"

namespace example_operator {

class Round {
 public:
  // What fails is to be tried again after `retry_after`, by another round.
  Round(ConfigMaps& maps, const leaderelection::Term& term, std::chrono::seconds retry_after,
        const leaderelection::LogSink& log);

  // Success if the round came to its natural end, or a stop was requested.
  [[nodiscard]] leaderelection::Status Run();

 private:
  // Notes what failed: it must not keep the other ConfigMaps waiting.
  void Reconcile(const ConfigMap& map);
  [[nodiscard]] leaderelection::Status Write(const ConfigMap& map, const std::string& checksum);
  void Warn(const char* message, const ConfigMap& map) const;

  ConfigMaps& maps_;
  const leaderelection::Term& term_;
  const std::chrono::seconds retry_after_;
  const leaderelection::LogSink& log_;
  std::chrono::steady_clock::time_point until_;
  leaderelection::Status outcome_ = std::monostate();
};

}  // namespace example_operator
