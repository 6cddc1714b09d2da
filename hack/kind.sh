#!/usr/bin/env bash
# A real Kubernetes cluster for end-to-end tests: two nodes, made by kind, in Docker.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: hack/kind.sh COMMAND

  up              make the cluster, or leave it alone if it is up; wait until it is ready
  down            remove it, its network and the dockerd that up has started; logs and built images stay
  status          say what runs; succeeds if the cluster is ready
  load FILE...    load archives of images, as docker save makes them, into all nodes
  env             print the variables that tests read, as shell exports
  logs DIRECTORY  save what the nodes and their pods have logged

Where no Docker answers, up starts one, which takes Debian's docker.io and root. One cluster serves the machine; all of it
is in ${LEADERELECTION_CACHE:-~/.cache/leaderelection}/kind. Variables that choose:

  KIND_NODE_IMAGE     built (default): from package registries alone, by hack/kind-node-image, once
                      published: the one that this version of kind names, pulled if need be
                      anything else: the name of an image
  KIND, KUBECTL       ready-made programs; else both are built, once
USAGE
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
servers=$root/hack/servers
# shellcheck source=servers/build_once.sh
source "$servers/build_once.sh"
# shellcheck source=servers/directory.sh
source "$servers/directory.sh"
# shellcheck source=servers/process.sh
source "$servers/process.sh"
# shellcheck source=servers/step.sh
source "$servers/step.sh"
# shellcheck source=kind/docker.sh
source "$root/hack/kind/docker.sh"

readonly cluster=leaderelection
readonly control_plane=$cluster-control-plane worker=$cluster-worker
readonly directory=$servers_cache/kind
readonly create_seconds=600 ready_seconds=300
step_log=$directory/kind.log
export KUBECONFIG=$directory/kubeconfig
# A network of its own, so that it can be removed with the cluster.
export KIND_EXPERIMENTAL_DOCKER_NETWORK=$cluster

main() {
  local command=${1:-}
  (($# == 0)) || shift
  case $command in
    up | down | status | env) (($# == 0)) || { usage >&2 && exit 2; } ;;
    load | logs) (($# > 0)) || { usage >&2 && exit 2; } ;;
    help | -h | --help) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
  case $command in
    up) enter "$directory" && up ;;
    down) enter "$directory" && down ;;
    status) status ;;
    env) require_cluster && cat "$directory/env" ;;
    load) require_cluster && load "$@" ;;
    logs) require_cluster && save_logs "$1" ;;
  esac
}

require_cluster() {
  if ! [[ -e $directory/env ]] || ! use_docker || ! nodes_exist; then die "there is no cluster: run hack/kind.sh up"; fi
}

up() {
  local started=$SECONDS
  chmod 700 .
  step "docker" start_docker
  use_docker
  say "  kind and kubectl: $(kind version), $(kubectl version --client | head -n 1)"
  if [[ -e $directory/env ]] && nodes_exist && await 120 ready; then
    say "already up"
  else
    create
    say "up after $((SECONDS - started)) s"
  fi
  say "variables for tests: source $directory/env"
}

create() {
  local image=${KIND_NODE_IMAGE:-built} configuration=("$root/hack/kind/cluster.yaml") arguments=()
  : >"$step_log"
  step "what is left of an earlier cluster" remove_cluster
  case $image in
    published) ;;
    built)
      prepare_built_image
      configuration+=("$root/hack/kind/built-image.yaml")
      arguments=(--image "$built_image")
      ;;
    *) arguments=(--image "$image") ;;
  esac
  cat "${configuration[@]}" >"$directory/cluster.yaml"
  rm -rf "$directory/logs"
  trap save_logs_of_failure EXIT
  step "nodes" timeout "$create_seconds" "$(program kind)" create cluster --name "$cluster" \
    --config "$directory/cluster.yaml" --kubeconfig "$KUBECONFIG" --retain "${arguments[@]}"
  if [[ $image == built ]]; then
    step "network of the pods" env KUBECTL="$(program kubectl)" "$root/hack/kind/network.sh" "$control_plane" "$worker"
  fi
  step "ready" await "$ready_seconds" ready
  trap - EXIT
  write_env ${DOCKER_HOST:+DOCKER_HOST "$DOCKER_HOST"} \
    KUBECONFIG "$KUBECONFIG" \
    KUBECTL "$(program kubectl)" \
    LEADERELECTION_KIND_CONTROL_PLANE "$control_plane" \
    LEADERELECTION_KIND_WORKER "$worker" \
    LEADERELECTION_KIND_NODES "$control_plane $worker"
}

