#!/bin/sh
# compare.sh - what dump says of every trace at hand, held against Go's own reader: the compare script and its traces lie
# in the folder beside this repository. Without that folder the sums in tests/golden still hold (test_dump).
#
# A trace that was cut may have lost its very first event. Its times begin later then, and compare, which knows the whole
# trace, takes them for others. Such a trace is compared once more with the difference of the two beginnings added.
GOTOP=${GOTOP_FAST:-build/gotop}
if [ ! -x ../shared/compare ]; then
    echo "skipped: ../shared not here"
    exit 77
fi
[ -x "$GOTOP" ] || { echo "$GOTOP was not built"; exit 1; }
case $GOTOP in /*) ;; *) GOTOP=$PWD/$GOTOP ;; esac
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
../shared/compare "$GOTOP" >"$tmp/out" && { cat "$tmp/out"; exit 0; }
cat "$tmp/out"

first() { "$GOTOP" dump "../shared/traces/$1" 2>/dev/null | sed -n 's/^H\tfirst_ns\t//p'; }
bad=0
for name in $(sed -n 's/^FAIL \(cut_[^ ]*\) .*/\1/p' "$tmp/out"); do
    whole=${name#cut_}
    from=$(first "${whole%_*}.trace") to=$(first "$name")
    if [ -z "$from" ] || [ -z "$to" ] || [ "$from" = "$to" ]; then bad=1; continue; fi
    cat >"$tmp/later" <<EOF
#!/bin/sh
"$GOTOP" "\$@" >"$tmp/dump"
rc=\$?
awk -F'\t' -v OFS='\t' -v by=$((to - from)) '\$1 == "G" || \$1 == "P" { \$3 += by; \$4 += by } { print }' "$tmp/dump"
exit \$rc
EOF
    chmod +x "$tmp/later"
    echo "$name has lost its first event: it begins $((to - from)) ns later"
    ../shared/compare "$tmp/later" "../shared/traces/$name" || bad=1
done
if grep '^FAIL' "$tmp/out" | grep -qv '^FAIL cut_'; then bad=1; fi
exit $bad
