#!/usr/bin/env bash
# kind_files.sh ROOT: lays kind's own files over a Debian, and does what the Dockerfile of kind's base image does after
# that. The files are read from kind's Go module at the version of hack/servers/kind.sh; none is copied into this tree.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${1:?usage: kind_files.sh ROOT}

module=$("$here/../servers/kind.sh" --module)
files=$module/images/base/files
[[ -x $root/usr/local/bin/ctr ]] || { printf 'kind_files.sh: %s lacks containerd\n' "$root" >&2 && exit 1; }

cp -r --no-preserve=mode,ownership "$files/." "$root/"
cp "$here/crictl" "$root/usr/local/bin/"
chmod 755 "$root"/usr/local/bin/* "$root"/kind/bin/*

# containerd asks for more than a node in a sandboxed machine can be given: see README.md.
sed -i '/^Limit/d; /^OOMScoreAdjust/d' "$root/etc/systemd/system/containerd.service"
sed -i -e 's/^\( *restrict_oom_score_adj\) = .*/\1 = true/' \
  -e '/^\[proxy_plugins\]/,/^$/d' -e '/test-handler\]/,/^$/d' "$root/etc/containerd/config.toml"
chroot "$root" ctr oci spec |
  chroot "$root" jq '.hooks.createContainer += [{path: "/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)' \
    >"$root/etc/containerd/cri-base.json"

# Debian keeps the plugins elsewhere than Kubernetes looks for them. A node needs four.
mkdir -p "$root/opt/cni/bin"
mv "$root"/usr/lib/cni/{host-local,loopback,portmap,ptp} "$root/opt/cni/bin/"
rm -rf "$root/usr/lib/cni"

# Of Debian's services only what a container can have; then the node's own. systemd-binfmt would change the host.
rm -f "$root"/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service \
  "$root"/lib/systemd/system/{multi-user,local-fs,basic}.target.wants/* "$root"/etc/systemd/system/*.wants/* \
  "$root"/lib/systemd/system/sockets.target.wants/*{udev,initctl}*
printf 'ReadKMsg=no\n' >>"$root/etc/systemd/journald.conf"
ln -sf /usr/lib/systemd/systemd "$root/sbin/init"
chroot "$root" systemctl enable containerd.service kubelet.service undo-mount-hacks.service
chroot "$root" systemctl mask systemd-binfmt.service

# kind starts every node with a fresh identity, and expects these to exist.
rm -f "$root/var/lib/dbus/machine-id"
: >"$root/etc/machine-id"
mkdir -p "$root/etc/kubernetes/manifests" "$root/kind/manifests"
cp "$here/default-storage.yaml" "$root/kind/manifests/default-storage.yaml"
