#!/bin/sh
# live.sh - a program that is running, as a server on loopback plays it: well, and in every way it may go wrong. VIA=http://a:b@ has
# curl fetch what gotop's own client would (live-curl.sh): URLs with a password are curl's.
GOTOP=${GOTOP:-build/gotop}
SERVE=${SERVE:-${BUILD:-build}/serve}
PEAK=${PEAK:-${BUILD:-build}/peak}
GENTRACE=${GENTRACE:-${BUILD:-build}/gen-trace}
for p in "$GOTOP" "$SERVE" "$PEAK" "$GENTRACE"; do [ -x "$p" ] || { echo "$p was not built"; exit 1; }; done
command -v curl >/dev/null 2>&1 || { echo "curl is not installed"; exit 1; }
tmp=$(mktemp -d) || exit 1
pids=
cleanup() { for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"; }
trap cleanup EXIT
export LC_ALL=C.UTF-8
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
long=samples/http-long-1.27.trace older=samples/http-long-1.23.trace old=samples/http-1.21.trace
passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; head -n 8 "$tmp/out" "$tmp/err"; }
serve() { # serve MODE FILE [PAUSE] - $url is where
    rm -f "$tmp/port"
    "$SERVE" "$@" >"$tmp/port" 2>"$tmp/serve.err" &
    pids="$pids $!"
    i=0; while [ ! -s "$tmp/port" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
    at=127.0.0.1:$(cat "$tmp/port") url=${VIA:-}127.0.0.1:$(cat "$tmp/port")
}
client_of() { # client_of PID - who fetches for it: the clerk has started it
    ps -eo pid,ppid | awk -v p="$1" '{ up[$1] = $2 } END { for (x in up) if (up[up[x]] == p) print x }'
}
until_client() { # until_client PID - $client is it
    client=; i=0
    while [ -z "$client" ] && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; client=$(client_of "$1"); done
}
run() { # run STATUS ARG.. - its_path: what it finds programs in
    want=$1; shift
    PATH=${its_path:-$PATH} "$GOTOP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = "$want" ]; then pass; else fail "gotop $*: $got, not $want"; fi
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177\233]')" "$tmp/out" "$tmp/err"; then fail "gotop $*: control bytes"; fi
}
says() { # says FILE TEXT
    if grep -qF -- "$2" "$tmp/$1"; then pass; else fail "'$2' isn't said"; fi
}
same() { # same FILE FILE - where they aren't, in which lines
    if cmp -s "$1" "$2"; then pass; return; fi
    fail "$1 and $2 differ"
    diff -a "$1" "$2" | head -n 40 | cut -c1-300
}

# A program that behaves: pictures, a file as sent, captures that are traces.
serve ok $long 20
run 0 top "$url"; says out 'GROUP'; says out 'main.'
run 0 record -o "$tmp/r" "$url"; same "$tmp/r" $long
run 0 record --quiet -o "$tmp/r2" "${VIA:-http://}$at/some/proxy/debug/pprof/"; same "$tmp/r2" $long
if [ -e /dev/full ]; then
    run 2 record --quiet -o /dev/full "$url"; says err "can't write to /dev/full: "
    if [ "$(grep -o /dev/full "$tmp/err" | wc -l)" = 1 ]; then pass; else fail "a full disk's file is named twice"; fi
