#!/bin/sh
# live-session.sh - the viewer on a program that is running, in a real terminal (tmux): it follows, a move holds, one goes back, tables
# and the live top come, the program ends, R finds it again, or another one. How long things take is nobody's business here.
. tests/scripts/common
SERVE=${SERVE:-${BUILD:-build}/serve}
GENTRACE=${GENTRACE:-${BUILD:-build}/gen-trace}
for p in tmux curl; do command -v $p >/dev/null 2>&1 || { echo "$p is not installed"; exit 1; }; done
needs "$GOTOP" "$SERVE" "$GENTRACE"
export TMUX_TMPDIR=$tmp XDG_CONFIG_HOME=$tmp/config
unset TMUX NO_COLOR http_proxy HTTP_PROXY all_proxy ALL_PROXY
server=
mux() { tmux -f /dev/null -L gotop-live "$@"; }
cleanup() { mux kill-server 2>/dev/null; [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$tmp"; }
trap cleanup EXIT
long=$tmp/long other=samples/http-long-1.23.trace
"$GENTRACE" --size 12M --gens 240 --slow 40 "$long" 2>"$tmp/err" || { cat "$tmp/err"; exit 1; }

screen() { mux capture-pane -p -t s; }
keys() { mux send-keys -t s "$@"; }
shows() { i=0; while ! screen | grep -qF -- "$1"; do i=$((i + 1)); [ $i -lt 600 ] || return 1; sleep 0.1; done; }
gone() { i=0; while screen | grep -qF -- "$1"; do i=$((i + 1)); [ $i -lt 600 ] || return 1; sleep 0.1; done; }
ok() { # ok WHAT COMMAND..
    what=$1; shift
    if "$@"; then passed=$((passed + 1)); return 0; fi
    failed=$((failed + 1)); echo "FAILED: $what"; screen | sed 's/^/    |/'
}
serve() { # serve MODE FILE [PAUSE] - at $tmp/sock
    stop
    rm -f "$tmp/sock" "$tmp/port"
    SERVE_SOCKET=$tmp/sock "$SERVE" "$@" >"$tmp/port" 2>&1 &
    server=$!
    i=0; while [ ! -s "$tmp/port" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
}
stop() { # the server and whom it serves
    [ -n "$server" ] || return 0
    for p in $(ps -eo pid=,ppid= | awk -v p="$server" '$2 == p { print $1 }') "$server"; do kill "$p" 2>/dev/null; done
    wait "$server" 2>/dev/null
    server=
}
lanes() { screen | grep '^\(GC\|STW\|sweep\|assist\|P[0-9]\)'; } # heap and queue are drawn to the scale of all that is held
title() { screen | sed -n '1{s/, silent [0-9]*s//;p;}'; }
goes_on() { # the next piece comes, and is there
    a=$(title); echo >"$tmp/steps"
    i=0; while [ "$(title)" = "$a" ] && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done; [ $i -lt 600 ]
}
still() { # what came behind it, twice, changes no lane, once all is added up; a piece may have ended within the window
    for _ in 1 2 3 4 5 6; do
        gone "adding up" && was=$(lanes) && goes_on && goes_on && [ "$(lanes)" = "$was" ] && return 0
    done
    return 1
}

# A program that goes on: it follows, a move holds, F lets it go on.
mkfifo "$tmp/steps"
export SERVE_STEPS="$tmp/steps"
serve slow "$long" # in sixty pieces
unset SERVE_STEPS
mux new-session -d -s s -x 80 -y 24 -n s "'$GOTOP' --keep 1h --stall-timeout 1h 'unix:$tmp/sock' 2>'$tmp/err'; echo status-\$?; exec sh"
echo >"$tmp/steps"
ok "it follows" shows "LIVE"
ok "lanes" shows "P0"
ok "it grows" goes_on
keys h
ok "a move holds" shows "HELD"
ok "the picture stands still" still
keys h h k j
ok "and so it does further back" still
keys F
ok "F goes on" shows "LIVE"
ok "it grows again" goes_on
keys w w
ok "zooming follows" shows "LIVE"
keys 1
ok "the findings so far" shows "WORK"
keys e
ok "a finding holds" shows "HELD"
keys F 5
ok "groups" shows "main."
keys 3
ok "goroutines" shows "(*server)"
keys M
ok "the live top" shows "start function"
keys 2 F R
ok "R while connected" shows "still connected"

# It ends: what came stays. R without a program, with the same one, with another one.
stop
ok "the end is said" shows "ENDED"
ok "how to connect again" shows "R connects again"
keys R
ok "nobody is there" shows "no connection"
ok "what came is shown" shows "P0"
serve slow $other 500 # half a minute
keys R
ok "another process" shows "another process"
ok "it is shown" shows "P0"
stop
keys q
ok "it leaves" shows "status-0"
# watch says that it goes on, and how far from its condition that is.
serve slow $other 500
mux send-keys -t s "clear; '$GOTOP' watch --until 'stw.max>3600s' -o '$tmp/cap' 'unix:$tmp/sock'; echo status-\$?" Enter
ok "watch goes on" shows "kept, 0 files; stw.max>3600s: now "
keys C-c
ok "the line goes" gone "watching, "
stop

# A file that is opened while somebody writes it ends within something: that is said as what it is.
half=$(($(wc -c <$other) / 2))
head -c $half $other >"$tmp/written"
mux send-keys -t s "clear; '$GOTOP' '$tmp/written' 2>'$tmp/err'; echo status-\$?" Enter
ok "half a file" shows "PARTIAL"
ok "that it may grow is said" shows "this file was written just now and may not be complete yet"
ok "and what shows the rest" shows "gotop --follow FILE"
keys q
[ -s "$tmp/err" ] && { sed 's/^/    !/' "$tmp/err"; failed=$((failed + 1)); }
finish
