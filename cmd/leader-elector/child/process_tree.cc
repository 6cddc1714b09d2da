#include "child/process_tree.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace leaderelection::command {

namespace {

// "1234 (name, in which anything may stand) S 1 1234 ...": state, parent and group follow the last parenthesis.
std::optional<ProcessEntry> Entry(pid_t id, const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  ProcessEntry entry{.id = id};
  char state = 0;
  const int read = std::sscanf(line.c_str() + name_end + 1, " %c %d %d", &state, &entry.parent, &entry.group);
  if (read != 3) return std::nullopt;
  entry.dead = state == 'Z' || state == 'X';
  return entry;
}

std::vector<ProcessEntry> AllProcesses() {
  std::vector<ProcessEntry> all;
  std::error_code error;
  for (std::filesystem::directory_iterator folder("/proc", error), end; !error && folder != end;
       folder.increment(error)) {
    const std::string name = folder->path().filename();
    pid_t id = 0;
    const auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (wrong != std::errc() || rest != name.data() + name.size()) continue;
    if (const auto entry = Entry(id, folder->path())) all.push_back(*entry);
  }
  return all;
}

}  // namespace

std::vector<ProcessEntry> Descendants(pid_t root) {
  const std::vector<ProcessEntry> all = AllProcesses();
  std::vector<ProcessEntry> below;
  std::vector<pid_t> parents = {root};
  for (std::size_t next = 0; next < parents.size(); ++next) {
    for (const ProcessEntry& entry : all) {
      const bool known = std::find(parents.begin(), parents.end(), entry.id) != parents.end();
      if (entry.dead || entry.parent != parents[next] || known) continue;
      below.push_back(entry);
      parents.push_back(entry.id);
    }
  }
  return below;
}

std::vector<pid_t> DeadChildren(pid_t parent) {
  std::vector<pid_t> dead;
  for (const ProcessEntry& entry : AllProcesses()) {
    if (entry.dead && entry.parent == parent) dead.push_back(entry.id);
  }
  return dead;
}

bool SignalDescendants(pid_t root, int signal) {
  const std::vector<ProcessEntry> below = Descendants(root);
  for (const ProcessEntry& entry : below) ::kill(entry.id, signal);
  return !below.empty();
}

}  // namespace leaderelection::command
