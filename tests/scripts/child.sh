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

# curl, a shim in its place, says what it ignores: of signals 13 (PIPE) and 25 (XFSZ) the bits.
mkdir bin; real=$(command -v curl)
printf '#!/bin/sh\nsed -n "s/^SigIgn:[[:space:]]*//p" /proc/$$/status >"%s/curl.out"\nexec "%s" "$@"\n' "$tmp" "$real" >bin/curl
chmod +x bin/curl
PATH=$tmp/bin:$PATH "$GOTOP" record --quiet -o r "http://a:b@$url" >out 2>err; check $? 0 "status of record"
bits() { echo $((0x$(sed 's/.*\(........\)$/\1/' curl.out) & 0x1001000)); }
check "$(bits)" 0 "what curl ignores"
(trap '' PIPE XFSZ; PATH=$tmp/bin:$PATH "$GOTOP" record --quiet -o r "http://a:b@$url" >out 2>err); check $? 0 "status of record"
check "$(bits)" $((0x1001000)) "what curl ignores where gotop's parent did"

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
