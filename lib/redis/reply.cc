#include "redis/reply.h"

#include <hiredis/read.h>

#include <utility>

namespace leaderelection::redis {
namespace {

// The first byte of a TLS alert, which is what a TLS server answers to anything else.
constexpr char kTlsAlert = 0x15;

// hiredis builds the tree from the outside in: a child goes to the place its parent has kept for it.
Reply* Place(const redisReadTask* task) {
  if (!task->parent) return new Reply;
  return &static_cast<Reply*>(task->parent->obj)->elements.at(static_cast<std::size_t>(task->idx));
}

bool Grow(const redisReadTask* task, std::size_t size) {
  auto& total = *static_cast<std::size_t*>(task->privdata);
  total += size + sizeof(Reply);
  return total <= kLargestReply;
}

void* CreateText(const redisReadTask* task, char* text, std::size_t size) {
  if (!Grow(task, size)) return nullptr;
  Reply* reply = Place(task);
  reply->kind = task->type == REDIS_REPLY_ERROR    ? Reply::Kind::kError
                : task->type == REDIS_REPLY_STATUS ? Reply::Kind::kStatus
                                                   : Reply::Kind::kText;
  reply->text.assign(text, size);
  return reply;
}

void* CreateArray(const redisReadTask* task, int count) {
  if (count > kMostElements || !Grow(task, static_cast<std::size_t>(count) * sizeof(Reply))) return nullptr;
  Reply* reply = Place(task);
  reply->kind = Reply::Kind::kArray;
  reply->elements.resize(static_cast<std::size_t>(count));
  return reply;
}

void* CreateInteger(const redisReadTask* task, long long value) {
  if (!Grow(task, 0)) return nullptr;
  Reply* reply = Place(task);
  reply->kind = Reply::Kind::kInteger;
  reply->integer = value;
  return reply;
}

void* CreateNil(const redisReadTask* task) {
  if (!Grow(task, 0)) return nullptr;
  return Place(task);
}

void FreeRoot(void* root) { delete static_cast<Reply*>(root); }

redisReplyObjectFunctions functions{CreateText, CreateArray, CreateInteger, CreateNil, FreeRoot};

}  // namespace

std::string_view Reply::ErrorWord() const {
  return IsError() ? std::string_view(text).substr(0, text.find(' ')) : std::string_view();
}

ReplyReader::ReplyReader() : reader_(redisReaderCreateWithFunctions(&functions)) {
  reader_->privdata = &size_of_reply_;
}

ReplyReader::~ReplyReader() = default;

void ReplyReader::Freer::operator()(redisReader* reader) const { redisReaderFree(reader); }

Status ReplyReader::Feed(std::string_view bytes, std::vector<Reply>& replies) {
  if (std::exchange(is_first_byte_, false) && bytes.starts_with(kTlsAlert))
    return {ErrorCode::kUnknown, "the server speaks TLS on this port"};
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK)
    return {ErrorCode::kUnknown, "no memory for a reply"};
  while (true) {
    void* root = nullptr;
    if (redisReaderGetReply(reader_.get(), &root) != REDIS_OK) {
      return {ErrorCode::kUnknown,
              reader_->err == REDIS_ERR_OOM ? "a reply that is too large" : "an answer that is not Redis's protocol"};
    }
    if (!root) break;
    const std::unique_ptr<Reply> reply(static_cast<Reply*>(root));
    replies.push_back(std::move(*reply));
    size_of_reply_ = 0;
  }
  // A text is kept by hiredis until its last byte has come.
  if (reader_->len - reader_->pos > kLargestReply) return {ErrorCode::kUnknown, "a reply that is too large"};
  return std::monostate();
}

}  // namespace leaderelection::redis
