#!/bin/sh
# words.sh - one word for one thing: what triage/words.def says that nobody says, nobody says. It looks at what the
# program's strings, the docs and the printed pages that tests keep have in them; --selftest: it would find it there.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8
docs='README.md docs/SCREENS.md docs/REPORT.md docs/FILTERS.md docs/LIVE.md docs/KEYS.md docs/RECIPES.md docs/SQL.md
    docs/EXPORTS.md docs/RULES.md docs/AGENTS.md docs/gotop.1'
strings() { # strings FILE.. - what stands between quotes outside of comments, "file:line:text" each
    perl -ne '
        $in = 0 if eof; s{/\*.*?\*/}{}g;
        if ($in) { s{^.*?\*/}{} ? ($in = 0) : next }
        $in = 1 if s{/\*.*}{};
        print "$ARGV:$.:$1\n" while /"((?:[^"\\]|\\.)*)"/g;
        close ARGV if eof' "$@"
}
# A pattern and its word a line, as grep -E reads it.
sed -n 's/^NOT("\(.*\)", "\(.*\)")$/\1	\2/p' triage/words.def | sed 's/\\\\/\\/g' >"$tmp/not"
[ "$(wc -l <"$tmp/not")" -gt 5 ] || { echo "no patterns in triage/words.def"; exit 1; }
strings $(find layout triage viewer \( -name '*.c' -o -name '*.h' -o -name '*.def' \) ! -name words.def | sort) >"$tmp/text"
grep -n '' $docs >>"$tmp/text"
grep -n '' tests/screens/*.screen tests/golden/report-*.txt >>"$tmp/text"
# What one types (a filter's other words, names of metrics and of keys in JSON), and a function's name, is no word of ours.
sed -E 's/blocked:(REASON)?//g; s/`[a-z_.]*`//g; s/gcBgMarkWorker|StopTheWorld//g' "$tmp/text" |
    grep -vE '"?(triage/query/filter\.c|triage/sql/sql_cells\.c|triage/tables/metrics\.c):[0-9]+:(blocked|ready)$' >"$tmp/clean"
[ "$1" != --selftest ] || echo 'x.c:1:4 ready, 2 blocked' >>"$tmp/clean"
failed=0
while IFS='	' read -r pattern word; do
    grep -E "^[^:]*:[0-9]*:.*($pattern)" "$tmp/clean" >"$tmp/found" || continue
    failed=$((failed + 1))
    echo "say \"$word\" instead of what $pattern finds:"
    head -n 12 "$tmp/found" | cut -c 1-160
done <"$tmp/not"
echo "$(($(wc -l <"$tmp/not") - failed)) passed, $failed failed"
[ "$failed" = 0 ]
