#include "model/canonical.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

namespace leaderelection::model {

namespace {

Candidate& At(State& state, int seat) { return state.candidates[static_cast<std::size_t>(seat)]; }

void ForgetThePast(State& state, const Shape& shape) {
  for (int seat = 0; seat < shape.candidates; ++seat) {
    Candidate& candidate = At(state, seat);
    ElectionImage& election = candidate.election;
    ForEachDeadline(candidate, [](Number& time) {
      if (time != kSealed) time = std::max(time, 0);
    });
    ForEachInstant(candidate, [&](Number& time) { time = std::max(time, -shape.Memory(seat)); });
    // The next one written is later in any case.
    election.written_at = std::max(election.written_at, -1);
    // Who holds nothing has no use for what it held, nor for the number, except that there was one.
    constexpr Number kHolding = 2;
    if (election.phase < kHolding) {
      election.held = kNone;
      if (election.number != 0) election.number = kNone;
    }
    // An answer belongs to the request in flight, or to an earlier one.
    const Number asked = election.asks != 0 ? election.request : kNone;
    for (Exchange& exchange : candidate.exchanges) {
      if (exchange.stage != Exchange::kFree && exchange.request != 0)
        exchange.request = exchange.request == asked ? 2 : 1;
    }
    election.request = 2;
  }
}

void Reseat(State& state, const Seating& seating, int candidates) {
  const State before = state;
  for (int seat = 0; seat < candidates; ++seat) {
    At(state, seating[static_cast<std::size_t>(seat)]) = before.candidates[static_cast<std::size_t>(seat)];
  }
  const auto moved = [&](Number identity) {
    return IdentityOf(seating[static_cast<std::size_t>(SeatOf(identity))], identity % kGenerations);
  };
  for (Number index = 0; index < state.records_used; ++index) {
    RecordValue& record = state.records[static_cast<std::size_t>(index)];
    const Number sent_by = record.sent_by;
    if (record.holder != kNone) record.holder = moved(record.holder);
    record.author = moved(record.author);
    record.sent_by = 0;
    for (int seat = 0; seat < candidates; ++seat) {
      if ((sent_by & (1 << seat)) != 0) record.sent_by |= 1 << seating[static_cast<std::size_t>(seat)];
    }
  }
}

// Small numbers in the same order; zero stays.
class Ranks {
 public:
  void Add(Number value) {
    if (value > 0) values_[count_++] = value;
  }
  void Sort() {
    std::sort(values_.begin(), values_.begin() + count_);
    count_ = std::unique(values_.begin(), values_.begin() + count_) - values_.begin();
  }
  void Replace(Number& value) const {
    if (value > 0) {
      value =
          static_cast<Number>(std::lower_bound(values_.begin(), values_.begin() + count_, value) - values_.begin()) + 1;
    }
  }

