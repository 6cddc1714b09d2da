#!/usr/bin/env bash
# e2e/image.sh: the image of the end-to-end tests, build/e2e-image/image.tar: what hack/image.sh makes, and in it also the
# witness, client-go's candidate and Debian's redis-server. Does only what has changed since it last ran. Needs root.

source "$(dirname "$0")/../hack/common.sh"

image=$build/e2e-image root=$build/image/root tag=leader-elector:e2e
elector=$build/cmd/leader-elector/leader-elector witness=$build/test/e2e/witness/witness
mkdir -p "$image"
hack/packages.sh build test image

configure "$build" >"$image/configure.log"
run ninja -C "$build" --quiet leader-elector witness
candidate=$(hack/servers/candidate.sh)
redis=$(readlink -f "$(command -v redis-server)")

libraries_of() { ldd "$1" | awk '$2 == "=>" { print $3 }'; }

# The root is made anew only if leader-elector loads other libraries than the last time.
base=$({ libraries_of "$elector" && cat hack/image.sh; } | sha256sum)
if ! [[ -d $root && $base == "$(cat "$image/base" 2>/dev/null)" ]]; then
  LEADER_ELECTOR=$elector hack/image.sh
  printf '%s\n' "$base" >"$image/base"
  rm -f "$image/programs"
fi
programs=$({ sha256sum "$elector" "$witness" "$candidate" "$redis" "$0" hack/image/*; } | sha256sum)
if [[ -e $image/image.tar && $programs == "$(cat "$image/programs" 2>/dev/null)" ]]; then
  say "$image/image.tar is as it was"
  exit 0
fi

# add PROGRAM NAME: with the libraries that the root lacks; it is of the same Debian.
add() {
  local library
  install --strip --mode=0755 "$1" "$root/usr/bin/$2" 2>/dev/null || install --mode=0755 "$1" "$root/usr/bin/$2"
  while read -r library; do
    [[ -e $root$library ]] || install -D "$(readlink -f "$library")" "$root$library"
  done < <(libraries_of "$1")
}
add "$elector" leader-elector
add "$witness" witness
add "$redis" redis-server
install --mode=0755 "$candidate" "$root/usr/bin/go-candidate"
chroot "$root" redis-server --version

tar --sort=name --mtime=@0 --numeric-owner -C "$root" -cf "$image/root.tar" .
hack/image/archive.py "$image/root.tar" hack/image/Dockerfile "$tag" "$image/image.tar"
rm "$image/root.tar"
printf '%s\n' "$programs" >"$image/programs"
say "$image/image.tar: $tag, $(du -h --apparent-size "$image/image.tar" | cut -f1)"
