#!/usr/bin/env bash
# A real Consul server for tests: one server agent with ACLs, over HTTP and HTTPS, on loopback.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: hack/consul.sh COMMAND [--dir DIRECTORY]

  up        start the agent afresh, or leave it alone if it is up; wait until it leads and its tokens are there
  down      end it and forget its data; the log stays until the next up
  status    say what runs; succeeds if the agent answers
  env       print the variables that tests read, as shell exports
  restart   end the agent if it runs and start it again on the same data and ports
  kill      SIGKILL it
  stop      SIGSTOP it
  cont      SIGCONT it

Everything it writes is in the directory: $LEADERELECTION_TEST_CONSUL_DIR, or else build/run/consul. All ports are free
ones. HTTPS asks for a client certificate; HTTP does not. Anonymous requests are refused; one token may do all, another
only what an election needs: its key prefix, and sessions on the agent's node.
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

readonly node=test-node
readonly prefix=leaderelection/test/
readonly ready_seconds=60
readonly how="hack/consul.sh up"

main() {
  local command=${1:-} dir=${LEADERELECTION_TEST_CONSUL_DIR:-$root/build/run/consul}
  (($# == 0)) || shift
  while (($#)); do
    case $1 in
      --dir) dir=${2:?--dir needs a directory} ;;
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
    kill) enter_existing "$dir" "$how" && signal_agent KILL && await 10 process_ended consul ;;
    stop) enter_existing "$dir" "$how" && signal_agent STOP && await 10 stopped ;;
    cont) enter_existing "$dir" "$how" && signal_agent CONT ;;
    help | -h | --help) usage ;;
    *) usage >&2 && exit 2 ;;
  esac
}

up() {
  if [[ -e env ]] && process_id consul >/dev/null && signal_agent CONT && await 10 ready; then
    say "already up: $(<http)"
  else
    start_afresh
    say "up: $(<http)"
  fi
  say "variables for tests: source $PWD/env"
}

start_afresh() {
  local consul
  command -v openssl >/dev/null || die "openssl is not on the PATH"
  consul=$("$servers/consul.sh")
  down
  umask 077
  rm -f -- *.log
  mkdir bin pki token
  ln -s "$consul" bin/consul
  trap 'end_process consul 5' EXIT
  make_certificates
  new_uuid >token/admin
  new_uuid >token/elector
  start_on_free_ports
  make_tokens
  write_variables
  trap - EXIT
}

down() {
  end_process consul 5
  rm -rf bin pki token data agent.json http https env
}

restart() {
  take_lock
  require_env "$how"
  end_process consul 5
  start_agent
  await_ready || fail_with_log consul "does not become ready again"
  say "restarted: $(<http)"
}

status() {
  local pid
  pid=$(process_id consul) || { printf 'consul: not running\n' && return 1; }
  printf 'consul: running, process %s\n' "$pid"
  ready || { printf '%s: not ready\n' "$(<http)" && return 1; }
  printf '%s: ready\n' "$(<http)"
}

signal_agent() {
  local pid
  pid=$(process_id consul) || die "consul is not running"
  kill "-$1" "$pid"
}

# The signal is on its way to each thread when kill returns.
stopped() {
  local pid state
  pid=$(process_id consul) || return 1
  for state in "/proc/$pid/task"/*/stat; do
    state=$(<"$state") && [[ ${state##*) } == T* ]] || return 1
  done
}

new_uuid() { cat /proc/sys/kernel/random/uuid; }

admin() { CONSUL_HTTP_ADDR=$(<http) CONSUL_HTTP_TOKEN_FILE=token/admin timeout 5 bin/consul "$@"; }

# A write, for a server that only just leads refuses some while it still reads.
ready() { admin kv put "${prefix}ready" >/dev/null 2>&1; }

make_certificates() {
  certificate_authority pki "leaderelection test authority"
  certificate pki server "/CN=consul" "subjectAltName=IP:127.0.0.1,DNS:localhost" "extendedKeyUsage=serverAuth,clientAuth"
  certificate pki client "/CN=elector" "extendedKeyUsage=clientAuth"
}

# Another process may take a port between the look and the agent's start, so the agent's word decides.
start_on_free_ports() {
  local attempt
  for attempt in 1 2 3 4 5; do
    write_configuration
    : >consul.log
    start_agent
    if await_ready; then return; fi
    if process_id consul >/dev/null; then fail_with_log consul "is not ready after $ready_seconds s"; fi
    grep -q 'address already in use' consul.log || fail_with_log consul "ended"
    rm -rf data
    say "a port was taken meanwhile (attempt $attempt)"
  done
  die "no free ports found"
}

write_configuration() {
  local first
  first=$(free_ports 4)
  printf 'http://127.0.0.1:%s\n' "$first" >http
  printf 'https://127.0.0.1:%s\n' $((first + 1)) >https
  cat >agent.json <<CONFIGURATION
{
  "server": true, "bootstrap_expect": 1, "bind_addr": "127.0.0.1", "client_addr": "127.0.0.1",
  "node_name": "$node", "data_dir": "$PWD/data", "log_level": "info", "disable_update_check": true,
  "ports": {"http": $first, "https": $((first + 1)), "server": $((first + 2)), "serf_lan": $((first + 3)),
            "serf_wan": -1, "dns": -1, "grpc": -1, "grpc_tls": -1},
  "connect": {"enabled": false}, "peering": {"enabled": false},
  "performance": {"raft_multiplier": 1},
  "acl": {"enabled": true, "default_policy": "deny",
          "tokens": {"initial_management": "$(<token/admin)", "agent": "$(<token/admin)"}},
  "tls": {"https": {"ca_file": "$PWD/pki/ca.crt", "cert_file": "$PWD/pki/server.crt", "key_file": "$PWD/pki/server.key",
                    "verify_incoming": true}}
}
CONFIGURATION
}

start_agent() { start_process consul consul.log bin/consul agent -config-file=agent.json; }

await_ready() { await "$ready_seconds" ready_or_ended && ready; }

ready_or_ended() { ready || process_ended consul; }

make_tokens() {
  admin acl policy create -name elector \
    -rules "key_prefix \"$prefix\" { policy = \"write\" } session \"$node\" { policy = \"write\" }" >/dev/null
  admin acl token create -secret "$(<token/elector)" -policy-name elector >/dev/null
}

write_variables() {
  write_env \
    LEADERELECTION_TEST_CONSUL_DIR "$PWD" \
    LEADERELECTION_TEST_CONSUL_HTTP "$(<http)" \
    LEADERELECTION_TEST_CONSUL_HTTPS "$(<https)" \
    LEADERELECTION_TEST_CONSUL_CA "$PWD/pki/ca.crt" \
    LEADERELECTION_TEST_CONSUL_CERTIFICATE "$PWD/pki/client.crt" \
    LEADERELECTION_TEST_CONSUL_KEY "$PWD/pki/client.key" \
    LEADERELECTION_TEST_CONSUL_TOKEN_FILE "$PWD/token/elector" \
    LEADERELECTION_TEST_CONSUL_ADMIN_TOKEN_FILE "$PWD/token/admin" \
    LEADERELECTION_TEST_CONSUL_PREFIX "$prefix" \
    LEADERELECTION_TEST_CONSUL "$(readlink bin/consul)" \
    LEADERELECTION_TEST_CONSUL_SCRIPT "$root/hack/consul.sh"
}

main "$@"
