#!/usr/bin/env bash
# hack/coverage.sh [LABEL...]: builds with coverage, runs the tests of these labels as hack/test.sh does (by default those
# that need no server: unit simulation contract file) and reports the lines and branches they reach, by folder. Fails if a
# test does, or if core is below 95 % of its lines or 90 % of its branches. What is not reached is in build/coverage/report.
#
# Branches that only an exception takes, which the compiler puts behind nearly every call, are left out, and so are those
# that it says cannot be reached: gcovr's --exclude-throw-branches and --exclude-unreachable-branches.

source "$(dirname "$0")/common.sh"

least_lines=95 least_branches=90
[[ ${1:-} != -h && ${1:-} != --help ]] || { usage && exit 0; }
labels=("$@")
cmake_arguments=()
if [[ ${#labels[@]} -eq 0 ]]; then
  labels=(unit simulation contract file)
  for part in KUBERNETES REDIS CONSUL ADMIN COMMAND; do cmake_arguments+=("-DLEADERELECTION_$part=OFF"); done
fi
command -v gcovr >/dev/null || die "gcovr is missing: hack/packages.sh coverage"

directory=$build/coverage
report=$directory/report
mkdir -p "$report"
find "$directory" -name '*.gcda' -delete
arguments=()
for label in "${labels[@]}"; do arguments+=(-L "$label"); done

# Atomic counters, for the tests have threads; not optimised, so that lines are those of the source.
status=0
BUILD_DIR=$directory run hack/test.sh "${arguments[@]}" "${cmake_arguments[@]}" -DCMAKE_BUILD_TYPE=Debug \
  "-DCMAKE_CXX_FLAGS=--coverage -fprofile-abs-path -fprofile-update=atomic" || status=$?

say "coverage by ${labels[*]}"
run gcovr --root "$PWD" --filter "$PWD/(lib|include|cmd)/" --exclude-throw-branches --exclude-unreachable-branches \
  --csv "$report/files.csv" --txt "$report/lines.txt" --html-details "$report/index.html" "$directory"

# by_folder: the table, and whether core is as it must be.
by_folder() {
  awk -F, -v least_lines="$least_lines" -v least_branches="$least_branches" '
    function percent(covered, total) { return total == 0 ? 100 : 100 * covered / total }
    NR > 1 {
      sub(/\/[^\/]*$/, "", $1)
      lines[$1] += $2; lines_covered[$1] += $3; branches[$1] += $5; branches_covered[$1] += $6
    }
    END {
      printf "%-32s %8s %8s %10s %8s\n", "folder", "lines", "%", "branches", "%"
      for (folder in lines) {
        line = percent(lines_covered[folder], lines[folder])
        branch = percent(branches_covered[folder], branches[folder])
        printf "%-32s %8d %8.1f %10d %8.1f\n", folder, lines[folder], line, branches[folder], branch | "sort"
        if (folder == "lib/core") { met = line >= least_lines && branch >= least_branches }
      }
      close("sort")
      if (!met) printf "lib/core is below %d %% of its lines or %d %% of its branches\n", least_lines, least_branches
      exit met ? 0 : 1
    }' "$1"
}
by_folder "$report/files.csv" || status=1
exit "$status"
