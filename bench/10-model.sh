#!/bin/sh
# 10-model.sh - decode speed, memory and frames of each trace, with one thread and with two; and, in the same run,
# Go's own reader where GOCOUNT names a program that reads all events of a trace with it and counts them.
for trace in ${TRACE:-"$DATA"/*.trace}; do
    [ -f "$trace" ] || continue
    for threads in 1 2; do
        "$BUILD/bench/model" -t $threads -n "${RUNS:-3}" "$trace" || exit 1
        echo
    done
    if [ -n "$GOCOUNT" ]; then
        printf "Go's reader: "
        "$GOCOUNT" "$trace"
        echo
    fi
done
