#!/usr/bin/env bash
# hack/mutants.sh [--check] [NAME...]: breaks the rules of the election one at a time (hack/mutants/*.mutant) and fails
# unless the tests notice each. --check only verifies that every mutant applies. See hack/mutants/engine.py.

source "$(dirname "$0")/common.sh"
run python3 hack/mutants/engine.py --folder "$PWD/$build/mutants" "$@"
