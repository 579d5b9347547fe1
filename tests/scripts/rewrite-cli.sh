#!/bin/sh
# rewrite-cli.sh - info, slice and anonymize as a shell sees them: exit statuses, files that are spared, damaged traces.
. tests/scripts/common
needs "$GOTOP"
status() { # status WANT ARG..
    want=$1; shift
    "$GOTOP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    check $? "$want" "gotop $*"
}
one_line() { check "$(wc -l <"$tmp/err" | tr -d ' ')" 1 "$1: one line says why"; }

for good in samples/http-1.26.trace samples/lock-1.23.trace samples/http-1.21.trace samples/workers-1.7.trace; do
    status 0 slice --from 10% --to 60% -o "$tmp/s" $good; check "$(wc -c <"$tmp/err")" 0 "silent"
    [ "$(wc -c <"$tmp/s")" -lt "$(wc -c <$good)" ] || fail "$good: the slice is no smaller"
    status 0 report "$tmp/s"
    "$GOTOP" slice --from 10% --to 60% -o - $good >"$tmp/o" 2>"$tmp/err"; cmp -s "$tmp/s" "$tmp/o"; check $? 0 "$good: the same to standard output"
    status 0 slice --from 0 -o "$tmp/all" $good; cmp -s "$tmp/all" $good; check $? 0 "$good: all of it is the trace"
    gzip -c $good >"$tmp/t.gz"
    status 0 slice --from 10% --to 60% -o "$tmp/z" "$tmp/t.gz"; cmp -s "$tmp/s" "$tmp/z"; check $? 0 "$good: the same from gzip"
    "$GOTOP" slice --to 1ms -o "$tmp/p" - <$good 2>"$tmp/err"; check $? 0 "$good: from standard input"
    # the trace itself is spared, by any name
    cp $good "$tmp/t"; ln -sf "$tmp/t" "$tmp/link"; ln -f "$tmp/t" "$tmp/hard"
    for o in t link hard; do
        status 2 slice --to 1ms -o "$tmp/$o" "$tmp/t"; one_line "over itself"
        cmp -s "$tmp/t" $good; check $? 0 "$good: spared as $o"
    done
    status 2 slice --from 1h -o "$tmp/never" $good; one_line "behind the end"
    status 2 slice --from 2ms --to 1ms -o "$tmp/never" $good; one_line "backwards"
    status 2 slice --from 2ms --to 3ms $good; one_line "no -o"
    status 2 slice -o "$tmp/never" $good; one_line "no range"
    status 2 slice --from 1ms -o "$tmp/no/such/folder" $good; one_line "no folder"
    [ -e "$tmp/never" ] && fail "$good: a file is there that was never to be"
    # cut short: before Go 1.22 what there is up to there, from it on no generation is whole
    head -c $(($(wc -c <$good) * 2 / 3)) $good >"$tmp/cut"
    case $good in
    *-1.2[2-9].trace)
        status 2 slice --from 1us -o "$tmp/never" "$tmp/cut"; one_line "cut short"
        grep -q 'no generation in this range is sound: ' "$tmp/err"; check $? 0 "$good: it says why" ;;
    *)
        status 3 slice --from 1us -o "$tmp/half" "$tmp/cut"; one_line "cut short"
        status 0 report "$tmp/half" ;;
    esac

    status 0 anonymize -o "$tmp/an" --map "$tmp/map" $good; check "$(wc -c <"$tmp/err")" 0 "silent"
    status 0 report "$tmp/an"
    check "$(grep -a -c 'main\.main' "$tmp/an")" 0 "$good: main.main is gone"
    check "$(grep -a -c 'main\.main' "$tmp/map")" 1 "$good: the map says what it became"
    status 0 anonymize --map="$tmp/map2" -o - $good; cmp -s "$tmp/out" "$tmp/an"; check $? 0 "$good: the same to standard output"
    cmp -s "$tmp/map" "$tmp/map2"; check $? 0 "$good: the same map"
    for o in t link hard; do
        status 2 anonymize -o "$tmp/$o" "$tmp/t"; one_line "over itself"
        status 2 anonymize -o "$tmp/an2" --map "$tmp/$o" "$tmp/t"; one_line "its map over itself"
        cmp -s "$tmp/t" $good; check $? 0 "$good: spared as $o"
    done
    status 2 anonymize -o "$tmp/never" --map "$tmp/never" $good; one_line "map and trace in one"
    status 2 anonymize $good; one_line "no -o"
    status 3 anonymize -o "$tmp/an2" "$tmp/cut"; one_line "cut short"
    [ -s "$tmp/an2" ] || fail "$good: nothing written of a trace cut short"
    status 0 info $good; check "$(wc -c <"$tmp/err")" 0 "silent"
    check "$(grep -c '^  none$' "$tmp/out")" 1 "$good: no damage"
    "$GOTOP" info --json - <$good >"$tmp/j1" 2>"$tmp/err"; check $? 0 "$good: from standard input"
    "$GOTOP" info "$tmp/t.gz" 2>"$tmp/err" | grep -q compressed; check $? 0 "$good: from gzip"
    status 3 info "$tmp/cut"
    check "$(grep -c '^  none$' "$tmp/out")" 0 "$good: damage is told"
    # cut and without names, both ways round
    status 0 anonymize -o "$tmp/sa" "$tmp/s"; status 0 report "$tmp/sa"
    status 0 slice --from 10% --to 60% -o "$tmp/as" "$tmp/an"; status 0 report "$tmp/as"
