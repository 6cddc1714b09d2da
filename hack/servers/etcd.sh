#!/usr/bin/env bash
# Prints the path of etcd, built from its published Go module if need be. ETCD names a ready-made one instead.
set -euo pipefail
# shellcheck source=build_once.sh
source "$(dirname "${BASH_SOURCE[0]}")/build_once.sh"

version=${ETCD_VERSION:-v3.6.13}

ready_made ETCD && exit

build() {
  printf 'module leaderelection.test/servers\n\ngo 1.24\n\nrequire go.etcd.io/etcd/server/v3 %s\n' "$version" >go.mod
  go_build go.etcd.io/etcd/server/v3 ./etcd -mod=mod -ldflags "-s -w"
}

build_once etcd "$version" build
