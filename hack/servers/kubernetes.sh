#!/usr/bin/env bash
# Prints the path of a Kubernetes program (kube-apiserver, kubectl, ...), built from its published Go module if need be.
# A variable named after the program (KUBE_APISERVER, KUBECTL, ...) names a ready-made one instead.
set -euo pipefail
# shellcheck source=build_once.sh
source "$(dirname "${BASH_SOURCE[0]}")/build_once.sh"

program=${1:?usage: kubernetes.sh kube-apiserver|kubectl|...}
version=${KUBERNETES_VERSION:-v1.36.3}

variable=${program^^}
ready_made "${variable//-/_}" && exit

# Kubernetes finds its staging modules by path inside its own tree, which a module that depends on it cannot. They are
# also published under the same minor and patch number, so each is replaced by that.
write_go_mod() {
  local staging=v0.${version#v1.} upstream
  upstream=$(go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/^\t"GoMod": "\(.*\)",$/\1/p')
  [[ -r $upstream ]] || die "k8s.io/kubernetes@$version cannot be fetched"
  {
    printf 'module leaderelection.test/servers\n\n'
    grep -E '^go [0-9.]+$' "$upstream"
    printf '\nrequire k8s.io/kubernetes %s\n\nreplace (\n' "$version"
    sed -n "s#^\t\(k8s\.io/[a-z0-9-]*\) => \./staging/.*#\t\1 => \1 $staging#p" "$upstream"
    printf ')\n'
  } >go.mod
}

build() {
  local major minor link="-s -w" package
  IFS=. read -r major minor _ <<<"${version#v}"
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    link+=" -X $package.gitVersion=$version -X $package.gitMajor=$major -X $package.gitMinor=$minor"
  done
  write_go_mod
  go_build "k8s.io/kubernetes/cmd/$program" "./$program" -mod=mod -ldflags "$link"
}

build_once "$program" "$version" build
