#include "http_client.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

#include "api_error.h"

namespace example_operator {

namespace {

using leaderelection::Error;
using leaderelection::ErrorCode;
using leaderelection::Result;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A page of a list is the largest answer, and far smaller.
constexpr std::size_t kLargestAnswer = std::size_t{64} << 20;

// Kubelet replaces the file about once an hour.
std::string ReadToken(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string token{std::istreambuf_iterator<char>(stream), {}};
  token.erase(token.find_last_not_of(" \r\n") + 1);
  return token;
}

template <class T>
T* Checked(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

}  // namespace

HttpClient::HttpClient(ServerSettings settings)
    : settings_(std::move(settings)), transfers_(Checked(curl_multi_init())) {}

HttpClient::~HttpClient() { curl_multi_cleanup(transfers_); }

std::unique_ptr<HttpExchange> HttpClient::Start(const HttpRequest& request) {
  return std::make_unique<HttpExchange>(*this, request);
}

Result<std::string> HttpClient::Send(const HttpRequest& request, const std::stop_token& stop) {
  return Start(request)->WholeBody(stop);
}

HttpExchange::HttpExchange(HttpClient& client, const HttpRequest& request)
    : client_(client), handle_(Checked(curl_easy_init())), body_(request.body) {
  const ServerSettings& settings = client.settings_;
  const std::string token = ReadToken(settings.service_account / "token");
  if (token.empty()) {
    not_sent_ = Error{ErrorCode::kInvalid, "no token in " + (settings.service_account / "token").string(), {}};
  }
  for (const std::string& header : {"Authorization: Bearer " + token, "Content-Type: " + request.content_type}) {
    headers_.reset(Checked(curl_slist_append(headers_.release(), header.c_str())));
  }
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(handle_, option, value); };
  set(CURLOPT_URL, (settings.server + request.target).c_str());
  set(CURLOPT_PROTOCOLS_STR, "https");
  set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  set(CURLOPT_CAINFO, (settings.service_account / "ca.crt").c_str());
  set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // or the system's roots would be trusted too
  set(CURLOPT_PROXY, "");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_USERAGENT, ("example-operator " + settings.user_agent).c_str());
  set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max(request.timeout, milliseconds(1)).count()));
  if (!body_.empty()) {
    set(CURLOPT_POSTFIELDSIZE, static_cast<long>(body_.size()));
    set(CURLOPT_POSTFIELDS, body_.c_str());
  }
  set(CURLOPT_WRITEFUNCTION, &HttpExchange::Receive);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  if (!not_sent_) curl_multi_add_handle(client_.transfers_, handle_);
}

HttpExchange::~HttpExchange() {
  curl_multi_remove_handle(client_.transfers_, handle_);
  curl_easy_cleanup(handle_);
}

std::size_t HttpExchange::Receive(char* bytes, std::size_t size, std::size_t count, void* exchange) {
  std::string& received = static_cast<HttpExchange*>(exchange)->received_;
  if (received.size() + size * count > kLargestAnswer) return 0;
  received.append(bytes, size * count);
  return size * count;
}

bool HttpExchange::WaitFor(bool (HttpExchange::*enough)() const, steady_clock::time_point until,
                           const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { curl_multi_wakeup(client_.transfers_); });
  while (!stop.stop_requested()) {
    int running = 0;
    curl_multi_perform(client_.transfers_, &running);
    for (int left = 0; const CURLMsg* message = curl_multi_info_read(client_.transfers_, &left);) {
      HttpExchange* finished = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &finished);
      finished->result_ = message->data.result;
    }
    if (not_sent_ || IsOver() || (this->*enough)()) return true;
    const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
    if (left <= milliseconds(0)) return false;
    curl_multi_poll(client_.transfers_, nullptr, 0, static_cast<int>(std::min(left, milliseconds(60'000)).count()),
                    nullptr);
  }
  return false;
}

long HttpExchange::StatusCode() const {
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

bool HttpExchange::IsGood() const { return StatusCode() >= 200 && StatusCode() <= 299; }

std::optional<Error> HttpExchange::Failure() const {
  if (not_sent_) return not_sent_;
  if (IsOver() && *result_ != CURLE_OK) {
    const ErrorCode code = *result_ == CURLE_OPERATION_TIMEDOUT ? ErrorCode::kTimeout : ErrorCode::kUnknown;
    return Error{code, client_.settings_.server + ": " + curl_easy_strerror(*result_), {}};
  }
  if (IsOver() && !IsGood()) return ApiError(StatusCode(), received_);
  return std::nullopt;
}

Result<std::optional<std::string>> HttpExchange::NextLine(steady_clock::time_point until, const std::stop_token& stop) {
  if (!HasLine() && !WaitFor(&HttpExchange::HasLine, until, stop)) return std::optional<std::string>();
  if (auto failure = Failure()) return *failure;
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) return std::optional<std::string>();
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return std::optional(std::move(line));
}

Result<std::string> HttpExchange::WholeBody(const std::stop_token& stop) {
  if (!WaitFor(&HttpExchange::IsOver, steady_clock::time_point::max(), stop)) {
    return {ErrorCode::kUnknown, "broken off: the term is over"};
  }
  if (auto failure = Failure()) return *failure;
  return std::move(received_);
}

}  // namespace example_operator
