#!/bin/sh
# bounded.sh - --bytes: what any command prints ends with a whole line within so many bytes; what is left out is said.
. tests/scripts/common
needs "$GOTOP"
t=samples/http-1.27.trace
size() { wc -c <"$1" | tr -d ' '; }

for c in "report $t" "report $t $t" "explain $t g42" "info $t" "dump $t" "sql --limit 0 select*from(wake) $t" "sql --csv select*from(wake) $t" \
    "find dur>1us $t" "diff $t samples/http-1.26.trace" "--headless $t" "agents"; do
    "$GOTOP" $c >"$tmp/whole" 2>/dev/null; code=$?
    status $code $c --bytes 700
    [ "$(size "$tmp/out")" -le 700 ] && [ "$(size "$tmp/out")" -gt 0 ]; check $? 0 "$c: at most 700 bytes"
    head -c "$(size "$tmp/out")" "$tmp/whole" | cmp -s - "$tmp/out"; check $? 0 "$c: they are the first ones"
    check "$(tail -c 1 "$tmp/out" | od -An -tx1 | tr -d ' ')" 0a "$c: whole lines"
    check "$(sed -n 's/^gotop: \([0-9]*\) bytes more are left out.*/\1/p' "$tmp/err")" $(($(size "$tmp/whole") - $(size "$tmp/out"))) "$c: the rest is counted"
    status $code $c --bytes=10M; cmp -s "$tmp/out" "$tmp/whole"; check $? 0 "$c: all where there is room"; grep -q 'left out' "$tmp/err"; check $? 1 "$c: silent then"
done
status 0 report --bytes 0 $t; check "$(size "$tmp/err")" 0 "0: all"
# A part of JSON would be none.
status 2 report --json --bytes 700 $t; check "$(size "$tmp/out")" 0 "JSON isn't cut"; grep -q "can't be cut" "$tmp/err"; check $? 0 "which is said"
status 0 report --json --bytes 1M $t; "$GOTOP" report --json $t | cmp -s - "$tmp/out"; check $? 0 "JSON that fits"
status 2 report --bytes much $t; status 2 report --bytes
# What is read isn't written over; a reader may have enough; a disk may be full.
cp $t "$tmp/in"; "$GOTOP" report --bytes 700 "$tmp/in" >>"$tmp/in" 2>"$tmp/err"; check $? 2 "the trace as output"; cmp -s $t "$tmp/in"; check $? 0 "is spared"
"$GOTOP" dump --bytes 1M $t 2>"$tmp/err" | head -n 1 >"$tmp/out"; check "$(size "$tmp/err")" 0 "a reader who has enough"
[ ! -w /dev/full ] || { "$GOTOP" report --bytes 700 $t >/dev/full 2>"$tmp/err"; check $? 2 "a full disk"; }
finish
