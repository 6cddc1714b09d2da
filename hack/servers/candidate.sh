#!/usr/bin/env bash
# Prints the path of the client-go candidate of test/interop, built if need be. INTEROP_CANDIDATE names a ready-made one
# instead. The cache knows it by client-go's version and its sources, so a change of either makes another.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=build_once.sh
source "$here/build_once.sh"

ready_made INTEROP_CANDIDATE && exit

sources=$here/../../test/interop
client_go=$(sed -n 's#^\tk8s\.io/client-go \(v[^ ]*\)$#\1#p' "$sources/go.mod")
digest=$(cd "$sources" && cat go.mod go.sum candidate/*.go | sha256sum | cut -c1-12)

build() {
  local output=$PWD/candidate
  cd "$sources" && go_build ./candidate "$output" -mod=readonly -ldflags "-s -w"
}

build_once candidate "$client_go-$digest" build
