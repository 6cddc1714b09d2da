#!/usr/bin/env bash
# endpoints_test.sh LEADER_ELECTOR: a leader and a follower, asked at every endpoint by curl, as an operator would.
set -euo pipefail

elector=$1
scratch=$(mktemp -d)
candidates=()
trap 'kill "${candidates[@]}" 2>/dev/null || true; wait; rm -rf "$scratch"' EXIT

fail() {
  echo "FAILED: $*" && tail -n 20 "$scratch"/*.log
  exit 1
}

# await COMMAND...: repeats it for a minute at most.
await() {
  local end=$((SECONDS + 60))
  until "$@"; do ((SECONDS < end)) || fail "waited in vain: $*"; done
}

# start NAME [OPTION...]: a candidate; its address is then in $scratch/NAME.address.
start() {
  "$elector" run --lock=file --lock-file="$scratch/lock" --identity="$1" "${@:2}" -- sleep 1000 >"$scratch/$1.log" 2>&1 &
  candidates+=("$!")
  await grep -q 'serving admin endpoints' "$scratch/$1.log"
  sed -n 's/.*serving admin endpoints.* address=\(.*\)/\1/p' "$scratch/$1.log" >"$scratch/$1.address"
}

# ask NAME TARGET CODE PATTERN [curl's arguments]: the candidate's answer has this code, and a body that matches.
ask() {
  local code
  code=$(curl --silent --show-error --max-time 30 --output "$scratch/body" --write-out '%{http_code}' "${@:5}" \
    "http://$(<"$scratch/$1.address")$2")
  [[ $code == "$3" ]] || fail "$2 of $1: $code instead of $3: $(<"$scratch/body")"
  grep -qE "$4" "$scratch/body" || fail "$2 of $1: no '$4' in: $(<"$scratch/body")"
}

start a --admin-step-down=this-host
await grep -q 'command started' "$scratch/a.log"
start b
await grep -q 'leader=a' "$scratch/b.log"

for candidate in a b; do
  ask "$candidate" /healthz 200 .
  ask "$candidate" /readyz 200 .
  ask "$candidate" /leader 200 '"identity": ?"a"'
  ask "$candidate" /nowhere 404 .
done
ask a '/leader?only-leader' 200 .
ask b '/leader?only-leader' 503 .
ask a /metrics 200 '^leader_election_master_status\{name="[^"]+"\} 1$'
ask b /metrics 200 '^leader_election_master_status\{name="[^"]+"\} 0$'
ask b /step-down 403 . --request POST
ask a /step-down 405 .
ask a /step-down 202 . --request POST
await grep -q 'command started' "$scratch/b.log"
ask b '/leader?only-leader' 200 .
ask a '/leader?only-leader' 503 .
