#!/usr/bin/env bash
# build.sh kubernetes|consul...: builds the programs that the tests on these servers need, and prints their paths. Nothing
# is done for those that the cache holds already.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

for server in "$@"; do
  case $server in
    kubernetes)
      "$here/etcd.sh"
      "$here/kubernetes.sh" kube-apiserver
      "$here/kubernetes.sh" kubectl
      "$here/candidate.sh"
      ;;
    consul) "$here/consul.sh" ;;
    *) printf 'build.sh: no server %s\n' "$server" >&2 && exit 2 ;;
  esac
done
