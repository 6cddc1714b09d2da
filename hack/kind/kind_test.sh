#!/usr/bin/env bash
# Tests what hack/kind.sh says when it cannot do as asked, and the wrapper around runc; needs Go, but neither Docker nor a
# cluster. Prints one line per promise and fails at the first that does not hold.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../servers/promises.sh
source "$root/hack/servers/promises.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/kind-test.XXXXXX")
export LEADERELECTION_CACHE=$work/cache DOCKER_HOST=unix://$work/no-docker.sock
trap 'rm -rf "$work"' EXIT

cluster() { "$root/hack/kind.sh" "$@"; }

# A PATH without docker, dockerd and go, and with all else that the script calls.
bare_path() {
  local tool
  mkdir -p "$work/bin"
  for tool in awk basename bash cat chmod date dirname env flock id mkdir nproc rm sed sleep tail timeout; do
    ln -sf "$(command -v "$tool")" "$work/bin/$tool"
  done
  printf '%s' "$work/bin"
}

promise "a wrong command line is answered with the usage"
for arguments in "" "start" "up now" "down --all" "load" "logs"; do
  # shellcheck disable=SC2086
  fails_with "usage: hack/kind.sh" cluster $arguments
done

promise "a command on no cluster says how to make one"
fails_with "kind.sh up" cluster env
fails_with "kind.sh up" cluster load "$work/image.tar"
fails_with "kind.sh up" cluster logs "$work/logs"
fails_with "docker: does not answer" cluster status

promise "down without a cluster succeeds"
succeeds cluster down

promise "without Docker, up says what to install"
fails_with "install docker.io" env PATH="$(bare_path)" "$root/hack/kind.sh" up

promise "a container is asked to have no more than there is"
succeeds env --chdir="$root/hack/kind/runc-within-limits" go test main.go main_test.go

promise "all promises hold"
