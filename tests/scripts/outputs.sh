#!/bin/sh
# outputs.sh - the file of -o, by the shipped program in its sandbox: never one that is read, by whatever name; else as ">" takes it.
. tests/scripts/common
needs "$GOTOP"
cp samples/workers-1.11.trace "$tmp/was"; cp samples/http-1.27.trace "$tmp/two"
exe=$GOTOP
cd "$tmp" || exit 1

kept() { # kept FILE WHAT - it is what it was, and nothing stands beside it
    cmp -s "$1" "$1.was"; check $? 0 "$2 spares $1"
    check "$(find . -name '*.????????' | wc -l | tr -d ' ')" 0 "files beside it that $2 leaves"
}
cp was in; cp was in.was; ln in hard; ln -s in link; ln -s "$tmp/link" link2; mkdir folder; ln -s ../in folder/link
gzip -c was >in.gz; cp in.gz in.gz.was
zip -q in.zip was two; cp in.zip in.zip.was

# Each command that has -o. The trace is also standard input.
for c in "report @" "report --json @" "sql select(1) @" "pprof --kind sync @" "slice --from 10% @" "slice --to 1ms @" \
    "anonymize @" "explain @ g1" "explain --json @ g1" "diff was @" "diff @ was"; do
    for o in in ./in hard link link2 folder/link "$tmp/in" /dev/stdin; do
        "$GOTOP" $(echo "$c" | sed 's|@|in|') -o "$o" <in >out 2>err; check $? 2 "status of $c -o $o"
        grep -q 'that file is read here' err; check $? 0 "$c -o $o says why"
        kept in "$c -o $o"
    done
    "$GOTOP" $(echo "$c" | sed 's|@|in.gz|') -o in.gz >out 2>err; check $? 2 "status of $c, compressed"; kept in.gz "$c"
    "$GOTOP" $(echo "$c" | sed 's|@|in.zip:was|') -o in.zip >out 2>err; check $? 2 "status of $c, a member"; kept in.zip "$c"
    case $c in *%*) continue ;; esac
    "$GOTOP" $(echo "$c" | sed 's|@|-|') -o in <in >out 2>err; check $? 2 "status of $c, standard input"; kept in "$c -"
done
status 2 report two in -o in; kept in "the second of several"
status 2 report in two -o in; kept in "the first of several"
status 2 anonymize --map in -o new in; kept in "--map"; [ ! -e new ]; check $? 0 "nothing is written"
status 2 anonymize --map new -o ./new in; [ ! -e new ]; check $? 0 "one file for both is refused"
cp "$exe" prog; cp prog prog.was; "$GOTOP" report --exe prog -o prog in >out 2>err; [ $? != 0 ] || cmp -s prog prog.was; check $? 0 "--exe"; rm -f prog prog.was
status 2 --headless --follow -o in in; kept in "following it"
"$GOTOP" --headless --follow -o in - <in >out 2>err; check $? 2 "following standard input"; kept in "following it"
"$GOTOP" report in >>in 2>err; check $? 2 "standard output is the trace"; kept in ">> in"
"$GOTOP" pprof --kind sync in >>in 2>err; check $? 2 "pprof to the trace"; kept in "pprof >> in"

# As the shell would: modes, links, long names.
umask 022
for m in 600 640 755; do echo before >old; chmod $m old; status 0 pprof --kind sync -o old in; check "$(stat -c %a old)" $m "a file's mode"; done
rm -f old; status 0 pprof --kind sync -o old in; check "$(stat -c %a old)" 644 "a new file's mode"
size=$(wc -c <old)
ln -s made dangling; status 0 pprof --kind sync -o dangling in; [ -L dangling ]; check $? 0 "a link stays one"; check "$(wc -c <made)" "$size" "where it leads to"
status 0 pprof --kind sync -o dangling in; [ -L dangling ] && [ ! -L made ]; check $? 0 "again"
echo before >one; ln one other; status 0 pprof --kind sync -o one in; check "$(wc -c <other)" "$size" "the file's other name"
long=$(printf '%0250d' 0); status 0 pprof --kind sync -o "$long" in; check "$(wc -c <"$long")" "$size" "a name of 250 bytes"
status 2 pprof --kind sync -o "${long}123456" in; grep -q 'too long' err; check $? 0 "a name of 256 bytes is too long"
status 2 pprof --kind sync -o folder in; status 2 pprof --kind sync -o absent/x in
"$GOTOP" pprof --kind sync -o /dev/stdout in >out2; check "$(wc -c <out2)" "$size" "/dev/stdout"
"$GOTOP" pprof --kind sync -o /dev/stdout in | wc -c >out2; check "$(tr -d ' ' <out2)" "$size" "/dev/stdout, a pipe"
check "$(find . -name '*.????????' | wc -l | tr -d ' ')" 0 "files that are left"

# What is short of descriptors is told as that.
for n in 8 16; do (ulimit -n $n; exec "$GOTOP" report in) >out 2>err; check $? 2 "status with $n files"; grep -q 'ulimit -n' err; check $? 0 "$n files: says why"; done
finish
