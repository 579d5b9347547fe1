#!/bin/sh
# find-cli.sh - gotop find: what matches, of several traces, the longest first; the places that it prints are opened.
. tests/scripts/common
needs "$GOTOP"
lines() { wc -l <"$1" | tr -d ' '; }
a=samples/lock-1.21.trace b=samples/lock-1.26.trace

status 0 find --limit 5 'dur>1ms state=runnable' $a $b; check "$(lines "$tmp/out")" 5 "--limit"
grep -q 'the longest 5 of' "$tmp/err"; check $? 0 "what is left out is said"
status 0 find --limit 0 --tsv 'dur>1ms state=runnable' $a $b; check "$(lines "$tmp/err")" 0 "all: silent"
cut -f1 "$tmp/out" | sort -rnc 2>/dev/null; check $? 0 "the longest first"
n=$(lines "$tmp/out")
# SQL counts the same.
"$GOTOP" sql --csv "select count(*) from span where dur > 1e6 and state = 'runnable'" $a $b 2>/dev/null | tail -n +2 | tr -d '\r' |
    awk -F, '{n += $2} END {print n}' >"$tmp/sql"
check "$n" "$(cat "$tmp/sql")" "hits, as SQL counts them"
check "$(awk -F'\t' '$1 <= 1000000 || $2 != "runnable"' "$tmp/out" | wc -l | tr -d ' ')" 0 "each of them matches"
# The longest alone is the first of many.
head -n 1 "$tmp/out" >"$tmp/first"
status 0 find --limit 1 --tsv 'dur>1ms state=runnable' $b $a; cmp -s "$tmp/out" "$tmp/first"; check $? 0 "the order of files changes nothing"

# A place is opened: lane and time.
place=$(cut -f7 "$tmp/first"); lane=${place##*:}; at=${place##*@}; at=${at%:*}; file=${place%@*}
status 0 --headless "$place"; cp "$tmp/out" "$tmp/opened"
status 0 --headless --lane "$lane@$at" "$file"; cmp -s "$tmp/out" "$tmp/opened"; check $? 0 "$place opens as --lane does"
status 0 --headless "$place" --view 3
cp $a "$tmp/x@1s:g1"; status 0 --headless "$tmp/x@1s:g1"; status 2 --headless "$a@soon:g1"; status 2 --headless "$a@1s:h1"

# A folder stands for the traces in it; what is none is passed over.
mkdir "$tmp/folder" "$tmp/folder/below"; cp $a $b "$tmp/folder"; echo text >"$tmp/folder/notes"; : >"$tmp/folder/empty"
status 0 find --limit 0 'dur>1ms state=runnable' "$tmp/folder/"; check "$(lines "$tmp/out")" "$n" "a folder"; check "$(lines "$tmp/err")" 0 "is silent"
status 0 sql --csv "select count(*) from span" "$tmp/folder"; check "$(lines "$tmp/out")" 3 "SQL over a folder"
status 0 sql --save "$tmp/f.db" "$tmp/folder"; status 2 find a "$tmp/folder/notes"

# Mistakes.
status 2 find 'nonsense=1' $a; check "$(lines "$tmp/err")" 1 "a wrong filter is said once"
status 2 find 'nonsense=1' $a $b; check "$(lines "$tmp/err")" 1 "and not for each trace"
status 2 find 'dur>1ms' "$tmp/missing" $a; [ -s "$tmp/out" ]; check $? 0 "a trace that is missing doesn't stop the others"
status 2 find 'dur>1ms'; status 2 find; status 2 find --limit x a $a; status 2 find --nothing a $a
status 0 find 'main.nobody' $a; check "$(lines "$tmp/out")" 0 "nothing matches"; check "$(cat "$tmp/err")" 'gotop find: no span matches' "and that is said"
head -c 20000 $b >"$tmp/cut"; status 3 find 'dur>1ms' "$tmp/cut"
finish
