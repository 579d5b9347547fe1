#!/bin/sh
# flood.sh - streams that are little to send and much to hold, or that never end: what waits is bounded, a signal and `q` end it, and
# what is compressed is saved as it was sent. How long things take is nobody's business here, as long as they end.
. tests/scripts/served
FLOOD=${FLOOD:-${BUILD:-build}/flood}
needs "$fast" "$FLOOD"
for p in zstd tmux; do command -v $p >/dev/null 2>&1 || { echo "$p is not installed"; exit 1; }; done
export TMUX_TMPDIR=$tmp XDG_CONFIG_HOME=$tmp/config
unset TMUX NO_COLOR
box=0 # a server of its own for each session: a server that ends takes its socket with it, late
mux() { tmux -f /dev/null -L "flood$box" "$@"; }
trap 'mux kill-server 2>/dev/null; cleanup' EXIT
# ended WHAT GOT STATUS MIB TEXT - it ended with that status, held no more than so much, and said TEXT
ended() {
    kib=$(sed -n 's/^peak: \([0-9]*\) KiB.*/\1/p' "$tmp/err")
    if [ "$2" != "$3" ]; then fail "$1: status $2, not $3"
    elif [ "${kib:-0}" -gt $(($4 * 1024)) ]; then fail "$1: $kib KiB, more than $4 MiB"
    elif ! grep -q -- "$5" "$tmp/out" "$tmp/err"; then fail "$1: '$5' isn't said"
    else pass; fi
}
# piped STATUS MIB TEXT SHAPE N ARG.. - what a pipe brings, to its end
piped() {
    want=$1 most=$2 text=$3 shape=$4 n=$5; shift 5
    "$FLOOD" $shape $n 2>/dev/null | timeout 600 "$PEAK" "$fast" "$@" >"$tmp/out" 2>"$tmp/err"
    ended "$shape: $*" $? $want $most "$text"
}
holds() { # holds STATUS MIB TEXT ARG..
    want=$1 most=$2 text=$3; shift 3
    timeout 600 "$PEAK" "$fast" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    ended "$*" $? $want $most "$text"
}
shows() { i=0; while ! mux capture-pane -p -t s | grep -qF -- "$1"; do i=$((i + 1)); [ $i -lt 600 ] || return 1; sleep 0.1; done; }
cpu() { awk '{ print $14 + $15 }' "/proc/$1/stat" 2>/dev/null || echo 0; }
# interrupted SIGNAL ARG.. - it is at work, has a signal, and ends well
interrupted() {
    signal=$1; shift
    "$fast" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    i=0; while [ "$(cpu $pid)" -lt 15 ] && kill -0 $pid 2>/dev/null && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done
    kill -"$signal" $pid 2>/dev/null
    if ends $pid; then wait $pid; check $? 0 "$*: status after $signal"; else fail "$*: $signal doesn't end it"; fi
}

# A generation without an end, and huge ones: that one is left out, which is said.
piped 2 180 'a generation was larger than 128 MB' endless 2500 top -
piped 2 180 'a generation was larger than 128 MB' endless 2500 watch --until 'stw.max>1ms' -o "$tmp" -
piped 2 200 'a generation was larger than 128 MB' endless 2500 --headless --follow -
# Hundreds of thousands of tiny ones, all of them in less than a second of their own time.
piped 2 100 'nothing to look at' tiny 1500000 top -
piped 0 130 '' tiny 900000 watch --keep 50M --until 'stw.max>1ms' -o "$tmp" -

# Compressed: the ratio that files have. What was sent until then is kept.
"$FLOOD" endless 2000 | gzip -9 >"$tmp/bomb.gz"
"$FLOOD" endless 2000 | zstd -q >"$tmp/bomb.zst"
for f in bomb.gz bomb.zst; do
    serve ok "$tmp/$f"
    holds 2 80 'than 200 times as many' top "$url"
    holds 2 80 'than 200 times as many' watch --seconds 1 --until 'stw.max>1ms' -o "$tmp" "$url"
    holds 2 80 'than 200 times as many' record -o "$tmp/r" "$url"
    if head -c "$(wc -c <"$tmp/r")" "$tmp/$f" | cmp -s - "$tmp/r"; then pass; else fail "record $f: not as it was sent"; fi
    holds 2 100 . --headless -o "$tmp/raw" "$url"
done
# What is a trace is saved as it was sent, too, and shown.
gzip -c $long >"$tmp/good.gz"; zstd -q $long -o "$tmp/good.zst"
for f in good.gz good.zst; do
    serve ok "$tmp/$f" 5
    holds 0 100 "of ${f#good.}" record -o "$tmp/r" "$url"
    if cmp -s "$tmp/r" "$tmp/$f"; then pass; else fail "record $f: not as it was sent"; fi
    holds 0 100 'ENDED' --headless --view 2 -o "$tmp/raw" "$url"
    if cmp -s "$tmp/raw" "$tmp/$f"; then pass; else fail "-o $f: not as it was sent"; fi
    holds 0 100 'main.' top "$url"
done

# A signal ends it whatever it is at.
for shape in "tiny 1000000" "stacks 1000" "strings 1000" "batches 2000000"; do # unquoted: two words
    "$FLOOD" $shape >"$tmp/flood"
    serve again "$tmp/flood"
    interrupted INT top "$url"
    interrupted TERM watch --until 'stw.max>1ms' -o "$tmp" "$url"
    # So do keys, in the viewer, once it shows something or waits for that.
    box=$((box + 1))
    mux new-session -d -s s -x 80 -y 24 "'$fast' '$url' 2>'$tmp/err'; echo status-\$?; exec sh"
    shows 'gotop'
    mux send-keys -t s q
    if shows 'status-'; then pass; else fail "q in the viewer, $shape"; fi
    mux kill-server
    rm "$tmp/flood"
done

# Nor does it wait for who takes its lines: this pipe is full.
mkfifo "$tmp/pipe"
exec 3<>"$tmp/pipe"
head -c 65536 /dev/zero >&3
serve rate $long 1000
"$fast" top "$url" >"$tmp/pipe" 2>"$tmp/err" 3>&- &
pid=$!
until_sent; at_rest $pid
kill -TERM $pid
if ends $pid && wait $pid; then pass; else fail "top, whose lines nobody takes"; fi
exec 3>&-

finish
