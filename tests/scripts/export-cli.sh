#!/bin/sh
# export-cli.sh - the exports as a shell sees them: exit statuses, pipes, partial traces, one line of error.
. tests/scripts/common
needs "$GOTOP"
good=samples/http-1.26.trace
lines() { wc -l <"$1" | tr -d ' '; }

# Done, the same through -o and a pipe, and from standard input.
for c in 'pprof --kind sync' 'pprof --kind sched --all'; do
    status 0 $c $good; check "$(lines "$tmp/err")" 0 "$c: silent on standard error"
    [ -s "$tmp/out" ] || fail "$c: nothing written"
    cp "$tmp/out" "$tmp/a"
    status 0 $c -o "$tmp/file" $good; check "$(lines "$tmp/out")" 0 "$c -o: silent on standard output"
    cmp -s "$tmp/a" "$tmp/file"; check $? 0 "$c: -o gives the same bytes"
    "$GOTOP" $c - <$good >"$tmp/b" 2>"$tmp/err"; check $? 0 "$c from standard input"
    cmp -s "$tmp/a" "$tmp/b"; check $? 0 "$c: standard input gives the same bytes"
    "$GOTOP" $c $good 2>"$tmp/err" | head -c 1 >/dev/null; check "$(lines "$tmp/err")" 0 "$c: a reader that goes away"
    status 2 $c "$tmp/missing"; check "$(lines "$tmp/err")" 1 "$c: a missing file is one line"
    status 2 $c -o "$tmp/no/such/folder" $good; check "$(lines "$tmp/err")" 1 "$c: no place to write is one line"
    status 0 ${c%% *} --help
done

# A part of a trace: written, said, status 3.
head -c 20000 $good >"$tmp/cut"
for c in 'pprof --kind net' 'pprof --kind syscall'; do
    status 3 $c -o "$tmp/part" "$tmp/cut"; check "$(grep -c 'only a part' "$tmp/err")" 1 "$c of a part: one line says so"
    grep -q 'only a part' "$tmp/err"; check $? 0 "$c of a part says so"
    [ -s "$tmp/part" ] || fail "$c of a part: nothing written"
    status 2 $c --strict -o "$tmp/strict" "$tmp/cut"; [ -e "$tmp/strict" ] && fail "$c --strict left a file"
done

# gzip inside and out
gzip -c $good >"$tmp/t.gz"
status 0 pprof --kind sync "$tmp/t.gz"; cp "$tmp/out" "$tmp/a"
gzip -t <"$tmp/a" 2>"$tmp/err"; check $? 0 "a profile is gzip"
status 0 pprof --kind sync $good; cmp -s "$tmp/a" "$tmp/out"; check $? 0 "a compressed trace gives the same profile"

# Escape sequences in a file's name don't reach the terminal.
status 2 pprof --kind net "$(printf '%s/\033[31mred' "$tmp")"
LC_ALL=C grep -q "$(printf '\033')" "$tmp/err"; check $? 1 "an escape sequence in a name"
ls "$tmp" | grep -q '\.......$' && fail "a temporary file is left: $(ls "$tmp")"

finish
