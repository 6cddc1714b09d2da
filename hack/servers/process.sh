# shellcheck shell=bash
# Sourced: processes that outlive the script which started them, found again by a file that holds the process id and
# the process's start time, so that a number given to another process meanwhile is never signalled.

# start_process NAME LOG COMMAND...: runs the command in the background, in a session of its own. No file descriptor is
# passed on: an inherited lock would stay taken, and whoever reads this script's output would wait for the process too.
start_process() {
  local name=$1 log=$2 pid fd
  shift 2
  (
    for fd in /proc/"$BASHPID"/fd/*; do
      fd=${fd##*/}
      ((fd < 3)) || exec {fd}>&-
    done
    exec setsid "$@"
  ) >>"$log" 2>&1 </dev/null &
  pid=$!
  disown "$pid"
  printf '%s %s\n' "$pid" "$(process_start_time "$pid")" >"$name.pid"
}

# process_start_time PID: prints when it started, in ticks since boot. Fails if there is none or only a zombie.
process_start_time() {
  local stat fields
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
  read -ra fields <<<"${stat##*) }"
  [[ ${fields[0]} != Z ]] || return 1
  printf '%s\n' "${fields[19]}"
}

# process_id NAME: prints the id of the process if it still runs.
process_id() {
  local pid started
  { read -r pid started <"$1.pid"; } 2>/dev/null || return 1
  [[ $(process_start_time "$pid") == "$started" ]] || return 1
  printf '%s\n' "$pid"
}

# end_process NAME SECONDS: SIGTERM, and SIGKILL if it still runs after that time. A stopped one is woken to hear it.
end_process() {
  local name=$1 pid
  if pid=$(process_id "$name"); then
    # It may end by itself meanwhile, or at the first signal before the second.
    kill -TERM "$pid" 2>/dev/null || true
    kill -CONT "$pid" 2>/dev/null || true
    await "$2" process_ended "$name" || kill -KILL "$pid" 2>/dev/null || true
    await 10 process_ended "$name" || return 1
  fi
  rm -f "$name.pid"
}

process_ended() { ! process_id "$1" >/dev/null; }

# await SECONDS COMMAND...: repeats the command until it succeeds, or fails after that time.
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}
