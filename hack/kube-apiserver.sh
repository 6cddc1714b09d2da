#!/usr/bin/env bash
# A real API server for tests: etcd and kube-apiserver, with RBAC, on loopback.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: hack/kube-apiserver.sh COMMAND [--dir DIRECTORY] [--port PORT]

  up        start etcd and kube-apiserver afresh, or leave them alone if they are up; wait until ready
  down      end them and forget their data; the logs stay until the next up
  status    say what runs; succeeds if the server is ready
  env       print the variables that tests read, as shell exports
  restart   end kube-apiserver if it runs and start it again on the same data and port
  kill      SIGKILL kube-apiserver
  stop      SIGSTOP kube-apiserver
  cont      SIGCONT kube-apiserver

Everything they write is in the directory: $LEADERELECTION_TEST_KUBE_DIR, or else build/run/kube-apiserver.
The port is a free one unless given. etcd listens on a socket in the directory and does not flush to disk: the data
survive the death of a process but not that of the machine.
USAGE
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
servers=$root/hack/servers
# shellcheck source=servers/build_once.sh
source "$servers/build_once.sh"
# shellcheck source=servers/process.sh
source "$servers/process.sh"
# shellcheck source=servers/directory.sh
source "$servers/directory.sh"
# shellcheck source=servers/certificates.sh
source "$servers/certificates.sh"

readonly namespace=leaderelection-test
readonly service_accounts=(elector least no-watch)
readonly candidates=(candidate-0 candidate-1 candidate-2 candidate-3 candidate-4)
readonly ready_seconds=120
readonly how="hack/kube-apiserver.sh up"

main() {
  local command=${1:-} dir=${LEADERELECTION_TEST_KUBE_DIR:-$root/build/run/kube-apiserver} port=
  (($# == 0)) || shift
  while (($#)); do
    case $1 in
      --dir) dir=${2:?--dir needs a directory} ;;
      --port) port=${2:?--port needs a number} ;;
      *) usage >&2 && exit 2 ;;
    esac
    shift 2
  done
  case $command in
    up) enter "$dir" && up ;;
    down) [[ ! -d $dir ]] || { enter "$dir" && down; } ;;
    restart) enter_existing "$dir" "$how" && restart ;;
    status) enter_existing "$dir" "$how" && status ;;
    env) enter_existing "$dir" "$how" && require_env "$how" && cat env ;;
    kill) enter_existing "$dir" "$how" && signal_server KILL && await 10 process_ended kube-apiserver ;;
    stop) enter_existing "$dir" "$how" && signal_server STOP ;;
    cont) enter_existing "$dir" "$how" && signal_server CONT ;;
    help | -h | --help) usage ;;
    *) usage >&2 && exit 2 ;;
  esac
}

up() {
  if [[ -e env ]] && process_id etcd >/dev/null && signal_server CONT 2>/dev/null && await 10 ready; then
    say "already up: $(server_url)"
  else
    start_afresh
    say "up: $(server_url)"
  fi
  say "variables for tests: source $PWD/env"
}

start_afresh() {
  local etcd kube_apiserver kubectl
  command -v openssl >/dev/null || die "openssl is not on the PATH"
  etcd=$("$servers/etcd.sh")
  kube_apiserver=$("$servers/kubernetes.sh" kube-apiserver)
  kubectl=$("$servers/kubernetes.sh" kubectl)
  down
  umask 077
  rm -f -- *.log
  mkdir bin pki kubeconfig serviceaccount
  ln -s "$etcd" bin/etcd
  ln -s "$kube_apiserver" bin/kube-apiserver
  ln -s "$kubectl" bin/kubectl
  trap end_processes EXIT
  make_certificates
  start_etcd
  start_server_on_free_port
  make_kubeconfigs
  fill_server
  write_variables
  trap - EXIT
}

down() {
  end_processes
  rm -rf bin pki kubeconfig serviceaccount kubectl-cache etcd etcd.sock etcd-peer.sock port env
}

# The server has nobody to wait for in a test, so it gets less time for open watches than its own default of a minute.
end_processes() {
  end_process kube-apiserver 10
  end_process etcd 10
}

restart() {
  take_lock
  require_env "$how"
  process_id etcd >/dev/null || die "etcd is not running: run $how"
  end_process kube-apiserver 10
  start_server
  await_ready || fail_with_log kube-apiserver "does not become ready again"
  say "restarted: $(server_url)"
}

status() {
  local name pid result=0
  for name in etcd kube-apiserver; do
    if pid=$(process_id "$name"); then
      printf '%s: running, process %s\n' "$name" "$pid"
    else
      printf '%s: not running\n' "$name"
      result=1
    fi
  done
  ((result == 0)) || return 1
  ready || { printf '%s: not ready\n' "$(server_url)" && return 1; }
  printf '%s: ready\n' "$(server_url)"
}

signal_server() {
  local pid
  pid=$(process_id kube-apiserver) || die "kube-apiserver is not running"
  kill "-$1" "$pid"
}

server_url() { printf 'https://127.0.0.1:%s' "$(<port)"; }

admin() { bin/kubectl --kubeconfig kubeconfig/admin --cache-dir kubectl-cache "$@"; }

ready() { [[ $(admin get --raw /readyz --request-timeout=5s 2>/dev/null) == ok ]]; }

