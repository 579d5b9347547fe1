#!/bin/sh
# memory.sh - a limit on memory changes no answer: what is more stands in a temporary file. Any limit, any number of threads,
# each command and view: the same bytes. Without such a file decoding ends at the limit, and that is said.
. tests/scripts/common
fast=${GOTOP_FAST:-build/gotop} # what memory is held is asked of the program as it is shipped
peak=${BUILD:-build}/peak
needs "$GOTOP" "$fast" "$peak"
new=samples/http-long-1.27.trace big=$tmp/big.trace mid=$tmp/mid.trace
"${GENTRACE:-build/gen-trace}" --size 2M "$big" >/dev/null 2>&1 || { echo "no trace of 2 MB was made"; exit 1; }
"${GENTRACE:-build/gen-trace}" --size 600K --gens 6 "$mid" >/dev/null 2>&1 || { echo "no trace of 600 KB was made"; exit 1; }
run() { # run STATUS ARG.. - of the big trace: the sanitizers see the same with smaller ones, in a tenth of the time
    want=$1; shift
    case $* in *"$big"* | *"$tmp/big.gz"*) program=$fast ;; *) program=$GOTOP ;; esac
    "$program" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = "$want" ]; then pass; else fail "gotop $*: $got, not $want"; fi
}
says() { # says FILE TEXT
    if grep -q -- "$2" "$tmp/$1"; then pass; else fail "'$2' isn't said"; fi
}
# same PROGRAM FILE THREADS:LIMIT.. -- ARG.. - each prints what it prints without a limit
same() {
    program=$1 file=$2 cases=; shift 2
    while [ "$1" != -- ]; do cases="$cases $1"; shift; done
    shift
    "$program" "$@" --threads 1 "$file" >"$tmp/whole" 2>/dev/null </dev/null
    whole=$?
    [ $whole = 0 ] || fail "$* without a limit: $whole"
    for c in $cases; do
        "$program" "$@" --threads "${c%:*}" --max-memory "${c#*:}" "$file" >"$tmp/out" 2>"$tmp/err" </dev/null
        got=$?
        if [ $got = $whole ] && cmp -s "$tmp/whole" "$tmp/out"; then pass; else fail "$* --threads ${c%:*} --max-memory ${c#*:} $file: $got"; fi
    done
}

same "$fast" "$big" 1:2M 4:3M 2:6M 4:16M -- dump
same "$fast" "$big" 1:3M 4:5M 2:64M -- report
same "$fast" "$big" 2:4M -- report --json
same "$fast" "$big" 4:4M -- report --assert 'stw.max<1s'
same "$fast" "$big" 2:4M -- sql --csv --limit 0 'select * from span'
same "$fast" "$big" 2:4M -- pprof --kind sched
same "$fast" "$big" 4:4M -- --headless --size 120x40 --keys '1 @print 2 @print 3 @print 5 @print 6 @print 7' # one after the other
[ "$(wc -l <"$tmp/whole")" = 240 ] || fail "not every view was printed"
same "$fast" "$big" 2:4M -- --headless --view 2 --keys '/net<Enter>nnn'
old=samples/http-long-1.23.trace
"$fast" diff $old "$big" >"$tmp/whole" 2>"$tmp/err"
if "$fast" diff --threads 2 --max-memory 4M $old "$big" 2>"$tmp/err" | tee "$tmp/out" | cmp -s - "$tmp/whole"; then pass; else fail "diff within 4M"; fi
same "$fast" $old 1:1M 2:2M 4:3M -- report
same "$fast" samples/lock-1.21.trace 1:2M 2:8M -- report
# And as the sanitizers see it.
same "$GOTOP" "$new" 1:1M 4:2M -- report
same "$GOTOP" "$mid" 2:1M -- report

