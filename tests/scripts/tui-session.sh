#!/bin/sh
# tui-session.sh - the real program on a real terminal (tmux): start, keys, resize, suspend and resume, ways to leave.
# After each way out the terminal's settings are those from before, and the screen shows the shell again.
. tests/scripts/common
command -v tmux >/dev/null 2>&1 || { echo "tmux is not installed"; exit 1; }
needs "$GOTOP"
trace=$PWD/samples/http-1.26.trace
export TMUX_TMPDIR=$tmp XDG_CONFIG_HOME=$tmp/config
unset TMUX NO_COLOR
mux() { tmux -f /dev/null -L gotop "$@"; }
cleanup() { mux kill-server 2>/dev/null; rm -rf "$tmp"; }
trap cleanup EXIT

screen() { mux capture-pane -p -t s; }
type_keys() { mux send-keys -t s "$@"; }
# until_shows TEXT - wait until the screen has it (a fixed string). gone TEXT - until it has it no more.
until_shows() { i=0; while ! screen | grep -qF -- "$1"; do i=$((i + 1)); [ $i -lt 1200 ] || return 1; sleep 0.1; done; }
gone() { i=0; while screen | grep -qF -- "$1"; do i=$((i + 1)); [ $i -lt 1200 ] || return 1; sleep 0.1; done; }
until_file() { i=0; while [ ! -s "$1" ]; do i=$((i + 1)); [ $i -lt 1200 ] || return 1; sleep 0.1; done; }
ok() { # ok WHAT COMMAND..
    what=$1; shift
    if "$@"; then passed=$((passed + 1)); return 0; fi
    failed=$((failed + 1)); echo "FAILED: $what"; screen | sed 's/^/    |/'
}
# start [VAR=value..] [OPTION..] - run the program in the shell of the pane; $tmp/pid is its process
n=0
start() {
    n=$((n + 1)); rm -f "$tmp/before" "$tmp/after" "$tmp/status"
    type_keys "clear; stty -g >$tmp/before; $* --view 2 '$trace'; echo \$? >$tmp/status; stty -g >$tmp/after; echo shell-$n-again" Enter
    until_shows "${title:-http-1.26.trace}  " && until_shows 'P0'
}
pid() { mux list-panes -t s -F '#{pane_pid}' | xargs -I{} ps -o pid=,args= --ppid {} | awk '/gotop/ { print $1; exit }'; }
left() { # the program has ended: status $1, terminal as before
    until_file "$tmp/after" || return 1
    until_shows "shell-$n-again" || return 1
    [ "$(cat "$tmp/status")" = "$1" ] || { echo "status $(cat "$tmp/status"), not $1"; return 1; }
    cmp -s "$tmp/before" "$tmp/after" || { echo "stty differs"; return 1; }
    [ "$(mux display-message -p -t s '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag}')" = '0 1 0 0' ] ||
        { echo "the terminal's modes differ: $(mux display-message -p -t s 'alternate #{alternate_on} cursor #{cursor_flag} mouse #{mouse_any_flag}')"; return 1; }
}

mux new-session -d -s s -x 100 -y 30 'PS1="$ " exec sh' || { echo "tmux does not start"; exit 1; }

