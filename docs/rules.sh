#!/bin/sh
# rules.sh - writes what `gotop report --rules` prints into docs/RULES.md, between the lines ```.
#
#   docs/rules.sh          with GOTOP=build/gotop, at the top of the tree
set -e
GOTOP=${GOTOP:-build/gotop} tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
{
    sed '/^```$/q' docs/RULES.md
    "$GOTOP" report --rules
    sed '1,/^```$/d; /^```$/,$!d' docs/RULES.md
} >"$tmp"
cat "$tmp" >docs/RULES.md
