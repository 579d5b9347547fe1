#!/bin/sh
# 15-keys.sh - the ten keys that keep one waiting longest, of each trace: while it loads, and in each view once it is there. See keys.c.
for trace in $TRACE; do
    echo "keys of $trace"
    "$BUILD/bench/keys" "$trace" || exit 1
    echo
done
