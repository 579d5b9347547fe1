#!/bin/sh
# tui-cli.sh - the command line: exit statuses, one-line errors, the keymap tools, a reader that goes away.
. tests/scripts/common
needs "$GOTOP"
export XDG_CONFIG_HOME="$tmp/config"
unset NO_COLOR
good=samples/http-1.26.trace
says() { if grep -qF -- "$1" "$tmp/out" "$tmp/err"; then pass; else fail "does not say '$1'"; fi; }
one_line() { if [ "$(wc -l <"$tmp/err")" = 1 ] && [ ! -s "$tmp/out" ]; then pass; else fail "not one line: $1"; fi; }

status 0 --help; if head -n 1 "$tmp/out" | grep -q 'trace viewer'; then pass; else fail "the first line of --help"; fi
"$GOTOP" <"$good" >"$tmp/out" 2>"$tmp/err"; says '99 goroutines' # what is piped in is the trace
cat "$good" | "$GOTOP" --headless --view 3 >"$tmp/out" 2>"$tmp/err"; says '[3:goroutines]'
"$GOTOP" </dev/null >"$tmp/out" 2>"$tmp/err"; says 'Name a trace:'
status 2 --headless --keymap no-such "$good"; says 'there are default, emacs, vi'
status 0 --version; says gotop
# the same in a word, unless a file has that name or "--" says that it is one
status 0 help; if head -n 1 "$tmp/out" | grep -q 'trace viewer'; then pass; else fail "the first line of help"; fi
status 0 version; says 'sandbox:'
status 0 help explain; says 'SUBJECT  g123'
status 2 -- help; one_line "help behind --"; says "help: can't open"
cp samples/http-1.26.trace "$tmp/help"; (cd "$tmp" && "$GOTOP" --headless help >"$tmp/out" 2>&1); says 4P
status 2; says 'gotop trace.out'
status 2 --no-such-option; one_line option
status 2 $good another; one_line "a second trace that is not there"; says another
status 0 $good; cp "$tmp/out" "$tmp/a"; status 0 report $good # no terminal here: the report
if [ -s "$tmp/a" ] && cmp -s "$tmp/a" "$tmp/out"; then pass; else fail "without a terminal: no report"; fi

# a command behind options: that it comes first, unless a file has that name or "--" says that it is one
status 2 --threads 1 dump $good; one_line "a late command"; says 'gotop: dump: no such file; a command comes before its options: gotop dump ..'
status 2 --threads 1 -- dump; one_line "a name behind --"; says "dump: can't open"
cp $good "$tmp/dump"; (cd "$tmp" && "$GOTOP" --headless dump >"$tmp/out" 2>&1); says 4P

# a command with a letter wrong: which there are; and one of several files that is none: each name once
status 2 reprot $good; one_line "a slip"; says 'gotop: reprot: no such file or command; the commands are report diff explain'
status 2 anonimize -o x $good; status 2 anonimize $good; says ' slice anonymize dump'
cp $good "$tmp/reprot"; (cd "$tmp" && "$GOTOP" --headless reprot >"$tmp/out" 2>&1); says 4P
status 2 trace.out $good; one_line "a missing one of two"; says "gotop report: these traces: trace.out: can't open"
status 2 report --timeline $good nothing; says "gotop report: these traces: nothing: can't open"

# unreadable: status 2, a line with file and offset
: >"$tmp/empty"
printf 'not a trace at all, just text' >"$tmp/text"
printf 'go 1.26 trace\0\0\0' >"$tmp/header"
for f in "$tmp/empty" "$tmp/text" "$tmp" "$tmp/missing" "$tmp/header"; do
    for how in --headless dump; do status 2 $how "$f"; one_line "$how $f"; says "gotop: $f: "; done
done
status 2 --headless "$tmp/text"; says 'offset 0'
status 2 --headless "$(printf '%s/\033[31mred' "$tmp")"
if LC_ALL=C grep -q "$(printf '\033')" "$tmp/err"; then fail "a name's escape sequence reached the terminal"; else pass; fi

