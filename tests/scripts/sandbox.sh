#!/bin/sh
# sandbox.sh - the program as it is shipped, in each command, with something inside that tries to get out (tests/preload/inside.c),
# as whoever runs this and, if that is root, also as nobody; then what has to go on going.
. tests/scripts/common
fast=${GOTOP_FAST:-build/gotop} so=${BUILD:-build}/inside.so serve=${BUILD:-build}/serve
needs "$fast" "$so" "$serve"
case $fast in /*) ;; *) fast=$PWD/$fast ;; esac
export TMUX_TMPDIR="$tmp" HOME="$tmp/home" TMPDIR="$tmp/tmp"
unset TMUX EDITOR VISUAL XDG_CONFIG_HOME
box=0 # a server of its own for each session: a server that ends takes its socket with it, late
mux() { tmux -u -f /dev/null -L "box$box" "$@" 2>/dev/null; }
trap 'mux kill-server; [ -z "$sleeper" ] || kill -KILL "$sleeper" 2>/dev/null; rm -rf "$tmp"' EXIT
good=$PWD/samples/http-1.26.trace sleeper=
has=$("$fast" --version | sed -n 's/^sandbox: //p')
if [ "$has" ]; then pass; else fail "--version doesn't say what is given up"; fi

# ---- from inside ----
chmod 755 "$tmp"; cp "$fast" "$tmp/gotop"; cp "$so" "$tmp/inside.so"; cp "$good" "$tmp/x.trace"
begin() { # begin WHO - a folder that is WHO's, and a process
    who=$1
    rm -rf "$tmp/t" "$tmp/inside" "$tmp/home" "$tmp/tmp"
    mkdir "$tmp/t" "$tmp/t/cap" "$tmp/inside" "$tmp/inside/sub" "$tmp/home" "$tmp/tmp"
    cp "$good" "$tmp/t/x.trace"; echo kept >"$tmp/t/kept"; echo kept >"$tmp/t/cap/kept"
    echo secret >"$tmp/inside/victim"; chmod 600 "$tmp/inside/victim"
    printf '#!/bin/sh\necho ran >"%s/inside/ran"\n' "$tmp" >"$tmp/inside/run"; chmod 755 "$tmp/inside/run"
    : >"$tmp/log"; : >"$tmp/said"
    as=
    if [ "$who" = nobody ]; then
        as="setpriv --reuid=65534 --regid=65534 --clear-groups"
        chown -R 65534:65534 "$tmp/t" "$tmp/inside" "$tmp/home" "$tmp/tmp" "$tmp/log" "$tmp/said"
    fi
    $as sleep 3600 & sleeper=$!
    i=0; while ! grep -q 'sleep.* S ' "/proc/$sleeper/stat" && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
}
looks() { # all that must stay as it is
    (cd "$tmp" && find inside home t/x.trace t/kept t/cap/kept -exec stat -c '%n %s %f %u %g %Y %Z' {} +; cat inside/victim t/kept t/cap/kept)
    sed -n 's/^State:[[:space:]]*//p' "/proc/$sleeper/status"
}
judge() { # judge STATUS WHAT
    if tail -n 1 "$tmp/log" | grep -q '^inside: [2-9][0-9][0-9][0-9]* tried, 0 wrong$'; then pass; else fail "$who, $2: $(cat "$tmp/log" "$tmp/said")"; fi
    if [ "$1" = "$want" ]; then pass; else fail "$who, $2: status $1, not $want: $(cat "$tmp/said")"; fi
    looks >"$tmp/now"
    if cmp -s "$tmp/was" "$tmp/now"; then pass; else fail "$who, $2: $(diff "$tmp/was" "$tmp/now")"; fi
    for f in /gotop-was-here /tmp/gotop-was-here /var/tmp/gotop-was-here /etc/gotop-was-here /root/gotop-was-here "$tmp/gotop-was-here"; do
        [ ! -e "$f" ] || { fail "$who, $2: $f"; rm -rf "$f"; }
    done
    left=$(cd "$tmp/t" && find . -type f ! -name kept ! -name x.trace ! -path "./${makes:-0}" ! -path ./0; find "$tmp/tmp" -type f)
    if [ -z "$left" ]; then pass; else fail "$who, $2 leaves $left"; fi
    rm -f "$tmp/t/0" "$tmp/t/${makes:-0}"
}
tries() { # tries STATUS MAKES DEEDS ARG.. - MAKES: the file of -o; DEEDS: how many the clerk has, 0: there is no clerk
    want=$1 makes=$2 deeds=$3; shift 3
    : >"$tmp/log"; looks >"$tmp/was"
    (cd "$tmp/t" && INSIDE_FD=9 INSIDE_PID=$sleeper INSIDE_DIR=$tmp/inside INSIDE_TRACE=$reads INSIDE_DEEDS=$deeds INSIDE_KEPT=$kept \
        LD_PRELOAD=$tmp/inside.so $as "$tmp/gotop" "$@" >"$tmp/said" 2>&1 </dev/null 9>>"$tmp/log")
    judge $? "$*"
}
shows() { # shows DEEDS SPARE ARG.. - the viewer, in a terminal, where two pictures are written; SPARE: the deed that stops a pipeline
    want=0 makes='' deeds=$1 spare=$2; shift 2
    : >"$tmp/log"; : >"$tmp/said"; rm -f "$tmp/status"; looks >"$tmp/was"
    box=$((box + 1))
    mux new-session -d -s v -x 100 -y 30 "cd $tmp/t; TERM=xterm-256color INSIDE_FD=9 INSIDE_PID=$sleeper INSIDE_DIR=$tmp/inside INSIDE_TRACE=$reads \
        INSIDE_DEEDS=$deeds INSIDE_SPARE=$spare INSIDE_KEPT=kept LD_PRELOAD=$tmp/inside.so $as $tmp/gotop $* 9>>$tmp/log; echo \$? >$tmp/status"
    i=0; while ! mux capture-pane -p -t v | grep -qF '? keys' && [ ! -s "$tmp/status" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
    mux send-keys -t v '$' '$'
    i=0; while [ ! -s "$tmp/t/gotop-2.svg" ] && [ ! -s "$tmp/status" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
    for n in 1 2; do
        if [ "$(tail -n 1 "$tmp/t/gotop-$n.svg" 2>/dev/null)" = '</svg>' ]; then pass; else fail "$who: no picture $n"; fi
        rm -f "$tmp/t/gotop-$n.svg"
    done
    mux send-keys -t v Q
    i=0; while [ ! -s "$tmp/status" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
    judge "$(cat "$tmp/status")" "the viewer: $*"
    mux kill-server
}
everywhere() {
    reads=x.trace kept=kept
    for c in report info dump 'explain g1' 'sql select(1)' 'find dur>1ns' --headless --linear; do
        case $c in --*) deeds=5 ;; *) deeds=0 ;; esac
        # shellcheck disable=SC2086 # a subject is a word of its own
        case $c in explain*) tries 0 '' 0 explain x.trace g1 ;; *) INSIDE_SPARE=4 tries 0 '' $deeds $c x.trace ;; esac
    done
    tries 0 '' 0 diff x.trace x.trace
    tries 0 '' 0 x.trace
    for c in report 'diff x.trace' 'slice --from 1ms' anonymize; do
        # shellcheck disable=SC2086
        tries 0 out 3 $c -o out x.trace
        $as sh -c ": >$tmp/t/out" # replaced next time
    done
    tries 0 out 3 explain -o out x.trace g1
    tries 0 out 3 pprof --kind sync -o out x.trace
    reads='' kept=out
    tries 2 out 6 record -o out 127.0.0.1:1
    tries 2 '' 3 top 127.0.0.1:1
    kept=cap/kept
    tries 2 '' 6 watch --seconds 1 --until 'stw.max>0ns' -o cap 127.0.0.1:1
    tries 2 '' 7 watch --seconds 1 --until 'stw.max>0ns' --keep-files 1d -o cap 127.0.0.1:1
    if ! command -v tmux >/dev/null 2>&1; then echo "note: tmux is not installed: not tried in the viewer"; return; fi
    reads=x.trace
    shows 5 4 x.trace
    shows 8 7 --follow x.trace
}
case $has in
*Landlock*seccomp*)
    begin "$(id -un)"; everywhere; kill -KILL "$sleeper"
    if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null 2>&1; then
        begin nobody; everywhere; kill -KILL "$sleeper"
    fi
    sleeper=
    # and --no-sandbox leaves all open: nothing is shut behind which to try
    : >"$tmp/log"
    INSIDE_FD=9 INSIDE_PID=$$ INSIDE_DIR=$tmp/inside INSIDE_TRACE= LD_PRELOAD=$tmp/inside.so "$tmp/gotop" --no-sandbox report "$good" >/dev/null 9>>"$tmp/log"
    if [ -s "$tmp/log" ]; then fail "--no-sandbox shuts it"; else pass; fi
    ;;
