# shellcheck shell=bash
# Sourced: a certificate authority for tests, as <directory>/<name>.crt and <name>.key. Elliptic-curve keys.

readonly certificate_days=30

new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out "$1"; }

# certificate_authority DIRECTORY NAME
certificate_authority() {
  new_key "$1/ca.key"
  openssl req -x509 -new -key "$1/ca.key" -out "$1/ca.crt" -days "$certificate_days" -subj "/CN=$2" \
    -addext "keyUsage=critical,keyCertSign,cRLSign"
}

# certificate DIRECTORY NAME SUBJECT EXTENSION...: signed by the directory's authority.
certificate() {
  local directory=$1 name=$2 subject=$3
  shift 3
  new_key "$directory/$name.key"
  openssl req -new -key "$directory/$name.key" -subj "$subject" |
    openssl x509 -req -CA "$directory/ca.crt" -CAkey "$directory/ca.key" -CAcreateserial -days "$certificate_days" \
      -out "$directory/$name.crt" -extfile <(printf '%s\n' "$@") 2>/dev/null
}
