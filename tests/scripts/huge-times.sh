#!/bin/sh
# huge-times.sh - goroutines whose waits add up to more than 2^63 ns: each command says something, none overflows (the
# sanitizers would tell).
. tests/scripts/common
gen=${TRACEGEN:-build/tracegen}
needs "$GOTOP" "$gen"
# make D - 38 goroutines wait, runnable, for D ns, then block for D; D a power of two
make() {
    awk -v D="$1" 'BEGIN {
        print "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running"
        print "UserTaskBegin +1 task=7 parent=0 name=\"big\" stack=main.t:1"
        for (g = 2; g < 40; g++) printf "GoCreate +5 new_g=%d new_stack=main.worker%d:30 stack=main.main:12\n", g, g % 3
        print "GoBlock +" D " reason=\"chan receive\" stack=main.main:14"
        for (g = 2; g < 40; g++)
            printf "GoStart +1 g=%d g_seq=1\nUserRegionBegin +1 task=7 name=\"r\" stack=main.r:2\nGoBlock +1 reason=\"sync\" stack=main.w:14\n", g
        print "GoUnblock +" D " g=1 g_seq=1\nGoStart +1 g=1 g_seq=2"
        for (g = 2; g < 40; g++) printf "GoUnblock +1 g=%d g_seq=2\n", g
        print "GoBlock +1 reason=\"select\" stack=main.main:15"
        for (g = 2; g < 40; g++)
            printf "GoStart +1 g=%d g_seq=3\nUserRegionEnd +1 task=7 name=\"r\"\nGoSyscallBegin +1 p_seq=%d stack=main.sys:3\nGoSyscallEnd +1000\nGoDestroy +1\n", g, g - 1
    }' | "$gen" encode >"$2"
}
try() { # try ARG.. - it ends, by itself, with a status of its own
    "$GOTOP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
    if [ $rc = 2 ] && grep -q 'no CPU samples are in it' "$tmp/err"; then rc=0; fi
    if { [ $rc = 0 ] || [ $rc = 3 ]; } && ! grep -q 'runtime error\|Sanitizer' "$tmp/err"; then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "FAILED (status $rc): $*"; head -n 12 "$tmp/err"; fi
}
make 1099511627776 "$tmp/40"; make 288230376151711744 "$tmp/58"; make 576460752303423488 "$tmp/59"
for f in "$tmp/40" "$tmp/58" "$tmp/59"; do
    try report "$f"; try report --json "$f"; try report --assert "busy.share<=100%" "$f"; try dump "$f"; try diff "$tmp/40" "$f"
    for k in net sync syscall sched cpu; do try pprof --kind $k -o "$tmp/p" "$f"; done
    for t in span proc_span thread_span goroutine wait range task region sample log frame; do try sql --csv "select * from $t" "$f"; done
    try sql --tsv --limit 0 -f docs/perfetto.sql "$f"
    try pprof --kind sync -o "$tmp/p" --from 10% "$f"
    for v in 1 2 3 4 5 6 7 8 9 flame; do try --headless --view $v --keys 'j Enter w w l l n' "$f"; done
done
finish
