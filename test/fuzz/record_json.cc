// The record as the file and Redis backends store it.

#include "json/record_json.h"

#include "fuzz/target.h"

namespace leaderelection::fuzz {

void Fuzz(std::string_view input) {
  const auto stored = RecordFromJson(input);
  if (!stored) {
    Require(stored.error().code == ErrorCode::kCorrupt, "what is no record is corrupt");
    return RequireReadable(stored.error().message);
  }
  Require(input.size() <= kLargestRecordJson, "a record is small");
  Require(stored->version.order != 0 && stored->version.order <= kLargestJsonInteger,
          "a number is one that can be kept");
  const auto text = RecordToJson(stored->record, stored->version.order);
  Require(text.ok(), "what was read can be written");
  Require(text->find('\n') == std::string::npos, "a record is one line");
  const auto again = RecordFromJson(*text);
  Require(again.ok() && again->record == stored->record && again->version.order == stored->version.order,
          "what was written is read as it was");
}

}  // namespace leaderelection::fuzz
