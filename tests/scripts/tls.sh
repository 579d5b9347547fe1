#!/bin/sh
# tls.sh - https: a server of ours on loopback (openssl s_server), whom to believe, and who we are.
. tests/scripts/common
for p in openssl curl; do command -v $p >/dev/null 2>&1 || { echo "there is no $p here"; exit 77; }; done
needs "$GOTOP"
pid=
cleanup() { [ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$tmp"; }
trap cleanup EXIT
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE
trace=samples/http-long-1.27.trace
fail() { failed=$((failed + 1)); echo "FAILED: $*"; head -n 4 "$tmp/out" "$tmp/err" "$tmp/server"; }
certificate() { # certificate NAME SUBJECT - NAME.pem, which vouches for itself, and NAME.key
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$2" -addext "subjectAltName=DNS:$2" \
        -keyout "$tmp/$1.key" -out "$tmp/$1.pem" >"$tmp/err" 2>&1 || { cat "$tmp/err"; exit 1; }
}
# The server hands out files as they are: a whole answer, named as it is asked for.
mkdir -p "$tmp/www/debug/pprof"
for s in 604800 5; do
    printf 'HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n' |
        cat - "$trace" >"$tmp/www/debug/pprof/trace?seconds=$s"
done
serve() { # serve OPTION.. - $port is where
    [ -z "$pid" ] || { kill "$pid"; wait "$pid" 2>/dev/null; }
    : >"$tmp/server"
    (cd "$tmp/www" && exec openssl s_server -accept 127.0.0.1:0 -HTTP -cert "$tmp/server.pem" -key "$tmp/server.key" "$@") \
        >"$tmp/server" 2>&1 </dev/null &
    pid=$! i=0 port=
    while [ -z "$port" ] && [ $i -lt 1200 ]; do
        i=$((i + 1)); sleep 0.05
        port=$(sed -n 's/^ACCEPT 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$tmp/server" | head -n 1)
    done
    [ -n "$port" ] || { echo "openssl s_server doesn't start:"; cat "$tmp/server"; exit 1; }
    url=https://localhost:$port
}
run() { # run STATUS ARG..
    want=$1; shift
    "$GOTOP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = "$want" ]; then pass; else fail "gotop $*: $got, not $want"; fi
}
says() { # says WORD.. - one of them
    for w; do if grep -qi -- "$w" "$tmp/err"; then pass; return; fi; done
    fail "none of '$*' is said"
}
certificate server localhost
certificate other localhost
certificate client somebody

# Who vouches for the server.
serve
run 0 record --quiet --cacert "$tmp/server.pem" -o "$tmp/r" "$url"
if cmp -s "$tmp/r" "$trace"; then pass; else fail "not the bytes that were sent"; fi
run 0 top -n 1 --cacert "$tmp/server.pem" "$url"
run 0 --headless --cacert "$tmp/server.pem" "$url"
run 0 top -n 1 --insecure "$url"
run 2 top -n 1 "$url"; says certificate
run 2 top -n 1 --cacert "$tmp/other.pem" "$url"; says certificate
run 2 --headless --cacert "$tmp/other.pem" "$url"; says certificate
run 2 top -n 1 --cacert "$tmp/absent.pem" "$url"; says absent.pem certificate
run 2 top -n 1 --cacert "$tmp/server.pem" "https://127.0.0.1:$port"; says 'does not match' 'no alternative' 'certificate'
run 2 top -n 1 --cacert "$tmp/server.pem" "http://localhost:$port" # no TLS, to who speaks nothing else
run 2 watch --seconds 1 --until 'stw.max>=0ns' --cacert "$tmp/other.pem" -o "$tmp" "$url"; says certificate

# A server that wants to know who asks.
serve -Verify 1 -verify_return_error -CAfile "$tmp/client.pem"
run 0 record --quiet --cacert "$tmp/server.pem" --cert "$tmp/client.pem" --key "$tmp/client.key" -o "$tmp/r" "$url"
if cmp -s "$tmp/r" "$trace"; then pass; else fail "not the bytes that were sent, to who showed a certificate"; fi
run 0 --headless --cacert "$tmp/server.pem" --cert "$tmp/client.pem" --key "$tmp/client.key" "$url"
run 2 top -n 1 --cacert "$tmp/server.pem" "$url"; says alert certificate reply recv SSL
run 2 top -n 1 --cacert "$tmp/server.pem" --cert "$tmp/other.pem" --key "$tmp/other.key" "$url"; says alert certificate reply recv SSL
run 2 top -n 1 --cacert "$tmp/server.pem" --cert "$tmp/client.pem" --key "$tmp/absent.key" "$url"; says key
run 2 top -n 1 --cacert "$tmp/server.pem" --cert "$tmp/client.pem" --key "$tmp/other.key" "$url"; says key

finish
