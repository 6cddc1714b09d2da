#!/usr/bin/env bash
# Builds every program that the tests on a real API server need, and prints their paths. Nothing is done for those that
# the cache holds already.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

"$here/etcd.sh"
"$here/kubernetes.sh" kube-apiserver
"$here/kubernetes.sh" kubectl
"$here/candidate.sh"
