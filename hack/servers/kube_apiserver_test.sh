#!/usr/bin/env bash
# Tests hack/kube-apiserver.sh on a server of its own: what each credential may do, and that up, down and the faults do
# what they say. Prints one line per promise and fails at the first that does not hold.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=process.sh
source "$root/hack/servers/process.sh"
# shellcheck source=promises.sh
source "$root/hack/servers/promises.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/kube-apiserver-test.XXXXXX")
export LEADERELECTION_TEST_KUBE_DIR=$work/run
strangers=()

server() { "$root/hack/kube-apiserver.sh" "$@"; }

clean_up() {
  local status=$?
  ((status == 0)) || tail -n 20 "$work"/output "$work"/run/{etcd,kube-apiserver}.log >&2 || true
  ((${#strangers[@]} == 0)) || kill "${strangers[@]}" 2>/dev/null || true
  server down
  rm -rf "$work"
}
trap clean_up EXIT

as() {
  local user=$1
  shift
  "$LEADERELECTION_TEST_KUBECTL" --kubeconfig "$LEADERELECTION_TEST_KUBE_DIR/kubeconfig/$user" \
    --cache-dir "$work/cache" --request-timeout=30s "$@"
}

lease() {
  printf '{"apiVersion":"%s","kind":"Lease","metadata":{"name":"%s"},"spec":{"holderIdentity":"%s"}}' \
    coordination.k8s.io/v1 "$1" "$2"
}

leases=/apis/coordination.k8s.io/v1/namespaces/leaderelection-test/leases

# The administrator reads, so that the user needs the verb "update" alone.
replace() { as admin get lease "$2" -o json | as "$1" replace --raw "$leases/$2" -f -; }

create() { lease "$2" "$1" | as "$1" create --validate=false -f -; }

create_event() {
  local lease='{"kind":"Lease","namespace":"leaderelection-test","name":"precreated"}'
  printf '{"apiVersion":"v1","kind":"Event","metadata":{"generateName":"test-"},"involvedObject":%s}' "$lease" |
    as "$1" create --validate=false -f -
}

# The watch ends by itself after a second.
watch_one() { as "$1" get --raw "$leases?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3D$2"; }

process_of() { cut -d' ' -f1 "$LEADERELECTION_TEST_KUBE_DIR/$1.pid"; }

audited() { grep -c "\"verb\":\"$2\",\"user\":{\"username\":\"$1\"" "$LEADERELECTION_TEST_KUBE_AUDIT_LOG" || true; }

promise "a command on no server says how to start one"
fails_with "kube-apiserver.sh up" server status
fails_with "kube-apiserver.sh up" server env
succeeds server down

promise "a missing program is named"
fails_with "ETCD=/nowhere/etcd is not an executable" env ETCD=/nowhere/etcd "$root/hack/kube-apiserver.sh" up
fails_with "go is not on the path" \
  env PATH=/usr/bin:/bin LEADERELECTION_CACHE="$work/no-cache" "$root/hack/kube-apiserver.sh" up

promise "a directory with other files is left alone"
mkdir "$work/other"
: >"$work/other/precious"
fails_with "holds other files" server up --dir "$work/other"
[[ -e $work/other/precious ]]

promise "up starts a server that is ready, and a second up leaves it alone"
succeeds server up
succeeds server status
# shellcheck source=/dev/null
source <(server env)
first=$(process_of kube-apiserver)
succeeds server up
[[ $(process_of kube-apiserver) == "$first" ]]

promise "a given port that is taken is reported, and nothing is left running"
fails_with "is taken" server up --dir "$work/second" --port "${LEADERELECTION_TEST_KUBE_SERVER##*:}"
fails_with "etcd: not running" server status --dir "$work/second"

promise "two servers run side by side"
succeeds server up --dir "$work/second"
succeeds server status --dir "$work/second"
succeeds server down --dir "$work/second"
succeeds server status

promise "elector and the candidates may do all that an election needs in their namespace, and no more"
for user in elector candidate-0 candidate-4; do
  succeeds create "$user" "by-$user"
  succeeds as "$user" get lease "by-$user"
  succeeds as "$user" get leases
  succeeds replace "$user" "by-$user"
  succeeds watch_one "$user" "by-$user"
  succeeds create_event "$user"
  fails_with forbidden as "$user" delete lease "by-$user"
  fails_with forbidden as "$user" get leases --namespace kube-system
  fails_with forbidden as "$user" get pods
done

promise "least may read, write and watch the one Lease, and no more"
succeeds as least get lease precreated
succeeds replace least precreated
succeeds watch_one least precreated
fails_with forbidden watch_one least by-elector
fails_with forbidden as least get lease by-elector
fails_with forbidden as least get leases
fails_with forbidden create least by-least
fails_with forbidden create_event least
fails_with forbidden replace least by-elector

promise "no-watch may read, create and write, but not watch"
succeeds create no-watch by-no-watch
succeeds as no-watch get lease by-no-watch
succeeds replace no-watch by-no-watch
fails_with forbidden watch_one no-watch by-no-watch

promise "nobody enters with a wrong token"
fails_with "unauthorized\|logged in" "$LEADERELECTION_TEST_KUBECTL" --kubeconfig /dev/null --token wrong \
  --server "$LEADERELECTION_TEST_KUBE_SERVER" --certificate-authority "$LEADERELECTION_TEST_KUBE_CA" \
  get --raw "$leases/precreated"

promise "the audit log tells the candidates apart"
before=$(audited candidate-1 get)
succeeds as candidate-1 get lease precreated
[[ $(audited candidate-1 get) == $((before + 1)) ]]
[[ $(audited candidate-3 get) == 0 ]]

promise "a stopped server answers again after cont"
succeeds server stop
fails_with "timeout\|deadline" as admin --request-timeout=2s get lease precreated
succeeds server cont
succeeds as admin get lease precreated

promise "restart keeps port, data and credentials, also after kill"
succeeds server restart
succeeds as least get lease precreated
succeeds server kill
fails_with "kube-apiserver: not running" server status
fails_with "kube-apiserver is not running" server stop
succeeds server restart
succeeds as elector get lease by-elector

promise "up heals a stopped server and replaces a half-dead one"
succeeds server stop
succeeds server up
succeeds as elector get lease by-elector
kill -KILL "$(process_of etcd)"
succeeds server up
# shellcheck source=/dev/null
source <(server env)
fails_with "not found" as elector get lease by-elector

promise "a process that inherited an old number is not signalled"
sleep 600 &
strangers+=("$!")
server_process=$(process_of kube-apiserver)
printf '%s 1\n' "$!" >"$LEADERELECTION_TEST_KUBE_DIR/kube-apiserver.pid"
fails_with "is not running" server kill
kill -0 "$!"
kill -KILL "$server_process"

promise "down ends what up started"
etcd=$(process_of etcd)
succeeds server down
if process_start_time "$etcd"; then exit 1; fi
[[ ! -e $LEADERELECTION_TEST_KUBE_DIR/pki ]]
kill -0 "${strangers[0]}"
promise "all promises hold"