 private:
  std::array<Number, 96> values_{};
  std::ptrdiff_t count_ = 0;
};

void RankOrders(State& state, int candidates) {
  const auto each = [&](auto visit) {
    for (Number* order : {&state.version, &state.order, &state.term_order, &state.last_number}) visit(*order);
    for (int seat = 0; seat < candidates; ++seat) ForEachOrder(At(state, seat), visit);
  };
  Ranks ranks;
  each([&](Number& order) { ranks.Add(order); });
  ranks.Sort();
  each([&](Number& order) { ranks.Replace(order); });
}

void RankTimes(State& state, int candidates) {
  for (Number author = 0; author < candidates * kGenerations; ++author) {
    Candidate& candidate = At(state, SeatOf(author));
    const bool present = candidate.alive != 0 && IdentityOf(SeatOf(author), candidate.generation) == author;
    Ranks ranks;
    const auto each = [&](auto visit) {
      for (Number index = 0; index < state.records_used; ++index) {
        RecordValue& record = state.records[static_cast<std::size_t>(index)];
        if (record.author != author) continue;
        visit(record.acquire_time);
        visit(record.renew_time);
      }
      if (present) visit(candidate.election.written_time);
    };
    each([&](Number& time) { ranks.Add(time); });
    ranks.Sort();
    each([&](Number& time) { ranks.Replace(time); });
  }
}

void CountTransitionsFromTheLowest(State& state) {
  Number lowest = std::numeric_limits<Number>::max();
  for (Number index = 0; index < state.records_used; ++index) {
    lowest = std::min(lowest, state.records[static_cast<std::size_t>(index)].transitions);
  }
  for (Number index = 0; index < state.records_used; ++index) {
    state.records[static_cast<std::size_t>(index)].transitions -= lowest;
  }
}

// Every number of a part, one byte each.
template <class Part>
void Append(std::string& bytes, const Part& part) {
  static_assert(std::is_trivially_copyable_v<Part> && sizeof(Part) % sizeof(Number) == 0);
  const auto numbers = std::bit_cast<std::array<Number, sizeof(Part) / sizeof(Number)>>(part);
  for (const Number number : numbers) {
    if (number < -128 || number > 127) throw std::logic_error("a number of the state does not fit");
    bytes.push_back(static_cast<char>(number));
  }
}

template <class Part>
void Take(const char*& from, Part& part) {
  std::array<Number, sizeof(Part) / sizeof(Number)> numbers;
  for (Number& number : numbers) number = static_cast<signed char>(*from++);
  part = std::bit_cast<Part>(numbers);
}

using Head = std::array<Number, 6>;

std::string Pack(const State& state, int candidates) {
  std::string bytes;
  bytes.reserve(400);
  Append(bytes, Head{state.present, state.record, state.version, state.order, state.term_order, state.last_number});
  Append(bytes, state.budget);
  Append(bytes, state.records_used);
  for (Number index = 0; index < state.records_used; ++index)
    Append(bytes, state.records[static_cast<std::size_t>(index)]);
  for (int seat = 0; seat < candidates; ++seat) Append(bytes, state.candidates[static_cast<std::size_t>(seat)]);
  return bytes;
}

}  // namespace

State Unpack(const std::string& bytes, const Shape& shape) {
  State state;
  const char* from = bytes.data();
  Head head;
  Take(from, head);
  state.present = head[0];
  state.record = head[1];
  state.version = head[2];
  state.order = head[3];
  state.term_order = head[4];
  state.last_number = head[5];
  Take(from, state.budget);
  Take(from, state.records_used);
  for (Number index = 0; index < state.records_used; ++index)
    Take(from, state.records[static_cast<std::size_t>(index)]);
  for (int seat = 0; seat < shape.candidates; ++seat) Take(from, At(state, seat));
  return state;
}

void DropUnused(State& state, const Shape& shape) {
  std::array<Number, kRecords> place;
  place.fill(kNone);
  std::array<RecordValue, kRecords> kept;
  Number used = 0;
  const auto move = [&](Number& record) {
    if (record == kNone) return;
    Number& to = place[static_cast<std::size_t>(record)];
    if (to == kNone) {
      to = used++;
      kept[static_cast<std::size_t>(to)] = state.records[static_cast<std::size_t>(record)];
    }
    record = to;
  };
  move(state.record);
  for (int seat = 0; seat < shape.candidates; ++seat) ForEachRecord(At(state, seat), move);
  state.records = kept;
  state.records_used = used;
}

std::vector<Seating> Seatings(const Shape& shape) {
  Seating seating;
  std::iota(seating.begin(), seating.end(), 0);
  std::vector<Seating> found;
  do {
    bool alike = true;
    for (std::size_t seat = 0; seat < seating.size(); ++seat) {
      const auto other = static_cast<std::size_t>(seating[seat]);
      const auto candidates = static_cast<std::size_t>(shape.candidates);
      alike = alike && shape.tick[seat] == shape.tick[other] && (seat < candidates || other == seat);
    }
    if (alike) found.push_back(seating);
  } while (std::next_permutation(seating.begin(), seating.end()));
  return found;
}

Canonical Canonicalise(const State& state, const Shape& shape, const std::vector<Seating>& seatings) {
  State common = state;
  ForgetThePast(common, shape);
  DropUnused(common, shape);
  // After a deletion they begin at zero again, so there it matters how many there were.
  if (shape.budget.deletions == 0) CountTransitionsFromTheLowest(common);
  RankOrders(common, shape.candidates);
  RankTimes(common, shape.candidates);
  Canonical best;
  for (const Seating& seating : seatings) {
    State seated = common;
    if (&seating != &seatings.front()) {
      Reseat(seated, seating, shape.candidates);
    }
    DropUnused(seated, shape);
    std::string bytes = Pack(seated, shape.candidates);
    if (best.bytes.empty() || bytes < best.bytes) best = {std::move(bytes), seating};
  }
  return best;
}

}  // namespace leaderelection::model
