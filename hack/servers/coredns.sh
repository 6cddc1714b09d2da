#!/usr/bin/env bash
# Prints the path of CoreDNS, built from its published Go module if need be, with the plugins that kubeadm's configuration
# names and none of the others, most of which are for one cloud or another. COREDNS names a ready-made one instead.
set -euo pipefail
# shellcheck source=build_once.sh
source "$(dirname "${BASH_SOURCE[0]}")/build_once.sh"

version=${COREDNS_VERSION:-v1.14.2}
module=github.com/coredns/coredns
plugins=(cache errors forward health kubernetes loadbalance loop metrics ready reload)

ready_made COREDNS && exit

build() {
  local upstream
  upstream=$(module_directory "$module@$version")
  {
    printf 'module leaderelection.test/servers\n\n'
    grep -E '^go [0-9.]+$' "$upstream/go.mod"
    printf '\nrequire %s %s\n' "$module" "$version"
  } >go.mod
  {
    printf 'package main\n\nimport (\n\t"%s/coremain"\n' "$module"
    printf "\t_ \"$module/plugin/%s\"\n" "${plugins[@]}"
    printf ')\n\nfunc main() { coremain.Run() }\n'
  } >main.go
  go_build . ./coredns -mod=mod -ldflags "-s -w"
}

build_once coredns "$version" build
