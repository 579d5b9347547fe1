#!/bin/sh
# watch.sh - `gotop watch` as a recorder: edges, cool-downs, captures that don't repeat each other, connections that end, a folder
# that stays bounded.
. tests/scripts/served
REPLAY=${REPLAY:-${BUILD:-build}/replay}
needs "$REPLAY"
ok() { if [ "$1" = 0 ]; then pass; else shift; fail "$*"; fi; }
start() { # start ARG.. - $pid is watch, $cap its empty folder
    n=$((${n:-0} + 1)); cap=$tmp/cap$n
    : >"$tmp/out"; : >"$tmp/err"
    "$GOTOP" watch -o "$cap" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
}
until_says() { # until_says FILE TEXT [TIMES]
    i=0; while [ "$(grep -cF -- "$2" "$tmp/$1")" -lt "${3:-1}" ] && kill -0 $pid 2>/dev/null && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
    [ "$(grep -cF -- "$2" "$tmp/$1")" -ge "${3:-1}" ]; ok $? "'$2' isn't said ${3:-1} times"
}
stop() { # stop [STATUS] - as systemd does
    kill -TERM $pid 2>/dev/null; wait $pid; got=$?
    [ $got = "${1:-0}" ]; ok $? "status $got, not ${1:-0}"
}
count() { find "$cap" -name "$1" | wc -l; }
gens() { # gens FILE.. - which generations are in them
    for f; do "$fast" info --json "$f" 2>/dev/null; done
}

