#!/usr/bin/env bash
# network.sh NODE...: joins the pods of nodes that have no CNI daemon. Each node gives its pods addresses of its own range
# by the ptp plugin, and reaches the ranges of the others through a route. What leaves the cluster has the node's address.
set -euo pipefail
(($# > 0)) || { printf 'usage: network.sh NODE...\n' >&2 && exit 2; }
: "${KUBECTL:?names kubectl}" "${KUBECONFIG:?names the cluster}"

node_value() { "$KUBECTL" get node "$1" --request-timeout=20s --output "jsonpath={$2}"; }

# Kubernetes gives a node its range a moment after it has joined.
declare -A range address
for node in "$@"; do
  for ((attempt = 0; attempt < 60; ++attempt)); do
    range[$node]=$(node_value "$node" .spec.podCIDR) || true
    [[ -z ${range[$node]} ]] || break
    sleep 1
  done
  [[ ${range[$node]} ]] || { printf 'network.sh: %s was given no addresses for pods\n' "$node" >&2 && exit 1; }
  address[$node]=$(node_value "$node" '.status.addresses[?(@.type=="InternalIP")].address')
done

pods=$("$KUBECTL" get configmap kubeadm-config --namespace kube-system --output 'jsonpath={.data.ClusterConfiguration}' |
  sed -n 's/^ *podSubnet: //p')

for node in "$@"; do
  for other in "$@"; do
    [[ $other == "$node" ]] || docker exec "$node" ip route replace "${range[$other]}" via "${address[$other]}"
  done
  docker exec -i "$node" sh -euc '
    rule="POSTROUTING --source $1 ! --destination $1 --jump MASQUERADE"
    iptables --wait --table nat --check $rule 2>/dev/null || iptables --wait --table nat --append $rule
    cat >/etc/cni/net.d/.new && mv /etc/cni/net.d/.new /etc/cni/net.d/10-pods.conflist' sh "$pods" <<CONFLIST
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
  {"type": "ptp", "ipMasq": false, "mtu": 1500, "ipam": {
    "type": "host-local", "dataDir": "/run/cni-ipam-state",
    "routes": [{"dst": "0.0.0.0/0"}], "ranges": [[{"subnet": "${range[$node]}"}]]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CONFLIST
done
