#!/usr/bin/env bash
# check_package.sh static|shared SOURCE BUILD FOLDER: installs leaderelection, moves the installation elsewhere, and
# builds and runs a user's project against it. Static libraries come from BUILD, shared ones are built in FOLDER.

set -euo pipefail
kind=$1 source=$2 build=$3 folder=$4
here=$(cd "$(dirname "$0")" && pwd)
prefix=$folder/installed

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

if [[ $kind == shared ]]; then
  build=$folder/build
  launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake -S "$source" -B "$build" -G Ninja -DBUILD_SHARED_LIBS=ON "${launcher[@]}" >/dev/null
  cmake --build "$build"
fi

rm -rf "$prefix" "$folder/first" "$folder/project" "$folder/question"
cmake --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$prefix"

# Every public header belongs to a component, be it one that is not built here, and nothing else is installed.
headers() { (cd "$1/leaderelection" && find . -name '*.h' -printf '%P\n' | sort); }
while read -r header; do
  grep -qE "(^|[ (])$header([ )]|\$)" "$source/CMakeLists.txt" || fail "no component of CMakeLists.txt has the header $header"
done < <(headers "$source/include")
foreign=$(comm -13 <({ headers "$source/include" && echo version.h; } | sort) <(headers "$prefix/include"))
[[ -z $foreign ]] || fail "installed, but not in include/: $foreign"

if [[ $kind == shared ]]; then
  foreign=$(nm --dynamic --demangle --defined-only "$prefix"/lib/*/*.so "$prefix"/lib/*.so 2>/dev/null |
    awk '$2 == "T" { print $3 }' | grep -v '^leaderelection::' || true)
  [[ -z $foreign ]] || fail "exported beside the library's own names: $foreign"
fi

cmake -S "$here/project" -B "$folder/project" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$folder/project"
"$folder/project/program" "$folder/record" || fail "the user's program"
"$folder/project/own_test" --gtest_brief=1 || fail "the user's test"

# The tutorial's operator is such a project too; it is compiled once, against the static libraries.
if [[ $kind == static && -e $prefix/include/leaderelection/kube_client.h && -e $prefix/include/leaderelection/admin_server.h ]]; then
  rm -rf "$folder/operator"
  cmake -S "$source/cmd/example-operator" -B "$folder/operator" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
  cmake --build "$folder/operator"
  "$folder/operator/example-operator" --help >/dev/null || fail "the tutorial's operator"
fi

ask() {
  rm -rf "$folder/question"
  cmake -S "$here/question" -B "$folder/question" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DVERSION="$1" -DCOMPONENTS="$2" 2>&1
}

expect() {
  local answer
  answer=$(ask "$1" "$2" | tr -s ' \n' ' ' || true)
  [[ $answer == *"$3"* ]] || fail "asked for version $1 and $2, expected '$3', got: $answer"
}

expect 0.1 core "imported: Threads::Threads;leaderelection::core --"
expect 0.1 "" "imported: Threads::Threads;leaderelection::core --"
expect 0.1 "core;abacus" "This installation of leaderelection has no component 'abacus'. It has: core, "
expect 0.2 core "The following configuration files were considered but not accepted"
expect 1.0 core "The following configuration files were considered but not accepted"

# Whatever was built can be asked for and linked alone.
components=$({ ask 0.1 abacus || true; } | tr -s ' \n' ' ' | sed -n "s/.*It has: \([a-z, ]*\)\..*/\1/p")
for component in core file testing; do
  [[ ", $components," == *", $component,"* ]] || fail "$component is not among the components: $components"
done
for component in ${components//,/}; do
  answer=$(ask 0.1 "$component") || fail "asked for $component alone: $answer"
  answer=$(cmake --build "$folder/question" 2>&1) || fail "linked $component alone: $answer"
done
