#!/usr/bin/env bash
# hack/tidy.sh [FILE...]: clang-tidy (.clang-tidy) over lib, cmd and the public headers they include, or over the files
# named; fails at the first finding.

source "$(dirname "$0")/common.sh"

tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || die "clang-tidy is missing: hack/packages.sh lint"
configure "$build" >/dev/null
if [[ $# -eq 0 ]]; then mapfile -t files < <(git ls-files 'lib/*.cc' 'cmd/*.cc'); else files=("$@"); fi
run xargs -0 -n 1 -P "$cores" -a <(printf '%s\0' "${files[@]}") "$tidy" -p "$build" --quiet --warnings-as-errors='*'
