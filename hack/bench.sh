#!/usr/bin/env bash
# hack/bench.sh [--quick|--full] [MEASURE...]
#
# Measures this library beside client-go and others on real servers, in one run, and prints a table for each measure with
# ratios, goals and the load of the machine: speed is compared, never asserted.
#
#   --quick  a few trials each, under four minutes once everything is built; the default
#   --full   all trials, under 25 minutes; of all measures it also writes test/bench/RESULTS.md and the plot beside it
#   --list   the names of the measures
#
# BUILD_DIR names another build directory. Peers are plugged in by a manifest: test/bench/peers/README.md.

source "$(dirname "$0")/common.sh"

arguments=() measures=()
for argument in "$@"; do
  case $argument in
    --quick | --full) arguments+=("$argument") ;;
    --list) exec python3 -B test/bench/bench.py --list ;;
    -h | --help) usage && exit 0 ;;
    -*) die "unknown argument '$argument'; see hack/bench.sh --help" ;;
    *) measures+=("$argument") ;;
  esac
done

# The build with this one of the two who speak HTTP: the ordinary one if it has it, else one below it.
directory_of() {
  local ordinary=cpprest
  [[ ! -e $build/CMakeCache.txt ]] || ordinary=$(sed -n 's/^LEADERELECTION_HTTP:STRING=//p' "$build/CMakeCache.txt")
  if [[ $1 == "$ordinary" ]]; then echo "$build"; else echo "$build/$1"; fi
}

hack/packages.sh build test
for http in beast cpprest; do
  directory=$(directory_of "$http")
  targets=$(python3 -B test/bench/bench.py --targets "$http" "${measures[@]}")
  [[ -n $targets ]] || continue
  configure "$directory" -DLEADERELECTION_HTTP="$http" >/dev/null
  mapfile -t targets <<<"$targets"
  run nice -n 19 ninja -C "$directory" "${targets[@]}"
done
run python3 -B test/bench/bench.py "${arguments[@]}" --folder "$build/bench" --beast "$(directory_of beast)" \
  --cpprest "$(directory_of cpprest)" "${measures[@]}"