# What is more than the limit doesn't stand in memory: the program itself takes some 5 MB.
within() { # within KIB ARG..
    most=$1; shift
    "$peak" "$fast" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    kib=$(sed -n 's/^peak: \([0-9]*\) KiB.*/\1/p' "$tmp/err")
    if [ "$kib" -le "$most" ]; then pass; else fail "$*: $kib KiB, more than $most"; fi
}
within 37000 report --threads 2 --max-memory 4M "$big"

# No such file: the rest isn't shown, and all who say anything say so. Any number of threads ends at the same place.
for c in "$big:4M" "$mid:1M"; do
    run 3 report --no-spill --max-memory "${c##*:}" "${c%:*}"; says out 'no-spill'
    run 3 dump --no-spill --max-memory "${c##*:}" --threads 1 "${c%:*}"; says err 'no-spill'; cp "$tmp/out" "$tmp/one"
    run 3 dump --no-spill --max-memory "${c##*:}" --threads 3 "${c%:*}"
    if cmp -s "$tmp/one" "$tmp/out"; then pass; else fail "another end with three threads"; fi
done
# So does what not even such a file makes room for.
"${GENTRACE:-build/gen-trace}" --go 1.21 --size 300K "$tmp/old.trace" >/dev/null 2>&1
same "$fast" "$tmp/old.trace" 2:500K 4:1M -- dump
for c in "$tmp/old.trace:300K" "$big:1M" "$mid:300K"; do
    "$fast" dump --threads 1 --max-memory "${c##*:}" "${c%:*}" >"$tmp/one" 2>"$tmp/err" </dev/null
    says err 'too low'
    for n in 2 4; do
        run 3 dump --threads $n --max-memory "${c##*:}" "${c%:*}"
        if cmp -s "$tmp/one" "$tmp/out"; then pass; else fail "another end within ${c##*:} with $n threads"; fi
    done
done
# A folder that is in memory would save none of it; one that isn't there is passed over.
TMPDIR=/dev/shm; export TMPDIR
run 0 report --max-memory 1M "$mid"
TMPDIR=$tmp/none
run 0 report --max-memory 1M "$mid"
# A full disk.
(ulimit -f 200; "$fast" report --max-memory 3M "$big" 2>"$tmp/err" | cat >"$tmp/out")
says out 'temporary file'

# What is compressed, and a pipe, stand there, too; the title says so. (The first line is the file's name.)
gzip -c "$big" >"$tmp/big.gz"
"$fast" report --threads 1 "$big" | sed 1d >"$tmp/whole"
for limit in 3M 5M; do
    "$fast" report --max-memory $limit "$tmp/big.gz" 2>"$tmp/err" | sed 1d >"$tmp/out"
    if cmp -s "$tmp/whole" "$tmp/out"; then pass; else fail "report of gzip within $limit"; fi
    cat "$big" | "$fast" report --max-memory $limit - 2>"$tmp/err" | sed 1d >"$tmp/out"
    if cmp -s "$tmp/whole" "$tmp/out"; then pass; else fail "report of a pipe within $limit"; fi
done
within 37000 report --threads 2 --max-memory 4M "$tmp/big.gz"
"$fast" slice --from 0 --to 5ms -o "$tmp/whole" "$big"
cat "$big" | "$fast" slice --max-memory 1M --from 0 --to 5ms -o "$tmp/out" - 2>"$tmp/err"
if cmp -s "$tmp/whole" "$tmp/out"; then pass; else fail "slice of a pipe within 1M"; fi
run 0 --headless --size 120x10 --max-memory 4M "$tmp/big.gz"; says out ' spilled'
gzip -c "$mid" >"$tmp/mid.gz"; run 0 --headless --size 120x10 --max-memory 1M "$tmp/mid.gz"; says out ' spilled'
run 0 --headless --size 120x10 --max-memory 4M "$big"
grep -q ' spilled' "$tmp/out" && fail "a plain file is spilled"
# Without such a file it has to fit.
cat $new | "$GOTOP" report --no-spill --max-memory 64K - >"$tmp/out" 2>"$tmp/err" && fail "a pipe beyond the limit"
says err '--max-memory'; says err '--no-spill'

finish
