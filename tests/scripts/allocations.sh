#!/bin/sh
# allocations.sh - every allocation fails once, ours and the libraries': a message and a status, or all that was asked for.
# Sampled: the first of them one by one, later ones further and further apart; once alone, once with all behind it.
. tests/scripts/common
fast=${GOTOP_FAST:-build/gotop}
so=${BUILD:-build}/failing.so
needs "$fast"
[ -f "$so" ] || { echo "$so was not built"; exit 1; }
case $so in /*) ;; *) so=$PWD/$so ;; esac
new=samples/http-1.26.trace old=samples/tasks-1.27.trace
gzip -c $new >"$tmp/x.gz"; zstd -q -c $new >"$tmp/x.zst"
err=
fail() { failed=$((failed + 1)); echo "FAILED: $*"; [ ! -f "$err" ] || head -n 3 "$err"; }
control=$(printf '[\001-\010\013-\037\177]')
# A function and no `env`: more than a thousand times it is one program and not three.
refusing() { if [ "$on" ]; then FAIL_AT=$n FAIL_ON=1 LD_PRELOAD=$so "$fast" "$@"; else FAIL_AT=$n LD_PRELOAD=$so "$fast" "$@"; fi; }
series() { # series ARG.. - the command
    all=$(FAIL_FD=9 LD_PRELOAD=$so "$fast" "$@" 9>&1 >"$tmp/whole" 2>/dev/null </dev/null | tail -n 1)
    [ "${all:-0}" -gt 20 ] || { fail "$*: nothing was counted"; return; }
    mkdir "$tmp/err"
    for on in '' yes; do
        n=1
        while [ "$n" -le "$all" ]; do
            err=$tmp/err/${on:+and-on-}$n
            refusing "$@" >"$tmp/out" 2>"$err" </dev/null
            rc=$?
            if [ $rc -gt 3 ]; then fail "$*: allocation $n${on:+ and on}: status $rc"
            elif [ $rc = 0 ] && [ ! -s "$err" ] && ! cmp -s "$tmp/out" "$tmp/whole"; then
                fail "$*: allocation $n${on:+ and on}: something else comes out, and nothing is said"
            elif [ $rc != 0 ] && [ ! -s "$err" ]; then fail "$*: allocation $n${on:+ and on}: status $rc without a word"
            else passed=$((passed + 1)); fi
            n=$((n < 20 ? n + 1 : n + n / 4))
        done
    done
    said=$(cd "$tmp/err" && LC_ALL=C grep -la "$control" -- *)
    [ -z "$said" ] || fail "$*: control bytes at the allocations" $said
    rm -rf "$tmp/err"
}
series report $new; series --headless --threads 1 $new
series report --json $new
series report "$tmp/x.gz"
series report "$tmp/x.zst"
series --headless --view 3 --keys 'j Enter' $new
series --headless --view 1 $new
series dump $new
series sql --csv --limit 0 'select * from span' $new
series sql "select name, p(50, dur), hist(dur) from span group by name order by 2" $new
series pprof --kind sync -o "$tmp/p" $new
series diff $new $old
series info --json $new
series explain --json $old slowest:task:order
series slice --from 20% --to 60% -o "$tmp/p" $new
series anonymize -o "$tmp/p" $old
finish
