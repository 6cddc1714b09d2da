# shellcheck shell=bash
# Sourced by the scripts of this folder. They all work from the top of the tree.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck disable=SC2034
build=${BUILD_DIR:-build} cores=$(nproc)

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 2
}

# Prints the comment at the top of the script that was called: its usage.
usage() { sed -n '2,/^[^#]/ { s/^# \{0,1\}//p }' "$0"; }

# Runs a command in a process group of its own, so that whoever ends this script ends all that the command has started.
running=
run() {
  local status=0
  set -m
  "$@" </dev/null &
  running=$!
  set +m
  wait "$running" || status=$?
  running=
  return "$status"
}
# A script that has more to undo when it is ended defines its own.
clean_up() { :; }
end() {
  trap '' INT TERM HUP
  if [[ -n $running ]]; then
    kill -TERM -- "-$running" 2>/dev/null || true
    wait "$running" || true
  fi
  clean_up
  exit "$1"
}
trap 'end 130' INT
trap 'end 143' TERM HUP

# What one checkout of the tree has compiled serves the next: paths below it count as relative.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true

# configure DIRECTORY [CMake's arguments]
configure() {
  local directory=$1
  shift
  local launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  run cmake -S . -B "$directory" -G Ninja "${launcher[@]}" "$@"
}
