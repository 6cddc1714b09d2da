// What a Consul agent, or a proxy before it, answers. The first line is the status, the second X-Consul-Index and
// Retry-After; the body follows.

#include <charconv>
#include <nlohmann/json.hpp>

#include "consul/key_value.h"
#include "consul/read_key.h"
#include "consul/transaction.h"
#include "fuzz/target.h"
#include "json/base64.h"

namespace leaderelection::consul {

namespace {

using fuzz::Require;
using fuzz::RequireReadable;
using Json = nlohmann::json;

void RequireUseful(const KeyValue& key, const std::string& body) {
  const Json entry = Json::parse(body).at(0);
  for (const char* number : {"ModifyIndex", "Flags"}) {
    Require(entry.at(number).is_number_unsigned(), "a number is a whole one that is not negative");
  }
  Require(key.modify_index != 0, "a version has a number");
  Require(DecodeBase64(EncodeBase64(key.value)) == key.value, "base64 is read as it was written");
}

void Read(const http::Response& response) {
  const auto read = ParseKeyRead(response);
  if (!read) return RequireReadable(read.error().message);
  if (!read->key) return Require(response.status == 404, "a key is absent only if Consul says so");
  RequireUseful(*read->key, response.body);
  for (const bool is_own : {false, true}) {
    const Finding finding = Judge(*read->key, [is_own](const std::string&) { return is_own; });
    Require(finding.stored.version.order == read->key->modify_index, "the number is Consul's");
    const auto answer = ToAnswer(finding);
    if (!answer) {
      RequireReadable(answer.error().message);
      continue;
    }
    const auto value = RecordToValue(answer->record, read->key->session);
    Require(value.ok(), "what was read can be written");
    const KeyValue rewritten{.value = *value, .modify_index = 7, .session = read->key->session};
    const auto again = ToAnswer(Judge(rewritten, [](const std::string&) { return false; }));
    Require(again.ok() && again->record == answer->record, "what was written is read as it was");
  }
}

void Write(const http::Response& response) {
  const Outcome outcome = ParseOutcome(response);
  if (outcome.kind == Outcome::Kind::kWritten) {
    const Json index = Json::parse(response.body).at("Results").back().at("KV").at("ModifyIndex");
    Require(index.is_number_unsigned(), "a number is a whole one that is not negative");
    Require(outcome.index != 0 && outcome.index == index, "the number is Consul's");
    return;
  }
  RequireReadable(outcome.error.message);
  if (response.status >= 500)
    Require(MayHaveLanded(outcome.error.code), "a write that a server failed at may have landed");
}

}  // namespace

}  // namespace leaderelection::consul

namespace leaderelection::fuzz {

void Fuzz(std::string_view input) {
  Pieces pieces(input);
  http::Response response;
  const std::string_view status = pieces.Line();
  std::from_chars(status.data(), status.data() + status.size(), response.status);
  const std::string_view index = pieces.Line();
  response.headers = {{"X-Consul-Index", std::string(index)}, {"Retry-After", std::string(index)}};
  response.body = pieces.Rest();
  consul::Read(response);
  consul::Write(response);
}

}  // namespace leaderelection::fuzz
