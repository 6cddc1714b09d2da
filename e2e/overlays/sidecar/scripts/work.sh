#!/bin/sh
# What people write: a script that starts something in the background, forgets a helper in another session, and ignores
# the end it is asked for. All of it must be gone before another leads.
trap 'echo "the script was asked to end"' TERM
setsid sleep infinity &
witness witness-log &
while true; do sleep 1; done
