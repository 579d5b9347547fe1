#!/bin/sh
# child.sh - what programs that gotop starts get from it: signals as they were when it began, and names that are no options.
. tests/scripts/common
serve=${SERVE:-${BUILD:-build}/serve}
needs "$GOTOP" "$serve"
case $serve in /*) ;; *) serve=$PWD/$serve ;; esac
command -v curl >/dev/null 2>&1 || { echo "curl is not installed"; exit 1; }
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
"$serve" ok samples/http-long-1.27.trace 5 >"$tmp/port" 2>/dev/null &
server=$!
trap 'kill $server; rm -rf "$tmp"' EXIT
until [ -s "$tmp/port" ]; do sleep 0.05; done
url=127.0.0.1:$(cat "$tmp/port")
cd "$tmp" || exit 1

# Of signals 13 (PIPE) and 25 (XFSZ) the bits of what is ignored.
cat >told <<'X'
#!/bin/sh
{ printf '%s\n' "$1"; sed -n 's/^SigIgn:[[:space:]]*//p' /proc/$$/status; } >told.new
mv told.new told.out
X
chmod +x told
bits() { echo $((0x0$(sed -n '2s/.*\(........\)$/\1/p' told.out) & 0x1001000)); }
watched() { # watched DIR - a capture, on which --exec's program is run. A stream may end before a condition was looked at
    tries=0; : >out
    until grep -q captured out || [ $tries -gt 30 ]; do
        tries=$((tries + 1))
        "$GOTOP" watch --until 'stw.max>=0ns' --max 1 --exec ./told -o "$1" "$url" >out 2>err || break
    done
    i=0; until [ -s told.out ] || [ $i -gt 1200 ]; do i=$((i + 1)); sleep 0.05; done
    [ -s told.out ]; check $? 0 "--exec's program runs on a file in $1"
}
mkdir -p ./-d
for o in "-d" "./-d" "$tmp/-d"; do
    rm -f told.out; watched "$o"
    check "$(bits)" 0 "what --exec's program ignores"
    case $(sed -n 1p told.out) in ./-d/gotop-*.trace | "$tmp"/-d/gotop-*.trace) pass ;; *) fail "its argument is $(sed -n 1p told.out)" ;; esac
done
rm -f told.out; trap '' PIPE XFSZ; watched ./-d; trap - PIPE XFSZ
check "$(bits)" $((0x1001000)) "what --exec's program ignores where gotop's parent did"

# curl is one, too: a shim in its place says what it ignores.
mkdir bin; real=$(command -v curl)
printf '#!/bin/sh\nsed -n "s/^SigIgn:[[:space:]]*//p" /proc/$$/status >"%s/curl.out"\nexec "%s" "$@"\n' "$tmp" "$real" >bin/curl
chmod +x bin/curl
PATH=$tmp/bin:$PATH "$GOTOP" record --quiet -o r "http://a:b@$url" >out 2>err; check $? 0 "status of record"
check $((0x$(sed 's/.*\(........\)$/\1/' curl.out) & 0x1001000)) 0 "what curl ignores"

# A header is never a file's name.
echo 'X-Secret: 1' >h
for h in @h @h: 'no colon' ''; do
    "$GOTOP" record --quiet -H "$h" -o r2 "$url" >out 2>err; check $? 2 "status of -H '$h'"
    grep -q "NAME: VALUE" err; check $? 0 "-H '$h' is told as that"; [ ! -e r2 ]; check $? 0 "nothing is recorded"
done
"$GOTOP" record --quiet -H 'X-A: @h' -o r2 "$url" >out 2>err; check $? 0 "a value may begin so"
# A token is not written over.
cp h token; "$GOTOP" record --quiet --token-file token -o token "$url" >out 2>err; check $? 2 "-o over the token"
cmp -s h token; check $? 0 "it is spared"
finish
