#!/usr/bin/env bash
# run.sh [ROUNDS [HAND_OFFS [TAKE_OVERS [ELECTIONS]]]]: our lock beside bsm/redislock and redsync on a Redis of its
# own. They take turns, five each, so that what else the machine does meets all of them. Prints the median and the 99th
# percentile in milliseconds, beside how many times ours the median is; and renewals a second, median, least and most of
# the turns, beside how many times the peer's median ours is. Leases are 3 seconds. Both peers wait by polling: redislock
# every 100 ms as in its documentation, redsync after 50 to 250 ms as it does by itself. Their client has one request at
# a time under way on a connection; ours sends on without waiting.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../../.." && pwd)
# shellcheck source=hack/servers/build_once.sh
source "$root/hack/servers/build_once.sh"
rounds=${1:-3000} hand_offs=${2:-100} take_overs=${3:-5} elections=${4:-1000}
ours=${REDIS_BENCH:-$root/build/test/bench/peers/redis/redis_bench}
[[ -x $ours ]] || die "$ours is not there: build the target redis_bench, or name it by REDIS_BENCH"

build() {
  local output=$PWD/redis-peer
  cd "$here" && go_build . "$output" -mod=readonly -ldflags "-s -w"
}
digest=$(cd "$here" && cat go.mod go.sum main.go | sha256sum | cut -c1-12)
peer=$(build_once redis-peer "$digest" build)

scratch=$(mktemp -d)
finish() {
  "$root/hack/redis.sh" down standalone --dir "$scratch/redis"
  rm -rf "$scratch"
}
trap finish EXIT
"$root/hack/redis.sh" up standalone --dir "$scratch/redis"
eval "$("$root/hack/redis.sh" env standalone --dir "$scratch/redis")"
export REDIS_HOST=${LEADERELECTION_TEST_REDIS_STANDALONE_SERVERS%:*} REDIS_PORT=${LEADERELECTION_TEST_REDIS_STANDALONE_SERVERS#*:}

readonly turns=5

# program WHO WHAT COUNT: one turn, on a key that nobody has used.
program() {
  local key
  key=$(cat /proc/sys/kernel/random/uuid)
  case $1 in
    ours) "$ours" "$2" "$key" "$3" ;;
    elector) "$ours" lead-release "$key" "$3" ;;
    *) "$peer" "$1" "$2" "$key" "$3" ;;
  esac
}

# take_turns WHAT COUNT WHO...: leaves the numbers of each, sorted, in a file of his own.
take_turns() {
  local what=$1 count=$2 who turn
  shift 2
  for ((turn = 0; turn < turns; ++turn)); do
    for who in "$@"; do program "$who" "$what" "$count" >>"$scratch/$what.$who"; done
  done
  for who in "$@"; do sort -n -o "$scratch/$what.$who" "$scratch/$what.$who"; done
}

median() { awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }' "$1"; }

# times WHAT COUNT WHO...: COUNT in all.
times() {
  local what=$1 who
  take_turns "$what" $((($2 + turns - 1) / turns)) "${@:3}"
  for who in "${@:3}"; do
    awk -v name="$what, $who" -v base="$(median "$scratch/$what.ours")" '
      { all[NR] = $1 }
      END {
        median = all[int((NR + 1) / 2)]
        printf "%-28s %6d %12.3f %12.3f %8.2f\n", name, NR, median, all[int((NR * 99 + 99) / 100)], median / base
      }' "$scratch/$what.$who"
  done
}

printf '%-28s %6s %12s %12s %8s\n' milliseconds number p50 p99 "x ours"
times acquire-release "$rounds" ours elector redislock redsync
times hand-off "$hand_offs" ours redislock redsync
times take-over "$take_overs" ours redislock redsync

printf '\n%-28s %6s %12s %12s %12s %10s\n' "a second, one connection" number median least most "ours x it"
take_turns renewals "$elections" ours redislock redsync
for who in ours redislock redsync; do
  awk -v name="renewals, $who" -v number="$elections" -v base="$(median "$scratch/renewals.ours")" '
    { all[NR] = $1 }
    END {
      median = all[int((NR + 1) / 2)]
      printf "%-28s %6d %12.0f %12.0f %12.0f %10.2f\n", name, number, median, all[1], all[NR], base / median
    }' "$scratch/renewals.$who"
done
