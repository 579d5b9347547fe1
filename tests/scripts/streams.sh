#!/bin/sh
# streams.sh - where output goes, and how a command ends there: no standard streams, a full disk, a reader that leaves, a signal.
# A status, a sentence, and no file that isn't whole.
. tests/scripts/common
fast=${GOTOP_FAST:-build/gotop}
case $fast in /*) ;; *) fast=$PWD/$fast ;; esac
gen=${GENTRACE:-build/gen-trace}
case $gen in /*) ;; *) gen=$PWD/$gen ;; esac
needs "$GOTOP" "$fast" "$gen"
t=$PWD/samples/http-1.26.trace
cd "$tmp" || exit 1
mkdir dir; TMPDIR=$tmp; export TMPDIR
in_dir() { check "$(ls dir | tr '\n' ' ')" "$1" "what $2 leaves"; }
in_dir_at_last() { # who has ended by a signal leaves the unfinished file to its clerk
    i=0; while [ "$(ls dir | tr '\n' ' ')" != "$1" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
    in_dir "$@"
}

# Everything that prints: $1 of its arguments is the trace.
each() { # each FUNCTION - called with the arguments
    for c in "report @" "report --json @" "info @" "info --json @" "dump @" "sql select(1) @" "agents" "explain @ g1" "explain --json @ g1" \
        "diff @ @" "pprof --kind sync @" "slice --to 60% -o - @" "anonymize -o - @" "--svg @" "--headless @" \
        "--linear --keys j @" "report --metrics" "report --rules" "report --help" "diff --help" "explain --help" "sql --help" "top --help" "dump --help" "--help" "--version" "--rules" "--list-actions" "--dump-keymap vi"; do
        "$1" "$c" $(echo "$c" | sed "s|@|$t|g")
    done
}
closed() {
    c=$1; shift
    "$GOTOP" "$@" <&- >&- 2>&-; check $? 2 "status of $c without any standard stream"
    "$GOTOP" "$@" >&- 2>err; check $? 2 "status of $c without an output"; check "$(wc -l <err | tr -d ' ')" 1 "lines that $c says then"
    "$GOTOP" "$@" <&- 2>&- >out; check $? 0 "status of $c without input and messages"; [ -s out ]; check $? 0 "$c prints"
}
full() {
    c=$1; shift
    "$GOTOP" "$@" >/dev/full 2>err; check $? 2 "status of $c on a full disk"; check "$(wc -l <err | tr -d ' ')" 1 "lines that $c says then"
}
left() {
    c=$1; shift
    { "$GOTOP" "$@" 2>err; echo $? >rc; } | head -c 1 >/dev/null; check "$(cat rc)$(cat err)" 0 "status and words of $c whose reader has left"
}
each closed
[ ! -e /dev/full ] || each full
each left

# Files: what was there stays until all is written.
files() { # files FUNCTION
    for c in "report" "report --json" "diff $t" "explain" "pprof --kind sync" "slice --to 60%" "anonymize"; do
        case $c in explain) "$1" $c -o dir/out "$t" g1 ;; *) "$1" $c -o dir/out "$t" ;; esac
    done
}
whole() {
    rm -f dir/*; "$GOTOP" "$@" 2>err; check $? 0 "status of $*"; in_dir 'out ' "$*"
    size=$(wc -c <dir/out)
    echo before >dir/out
    (ulimit -f 1; exec "$GOTOP" "$@" 2>/dev/null) # blocks of 512 or 1024 bytes
    rc=$?
    if [ "$size" -gt 1024 ]; then check $rc 2 "status of $* that has no room"; check "$(cat dir/out)" before "what stood where $* has no room"; fi
    in_dir 'out ' "$* without room"
}
files whole

# A signal while it reads, and while it writes: the process ends by it, and leaves nothing.
mkfifo fifo
cut() { # cut SIGNAL NUMBER ARG..
    sig=$1 n=$2; shift 2
    rm -f dir/*
    $heard "$fast" "$@" >/dev/null 2>&1 &
    pid=$!
    exec 3>fifo; head -c 3000 "$t" >&3 # it reads
    kill -s "$sig" $pid; wait $pid 2>/dev/null; check $? $((128 + n)) "status of $* at SIG$sig"
    exec 3>&-
    in_dir_at_last '' "$* at SIG$sig"
}
# Of the keyboard's a shell's children in the background don't hear, unless they are told to; nor of SIGHUP who is run by nohup.
heard='' all="TERM:15 HUP:1"
if env --default-signal true 2>/dev/null; then heard='env --default-signal' all="$all INT:2 QUIT:3"; fi
ulimit -c 0
for s in $all; do
    s="${s%:*} ${s#*:}"
    for c in "report" "slice --to 60%" "anonymize" "pprof --kind sync"; do cut $s $c -o dir/out fifo; done
done
# Written is the file beside the one that is named: as soon as it is there.
"$gen" --size 3M big.trace 2>err; check $? 0 "status of gen-trace"
for s in "TERM 15" "HUP 1"; do
    rm -f dir/*; echo before >dir/out
    : >err
    $heard "$fast" anonymize -o dir/out big.trace 2>err &
    pid=$!
    until ls dir/out.* >/dev/null 2>&1 || [ "$(head -c 6 dir/out)" != before ] || [ -s err ]; do :; done # it may be faster, or fail
    kill -s "${s% *}" $pid 2>/dev/null; wait $pid 2>/dev/null; rc=$?
    [ $rc = $((128 + ${s#* })) ] || [ $rc = 0 ]; check $? 0 "status of anonymize at SIG${s% *}: $rc"
    in_dir_at_last 'out ' "anonymize at SIG${s% *}"
    [ $rc = 0 ] || [ "$(head -c 6 dir/out)" = before ] || "$fast" dump --strict dir/out >/dev/null 2>err; check $? 0 "what stood stays, or all is there: anonymize at SIG${s% *}"
done
finish
