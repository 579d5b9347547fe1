#!/bin/sh
# gen.sh - the benchmarks' generator: the same arguments give the same bytes, and every dialect and shape of it decodes
# without damage or warning, to as many goroutines (second family: and events) as it says it wrote.
. tests/scripts/common
GEN=${GOTOP%/*}/gen-trace
needs "$GOTOP" "$GEN"
bad() { echo "FAILED: $*"; ok=no; }
count() { if [ $ok = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }

# decodes GO ARGUMENT.. - the trace is in $tmp/t, what was said of it in $tmp/said
decodes() {
    events=$(sed -n 's/.* \([0-9]*\) events,.*/\1/p' "$tmp/said") gs=$(sed -n 's/.* \([0-9]*\) goroutines,.*/\1/p' "$tmp/said")
    "$GOTOP" dump --strict --threads 1 "$tmp/t" >"$tmp/one" 2>"$tmp/err" || bad "$*: $(tail -n 1 "$tmp/err")"
    [ -s "$tmp/err" ] && bad "$*: $(head -n 1 "$tmp/err")"
    "$GOTOP" dump --strict --threads 2 "$tmp/t" >"$tmp/two" 2>&1
    cmp -s "$tmp/one" "$tmp/two" || bad "$*: another model with two threads"
    have=$(grep -c '^S' "$tmp/one")
    [ "$have" = "$gs" ] || bad "$*: $have goroutines of $gs"
    have=$(sed -n 's/^H	events	//p' "$tmp/one")
    case $1 in 1.2[2-9]) [ "$have" = "$events" ] || bad "$*: $have events of $events" ;; esac
}

one() { # one GO ARGUMENT..
    go=$1 ok=yes
    shift
    "$GEN" --size 150K --go "$go" "$@" "$tmp/t" 2>"$tmp/said" || bad "$go $*: $(tail -n 1 "$tmp/said")"
    decodes "$go" "$@"
    count
}
for go in 1.19 1.21 1.22 1.23 1.25 1.26; do
    one "$go" --gens 3
    one "$go" --shape one
    one "$go" --shape churn
    one "$go" --procs 300 --goroutines 2000 --gens 2
    one "$go" --procs 1 --goroutines 1
done

ok=yes
for go in 1.21 1.26; do
    "$GEN" --size 200K --go $go --seed 7 "$tmp/a" 2>/dev/null
    "$GEN" --size 200K --go $go --seed 7 - >"$tmp/b" 2>/dev/null
    "$GEN" --size 200K --go $go --seed 8 "$tmp/c" 2>/dev/null
    cmp -s "$tmp/a" "$tmp/b" || bad "$go: other bytes for the same arguments"
    cmp -s "$tmp/a" "$tmp/c" && bad "$go: the seed changes nothing"
    size=$(wc -c <"$tmp/a")
    [ "$size" -ge 200000 ] && [ "$size" -lt 400000 ] || bad "$go: $size bytes for 200K"
done
count
ok=yes
for args in '--size 1M' '--size 0 x' '--size 1M --go 1.24 x' '--size 1M --shape round x' '--size 1M --procs 0 x' '--size 1M a b'; do
    (cd "$tmp" && "$GEN" $args >/dev/null 2>&1)
    [ $? = 2 ] || bad "no refusal of $args"
done
count
finish
