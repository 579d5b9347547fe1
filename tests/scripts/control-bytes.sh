#!/bin/sh
# control-bytes.sh - names, options, keymaps, palettes with control bytes, everywhere the program quotes them: none of it
# reaches the terminal. The options tried are those that --help lists, so that a new one is tried as well.
. tests/scripts/common
fast=${GOTOP_FAST:-build/gotop}
needs "$fast"
case $fast in /*) ;; *) fast=$PWD/$fast ;; esac
good=$PWD/samples/http-1.26.trace
cd "$tmp" || exit 1
# What is hostile, in four strings: C0, C1 raw and as UTF-8; directions and what is invisible; another line; no UTF-8.
h1=$(printf 'a\033[31m\033]0;x\007\177\233m\302\233m\010')
h2=$(printf 'b\342\200\256\342\201\246\342\201\257\357\277\271\302\255\363\240\201\201\330\234\357\273\277')
h3=$(printf 'c\ngotop: all is well\rnot')
h4=$(printf '\300\200\355\240\200\377\200d')
# What may not be there: controls (but tab and line feed), C1, directions, invisible ones.
bad=$(printf '[\001-\010\013-\037\177]|\302[\200-\237\255]|\342\200[\213-\217\250-\256]|\342\201[\240-\257]|\357\277[\260-\273]|\357\273\277|\363\240|\330\234')
# What is printed is kept, and looked at all at once by the end of a part: o.N and e.N of the N-th try, c.N what is said in a C locale.
mkdir seen; n=0
try() { # try ARG.. - both outputs, in a UTF-8 locale; and in C nothing but ASCII in what is said
    kept "$@"
    LC_ALL=C.UTF-8 "$fast" "$@" >seen/o.$n 2>seen/e.$n </dev/null
    rc=$?
    [ $rc -lt 124 ] || { failed=$((failed + 1)); printf "FAILED: status %s: %s\n" $rc "$*" | cat -v; }
    case "$*" in csv*|"sql --csv"*) sed -i 's/\r$//' seen/o.$n ;; esac # its lines end so
    LC_ALL=C "$fast" "$@" 2>seen/c.$n >/dev/null </dev/null
    return 0
}
binary() { # binary ARG.. - what is written isn't text: what is said
    kept "$@"
    LC_ALL=C.UTF-8 "$fast" "$@" >/dev/null 2>seen/e.$n </dev/null
    return 0
}
kept() { n=$((n + 1)); printf '%s\n' "$*" >seen/name.$n; }
unclean() { # unclean FILE.. - their names
    LC_ALL=C grep -laE -- "$bad" "$@"; LC_ALL=C grep -laE '^gotop: all is well' "$@"
    iconv -f UTF-8 -t UTF-8 "$@" >/dev/null 2>&1 || for f; do iconv -f UTF-8 -t UTF-8 "$f" >/dev/null 2>&1 || echo "$f"; done
}
look() {
    unclean seen/[oe].* | sort -u >found
    LC_ALL=C grep -laE "$(printf '[\200-\377]')" seen/c.* >>found # not ASCII in a C locale
    passed=$((passed + $(ls seen | grep -c '^[oe]') - $(grep -c '[oe]\.' found)))
    while read -r f; do
        failed=$((failed + 1)); printf "FAILED: %s: %s\n" "$f" "$(cat "seen/name.${f##*.}")" | cat -v
        LC_ALL=C grep -aE -- "$bad" "$f" | head -n 3 | od -c | head -n 8
    done <found
    rm -f seen/*
}
options() { # options COMMAND.. - its long options, each on a line, with VALUE behind those that take one
    "$fast" "$@" --help | grep -oE '(^|[ ,|])--[a-z][a-z-]*( [A-Z][A-Za-z=]*)?' | tr -d ',|' | sed 's/^ //' | sort -u
}

# 1. Words of the command line: alone, as an option, as a value, as a second trace, as a file of a command.
for h in "$h1" "$h2" "$h3" "$h4"; do
    try "$h"; try "--$h"; try "-$h"; try "--$h=$h"; try "$good" "$h"; try "$h" "$h"; try "" "$h"
    for c in report diff dump pprof sql; do
        try $c "$h"; try $c "--$h"; try $c "-$h"; try $c "--$h=$h" "$good"; try $c "$good" "$h"; try $c "$h" "$good"
        try $c "$h" "$h" "$h"
    done
done
look
# 2. Every option's value.
options >opts
[ "$(wc -l <opts)" -gt 20 ] || { failed=$((failed + 1)); echo "FAILED: --help lists no options"; }
for h in "$h1" "$h2" "$h3"; do
    while read -r o value; do
        [ "$o" = --help ] || [ "$o" = --version ] && continue
        if [ "$value" ]; then try --headless "$o" "$h" "$good" && try --headless "$o=$h" "$good"
        else try --headless "$o=$h" "$good"; fi
    done <opts
    try --headless --view 3 --at "$h" "$good"; try --linear --keys "$h" "$good"; try --linear --keys "/$h Enter" "$good"
    try --headless --keys "/ \"$h\" Enter" "$good"; try --headless --keys ": \"$h\" Enter" "$good"
done
for c in report diff pprof sql; do
    options $c >opts
    while read -r o value; do
        [ "$o" = --help ] && continue
        for h in "$h1" "$h2"; do
            case $c in
            diff) try $c "$o" "$h" "$good" "$good" ;;
            sql) try $c "$o" "$h" "select 1" "$good" ;;
            pprof) binary $c "$o" "$h" "$good" ;;
            *) try $c "$o" "$h" "$good" ;;
            esac
        done
    done <opts
done
for h in "$h1" "$h2"; do
    binary pprof "$h" "$good"; binary pprof --kind "$h" "$good"
    try report --assert "$h<1ms" "$good"; try report --assert "stw.max<$h" "$good"
    try sql "select 1 \"$h\", '$h', \"$h" "$good"; try sql --csv "select '$h' \"$h\"" "$good"; try sql --json "select '$h' \"$h\"" "$good"
    try diff --fail-if "$h>1" "$good" "$good"; binary pprof --kind sync --from "$h" "$good"; try report -o "/nowhere/$h" "$good"
done
look
# 3. A trace, whole and cut, and what is none, by such names.
mkdir d; files=0
for h in "$h1" "$h2" "$h3" "$h4"; do
    f=d/$(printf %s "$h" | tr / _)
    cp "$good" "$f" 2>/dev/null || continue
    files=$((files + 1))
    for how in "--headless" "--linear --keys w" "report" "report --utf8" "report --json" \
               "report --assert stw.max<1ns" "report --utf8 --assert stw.max<1ns" "dump" \
               "sql select(path)from(trace)" "sql --json select(path)from(trace)"; do try $how "$f"; done
    try diff "$f" "$good"; try diff --utf8 "$good" "$f"; binary pprof --kind sync -o "$f.out" "$f"
    head -c 5000 "$good" >"$f"
    for how in "--headless" report dump; do try $how "$f"; done
    printf 'no trace' >"$f"
    for how in "--headless" report dump "diff $good"; do try $how "$f"; done
done
[ $files -ge 3 ] || { failed=$((failed + 1)); echo "FAILED: no files of such names"; }
set -- d/*; try "$@"; try report "$@"
look
# 4. Keymaps and palettes: each kind of mistake, and what is right but for its bytes.
for h in "$h1" "$h2" "$h4"; do
    for line in "$h" "bind $h" "bind any $h quit" "bind any x $h" "bind $h x quit" "bind any x quit $h" "include $h" "unbind any $h" \
                "unbind $h x" "bind any x filter $h" "# $h" "bind any q quit # $h"; do
        printf '%s\n' "include default" "$line" >k
        try --check-keymap ./k; try --dump-keymap ./k; try --headless --keymap ./k "$good"
    done
    for line in "$h" "$h #112233 - - -" "cursor $h - - -" "cursor - - $h -" "cursor - - - - $h" "include $h"; do
        printf '%s\n' "$line" >p
        try --headless --palette ./p "$good"
    done
    mkdir -p "x$h/gotop" 2>/dev/null && printf 'bind %s\n' "$h" >"x$h/gotop/default.keys" &&
        XDG_CONFIG_HOME="$tmp/x$h" && export XDG_CONFIG_HOME && try --headless "$good" && try --check-keymap default && unset XDG_CONFIG_HOME
    ( export HOME="$tmp/x$h" EDITOR="$h" TERM="$h" COLORFGBG="$h;$h" LANG="$h" TZ="$h" TMPDIR="$tmp/$h"; try --headless --keys "y" "$good"
      [ $failed = 0 ] ) || failed=$((failed + 1))
    n=$((n + 1)) # of the subshell
done
look

finish
