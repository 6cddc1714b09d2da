// One state of the model: all that decides what may happen next, as plain numbers.
//
// Times are in ticks of the candidate's own clock and relative to now; a time between two ticks counts as the later
// one, for nobody looks in between. Versions, times in records, transitions and request ids are arbitrary numbers whose
// order and equality alone matter: canonical.h gives equal futures equal numbers.

#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace leaderelection::model {

using Number = std::int32_t;

inline constexpr int kSeats = 3;
inline constexpr int kGenerations = 2;  // a process, and the one that is started after it has crashed
inline constexpr int kIdentities = kSeats * kGenerations;
inline constexpr int kExchanges = 3;
inline constexpr int kNews = 2;
inline constexpr int kRecords = 28;

inline constexpr Number kNone = -1;      // no record, no role
inline constexpr Number kNoTime = 100;   // a time
inline constexpr Number kSealed = -100;  // instead of the end of a term

// A record that is stored, known or under way. Whoever wrote it gave the times, so each has a clock of its own.
struct RecordValue {
  Number holder = kNone;  // the identity; none: released
  Number author = 0;      // whose wall clock the times are from
  Number quarters = 0;    // the duration, in quarters of a second
  Number acquire_time = 0;
  Number renew_time = 0;
  Number transitions = 0;
  Number sent_by = 0;  // bits: the seats whose process counts it among its own

  [[nodiscard]] bool Equals(const RecordValue& other) const {
    return holder == other.holder && author == other.author && quarters == other.quarters &&
           acquire_time == other.acquire_time && renew_time == other.renew_time && transitions == other.transitions;
  }
};

// What an Election remembers.
struct ElectionImage {
  Number phase = 0;
  Number role = kNone;
  Number term_running = 0;
  Number work_running = 0;
  Number number = 0;
  Number held = kNone;
  Number renewed_at = 0;
  Number renew_at = 0;
  Number release_until = 0;
  Number drain_until = 0;
  Number overrun_at = 0;
  Number release_wanted = 0;
  Number resignation = 0;
  Number barred_until = 0;
  // The request in flight.
  Number asks = 0;
  Number purpose = 0;
  Number verb = 0;
  Number request = 0;
  Number asked_at = 0;
  Number deadline = 0;
  Number asked_record = kNone;
  Number expected = 0;
  Number mark_order = 0;
  Number overtaken = 0;
  //
  Number read_needed = 0;
  Number look_wanted = 0;
  Number watch_live = 0;
  Number last_news = 0;
  Number poll_at = 0;
  Number spread_until = 0;
  Number paced_until = 0;
  Number hurry_left = 0;
  // Observation
  Number presence = 0;
  Number known = kNone;
  Number known_order = 0;
  Number order = 0;
  Number seen = kNone;
  Number not_before = 0;
  // RecordAuthor
  Number written_at = 0;
  Number written_time = kNone;  // none: nothing was written yet
  // Validity
  Number valid_until = kSealed;
};

// A request on its way, or its answer on the way back.
struct Exchange {
  enum Stage : Number { kFree, kAsked, kAnswered };
  Number stage = kFree;
  Number request = 0;  // 0: whoever asked is gone
  Number verb = 0;
  Number code = kNone;    // of a refusal
  Number record = kNone;  // to be written; in an answer: what is stored
  Number order = 0;       // expected; in an answer: its version
};

// A change of the store that the watch has yet to tell.
struct News {
  enum Kind : Number { kFree, kChanged, kDeleted };
  Number kind = kFree;
  Number record = kNone;
  Number order = 0;
};

struct Candidate {
  enum Work : Number { kIdle, kDue, kRunning };
  Number alive = 0;
  Number generation = 0;
  Number in_term = 0;  // was told of its start and not of its end
  Number ending = 0;   // was told that the work must stop
  Number work = kIdle;
  Number told = 0;  // of the term that the store's record belongs to
  Number wake_at = kNoTime;
  ElectionImage election;
  std::array<Exchange, kExchanges> exchanges;  // the oldest first
  std::array<News, kNews> news;                // the oldest first

  [[nodiscard]] bool leads() const { return alive != 0 && election.valid_until > 0; }
};

// How often each may still happen.
struct Budget {
  Number pauses = 0;        // a tick that passes while a candidate has something to do, and does it later
  Number errors = 0;        // a server error, with or without effect
  Number duplicates = 0;    // a request carried out twice
  Number stale_acks = 0;    // an answer with the old version, and nothing written
  Number crashes = 0;       // one process for good; another is started
  Number deletions = 0;     // of the record, by an outsider
  Number relabels = 0;      // another version of the same record
  Number resignations = 0;  // a stop or a step-down, by the operator
};

struct State {
  Number present = 0;      // whether there is a record
  Number record = kNone;   // which
  Number version = 0;      // its version
  Number order = 0;        // the highest version ever
  Number term_order = 0;   // by which the term of its holder began
  Number last_number = 0;  // of the latest term anybody started
  Budget budget;
  std::array<RecordValue, kRecords> records;
  Number records_used = 0;
  std::array<Candidate, kSeats> candidates;
};

constexpr int IdentityOf(int seat, Number generation) { return seat * kGenerations + generation; }
constexpr int SeatOf(Number identity) { return identity / kGenerations; }
// "a", and after its crash "a2".
inline std::string NameOf(Number identity) {
  return static_cast<char>('a' + SeatOf(identity)) + std::string(identity % kGenerations == 0 ? "" : "2");
}

// Calls visit with a reference to every number of its kind, in an order that never changes.
template <class Visit>
void ForEachRecord(Candidate& candidate, Visit visit) {
  ElectionImage& election = candidate.election;
  for (Number* record : {&election.known, &election.seen, &election.held, &election.asked_record}) visit(*record);
  for (Exchange& exchange : candidate.exchanges) visit(exchange.record);
  for (News& news : candidate.news) visit(news.record);
}

template <class Visit>
void ForEachOrder(Candidate& candidate, Visit visit) {
  ElectionImage& election = candidate.election;
  for (Number* order :
       {&election.number, &election.expected, &election.mark_order, &election.known_order, &election.order}) {
    visit(*order);
  }
  for (Exchange& exchange : candidate.exchanges) visit(exchange.order);
  for (News& news : candidate.news) visit(news.order);
}

// Moments that lie ahead: once past, it does not matter for how long.
template <class Visit>
void ForEachDeadline(Candidate& candidate, Visit visit) {
  ElectionImage& election = candidate.election;
  for (Number* time : {&election.renew_at, &election.release_until, &election.drain_until, &election.overrun_at,
                       &election.barred_until, &election.deadline, &election.poll_at, &election.spread_until,
                       &election.paced_until, &election.not_before, &election.valid_until, &candidate.wake_at}) {
    visit(*time);
  }
}

// Moments that something is counted from.
template <class Visit>
void ForEachInstant(Candidate& candidate, Visit visit) {
  ElectionImage& election = candidate.election;
  for (Number* time : {&election.renewed_at, &election.asked_at, &election.last_news, &election.written_at})
    visit(*time);
}

}  // namespace leaderelection::model
