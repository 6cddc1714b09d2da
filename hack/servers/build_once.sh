# shellcheck shell=bash
# Sourced by the scripts beside it, each of which prints the path of one Go program, built on first use into
# ${LEADERELECTION_CACHE:-~/.cache/leaderelection}/<name>-<version>/ and never into the tree.

servers_cache=${LEADERELECTION_CACHE:-${HOME:?}/.cache/leaderelection}

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# ready_made VARIABLE: prints the program that the variable names, or fails if it names none.
ready_made() {
  local program=${!1:-}
  [[ $program ]] || return 1
  [[ -f $program && -x $program ]] || die "$1=$program is not an executable file"
  printf '%s\n' "$program"
}

# Go 1.21 and later fetch by themselves the newer toolchain that a module asks for, unless GOTOOLCHAIN=local.
require_go() {
  local hint="install Go 1.26 or later (https://go.dev/dl), or name ready-made programs (see hack/servers/README.md)"
  command -v go >/dev/null || die "go is not on the PATH: $hint"
  local version
  version=$(go env GOVERSION)
  if ! [[ $version =~ ^go1\.([0-9]+) ]] || ((BASH_REMATCH[1] < 21)); then
    die "${version:-this go} is too old: $hint"
  fi
}

# module_directory MODULE@VERSION: fetches the module and prints where its files are.
module_directory() {
  local directory
  directory=$(go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
  [[ -d $directory ]] || die "$1 cannot be fetched"
  printf '%s\n' "$directory"
}

# go_build PACKAGE OUTPUT [FLAG...]: compiles in the current directory's module, showing progress in counts.
go_build() {
  local package=$1 output=$2 log
  shift 2
  log=$(mktemp "${TMPDIR:-/tmp}/go-build.XXXXXX")
  if ! GOWORK=off CGO_ENABLED=0 nice -n 19 go build -v -trimpath -buildvcs=false "$@" -o "$output" "$package" 2>&1 |
    tee "$log" |
    awk '/^go: downloading/ { if (++modules % 50 == 0) print "  " modules " modules fetched"; next }
         ++packages % 200 == 0 { print "  " packages " packages compiled" } { fflush() }' >&2; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# build_once NAME VERSION FUNCTION [FILE]: prints the path of FILE, which is NAME unless given, after FUNCTION has built
# it as ./FILE in an empty directory if the cache lacks it. The directory appears in the cache whole or not at all, and of
# several callers one builds while the others wait.
build_once() (
  set -euo pipefail
  name=$1 version=$2 build=$3 file=${4:-$1}
  final=$servers_cache/$name-$version
  if [[ -e $final/$file ]]; then
    printf '%s\n' "$final/$file"
    exit
  fi

  mkdir -p "$servers_cache"
  exec {lock}>"$servers_cache/.$name-$version.lock"
  if ! flock --nonblock "$lock"; then
    say "$name $version: waiting for another run that builds it"
    flock "$lock"
  fi
  if [[ ! -e $final/$file ]]; then
    require_go
    rm -rf "$servers_cache/.$name-$version".tmp.*
    scratch=$(mktemp -d "$servers_cache/.$name-$version.tmp.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    say "$name $version: building, once, into $final"
    # Not in a condition, within which bash would pass over a command that fails.
    set +e
    (set -e && cd "$scratch" && "$build")
    status=$?
    set -e
    ((status == 0)) || die "$name $version: the build failed"
    [[ -e $scratch/$file ]] || die "$name $version: the build left no $file"
    chmod 755 "$scratch"
    rm -rf "$final"
    mv -T "$scratch" "$final"
    say "$name $version: built in $SECONDS s"
  fi
  printf '%s\n' "$final/$file"
)
