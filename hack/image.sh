#!/usr/bin/env bash
# hack/image.sh [--program NAME] [--tag TAG] [-D...]: the container image of leader-elector, or of example-operator, made
# from Debian's packages without pulling another image. Leaves build/image/NAME.tar, for docker load or podman load, and
# loads it where docker runs. Needs root, for debootstrap. LEADER_ELECTOR or EXAMPLE_OPERATOR names a program that is built
# already.

source "$(dirname "$0")/common.sh"

program=leader-elector tag=
cmake_arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --program)
      [[ ${2:-} == leader-elector || ${2:-} == example-operator ]] || die "--program needs leader-elector or example-operator"
      program=$2
      shift
      ;;
    --tag)
      [[ $# -gt 1 ]] || die "--tag needs a name"
      tag=$2
      shift
      ;;
    -D*) cmake_arguments+=("$1") ;;
    -h | --help) usage && exit 0 ;;
    *) die "unknown argument '$1'; see hack/image.sh --help" ;;
  esac
  shift
done
tag=${tag:-$program:0.1.0}
[[ $(id -u) -eq 0 ]] || die "debootstrap needs root"
hack/packages.sh build image

image=$build/image root=$build/image/root
variable=${program^^}
variable=${variable//-/_}
binary=${!variable:-}
if [[ -z $binary ]]; then
  binary=$image/build/cmd/$program/$program
  say "building $program"
  configure "$image/build" -DCMAKE_BUILD_TYPE=Release -DLEADERELECTION_BUILD_TESTS=OFF -DLEADERELECTION_COMMAND=ON \
    "${cmake_arguments[@]}" >/dev/null
  run ninja -C "$image/build" --quiet "$program"
fi

# The packages that own the libraries it loads: those of this very Debian, so the root is made from the same.
mapfile -t libraries < <(ldd "$binary" | awk '$2 == "=>" { print $3 }')
# Merged or not, /lib and /usr/lib are the same, but a package lists its files under one of them.
mapfile -t packages < <({ dpkg -S "${libraries[@]}" "${libraries[@]/#\/lib/\/usr\/lib}" 2>/dev/null || true; } |
  cut -d: -f1 | sort -u)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)

say "a root of $suite with ${packages[*]}"
rm -rf "$root"
mkdir -p "$root"
include=$(IFS=, && echo "${packages[*]},ca-certificates")
run debootstrap --variant=minbase --include="$include" "$suite" "$root" "$mirror" >"$image/debootstrap.log" ||
  die "debootstrap failed; see $image/debootstrap.log"
install -D --strip --mode=0755 "$binary" "$root/usr/bin/$program"
chroot "$root" "/usr/bin/$program" --help >/dev/null

# What only an administrator of a whole system would use.
rm -rf "$root"/var/cache/* "$root"/var/lib/apt "$root"/var/log/* "$root"/usr/share/{doc,man,info,locale,lintian} \
  "$root"/usr/lib/apt "$root"/usr/bin/apt* "${root:?}"/{boot,dev}
mkdir "$root/dev"

tar --sort=name --mtime=@0 --numeric-owner -C "$root" -cf "$image/root.tar" .
sed "s/leader-elector/$program/g" hack/image/Dockerfile >"$image/Dockerfile"
hack/image/archive.py "$image/root.tar" "$image/Dockerfile" "$tag" "$image/$program.tar"
say "$image/$program.tar: $tag, $(du -h --apparent-size "$image/$program.tar" | cut -f1)"
if docker info >/dev/null 2>&1; then run docker load --input "$image/$program.tar"; fi
