#!/bin/sh
# live.sh - a program that is running, as a server on loopback plays it: well, and in every way it may go wrong.
GOTOP=${GOTOP:-build/gotop}
SERVE=${SERVE:-${BUILD:-build}/serve}
for p in "$GOTOP" "$SERVE"; do [ -x "$p" ] || { echo "$p was not built"; exit 1; }; done
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
    i=0; while [ ! -s "$tmp/port" ] && [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done
    url=127.0.0.1:$(cat "$tmp/port")
}
run() { # run STATUS ARG..
    want=$1; shift
    "$GOTOP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = "$want" ]; then pass; else fail "gotop $*: $got, not $want"; fi
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177\233]')" "$tmp/out" "$tmp/err"; then fail "gotop $*: control bytes"; fi
}
says() { # says FILE TEXT
    if grep -qF -- "$2" "$tmp/$1"; then pass; else fail "'$2' isn't said"; fi
}
same() { if cmp -s "$1" "$2"; then pass; else fail "$1 and $2 differ"; fi; }

# A program that behaves: pictures, a file as sent, captures that are traces.
serve ok $long 20
run 0 top "$url"; says out 'GROUP'; says out 'main.'
run 0 record -o "$tmp/r" "$url"; same "$tmp/r" $long
run 0 record --quiet -o "$tmp/r2" "http://$url/some/proxy/debug/pprof/"; same "$tmp/r2" $long
mkdir "$tmp/cap"
run 0 watch --until 'stw.max>0ns' --max 1 -o "$tmp/cap" "$url"; says out 'because stw.max>0ns'
for f in "$tmp"/cap/*.trace; do run 0 report "$f"; says out 'FINDINGS'; done
run 0 watch --until 'stw.max>3600s' -o "$tmp/cap" "$url"
if [ -s "$tmp/out" ]; then fail "a capture without a reason"; else pass; fi
printf '#!/bin/sh\ncp "$1" "$1.copy"\n' >"$tmp/copy"; chmod +x "$tmp/copy"; mkdir "$tmp/one"
run 0 watch --until 'stw.max>=0ns' --max 1 --exec "$tmp/copy" -o "$tmp/one" "$url"
i=0; while [ -z "$(find "$tmp/one" -name '*.copy' -size +1k)" ] && [ $i -lt 100 ]; do i=$((i + 1)); sleep 0.1; done
if [ $i -lt 100 ]; then pass; else fail "--exec did not run"; fi
run 0 watch --until 'stw.max>=0ns' --max 1 --exec "$tmp/absent" -o "$tmp/one" "$url"; says err 'No such file'
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
run 1 "$url"; says err 'gotop top'
run 2 --headless --follow "$tmp/absent"

# What goes wrong is said in one line.
serve busy $long;    run 2 top "$url"; says err '500: Could not enable tracing: tracing is already enabled'
serve break $long;   run 2 top "$url"; says err 'top:'
serve stall $long;   run 2 top --stall-timeout 1 "$url"; says err 'Operation too slow'
serve garbage $long; run 2 top "$url"; says err 'not a Go execution trace'
serve header $long;  run 2 top "$url"; says err 'top:'
serve close $long;   run 2 top "$url"; says err 'Empty reply'
serve ok $old;       run 2 top "$url"; says err 'go 1.21'; says err 'complete'
serve garbage $long; run 2 record -o "$tmp/no" "$url"
if [ -e "$tmp/no" ]; then fail "no trace, but a file of one"; else pass; fi
run 2 top 127.0.0.1:1; says err "onnect"
run 2 top "http://$(printf 'a\033b')/"; run 2 top http://; run 2 top -n 0 x:1; run 2 watch -o "$tmp" x:1
run 2 watch --until nonsense -o "$tmp" x:1; run 2 record x:1; run 2 top "$tmp/absent"

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

# However it ends, the client ends with it.
serve again $older 20
"$GOTOP" top "$url" >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 0.5; kill -9 $pid; wait $pid 2>/dev/null
i=0; while ps -eo ppid,args | grep -q "^ *1 curl -q --config" && [ $i -lt 50 ]; do i=$((i + 1)); sleep 0.1; done
if [ $i -lt 50 ]; then pass; else fail "the client was left behind"; fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
