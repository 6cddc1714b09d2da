#include "leaderelection/leader_elector.h"

#include <utility>

#include "core/candidacy.h"
#include "core/config_check.h"

namespace leaderelection {

LeaderElector::LeaderElector(LeaderElectionConfig config)
    : candidacy_(std::make_unique<Candidacy>(Checked(std::move(config)))) {}
LeaderElector::~LeaderElector() = default;

void LeaderElector::Run(std::stop_token stop) { candidacy_->Run(stop); }  // NOLINT(performance-unnecessary-value-param)
void LeaderElector::Start() { candidacy_->Start(); }
void LeaderElector::Stop() { candidacy_->Stop(); }
Result<Term> LeaderElector::TryAcquire() { return candidacy_->TryAcquire(); }
void LeaderElector::Release() { candidacy_->Release(); }
void LeaderElector::StepDown() { candidacy_->StepDown(); }

bool LeaderElector::IsLeader() const noexcept { return candidacy_->IsLeader(); }
std::optional<Term> LeaderElector::CurrentTerm() const { return candidacy_->CurrentTerm(); }
std::optional<LeaderInfo> LeaderElector::GetLeaderInfo() const { return candidacy_->GetLeaderInfo(); }

std::string LeaderElector::GetLeader() const {
  const auto info = candidacy_->GetLeaderInfo();
  return info ? info->identity : std::string();
}

Status LeaderElector::Check(std::chrono::milliseconds tolerance) const { return candidacy_->Check(tolerance); }
Health LeaderElector::GetHealth() const { return candidacy_->GetHealth(); }
void LeaderElector::SetMetadata(Metadata metadata) { candidacy_->SetMetadata(std::move(metadata)); }

const std::string& LeaderElector::identity() const noexcept { return candidacy_->config().identity; }
const std::string& LeaderElector::name() const noexcept { return candidacy_->config().name; }

}  // namespace leaderelection