# whole and cut
status 0 dump $good
size=$(wc -c <$good)
head -c $((size / 2)) $good >"$tmp/cut"
status 3 dump "$tmp/cut"; if tail -n 1 "$tmp/out" | grep -q '^D'; then pass; else fail "no D record at the end"; fi
status 0 --headless "$tmp/cut"; says PARTIAL
status 2 --headless --strict "$tmp/cut"; one_line strict
"$GOTOP" --headless - <$good >"$tmp/pipe" 2>&1; "$GOTOP" --headless $good >"$tmp/file" 2>&1
sed 1d "$tmp/pipe" >"$tmp/a"; sed 1d "$tmp/file" >"$tmp/b"
if cmp -s "$tmp/a" "$tmp/b"; then pass; else fail "standard input shows something else"; fi
gzip -c $good >"$tmp/x.gz"; "$GOTOP" --headless "$tmp/x.gz" | sed 1d >"$tmp/a"
if cmp -s "$tmp/a" "$tmp/b"; then pass; else fail "gzip shows something else"; fi

# headless is a function of trace, size and script
"$GOTOP" --headless --size 200x60 --styles --threads 1 --keys 'w w 3 j /main Enter n' $good >"$tmp/a"
"$GOTOP" --headless --size 200x60 --styles --threads 4 --keys 'w w 3 j /main Enter n' $good >"$tmp/b"
if cmp -s "$tmp/a" "$tmp/b" && [ "$(wc -l <"$tmp/a")" = 120 ]; then pass; else fail "two runs differ"; fi
status 2 --headless --keys 'what-is-this' $good; one_line keys
LC_ALL=C "$GOTOP" --headless $good >"$tmp/out"
if LC_ALL=C grep -q "$(printf '[\200-\377]')" "$tmp/out"; then fail "more than ASCII in a C locale"; else pass; fi

# a picture: the words of the screen, one shape or text a line, in the palette's colours; well-formed whatever the names
status 0 --svg --size 100x30 --view 2 $good; says '>P0</text>'; says 'goroutines that ran most'
if LC_ALL=C grep -vqE '^<svg [^<>]*>$|^<rect [^<>]*/>$|^<text [^<>]*>([^<>&]|&(lt|gt|amp);)*</text>$|^</svg>$' "$tmp/out"; then
    fail "--svg is not well-formed"
else pass; fi
[ "$(grep -c '<rect' "$tmp/out")" -gt 100 ] && pass || fail "a picture without bars"
"$GOTOP" --svg --palette light $good >"$tmp/a"; "$GOTOP" --svg --palette dark $good >"$tmp/b"
if cmp -s "$tmp/a" "$tmp/b"; then fail "light looks like dark"; else pass; fi

# a reader that goes away is no error
"$GOTOP" dump $good 2>"$tmp/err" | head -n 1 >/dev/null
if [ -s "$tmp/err" ]; then fail "complains about a closed pipe"; else pass; fi
if [ -e /dev/full ]; then
    "$GOTOP" --headless $good >/dev/full 2>"$tmp/err"; rc=$?
    if [ $rc = 2 ] && [ -s "$tmp/err" ]; then pass; else fail "a full disk goes unnoticed (status $rc)"; fi
fi

# keymaps
status 0 --list-actions; says zoom-in
for m in default vi emacs; do
    status 0 --check-keymap $m
    status 0 --dump-keymap $m; cp "$tmp/out" "$tmp/map"
    status 0 --check-keymap "$tmp/map"
    status 0 --headless --keymap "$tmp/map" $good
done
status 0 --check-keymap default; if grep -v "'F1' for help\|'F10' for quit\|'C-b' for lane-page-up" "$tmp/out"; then fail "default has warnings"; else pass; fi
printf 'include default\nbind any X no-such-action\nbind any g g quit\n' >"$tmp/bad"
status 1 --check-keymap "$tmp/bad"; says "$tmp/bad:2: unknown action 'no-such-action'"; says "$tmp/bad:3: 'g g' can't be typed"
status 2 --headless --keymap "$tmp/bad" $good; says "$tmp/bad:2:"
status 2 --headless --keymap no-such-map $good; one_line keymap
mkdir -p "$XDG_CONFIG_HOME/gotop"
printf 'include default\nbind any X view-threads\nbind any Y oops\n' >"$XDG_CONFIG_HOME/gotop/default.keys"
status 0 --headless --keys X $good; says 'oops'; says 'M'
rm -r "$XDG_CONFIG_HOME"
if sh docs/keys.sh | cmp -s - docs/KEYS.md; then pass; else fail "docs/KEYS.md is old: sh docs/keys.sh >docs/KEYS.md"; fi

finish
