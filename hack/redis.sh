#!/usr/bin/env bash
# Real Redis servers for tests, on loopback.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: hack/redis.sh COMMAND KIND [--dir DIRECTORY] [ARGUMENT...]

  up              start the servers afresh, or leave them alone if they are up; wait until ready
  down            end them and forget their data; the logs stay until the next up
  env             print the variables that tests read, as shell exports
  kill NAME       SIGKILL one of them and wait for its end; likewise stop (SIGSTOP) and cont (SIGCONT)
  start NAME      start one that has ended again, with the same port and what it has on disk: nothing
  cli NAME ...    redis-cli as administrator

KIND is one of
  standalone      server
  tls             server: TLS only, an ACL user of least privilege
  sentinel        primary, replica-1, replica-2, sentinel-1 to -3: TLS and passwords everywhere
  cluster         node-1 to node-3: all masters

Everything they write is in the directory, by default build/run/redis-KIND. Ports are free ones picked at random.
USAGE
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=servers/process.sh
source "$root/hack/servers/process.sh"
# shellcheck source=servers/directory.sh
source "$root/hack/servers/directory.sh"
# shellcheck source=servers/certificates.sh
source "$root/hack/servers/certificates.sh"

readonly ready_seconds=30
# Not secret: they protect servers on loopback that live as long as a test.
readonly admin_password=administrator elector_password=elector-secret sentinel_password=sentinel-secret
readonly elector_commands="+eval +evalsha +get +set +strlen +pttl +time +publish +subscribe +unsubscribe +ping"

die() {
  printf 'redis.sh: %s\n' "$*" >&2
  exit 1
}

main() {
  local command=${1:-} dir='' how
  kind=${2:-}
  [[ $kind =~ ^(standalone|tls|sentinel|cluster)$ ]] || { usage >&2 && exit 2; }
  dir=$root/build/run/redis-$kind how="hack/redis.sh up $kind"
  shift 2
  if [[ ${1:-} == --dir ]]; then
    dir=${2:?--dir needs a directory}
    shift 2
  fi
  case $command in
    up) enter "$dir" && up ;;
    down) [[ ! -d $dir ]] || { enter "$dir" && down; } ;;
    env) enter_existing "$dir" "$how" && require_env "$how" && cat env ;;
    kill) enter_existing "$dir" "$how" && signal KILL "$1" && await 10 process_ended "$1" ;;
    stop) enter_existing "$dir" "$how" && signal STOP "$1" ;;
    cont) enter_existing "$dir" "$how" && signal CONT "$1" ;;
    start) enter_existing "$dir" "$how" && start_again "$1" ;;
    cli) enter_existing "$dir" "$how" && cli "$@" ;;
    *) usage >&2 && exit 2 ;;
  esac
}

names() {
  case $kind in
    standalone | tls) echo server ;;
    sentinel) echo primary replica-1 replica-2 sentinel-1 sentinel-2 sentinel-3 ;;
    cluster) echo node-1 node-2 node-3 ;;
  esac
}

up() {
  local name all_run=true
  for name in $(names); do process_id "$name" >/dev/null || all_run=false; done
  if [[ -e env ]] && $all_run; then return; fi
  command -v redis-server >/dev/null || die "redis-server is not on the PATH: apt-get install redis-server"
  down
  rm -f -- *.log
  trap end_processes EXIT
  "up_$kind"
  write_variables
  trap - EXIT
}

