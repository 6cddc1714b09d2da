#!/usr/bin/env bash
# hack/verify-format.sh [FILE...]: fails, and shows where, if a tracked C++ source is not laid out as .clang-format says;
# hack/format.sh mends it.

source "$(dirname "$0")/common.sh"

format=$(command -v clang-format-14 || command -v clang-format) || die "clang-format is missing: hack/packages.sh lint"
if [[ $# -eq 0 ]]; then mapfile -d '' -t files < <(git ls-files -z '*.h' '*.cc'); else files=("$@"); fi
"$format" --dry-run --Werror "${files[@]}"
