#!/usr/bin/env bash
# run.sh [HAND_OFFS [TAKE_OVERS]]: hand-offs and take-overs by our lock and by Consul's own Go lock, in turn, on the agent
# of hack/consul.sh, which it starts if need be. Prints the median and the extremes of each, in milliseconds.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../../.." && pwd)
# shellcheck source=hack/servers/build_once.sh
source "$root/hack/servers/build_once.sh"
hand_offs=${1:-50} take_overs=${2:-1}
ours=${CONSUL_BENCH:-$root/build/test/bench/peers/consul/consul_bench}
[[ -x $ours ]] || die "$ours is not there: build the target consul_bench, or name it by CONSUL_BENCH"

build() {
  local output=$PWD/consul-peer
  cd "$here" && go_build . "$output" -mod=readonly -ldflags "-s -w"
}
digest=$(cd "$here" && cat go.mod go.sum main.go | sha256sum | cut -c1-12)
peer=$(build_once consul-peer "$digest" build)

"$root/hack/consul.sh" up
eval "$("$root/hack/consul.sh" env)"
export CONSUL_HTTP_ADDR=$LEADERELECTION_TEST_CONSUL_HTTP CONSUL_HTTP_TOKEN_FILE=$LEADERELECTION_TEST_CONSUL_TOKEN_FILE

# measure NAME PROGRAM WHAT COUNT
measure() {
  local key
  key=${LEADERELECTION_TEST_CONSUL_PREFIX}bench-$(cat /proc/sys/kernel/random/uuid)
  "$2" "$3" "$key" "$4" | sort -n | awk -v name="$1" '
    { all[NR] = $1 }
    END { printf "%-28s %4d  median %10.1f  least %10.1f  most %10.1f\n", name, NR, all[int((NR + 1) / 2)], all[1], all[NR] }'
}
measure "hand-off, ours" "$ours" hand-off "$hand_offs"
measure "hand-off, Go api.Lock" "$peer" hand-off "$hand_offs"
measure "take-over, ours" "$ours" take-over "$take_overs"
measure "take-over, Go api.Lock" "$peer" take-over "$take_overs"
