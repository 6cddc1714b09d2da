#!/usr/bin/env bash
# hack/fuzz.sh [--seed N] [SECONDS] [TARGET...]: lets libFuzzer make inputs for the readers of what comes from outside (test/fuzz),
# each target for so many seconds (60), under AddressSanitizer and UndefinedBehaviorSanitizer. Fails at the first input
# that breaks one, keeps it and says how to replay it. What libFuzzer learns is kept in build/fuzz/corpus for the next run.
#
# A target with a planted fault goes first: a fuzzer that does not find that one would find none. With a seed it begins
# with the same inputs each time, so that a change is not held up by what another run would have found.

source "$(dirname "$0")/common.sh"

seconds=60
seed=0 # libFuzzer's word for one of its own choice
targets=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --seed)
      [[ ${2:-} =~ ^[0-9]+$ ]] || die "--seed needs a number"
      seed=$2
      shift
      ;;
    [0-9]*) seconds=$1 ;;
    *)
      [[ -d test/fuzz/corpus/$1 ]] || die "no target '$1'; there are: $(ls -m test/fuzz/corpus)"
      targets+=("$1")
      ;;
  esac
  shift
done
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(ls test/fuzz/corpus)
clang=$(command -v clang++-14 || command -v clang++) || die "clang is missing: hack/packages.sh fuzz"

directory=$build/fuzz
findings=$directory/findings
program() { echo "$directory/test/fuzz/fuzz_$1"; }

build_targets() {
  configure "$directory" -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" -DLEADERELECTION_FUZZ=ON \
    -DLEADERELECTION_SANITIZE=fuzzer-no-link,address,undefined,float-cast-overflow >/dev/null &&
    run ninja -C "$directory" fuzz_planted "${targets[@]/#/fuzz_}"
}

# fuzz TARGET SECONDS: leaves libFuzzer's words in TARGET.log.
fuzz() {
  local target=$1 learned=$directory/corpus/$1
  mkdir -p "$learned" "$findings"
  # A second is long for an input of a few kilobytes; a shared machine makes it longer.
  run "$(program "$target")" -seed="$seed" -max_total_time="$2" -max_len=4096 -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
    -dict=test/fuzz/words.dict -artifact_prefix="$findings/$target-" "$learned" "${@:3}" >"$directory/$target.log" 2>&1
}

statistic() { sed -n "s/^stat::$2: *//p" "$directory/$1.log"; }
# The last of "cov: 340 ft: 1023 corp: 120/4Kb".
progress() { sed -n "s/.* $2: \([^ ]*\).*/\1/p" "$directory/$1.log" | tail -n 1; }

find_planted_fault() {
  rm -rf "$directory/corpus/planted"
  if fuzz planted 60; then die "the planted fault was not found"; fi
  grep -q 'heap-buffer-overflow' "$directory/planted.log" || die "not the planted fault was found: $directory/planted.log"
  rm -f "$findings"/planted-*
  echo "the planted fault was found after $(statistic planted number_of_executed_units) executions"
}

report_finding() {
  local found
  grep -E '^(it does not hold|==[0-9]+== ?ERROR|SUMMARY|.*runtime error|terminate called|  what)' "$directory/$1.log" || true
  found=$(sed -n "s/.*Test unit written to //p" "$directory/$1.log" | tail -n 1)
  printf '%s is broken by %s\n  replay it: %s %s\n' "$1" "${found:-(see $directory/$1.log)}" "$(program "$1")" "$found"
  printf '  keep it: cp %s test/fuzz/corpus/%s/WHAT_IT_IS, where every build replays it\n' "$found" "$1"
}

build_targets || exit
find_planted_fault
status=0
printf '%-16s %12s %12s %8s %8s\n' target executions per-second edges inputs
for target in "${targets[@]}"; do
  broken=false
  fuzz "$target" "$seconds" "test/fuzz/corpus/$target" || broken=true
  printf '%-16s %12s %12s %8s %8s\n' "$target" "$(statistic "$target" number_of_executed_units)" \
    "$(statistic "$target" average_exec_per_sec)" "$(progress "$target" cov)" "$(progress "$target" corp)"
  if $broken; then
    report_finding "$target"
    status=1
  fi
done
exit "$status"
