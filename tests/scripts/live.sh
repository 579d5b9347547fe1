#!/bin/sh
# live.sh - what is shown and told of a program that is running, as a server on loopback plays it; how it is fetched: fetch.sh.
. tests/scripts/served

# A program that behaves: pictures, captures that are traces.
serve ok $long 20
run 0 top "$url"; says out 'GROUP'; says out 'main.'
run 0 watch --until 'stw.max>0ns' --max 1 -o "$tmp/cap" "$url"; says out 'because stw.max>0ns'
for f in "$tmp"/cap/*.trace; do run 0 report "$f"; says out 'FINDINGS'; done
run 0 watch --seconds 1 --until 'stw.max>3600s' -o "$tmp/cap" "$url"
if [ -s "$tmp/out" ]; then fail "a capture without a reason"; else pass; fi
# For machines: a line of JSON for each picture; metrics for who asks, also once the program has gone.
run 0 top --json "$url"; says out '"schema":"gotop.top/1"'; says out '"kind":"requests","name":"net/http.(*conn).serve"'
if [ "$(grep -c '^{.*}$' "$tmp/out")" = "$(wc -l <"$tmp/out")" ]; then pass; else fail "not a line each"; fi
run 0 top -n 1 "$url"; says out 'WORK '; says out 'requests '
run 2 top --prometheus 9090 "$url"; says err 'no place to listen'
serve ok $long 20
"$GOTOP" top --prometheus :0 "$url" >"$tmp/out" 2>"$tmp/err" &
top=$!; pids="$pids $top"
i=0; while ! grep -q '/metrics' "$tmp/err" && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done
at=$(sed -n 's/^gotop top: \(http.*\)/\1/p' "$tmp/err" | head -n 1)
i=0; while ! curl -s "$at" | grep -q 'work_duration_seconds_count' && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done
curl -s "$at" >"$tmp/out"
says out 'gotop_work_duration_seconds_bucket{kind="requests",work="net/http.(*conn).serve",le="+Inf"}'
says out '# TYPE gotop_sched_latency_seconds histogram'
if command -v promtool >/dev/null 2>&1; then promtool check metrics <"$tmp/out" >"$tmp/err2" 2>&1 && pass || fail "promtool: $(cat "$tmp/err2")"; fi
kill $top; wait $top; got=$?
if [ $got = 0 ]; then pass; else fail "top --prometheus: $got"; fi
# A URL where a file's name goes: what is said of it is what is said of the file.
serve ok $long
for c in report info; do
    "$fast" $c $long >"$tmp/a" 2>"$tmp/err"; "$GOTOP" $c "$url" >"$tmp/b" 2>"$tmp/err"
    sed -i "1d; s/ (as it is)//" "$tmp/a"; sed -i 1d "$tmp/b"; same "$tmp/a" "$tmp/b"
done
run 0 report --json --assert 'request.count>100' "http://me:secret@$at"; says out '"held": true'
if grep -q secret "$tmp/out" "$tmp/err"; then fail "a password is printed"; else pass; fi
run 0 diff $long "$url"; says out 'no meaningful change'
run 0 diff "$url" "http://$at"; says out 'no meaningful change'
run 0 sql "select 'so many', count(*) from goroutine where name like 'main.%'" "$url"; says out 'so many'
run 0 explain "$url" g13; says out 'main.customer'
run 0 find 'dur>10ms' "$url"; says out 'main.customer'
for c in "pprof --kind sync" dump; do
    "$fast" $c $long >"$tmp/a" 2>"$tmp/err"; "$GOTOP" $c "$url" >"$tmp/b" 2>"$tmp/err"; same "$tmp/a" "$tmp/b"
done
run 0 slice --from 100ms -o "$tmp/cut" "$url"; "$fast" slice --from 100ms -o "$tmp/cut2" $long 2>"$tmp/err"; same "$tmp/cut" "$tmp/cut2"
run 2 slice --from 10% -o "$tmp/cut" "$url"; says err 'needs a file'
run 2 report 127.0.0.1:1; says err 'report: 127.0.0.1:1: '
serve busy $long; run 2 report "$url"; says err '500: Could not enable tracing'
serve break $long; "$GOTOP" report "$url" >"$tmp/out" 2>"$tmp/err"; got=$?
if [ $got = 2 ] || [ $got = 3 ]; then pass; else fail "a connection that breaks: $got"; fi
serve stall $long; run 3 info --stall-timeout 3 "$url"; says out 'nothing came for 3s' # its first half has come by then
serve ok $older 5; run 0 top -n 1 "$url"; says out 'go 1.23'

# What is held all through is the whole trace; a window of it is a trace of its own.
mkdir "$tmp/all"
run 0 watch --until 'gc.cycles<0' --until 'stw.max>=0ns' --after 1h --keep 1h --max 1 -o "$tmp/all" "$url"
for f in "$tmp"/all/*.trace; do
    "$fast" dump "$f" >"$tmp/a" 2>/dev/null; "$GOTOP" dump $older >"$tmp/b" 2>/dev/null
    same "$tmp/a" "$tmp/b"
done

# Standard input, a file that grows, gzip on the way.
"$GOTOP" top - <$long >"$tmp/out" 2>"$tmp/err" && pass || fail "top -"
says out 'GROUP'
gzip -c $long >"$tmp/z.gz"; serve ok "$tmp/z.gz"; run 0 top "$url"; says out 'main.'
head -c 100000 $long >"$tmp/grow"
"$GOTOP" top -n 1 "$tmp/grow" >"$tmp/out" 2>"$tmp/err" &
pid=$!
tail -c +100001 $long >>"$tmp/grow"
wait $pid && pass || fail "a file that grows"
says out 'GROUP'

# The viewer: at its end a stream shows what the file shows.
for v in '--view 2' '--lane g17' '--view 4' '--view 9'; do # unquoted below: two words
    "$fast" --headless --at 500ms..1.5s $v $long 2>"$tmp/err" | tail -n +2 >"$tmp/a"
    "$GOTOP" --headless --follow --at 500ms..1.5s $v - <$long 2>"$tmp/err" | tail -n +2 >"$tmp/b"
    serve ok $long
    "$GOTOP" --headless -o "$tmp/raw" --at 500ms..1.5s $v "$url" 2>"$tmp/err" | tail -n +2 >"$tmp/c"
    sed -i '$d' "$tmp/a"; sed -i '$d' "$tmp/b"; sed -i '$d' "$tmp/c" # that it has ended stands in the last line
    [ -s "$tmp/a" ] || fail "$v is empty"
    same "$tmp/a" "$tmp/b"; same "$tmp/a" "$tmp/c"; same "$tmp/raw" $long
done
# So do tables, which stand still while they are read: the second half comes when they are there.
for v in 1 5 6 10 pieces waits-for; do
    "$fast" --headless --at 100ms..400ms --view $v $long 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/a"
    { head -c 60000 $long; sleep 0.5; tail -c +60001 $long; } |
        "$GOTOP" --headless --follow --at 100ms..400ms --view $v - 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/b"
    same "$tmp/a" "$tmp/b"
done
# Of one in which nothing can be read that is said, as of a file.
printf 'go 1.22 trace\000\000\000\001\00100\205\000\0310000\001\00100\210\000\0100000000' >"$tmp/refused"
"$GOTOP" --headless --follow - <"$tmp/refused" >"$tmp/out" 2>"$tmp/err"; got=$?
if [ $got = 2 ]; then pass; else fail "nothing to be read: $got"; fi
says err 'expected frequency'
run 2 "$url"; says err 'gotop top'
run 2 --headless --follow "$tmp/absent"

# Too short for anything to be seen in it: that is said, as it is if nothing can be written.
head -c 9000 $long >"$tmp/short"; serve ok "$tmp/short"
run 2 top "$url"; says err 'before the first second of it was complete'
run 2 watch --seconds 1 --until 'stw.max>0ns' -o "$tmp/cap" "$url"; says err 'before the first second of it was complete'
if [ -e /dev/full ]; then
    serve ok $long
    "$GOTOP" top "$url" >/dev/full 2>"$tmp/err"; got=$?
    if [ $got = 2 ]; then pass; else fail "top, a full disk: $got"; fi
    says err 'standard output: No space'
    "$GOTOP" watch --until 'goroutines>0' --max 1 -o "$tmp/cap" "$url" >/dev/full 2>"$tmp/err"; got=$?
    if [ $got = 2 ]; then pass; else fail "watch, a full disk: $got"; fi
    says err 'standard output: No space'
fi

# A line that is slower than the trace: what comes is late, and that is said. Of what comes faster than it happened nothing is.
mkdir "$tmp/late"
serve slow $long 200; slow=$url
"$GOTOP" watch --seconds 1 --until 'gc.cycles<0' -o "$tmp/late" "$slow" >"$tmp/late/out" 2>"$tmp/late/err" &
pid=$!
"$GOTOP" --headless --follow -o "$tmp/late/raw" "$slow" >"$tmp/late/shown" 2>&1 &
other=$!
run 0 top "$slow"; says out 's late'
wait $pid; cp "$tmp/late/err" "$tmp/err"; says err 'the line is slower than the trace'
wait $other; cp "$tmp/late/shown" "$tmp/out"; says out 'ENDED'
serve ok $long; run 0 top "$url"
if grep -q late "$tmp/out"; then fail "late, though it was fast"; else pass; fi

# Broken bytes in the middle: that generation is damaged, the others are as they were, for who looks on and for who looks back.
size=$(wc -c <$long)
cp $long "$tmp/hurt"
dd if=/dev/zero of="$tmp/hurt" bs=1 seek=$((size * 2 / 5)) count=64 conv=notrunc 2>/dev/null
"$GOTOP" top - <"$tmp/hurt" >"$tmp/out" 2>"$tmp/err" && pass || fail "top of broken bytes" # a file waits for each picture
n=$(grep -c '^GROUP' "$tmp/out")
if [ "$n" -ge 2 ]; then pass; else fail "$n pictures"; fi
serve ok "$tmp/hurt" 5
run 0 top "$url"; says out 'GROUP'
run 0 --headless --view 2 "$url"; says out 'ENDED'; says out 'PARTIAL'; says out '2.753s'
for v in '--view 2' '--lane g17'; do
    "$fast" --headless --at 500ms..1.5s $v "$tmp/hurt" 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/a"
    "$GOTOP" --headless --at 500ms..1.5s $v "$url" 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/b"
    same "$tmp/a" "$tmp/b"
done
# Where it ends, and what is unsure of it, what comes later may say: at the end of the stream it is as of the file.
for f in samples/lock-cpu-1.27.trace $long; do
    cp "$f" "$tmp/torn"
    dd if=/dev/zero of="$tmp/torn" bs=1 seek=$(($(wc -c <"$f") / 5)) count=64 conv=notrunc 2>/dev/null
    "$fast" --headless --view 5 "$tmp/torn" 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/a"
    { cat "$tmp/torn"; sleep 0.5; } | "$GOTOP" --headless --follow --view 5 - 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/b"
    [ -s "$tmp/a" ] || fail "$f is empty"
    same "$tmp/a" "$tmp/b"
done
mkdir "$tmp/sound"
run 0 watch --until 'gc.cycles<0' --until 'stw.max>=0ns' --after 1h --keep 1h --max 1 -o "$tmp/sound" "$url"
for f in "$tmp"/sound/*.trace; do run 0 info "$f"; done # exit 3 where something is damaged

# Captures that can't be written are said, and it goes on.
serve ok $long 5
mkdir "$tmp/full"
(ulimit -f 8; exec "$GOTOP" watch --seconds 1 --until 'stw.max>=0ns' -o "$tmp/full" "$url") >"$tmp/out" 2>"$tmp/err"
got=$?
if [ $got = 2 ] && [ -z "$(ls "$tmp/full")" ]; then pass; else fail "no room: $got, $(ls "$tmp/full")"; fi
says err 'gotop watch:'
# A full disk ends no following: all that comes is shown, and at the end it is said that the file lacks some.
(ulimit -f 8; exec "$GOTOP" --headless --view 2 -o "$tmp/full/raw" "$url") >"$tmp/out" 2>"$tmp/err"
got=$?
if [ $got = 2 ]; then pass; else fail "following, a full disk: $got"; fi
says out 'ENDED NOT SAVED'; says out '2.753s'; says err 'raw can'"'"'t be written any further: '; rm -f "$tmp/full/raw"
# A disk that stays full is told as often as the failures double.
"$GENTRACE" --size 3M --gens 60 "$tmp/small" 2>/dev/null; serve slow "$tmp/small" 50
(ulimit -f 8; exec "$GOTOP" watch --seconds 1 --until 'goroutines>0' -o "$tmp/full" "$url") >"$tmp/out" 2>"$tmp/err"
says err ' captures in a row)'
n=$(grep -c 'write to' "$tmp/err")
if [ "$n" -le 7 ]; then pass; else fail "a full disk is told $n times"; fi
serve ok $long
kill -STOP $server # which answers nobody until the folder is gone
mkdir "$tmp/gone"
"$GOTOP" watch --seconds 1 --until 'stw.max>=0ns' -o "$tmp/gone" "$url" >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_client $pid # it has looked at the folder
rmdir "$tmp/gone"; kill -CONT $server; wait $pid; got=$?
if [ $got = 2 ]; then pass; else fail "a folder that went away: $got"; fi
says err 'No such file'
run 2 watch --until 'stw.max>0' -o "$tmp/none/none" "$url"; says err 'No such file'
echo mine >"$tmp/r"
run 2 watch --until 'stw.max>0' -o "$tmp/r" "$url"; says err 'is no folder'
run 2 watch --until 'stw.max>>1' -o "$tmp" "$url"; says err 'METRIC<VALUE'
run 2 watch --until 'stw.maxx>1ms' -o "$tmp" "$url"; says err "no metric named 'stw.maxx'" # it would never come true
run 2 watch --until 'stw.max>1' -o "$tmp" "$url"; says err 'stw.max is a time: 5us, 1ms, 2s'
run 2 watch --until 'stw.max>1ms' "$url"; says err 'o DIR: is missing'
run 2 record "$url"; says err 'o FILE: is missing'

# A finding as a reason; --max ends it; names are times of day, lines say why.
serve ok samples/lock-cpu-1.27.trace 5
mkdir "$tmp/by"
run 0 watch --until lock-convoy --until 'goroutines>0' --max 1 -o "$tmp/by" "$url"
if grep -Eq '^20..-..-..T..:..:..\....Z captured .*/gotop-20......T......\....Z\.trace .* because ' "$tmp/out"; then pass; else fail "the line of a capture"; fi
if [ "$(ls "$tmp"/by/*.trace | wc -l)" = 1 ]; then pass; else fail "--max 1"; fi