make_certificates() {
  local name
  certificate_authority pki "leaderelection test authority"
  certificate pki server "/CN=kube-apiserver" "subjectAltName=IP:127.0.0.1,DNS:localhost" "extendedKeyUsage=serverAuth"
  certificate pki admin "/O=system:masters/CN=admin" "extendedKeyUsage=clientAuth"
  for name in "${candidates[@]}"; do
    certificate pki "$name" "/O=leaderelection-candidates/CN=$name" "extendedKeyUsage=clientAuth"
  done
  new_key pki/service-account.key
  openssl pkey -in pki/service-account.key -pubout -out pki/service-account.pub
}

# etcd listens on sockets but insists on advertising addresses with a port, which a sole member never uses.
start_etcd() {
  local advertised=http://127.0.0.1:2379
  start_process etcd etcd.log bin/etcd --name=test --data-dir=etcd --unsafe-no-fsync --log-level=warn \
    --listen-client-urls=unix://etcd.sock --advertise-client-urls="$advertised" \
    --listen-peer-urls=unix://etcd-peer.sock --initial-advertise-peer-urls="$advertised" \
    --initial-cluster="test=$advertised"
  await 30 etcd_listens_or_ended
  process_id etcd >/dev/null || fail_with_log etcd "ended"
}

etcd_listens_or_ended() { [[ -S etcd.sock ]] || process_ended etcd; }

# Another process may take a port between the look and the server's start, so the server's word decides.
start_server_on_free_port() {
  local attempt
  for attempt in 1 2 3 4 5; do
    printf '%s\n' "${port:-$(free_ports 1)}" >port
    make_kubeconfig admin "{client-certificate: $PWD/pki/admin.crt, client-key: $PWD/pki/admin.key}"
    : >kube-apiserver.log
    start_server
    if await_ready; then return; fi
    if process_id kube-apiserver >/dev/null; then fail_with_log kube-apiserver "is not ready after $ready_seconds s"; fi
    grep -q 'address already in use' kube-apiserver.log || fail_with_log kube-apiserver "ended"
    [[ -z $port ]] || die "port $port is taken"
    say "port $(<port) was taken meanwhile (attempt $attempt)"
  done
  die "no free port found"
}

start_server() {
  start_process kube-apiserver kube-apiserver.log bin/kube-apiserver \
    --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port="$(<port)" \
    --etcd-servers=unix://etcd.sock --service-cluster-ip-range=10.96.0.0/24 --endpoint-reconciler-type=none \
    --authorization-mode=RBAC --anonymous-auth=false \
    --tls-cert-file=pki/server.crt --tls-private-key-file=pki/server.key --client-ca-file=pki/ca.crt \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=pki/service-account.pub \
    --service-account-signing-key-file=pki/service-account.key \
    --audit-policy-file="$servers/audit-policy.yaml" --audit-log-path=audit.log --audit-log-maxsize=1000
}

await_ready() { await "$ready_seconds" ready_or_ended && ready; }

ready_or_ended() { ready || process_ended kube-apiserver; }

# make_kubeconfig NAME USER: the user's credentials in YAML's flow form.
make_kubeconfig() {
  cat >"kubeconfig/$1" <<KUBECONFIG
apiVersion: v1
kind: Config
clusters:
- name: test
  cluster: {server: "$(server_url)", certificate-authority: $PWD/pki/ca.crt}
users:
- name: $1
  user: $2
contexts:
- name: test
  context: {cluster: test, user: $1, namespace: $namespace}
current-context: test
KUBECONFIG
}

make_kubeconfigs() {
  local name
  for name in "${candidates[@]}"; do
    make_kubeconfig "$name" "{client-certificate: $PWD/pki/$name.crt, client-key: $PWD/pki/$name.key}"
  done
  for name in "${service_accounts[@]}"; do
    make_kubeconfig "$name" "{tokenFile: $PWD/serviceaccount/$name/token}"
  done
}

# The files of a service account are laid out as a pod sees them in /var/run/secrets/kubernetes.io/serviceaccount.
fill_server() {
  local name token
  admin create --validate=false -f "$servers/namespace.yaml" >/dev/null
  for name in "${service_accounts[@]}"; do
    mkdir "serviceaccount/$name"
    token=$(admin create token "$name" --namespace "$namespace" --duration=168h)
    printf %s "$token" >"serviceaccount/$name/token"
    printf %s "$namespace" >"serviceaccount/$name/namespace"
    cp pki/ca.crt "serviceaccount/$name/ca.crt"
  done
}

write_variables() {
  write_env \
    LEADERELECTION_TEST_KUBE_DIR "$PWD" \
    LEADERELECTION_TEST_KUBE_SERVER "$(server_url)" \
    LEADERELECTION_TEST_KUBE_CA "$PWD/pki/ca.crt" \
    LEADERELECTION_TEST_KUBE_NAMESPACE "$namespace" \
    LEADERELECTION_TEST_KUBE_LEASE precreated \
    LEADERELECTION_TEST_KUBE_AUDIT_LOG "$PWD/audit.log" \
    LEADERELECTION_TEST_KUBECTL "$(readlink bin/kubectl)" \
    LEADERELECTION_TEST_KUBE_SCRIPT "$root/hack/kube-apiserver.sh"
}

main "$@"
