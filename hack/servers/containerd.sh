#!/usr/bin/env bash
# Prints the path of containerd, built from its published Go module if need be, with its client ctr and its shim for
# runc in the same directory. CONTAINERD names a ready-made one instead.
set -euo pipefail
# shellcheck source=build_once.sh
source "$(dirname "${BASH_SOURCE[0]}")/build_once.sh"

version=${CONTAINERD_VERSION:-v2.3.7}
module=github.com/containerd/containerd/v2

ready_made CONTAINERD && exit

# containerd itself comes last, because its presence says that the directory is whole.
build() {
  local program link="-s -w -X $module/version.Version=$version"
  printf 'module leaderelection.test/servers\n\ngo 1.26\n\nrequire %s %s\n' "$module" "$version" >go.mod
  for program in containerd-shim-runc-v2 ctr containerd; do
    go_build "$module/cmd/$program" "./$program" -mod=mod -ldflags "$link"
  done
}

build_once containerd "$version" build
