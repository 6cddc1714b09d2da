#include "simulation/store.h"

#include <string>
#include <utility>

namespace leaderelection::simulation {

using std::chrono::milliseconds;

Store::Store(World& world, Nature nature, OnChange on_change)
    : world_(world), nature_(nature), on_change_(std::move(on_change)) {
  history_.reserve(512);
}

Result<Stored> Store::Get() {
  Expire();
  if (!present_) return Result<Stored>(ErrorCode::kNotFound, "404");
  return Reply();
}

Result<Stored> Store::Create(int author, const Record& record) {
  Expire();
  if (present_) return Result<Stored>(ErrorCode::kAlreadyExists, "409");
  return Commit(author, record);
}

Result<Stored> Store::Update(int author, const Record& record, std::uint64_t expected) {
  Expire();
  if (!present_) return Result<Stored>(ErrorCode::kNotFound, "404");
  if (Last().stored.version.order != expected) return Result<Stored>(ErrorCode::kConflict, "409");
  if (nature_.skips_equal && Last().stored.record == record) return Reply();
  return Commit(author, record);
}

Stored Store::Commit(int author, const Record& record) {
  const bool goes_on = !history_.empty() && present_ &&
                       Last().stored.record.holder_identity == record.holder_identity &&
                       Last().stored.record.acquire_time == record.acquire_time;
  Entry entry{
      .stored = {.record = record, .version = {.order = ++order_, .origin = nullptr}, .expires_in = std::nullopt},
      .author = author};
  entry.term = goes_on ? Last().term : history_.size();
  entry.last_word = author != kOutsider || !goes_on ? history_.size() : Last().last_word;
  present_ = true;
  expires_at_ = EndOf(record);
  entry.stored.expires_in = ExpiresIn();
  history_.push_back(std::move(entry));
  Stored reply = Last().stored;
  on_change_(history_.size() - 1);
  return reply;
}

TrueTime Store::EndOf(const Record& record) const {
  if (!nature_.expires || record.holder_identity.empty()) return TrueTime::max();
  const auto lasts = std::chrono::duration<double, std::nano>(record.lease_duration) / nature_.clock_rate;
  return world_.now() + std::chrono::duration_cast<TrueTime>(lasts);
}

Stored Store::Reply() const {
  Stored stored = Last().stored;
  stored.expires_in = ExpiresIn();
  return stored;
}

std::optional<milliseconds> Store::ExpiresIn() const {
  if (expires_at_ == TrueTime::max()) return std::nullopt;
  const std::chrono::duration<double, std::nano> left(expires_at_ - world_.now());
  return std::chrono::ceil<milliseconds>(left * nature_.clock_rate);
}

void Store::Expire() {
  if (present_ && world_.now() >= expires_at_) Remove(true);
}

void Store::Remove(bool expired) {
  Entry entry = Last();
  entry.deleted = true;
  entry.expired = expired;
  entry.author = kOutsider;
  entry.stored.version.order = ++order_;
  present_ = false;
  expires_at_ = TrueTime::max();
  history_.push_back(std::move(entry));
  on_change_(history_.size() - 1);
}

bool Store::Relabel() {
  Expire();
  if (!present_) return false;
  const TrueTime expires_at = expires_at_;
  const Record same = Last().stored.record;
  Commit(kOutsider, same);
  expires_at_ = expires_at;
  return true;
}

bool Store::EditDuration(milliseconds duration) {
  Expire();
  if (!present_ || Last().stored.record.holder_identity.empty()) return false;
  const TrueTime expires_at = expires_at_;
  Record edited = Last().stored.record;
  edited.lease_duration = duration;
  Commit(kOutsider, edited);
  // A lifetime that was set is not shortened by an edit of what is stored.
  expires_at_ = expires_at;
  return true;
}

bool Store::Delete() {
  Expire();
  if (!present_) return false;
  Remove(false);
  return true;
}

bool Store::ClearHolder() {
  Expire();
  if (!present_ || Last().stored.record.holder_identity.empty()) return false;
  Record cleared = Last().stored.record;
  cleared.holder_identity.clear();
  Commit(kOutsider, cleared);
  return true;
}

bool Store::RollBack(std::size_t entries) {
  if (history_.size() <= entries) return false;
  Entry restored = history_[history_.size() - 1 - entries];
  order_ = restored.stored.version.order;
  present_ = !restored.deleted;
  expires_at_ = EndOf(restored.stored.record);
  history_.push_back(std::move(restored));
  return true;
}

const Entry* Store::Find(int author, std::uint64_t order) const {
  for (auto entry = history_.rbegin(); entry != history_.rend(); ++entry) {
    if (entry->author == author && entry->stored.version.order == order) return &*entry;
  }
  return nullptr;
}

}  // namespace leaderelection::simulation
