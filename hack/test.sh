#!/usr/bin/env bash
# hack/test.sh [-L LABEL]... [--long] [-D...]
#
# Installs what is missing (hack/packages.txt), builds into build/ and runs the tests: all of them, then those of
# core, simulator and file once more under the sanitizers, then the mutants and the fuzzer for a moment. Ends with where
# the time went and the counts.
#
#   -L LABEL  only this kind of test, and builds and starts only what it needs:
#             unit simulation contract file http lease redis consul command faults package style
#             e2e: in a cluster of its own (e2e/run.sh); not among all others without --long
#   --long    adds what takes long: the cluster, if its node image is there, the sanitizers on everything, clang-tidy,
#             coverage, a long simulation, a search of more states of the small model and a soak
#   -D...     handed on to CMake
#
# BUILD_DIR names another build directory.

source "$(dirname "$0")/common.sh"

known_labels=(unit simulation contract file http lease redis consul command faults package style e2e)

# The real servers of a label: servers up LABEL before its tests, servers down LABEL after them; servers env LABEL prints
# what its tests find in their environment, as shell exports.
servers() {
  local kind
  case $2 in
    lease) kube_apiserver "$1" ;;
    faults) kube_apiserver "$1" && hack/redis.sh "$1" standalone && hack/redis.sh "$1" tls && hack/consul.sh "$1" ;;
    redis) for kind in standalone tls sentinel cluster; do hack/redis.sh "$1" "$kind" || return; done ;;
    consul) hack/consul.sh "$1" ;;
    *) ;;
  esac
}

kube_apiserver() {
  hack/kube-apiserver.sh "$1" --dir "$build/run/kube-apiserver" || return
  [[ $1 != env ]] || printf 'export INTEROP_CANDIDATE=%q\n' "$(hack/servers/candidate.sh)"
}

# The programs of these servers are built once, from Go, beside the C++ build: the cores left over are theirs.
programs=
build_programs() {
  local wanted=()
  [[ ! " ${labels[*]} " =~ \ (lease|faults)\  ]] || wanted+=(kubernetes)
  [[ ! " ${labels[*]} " =~ \ (consul|faults)\  ]] || wanted+=(consul)
  [[ ${#wanted[@]} -gt 0 ]] || return 0
  set -m
  hack/servers/build.sh "${wanted[@]}" >"$build/servers.log" 2>&1 </dev/null &
  programs=$!
  set +m
}
await_programs() {
  local status=0
  wait "$programs" || status=$?
  programs=
  [[ $status -eq 0 ]] || tail -n 20 "$build/servers.log"
  return "$status"
}
end_programs() { [[ -z $programs ]] || kill -TERM -- "-$programs" 2>/dev/null || true; }

labels=()
long=false
cmake_arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -L)
      [[ $# -gt 1 ]] || die "-L needs a label: ${known_labels[*]}"
      [[ " ${known_labels[*]} " == *" $2 "* ]] || die "no label '$2'; there are: ${known_labels[*]}"
      labels+=("$2")
      shift
      ;;
    --long) long=true ;;
    -D*) cmake_arguments+=("$1") ;;
    -h | --help) usage && exit 0 ;;
    *) die "unknown argument '$1'; see hack/test.sh --help" ;;
  esac
  shift
