#include "consul/lock_requests.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "consul/address.h"
#include "consul/key_value.h"
#include "consul/read_key.h"

namespace leaderelection::consul {
namespace {

std::function<ConsulSession()> SettingsOf(const ConsulLockOptions& options) {
  if (options.session_provider) return options.session_provider;
  return [session = options.session] { return session; };
}

}  // namespace

LockRequests::LockRequests(std::shared_ptr<Transport> transport, ConsulLockOptions options)
    : transport_(std::move(transport)),
      options_(std::move(options)),
      session_(std::make_shared<Session>(transport_, SettingsOf(options_))) {}

std::string LockRequests::path() const { return "/v1/kv/" + PercentEncoded(options_.key, /*keep_slash=*/true); }

void LockRequests::Get(MonotonicTime deadline, Done<Stored> done) {
  transport_->io()->Post([self = shared_from_this(), deadline, done = std::move(done)]() mutable {
    const std::uint64_t id = self->Keep(std::move(done));
    self->Read(deadline, [id](LockRequests& requests, const Result<http::Response>& answer) {
      requests.Answer(id, requests.Judged(answer));
    });
  });
}

void LockRequests::Create(MonotonicTime deadline, const Record& record, Done<Stored> done) {
  Write write{.deadline = deadline, .record = record, .creates = true};
  transport_->io()->Post([self = shared_from_this(), write = std::move(write), done = std::move(done)]() mutable {
    write.id = self->Keep(std::move(done));
    self->Begin(std::move(write));
  });
}

void LockRequests::Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) {
  if (expected.order == 0) {
    return std::move(done)(Result<Stored>(ErrorCode::kConflict, "no record has the version expected"));
  }
  Write write{
      .deadline = deadline, .record = record, .expected_index = expected.order, .found_session = SessionOf(expected)};
  transport_->io()->Post([self = shared_from_this(), write = std::move(write), done = std::move(done)]() mutable {
    write.id = self->Keep(std::move(done));
    self->Begin(std::move(write));
  });
}

void LockRequests::Close(MonotonicTime deadline) {
  const auto destroyed = std::make_shared<std::promise<void>>();
  transport_->io()->RunAndWait([&] {
    stop_.request_stop();
    std::exchange(waiting_, {}).clear();
    session_->Destroy(deadline, [self = shared_from_this(), destroyed] { destroyed->set_value(); });
  });
  if (transport_->io()->IsCurrent()) return;
  const auto left = std::max(BootClock::duration(0), deadline - BootClock::now());
  (void)destroyed->get_future().wait_for(left);
  transport_->io()->RunAndWait([this] { session_->Abandon(); });
}

std::uint64_t LockRequests::Keep(Done<Stored> done) {
  waiting_.emplace(++last_id_, std::move(done));
  return last_id_;
}

void LockRequests::Answer(std::uint64_t id, Result<Stored> result) {
  auto waiting = waiting_.extract(id);
  if (waiting) std::move(waiting.mapped())(std::move(result));
}

void LockRequests::Send(Call call, Asked then) {
  call.stop = stop_.get_token();
  transport_->Send(std::move(call), [weak = weak_from_this(), then = std::move(then)](Result<http::Response> answer) {
    if (const auto self = weak.lock()) then(*self, std::move(answer));
  });
}

void LockRequests::Read(MonotonicTime deadline, Asked then) {
  Send({.path = path(), .query = {{"consistent", ""}}, .deadline = deadline}, std::move(then));
}

Result<Stored> LockRequests::Judged(const Result<http::Response>& answer) const {
  const auto read = ParseKeyRead(answer);
  if (!read) return read.error();
  if (!read->key) return {ErrorCode::kNotFound, "there is no such key"};
  return ToAnswer(Judge(*read->key, [this](const std::string& session) { return IsOwn(session); }));
}

// A release needs no session of ours: it only makes the one on the key let go.
void LockRequests::Begin(Write write) {
  if (write.record.holder_identity.empty()) return Transact(std::move(write), "");
  const auto deadline = write.deadline;
  const auto lease_duration = write.record.lease_duration;
  session_->Ensure(deadline, lease_duration,
                   [weak = weak_from_this(), write = std::move(write)](const Result<std::string>& session) {
                     const auto self = weak.lock();
                     if (!self) return;
                     session ? self->Transact(write, *session) : self->Answer(write.id, session.error());
                   });
}

void LockRequests::Transact(Write write, const std::string& session) {
  auto value = RecordToValue(write.record, session);
  if (!value) return Answer(write.id, value.error());
  const Transaction transaction{.key = options_.key,
                                .expected_index = write.expected_index,
                                .unlock = write.found_session == session ? std::string() : write.found_session,
                                .lock = session,
                                .value = std::move(value).value()};
  Call call{.method = "PUT", .path = "/v1/txn", .body = ToJson(transaction), .deadline = write.deadline};
  Send(std::move(call), [write = std::move(write), session](LockRequests& self, const Result<http::Response>& answer) {
    self.OnOutcome(write, session, answer ? ParseOutcome(*answer) : Outcome{.error = answer.error()});
  });
}

void LockRequests::OnOutcome(Write write, const std::string& session, const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kWritten:
      if (session.empty() && IsOwn(write.found_session)) session_->Rest();
      return Answer(write.id, Stored{.record = write.record, .version = MakeVersion(outcome.index, session)});
    case Outcome::Kind::kChanged:
      if (!write.creates) return Answer(write.id, outcome.error);
      return Read(write.deadline, [write](LockRequests& self, const Result<http::Response>& answer) {
        self.OnOccupied(write, answer);
      });
    case Outcome::Kind::kSessionGone:
      session_->Forget(session);
      if (std::exchange(write.session_renewed, true)) return Answer(write.id, outcome.error);
      return Begin(std::move(write));
    case Outcome::Kind::kFailed:
      return Answer(write.id, outcome.error);
  }
}

void LockRequests::OnOccupied(Write write, const Result<http::Response>& answer) {
  const auto read = ParseKeyRead(answer);
  if (!read) return Answer(write.id, read.error());
  if (!read->key) return Answer(write.id, Error{ErrorCode::kConflict, "the key comes and goes", std::nullopt});
  Finding finding = Judge(*read->key, [this](const std::string& session) { return IsOwn(session); });
  if (finding.kind == Finding::Kind::kRecord) {
    return Answer(write.id, Error{ErrorCode::kAlreadyExists, "there is a record already", std::nullopt});
  }
  if (finding.kind == Finding::Kind::kForeign) return Answer(write.id, ToAnswer(std::move(finding)));
  // What is there counts as nothing; it is replaced if it is still exactly that.
  write.creates = false;
  write.expected_index = finding.stored.version.order;
  Begin(std::move(write));
}

}  // namespace leaderelection::consul
