#include "options/table.h"

#include <algorithm>
#include <array>

namespace leaderelection::command {

namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"Election", "leader-elect-resource-lock", "lock", "LEADER_ELECTOR_LOCK", "leaderElection.resourceLock",
     Kind::kChoice, "lease|redis|consul|file", "lease", kAll, "Where the lock is kept."},
    {"Election", "leader-elect-resource-name", "name", "LEADER_ELECTOR_NAME", "leaderElection.resourceName",
     Kind::kText, "NAME", "", kAll, "The Lease's name, the end of the key in Redis, the key in Consul. Not for file."},
    {"Election", "leader-elect-resource-namespace", "namespace", "LEADER_ELECTOR_NAMESPACE",
     "leaderElection.resourceNamespace", Kind::kText, "NAMESPACE", "", kAll,
     "The Lease's namespace. By default the kubeconfig's, or the pod's own."},
    {"Election", "identity", "", "LEADER_ELECTOR_IDENTITY", "leaderElection.identity", Kind::kText, "TEXT", "",
     kRun | kObserve | kStatus,
     "Who we are; must differ between candidates. By default hostname_pid_random. For status: whom to ask about."},
    {"Election", "leader-elect-lease-duration", "lease-duration", "LEADER_ELECTOR_LEASE_DURATION",
     "leaderElection.leaseDuration", Kind::kDuration, "DURATION", "15s", kRun,
     "How long the others wait after the leader's last sign of life before one of them takes over."},
    {"Election", "leader-elect-renew-deadline", "renew-deadline", "LEADER_ELECTOR_RENEW_DEADLINE",
     "leaderElection.renewDeadline", Kind::kDuration, "DURATION", "10s", kRun,
     "How long a leader that cannot renew goes on leading. Less than the lease duration."},
    {"Election", "leader-elect-retry-period", "retry-period", "LEADER_ELECTOR_RETRY_PERIOD",
     "leaderElection.retryPeriod", Kind::kDuration, "DURATION", "2s", kRun, "The pace of attempts and renewals."},
    {"Election", "renew-interval", "", "LEADER_ELECTOR_RENEW_INTERVAL", "leaderElection.renewInterval", Kind::kDuration,
     "DURATION", "0s", kRun, "The pace of renewals alone; 0s: the retry period."},
    {"Election", "metadata", "", "LEADER_ELECTOR_METADATA", "metadata", Kind::kPairs, "KEY=VALUE", "", kRun,
     "Travels with the lock and is shown by every observer. May be repeated; a,b in the variable."},

    {"Lock: file", "lock-file", "", "LEADER_ELECTOR_LOCK_FILE", "file.path", Kind::kText, "PATH", "", kAll,
     "The file; its folder must exist. For the processes of one host."},
    {"Lock: lease", "kubeconfig", "", "LEADER_ELECTOR_KUBECONFIG", "kubernetes.kubeconfig", Kind::kText, "PATH", "",
     kAll, "By default $KUBECONFIG, ~/.kube/config, or the pod's service account."},
    {"Lock: lease", "context", "", "LEADER_ELECTOR_CONTEXT", "kubernetes.context", Kind::kText, "NAME", "", kAll,
     "The kubeconfig's context. By default its current one."},
    {"Lock: redis", "redis-url", "", "LEADER_ELECTOR_REDIS_URL", "redis.url", Kind::kText, "URL", "", kAll,
     "redis://[user[:password]@]host[:port][/database], rediss:// for TLS. Give a password by --redis-password-file, "
     "or "
     "the whole URL by the variable: flags are seen by every user of the host. By default $REDIS_URL, REDIS_HOST, ..."},
    {"Lock: redis", "redis-password-file", "", "LEADER_ELECTOR_REDIS_PASSWORD_FILE", "redis.passwordFile", Kind::kText,
     "PATH", "", kAll, "Read for each connection, so that the password may change."},
    {"Lock: redis", "redis-ca-file", "", "LEADER_ELECTOR_REDIS_CA_FILE", "redis.caFile", Kind::kText, "PATH", "", kAll,
     "Whom to trust instead of the system's roots."},
    {"Lock: redis", "redis-key-prefix", "", "LEADER_ELECTOR_REDIS_KEY_PREFIX", "redis.keyPrefix", Kind::kText, "TEXT",
     "leaderelection", kAll, "The key is prefix:name."},
    {"Lock: redis", "redis-sentinels", "", "LEADER_ELECTOR_REDIS_SENTINELS", "redis.sentinels", Kind::kText,
     "HOST:PORT,...", "", kAll, "Asks these for the primary instead of the URL's host; by TLS with rediss://."},
    {"Lock: redis", "redis-sentinel-master", "", "LEADER_ELECTOR_REDIS_SENTINEL_MASTER", "redis.sentinelMaster",
     Kind::kText, "NAME", "", kAll, "What the sentinels call the primary."},
    {"Lock: consul", "consul-address", "", "LEADER_ELECTOR_CONSUL_ADDRESS", "consul.address", Kind::kText, "URL", "",
     kAll, "The agent. By default $CONSUL_HTTP_ADDR, or http://127.0.0.1:8500; the other CONSUL_ variables count too."},
    {"Lock: consul", "consul-token-file", "", "LEADER_ELECTOR_CONSUL_TOKEN_FILE", "consul.tokenFile", Kind::kText,
     "PATH", "", kAll, "The ACL token, instead of $CONSUL_HTTP_TOKEN."},
    {"Lock: consul", "consul-ca-file", "", "LEADER_ELECTOR_CONSUL_CA_FILE", "consul.caFile", Kind::kText, "PATH", "",
     kAll, "Whom to trust instead of the system's roots."},

    {"Command", "grace-period", "", "LEADER_ELECTOR_GRACE_PERIOD", "command.gracePeriod", Kind::kDuration, "DURATION",
     "30s", kRun,
     "What the command has between SIGTERM and SIGKILL. On a clean stop the lock is renewed meanwhile; after a loss "
     "the "
     "command is gone by the end of the lease, whatever is said here."},

    {"Admin endpoints", "admin-address", "", "LEADER_ELECTOR_ADMIN_ADDRESS", "admin.address", Kind::kText, "IP:PORT",
     "127.0.0.1:0", kRun,
     "Where /healthz, /readyz, /leader and /metrics are served; port 0: a free one; off: nowhere."},
    {"Admin endpoints", "admin-advertise-address", "", "LEADER_ELECTOR_ADMIN_ADVERTISE_ADDRESS",
     "admin.advertiseAddress", Kind::kText, "HOST:PORT", "", kRun,
     "Where others reach it, told with the lock. By default the admin address."},
    {"Admin endpoints", "admin-step-down", "", "LEADER_ELECTOR_ADMIN_STEP_DOWN", "admin.stepDown", Kind::kChoice,
     "nobody|this-host|everybody", "nobody", kRun, "Whose POST /step-down is heard."},

    {"Output", "output", "o", "LEADER_ELECTOR_OUTPUT", "output.format", Kind::kChoice, "text|json", "text",
     kObserve | kStatus, "How the answer is written."},
    {"Output", "timeout", "", "LEADER_ELECTOR_TIMEOUT", "output.timeout", Kind::kDuration, "DURATION", "10s",
     kObserve | kStatus | kStepDown, "How long to wait for the lock's first answer."},
    {"Output", "log-format", "", "LEADER_ELECTOR_LOG_FORMAT", "log.format", Kind::kChoice, "text|json", "text",
     kRun | kObserve, "How the log is written, on standard error."},
    {"Output", "log-level", "", "LEADER_ELECTOR_LOG_LEVEL", "log.level", Kind::kChoice, "debug|info|warning|error",
     "info", kRun | kObserve, "The least that is logged; debug tells every request that failed."},
    {"Output", "config", "", "LEADER_ELECTOR_CONFIG", "", Kind::kText, "PATH", "", kAll,
     "A YAML file with any of the above. A flag wins over a variable, a variable over the file."},
});

}  // namespace

std::span<const Option> Options() { return kOptions; }

const Option* FindOption(std::string_view flag) {
  const auto found = std::find_if(kOptions.begin(), kOptions.end(), [&](const Option& option) {
    return option.flag == flag || (!option.short_flag.empty() && option.short_flag == flag);
  });
  return found == kOptions.end() ? nullptr : &*found;
}

std::string ShortName(const Option& option) {
  const bool letter = option.short_flag.size() == 1;
  return "--" + std::string(option.short_flag.empty() || letter ? option.flag : option.short_flag);
}

}  // namespace leaderelection::command
