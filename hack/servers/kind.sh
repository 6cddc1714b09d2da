#!/usr/bin/env bash
# Prints the path of kind, built from its published Go module if need be. KIND names a ready-made one instead.
# With --module: the directory of the module's own files, which hold what a node image consists of.
set -euo pipefail
# shellcheck source=build_once.sh
source "$(dirname "${BASH_SOURCE[0]}")/build_once.sh"

version=${KIND_VERSION:-v0.33.0}

if [[ ${1:-} == --module ]]; then
  require_go
  module_directory "sigs.k8s.io/kind@$version"
  exit
fi
ready_made KIND && exit

build() {
  printf 'module leaderelection.test/servers\n\ngo 1.26\n\nrequire sigs.k8s.io/kind %s\n' "$version" >go.mod
  go_build sigs.k8s.io/kind ./kind -mod=mod -ldflags "-s -w"
}

build_once kind "$version" build