done
everything=false
if [[ ${#labels[@]} -eq 0 ]]; then
  everything=true
  labels=("${known_labels[@]}")
fi

passed=0 failed=0 skipped=0
stages=()        # "seconds name", as they ended
failed_stages=() # names
reports=$build/reports
mkdir -p "$reports"
rm -f "$reports"/*.xml

attribute() { sed -n "s/^[[:space:]]*$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1; }

# Adds the counts of the reports that ctest has left, and prints how many tests failed in them.
count_reports() {
  local report tests
  stage_failures=0
  for report in "$reports"/*.xml; do
    [[ -e $report ]] || continue
    tests=$(attribute "$report" tests)
    local failures skips
    failures=$(attribute "$report" failures)
    skips=$(($(attribute "$report" skipped) + $(attribute "$report" disabled)))
    passed=$((passed + tests - failures - skips))
    failed=$((failed + failures))
    skipped=$((skipped + skips))
    stage_failures=$((stage_failures + failures))
    rm "$report"
  done
}

# stage NAME COMMAND...: runs it and notes how long it took. A stage that fails without a failed test of its own counts
# as one failed test, so that the last line never says 0 failed when something did.
stage() {
  local name=$1 start=$SECONDS status=0
  shift
  say "$name"
  "$@" || status=$?
  stages+=("$((SECONDS - start)) $name")
  count_reports
  if [[ $status -ne 0 ]]; then
    failed_stages+=("$name")
    if [[ $stage_failures -eq 0 ]]; then failed=$((failed + 1)); fi
  fi
  return "$status"
}

finish() {
  local entry
  end_programs
  say "where the time went"
  for entry in "${stages[@]}"; do printf '%6d s  %s\n' "${entry%% *}" "${entry#* }"; done
  printf '%6d s  in all\n' "$SECONDS"
  [[ ${#failed_stages[@]} -eq 0 ]] || printf '\nfailed: %s\n' "$(IFS=, && echo "${failed_stages[*]}")"
  printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  if [[ $failed -gt 0 ]]; then exit 1; fi
  exit 0
}

has_target() { ninja -C "$build" -t query "$1" >/dev/null 2>&1; }

build_labels() {
  local targets=() label
  if $everything; then
    run ninja -C "$build"
    return
  fi
  for label in "${labels[@]}"; do
    if has_target "test-$label"; then targets+=("test-$label"); fi
  done
  [[ ${#targets[@]} -eq 0 ]] || run ninja -C "$build" "${targets[@]}"
}

has_tests() { ctest --test-dir "$build" -N -L "^$1\$" 2>/dev/null | grep -q '^Total Tests: [1-9]'; }

with_environment_of() {
  eval "$(servers env "$1")"
  "${@:2}"
}

served=
clean_up() {
  end_programs
  [[ -z $served ]] || servers down "$served"
}

# run_tests LABEL REPORT DIRECTORY [ctest's arguments]: with the servers of the label.
run_tests() {
  local label=$1 report=$2 directory=$3 status=0
  served=$label
  {
    servers up "$label" &&
      run with_environment_of "$label" ctest --test-dir "$directory" "${@:4}" -j "$(jobs_of "$label")" --output-on-failure \
        --no-tests=error --output-junit "$PWD/$reports/$report.xml"
  } || status=$?
  served=
  servers down "$label" || true
  return "$status"
}

# Candidates under faults wait for leases to pass rather than compute.
jobs_of() { if [[ $1 == faults ]]; then echo $((3 * cores)); else echo "$cores"; fi; }

run_label() {
  local status=0
  if [[ $1 == e2e ]]; then
    run e2e/run.sh --report "$PWD/$reports/e2e.xml"
    return
  fi
  rm -rf "$reports/faults" && mkdir "$reports/faults"
  FAULTS_COUNTS=$PWD/$reports/faults run_tests "$1" "$1" "$build" -L "^$1\$" || status=$?
  [[ $1 != faults ]] || python3 -B test/faults/counts.py "$reports/faults" || status=1
  return "$status"
}

# Making the node image takes most of an hour, so it is not made just because everything is to be run.
node_image_is_there() {
  [[ -n ${KIND_NODE_IMAGE:-} ]] ||
    compgen -G "${LEADERELECTION_CACHE:-${HOME:?}/.cache/leaderelection}/node-image-*/node-image.tar.zst" >/dev/null
}
why_no_cluster() {
  if ! $long; then
    echo "takes more than ten minutes; hack/test.sh -L e2e runs it, and so does --long"
  elif [[ $(id -u) -ne 0 ]]; then
    echo "needs root"
  elif ! node_image_is_there; then
    echo "there is no node image yet; hack/test.sh -L e2e makes it, which takes most of an hour"
  fi
}

# Both who speak HTTP have passed the suite of label http in the one build; here the other one passes that of a Lease.
lease_over_other_http() {
  local other=beast
  if grep -q '^LEADERELECTION_HTTP:STRING=beast$' "$build/CMakeCache.txt"; then other=cpprest; fi
  configure "$build/$other" "${cmake_arguments[@]}" -DLEADERELECTION_HTTP="$other" >/dev/null &&
    run ninja -C "$build/$other" lease_contract_test &&
    run_tests lease "lease-$other" "$build/$other" -R '^Lease(OfOneClient|OfSharedWatch)?\.'
}

# The small model in minutes instead of seconds: two million states of each shape, in half a gigabyte.
search_further() { run ninja -C "$build" explore && run "$build/test/explore"; }

groups=(build test)
if $everything || [[ " ${labels[*]} " == *" style "* ]]; then groups+=(lint); fi
if $everything; then groups+=(fuzz); fi
if $long; then groups+=(coverage); fi
stage packages hack/packages.sh "${groups[@]}" || finish
stage configure configure "$build" "${cmake_arguments[@]}" || finish
build_programs
stage build build_labels || finish
if [[ -n $programs ]]; then stage servers await_programs || true; fi
for label in "${labels[@]}"; do
  # Not every label has tests in every build; asked for by name, it must.
  if $everything && [[ $label == e2e && -n $(why_no_cluster) ]]; then
    say "e2e: not run: $(why_no_cluster)"
    continue
  fi
  if $everything && [[ $label != e2e ]] && ! has_tests "$label"; then continue; fi
  stage "$label" run_label "$label" || true
done
if $everything; then
  if has_tests lease; then stage "lease over the other HTTP" lease_over_other_http || true; fi
  stage sanitizers hack/sanitize.sh "${cmake_arguments[@]}" || true
  stage mutants hack/mutants.sh || true
  stage fuzzing hack/fuzz.sh --seed 1 5 || true
fi
if $long; then
  stage "sanitizers of everything" hack/sanitize.sh --all "${cmake_arguments[@]}" || true
  stage clang-tidy hack/tidy.sh || true
  stage coverage hack/coverage.sh || true
  stage "long simulation" hack/simulate.sh || true
  stage "long search" search_further || true
  stage soak hack/soak.sh 0.2 || true
fi
finish
