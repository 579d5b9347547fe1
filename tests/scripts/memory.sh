#!/bin/sh
# memory.sh - a limit on memory as a shell sees it: what is held in part, what is refused, and what is said.
GOTOP=${GOTOP:-build/gotop}
[ -x "$GOTOP" ] || { echo "$GOTOP was not built"; exit 1; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8
new=samples/http-long-1.27.trace big=$tmp/big.trace
"${GENTRACE:-build/gen-trace}" --size 4M "$big" >/dev/null 2>&1 || { echo "no trace of 4 MB was made"; exit 1; }
passed=0 failed=0
fail() { failed=$((failed + 1)); echo "FAILED: $*"; head -n 8 "$tmp/out" "$tmp/err"; }
run() { # run STATUS ARG..
    want=$1; shift
    "$GOTOP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = "$want" ]; then passed=$((passed + 1)); else fail "gotop $*: $got, not $want"; fi
}
says() { # says FILE TEXT
    if grep -q -- "$2" "$tmp/$1"; then passed=$((passed + 1)); else fail "'$2' isn't said"; fi
}

run 0 report --max-memory 8M "$big";         says out 'LARGER THAN MEMORY'; says out 'FINDINGS'
run 0 report --json --max-memory 8M "$big";  says out '"bounded"'
run 2 report --max-memory 8M --assert 'stw.max<1s' "$big"; says err --max-memory
run 2 dump --max-memory 8M "$big";           says err --max-memory
run 2 csv spans --max-memory 8M "$big";      says err '--from'
run 2 folded --max-memory 8M "$big";         says err --max-memory
run 0 --headless --view 3 --max-memory 8M "$big"; says out 'detail '
run 0 report $new; if grep -q 'LARGER' "$tmp/out"; then fail "larger without a limit"; fi

# A pipe has to fit.
cat $new | "$GOTOP" report --max-memory 64K - >"$tmp/out" 2>"$tmp/err" && fail "a pipe beyond the limit"
says err --max-memory

echo "$passed passed, $failed failed"
[ $failed = 0 ]
