#!/bin/sh
# fetch.sh - a running program's trace is fetched: as it was sent, and in every way in which that may go wrong. What is shown of
# it: live.sh.
. tests/scripts/served
old=samples/http-1.21.trace size=$(wc -c <$long)

# A file as it was sent.
serve ok $long 20
run 0 record -o "$tmp/r" "$url"; same "$tmp/r" $long
run 0 record --quiet -o "$tmp/r2" "http://$at/some/proxy/debug/pprof/"; same "$tmp/r2" $long
if [ -e /dev/full ]; then
    run 2 record --quiet -o /dev/full "$url"; says err "can't write to /dev/full: "
    if [ "$(grep -o /dev/full "$tmp/err" | wc -l)" = 1 ]; then pass; else fail "a full disk's file is named twice"; fi
fi

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

# A program of Go 1.21 that has little to say sends it at the end: the client is that patient.
mkdir "$tmp/played"
printf '#!/bin/sh\ncat >%s\n' "$tmp/asked" >"$tmp/played/curl"; chmod +x "$tmp/played/curl"
PATH=$tmp/played:$PATH run 2 record --quiet --seconds 20s -o "$tmp/no" https://x:1
if grep -q 'speed-time = 35$' "$tmp/asked" && grep -q 'seconds=20"' "$tmp/asked"; then pass; else fail "record gives up before the end"; fi
PATH=$tmp/played:$PATH run 2 record --quiet --seconds 20 --stall-timeout 3 -o "$tmp/no" https://x:1
if grep -q 'speed-time = 3$' "$tmp/asked"; then pass; else fail "record --stall-timeout"; fi

# A connection that breaks: what came is shown, also of the generation that it broke in.
serve break $long;   run 0 --headless --view 2 "$url"; says out 'ENDED'; says out 'has ended'
head -c $((size - 9000)) $long >"$tmp/cut"; serve ok "$tmp/cut" 5
run 0 --headless --view 2 "$url"; says out 'ENDED'; says out '2.7'

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

# Without curl that is said.
mkdir "$tmp/nothing"
for c in "top -n 1" "record -o $tmp/no" "watch --until stw.max>0 -o $tmp" "--headless"; do # unquoted: words
    (PATH=$tmp/nothing; export PATH; exec "$GOTOP" $c "https://127.0.0.1:1") >"$tmp/out" 2>"$tmp/err"
    got=$?
    if [ $got = 2 ]; then pass; else fail "gotop $c without curl: $got"; fi
    says err "the curl program fetches URLs, and isn't there: install it, or pipe a trace in"
done

# Redirects: yes, but never with what is secret. A token is no argument of the client's.
serve moved $long; run 0 top "$url"; says out 'GROUP'
run 2 top -H 'X-Key: hush' "$url"; says err 'has moved to'
serve token $long 50; run 2 top "$url"; says err '401: who are you?'
echo secret >"$tmp/token"
run 0 top --token-file "$tmp/token" "$url"; says out 'GROUP'
kill -STOP $server # so that the client is still there
"$GOTOP" top --token-file "$tmp/token" "$url" >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_client $pid
ps -eo args | grep '[c]url' >"$tmp/args"
if grep -q secret "$tmp/args"; then fail "the token stands in the process list"; else pass; fi
kill -CONT $server; wait $pid

# A connection that is cut leaves what came by then.
serve stall $long
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
    ends $pid; wait $pid 2>/dev/null; says err 'ended by Ctrl-Z'
done

# However it ends, the client ends with it.
serve stall $older # the client has nothing to write any more, by which it would notice
"$GOTOP" top "$url" >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_client $pid
sleep 0.3; kill -9 $pid; wait $pid 2>/dev/null
if [ -n "$client" ] && ends "$client"; then pass; else fail "the client was left behind"; fi

finish
