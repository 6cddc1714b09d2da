#!/usr/bin/env bash
# e2e/run.sh [--long] [--keep] [--times N] [--seed N] [--minutes N] [CASE...]
#
# Makes a cluster of two nodes with kind (hack/kind.sh), or takes the one that runs; builds and loads the image; runs the cases
# of e2e/cases one after the other, or those that are named; removes the cluster, if it made it. What each case leaves behind
# (logs of all pods, the Lease's history, Events, the witnesses' log) is in build/e2e/CASE.
#
#   --long       the storm too
#   --keep       leaves the cluster, and the namespace of a case that failed
#   --times N    every case N times
#   --seed N     of what is random; it is printed
#   --minutes N  how long the storm lasts: 10
#   --report F   the counts as JUnit's XML, for hack/test.sh
#
# Needs root, for Docker and for what is done to the pods from their nodes.

source "$(dirname "$0")/../hack/common.sh"

keep=false
arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --long) arguments+=("$1") ;;
    --keep) keep=true && arguments+=("$1") ;;
    --times | --seed | --minutes)
      [[ ${2:-} =~ ^[0-9]+$ ]] || die "$1 needs a number"
      arguments+=("$1" "$2")
      shift
      ;;
    --report)
      arguments+=("$1" "${2:?--report needs a file}")
      shift
      ;;
    -*) die "unknown argument '$1'; see e2e/run.sh --help" ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
[[ $(id -u) -eq 0 ]] || die "needs root"

# step NAME COMMAND...: shows how long it took.
step() {
  local name=$1 start=$SECONDS status=0
  shift
  say "$name"
  "$@" || status=$?
  printf '   %s: %d s\n' "$name" "$((SECONDS - start))"
  return "$status"
}

made=false
cluster_up() {
  if hack/kind.sh status >/dev/null 2>&1; then
    echo "the cluster that runs is taken, and left"
    return
  fi
  made=true
  run hack/kind.sh up
}
clean_up() {
  if $made && ! $keep; then hack/kind.sh down; fi
}

status=0
step cluster cluster_up || { clean_up && die "no cluster"; }
eval "$(hack/kind.sh env)"
{
  step image run e2e/image.sh &&
    step "image into the nodes" run hack/kind.sh load "$build/e2e-image/image.tar"
} || { clean_up && die "no image"; }
mkdir -p "$build/e2e"
rm -f "$build/e2e/table.txt"
step cases run python3 -B e2e/support/runner.py --folder "$build/e2e" "${arguments[@]}" || status=$?
if [[ $status -ne 0 ]]; then hack/kind.sh logs "$build/e2e/nodes" >/dev/null 2>&1 || true; fi
step "end of the cluster" clean_up
printf '\n%d s in all\n\n' "$SECONDS"
cat "$build/e2e/table.txt" || status=1
exit "$status"
