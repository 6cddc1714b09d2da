#!/usr/bin/env bash
# steps.sh: makes node-image.tar.zst in the current directory, whose file `name` holds the image's name. build.sh calls it;
# README.md says what each step is for.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
servers=$here/../servers
# shellcheck source=../servers/build_once.sh
source "$servers/build_once.sh"
# shellcheck source=../servers/step.sh
source "$servers/step.sh"

: "${KUBERNETES_VERSION:?is set by build.sh}"
in_node=(kubelet kubeadm kubectl)
in_images=(kube-apiserver kube-controller-manager kube-scheduler kube-proxy)
step_log=$servers_cache/node-image.log

fill_root() {
  local containerd program
  mkdir root
  tar -xf "$("$here/debian.sh")" -C root
  containerd=$("$servers/containerd.sh")
  install -D -t root/usr/local/bin "${containerd%/*}"/{containerd,containerd-shim-runc-v2,ctr}
  for program in "${in_node[@]}"; do
    install -t root/usr/bin "$("$servers/kubernetes.sh" "$program")"
  done
  mkdir -p root/kind
  printf %s "$KUBERNETES_VERSION" >root/kind/version
}

pack() {
  tar --sort=name --numeric-owner -C root -cf root.tar .
  rm -rf root
  "$here/../image/archive.py" root.tar "$here/Dockerfile" "$(<name)" - | nice -n 19 zstd -T0 -q -o node-image.tar.zst
  rm root.tar
}

: >"$step_log"
step "Debian packages for the build" "$here/../packages.sh" node
step kind "$servers/kind.sh"
step containerd "$servers/containerd.sh"
step etcd "$servers/etcd.sh"
step CoreDNS "$servers/coredns.sh"
for program in "${in_images[@]}" "${in_node[@]}"; do
  step "$program" "$servers/kubernetes.sh" "$program"
done
step Debian "$here/debian.sh"
step "the node's root" fill_root
step "kind's files and services" "$here/kind_files.sh" root
step "images of Kubernetes's own pods" "$here/images.sh" root
step "archive" pack
