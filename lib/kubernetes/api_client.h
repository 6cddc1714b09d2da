// Requests to one API server with the credentials of the moment.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "http/client.h"
#include "kubernetes/credentials.h"
#include "kubernetes/request_queue.h"
#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/executor.h"
#include "leaderelection/kube_config.h"
#include "leaderelection/log.h"

namespace leaderelection {

struct ApiRequest {
  std::string method = "GET";
  std::string target;  // "/apis/...": the server's own path is put before it
  std::string body;    // JSON
  MonotonicTime deadline = kNever;
  std::stop_token stop;
  Urgency urgency = Urgency::kNormal;
};

// One for all locks of a KubeClient: they share its connections, its credentials and its one thread for what must be
// waited for. Thread-safe. Made by Make, it may be let go of anywhere, also in one of its callbacks.
class ApiClient : public std::enable_shared_from_this<ApiClient> {
 public:
  using Answer = std::function<void(Result<http::Response>)>;

  static Result<std::shared_ptr<ApiClient>> Make(const KubeConfig& config, std::string user_agent, LogSink log);
  ~ApiClient();

  // Answers on a thread of its own or, if there are no credentials, on whichever finds that out. A 401 is answered to
  // the caller only if there is no other credential or that one is refused too. Neither errors nor refusals hold the
  // token, even if the server sends it back. `answer` is dropped if the client is destroyed first. Where many wait, the
  // more urgent goes first, and one whose turn would come too late is answered kThrottled, unsent.
  void Send(ApiRequest request, Answer answer);

  void UseCredential(Credentials::Then then) { credentials_->Use(std::move(then)); }
  void ReplaceCredential(std::uint64_t refused, Credentials::Then then) {
    credentials_->Replace(refused, std::move(then));
  }
  void SuspectCredential() { credentials_->Suspect(); }
  // The callbacks are marked as such (own_thread.h).
  [[nodiscard]] std::unique_ptr<http::Streaming> Stream(const ApiRequest& request, const Credential& credential,
                                                        std::chrono::milliseconds silence, http::StreamEvents events);

  // Runs it at that time, on a thread that may be held up by an exec plugin.
  void At(MonotonicTime time, std::function<void()> task);

  void Log(const LogEvent& event) const { log_(event); }

 private:
  ApiClient(const KubeConfig& config, std::string user_agent, LogSink log);

  [[nodiscard]] http::Request Written(const ApiRequest& request, const Credential& credential) const;
  void SendAs(const Credential& credential, ApiRequest request, bool is_last, Answer answer);

  const KubeConfig config_;
  const std::string user_agent_;
  const LogSink log_;
  const std::unique_ptr<EventLoop> loop_;
  const std::shared_ptr<RequestQueue> queue_ = std::make_shared<RequestQueue>();
  std::shared_ptr<Credentials> credentials_;
  std::unique_ptr<http::Client> http_;
};

}  // namespace leaderelection
