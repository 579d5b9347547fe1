#!/bin/sh
# sql-cli.sh - gotop sql as a shell sees it: formats, limits, several traces, saved files, errors; and each question of docs/SQL.md.
. tests/scripts/common
needs "$GOTOP"
good=samples/tasks-1.27.trace
lines() { wc -l <"$1" | tr -d ' '; }
says() { grep -q -- "$1" "$tmp/err"; check $? 0 "said: $1"; }
sql() { want=$1; shift; status "$want" sql "$@"; }

# Each question of the documentation has an answer, in every format's oldest and newest sample.
awk '/^```sql$/ {n++; on = 1; next} /^```$/ {on = 0} on {print > (dir "/q" n ".sql")}' dir="$tmp" docs/SQL.md
[ "$(ls "$tmp" | grep -c '^q.*sql$')" -ge 20 ]; check $? 0 "twenty questions"
for t in $good samples/lock-cpu-1.27.trace samples/alloc-1.19.trace samples/workers-1.5.trace; do
    for q in "$tmp"/q*.sql; do
        sql 0 -f "$q" $t; [ "$(lines "$tmp/err")" = 0 ]; check $? 0 "$(basename $q) of $t: silent"
    done
done

# Formats hold the same cells.
ask="select g, name, t0, dur from span where state = 'runnable' and g < 80 order by t0 limit 5"
sql 0 "$ask" $good; check "$(lines "$tmp/out")" 7 "a table has heads, a line, rows"
sql 0 --csv "$ask" $good; tr -d '\r' <"$tmp/out" >"$tmp/csv"; check "$(lines "$tmp/csv")" 6 "csv"
sql 0 --tsv "$ask" $good; tr '\t' , <"$tmp/out" | cmp -s - "$tmp/csv"; check $? 0 "tsv has the cells of csv"
sql 0 --json "$ask" $good; check "$(grep -c '^{"g":' "$tmp/out")" 5 "json has an object for each row"
sql 0 --json "select 1 where 0" $good; check "$(cat "$tmp/out")" "[]" "json of no row"
sql 0 --csv "$ask" -o "$tmp/file" $good; check "$(lines "$tmp/out")" 0 "-o: silent"
tr -d '\r' <"$tmp/file" | cmp -s - "$tmp/csv"; check $? 0 "-o gives the same bytes"
echo "$ask" >"$tmp/ask.sql"
sql 0 --csv -f "$tmp/ask.sql" $good; tr -d '\r' <"$tmp/out" | cmp -s - "$tmp/csv"; check $? 0 "-f"
"$GOTOP" sql --csv - $good <"$tmp/ask.sql" 2>"$tmp/err" | tr -d '\r' | cmp -s - "$tmp/csv"; check $? 0 "SQL from standard input"
"$GOTOP" sql --csv "$ask" - <$good 2>"$tmp/err" | tr -d '\r' | cmp -s - "$tmp/csv"; check $? 0 "a trace from standard input"
sql 0 --csv "select 1 a; select 2 b;" $good; check "$(tr -d '\r\n' <"$tmp/out")" "a1b2" "two statements"

# Limits.
sql 0 --csv "select 1 from span" --limit 3 $good; check "$(lines "$tmp/out")" 4 "--limit"; says 'the first 3 rows'
sql 0 --csv "select 1 from span" --limit 0 $good; check "$(lines "$tmp/err")" 0 "--limit 0 leaves nothing out"
sql 2 --timeout 20ms "with recursive r(i) as (select 1 union all select i+1 from r) select max(i) from r" $good; says 'too long'
sql 2 --max-memory 30M "with recursive r(i) as (select 1 union all select i+1 from r limit 3000000) select i from r order by i*7919%1000003" $good
says 'out of memory'

# Several traces.
sql 0 --csv "select count(*) from span" samples/tasks-1.2[57].trace; check "$(tr -d '\r' <"$tmp/out" | cut -d, -f1 | tr '\n' ' ')" \
    "trace samples/tasks-1.25.trace samples/tasks-1.27.trace " "a column tells the trace"
sql 2 "select count(*) from span" "$tmp/missing" $good; grep -q tasks-1.27 "$tmp/out"; check $? 0 "a trace that is missing doesn't stop the others"
head -c 9000 $good >"$tmp/cut"; sql 3 "select count(*) from span" "$tmp/cut"; says 'only a part'

# Errors point at the word; nothing is written, no file opened.
sql 2 "select sate from span" $good; says '^         ^'
sql 2 "select sate from span" $good $good; check "$(lines "$tmp/err")" 4 "said once, not for each trace"
sql 2 "select * from foo" $good $good; says schema; check "$(lines "$tmp/err")" 2 "a missing table is told once"
sql 2 $good "select 1"; says 'SQL comes first'
sql 2 "attach '$tmp/x.db' as x" $good; says 'only SELECT'; [ ! -e "$tmp/x.db" ]; check $? 0 "no file"
sql 2 "select load_extension('$tmp/x')" $good
sql 2 "select 1" ; sql 2 ; sql 2 --limit x "select 1" $good; sql 2 --nonsense "select 1" $good; sql 2 -f "$tmp/none" $good
sql 0 --schema; grep -q '^span: ' "$tmp/out"; check $? 0 "--schema"
sql 0 "select 'http://x' a" $good

