// A backend that does what the test says: it writes down every request, and fails, holds, loses or falsifies answers.
//
//   lock->FailNext(ErrorCode::kConflict);
//   executor->Advance(2s);
//   EXPECT_THAT(lock->TakeCalls(), ElementsAre(Verb::kUpdate, Verb::kGet));

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "leaderelection/export.h"
#include "leaderelection/record.h"
#include "leaderelection/resource_lock.h"

namespace leaderelection::testing {

enum class Verb { kGet, kCreate, kUpdate };

LEADERELECTION_EXPORT std::ostream& operator<<(std::ostream& out, Verb verb);

// One request as it arrived. Compares with its verb, so that a list of calls reads as a list of verbs.
struct Call {
  Verb verb = Verb::kGet;
  Record record;                // Create, Update
  std::uint64_t expected = 0;   // Update: the order of the version to be replaced
  MonotonicTime deadline = {};  // recorded, never enforced: a FakeLock has no clock

  friend bool operator==(const Call& call, Verb verb) { return call.verb == verb; }
};

LEADERELECTION_EXPORT std::ostream& operator<<(std::ostream& out, const Call& call);

// Left alone it is a correct backend: a register in memory that answers before the call returns and tells watchers of a
// change before the writer. Every member may be called from any thread, also from inside a Done or a watch callback.
class LEADERELECTION_EXPORT FakeLock final : public ResourceLock {
 public:
  explicit FakeLock(std::string name = "fake");
  ~FakeLock() override;  // drops the requests it holds

  void Get(MonotonicTime deadline, Done<Stored> done) override;
  void Create(MonotonicTime deadline, const Record& record, Done<Stored> done) override;
  void Update(MonotonicTime deadline, const Record& record, const Version& expected, Done<Stored> done) override;
  [[nodiscard]] std::unique_ptr<Watch> Observe(std::function<void(WatchEvent)> on_event) override;
  [[nodiscard]] Record Storable(Record record) const override;
  [[nodiscard]] std::chrono::milliseconds ReleaseSpread() const override;
  [[nodiscard]] std::string Describe() const override;

  // The requests since the last look, in the order they arrived, held ones included.
  [[nodiscard]] std::vector<Call> TakeCalls();

  // Faults. Each is used up by the next request of that verb (of any verb if none is named) when it is carried out, one
  // request one fault, in the order they were scripted.
  //
  // It fails and changes nothing.
  void FailNext(Error error, std::optional<Verb> verb = std::nullopt);
  void FailNext(ErrorCode code, std::optional<Verb> verb = std::nullopt);
  // It is carried out, and then the answer is lost: the caller hears the error.
  void FailNextAfterCommit(Error error, std::optional<Verb> verb = std::nullopt);
  void FailNextAfterCommit(ErrorCode code, std::optional<Verb> verb = std::nullopt);
  // If it succeeds, the answer is changed on its way back; the record stays as it is stored.
  void ChangeNextReply(std::function<void(Stored&)> change, std::optional<Verb> verb = std::nullopt);
  // All requests that no other fault is scripted for fail and change nothing, until Recover().
  void FailEvery(ErrorCode code);
  // Forgets all faults scripted.
  void Recover();

  // Requests that arrive from now on wait, not yet carried out. They are numbered from 0 in the order they arrived;
  // whichever is answered leaves the list. A number that is not there throws std::out_of_range.
  void Hold();
  [[nodiscard]] std::size_t held() const;
  // Carries it out but keeps the answer, which Answer() then delivers: the answer is on its way.
  void Commit(std::size_t request = 0);
  // Carries it out unless that is done, and answers.
  void Answer(std::size_t request = 0);
  // Answers with the error; what has not been carried out never is.
  void AnswerWith(Error error, std::size_t request = 0);
  void AnswerWith(ErrorCode code, std::size_t request = 0);
  // Drops its Done uncalled.
  void Drop(std::size_t request = 0);
  // Answers all that is held, in order, and holds no more.
  void Resume();

  // What Observe does from now on; watches that run are not touched, except that kTelling and kSilent hold for all.
  enum class Watching {
    kTelling,  // kLive, and then every change
    kSilent,   // kLive, and then nothing: a dead peer, a proxy that swallows
    kRefused,  // kRefused
    kAbsent,   // null: the backend cannot
  };
  void SetWatching(Watching watching);
  // Tells every running watch this, true or not.
  void Push(const WatchEvent& event);
  [[nodiscard]] std::size_t watches() const;

  // What others do. Put and Delete take effect whatever was there, and watchers hear of it. RollBack is a store
  // restored from an old copy, its numbers included: to that record, or to no record after that order; nobody is told.
  [[nodiscard]] std::optional<Stored> stored() const;
  Stored Put(const Record& record);
  void Delete();
  void RollBack(const Stored& to);
  void RollBack(std::uint64_t order);

  // The backend's peculiarities: what it makes of a record (nothing), what expires_in says in answers and events
  // (nothing), and how long followers spread (not).
  void SetStorable(std::function<Record(Record)> storable);
  void SetExpiresIn(std::optional<std::chrono::milliseconds> expires_in);
  void SetReleaseSpread(std::chrono::milliseconds spread);

 private:
  class Script;
  const std::shared_ptr<Script> script_;
};

}  // namespace leaderelection::testing
