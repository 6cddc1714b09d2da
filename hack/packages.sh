#!/usr/bin/env bash
# hack/packages.sh GROUP...: installs what is missing of these groups of packages.txt. Calls apt-get only if something
# is missing, with sudo unless root.

source "$(dirname "$0")/common.sh"
[[ $# -gt 0 ]] || die "name a group of hack/packages.txt: build, test, lint, image, kind"

wanted=()
for group in "$@"; do
  mapfile -t -O "${#wanted[@]}" wanted < <(awk -v group="$group" '$1 == group { print $2 }' hack/packages.txt)
done

if ! command -v apt-get >/dev/null; then
  say "no apt-get here; the equivalents of these are needed: ${wanted[*]}"
  exit 0
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null | awk '$2 == "installed" { print $1 }' || true)
mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(sort <<<"$installed"))
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || die "please install, as root: ${missing[*]}"
  as_root=(sudo)
fi
say "installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 "${missing[@]}"
