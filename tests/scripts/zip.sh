#!/bin/sh
# zip.sh - traces in zip archives: found, named, listed; and archives that are damaged or lie.
. tests/scripts/common
needs "$GOTOP"
says() { grep -q "$1" "$tmp/err"; check $? 0 "says '$1'"; check "$(wc -l <"$tmp/err" | tr -d ' ')" 1 "in one line"; }

cp samples/http-1.27.trace "$tmp/new.out"; cp samples/http-1.21.trace "$tmp/old.out"; cp README.md "$tmp/README"
cd "$tmp" || exit 1
mkdir -p 'a dir:with'; cp old.out 'a dir:with/o.out'; gzip -c new.out >new.gz
"$GOTOP" dump new.out >new.dump; "$GOTOP" dump old.out >old.dump
zip -q one.zip README new.out; zip -q two.zip README new.out old.out; zip -q -0 stored.zip new.out README
zip -q -0 packed.zip new.gz README; zip -q none.zip README; zip -q -r deep.zip README 'a dir:with'
zip -q -P secret locked.zip new.out; cp two.zip no-name

same() { status 0 dump "$2"; cmp -s out "$1"; check $? 0 "$2 is the trace"; }
for a in one.zip one.zip:new.out two.zip:new.out stored.zip stored.zip:new.out packed.zip packed.zip:new.gz no-name:new.out; do
    same new.dump "$a"
done
for a in two.zip:old.out 'deep.zip' 'deep.zip:a dir:with/o.out'; do same old.dump "$a"; done
status 2 dump two.zip; says 'holds 2 traces'
# What reads many traces reads each of an archive, in a folder, too.
status 0 report --quiet two.zip; check "$(grep '^gotop report:' out | tr '\n' ' ')" "gotop report: two.zip:new.out gotop report: two.zip:old.out " "a page each"
status 0 sql --csv 'select count(*) from goroutine' two.zip; check "$(cut -d, -f1 out | tr '\n' ' ')" "trace two.zip:new.out two.zip:old.out " "sql asks each"
status 0 find --limit 0 --tsv 'dur>5ms' two.zip; check "$(cut -f7 out | sed 's/@.*//' | sort -u | tr '\n' ' ')" "two.zip:new.out two.zip:old.out " "find looks into each"
status 0 --headless "$(head -n 1 out | cut -f7)"
mkdir some; cp two.zip one.zip README some; status 0 sql --tsv 'select dur from trace' some; check "$(grep -c . out)" 4 "archives of a folder"
status 0 report --quiet one.zip; check "$(head -n 1 out)" "gotop report: one.zip" "of one trace its archive is the name"
status 2 report none.zip; says 'without a trace'
cat one.zip | "$GOTOP" report - >out 2>err; check $? 2 'from a pipe'; says 'zip archive in a pipe'
status 2 report two.zip:nothing; says 'no member nothing'
status 2 report two.zip:README; says 'not a Go execution trace'
status 2 report new.out:x; says 'no zip archive'
status 2 report locked.zip:new.out; says 'encrypted'
status 2 report locked.zip; says 'members: 1, encrypted: 1'
status 2 info locked.zip; says 'members: 1, encrypted: 1'
zip -q mixed.zip new.out old.out; zip -q -P secret mixed.zip README
status 2 info mixed.zip; says "holds 2 traces (1 more can't be looked into): open one as ARCHIVE:new.out"
status 0 sql --csv 'select dialect, dur, bytes from trace' two.zip; check "$(cut -d, -f1 out | tr '\n' ' ')" "trace two.zip:new.out two.zip:old.out " "both are listed"
status 0 info two.zip:new.out
status 0 slice --from 1ms --to 2ms -o part two.zip:new.out; status 0 report part
status 0 anonymize -o clean two.zip:new.out; status 0 report clean
cp two.zip keep.zip; status 2 slice --to 1ms -o two.zip two.zip:new.out; cmp -s two.zip keep.zip; check $? 0 "the archive is spared"

# Cut anywhere, or with bytes that lie: an answer, never a crash (129 and more) or a hang.
size=$(wc -c <two.zip)
for n in 1 4 21 22 30 100 1000 $((size / 2)) $((size - 300)) $((size - 100)) $((size - 23)) $((size - 1)); do
    head -c "$n" two.zip >cut.zip
    "$GOTOP" report cut.zip:new.out >out 2>err; rc=$?
    [ $rc -le 3 ] && [ $rc -gt 0 ]; check $? 0 "cut at $n: status $rc"
done
i=1
while [ $i -lt 60 ]; do # the directory stands in the last 200 bytes or so
    cp two.zip bad.zip
    printf '\377\377\377' | dd of=bad.zip bs=1 seek=$((size - i * 4)) conv=notrunc 2>/dev/null
    for a in bad.zip bad.zip:new.out; do
        "$GOTOP" report --quiet "$a" >out 2>err; rc=$?
        [ $rc -le 3 ]; check $? 0 "bytes at -$((i * 4)) of $a: status $rc"
    done
    "$GOTOP" info bad.zip >out 2>err; rc=$?
    [ $rc -le 3 ]; check $? 0 "info, bytes at -$((i * 4)): status $rc"
    i=$((i + 1))
done

finish
