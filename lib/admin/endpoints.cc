#include "admin/endpoints.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "json/rfc3339.h"

namespace leaderelection {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kOk = 200;
constexpr int kAccepted = 202;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kConflict = 409;
constexpr int kUnavailable = 503;

// Names come from anyone who may write the lock, so what is no UTF-8 is replaced rather than thrown at.
HttpResponse Reply(int status, const Json& body) {
  return {status, "application/json", body.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", ""};
}

HttpResponse Refusal(int status, const std::string& why) { return Reply(status, {{"error", why}}); }

std::string_view ToString(Health::State state) {
  switch (state) {
    case Health::State::kLeader:
      return "leader";
    case Health::State::kFollower:
      return "follower";
    case Health::State::kError:
      return "error";
  }
  return "error";
}

Json HealthOf(const LeaderElector& elector) {
  const Health health = elector.GetHealth();
  Json json = {{"name", elector.name()}, {"identity", elector.identity()}, {"state", ToString(health.state)}};
  if (!health.message.empty()) json["message"] = health.message;
  return json;
}

Json LeaderOf(const LeaderElector& elector) {
  Json json = {{"name", elector.name()}, {"identity", elector.identity()}, {"isLeader", elector.IsLeader()}};
  const std::optional<Term> term = elector.CurrentTerm();
  if (term && term->IsValid()) json["fencingToken"] = term->fencing_token();
  json["leader"] = nullptr;
  if (const std::optional<LeaderInfo> leader = elector.GetLeaderInfo()) {
    json["leader"] = {{"identity", leader->identity},
                      {"acquiredAt", FormatRfc3339(leader->acquired_at).value_or("")},
                      {"renewedAt", FormatRfc3339(leader->renewed_at).value_or("")},
                      {"leaseDurationMilliseconds", leader->lease_duration.count()},
                      {"timeToExpiryMilliseconds", leader->time_to_expiry.count()},
                      {"transitions", leader->transitions},
                      {"metadata", leader->metadata}};
  }
  return json;
}

template <class Function>
Json ForEach(const std::vector<LeaderElector*>& electors, Function function) {
  Json list = Json::array();
  for (const LeaderElector* elector : electors) list.push_back(function(*elector));
  return list;
}

HttpResponse Readyz(const std::vector<LeaderElector*>& electors) {
  const bool ready = !electors.empty() && std::none_of(electors.begin(), electors.end(), [](const auto* elector) {
    return elector->GetHealth().state == Health::State::kError;
  });
  return Reply(ready ? kOk : kUnavailable,
               {{"status", ready ? "ready" : "not ready"}, {"elections", ForEach(electors, HealthOf)}});
}

HttpResponse Leader(const HttpRequest& request, const std::vector<LeaderElector*>& electors) {
  const bool leads =
      std::any_of(electors.begin(), electors.end(), [](const auto* elector) { return elector->IsLeader(); });
  const bool refuse = request.Parameter("only-leader") && !leads;
  // One election is what nearly everyone has, and then a list is a nuisance.
  const Json body = electors.size() == 1 ? LeaderOf(*electors.front()) : ForEach(electors, LeaderOf);
  return Reply(refuse || electors.empty() ? kUnavailable : kOk, body);
}

}  // namespace

void Endpoints::Add(LeaderElector& elector) {
  const std::lock_guard lock(mutex_);
  electors_.push_back(&elector);
}

void Endpoints::Remove(const LeaderElector& elector) {
  const std::lock_guard lock(mutex_);
  electors_.erase(std::remove(electors_.begin(), electors_.end(), &elector), electors_.end());
}

HttpResponse Endpoints::Healthz(const Electors& electors) const {
  const bool healthy = std::all_of(electors.begin(), electors.end(),
                                   [this](const auto* elector) { return elector->Check(options_.tolerance).ok(); });
  return Reply(healthy ? kOk : kUnavailable,
               {{"status", healthy ? "healthy" : "unhealthy"}, {"elections", ForEach(electors, HealthOf)}});
}

HttpResponse Endpoints::Metrics() const {
  if (!options_.registry) return Refusal(kNotFound, "this program counts nothing");
  return {kOk, "text/plain; version=0.0.4; charset=utf-8",
          prometheus::TextSerializer().Serialize(options_.registry->Collect()), ""};
}

// The one request that changes something. A page in a browser can send it to loopback in its user's name, hence the
// look at Origin; and an address may have passed to another program since the holder wrote it down, hence the identity.
HttpResponse Endpoints::StepDown(const HttpRequest& request, const Electors& electors) const {
  using Allowed = AdminServerOptions::StepDown;
  if (options_.step_down == Allowed::kNobody) return Refusal(kForbidden, "step-down is not enabled here");
  if (options_.step_down == Allowed::kThisHost && !request.from_this_host) {
    return Refusal(kForbidden, "step-down is taken from this host only");
  }
  if (request.from_browser_page) return Refusal(kForbidden, "step-down is not taken from a page in a browser");
  const std::optional<std::string> identity = request.Parameter("identity");
  Json asked = Json::array();
  for (LeaderElector* elector : electors) {
    if (!elector->IsLeader() || (identity && *identity != elector->identity())) continue;
    elector->StepDown();
    asked.push_back(elector->name());
  }
  if (asked.empty()) {
    return Refusal(kConflict, "this program does not lead" + (identity ? " as " + *identity : std::string()));
  }
  return Reply(kAccepted, {{"steppingDown", asked}});
}

HttpResponse Endpoints::Answer(const HttpRequest& request) const {
  const std::lock_guard lock(mutex_);
  Electors electors = electors_;
  if (const auto name = request.Parameter("name"); name && !name->empty()) {
    std::erase_if(electors, [&](const LeaderElector* elector) { return elector->name() != *name; });
    if (electors.empty()) return Refusal(kNotFound, "no election '" + *name + "' here");
  }

  const bool changes = request.path == "/step-down";
  const std::string_view allow = changes ? "POST" : "GET, HEAD";
  const bool allowed = changes ? request.method == "POST" : request.method == "GET" || request.method == "HEAD";
  const auto found = [&](HttpResponse answer) {
    if (allowed) return answer;
    HttpResponse refusal = Refusal(kMethodNotAllowed, std::string(allow) + " is what " + request.path + " takes");
    refusal.allow = allow;
    return refusal;
  };
  if (changes && allowed) return StepDown(request, electors);
  if (changes) return found({});
  if (request.path == "/healthz") return found(Healthz(electors));
  if (request.path == "/readyz") return found(Readyz(electors));
  if (request.path == "/leader") return found(Leader(request, electors));
  if (request.path == "/metrics") return found(Metrics());
  return Refusal(kNotFound, "there are /healthz, /readyz, /leader, /metrics and /step-down");
}

}  // namespace leaderelection
