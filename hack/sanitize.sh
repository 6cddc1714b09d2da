#!/usr/bin/env bash
# hack/sanitize.sh [address|thread] [--network|--all] [-D...]: builds with AddressSanitizer and UndefinedBehaviorSanitizer,
# then with ThreadSanitizer, and runs the tests that need no server: those of core, simulator, memory and file.
#
#   --network  also those of what speaks to servers, which take much longer to build
#   --all      every test of the library and the command, with the real servers, as hack/test.sh runs them
#
# The simulator runs fewer seeds.

source "$(dirname "$0")/common.sh"

kinds=()
scope=local
cmake_arguments=()
for argument in "$@"; do
  case $argument in
    address | thread) kinds+=("$argument") ;;
    --network | --all) scope=${argument#--} ;;
    -D*) cmake_arguments+=("$argument") ;;
    -h | --help) usage && exit 0 ;;
    *) die "unknown argument $argument" ;;
  esac
done
[[ ${#kinds[@]} -gt 0 ]] || kinds=(address thread)

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
labels=(unit simulation contract file)
case $scope in
  local) for part in KUBERNETES REDIS CONSUL ADMIN COMMAND; do cmake_arguments+=("-DLEADERELECTION_$part=OFF"); done ;;
  network) labels+=(http) ;;
  all) labels+=(http lease redis consul command faults) ;;
esac
reports=$PWD/$build/reports
mkdir -p "$reports"

# g++ 12's ThreadSanitizer does not cope with the widest randomisation of addresses that newer kernels offer.
steady_addresses=()
if setarch -R true 2>/dev/null; then steady_addresses=(setarch -R); fi

sanitize() {
  local kind=$1 short=$2
  local directory=$build/$short targets=() label
  local arguments=("${cmake_arguments[@]}" -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DLEADERELECTION_SANITIZE=$3")
  if [[ $scope == all ]]; then
    say "$kind sanitizer: everything"
    for label in "${labels[@]}"; do targets+=(-L "$label"); done
    BUILD_DIR=$directory run "${steady_addresses[@]}" hack/test.sh "${targets[@]}" "${arguments[@]}"
    return
  fi
  say "$kind sanitizer: build"
  configure "$directory" "${arguments[@]}" >/dev/null || return
  for label in "${labels[@]}"; do
    if ninja -C "$directory" -t query "test-$label" >/dev/null 2>&1; then targets+=("test-$label"); fi
  done
  run ninja -C "$directory" "${targets[@]}" || return
  say "$kind sanitizer: tests"
  run "${steady_addresses[@]}" ctest --test-dir "$directory" -L "^($(IFS='|' && echo "${labels[*]}"))\$" \
    -j "$cores" --output-on-failure --no-tests=error --output-junit "$reports/$short.xml"
}

status=0
for kind in "${kinds[@]}"; do
  case $kind in
    address) sanitize address asan address,undefined || status=$? ;;
    thread) sanitize thread tsan thread || status=$? ;;
  esac
done
exit "$status"
