# shellcheck shell=bash
# Sourced by the tests of the scripts: what they promise, checked one by one. $work is the test's own directory.

promise() { printf '%s\n' "$*"; }

# succeeds COMMAND...
succeeds() {
  "$@" >"${work:?}/output" 2>&1 || { printf 'failed: %s\n' "$*" >&2 && exit 1; }
}

# fails_with TEXT COMMAND...: it fails, and says the text, in capitals or not.
fails_with() {
  local text=$1
  shift
  if "$@" >"${work:?}/output" 2>&1; then
    printf 'succeeded, which it must not: %s\n' "$*" >&2
    exit 1
  fi
  grep -qi -- "$text" "$work/output" || { printf 'failed without saying "%s": %s\n' "$text" "$*" >&2 && exit 1; }
}