down() {
  end_processes
  rm -rf pki env ./*.conf ./*.port ./*.data
}

end_processes() {
  local name
  for name in $(names); do end_process "$name" 5; done
}

up_standalone() { launch server; }

up_tls() {
  make_certificates
  launch server \
    "user default off" \
    "user admin on >$admin_password ~* &* +@all" \
    "user elector on >$elector_password ~lock:* &lock:* &__keyspace@*__:lock:* $elector_commands" \
    "user mute on >$elector_password ~lock:* resetchannels $elector_commands" \
    "user reader on >$elector_password ~lock:* &lock:* +eval +evalsha +get +strlen +pttl +ping +subscribe"
}

# Sentinels believe a replica only once its primary has told of it.
up_sentinel() {
  local number name primary
  make_certificates
  launch primary "requirepass $admin_password" "masterauth $admin_password"
  primary=$(<primary.port)
  for number in 1 2; do
    launch "replica-$number" "requirepass $admin_password" "masterauth $admin_password" "replicaof 127.0.0.1 $primary"
  done
  await "$ready_seconds" replicas_online || die "the replicas do not get online: see $PWD"
  for number in 1 2 3; do
    launch "sentinel-$number" "requirepass $sentinel_password" "sentinel sentinel-pass $sentinel_password" \
      "sentinel monitor mymaster 127.0.0.1 $primary 2" "sentinel auth-pass mymaster $admin_password" \
      "sentinel down-after-milliseconds mymaster 1000" "sentinel failover-timeout mymaster 6000"
  done
  for name in sentinel-1 sentinel-2 sentinel-3; do
    await "$ready_seconds" sees_all "$name" || die "$name does not see everyone: see $PWD"
  done
}

replicas_online() { [[ $(cli primary info replication | grep -c 'state=online') == 2 ]]; }

sees_all() {
  local about
  about=$(cli "$1" info sentinel) && [[ $about == *status=ok*slaves=2,sentinels=3* ]]
}

up_cluster() {
  local name addresses=()
  for name in $(names); do
    launch "$name" "cluster-enabled yes" "cluster-node-timeout 2000" "cluster-config-file nodes.conf"
    addresses+=("127.0.0.1:$(<"$name.port")")
  done
  redis-cli --cluster create "${addresses[@]}" --cluster-yes >cluster.log 2>&1 || die "no cluster: see $PWD/cluster.log"
  for name in $(names); do
    await "$ready_seconds" cluster_ok "$name" || die "$name finds no cluster: see $PWD"
  done
}

cluster_ok() { [[ $(cli "$1" cluster info) == *cluster_state:ok*cluster_known_nodes:3* ]]; }

make_certificates() {
  mkdir -p pki
  certificate_authority pki "leaderelection test authority" 2>>openssl.log
  certificate pki server "/CN=redis" "subjectAltName=IP:127.0.0.1,DNS:localhost" \
    "extendedKeyUsage=serverAuth,clientAuth" 2>>openssl.log
}

# launch NAME LINE...: a server with these lines of configuration, on a free port. Another process may take the port
# between the look and the server's start, so the server's word decides.
launch() {
  local name=$1 attempt
  shift
  for attempt in 1 2 3 4 5; do
    free_ports 1 >"$name.port"
    configuration "$name" "$@" >"$name.conf"
    mkdir -p "$name.data"
    : >"$name.log"
    start_server "$name"
    if await "$ready_seconds" answers_or_ended "$name" && process_id "$name" >/dev/null; then return; fi
    grep -q 'already in use' "$name.log" || die "$name does not start: see $PWD/$name.log"
  done
  die "no free port found after $attempt attempts"
}

configuration() {
  local name=$1
  shift
  if [[ -d pki ]]; then
    printf '%s\n' "port 0" "tls-port $(<"$name.port")" "tls-replication yes" "tls-auth-clients no" \
      "tls-cert-file $PWD/pki/server.crt" "tls-key-file $PWD/pki/server.key" "tls-ca-cert-file $PWD/pki/ca.crt"
  else
    printf 'port %s\n' "$(<"$name.port")"
  fi
  printf '%s\n' "bind 127.0.0.1" "dir $PWD/$name.data" "daemonize no"
  # With tls-port alone sentinels announce port 0.
  if [[ $name == sentinel-* ]]; then
    printf '%s\n' "sentinel announce-ip 127.0.0.1" "sentinel announce-port $(<"$name.port")"
  else
    printf '%s\n' 'save ""' "appendonly no" "notify-keyspace-events Kgxe" "repl-diskless-sync-delay 0" \
      "repl-ping-replica-period 1"
  fi
  # A cluster's bus has its own port, by default 10000 above.
  if [[ $kind == cluster ]]; then printf 'cluster-port %s\n' "$(free_ports 1)"; fi
  printf '%s\n' "$@"
}

start_server() {
  if [[ $1 == sentinel-* ]]; then
    start_process "$1" "$1.log" redis-sentinel "$1.conf"
  else
    start_process "$1" "$1.log" redis-server "$1.conf"
  fi
}

start_again() {
  process_ended "$1" || die "$1 is running"
  start_server "$1"
  await "$ready_seconds" answers "$1" || die "$1 does not start again: see $PWD/$1.log"
}

# Another server may have got the port, so the one that answers must be ours.
answers() {
  local pid about
  pid=$(process_id "$1") && about=$(cli "$1" info server 2>/dev/null) && [[ $about == *process_id:"$pid"[^0-9]* ]]
}

answers_or_ended() { answers "$1" || process_ended "$1"; }

cli() {
  local name=$1 arguments=(-p "$(<"$1.port")")
  shift
  [[ ! -d pki ]] || arguments+=(--tls --cacert pki/ca.crt)
  case $kind:$name in
    tls:*) arguments+=(--user admin --pass "$admin_password" --no-auth-warning) ;;
    sentinel:sentinel-*) arguments+=(--pass "$sentinel_password" --no-auth-warning) ;;
    sentinel:*) arguments+=(--pass "$admin_password" --no-auth-warning) ;;
    cluster:*) arguments+=(-c) ;;
  esac
  redis-cli "${arguments[@]}" "$@"
}

signal() {
  local pid
  pid=$(process_id "$2") || die "$2 is not running"
  kill "-$1" "$pid"
}

write_variables() {
  local name ports=() sentinels=() prefix=LEADERELECTION_TEST_REDIS_${kind^^}
  for name in $(names); do
    if [[ $name == sentinel-* ]]; then
      sentinels+=("127.0.0.1:$(<"$name.port")")
    else
      ports+=("127.0.0.1:$(<"$name.port")")
    fi
  done
  write_env \
    "${prefix}_DIR" "$PWD" \
    "${prefix}_SERVERS" "$(IFS=, && echo "${ports[*]}")" \
    "${prefix}_SENTINELS" "$(IFS=, && echo "${sentinels[*]}")" \
    LEADERELECTION_TEST_REDIS_SCRIPT "$root/hack/redis.sh"
}

main "$@"
