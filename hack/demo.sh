#!/usr/bin/env bash
# hack/demo.sh: an election among three processes of this host. Installs and builds no more than it needs, then shows
# who leads, a take-over after kill -9, and a hand-over after a clean stop.

source "$(dirname "$0")/common.sh"
case ${1:-} in
  '') ;;
  -h | --help) usage && exit 0 ;;
  *) die "unknown argument '$1'; see hack/demo.sh --help" ;;
esac

hack/packages.sh build
elector=$build/demo/cmd/leader-elector/leader-elector
say "building leader-elector"
configure "$build/demo" -DLEADERELECTION_BUILD_TESTS=OFF -DLEADERELECTION_KUBERNETES=OFF -DLEADERELECTION_REDIS=OFF \
  -DLEADERELECTION_CONSUL=OFF -DLEADERELECTION_ADMIN=ON -DLEADERELECTION_COMMAND=ON >/dev/null
run ninja -C "$build/demo" --quiet leader-elector

say "$elector demo"
run "$elector" demo
cat <<END

Now by hand, in three terminals:

  $elector run --lock=file --lock-file=/tmp/leader --lease-duration=3s --renew-deadline=2s --retry-period=500ms -- top -b

and in a fourth:

  $elector observe --lock=file --lock-file=/tmp/leader

END
