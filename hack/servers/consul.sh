#!/usr/bin/env bash
# Prints the path of consul, built from its published Go module if need be. CONSUL names a ready-made one instead.
# Its licence, the Business Source License, lets it serve tests; it is never shipped.
set -euo pipefail
# shellcheck source=build_once.sh
source "$(dirname "${BASH_SOURCE[0]}")/build_once.sh"

version=${CONSUL_VERSION:-v1.21.0}

ready_made CONSUL && exit

# What the module excludes does not bind a module that depends on it, so it is said again. One of its submodules is
# unknown to the checksum database; the module's own go.sum vouches for it.
build() {
  local upstream
  upstream=$(module_directory "github.com/hashicorp/consul@$version")
  {
    printf 'module leaderelection.test/servers\n\n'
    grep -E '^go [0-9.]+$' "$upstream/go.mod"
    printf '\nrequire github.com/hashicorp/consul %s\n\n' "$version"
    sed -n '/^exclude (/,/^)/p; /^exclude [^(]/p' "$upstream/go.mod"
  } >go.mod
  cp "$upstream/go.sum" go.sum
  chmod 644 go.sum
  go_build github.com/hashicorp/consul ./consul -mod=mod -ldflags "-s -w"
}

build_once consul "$version" build
