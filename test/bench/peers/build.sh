#!/usr/bin/env bash
# build.sh NAME MODULE [PACKAGE]: prints the path of a peer, the Go program in this folder of the tree, built if need be.
# The cache knows it by its sources and the versions of all that it uses, so a change of either makes another.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
# shellcheck source=hack/servers/build_once.sh
source "$root/hack/servers/build_once.sh"
name=${1:?usage: build.sh NAME MODULE [PACKAGE]} module=$root/${2:?usage: build.sh NAME MODULE [PACKAGE]} package=${3:-.}

build() {
  local output=$PWD/$name
  cd "$module" && go_build "$package" "$output" -mod=readonly -ldflags "-s -w"
}
digest=$(cd "$module" && cat go.mod go.sum "$package"/*.go | sha256sum | cut -c1-12)
build_once "$name" "$digest" build
