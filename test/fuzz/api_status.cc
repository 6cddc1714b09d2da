// Whatever answers where an API server should: which refusals count as one. The first two lines are the status and
// Retry-After, the third begins with the verb; the body follows.

#include "kubernetes/api_status.h"

#include <charconv>

#include "fuzz/target.h"

namespace leaderelection::fuzz {

namespace {

const LeaseName kName{.name_space = "default", .name = "demo"};

bool IsStatusOf(const http::Response& response) {
  const Json body = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  return body.is_object() && body.value("kind", Json()) == "Status" && body.value("status", Json()) == "Failure" &&
         body.value("apiVersion", Json()) == "v1" && body.value("code", Json()) == response.status;
}

// Rule 7.
void Judge(Verb verb, const http::Response& response, const Error& error) {
  RequireReadable(error.message);
  const bool is_success = 200 <= response.status && response.status < 300;
  const bool is_write = verb == Verb::kCreate || verb == Verb::kUpdate;
  if (is_success && is_write)
    Require(MayHaveLanded(error.code), "a write answered by something unreadable may have landed");
  if (response.status >= 500) Require(MayHaveLanded(error.code), "a write that a server failed at may have landed");
  if (!is_success && !MayHaveLanded(error.code)) {
    Require(IsStatusOf(response), "only a Status of Kubernetes with the code of its reply refuses");
  }
  if (error.retry_after) {
    Require(error.retry_after->count() >= 0 && *error.retry_after <= std::chrono::minutes(1),
            "nobody makes us wait for more than a minute");
  }
}

}  // namespace

void Fuzz(std::string_view input) {
  Pieces pieces(input);
  http::Response response;
  const std::string_view status = pieces.Line();
  std::from_chars(status.data(), status.data() + status.size(), response.status);
  if (const std::string_view wait = pieces.Line(); !wait.empty()) {
    response.headers.emplace_back("Retry-After", wait);
    response.headers.emplace_back("Content-Type", wait);
  }
  const std::string_view verb_name = pieces.Line();
  const Verb verb = verb_name == "create" ? Verb::kCreate : verb_name == "update" ? Verb::kUpdate : Verb::kGet;
  response.body = pieces.Rest();
  const auto object = TranslateObject(verb, kName, response);
  if (object) {
    Require(object->version.order != 0, "a version has a number");
    return;
  }
  Judge(verb, response, object.error());
  const Json body = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (IsExpired(body)) Require(body.at("code") == 410, "only 410 means that a watch is too old");
}

}  // namespace leaderelection::fuzz