type_keys 'trap : INT' Enter # so that the line goes on behind a program that Ctrl-C ended
ok "starts and shows lanes" start "$GOTOP"
type_keys 1
ok "findings" until_shows 'WORK'
type_keys 2
ok "lanes again" until_shows 'P0'
ok "is on the alternate screen" test "$(mux display-message -p -t s '#{alternate_on}')" = 1
type_keys '?'
ok "help opens" until_shows 'Keys in processors'
type_keys Escape
ok "Esc closes it at once" gone 'Keys in processors'
ruler=$(screen | sed -n 2p)
type_keys w w
changed() { i=0; while [ "$(screen | sed -n 2p)" = "$ruler" ]; do i=$((i + 1)); [ $i -lt 1200 ] || return 1; sleep 0.1; done; }
ok "zoom" changed
# What the terminal moved sideways, and what curses sent besides, is what a screen painted anew shows, in its colours.
# (Where tmux says the colour of a line's blank ends differs.)
esc=$(printf '\033')
shown() { mux capture-pane -p -e -t s | sed -e "s/^\($esc\[[0-9;]*m\)*//" -e "s/\($esc\[[0-9;]*m\)*\$//"; }
still() { # the prompt has opened and closed: a picture came behind all that was typed; and nothing is added to it any more
    type_keys :; until_shows 'Tab completes' || return 1
    type_keys Escape; gone 'Tab completes' || return 1
    while now=$(shown); sleep 0.1; [ "$now" != "$(shown)" ]; do :; done
}
pans() {
    for k in l l h a l '}' h 0 w w w s; do
        type_keys "$k"; still || return 1
        before=$now
        type_keys '`'; still || return 1
        [ "$now" = "$before" ] || { echo "after $k:"; printf '%s\n' "$before"; return 1; }
    done
}
ok "a picture that moved is as one painted anew" pans
type_keys 3
ok "the goroutine view" until_shows 'G1 '
type_keys / ; type_keys -l main ; type_keys Enter
ok "search says what it found" until_shows 'main'
type_keys : ; type_keys -l '5ms..6ms' ; type_keys Enter
ok "goto a range" until_shows '5.4ms'
type_keys 2
mux resize-window -t s -x 60 -y 16
ok "a smaller window" gone 'G/P'
mux resize-window -t s -x 20 -y 5
sleep 0.3
mux resize-window -t s -x 100 -y 30
ok "and back" until_shows 'P3'
type_keys C-z
ok "Ctrl-Z leaves to the shell" until_shows 'topped'
ok "the screen is the shell's" test "$(mux display-message -p -t s '#{alternate_on}')" = 0
type_keys -l 'fg' ; type_keys Enter
ok "fg brings it back" until_shows 'P3'
type_keys Z
ok "the action suspend" until_shows 'topped'
type_keys -l 'fg' ; type_keys Enter
ok "and back again" until_shows 'P3'
p=$(pid); kill -STOP "$p"
stopped() { i=0; while ! screen | tr -d '\n' | grep -qF topped; do i=$((i + 1)); [ $i -lt 1200 ] || return 1; sleep 0.1; done; }
ok "stopped behind its back" stopped # said where the cursor stood, perhaps at the end of a line
type_keys -l 'fg' ; type_keys C-j # nobody could put the terminal's settings back, so Enter is not a new line yet
ok "it paints all anew" gone 'pped (sig'
ok "and goes on" until_shows 'P3'
mux send-keys -t s -N 400 l
mux send-keys -t s -N 400 h
for size in '30 8' '150 50' '1 1' '80 24' '100 30'; do set -- $size; mux resize-window -t s -x "$1" -y "$2"; mux send-keys -t s -N 9 j w s k; done
type_keys 0 '?'
ok "a flood of keys and sizes" until_shows 'Keys in processors'
type_keys '?'
type_keys Escape
ok "Esc takes the marks of the search away" gone '◆'
type_keys q
i=0; while [ -n "$(pid)" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.1; done # or what is typed next is the program's
# the shell went on with its line when the program stopped, so it is asked anew
rm -f "$tmp/after" "$tmp/status"
type_keys "echo 0 >$tmp/status; stty -g >$tmp/after; echo shell-$n-again" Enter
ok "q leaves, the terminal is as before" left 0

start "$GOTOP" --color=never; type_keys C-c
ok "Ctrl-C leaves, the terminal is as before" left 130
start "$GOTOP"; kill -TERM "$(pid)"
ok "SIGTERM leaves, the terminal is as before" left 143
start "$GOTOP"; kill -HUP "$(pid)"
ok "SIGHUP leaves, the terminal is as before" left 129
start env ASAN_OPTIONS=detect_leaks=0:handle_abort=0 "$GOTOP"; kill -ABRT "$(pid)"
ok "a crash leaves the terminal as before" left 134
title='standard input'
ok "the trace from a pipe, keys from the terminal" start cat "$trace" '|' "$GOTOP" --view 2 - '; :'
title=
type_keys Q
ok "Q leaves it" left 0
start env TERM=no-such-terminal "$GOTOP"
ok "an unknown terminal is taken for an xterm" until_shows 'unknown terminal type'
type_keys Q
ok "and left as it was" left 0
start env TERM=no-such-terminal TERMINFO_DIRS=/nonexistent TERMINFO=/nonexistent "$GOTOP"; type_keys Q
ok "also without any terminal description" left 0
type_keys "clear; TERM=dumb $GOTOP '$trace'; echo status \$?" Enter
ok "TERM=dumb points to the report" until_shows 'gotop report'
# A page that goes through a pipe is folded once: no word that goes on below had room above.
mux resize-window -t s -x 64 -y 30
type_keys "clear; $GOTOP report '$trace' | cat >$tmp/page; echo read\\y" Enter
folded() {
    until_shows 'ready' && awk '
        length($0) > 64 { print "longer: " $0; bad = 1 }
        /^          [^ ]/ && length(last) + 1 + length($1) <= 64 { print "folded twice: " last; bad = 1 }
        { last = $0; n++ }
        END { exit bad || n < 10 }' "$tmp/page"
}
ok "a page in a pipe is as wide as the terminal, and folded once" folded
mux resize-window -t s -x 100 -y 30
start "$GOTOP" --no-mouse --keymap vi; type_keys -l ':quit'; type_keys Enter
ok "leaving by a command" left 0

# a terminal that goes away ends the program, also where nobody hears SIGHUP
start trap "''" HUP ';' "$GOTOP"; p=$(pid)
mux kill-session -t s
i=0; while kill -0 "$p" 2>/dev/null && [ $i -lt 600 ]; do i=$((i + 1)); sleep 0.1; done
if kill -0 "$p" 2>/dev/null; then failed=$((failed + 1)); echo "FAILED: it outlives its terminal"; kill -9 "$p"; else passed=$((passed + 1)); fi

mux new-session -d -s s -x 100 -y 30 "exec $GOTOP '$trace'"
until_shows 'WORK'
type_keys C-z
ok "where no shell started it, Ctrl-Z says so" until_shows 'no shell to suspend to'
type_keys q

finish
