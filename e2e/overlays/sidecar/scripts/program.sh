#!/usr/bin/env bash
# The program beside leader-elector: asks every half second whether this pod leads, and says so when the answer changes.
last=
while true; do
  status=none
  if exec 3<>/dev/tcp/127.0.0.1/8080; then
    printf 'GET /leader?only-leader HTTP/1.0\r\n\r\n' >&3
    read -r -t 5 _ status _ <&3 || status=none
    exec 3>&-
  fi 2>/dev/null
  if [[ $status != "$last" ]]; then echo "only-leader answers $status"; fi
  last=$status
  sleep 0.5
done
