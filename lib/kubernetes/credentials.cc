#include "kubernetes/credentials.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>
#include <variant>

#include "kubernetes/exec_plugin.h"
#include "kubernetes/own_thread.h"

namespace leaderelection {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenLooks = 60s;
constexpr auto kBetweenSuspicions = 1s;
constexpr auto kPluginTime = 30s;
// A plugin's credential is replaced this long before its end, for a request is not instant.
constexpr auto kBeforeExpiry = 10s;

std::string Trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::vector<FileStamp> StampsOf(const net::TlsSettings& tls) {
  return {StampOf(tls.ca_file), StampOf(tls.certificate_file), StampOf(tls.key_file)};
}

int MakeInterruption() {
  const int made = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (made < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return made;
}

}  // namespace

Result<std::shared_ptr<Credentials>> Credentials::Load(const KubeConfig& config, Executor& executor, LogSink log) {
  std::shared_ptr<Credentials> credentials(new Credentials(config, executor, std::move(log)));
  credentials->current_.token = config.settings().token;
  credentials->looked_at_ = credentials->executor_.Now();
  if (Status read = credentials->ReadTls(); !read) return read.error();
  if (Status read = credentials->ReadToken(); !read && config.settings().token.empty()) return read.error();
  return credentials;
}

Credentials::Credentials(const KubeConfig& config, Executor& executor, LogSink log)
    : config_(config), executor_(executor), log_(std::move(log)), interruption_(MakeInterruption()) {}

Credentials::~Credentials() { ::close(interruption_); }

void Credentials::Stop() {
  std::vector<Then> dropped;  // goes after the guard: what they captured may do anything as it goes
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  dropped.swap(waiting_);
  (void)::eventfd_write(interruption_, 1);
}

bool Credentials::IsUsable() const {
  if (!config_.settings().exec) return true;
  return has_plugin_credential_ && (!expires_ || executor_.WallNow() < *expires_ - kBeforeExpiry);
}

void Credentials::Use(Then then) {
  std::unique_lock lock(mutex_);
  if (is_stopped_) return;
  if (!IsUsable()) {
    waiting_.push_back(std::move(then));
    return Schedule(true);
  }
  if (executor_.Now() - looked_at_ >= kBetweenLooks) Schedule(false);
  Credential current = current_;
  lock.unlock();
  then(std::move(current));
}

void Credentials::Replace(std::uint64_t refused, Then then) {
  std::unique_lock lock(mutex_);
  if (is_stopped_) return;
  if (current_.number == refused) {
    waiting_.push_back(std::move(then));
    return Schedule(true);
  }
  Credential current = current_;
  lock.unlock();
  then(std::move(current));
}

void Credentials::Suspect() {
  const std::lock_guard lock(mutex_);
  if (!is_stopped_ && executor_.Now() - looked_at_ >= kBetweenSuspicions) Schedule(false);
}

// Called with the mutex held. A look that is under way may have passed what a forced one is to see.
void Credentials::Schedule(bool is_forced) {
  if (is_forced) is_forced_look_due_ = true;
  if (std::exchange(is_looking_, true)) return;
  executor_.Post([weak = weak_from_this()] {
    const OwnThread own;
    const auto self = weak.lock();
    if (!self) return;
    bool forced = false;
    {
      const std::lock_guard lock(self->mutex_);
      forced = std::exchange(self->is_forced_look_due_, false);
    }
    self->Look(forced);
  });
}

void Credentials::Look(bool is_forced) {
  const Status read = ReadFiles(is_forced);
  std::vector<Then> waiting;
  std::unique_lock lock(mutex_);
  is_looking_ = false;
  looked_at_ = executor_.Now();
  if (is_forced_look_due_) return Schedule(true);
  waiting.swap(waiting_);
  if (is_stopped_) return;
  const Credential current = current_;
  const bool is_usable = IsUsable();
  lock.unlock();
  for (const Then& then : waiting) {
    if (is_usable) {
      then(current);
    } else {
      then(read ? Error{ErrorCode::kDenied, "the exec plugin's credential has expired", std::nullopt} : read.error());
    }
  }
}

Status Credentials::ReadFiles(bool is_forced) {
  if (config_.settings().exec) {
    const bool is_due = is_forced || [this] {
      const std::lock_guard lock(mutex_);
      return !IsUsable();
    }();
    if (is_due) {
      if (Status run = RunPlugin(); !run) {
        Warn("credentials could not be renewed", run.error());
        return run;
      }
    }
  }
  if (Status token = ReadToken(); !token) Warn("the token file could not be read; the old token stays", token.error());
  if (Status tls = ReadTls(); !tls) Warn("certificates could not be read; the old ones stay", tls.error());
  return std::monostate();
}

Status Credentials::ReadToken() {
  const std::string& path = config_.settings().token_file;
  if (path.empty()) return std::monostate();
  const FileStamp stamp = StampOf(path);
  if (stamp == token_stamp_ && stamp != FileStamp{}) return std::monostate();
  auto content = ReadSmallFile("token file", path);
  if (!content) return {ErrorCode::kInvalid, content.error().message};
  std::string token = Trimmed(*content);
  if (token.empty()) return {ErrorCode::kInvalid, "the token file " + path + " is empty"};
  token_stamp_ = stamp;
  const std::lock_guard lock(mutex_);
  if (token == current_.token.Reveal()) return std::monostate();
  current_.token = net::Secret(std::move(token));
  ++current_.number;
  return std::monostate();
}

// A pair that is being replaced may not belong together for a moment: the next look finds it whole.
Status Credentials::ReadTls() {
  const KubeSettings& settings = config_.settings();
  if (settings.server.is_plain) return std::monostate();
  auto stamps = StampsOf(settings.tls);
  if (stamps == tls_stamps_) return std::monostate();
  net::TlsSettings wanted = settings.tls;
  if (!plugin_certificate_.empty()) {
    wanted.certificate_pem = plugin_certificate_;
    wanted.key_pem = plugin_key_;
  }
  auto made = net::TlsContext::Make(wanted);
  if (!made) return made.error();
  tls_stamps_ = std::move(stamps);
  const std::lock_guard lock(mutex_);
  current_.tls = std::move(made).value();
  ++current_.number;
  return std::monostate();
}

Status Credentials::RunPlugin() {
  auto made = RunExecPlugin(config_.settings(), executor_.Now() + kPluginTime, interruption_);
  if (!made) return made.error();
  const ExecCredential credential = std::move(made).value();
  if (credential.certificate_pem != plugin_certificate_) {
    const std::string before = std::exchange(plugin_certificate_, credential.certificate_pem);
    const net::Secret key_before = std::exchange(plugin_key_, credential.key_pem);
    tls_stamps_.clear();
    if (Status tls = ReadTls(); !tls) {
      plugin_certificate_ = before;
      plugin_key_ = key_before;
      return {ErrorCode::kDenied,
              "the exec plugin " + config_.settings().exec->command + " gave no credential: " + tls.error().message};
    }
  }
  const std::lock_guard lock(mutex_);
  has_plugin_credential_ = true;
  expires_ = credential.expires;
  if (credential.token.Reveal() != current_.token.Reveal()) {
    current_.token = credential.token;
    ++current_.number;
  }
  return std::monostate();
}

void Credentials::Warn(std::string_view message, const Error& error) const {
  log_({.level = LogLevel::kWarning, .message = message, .fields = {{"error", error.message}}});
}

}  // namespace leaderelection
