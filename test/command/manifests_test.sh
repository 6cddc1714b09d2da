#!/usr/bin/env bash
# manifests_test.sh MANIFESTS [LEADER_ELECTOR]: every manifest against the real API server, by a server-side dry run; then
# the Lease and the roles in earnest, and leader-elector with no other rights than theirs.
# Reads LEADERELECTION_TEST_KUBE_DIR and LEADERELECTION_TEST_KUBECTL (hack/kube-apiserver.sh env).
set -euo pipefail

manifests=$1 elector=${2:-}
if [[ -z ${LEADERELECTION_TEST_KUBE_DIR:-} ]]; then
  echo "no API server: hack/kube-apiserver.sh up, then source its env"
  [[ ${CI:-} == true ]] && exit 1
  exit 77
fi
scratch=$(mktemp -d)
admin=$LEADERELECTION_TEST_KUBE_DIR/kubeconfig/admin
kubectl() { "$LEADERELECTION_TEST_KUBECTL" --kubeconfig "$admin" "$@"; }
trap 'rm -rf "$scratch"' EXIT

# The namespace stays: no controller runs here that would finish its deletion. A dry run looks for namespace and kinds that are really there. Prometheus' operator is not, so its kind is made known
# without its schema.
kubectl apply -f "$manifests/base/namespace.yaml" -f "$manifests/example-operator/namespace.yaml" >/dev/null
kubectl apply -f - >/dev/null <<'CRD'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: servicemonitors.monitoring.coreos.com
spec:
  group: monitoring.coreos.com
  names: {kind: ServiceMonitor, plural: servicemonitors, singular: servicemonitor}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
CRD
kubectl wait --for=condition=Established crd/servicemonitors.monitoring.coreos.com --timeout=60s >/dev/null

for folder in . sidecar redis consul monitoring example-operator; do
  kubectl kustomize "$manifests/$folder" >"$scratch/all.yaml"
  # The pods' security is judged when pods are made, and told of Deployments as a warning.
  kubectl apply --dry-run=server --validate=strict --warnings-as-errors -f "$scratch/all.yaml"
done
for folder in redis consul; do
  if kubectl kustomize "$manifests/$folder" | grep -E '^kind: (Lease|Role|RoleBinding)$'; then
    echo "$folder needs no right in the cluster" && exit 1
  fi
done

[[ -n $elector ]] || exit 0
kubectl kustomize "$manifests" >"$scratch/all.yaml"
kubectl apply -f "$scratch/all.yaml" >/dev/null
# may [-n NAMESPACE] VERB RESOURCE: what the account may do that has the name of its namespace.
may() {
  local name=leader-elector
  if [[ $1 == -n ]]; then name=$2 && shift 2; fi
  kubectl --as "system:serviceaccount:$name:$name" -n "$name" auth can-i "$@" 2>/dev/null || true
}
[[ $(may update leases/leader-elector) == yes ]]
[[ $(may update leases/other) == no && $(may create leases) == no && $(may delete leases/leader-elector) == no ]]
[[ $(may list secrets) == no && $(may get pods) == no ]]

# What example-operator may do; that it suffices is told by the operator's own tests.
kubectl apply -f "$manifests/example-operator/rbac.yaml" >/dev/null
[[ $(may -n example-operator update leases/example-operator) == yes ]]
[[ $(may -n example-operator update leases/other) == no && $(may -n example-operator create leases) == no ]]
[[ $(may -n example-operator patch configmaps) == yes && $(may -n example-operator delete configmaps) == no ]]
[[ $(may -n example-operator update configmaps) == no && $(may -n example-operator list secrets) == no ]]

token=$(kubectl -n leader-elector create token leader-elector)
server=$(kubectl config view --raw -o 'jsonpath={.clusters[0].cluster.server}')
cat >"$scratch/kubeconfig" <<CONFIG
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "$server", certificate-authority: "$LEADERELECTION_TEST_KUBE_CA"}}]
users: [{name: elector, user: {token: "$token"}}]
contexts: [{name: test, context: {cluster: test, user: elector, namespace: leader-elector}}]
current-context: test
CONFIG
# shellcheck disable=SC2016
"$elector" run --kubeconfig "$scratch/kubeconfig" --name leader-elector --log-level debug -- \
  sh -c 'echo "led with $LEADER_ELECTION_FENCING_TOKEN"' >"$scratch/out" 2>"$scratch/err"
grep -E '^led with [1-9]' "$scratch/out"
if grep -E 'denied|forbidden|refused' "$scratch/err"; then exit 1; fi
if [[ $(kubectl -n leader-elector get events -o name | wc -l) -lt 1 ]]; then echo "no Events" && exit 1; fi
