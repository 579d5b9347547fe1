#!/bin/sh
# joint.sh - several files of one program on one command line (decode/input/joint.h); test_joint holds what they say.
. tests/scripts/common
needs "$GOTOP"
says() { grep -q "$1" "$tmp/err"; check $? 0 "says '$1'"; }
prints() { grep -q "$1" "$tmp/out"; check $? 0 "prints '$1'"; }

cp samples/*.trace "$tmp/"; cd "$tmp" || exit 1
whole=http-long-1.27.trace
# Its generations, each a file: the header, then its bytes.
"$GOTOP" info $whole | awk '/^GENERATIONS/ { on = 1; next } on && $1 + 0 > 0 { print $1, $2, $3; next } /^[A-Z]/ { on = 0 }' >gens
n=0
while read -r n off size; do
    { head -c 16 $whole; tail -c +$((off + 1)) $whole | head -c "$size"; } >gen-$n.trace
done <gens
n=$(wc -l <gens | tr -d ' ')
check $n 3 "generations of the sample"
gzip -k gen-2.trace; zip -q gen.zip gen-3.trace

"$GOTOP" dump $whole >whole.dump
status 0 dump gen-3.trace gen-1.trace gen-2.trace; cmp -s out whole.dump; check $? 0 "three files in any order are the trace"
status 0 dump gen.zip:gen-3.trace gen-1.trace gen-2.trace.gz $whole; cmp -s out whole.dump; check $? 0 "compressed, and twice"
status 0 report --timeline gen-1.trace gen-2.trace gen-3.trace
"$GOTOP" report $whole | tail -n +2 >want; tail -n +2 out | cmp -s - want; check $? 0 "the report is that of the whole"
status 0 report gen-1.trace gen-2.trace; check "$(grep -c '^gotop report: ' out)" 2 "without --timeline a page each"
status 0 --headless --view 2 gen-1.trace gen-2.trace gen-3.trace; prints 'gen-1.trace and 2 more'
status 0 gen-1.trace gen-2.trace gen-3.trace; tail -n +2 out | cmp -s - want; check $? 0 "without a terminal: the report of all"
status 0 info gen-1.trace gen-2.trace gen-3.trace; prints 'GENERATIONS  3'
status 0 slice --from 0.5s --to 2.5s -o part gen-1.trace gen-2.trace gen-3.trace
"$GOTOP" slice --from 0.5s --to 2.5s -o want $whole; cmp -s part want; check $? 0 "the slice is that of the whole"
cp gen-2.trace keep; status 2 slice --to 1s -o gen-2.trace gen-1.trace gen-2.trace; cmp -s gen-2.trace keep; check $? 0 "none is written over"
status 0 anonymize -o clean gen-1.trace gen-2.trace gen-3.trace; status 0 report clean

# One is missing: that time is not recorded.
status 0 report --timeline gen-1.trace gen-3.trace; prints 'WARNING: from .* s to .* s nothing was recorded'; prints 'not recorded'
status 0 info gen-1.trace gen-3.trace; prints 'nothing was recorded'
status 0 --headless --view 3 --at 0.9s..2.1s gen-1.trace gen-3.trace; prints 'not recorded'
for v in 1 2 3 4 5 6 7 8 9 flame; do status 0 --headless --view $v gen-1.trace gen-3.trace; done
status 3 slice --from 0.5s --to 2.5s -o part gen-1.trace gen-3.trace; says 'written up to .* s, where the trace is damaged: nothing was recorded between'
status 0 slice --from 0.5s --to 0.9s -o part gen-1.trace gen-3.trace
"$GOTOP" slice --from 0.5s --to 0.9s -o want gen-1.trace; cmp -s part want; check $? 0 "before it: as of that file alone"
status 0 slice --from 2.1s -o part gen-1.trace gen-3.trace; status 0 report part
status 2 anonymize -o clean2 gen-1.trace gen-3.trace; says 'one by one'

# What makes no timeline.
status 2 dump http-1.26.trace lock-1.26.trace; says 'no thread in common'
status 2 dump http-1.26.trace http-1.25.trace; says 'two programs'
status 2 dump http-1.21.trace http-1.19.trace; says 'before Go 1.22'
status 2 --headless http-1.26.trace lock-1.26.trace http-1.27.trace; says 'two programs'
status 2 dump gen-1.trace nowhere.trace; says 'nowhere.trace: '
status 2 --headless --follow gen-1.trace gen-2.trace; says 'one program at a time'
finish
