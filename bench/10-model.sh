#!/bin/sh
# 10-model.sh - decode speed, memory, search and frames of each trace, with one thread and with two; and, in the same
# run, Go's own reader where GOCOUNT names a program that reads all events of a trace with it and counts them. It says
# so as "N events, .. N Mevents/s".

# instructions TRACE - of the load of its first generation (first family: 3 MB), by callgrind; of each source file, what is inlined from headers by
# the header (emmintrin.h: vectors of pack.c). Where the machine counts them itself (model says so) this is for the files alone.
instructions() {
    if ! command -v valgrind >/dev/null; then
        echo "instructions by source file: not measurable here (no valgrind)"
        return
    fi
    bytes=$("$BUILD/bench/mix" -h "$1")
    [ "$bytes" -le 24000000 ] || { echo "instructions by source file: not measured, the first generation has $bytes bytes"; return; }
    head -c "$bytes" "$1" >"$tmp/head"
    for n in 0 1; do
        valgrind --tool=callgrind --callgrind-out-file="$tmp/cg" "$BUILD/bench/model" -t 1 -l -n $n "$tmp/head" \
            2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
    done >"$tmp/refs"
    events=$("$GOTOP" dump "$tmp/head" 2>/dev/null | sed -n 's/^H	events	//p')
    [ -n "$events" ] && [ "$(wc -l <"$tmp/refs")" = 2 ] || { echo "instructions: not measurable here"; return; }
    awk -v events="$events" 'NR == 1 { base = $1 } END {
        printf "instructions: %.1f an event (%d events under callgrind), by file:", ($1 - base) / events, events }' "$tmp/refs"
    callgrind_annotate --threshold=100 "$tmp/cg" 2>/dev/null | sed -n 's|^ *\([0-9,]*\) (.*)  \([^ :]*\):.*|\1 \2|p' | awk -v events="$events" '
        { gsub(",", "", $1); n = $2; if (n == "PROGRAM") next; sub(".*/", "", n); sum[n] += $1 }
        END { for (n in sum) if (sum[n] / events >= 1) printf "%.1f %s\n", sum[n] / events, n }' | sort -rn |
        awk '{ printf " %s %s%s", $2, $1, "," } END { print "" }' | sed 's/,$//'
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for trace in $TRACE; do
    if [ -n "$GOCOUNT" ]; then
        printf "Go's reader: "
        "$GOCOUNT" "$trace" | tee "$tmp/go"
        echo
    fi
    for threads in 1 2; do
        "$BUILD/bench/model" -t $threads -n "${RUNS:-3}" "$trace" >"$tmp/out" || exit 1
        cat "$tmp/out"
        if [ $threads = 1 ]; then instructions "$trace"; fi
        if [ -n "$GOCOUNT" ]; then
            go=$(sed -n 's/.* \([0-9.]*\) Mevents.*/\1/p' "$tmp/go")
            awk -v go="$go" '/^model:/ { for (i = 2; i < NF; i++) if ($(i + 1) == "M") if (go > 0)
                printf "against Go'\''s reader: %.2f times its events a second\n", $i / go }
                /^file to findings:/ { printf "against Go'\''s reader, to the findings: %.2f times its events a second\n", $(NF - 2) / go }' "$tmp/out"
        fi
        echo
    done
    mb=$(($(wc -c <"$trace") / 10000000)) # a tenth of the file
    [ $mb -ge 20 ] || mb=20
    "$BUILD/bench/model" -t 2 -n 1 -m $mb "$trace" || exit 1
    echo
done
