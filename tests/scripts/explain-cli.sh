#!/bin/sh
# explain-cli.sh - `gotop explain` of all tasks or regions of a name, and what `gotop diff --json` says of such: the numbers are
# those of `gotop sql`; and what it says of a subject that isn't there, or of a wrong line.
. tests/scripts/common
needs "$GOTOP"
trace=samples/tasks-1.27.trace

# rows TABLE NAME - durations (ns), the longest first; also of those that are open
rows() { "$GOTOP" sql --csv "select dur from $1 where name = '$2' order by dur desc" $trace | tr -d '\r' | tail -n +2; }
ms() { awk -v ns="$1" 'BEGIN { ms = ns / 1e6; printf ms < 10 ? "%.2fms" : "%.1fms", ms }'; }
for what in 'task order' 'region cook'; do
    set -- $what
    rows "$1" "$2" >"$tmp/rows"
    n=$(wc -l <"$tmp/rows" | tr -d ' ')
    half=$(ms "$(sed -n "$((n / 2 + 1))p" "$tmp/rows")") longest=$(ms "$(head -n 1 "$tmp/rows")")
    one=$(ms "$(sed -n "$((n / 100 + 1))p" "$tmp/rows")")
    status 0 explain $trace "$1:$2"
    check "$(head -n 1 "$tmp/out")" "$1 $2: $n, half of them $half or less, 1% $one or more, the longest $longest" "$1:$2"
    check "$(grep -c '^  share    slow     time   count  what$' "$tmp/out")" 1 "$1:$2 has a slowest tenth"
    status 0 explain --json $trace "$1:$2"
done
# Of one, it says when it was.
status 0 explain $trace g1
head -n 1 "$tmp/out" | grep -q '^G1 main.main, 0[.][.]38.7ms, 38.7ms$'; check $? 0 "of a goroutine it says when it was"

status 2 explain $trace task:nothing; grep -q "no task of that name in this trace: gotop sql 'select distinct name from task' lists them" "$tmp/err"; check $? 0 "which asks for names"
status 2 explain $trace region:nothing; grep -q "name from region' lists them" "$tmp/err"; check $? 0 "and of regions"
# Ids that other commands print: places.
place=$("$GOTOP" sql --csv "select link(t0, 'g', g) from wait where dur > 1e5 and waker is not null order by dur desc limit 1" $trace | tail -n 1 | tr -d "\r")
status 0 explain "$place"; cp "$tmp/out" "$tmp/linked"; lane=${place##*:}; at=${place##*@}; at=${at%:*}
status 0 explain $trace "$lane@$at"; cmp -s "$tmp/out" "$tmp/linked"; check $? 0 "a link is file and place"
head -n 1 "$tmp/out" | grep -q "^G${lane#g} .*[.][.]"; check $? 0 "of a moment it is the span there"
"$GOTOP" report --json samples/http-1.27.trace | sed -n 's/^ *"place": "\(g.*@.*\)",*$/\1/p' >"$tmp/places"
"$GOTOP" sql --csv "select at(t0, 'g', g) from verdict where g is not null" samples/http-1.27.trace | tr -d '\r' | tail -n +2 | cmp -s - "$tmp/places"; check $? 0 "JSON and SQL have the same places"
status 2 explain $trace lock-convoy; grep -q "a subject is g123" "$tmp/err"; check $? 0 "no finding is one"; status 2 explain $trace stack:1; status 2 explain $trace g1@9s; status 2 explain $trace@9s:g1

status 2 explain $trace main.nothing; status 2 explain $trace g99999
status 2 explain; status 2 explain $trace; status 2 explain $trace g1 g2; status 2 explain --nothing $trace g1
status 2 explain --exe; status 2 explain --strict "$tmp" g1

# What tasks of a name became: as many as the table has whole, as long on average; and what a run beside itself did not.
status 0 diff --json samples/tasks-1.19.trace $trace
whole=$("$GOTOP" sql --csv "select count(*) || ' ' || (sum(dur) / count(*)) from task where name = 'order' and not open_start and not open_end" $trace | tr -d '\r' | tail -n 1)
tr -d ' \n' <"$tmp/out" | grep -q '"kind":"tasks","name":"order","handler":"main.order","count":{"old":[0-9]*,"new":'"${whole% *}"'},"p50_ns":{"old":[0-9]*,"new":[0-9]*},"p99_ns":{"old":[0-9]*,"new":[0-9]*},"avg_ns":{"old":[0-9]*,"new":'"${whole#* }"'},'
check $? 0 "the order is told of"
status 0 diff --json samples/lock-1.21.trace samples/lock-1.26.trace
tr -d ' \n' <"$tmp/out" | grep -q '"what":"running","func":"main.(\*bank).clerk","ns":{"old":[0-9]*,"new":[0-9]*}'
check $? 0 "and where a piece spends more"
finish
