# shellcheck shell=bash
# Sourced: a Docker to run the nodes in. Where one answers already it is used and left alone; else Debian's dockerd is
# started with all that it keeps in one directory, and ended with all that it did to the network undone.
# Expects build_once.sh and process.sh of hack/servers.

docker_directory=${servers_cache:?}/docker
docker_runtime=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/runc-within-limits
docker_packages=${docker_runtime%/kind/*}/packages.sh
docker_socket=$docker_directory/docker.sock

# use_docker: points DOCKER_HOST at the dockerd of an earlier start_docker, if it runs. Fails if no Docker answers.
use_docker() {
  command -v docker >/dev/null || return 1
  if process_id "$docker_directory/dockerd" >/dev/null; then export DOCKER_HOST=unix://$docker_socket; fi
  docker_answers
}

docker_answers() { timeout 20 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

start_docker() {
  local runtime
  if use_docker; then return; fi
  command -v dockerd >/dev/null || "$docker_packages" kind
  command -v dockerd >/dev/null || die "no Docker answers, and there is no dockerd to start: install docker.io"
  [[ $(id -u) -eq 0 ]] || die "no Docker answers, and starting one needs root"
  runtime=$(runc_within_limits)
  mkdir -p "$docker_directory"
  chmod 700 "$docker_directory"
  remember_network
  rm -f "$docker_directory/dockerd.log" "$docker_directory/docker.pid"
  # Nodes are joined by a network of kind's own, so there is no need of Docker's default bridge.
  start_process "$docker_directory/dockerd" "$docker_directory/dockerd.log" dockerd \
    --host="unix://$docker_socket" --pidfile="$docker_directory/docker.pid" \
    --data-root="$docker_directory/data" --exec-root="$docker_directory/run" \
    --storage-driver=overlay2 --exec-opt=native.cgroupdriver=cgroupfs --bridge=none --oom-score-adjust=0 \
    --add-runtime="within-limits=$runtime" --default-runtime=within-limits
  export DOCKER_HOST=unix://$docker_socket
  await 60 docker_answers_or_ended || true
  docker_answers || {
    tail -n 20 "$docker_directory/dockerd.log" >&2
    end_docker
    die "dockerd does not answer: see $docker_directory/dockerd.log"
  }
}

docker_answers_or_ended() { docker_answers || process_ended "$docker_directory/dockerd"; }

# end_docker: ends what start_docker has started, if anything. Images stay, as a cache.
end_docker() {
  [[ -e $docker_directory/dockerd.pid ]] || return 0
  end_process "$docker_directory/dockerd" 60 || die "dockerd does not end"
  restore_network
  remove_control_groups
}

# The program is small, so it is known by its source.
runc_within_limits() {
  build_once runc-within-limits "$(sha256sum <"$docker_runtime/main.go" | cut -c1-12)" build_runc_within_limits
}

build_runc_within_limits() {
  local output=$PWD/runc-within-limits
  cd "$docker_runtime" && go_build main.go "$output" -ldflags "-s -w"
}

# dockerd sets the policy of forwarded packets to DROP, adds chains, and allows forwarding, and leaves it so.
remember_network() {
  [[ ! -e $docker_directory/firewall ]] || return 0 # of a dockerd that ended unasked
  cat /proc/sys/net/ipv4/ip_forward >"$docker_directory/ip_forward"
  iptables-save >"$docker_directory/firewall.new"
  mv "$docker_directory/firewall.new" "$docker_directory/firewall"
}

restore_network() {
  local policy
  if [[ -e $docker_directory/firewall ]] && ! grep -q DOCKER "$docker_directory/firewall"; then
    policy=$(sed -n 's/^:FORWARD \([A-Z]*\) .*/\1/p' "$docker_directory/firewall" | head -n 1)
    iptables-save | sed "/DOCKER/d; s/^:FORWARD DROP/:FORWARD ${policy:-ACCEPT}/" | iptables-restore
    cat "$docker_directory/ip_forward" >/proc/sys/net/ipv4/ip_forward
  fi
  rm -f "$docker_directory"/{firewall,ip_forward}
}

# dockerd leaves the control groups that its containers were in. Those of another Docker have processes in them.
remove_control_groups() {
  local group
  for group in /sys/fs/cgroup/docker /sys/fs/cgroup/*/docker; do
    [[ -d $group && -z $(find "$group" -name cgroup.procs -exec cat {} +) ]] || continue
    find "$group" -depth -type d -exec rmdir {} + || say "$group is left behind"
  done
}
