#!/usr/bin/env bash
# hack/verify-shell.sh [FILE...]: shellcheck over the tracked scripts; fails, and shows where, at a finding.

source "$(dirname "$0")/common.sh"

command -v shellcheck >/dev/null || die "shellcheck is missing: hack/packages.sh lint"
if [[ $# -eq 0 ]]; then mapfile -d '' -t files < <(git ls-files -z '*.sh' .ci/run); else files=("$@"); fi
shellcheck -x "${files[@]}"