done
# From the screen: a key on the window; a file that is there stands, but for one that this session wrote. Without the sandbox it is
# asked for twice, and the trace itself is spared.
mkdir "$tmp/v" && cp samples/http-1.27.trace "$tmp/v/t" && cd "$tmp/v" || exit 1
case $GOTOP in /*) ;; *) GOTOP=$OLDPWD/$GOTOP ;; esac
shows() { # shows KEYS TEXT
    "$GOTOP" --headless $open --size 80x24 --keys "$1" t >"$tmp/out" 2>"$tmp/err"; check $? 0 "keys $1"
    grep -q "$2" "$tmp/out"; check $? 0 "$1 shows '$2'"
}
open=
shows '2 w w Y n e w Enter' 'events in new'
[ -s new ] || fail "the screen's slice is not there"
cp new was
if [ "$("$GOTOP" --version | grep -c 'Landlock.*seccomp')" = 1 ]; then
    shows '2 w w w w Y n e w Enter Y n e w Enter' 'is there already: give a new name'; cmp -s new was; check $? 0 "not written over"
    shows '2 w w w w Y n e x Enter Y n e x Enter Y n e x Enter' 'events in nex'; [ -s nex ]; check $? 0 "its own is"
    shows '2 Y . n e w Enter' 'and aren.t hidden'; [ ! -e .new ]; check $? 0 "no hidden file"
    shows '2 Y t Enter Y t Enter' 'is there already'; cmp -s t "$OLDPWD/samples/http-1.27.trace"; check $? 0 "the trace is spared"
fi
open=--no-sandbox
shows '2 w w w w Y n e w Enter' 'is there already'; cmp -s new was; check $? 0 "not written over at once"
shows '2 w w w w Y n e w Enter Y n e w Enter' 'events in new'; cmp -s new was; check $? 1 "written over when asked twice"
shows '2 Y t Enter Y t Enter' 'that file is read here'; cmp -s t "$OLDPWD/samples/http-1.27.trace"; check $? 0 "the trace is spared"
shows '2 Y a b Esc' '? keys'
cd "$OLDPWD" || exit 1

# Of three generations the second is broken: the slice ends before it; what is behind it is another slice.
cp samples/http-long-1.27.trace "$tmp/names"
printf '\377' | dd of="$tmp/names" bs=1 seek=75000 conv=notrunc 2>/dev/null
status 3 slice --from 0 -o "$tmp/named" "$tmp/names"; one_line "a generation is left out"
grep -q 'written up to 1.001591 s, where the trace is damaged: ' "$tmp/err"; check $? 0 "it says where it ends"
status 0 report "$tmp/named"
status 0 slice --from 2.1s -o "$tmp/named" "$tmp/names"; check "$(wc -c <"$tmp/err")" 0 "behind it: silent"
status 2 slice --from 1.2s --to 1.9s -o "$tmp/never" "$tmp/names"; one_line "in it"
grep -q 'no generation in this range is sound: ' "$tmp/err"; check $? 0 "in it: it says why"

status 2 slice --from 1ms -o "$tmp/never" "$tmp/missing"; one_line "missing"
status 2 slice --from 1ms -o "$tmp/never" README.md; one_line "no trace"
# what a command would ignore it refuses
for o in '--from 1ms' '--to 1ms' "-o $tmp/never"; do
    status 2 info $o samples/http-1.27.trace; one_line "info of a part"
done
[ -e "$tmp/never" ] && fail "a file is there that was never to be"
status 0 slice --help
status 0 anonymize --help
status 0 info --help
status 2 info; status 2 info README.md; one_line "no trace"
status 2 anonymize -o "$tmp/never" README.md; one_line "no trace"
ls -A "$tmp" | grep -q '\.......$' && fail "a temporary file is left: $(ls -A "$tmp")"

finish
