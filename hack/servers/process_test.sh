#!/usr/bin/env bash
# Tests what process.sh promises of processes that end while one looks. Prints one line per promise and fails at the first
# that does not hold.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=process.sh
source "$here/process.sh"
# shellcheck source=promises.sh
source "$here/promises.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/process-test.XXXXXX")
trap 'end_process "$work/sleeper" 10; rm -rf "$work"' EXIT

promise "a process that ends at the first signal is not missed at the second"
kill() {
  builtin kill "$@"
  [[ $1 != -TERM ]] || await 10 process_ended "$work/sleeper"
}
start_process "$work/sleeper" "$work/log" sleep 600
end_process "$work/sleeper" 10
[[ ! -e $work/sleeper.pid ]]
unset -f kill

promise "a stopped process is woken to hear that it shall end"
start_process "$work/sleeper" "$work/log" sleep 600
kill -STOP "$(process_id "$work/sleeper")"
succeeds end_process "$work/sleeper" 10
[[ ! -e $work/sleeper.pid ]]

promise "all promises hold"
