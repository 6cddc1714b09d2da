#!/usr/bin/env bash
# images.sh ROOT: the images of Kubernetes's own pods, each one static program, imported into the node's containerd under
# the names that kubeadm and containerd ask for. containerd runs here for that, on the node's directory.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
servers=$here/../servers
# shellcheck source=../servers/build_once.sh
source "$servers/build_once.sh"
# shellcheck source=../servers/process.sh
source "$servers/process.sh"
root=$(cd "${1:?usage: images.sh ROOT}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/kind-node-images.XXXXXX")

clean_up() {
  local status=$?
  ((status == 0)) || tail -n 20 "$work/containerd.log" >&2 || true
  end_process "$work/containerd" 20
  rm -rf "$work"
}
trap clean_up EXIT

main() {
  local required image
  start_containerd
  required=$(required_images)
  for image in $required; do
    add "$image"
  done
  "$root/usr/local/bin/ctr" --address "$work/containerd.sock" --namespace k8s.io images list --quiet
}

# Only the parts that hold images: those that run containers would leave their marks on this machine.
start_containerd() {
  cat >"$work/containerd.toml" <<TOML
version = 3
root = "$root/var/lib/containerd"
state = "$work/state"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime",
  "io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri"]
[grpc]
  address = "$work/containerd.sock"
TOML
  start_process "$work/containerd" "$work/containerd.log" \
    "$root/usr/local/bin/containerd" --config "$work/containerd.toml"
  await 60 containerd_answers || die "containerd does not answer"
}

containerd_answers() {
  [[ -S $work/containerd.sock ]] &&
    timeout 10 "$root/usr/local/bin/ctr" --address "$work/containerd.sock" version >/dev/null 2>&1
}

# What kubeadm asks for, and containerd for its pods' first container, which may be another version of the same.
required_images() {
  "$("$servers/kubernetes.sh" kubeadm)" config images list --kubernetes-version "$KUBERNETES_VERSION"
  sed -n 's/^ *sandbox_image = "\(.*\)"/\1/p' "$root/etc/containerd/config.toml"
}

# add NAME: makes the image and imports it.
add() {
  local image=$1 name=${1##*/} tree=$work/tree
  name=${name%%:*}
  rm -rf "$tree"
  mkdir -p "$tree/usr/local/bin"
  case $name in
    pause) gcc -Os -static -s -o "$tree/usr/local/bin/pause" "$here/pause.c" ;;
    etcd) install "$("$servers/etcd.sh")" "$tree/usr/local/bin/" ;;
    coredns) install "$("$servers/coredns.sh")" "$tree/usr/local/bin/" ;;
    kube-*) install "$("$servers/kubernetes.sh" "$name")" "$tree/usr/local/bin/" ;;
    *) die "no recipe for $image" ;;
  esac
  [[ $name != kube-proxy ]] || add_iptables "$tree"
  tar --sort=name --mtime=@0 --numeric-owner -C "$tree" -cf "$work/root.tar" .
  printf 'FROM scratch\nADD root.tar /\nENTRYPOINT ["/usr/local/bin/%s"]\n' "$name" >"$work/Dockerfile"
  "$here/../image/archive.py" "$work/root.tar" "$work/Dockerfile" "$image" - |
    "$root/usr/local/bin/ctr" --address "$work/containerd.sock" --namespace k8s.io images import \
      --label=io.cri-containerd.pinned=pinned --no-unpack - >/dev/null
}

# kube-proxy calls iptables, which loads a library for each kind of match and target. What those load must come along
# too: a missing one shows only when a rule of that kind is first written.
add_iptables() {
  local tree=$1 link
  local programs=(usr/sbin/xtables-nft-multi usr/sbin/nft)
  mkdir -p "$tree/usr/lib" "$tree/usr/lib64" "$tree/usr/sbin"
  ln -s usr/lib usr/lib64 usr/sbin "$tree/"
  (
    cd "$root"
    libraries=(usr/lib/*/xtables/*.so)
    mapfile -t loaded < <(chroot "$root" ldd "${programs[@]/#/\/}" "${libraries[@]/#/\/}" |
      grep -o '[[:space:]]/[^ ]*' | sed 's#^./##; s#^lib#usr/lib#' | sort -u)
    cp --dereference --parents "${programs[@]}" "${libraries[@]}" "${loaded[@]}" "$tree/"
  )
  for link in ip{,6}tables{,-save,-restore}; do
    ln -s xtables-nft-multi "$tree/usr/sbin/$link"
  done
  chroot "$tree" iptables --match statistic --help >/dev/null
}

main