*) echo "note: this kernel has $has: not tried from inside" ;;
esac

# ---- what has to go on going ----
if "$fast" report "$good" | cmp -s - "$tmp/none"; then fail "no report"; else pass; fi
"$fast" report -o "$tmp/r.txt" "$good" && "$fast" --no-sandbox report "$good" | cmp -s - "$tmp/r.txt" && pass || fail "a report into a file"
( cd "$tmp" && cp "$good" here.trace && "$fast" report -o here.txt here.trace && [ -s here.txt ] ) && pass || fail "a file in the current folder"
"$fast" sql --csv -o "$tmp/x.csv" "select * from span" "$good" && [ -s "$tmp/x.csv" ] && pass || fail "a table"
"$fast" sql --save "$tmp/x.db" "$good" && [ -s "$tmp/x.db" ] && pass || fail "a saved database"
mkdir "$tmp/folder" && cp "$good" "$tmp/folder" && "$fast" sql 'select 1' "$tmp/folder" >/dev/null && pass || fail "a folder"
gzip -c "$good" >"$tmp/x.gz"; "$fast" diff "$tmp/x.gz" "$good" >/dev/null && pass || fail "two traces"
ln -s "$good" "$tmp/link"; "$fast" report "$tmp/link" >/dev/null && pass || fail "a link"
"$fast" report /dev/stdin <"$good" >/dev/null && pass || fail "/dev/stdin"
cat "$good" | "$fast" report - >/dev/null && pass || fail "a pipe"
cat "$good" | "$fast" report /dev/stdin >/dev/null && pass || fail "a pipe as /dev/stdin"
mkfifo "$tmp/p"; cat "$good" >"$tmp/p" & "$fast" report "$tmp/p" >/dev/null && pass || fail "a FIFO"
"$fast" report --exe "$fast" "$good" >/dev/null && pass || fail "--exe"
printf 'include default\n' >"$tmp/k"; "$fast" --headless --keymap "$tmp/k" "$good" >/dev/null && pass || fail "a keymap's file"
XDG_CONFIG_HOME=$tmp/c; export XDG_CONFIG_HOME; mkdir -p "$tmp/c/gotop"; printf 'include default\nbind any X view-threads\n' >"$tmp/c/gotop/mine.keys"
"$fast" --headless --keymap mine "$good" >/dev/null && pass || fail "a keymap by name"
# Who is killed leaves nothing: what it wrote has no name.
mkdir "$tmp/dead"
"$serve" stall "$good" >"$tmp/port" & server=$!
i=0; while [ ! -s "$tmp/port" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
"$fast" record --quiet -o "$tmp/dead/out" "127.0.0.1:$(cat "$tmp/port")" 2>/dev/null & dies=$!
i=0; while ! ls -l /proc/$dies/fd 2>/dev/null | grep -q "$tmp/dead" && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done # it has no name yet
kill -KILL $dies; wait $dies 2>/dev/null
i=0; while [ -n "$(ls -A "$tmp/dead")" ] && [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
if [ -z "$(ls -A "$tmp/dead")" ]; then pass; else fail "kill -9 leaves $(ls -A "$tmp/dead")"; fi
kill $server

finish
