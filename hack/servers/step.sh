# shellcheck shell=bash
# Sourced: steps of a long script, each shown with its name and its time. What a step says goes to $step_log, which the
# script sets. Expects build_once.sh.

# step TEXT COMMAND...: runs the command, and ends the script with the end of the log if it fails. The command may be a
# function; it runs in a shell of its own, and not in a condition, within which bash would pass over what fails in it.
step() {
  local text=$1 started=$SECONDS status
  shift
  say "  $text ..."
  set +e
  (
    set -e
    printf '\n== %s: %s\n' "$(date +%T)" "$text"
    "$@"
  ) >>"${step_log:?}" 2>&1
  status=$?
  set -e
  if ((status != 0)); then
    tail -n 20 "$step_log" >&2
    die "$text: failed after $((SECONDS - started)) s; all of it is in $step_log"
  fi
  say "  $text: $((SECONDS - started)) s"
}
