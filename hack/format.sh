#!/usr/bin/env bash
# hack/format.sh: lays out the C++ sources as .clang-format says; hack/verify-format.sh only tells.

source "$(dirname "$0")/common.sh"

format=$(command -v clang-format-14 || command -v clang-format) || die "clang-format is missing: hack/packages.sh lint"
git ls-files -z '*.h' '*.cc' | xargs -0 --no-run-if-empty "$format" -i
