#!/usr/bin/env bash
# hack/simulate.sh [SCHEDULES [FIRST_SEED]]
#
# The long simulation: that many schedules (a million) of the election under seeded faults, half of them with equal clocks
# and half at a ratio of 1.45; then what happens at ratios up to and beyond lease_duration / renew_deadline = 1.5, and
# what client-go's rules would have done under the same seeds. Runs on all cores, in chunks, and ends with a table.
# Fails if a rule was broken up to the ratio that is promised, or if nothing was noticed beyond it.
#
# BUILD_DIR names another build directory.

source "$(dirname "$0")/common.sh"

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage && exit 0; }
schedules=${1:-1000000} first=${2:-1} chunk=5000
[[ $schedules =~ ^[1-9][0-9]*$ && $first =~ ^[0-9]+$ ]] || die "how many schedules, and from which seed, are numbers"

[[ -f $build/CMakeCache.txt ]] || configure "$build"
run ninja -C "$build" simulate
simulate=$PWD/$build/test/simulate
work=$(mktemp -d)
clean_up() { rm -rf "$work"; }
trap clean_up EXIT

# one_chunk FILE ARGUMENTS...: what the simulator says, into FILE; a violation is no failure of the script yet.
one_chunk() {
  local file=$1 status=0
  shift
  "$simulate" "$@" >"$file" 2>&1 || status=$?
  if [[ $status -gt 1 ]]; then
    cat "$file" >&2
    return 255 # which ends xargs
  fi
}
export -f one_chunk
export simulate

is_promised() { [[ ! $1 =~ ^(sweep-(1\.55|1\.6|1\.7|2\.0)|client-go)$ ]]; }

# batch NAME SCHEDULES ARGUMENTS...: runs them in chunks on all cores, with progress, into $work/NAME.
batch() {
  local name=$1 count=$2 from=$first number=0 left=$2 size
  shift 2
  mkdir "$work/$name"
  printf '%-22s %s schedules\n' "$name" "$count"
  : >"$work/$name.list"
  while [[ $left -gt 0 ]]; do
    size=$((left < chunk ? left : chunk))
    # No blank at the end: xargs would take the next line for a part of this one.
    echo "$work/$name/$number $* --seeds $size --from $from" >>"$work/$name.list"
    left=$((left - size)) from=$((from + size)) number=$((number + 1))
  done
  # shellcheck disable=SC2016
  xargs -a "$work/$name.list" -P "$cores" -L 1 bash -c 'one_chunk "$@" && echo' chunk |
    awk -v chunk="$chunk" -v all="$count" '{
      done += chunk; if (done > all) done = all
      if (done >= told + all / 10 || done == all) { printf "  %d of %d\n", done, all; fflush(); told = done }
    }'
  # Beyond the promise they are expected, and only counted.
  if is_promised "$name"; then grep -h -A 1 '^VIOLATION' "$work/$name"/* | head -n 20 || true; fi
}

# sum NAME: schedules, schedules with overlaps, seconds of overlap, schedules with violations, schedules a second.
sum() {
  cat "$work/$1"/* | awk '
    /^[0-9]+ schedules in/ { schedules += $1; seconds += $4 }
    /^overlaps:/ { overlapping += $4; time += $(8) }
    /^violations:/ { violating += $2 }
    END { printf "%d %d %.1f %d %.0f\n", schedules, overlapping, time, violating, schedules / (seconds > 0 ? seconds : 1) }'
}

half=$(((schedules + 1) / 2))
sample=$(((schedules + 49) / 50))
batch equal-clocks "$half"
batch ratio-1.45 "$half" --ratio 1.45
for ratio in 1.1 1.2 1.3 1.4 1.5 1.55 1.6 1.7 2.0; do batch "sweep-$ratio" "$sample" --ratio "$ratio"; done
batch beyond-the-limits "$sample" --faults all
batch client-go "$sample" --policy client-go

say "what became of them"
printf '%-22s %10s %12s %12s %11s %12s\n' batch schedules 'two leaders' 'for seconds' violations 'a second/core'
status=0
for folder in equal-clocks ratio-1.45 sweep-{1.1,1.2,1.3,1.4,1.5,1.55,1.6,1.7,2.0} beyond-the-limits client-go; do
  read -r count overlapping time violating speed < <(sum "$folder")
  printf '%-22s %10d %12d %12s %11d %12d\n' "$folder" "$count" "$overlapping" "$time" "$violating" "$speed"
  # A handful of schedules may well show nothing.
  if is_promised "$folder"; then
    if [[ $violating -gt 0 ]]; then status=1; fi
  elif [[ $overlapping -eq 0 && $count -ge 400 ]]; then
    echo "$folder: nothing was noticed, though overlaps must occur"
    status=1
  fi
done
exit "$status"
