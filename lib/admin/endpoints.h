// What the endpoints answer.

#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "admin/http_server.h"
#include "leaderelection/admin_server.h"

namespace leaderelection {

// Thread-safe.
class Endpoints {
 public:
  explicit Endpoints(AdminServerOptions options) : options_(std::move(options)) {}

  void Add(LeaderElector& elector);
  void Remove(const LeaderElector& elector);

  [[nodiscard]] HttpResponse Answer(const HttpRequest& request) const;

 private:
  using Electors = std::vector<LeaderElector*>;

  [[nodiscard]] HttpResponse Healthz(const Electors& electors) const;
  [[nodiscard]] HttpResponse StepDown(const HttpRequest& request, const Electors& electors) const;
  [[nodiscard]] HttpResponse Metrics() const;

  const AdminServerOptions options_;
  mutable std::mutex mutex_;  // held while an answer is made, so that no elector goes meanwhile
  Electors electors_;
};

}  // namespace leaderelection
