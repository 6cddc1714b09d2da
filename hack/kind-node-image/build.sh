#!/usr/bin/env bash
# Prints the path of the node image, an archive for docker load compressed with zstd, built if need be; the file `name`
# beside it holds the image's name. Needs root, for debootstrap. The cache knows the image by the version of Kubernetes
# and by its recipe, so a change of either makes another.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
servers=$here/../servers
# shellcheck source=../servers/build_once.sh
source "$servers/build_once.sh"

export KUBERNETES_VERSION=${KUBERNETES_VERSION:-v1.36.3}
recipe=("$here"/*.{sh,c,yaml} "$here"/{Dockerfile,crictl} "$here/../image/archive.py"
  "$servers"/{containerd,coredns,etcd,kind,kubernetes}.sh)
versions="${CONTAINERD_VERSION:-} ${COREDNS_VERSION:-} ${ETCD_VERSION:-} ${KIND_VERSION:-}"
version=$KUBERNETES_VERSION-$({ printf '%s\n' "$versions" && cat "${recipe[@]}"; } | sha256sum | cut -c1-12)

build() {
  [[ $(id -u) -eq 0 ]] || die "the node image is built with debootstrap, which needs root"
  printf 'leaderelection/node:%s\n' "$version" >name
  "$here/steps.sh"
}

build_once node-image "$version" build node-image.tar.zst