# A saved file is one of SQLite's own; what it holds is what is asked for.
sql 0 --save "$tmp/s.db" samples/tasks-1.25.trace $good
check "$(head -c 15 "$tmp/s.db")" "SQLite format 3" "a plain file"; [ ! -e "$tmp/s.db.part" ]; check $? 0 "nothing beside it"
if command -v sqlite3 >/dev/null 2>&1; then
    sqlite3 -csv "$tmp/s.db" "select trace, count(*), sum(dur) from span group by trace order by 1" | tr -d '\r' >"$tmp/saved"
    sql 0 --csv "select count(*), sum(dur) from span" samples/tasks-1.25.trace $good; tr -d '\r' <"$tmp/out" | tail -n +2 | cmp -s - "$tmp/saved"
    check $? 0 "a saved file has the same rows"
fi
sql 2 --save "$tmp/no/such/s.db" $good

# Other tools' formats that are queries (docs/EXPORTS.md).
for t in $good samples/http-1.26.trace samples/lock-cpu-1.27.trace samples/workers-1.5.trace samples/http-1.19.trace; do
    sql 0 --tsv --limit 0 -f docs/folded.sql $t; sed 1d "$tmp/out" >"$tmp/folded"
    check "$(grep -cv '^[a-z][^ ].* [0-9][0-9]*$' "$tmp/folded")" 0 "each line is a stack and a number: $t"
    sql 0 --csv "select sum(dur) from goroutine" $t; check "$(awk '{ s += $NF } END { printf "%.0f", s }' "$tmp/folded")" \
        "$(sed 1d "$tmp/out" | tr -d '\r')" "together they are all lives: $t"
    sql 0 --tsv --limit 0 -f docs/perfetto.sql $t; cp "$tmp/out" "$tmp/json"
    sql 0 --csv "select (select count(*) from span where state <> 'not recorded') + (select count(*) from range where kind in ('mark', 'stop-the-world'))
        + (select count(*) from proc_span where state not in ('idle', 'not recorded'))" $t
    check "$(grep -c '"ph":"X"' "$tmp/json")" "$(sed 1d "$tmp/out" | tr -d '\r')" "a slice for each span: $t"
    if command -v python3 >/dev/null 2>&1; then
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$tmp/json"; check $? 0 "Perfetto's JSON is JSON: $t"
    fi
done
sed 's/select 0, dur + 1 from trace/select 1000000, 2000000/' docs/perfetto.sql >"$tmp/part.sql"; sql 0 --tsv --limit 0 -f "$tmp/part.sql" $good
check "$(grep -o '"ts":[0-9.]*' "$tmp/out" | tr -d '":a-z' | awk '$1 < 1000 || $1 > 2000' | wc -l | tr -d ' ')" 0 "a part is cut at its ends"

# The tables of docs/REPORT.md that a report does not have.
sed -n 's/^| [^|]* | `\(select .*\)` |$/\1/p' docs/REPORT.md >"$tmp/queries"
check "$(lines "$tmp/queries")" 16 "queries in docs/REPORT.md"
while read -r query; do sql 0 --json "$query" samples/lock-cpu-1.27.trace; done <"$tmp/queries"
sql 0 "$(sed -n "s/^\`gotop sql '\(.*\)' old.trace new.trace\`.$/\1/p" docs/REPORT.md)" samples/tasks-1.25.trace $good; grep -q wait "$tmp/out"; check $? 0 "regions of two traces"

# Which of many is worst, and which are unlike the others: the lines of docs/REPORT.md, of a folder's traces.
mkdir "$tmp/many"; for i in 1 2 3 4 5 6; do cp samples/tasks-1.27.trace "$tmp/many/$i.trace"; done; cp samples/alloc-1.27.trace "$tmp/many/odd.trace"
case $GOTOP in /*) own=$GOTOP ;; *) own=$PWD/$GOTOP ;; esac
grep '^    gotop sql .* [*].trace |' docs/REPORT.md | sed "s,gotop sql,$own sql," >"$tmp/lines"; check "$(lines "$tmp/lines")" 2 "lines of many traces"
(cd "$tmp/many" && sed -n 1p "$tmp/lines" | sh | head -n 1 | cut -f1) >"$tmp/out"; check "$(cat "$tmp/out")" odd.trace "the worst first"
if command -v sqlite3 >/dev/null 2>&1; then
    (cd "$tmp/many" && sed -n 2p "$tmp/lines" | sh) >"$tmp/out"
    check "$(cut -d'|' -f1 "$tmp/out" | sort -u)" odd.trace "the odd one alone"; grep -q '|stw.max|' "$tmp/out"; check $? 0 "with its reasons"
fi

finish