# Many goroutines: who has waited long is still there (view 11), while it grows and at its end as in the file.
if [ -x "$GENTRACE" ]; then
    "$GENTRACE" --size 6M --gens 6 --slow 4 "$tmp/many" 2>/dev/null
    for v in 'view-top' 'view-processors sums'; do
        "$GOTOP" --headless --at 1.2s --keys "$v" "$tmp/many" 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/a"
        serve slow "$tmp/many" 10
        "$GOTOP" --headless --at 1.2s --keys "$v" "$url" 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/b"
        [ -s "$tmp/a" ] || fail "$v is empty"
        same "$tmp/a" "$tmp/b"
    done
fi

# More than is kept: memory stays below --keep SIZE and 40 MB. Of a file nothing is lost; of what comes faster than it can be decoded
# something is, and that is said.
fast=${GOTOP_FAST:-$GOTOP}
bounded() { # bounded LIMIT_KIB ARG..
    limit=$1; shift
    "$PEAK" "$fast" --headless --size 200x24 --view 2 "$@" >"$tmp/out" 2>"$tmp/err"
    kib=$(sed -n 's/^peak: \([0-9]*\) KiB, exit 0$/\1/p' "$tmp/err")
    if [ "${kib:-9999999}" -lt "$limit" ]; then pass; else fail "gotop $*: $kib KiB"; fi
}
"$GENTRACE" --size 60M --gens 40 "$tmp/large" 2>/dev/null
moment() { sed -n 's/^ *\([0-9:.]*\) .*/\1/;2p' "$1"; } # of the cursor, by the time of day
"$fast" --headless --size 200x24 --view 2 --keys 'goto-end clock' "$tmp/large" >"$tmp/a" 2>/dev/null
bounded $((104 * 1024)) --keys clock --follow --keep 64M - <"$tmp/large"
if grep -q 'LEFT OUT' "$tmp/out"; then fail "of a file something is lost"; else pass; fi
if [ -n "$(moment "$tmp/a")" ] && [ "$(moment "$tmp/a")" = "$(moment "$tmp/out")" ]; then pass; else fail "not the end"; fi
bounded $((120 * 1024)) --follow --keep 80M - <"$tmp/large"
serve rate "$tmp/large" 2000
bounded $((104 * 1024)) --keep 64M "$url"
says out 'LEFT OUT'; says out ENDED

# Nobody reads top's lines (less, a terminal that hangs): neither does the program wait nor is all it sends held, and that is
# said in the picture behind the gap, or at the end where the gap reaches that far.
mkfifo "$tmp/lines"
"$GENTRACE" --size 150M --gens 60 "$tmp/larger" 2>/dev/null # top keeps 64 MB, and shows some before it finds nobody reading
serve rate "$tmp/larger" 2000
exec 7<>"$tmp/lines"
head -c 65536 /dev/zero >&7
"$fast" top "$url" >&7 2>"$tmp/err" 7>&- &
pid=$!
if until_sent; then pass; else fail "top holds the program up"; fi
cat "$tmp/lines" >"$tmp/out" 7>&- &
reader=$!
exec 7>&-
wait $pid; wait $reader
said=$(sed -n 's/^\([0-9.]*[KMG]\) of trace .* this were left out.*: there was no time to show it$/\1/p' "$tmp/out" | head -n 1)
if [ -n "$said" ]; then pass; else fail "top says nothing of what was left out"; fi

finish
