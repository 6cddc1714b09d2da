// What a Redis server, or whoever answers in its place, sends. The first byte is the size of a piece.

#include <vector>

#include "fuzz/target.h"
#include "redis/record_key.h"
#include "redis/refusal.h"
#include "redis/reply.h"

namespace leaderelection::redis {

namespace {

using fuzz::Require;
using fuzz::RequireReadable;

struct Heard {
  std::vector<Reply> replies;
  std::string failure;
};

Heard Hear(std::string_view bytes, std::size_t piece) {
  ReplyReader reader;
  Heard heard;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const Status read = reader.Feed(bytes.substr(at, piece), heard.replies);
    if (read) continue;
    Require(read.error().code == ErrorCode::kUnknown, "what is not understood may have landed");
    heard.failure = read.error().message;
    RequireReadable(heard.failure);
    break;
  }
  return heard;
}

std::string Bulk(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

// As a server would send it.
std::string Encode(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNil:
      return "$-1\r\n";
    case Reply::Kind::kText:
      return Bulk(reply.text);
    case Reply::Kind::kStatus:
      return "+" + reply.text + "\r\n";
    case Reply::Kind::kError:
      return "-" + reply.text + "\r\n";
    case Reply::Kind::kInteger:
      return ":" + std::to_string(reply.integer) + "\r\n";
    case Reply::Kind::kArray:
      break;
  }
  std::string encoded = "*" + std::to_string(reply.elements.size()) + "\r\n";
  for (const Reply& element : reply.elements) encoded += Encode(element);
  return encoded;
}

std::string Encode(const std::vector<Reply>& replies) {
  std::string encoded;
  for (const Reply& reply : replies) encoded += Encode(reply);
  return encoded;
}

std::size_t Size(const Reply& reply) {
  Require(reply.elements.size() <= kMostElements, "an array is short");
  std::size_t size = sizeof(Reply) + reply.text.size();
  for (const Reply& element : reply.elements) size += Size(element);
  return size;
}

void RequireUseful(const Result<Stored>& stored) {
  if (!stored) return RequireReadable(stored.error().message);
  Require(stored->version.order != 0, "a version has a number");
  Require(stored->version.origin != nullptr, "a version is of one text");
}

void Understand(const Reply& reply) {
  Require(Size(reply) <= kLargestReply, "a reply is small");
  RecordKey key("leaderelection:demo");
  RequireUseful(key.ReadGot(reply));
  const auto written = key.ReadWritten(reply);
  RequireUseful(written);
  if (written) Require(reply.elements.at(0).text == "stored", "only what was stored was written");
  if (!reply.IsError()) return;
  RequireReadable(Refusal(reply, "127.0.0.1:6379").message);
  const Error login = LoginRefusal(reply, "127.0.0.1:6379");
  RequireReadable(login.message);
  fuzz::RequireNoSecret(login.message);
}

}  // namespace

}  // namespace leaderelection::redis

namespace leaderelection::fuzz {

void Fuzz(std::string_view input) {
  Pieces pieces(input);
  const std::size_t piece = pieces.Byte() + 1U;
  const std::string_view bytes = pieces.Rest();
  const redis::Heard whole = redis::Hear(bytes, bytes.size() + 1);
  const std::string encoded = redis::Encode(whole.replies);
  const redis::Heard cut = redis::Hear(bytes, piece);
  Require(redis::Encode(cut.replies) == encoded && cut.failure == whole.failure,
          "where a stream is cut makes no difference");
  const redis::Heard again = redis::Hear(encoded, encoded.size() + 1);
  Require(again.failure.empty() && redis::Encode(again.replies) == encoded, "what was read is read again as it was");
  for (const redis::Reply& reply : whole.replies) redis::Understand(reply);
}

}  // namespace leaderelection::fuzz
