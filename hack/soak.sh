#!/usr/bin/env bash
# hack/soak.sh HOURS
#
# Elections on all backends at once, on their real servers, with faults at random, for so many hours; fractions are
# allowed. Shows terms, memory, descriptors and threads every minute, and a table in the end. Fails if a candidate grows,
# or if two led at one time, numbers fell, or started and stopped did not alternate.
#
# SOAK_SEED sets which faults. BUILD_DIR names another build directory.

source "$(dirname "$0")/common.sh"

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage && exit 0; }
[[ $# -eq 1 && $1 =~ ^[0-9]*\.?[0-9]+$ ]] || die "how many hours? see hack/soak.sh --help"

hack/packages.sh build test
[[ -f $build/CMakeCache.txt ]] || configure "$build"
run ninja -C "$build" candidate host_shim

run_folder=$PWD/$build/run/soak
servers() {
  hack/kube-apiserver.sh "$1" --dir "$run_folder/kube-apiserver" &&
    hack/redis.sh "$1" standalone --dir "$run_folder/redis" &&
    hack/consul.sh "$1" --dir "$run_folder/consul"
}
clean_up() { servers down || true; }
trap clean_up EXIT
servers up
eval "$(servers env)"
export OUR_CANDIDATE=$PWD/$build/test/our-candidate HOST_SHIM_LIBRARY=$PWD/$build/test/host_shim.so
run python3 -B test/faults/soak.py "$1"
