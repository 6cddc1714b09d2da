# shellcheck shell=bash
# Sourced: the directory in which a script keeps the servers it has started, and their ports. Uses die and say of
# build_once.sh or of the script's own.

# enter DIRECTORY: goes there, as the only run of such a script. The lock file marks a directory as one of ours, whose
# contents may be deleted.
enter() {
  mkdir -p "$1"
  cd "$1" || exit
  [[ -e .lock || -z $(ls -A) ]] || die "$PWD holds other files: give an empty directory"
  take_lock
}

# enter_existing DIRECTORY COMMAND: goes there beside other runs; without servers it says which command starts them.
enter_existing() {
  [[ -e $1/.lock ]] || die "there is no server in $1: run $2"
  cd "$1" || exit
}

take_lock() {
  exec 9>>.lock
  flock --wait 900 9 || die "$PWD is in use by another run of this script"
}

# require_env COMMAND: `up` has been here and has succeeded.
require_env() { [[ -e env ]] || die "there is no server in $PWD: run $1"; }

# write_env NAME VALUE...: what tests find in their environment, as shell exports.
write_env() {
  printf 'export %s=%q\n' "$@" >env.new
  mv env.new env
}

# fail_with_log NAME COMPLAINT: for a server called NAME whose log is NAME.log.
fail_with_log() {
  printf 'the end of %s:\n' "$PWD/$1.log" >&2
  tail -n 20 "$1.log" >&2
  die "$1 $2"
}

# free_ports COUNT: prints the first of so many neighbouring ports that nobody listens on. Another process may take one
# before the server does, so the server's word decides. Ports below 32768 are not handed out to outgoing connections.
free_ports() {
  local first port taken
  while true; do
    first=$((20000 + RANDOM % 12000)) taken=false
    for ((port = first; port < first + $1; ++port)); do
      if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then taken=true; fi
    done
    $taken || break
  done
  printf '%s\n' "$first"
}
