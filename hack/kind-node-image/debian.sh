#!/usr/bin/env bash
# Prints the path of an archive of a Debian with what a node needs beside Kubernetes, made by debootstrap from this
# machine's own package source if need be.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../servers/build_once.sh
source "$here/../servers/build_once.sh"

packages=(
  # services
  systemd dbus
  # containers and their network
  runc containernetworking-plugins iproute2
  # Services of Kubernetes and port forwarding
  iptables nftables conntrack ethtool socat kmod
  # kind's own scripts
  jq procps ca-certificates
)
# Of this Debian itself, because its package source surely has it.
suite=$(. /etc/os-release && printf %s "$VERSION_CODENAME")

build() {
  local include mirror mount
  include=$(IFS=, && printf %s "${packages[*]}")
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
  debootstrap --variant=minbase --include="$include" "$suite" root "$mirror" >&2
  # debootstrap passes over it in silence if something looks into them just then. They must not get into the archive.
  for mount in proc sys; do
    if mountpoint --quiet "root/$mount"; then umount "root/$mount"; fi
  done
  # What nobody reads in a node.
  rm -rf root/var/cache/apt/* root/var/lib/apt/lists/* root/var/log/* root/usr/share/{doc,man,info,locale,lintian}
  tar --numeric-owner -C root -cf debian.tar .
  rm -rf root
}

build_once node-debian "$suite-$(sha256sum <"$here/debian.sh" | cut -c1-12)" build debian.tar