# What holds all through fires once, not with every generation.
"$GENTRACE" --size 3M --gens 40 "$tmp/steady" 2>/dev/null
serve slow "$tmp/steady" 20
start --seconds 1 --until 'goroutines>0' "$url"; wait $pid
[ "$(count '*.trace')" = 1 ] && [ "$(grep -c captured "$tmp/out")" = 1 ]; ok $? "an edge: $(count '*.trace') files"
[ "$(count '*.txt')" = 1 ] && grep -q 'goroutines>0 .* holds' "$cap"/*.txt && grep -q '^FINDINGS' "$cap"/*.txt; ok $? "the page beside it"

# Ten minutes of a program whose world stands still now and then, and whose connection breaks: none of it is missed. What begins
# again within --cooldown, by the program's clock, is a line in the log and no file. No file repeats another's seconds.
played() { # played ARG.. - $planted stops, $files captures of them, $held lines without one
    listens "$tmp/plan" "$REPLAY" 600 3 40 50 80
    start --until 'stw.max>1ms' "$@" "$at"
    wait $server; until_says err 'connects again in 2s'; stop
    planted=$(grep -c planted "$tmp/plan") files=$(grep -c 'captured .*stw.max>1ms: 5.00ms' "$tmp/out") held=$(grep -c 'held stw.max>1ms: 5.00ms: no file' "$tmp/out")
}
played --until end --cooldown 0
[ "$planted" -ge 10 ] && [ "$files" = "$planted" ]; ok $? "$planted planted, $files captured"
grep -q ended "$tmp/plan" && grep -q broke "$tmp/plan"; ok $? "no connection ended: $(cat "$tmp/plan")"
stops=$(for f in "$cap"/*Z.trace "$cap"/*Z-[0-9]*.trace; do [ ! -e "$f" ] || "$fast" dump "$f"; done 2>/dev/null | grep -c 'stop-the-world')
[ "$stops" = "$planted" ]; ok $? "$stops stops in all files, $planted planted"
played
[ "$files" -ge 2 ] && [ "$held" -ge 2 ] && [ $((files + held)) = "$planted" ]; ok $? "$planted planted, $files captured, $held said"
grep -q 'there is one for it from before (--cooldown): ' "$tmp/out"; ok $? "why there is no file"
# Through a connection that ends, well or not: it is made again, what was kept is written, and both are said.
serve ok $long 20
start --until 'stw.max>3600s' --until end "$url"
until_says err 'the program ended its trace: connects again in 1s'
until_says err 'it is there: recording'
stop
grep -q 'captured .* because end: the program ended its trace' "$tmp/out"; ok $? "the end of it is written"
set -- "$cap"/*.trace
"$GOTOP" dump "$1" >"$tmp/a" 2>/dev/null; "$GOTOP" dump $long >"$tmp/b" 2>/dev/null
cmp -s "$tmp/a" "$tmp/b"; ok $? "the end's capture is not all that came"
serve break "$tmp/steady"
start --until end "$url"; until_says out 'because end: the connection broke'; stop
for f in "$cap"/*Z.trace; do "$GOTOP" info "$f" >/dev/null 2>&1; ok $? "$f is not sound"; done
[ "$(count '*-rest.trace')" -ge 1 ]; ok $? "what came of the last second is gone"
"$GOTOP" info "$cap"/*-rest.trace >"$tmp/a" 2>&1; [ $? != 2 ]; ok $? "the rest can't be opened"

# A deploy: nobody listens for a while, another one does then. A tracer that is busy; a proxy that closes at once.
SERVE_SOCKET=$tmp/sock; export SERVE_SOCKET
serve busy $long
start --until 'stw.max>=0ns' "unix:$tmp/sock"
until_says err 'tracing is already enabled'; until_says err '(2 failures in a row)'
kill "$server"; rm -f "$tmp/sock"
until_says err '(4 failures in a row)'
serve ok $older 20
until_says err 'it is there: recording'; until_says out 'captured'
unset SERVE_SOCKET
stop
serve close $long
start --seconds 2 --until 'stw.max>=0ns' "$url"; wait $pid; [ $? = 2 ]; ok $? "never reached"
# The time is up between two tries, or while one fails: the last word is not that it tries again.
tail -n 1 "$tmp/err" | grep -v 'connects again' | grep -q 'it was never reached\|the connection broke'; ok $? "that is said"

serve ok $long 50; one=$url
# A loop of the shell has each file (docs/RECIPES.md).
cap=$tmp/loop; "$GOTOP" watch -o "$cap" --until 'stw.max>=0ns' --max 1 "$one" 2>"$tmp/err" | while read -r _ what file why; do echo "$what|$file|$why"; done >"$tmp/out"
set -- "$cap"/*.trace; grep -q "^captured|$1|.* because stw.max>=0ns: " "$tmp/out"; ok $? "its words: $(cat "$tmp/out")"

# A folder that stays bounded: by size, by age, and of what is not a capture nothing goes.
cap=$tmp/bounded; mkdir "$cap"; echo mine >"$cap/notes.txt"; echo mine >"$cap/gotop-mine.trace"
for i in 1 2 3; do head -c 300000 /dev/zero >"$cap/gotop-2020010${i}T000000.000Z.trace"; done
"$GOTOP" watch -o "$cap" --until 'stw.max>=0ns' --max 1 --keep-files 500K "$one" >"$tmp/out" 2>"$tmp/err"; ok $? "--keep-files"
[ ! -e "$cap/gotop-20200102T000000.000Z.trace" ] && [ -e "$cap/gotop-20200103T000000.000Z.trace" ]; ok $? "the oldest go: $(ls "$cap")"
touch -d '3 days ago' "$cap/gotop-20200103T000000.000Z.trace"
"$GOTOP" watch -o "$cap" --until 'stw.max>=0ns' --max 1 --keep-files 2G,1d "$one" >"$tmp/out" 2>"$tmp/err"; ok $? "--keep-files 1d"
[ ! -e "$cap/gotop-20200103T000000.000Z.trace" ] && [ "$(count '*Z.trace')" = 2 ]; ok $? "what is old goes: $(ls "$cap")"
[ -e "$cap/notes.txt" ] && [ -e "$cap/gotop-mine.trace" ]; ok $? "what is no capture stays"

# SIGTERM while a capture waits for --after: it is written.
serve stall "$tmp/steady" # as far as half of it
start --until 'stw.max>=0ns' --after 1h --stall-timeout 1h "$url"
until_sent; at_rest $pid
stop
grep -q captured "$tmp/out"; ok $? "what is under way is lost"

finish