fi
run 0 watch --until 'stw.max>0ns' --max 1 -o "$tmp/cap" "$url"; says out 'because stw.max>0ns'
for f in "$tmp"/cap/*.trace; do run 0 report "$f"; says out 'FINDINGS'; done
run 0 watch --seconds 1 --until 'stw.max>3600s' -o "$tmp/cap" "$url"
if [ -s "$tmp/out" ]; then fail "a capture without a reason"; else pass; fi
printf '#!/bin/sh\ncp "$1" "$1.copy"\n' >"$tmp/copy"; chmod +x "$tmp/copy"; mkdir "$tmp/one"
run 0 watch --until 'stw.max>=0ns' --max 1 --exec "$tmp/copy" -o "$tmp/one" "$url"
i=0; while [ -z "$(find "$tmp/one" -name '*.copy' -size +1k)" ] && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done
if [ $i -lt 600 ]; then pass; else fail "--exec did not run"; fi
run 2 watch --until 'stw.max>=0ns' --max 1 --exec "$tmp/absent" -o "$tmp/one" "$url"; says err 'No such file'
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
    "$GOTOP" $c $long >"$tmp/a" 2>"$tmp/err"; "$GOTOP" $c "$url" >"$tmp/b" 2>"$tmp/err"
    sed -i "1d; s/ (as it is)//" "$tmp/a"; sed -i 1d "$tmp/b"; same "$tmp/a" "$tmp/b"
done
run 0 report --json --assert 'request.count>100' "http://me:secret@$at"; says out '"held": true'
if grep -q secret "$tmp/out" "$tmp/err"; then fail "a password is printed"; else pass; fi
run 0 diff $long "$url"; says out 'no meaningful change'
run 0 diff "$url" "${VIA:-http://}$at"; says out 'no meaningful change'
run 0 sql "select 'so many', count(*) from goroutine where name like 'main.%'" "$url"; says out 'so many'
run 0 explain "$url" g13; says out 'main.customer'
run 0 find 'dur>10ms' "$url"; says out 'main.customer'
for c in "csv waits" folded dump; do
    "$GOTOP" $c $long >"$tmp/a" 2>"$tmp/err"; "$GOTOP" $c "$url" >"$tmp/b" 2>"$tmp/err"; same "$tmp/a" "$tmp/b"
done
run 0 slice --from 100ms -o "$tmp/cut" "$url"; "$GOTOP" slice --from 100ms -o "$tmp/cut2" $long 2>"$tmp/err"; same "$tmp/cut" "$tmp/cut2"
run 2 slice --from 10% -o "$tmp/cut" "$url"; says err 'needs a file'
run 2 report 127.0.0.1:1; says err 'report: 127.0.0.1:1: '
serve busy $long; run 2 report "$url"; says err '500: Could not enable tracing'
serve break $long; "$GOTOP" report "$url" >"$tmp/out" 2>"$tmp/err"; got=$?
if [ $got = 2 ] || [ $got = 3 ]; then pass; else fail "a connection that breaks: $got"; fi
serve stall $long; run 3 info --stall-timeout 1 "$url"; says out 'nothing came for 1s'
serve ok $older 5; run 0 top -n 1 "$url"; says out 'go 1.23'

# What is held all through is the whole trace; a window of it is a trace of its own.
mkdir "$tmp/all"
run 0 watch --until 'gc.cycles<0' --until 'stw.max>=0ns' --after 1h --keep 1h --max 1 -o "$tmp/all" "$url"
for f in "$tmp"/all/*.trace; do
    "$GOTOP" dump "$f" >"$tmp/a" 2>/dev/null; "$GOTOP" dump $older >"$tmp/b" 2>/dev/null
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
    "$GOTOP" --headless --at 500ms..1.5s $v $long 2>"$tmp/err" | tail -n +2 >"$tmp/a"
    "$GOTOP" --headless --follow --at 500ms..1.5s $v - <$long 2>"$tmp/err" | tail -n +2 >"$tmp/b"
    serve ok $long
    "$GOTOP" --headless -o "$tmp/raw" --at 500ms..1.5s $v "$url" 2>"$tmp/err" | tail -n +2 >"$tmp/c"
    sed -i '$d' "$tmp/a"; sed -i '$d' "$tmp/b"; sed -i '$d' "$tmp/c" # that it has ended stands in the last line
    [ -s "$tmp/a" ] || fail "$v is empty"
    same "$tmp/a" "$tmp/b"; same "$tmp/a" "$tmp/c"; same "$tmp/raw" $long
done
# So do tables, which stand still while they are read: the second half comes when they are there.
for v in 1 5 6 10 pieces waits-for; do
    "$GOTOP" --headless --at 100ms..400ms --view $v $long 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/a"
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

# What goes wrong is said in one line.
serve busy $long;    run 2 top "$url"; says err '500: Could not enable tracing: tracing is already enabled'
serve break $long;   run 2 top "$url"; says err 'top:'
serve stall $long;   run 2 top --stall-timeout 1 "$url"; says err 'nothing came for 1s (--stall-timeout)'
run 2 top --stall-timeout 1s "$url"; says err 'nothing came for 1s'; run 2 top --stall-timeout 1500ms "$url"; says err 'no whole seconds'
serve garbage $long; run 2 top "$url"; says err 'not a Go execution trace'
serve header $long;  run 2 top "$url"; says err 'top:'
serve close $long;   run 2 top "$url"; says err 'Empty reply'
serve ok $old;       run 2 top "$url"; says err 'go 1.21'; says err 'complete'
serve garbage $long; run 2 record -o "$tmp/no" "$url"
if [ -e "$tmp/no" ]; then fail "no trace, but a file of one"; else pass; fi
run 2 top 127.0.0.1:1; says err "onnect"
run 2 top "http://$(printf 'a\033b')/"; run 2 top http://; run 2 top -n 0 x:1; run 2 watch -o "$tmp" x:1
run 2 watch --until nonsense -o "$tmp" x:1; says err 'nor the id of a finding'; run 2 record x:1; run 2 top "$tmp/absent"

run 2 top "http://me:hush@127.0.0.1:1"; says err 'http://..@127.0.0.1:1: '
if grep -q hush "$tmp/err"; then fail "a password is shown"; else pass; fi

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

# A program of Go 1.21 that has little to say sends it at the end: the client is that patient.
mkdir "$tmp/played"
printf '#!/bin/sh\ncat >%s\n' "$tmp/asked" >"$tmp/played/curl"; chmod +x "$tmp/played/curl"
PATH=$tmp/played:$PATH run 2 record --quiet --seconds 20s -o "$tmp/no" https://x:1
if grep -q 'speed-time = 35$' "$tmp/asked" && grep -q 'seconds=20"' "$tmp/asked"; then pass; else fail "record gives up before the end"; fi
PATH=$tmp/played:$PATH run 2 record --quiet --seconds 20 --stall-timeout 3 -o "$tmp/no" https://x:1
if grep -q 'speed-time = 3$' "$tmp/asked"; then pass; else fail "record --stall-timeout"; fi

# Broken bytes in the middle: that generation is damaged, the others are as they were, for who looks on and for who looks back.
size=$(wc -c <$long)
cp $long "$tmp/hurt"
dd if=/dev/zero of="$tmp/hurt" bs=1 seek=$((size * 2 / 5)) count=64 conv=notrunc 2>/dev/null
serve ok "$tmp/hurt" 5
run 0 top "$url"; n=$(grep -c '^GROUP' "$tmp/out")
if [ "$n" -ge 2 ]; then pass; else fail "$n pictures"; fi
run 0 --headless --view 2 "$url"; says out 'ENDED'; says out 'PARTIAL'; says out '2.75s'
for v in '--view 2' '--lane g17'; do
    "$GOTOP" --headless --at 500ms..1.5s $v "$tmp/hurt" 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/a"
    "$GOTOP" --headless --at 500ms..1.5s $v "$url" 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/b"
    same "$tmp/a" "$tmp/b"
done
# Where it ends, and what is unsure of it, what comes later may say: at the end of the stream it is as of the file.
for f in samples/lock-cpu-1.27.trace $long; do
    cp "$f" "$tmp/torn"
    dd if=/dev/zero of="$tmp/torn" bs=1 seek=$(($(wc -c <"$f") / 5)) count=64 conv=notrunc 2>/dev/null
    "$GOTOP" --headless --view 5 "$tmp/torn" 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/a"
    { cat "$tmp/torn"; sleep 0.5; } | "$GOTOP" --headless --follow --view 5 - 2>"$tmp/err" | tail -n +2 | sed '$d' >"$tmp/b"
    [ -s "$tmp/a" ] || fail "$f is empty"
    same "$tmp/a" "$tmp/b"
done
mkdir "$tmp/sound"
run 0 watch --until 'gc.cycles<0' --until 'stw.max>=0ns' --after 1h --keep 1h --max 1 -o "$tmp/sound" "$url"
for f in "$tmp"/sound/*.trace; do run 0 info "$f"; done # exit 3 where something is damaged

# A connection that breaks: what came is shown, also of the generation that it broke in.
serve break $long;   run 0 --headless --view 2 "$url"; says out 'ENDED'; says out 'has ended'
head -c $((size - 9000)) $long >"$tmp/cut"; serve ok "$tmp/cut" 5
run 0 --headless --view 2 "$url"; says out 'ENDED'; says out '2.7'

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
says out 'ENDED NOT SAVED'; says out '2.75s'; says err 'raw can'"'"'t be written any further: '; rm -f "$tmp/full/raw"
# A disk that stays full is told as often as the failures double.
"$GENTRACE" --size 3M --gens 60 "$tmp/small" 2>/dev/null; serve slow "$tmp/small" 50
(ulimit -f 8; exec "$GOTOP" watch --seconds 1 --until 'goroutines>0' -o "$tmp/full" "$url") >"$tmp/out" 2>"$tmp/err"
says err ' captures in a row)'
n=$(grep -c 'write to' "$tmp/err")
if [ "$n" -le 7 ]; then pass; else fail "a full disk is told $n times"; fi
serve slow $long 20
mkdir "$tmp/gone"
"$GOTOP" watch --seconds 1 --until 'stw.max>=0ns' -o "$tmp/gone" "$url" >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_client $pid # it has looked at the folder
rmdir "$tmp/gone"; wait $pid; got=$?
if [ $got = 2 ]; then pass; else fail "a folder that went away: $got"; fi
says err 'No such file'
run 2 watch --until 'stw.max>0' -o "$tmp/none/none" "$url"; says err 'No such file'
run 2 watch --until 'stw.max>0' -o "$tmp/r" "$url"; says err 'is no folder'
run 2 watch --until 'stw.max>>1' -o "$tmp" "$url"; says err 'no value'
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

# Other ways: a proxy, none, a socket with a path, another method, a header of one's own.
serve ok $long
http_proxy="http://$at" run 0 top -n 1 http://nowhere.invalid:6060; says out 'GROUP'
http_proxy="http://$at" no_proxy=nowhere.invalid run 2 top --connect-timeout=5 http://nowhere.invalid:6060
SERVE_SOCKET=$tmp/sock; export SERVE_SOCKET; serve ok $long; unset SERVE_SOCKET
run 0 top -n 1 "unix:$tmp/sock"; says out 'GROUP'
run 0 top -n 1 --unix-socket="$tmp/sock" http://any/; says out 'GROUP'
run 2 top "unix:$tmp/absent"; says err 'onnect'
serve post $long; run 2 top "$url"; says err '405: post it'; run 0 top -n 1 --method POST "$url"
serve token $long; run 0 top -n 1 -H 'Authorization: Bearer secret' "$url"; run 2 top -H 'Authorization: Bearer wrong' "$url"
printf 'wrong\n' >"$tmp/bad"; run 2 top --token-file "$tmp/bad" "$url"; says err '401'
run 2 top --token-file "$tmp/absent" "$url"; says err 'token'; : >"$tmp/empty"; run 2 top --token-file "$tmp/empty" "$url"
run 2 top "https://$at"; says err 'top:' # no TLS there
serve ok $long 20; run 0 top -n 1 -d 1 "$url"; run 0 top -n 1 -d 1.5s "$url"; run 2 top -d x x:1; run 2 top -d 0 x:1
run 2 top --rows=x x:1; says err 'no number'; run 2 top --rows; says err 'needs a value'; run 2 top --insecure=3 x:1
run 2 --insecure=3 x:1; run 2 --seconds x x:1; run 2 top --nope x:1; says err 'unknown option'

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
"$GENTRACE" --size 100M --gens 40 "$tmp/large" 2>/dev/null
moment() { head -n 1 "$1" | grep -o '[0-9][0-9]:[0-9][0-9]:[0-9.]*'; } # of the cursor, by the time of day
"$fast" --headless --size 200x24 --view 2 --keys goto-end "$tmp/large" >"$tmp/a" 2>/dev/null
bounded $((104 * 1024)) --follow --keep 64M - <"$tmp/large"
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
i=0; while ! grep -q '^sent' "$tmp/serve.err" && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done
if [ $i -lt 600 ]; then pass; else fail "top holds the program up"; fi
cat "$tmp/lines" >"$tmp/out" 7>&- &
reader=$!
exec 7>&-
wait $pid; wait $reader
said=$(sed -n 's/^\([0-9.]*[KMG]\) of trace .* this were left out.*: nobody took these lines$/\1/p' "$tmp/out" | head -n 1)
if [ -n "$said" ]; then pass; else fail "top says nothing of what was left out"; fi

# Without curl: plain HTTP and sockets as ever; what is curl's is said.
mkdir "$tmp/nothing"; serve ok $long
its_path=$tmp/nothing run 0 record --quiet -o "$tmp/r" "$at"; same "$tmp/r" $long
http_proxy=http://127.0.0.1:1 no_proxy='example.org, 127.0.0.1' its_path=$tmp/nothing run 0 top -n 1 "$at"
http_proxy=http://127.0.0.1:1 no_proxy=7.0.0.1 its_path=$tmp/nothing run 2 top -n 1 "$at"
for c in "top -n 1" "record -o $tmp/no" "watch --until stw.max>0 -o $tmp" "--headless"; do # unquoted: words
    (PATH=$tmp/nothing; export PATH; exec "$GOTOP" $c "https://127.0.0.1:1") >"$tmp/out" 2>"$tmp/err"
    got=$?
    if [ $got = 2 ]; then pass; else fail "gotop $c without curl: $got"; fi
    says err "the curl program fetches URLs, and isn't there: install it, or pipe a trace in"
done
serve moved $long; its_path=$tmp/nothing run 2 top "$at"; says err 'has moved to /moved: ask there'

# Redirects: yes, but never with what is secret. A token is no argument of the client's.
serve moved $long; run 0 top "$url"; says out 'GROUP'
run 2 top -H 'X-Key: hush' "$url"; says err 'has moved to'
serve token $long 50; run 2 top "$url"; says err '401: who are you?'
echo secret >"$tmp/token"
run 0 top --token-file "$tmp/token" "$url"; says out 'GROUP'
"$GOTOP" top --token-file "$tmp/token" "$url" >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 0.3
ps -eo args | grep '[c]url' >"$tmp/args"
if grep -q secret "$tmp/args"; then fail "the token stands in the process list"; else pass; fi
wait $pid

# A connection that is cut leaves what came by then.
serve ok $long 400
rm -f "$tmp/hup"
"$GOTOP" record --quiet -o "$tmp/hup" "$url" >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
i=0; while [ -z "$(find "$tmp" -maxdepth 1 -name 'hup*' -size +1k)" ] && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done
kill -HUP $pid; wait $pid 2>/dev/null
if [ -s "$tmp/hup" ] && [ "$(wc -c <"$tmp/hup")" -lt "$(wc -c <$long)" ]; then pass; else fail "record, hung up: $(ls -l "$tmp/hup")"; fi

# So does one that breaks: a program that ends while it is recorded has its last moments nowhere else.
serve break $long
run 2 record --quiet -o "$tmp/half" "$url"; says err 'the connection broke'; says err 'what came before, '
head -c $((size / 2)) $long >"$tmp/sent"; same "$tmp/half" "$tmp/sent"

# -o: what stands there already goes only when a trace comes, and nothing is made for an answer that is none.
serve busy $long
echo old >"$tmp/kept"; cp "$tmp/kept" "$tmp/was"
run 2 --headless -o "$tmp/kept" "$url"; says err 'tracing is already enabled'; same "$tmp/kept" "$tmp/was"
run 2 --headless -o "$tmp/none.trace" "$url"
if [ -e "$tmp/none.trace" ]; then fail "a file for what never came"; else pass; fi
serve ok $long; run 0 --headless -o "$tmp/kept" "$url"; same "$tmp/kept" $long
if [ -e /dev/full ]; then run 2 --headless -o /dev/full "$url"; says out 'NOT SAVED'; says err "/dev/full can't be written any further"; fi

# Ctrl-Z ends them: who stands still reads nothing, and the program would have to keep what it sends.
for c in "top" "record --quiet -o $tmp/stopped" "watch --until stw.max>3600s -o $tmp/cap"; do # unquoted: words
    serve slow $long 20000
    "$GOTOP" $c "$url" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    until_client $pid
    kill -TSTP $pid
    i=0; while kill -0 $pid 2>/dev/null && [ $i -lt 300 ]; do i=$((i + 1)); sleep 0.1; done
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; says err 'ended by Ctrl-Z'
done

# However it ends, the client ends with it.
serve stall $older # the client has nothing to write any more, by which it would notice
"$GOTOP" top "$url" >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_client $pid
sleep 0.3; kill -9 $pid; wait $pid 2>/dev/null
i=0; while kill -0 "$client" 2>/dev/null && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done
if [ -n "$client" ] && [ $i -lt 600 ]; then pass; else fail "the client was left behind"; fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
