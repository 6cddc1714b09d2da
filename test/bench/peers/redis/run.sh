#!/usr/bin/env bash
# run.sh [ROUNDS [HAND_OFFS [TAKE_OVERS [ELECTIONS]]]]: our lock beside bsm/redislock and redsync, in turn, on a Redis
# of its own. Prints the median and the 99th percentile of each in milliseconds, beside how many times ours the median
# is; and renewals a second, beside how many times the peer's rate ours is. Leases are 3 seconds. Both peers wait by
# polling: redislock every 100 ms as in its documentation, redsync after 50 to 250 ms as it does by itself. Their client
# has one request at a time under way on a connection; ours sends on without waiting.
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

# measure NAME COMMAND... COUNT: the first of each kind is ours, with which the others are compared.
measure() {
  local name=$1 count=${*: -1} numbers
  shift
  numbers=$("${@:1:$#-1}" "$(cat /proc/sys/kernel/random/uuid)" "$count" | sort -n)
  awk -v name="$name" -v base="$base" '
    { all[NR] = $1 }
    END {
      median = all[int((NR + 1) / 2)]
      printf "%-34s %6d %12.3f %12.3f %8.2f\n", name, NR, median, all[int((NR * 99 + 99) / 100)], base ? median / base : 1
    }' <<<"$numbers"
  [[ $base != 0 ]] || base=$(awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }' <<<"$numbers")
}

printf '%-34s %6s %12s %12s %8s\n' "milliseconds" number p50 p99 "x ours"
base=0
measure "acquire+release, ours" "$ours" acquire-release "$rounds"
measure "acquire+release, ours, an elector" "$ours" lead-release "$rounds"
measure "acquire+release, redislock" "$peer" redislock acquire-release "$rounds"
measure "acquire+release, redsync" "$peer" redsync acquire-release "$rounds"
for what in hand-off:$hand_offs take-over:$take_overs; do
  base=0
  measure "${what%:*}, ours" "$ours" "${what%:*}" "${what#*:}"
  measure "${what%:*}, redislock" "$peer" redislock "${what%:*}" "${what#*:}"
  measure "${what%:*}, redsync" "$peer" redsync "${what%:*}" "${what#*:}"
done

printf '\n%-34s %6s %12s %25s\n' "over one connection" number "a second" "ours x it"
ours_rate=$("$ours" renewals renewals-ours "$elections")
row() { printf '%-34s %6d %12.0f %25.2f\n' "$1" "$elections" "$2" "$(awk "BEGIN { print $ours_rate / $2 }")"; }
row "renewals, ours" "$ours_rate"
for library in redislock redsync; do
  row "renewals, $library" "$("$peer" "$library" renewals "renewals-$library" "$elections")"
done
