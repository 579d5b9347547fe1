#!/bin/sh
# 20-curve.sh - does the cost of an event stay the same when there is more of something? CURVE=1 runs it: traces of
# growing size, processors, goroutines, and of one very long lane, each made (deterministically), measured and removed.
# One thread. Frames are the slowest of all zooms at 200x60, best of five: processors, goroutines, threads.
#
#   CURVE_GO    dialects, one of each family by default
#   CURVE_SIZE  of the traces that don't grow in size (100M)
#   CURVE_ONLY  a pattern: only points whose label matches
#   CURVE_SHORT=1  the points of docs/SCALE.md (bench/scale)
[ -n "$CURVE" ] || exit 0
size=${CURVE_SIZE:-100M}
tmp=$DATA/curve.trace
sizes="10 100 1000" procs="1 10 100 1000 10000" short="1000 100000 1000000" lanes="1 10 100"
[ -z "$CURVE_SHORT" ] || { sizes="10 100 300" procs="1 100 1000" short=1000000 lanes=10; }
trap 'rm -f "$tmp"' EXIT

point() { # point LABEL GEN-TRACE'S ARGUMENTS..
    label=$1
    shift
    case $label in *${CURVE_ONLY:-}*) ;; *) return ;; esac
    "$BUILD/gen-trace" --go "$go" "$@" "$tmp" 2>/dev/null || exit 1
    "$BUILD/bench/model" -t 1 -n "${RUNS:-2}" -c "$label" "$tmp" || exit 1
}

for go in ${CURVE_GO:-1.26 1.21}; do
    printf '%-28s %7s %7s %7s %7s %7s %20s\n' "go $go" MB 'M ev' 'ns/ev' 'B/byte' 'byte/ev' 'ms a frame P, G, M'
    for mb in $sizes; do point "$mb MB" --size ${mb}M; done
    for p in $procs; do # ten goroutines each, so that all of them have something to do
        n=$((p * 10))
        [ $n -ge 1000 ] || n=1000
        point "$p processors" --size "$size" --procs $p --goroutines $n
    done
    for n in 1000 100000 1000000; do point "$n goroutines alive" --size "$size" --goroutines $n; done
    # About 45 bytes for one that is started, runs and ends; of the one lane about 5 bytes a span, and 2.8.
    for n in $short; do point "$n short-lived" --size $((n * 45)) --goroutines 100 --shape churn; done
    case $go in 1.2[2-9]) tenths=50 ;; *) tenths=28 ;; esac
    for n in $lanes; do point "$n million spans, one lane" --size $((n * tenths * 100))K --shape one; done
    echo
done
