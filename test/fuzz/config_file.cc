// The configuration file of leader-elector: the input as it is, and once more behind a URL that holds the secret.

#include "fuzz/target.h"
#include "options/values.h"
#include "usage_error.h"

namespace leaderelection::fuzz {

namespace {

// The values, checked, or what the user is told.
std::string Read(const InputFile& file) {
  try {
    const auto values = command::Configure(command::kRun, {"--config=" + file.path()}, {});
    for (const char* flag : {"leader-elect-lease-duration", "leader-elect-renew-deadline", "grace-period", "timeout"}) {
      Require(values.Duration(flag).count() >= 0, "a duration is not negative");
    }
    (void)values.Pairs("metadata");
    return "";
  } catch (const command::UsageError& error) {
    Require(error.what()[0] != '\0', "a failure says why");
    return error.what();
  }
}

// A misspelt key is quoted, and must be: the secret is only one where it belongs.
bool HoldsSecretElsewhere(std::string_view input) {
  for (Pieces pieces(input); !pieces.AtEnd();) {
    const std::string_view line = pieces.Line();
    const std::size_t at = line.find(kSecret);
    if (at != std::string_view::npos && line.substr(0, at).find("url: ") == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

void Fuzz(std::string_view input) {
  static InputFile file;
  file.Write(input);
  (void)Read(file);
  if (HoldsSecretElsewhere(input)) return;
  file.Write("redis:\n  url: redis://a:" + std::string(kSecret) + "@b" + std::string(input));
  RequireNoSecret(Read(file));
}

}  // namespace leaderelection::fuzz
