#!/bin/sh
# compare.sh [--accept] - what dump says of every trace at hand, held against Go's own reader: the compare script and its traces
# lie in the folder beside this repository. Without that folder the sums in tests/golden still hold (test_dump).
#
# To compare them all takes a minute. A dump that is, byte for byte, one that agreed before needs no second look:
# tests/golden/compared.tsv has the sums of these, first one over what they were held against. Any other dump, and all of them
# after a change there, are compared. --accept compares all and writes the sums anew of those that agree.
#
# A trace that was cut may have lost its very first event. Its times begin later then, and compare, which knows the whole
# trace, takes them for others. Such a trace is compared once more with the difference of the two beginnings added.
GOTOP=${GOTOP_FAST:-build/gotop}
list=tests/golden/compared.tsv
if [ ! -x ../shared/compare ]; then
    echo "skipped: ../shared not here"
    exit 77
fi
[ -x "$GOTOP" ] || { echo "$GOTOP was not built"; exit 1; }
case $GOTOP in /*) ;; *) GOTOP=$PWD/$GOTOP ;; esac
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# What compare is told of a trace: dump's status, whether it has a message, and the dump.
sums() { # sums - as in $list
    echo "against $(cat ../shared/compare ../shared/traces/* | sha256sum | cut -d ' ' -f 1)"
    sed '/^file	/d' ../shared/traces/MANIFEST.tsv | while IFS='	' read -r name _; do
        "$GOTOP" dump "../shared/traces/$name" >"$tmp/dump" 2>"$tmp/message" </dev/null
        rc=$?
        said=no; [ ! -s "$tmp/message" ] || said=yes
        echo "$name	$rc	$said	$(sha256sum <"$tmp/dump" | cut -d ' ' -f 1)"
    done
}
sums >"$tmp/sums"
if [ "${1:-}" = --accept ]; then
    ../shared/compare --all "$GOTOP" >"$tmp/out"
    cat "$tmp/out"
    sed -n 's/^ok   \([^ ]*\) .*/\1/p' "$tmp/out" |
        awk -F'\t' 'NR == FNR { good[$1] = 1; next } FNR == 1 || $1 in good' - "$tmp/sums" >"$list"
    exit 0
fi

first() { "$GOTOP" dump "../shared/traces/$1" 2>/dev/null | sed -n 's/^H\tfirst_ns\t//p'; }

agreed=/dev/null # against other answers nothing has agreed
[ "$(head -n 1 "$list")" != "$(head -n 1 "$tmp/sums")" ] || agreed=$list
sed 1d "$tmp/sums" | grep -vxFf "$agreed" | cut -f 1 >"$tmp/other"
all=$(sed 1d "$tmp/sums" | wc -l) other=$(wc -l <"$tmp/other")
[ "$all" -gt 0 ] || { echo "../shared/traces has no traces"; exit 1; }
echo "$((all - other)) of $all dumps are those that agreed with Go's reader before"
[ "$other" -gt 0 ] || exit 0
[ "$other" -lt 10 ] || echo "note: $other dumps are compared at length; compare.sh --accept notes down those that agree"
../shared/compare "$GOTOP" $(sed 's,^,../shared/traces/,' "$tmp/other") >"$tmp/out" && { cat "$tmp/out"; exit 0; }
cat "$tmp/out"
grep -q '^FAIL' "$tmp/out" || { echo "compare has said nothing of them"; exit 1; }

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