# The nodes are left as they are, for a look; the next up or down removes them.
save_logs_of_failure() {
  timeout 20 "$(program kubectl)" get nodes,pods --all-namespaces --output wide --request-timeout=10s >&2 || true
  save_logs "$directory/logs" >>"$step_log" 2>&1 || true
  say "the nodes' logs are in $directory/logs"
}

save_logs() { timeout 120 "$(program kind)" export logs "$1" --name "$cluster"; }

# The archive is loaded only if Docker does not have its image yet.
prepare_built_image() {
  local archive
  archive=$("$root/hack/kind-node-image/build.sh")
  built_image=$(<"${archive%/*}/name")
  docker image inspect "$built_image" >/dev/null 2>&1 || step "load $built_image" load_node_image "$archive"
}

# Images of earlier recipes make room; one that a container still uses stays.
load_node_image() {
  local name
  zstd --decompress --stdout "$1" | timeout 300 docker load
  for name in $(docker image ls --format '{{.Repository}}:{{.Tag}}' "${built_image%:*}"); do
    [[ $name == "$built_image" ]] || docker image rm "$name" || true
  done
}

down() {
  if use_docker; then step "nodes and their network" remove_cluster; fi
  rm -f "$directory"/{env,kubeconfig,cluster.yaml}
  step "docker, if it was started here" end_docker
}

remove_cluster() {
  local containers
  rm -f "$directory/env"
  mapfile -t containers < <(docker ps --all --quiet --filter "label=io.x-k8s.kind.cluster=$cluster")
  ((${#containers[@]} == 0)) || timeout 120 docker rm --force --volumes "${containers[@]}"
  [[ -z $(docker network ls --quiet --filter "name=^$cluster\$") ]] || timeout 60 docker network rm "$cluster"
}

status() {
  use_docker || { printf 'docker: does not answer\n' && return 1; }
  nodes_exist || { printf 'nodes: none\n' && return 1; }
  kubectl get nodes --output wide --request-timeout=20s || return 1
  ready || { printf 'not ready\n' && return 1; }
  printf 'ready\n'
}

load() {
  local archive
  for archive in "$@"; do
    [[ -f $archive ]] || die "$archive is no file"
  done
  timeout 300 "$(program kind)" load image-archive --name "$cluster" "$@"
}

program() {
  case $1 in
    kind) "$servers/kind.sh" ;;
    kubectl) "$servers/kubernetes.sh" kubectl ;;
  esac
}

kind() { "$(program kind)" "$@"; }
kubectl() { "$(program kubectl)" "$@"; }

nodes_exist() {
  [[ $(docker ps --quiet --filter "label=io.x-k8s.kind.cluster=$cluster" | wc -l) -eq 2 ]]
}

# Both nodes, every pod of Kubernetes itself, and the account that pods have by default.
ready() {
  local conditions='{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' nodes pods
  nodes=$(kubectl get nodes --request-timeout=10s --output "jsonpath=$conditions") || return 1
  pods=$(kubectl get pods --namespace kube-system --request-timeout=10s --output "jsonpath=$conditions") || return 1
  [[ $(grep -c True <<<"$nodes") -eq 2 && $pods ]] && ! grep -qv True <<<"$pods" || return 1
  kubectl get serviceaccount default --namespace default --request-timeout=10s >/dev/null
}

main "$@"
