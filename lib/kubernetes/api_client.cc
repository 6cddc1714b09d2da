#include "kubernetes/api_client.h"

#include <string_view>
#include <utility>

#include "kubernetes/own_thread.h"

namespace leaderelection {
namespace {

constexpr std::size_t kLargestReply = 4UL << 20;
constexpr const char* kTooManyRequests = "not sent: too many requests of this client wait for the API server";

void Hide(const net::Secret& secret, std::string& text) {
  constexpr std::string_view kInstead = "[token]";
  if (secret.empty()) return;
  for (std::size_t at = 0; (at = text.find(secret.Reveal(), at)) != std::string::npos; at += kInstead.size()) {
    text.replace(at, secret.Reveal().size(), kInstead);
  }
}

// A sink's exception is ignored, as log.h says.
LogSink Guarded(LogSink sink) {
  if (!sink) return [](const LogEvent&) {};
  return [sink = std::move(sink)](const LogEvent& event) {
    try {
      sink(event);
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  };
}

// What a refusal says ends up in logs.
http::Response WithoutToken(http::Response response, const net::Secret& token) {
  if (response.status < 300) return response;
  Hide(token, response.body);
  for (auto& [name, value] : response.headers) Hide(token, value);
  return response;
}

}  // namespace

Result<std::shared_ptr<ApiClient>> ApiClient::Make(const KubeConfig& config, std::string user_agent, LogSink log) {
  std::shared_ptr<ApiClient> client(new ApiClient(config, std::move(user_agent), std::move(log)),
                                    [](ApiClient* last) { DestroyOutsideCallbacks([last] { delete last; }); });
  auto credentials = Credentials::Load(config, *client->loop_, client->log_);
  if (!credentials) return credentials.error();
  client->credentials_ = std::move(credentials).value();
  if (config.settings().tls.insecure_skip_verify) {
    client->Log({.level = LogLevel::kWarning,
                 .message = "the API server's certificate is not verified (insecure-skip-tls-verify)",
                 .fields = {{"server", config.server()}}});
  }
  return client;
}

ApiClient::ApiClient(const KubeConfig& config, std::string user_agent, LogSink log)
    : config_(config),
      user_agent_(std::move(user_agent)),
      log_(Guarded(std::move(log))),
      loop_(std::make_unique<EventLoop>()),
      http_(http::MakeClient(config.settings().server.endpoint)) {}

ApiClient::~ApiClient() {
  if (credentials_) credentials_->Stop();
}

void ApiClient::At(MonotonicTime time, std::function<void()> task) {
  loop_->PostAt(time, [task = std::move(task)] {
    const OwnThread own;
    task();
  });
}

http::Request ApiClient::Written(const ApiRequest& request, const Credential& credential) const {
  http::Request written{.method = request.method,
                        .target = config_.settings().server.path_prefix + request.target,
                        .headers = {{"Accept", "application/json"}, {"User-Agent", user_agent_}},
                        .bearer_token = credential.token,
                        .body = request.body,
                        .deadline = request.deadline,
                        .largest_reply = kLargestReply,
                        .tls = credential.tls,
                        .stop = request.stop};
  if (!request.body.empty()) written.headers.emplace_back("Content-Type", "application/json");
  return written;
}

void ApiClient::Send(ApiRequest request, Answer answer) {
  const Urgency urgency = request.urgency;
  const MonotonicTime deadline = request.deadline;
  queue_->Enter(urgency, deadline,
                [weak = weak_from_this(), request = std::move(request),
                 answer = std::move(answer)](const RequestQueue::Place& place) {
                  const OwnThread own;  // It may be another's callback that gave its place back.
                  const auto self = weak.lock();
                  if (!self) return;
                  if (!place) return answer(Result<http::Response>(ErrorCode::kThrottled, kTooManyRequests));
                  self->credentials_->Use([weak, request, answer, place](Result<Credential> credential) {
                    if (!credential) return answer(credential.error());
                    const auto alive = weak.lock();
                    if (!alive) return;
                    alive->SendAs(*credential, request, /*is_last=*/false,
                                  [answer, place](Result<http::Response> response) { answer(std::move(response)); });
                  });
                });
}

void ApiClient::SendAs(const Credential& credential, ApiRequest request, bool is_last, Answer answer) {
  http::Request written = Written(request, credential);
  http_->Send(std::move(written), [weak = weak_from_this(), credential, is_last, request = std::move(request),
                                   answer = std::move(answer)](Result<http::Response> response) {
    const OwnThread own;
    const auto self = weak.lock();
    if (!response) {
      Error error = response.error();
      Hide(credential.token, error.message);
      if (self) self->credentials_->Suspect();
      return answer(std::move(error));
    }
    http::Response clean = WithoutToken(std::move(response).value(), credential.token);
    if (clean.status != 401 || is_last || !self) return answer(std::move(clean));
    self->credentials_->Replace(credential.number,
                                [weak, request, answer, refused = credential.number, clean](Result<Credential> fresh) {
                                  const auto alive = weak.lock();
                                  if (!alive || !fresh || fresh->number == refused) return answer(clean);
                                  alive->SendAs(*fresh, request, /*is_last=*/true, answer);
                                });
  });
}

std::unique_ptr<http::Streaming> ApiClient::Stream(const ApiRequest& request, const Credential& credential,
                                                   std::chrono::milliseconds silence, http::StreamEvents events) {
  http::StreamEvents marked;
  marked.on_response = [then = std::move(events.on_response),
                        token = credential.token](const http::Response& response) {
    const OwnThread own;
    then(WithoutToken(response, token));
  };
  marked.on_piece = [then = std::move(events.on_piece)](std::string_view piece) {
    const OwnThread own;
    then(piece);
  };
  marked.on_end = [then = std::move(events.on_end), token = credential.token](Status status) {
    const OwnThread own;
    if (status) return then(status);
    Error error = status.error();
    Hide(token, error.message);
    then(std::move(error));
  };
  return http_->Stream(Written(request, credential), silence, std::move(marked));
}

}  // namespace leaderelection
