#!/bin/sh
# static.sh - the program in one file (make static): it needs no library, and starts in an empty root, as another user,
# without terminfo, locale, HOME, /proc or /dev; what it prints is what the ordinary build prints.
# STATIC names the program, RUN what runs it (an emulator that stands in the empty root as well, or nothing).
. tests/scripts/common
BUILD=${BUILD:-build}
STATIC=${STATIC:-$BUILD/static/gotop-linux-$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')}
GOTOP=${GOTOP_FAST:-$BUILD/gotop}
RUN=${RUN:-}
if [ ! -x "$STATIC" ]; then
    sh .ci/setup static >/dev/null 2>&1 && { echo "$STATIC was not built"; exit 1; }
    echo "there are no static libraries here"
    exit 77
fi
case $STATIC in /*) ;; *) STATIC=$PWD/$STATIC ;; esac
export TMUX_TMPDIR=$tmp XDG_CONFIG_HOME=$tmp/config
unset TMUX NO_COLOR
n=0 # a server of its own for each session: a server that ends takes its socket with it, late
mux() { tmux -u -f /dev/null -L "s$n" "$@" 2>/dev/null; }
trap 'mux kill-server; rm -rf "$tmp"' EXIT
ok() { # ok WHAT COMMAND..
    what=$1; shift
    if "$@"; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1)); echo "FAILED: $what"
}

# ---- what it gives up ----
if [ -z "$RUN" ] && "$STATIC" --version | grep -q seccomp; then
    mkfifo "$tmp/fifo"; "$STATIC" report "$tmp/fifo" >/dev/null 2>&1 & reader=$!
    exec 8>"$tmp/fifo" # it has opened it: that is behind the sandbox
    ok "the sandbox is shut" grep -q '^Seccomp:[[:space:]]*2' "/proc/$reader/status"
    ok "it gains no privileges" grep -q '^NoNewPrivs:[[:space:]]*1' "/proc/$reader/status"
    exec 8>&-; wait $reader
fi

# ---- the file ----
small() { [ "$(wc -c <"$STATIC")" -le 6291456 ]; }
alone() { ! readelf -lW "$STATIC" | grep -q INTERP && ! readelf -dW "$STATIC" | grep -q NEEDED; }
ok "it has at most 6 MB" small
ok "it asks for no library and no loader" alone

# ---- the same words as the ordinary build ----
same() { # same ARGUMENT.. - output and status
    $RUN "$STATIC" "$@" >"$tmp/static" 2>"$tmp/static.err"; a=$?
    "$GOTOP" "$@" >"$tmp/ours" 2>"$tmp/ours.err"; b=$?
    [ $a = $b ] && cmp "$tmp/static" "$tmp/ours" && cmp "$tmp/static.err" "$tmp/ours.err"
}
for t in samples/workers-prototype.trace samples/workers-1.7.trace samples/http-1.21.trace samples/http-1.22.trace \
         samples/lock-1.26.trace samples/tasks-1.27.trace; do
    ok "dump $t" same dump "$t"
    ok "report $t" same report "$t"
done
ok "report --json" same report --json samples/http-1.26.trace
ok "pprof" same pprof --kind sync samples/lock-1.26.trace
ok "SQL" same sql --csv "select * from span" samples/tasks-1.27.trace
ok "sql" same sql "select g, state, count(*), p(90, dur) from span group by g, state order by 1, 2" samples/tasks-1.27.trace
ok "a screen" same --headless --view 2 --size 100x30 samples/http-1.26.trace
ok "keymaps are built in" same --dump-keymap emacs
head -c 20000 samples/http-1.26.trace >"$tmp/cut"
ok "a part of a trace" same dump "$tmp/cut"
ok "no trace" same report "$tmp/nothing"
gzip -c samples/http-1.26.trace >"$tmp/t.gz" && ok "gzip" same report "$tmp/t.gz"
zstd -q samples/http-1.26.trace -o "$tmp/t.zst" && ok "zstd" same report "$tmp/t.zst"
diff_same() { # in another locale's name, which this file can't load and doesn't need
    LC_ALL=de_DE.UTF-8 $RUN "$STATIC" --headless --view 2 samples/http-1.26.trace | grep -q '█'
}
ok "a locale that nobody has here is one of UTF-8 by its name" diff_same

# ---- in an empty root ----
# As root: another user by chroot. Else in a user namespace, if the system lets one.
root=$tmp/root
mkdir "$root" && cp "$STATIC" "$root/gotop" && cp samples/http-1.26.trace "$root/t" && cp samples/lock-1.26.trace "$root/u"
[ -z "$RUN" ] || cp "$(command -v "$RUN")" "$root/run"
chmod -R a+rX "$tmp"
env=$(command -v env) && chroot=$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)
if [ "$(id -u)" = 0 ]; then enter="$chroot --userspec=65534:65534 $root"
else enter="$(command -v unshare) -Ur $chroot $root"
fi
inside="${RUN:+/run} /gotop"
if ! $enter $inside --version >/dev/null 2>&1; then
    echo "note: this system lets nobody change the root: not tried in an empty one"
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
    exit
fi
empty() { "$env" -i $enter $inside "$@"; }
report_inside() {
    empty report /t | sed 1d >"$tmp/a" # the first line has the file's name
    "$GOTOP" report samples/http-1.26.trace | sed 1d >"$tmp/b"
    [ -s "$tmp/a" ] && cmp "$tmp/a" "$tmp/b"
}
ok "report in an empty root" report_inside
piped() { empty report - <samples/lock-1.26.trace >"$tmp/a" && grep -q 'lock-convoy' "$tmp/a"; }
ok "report of standard input there" piped

# Without curl a running program can't be asked, and that is said.
no_curl() { ! empty top -n 1 http://127.0.0.1:1 >"$tmp/a" 2>"$tmp/b" && grep -q "pipe a trace in" "$tmp/b"; }
ok "a running program there: no curl" no_curl

screen() { mux capture-pane -p -t s; }
until_shows() { i=0; while ! screen | grep -qF -- "$1"; do i=$((i + 1)); [ $i -lt 600 ] || { screen; return 1; }; sleep 0.1; done; }
gone() { i=0; while screen | grep -qF -- "$1"; do i=$((i + 1)); [ $i -lt 600 ] || { screen; return 1; }; sleep 0.1; done; }
session() { # session ENV COMMAND - a new screen with nothing but this environment
    mux kill-server
    n=$((n + 1))
    mux new-session -d -s s -x 80 -y 24 "$env -i $1 sh -c '$2; echo left with \$?; exec sleep 60'"
}
start() { session "PATH=$PATH $1" "$env -u PATH $enter $inside --view 2 /t" && until_shows 'P0'; }
for term in TERM=xterm-256color TERM=tmux-256color TERM=screen TERM=linux TERM=alacritty; do
    ok "$term: lanes, and UTF-8 by the locale's name" start "$term LANG=C.UTF-8"
    ok "$term: finer glyphs" until_shows '█'
done
no_note() { ! screen | grep -q 'unknown terminal'; }
ok "its terminals are built in" no_note
mux send-keys -t s / 'é' 'x' && ok "a letter of two bytes arrives as one" until_shows 'éx'
mux send-keys -t s Escape && ok "Esc leaves the prompt" gone 'éx' # what comes with Esc at once would be Alt
mux send-keys -t s q && ok "q leaves it" until_shows 'left with 0'
ok "an unknown terminal" start "TERM=nobodys LANG=C.UTF-8"
ok "is said to be one" until_shows 'unknown terminal'
ok "no locale at all" start TERM=xterm-256color
ok "the terminal is asked, and answers" until_shows '█'
ok "the C locale" start 'TERM=xterm-256color LC_ALL=C'
ascii() { sleep 0.5; ! screen | LC_ALL=C grep -q "$(printf '[\200-\377]')"; }
ok "is ASCII" ascii
ok "the trace from a pipe: keys come from the terminal, though there is no /dev" \
    session "PATH=$PATH TERM=xterm-256color LANG=C.UTF-8" "cat samples/lock-1.26.trace | $env -u PATH $enter $inside -"
ok "findings" until_shows 'WORK'
mux send-keys -t s 2 && ok "a key" until_shows 'P0'
mux send-keys -t s q && ok "and away" until_shows 'left with 0'

finish
