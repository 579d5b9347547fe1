#!/bin/sh
# questions.sh - what people open a trace to ask, as key scripts on a screen of 80x24 in plain ASCII without colours: is
# the answer on the screen, and after how many keys? A word typed behind / or : counts as one key, as does its Enter.
# QUESTIONS=show prints the screens.
. tests/scripts/common
needs "$GOTOP"
export XDG_CONFIG_HOME="$tmp/config"

# ask MOST 'QUESTION' 'KEYS' TRACE ANSWER.. - every ANSWER (a basic regular expression) stands on the screen
ask() {
    most=$1 question=$2 keys=$3 trace=$4
    shift 4
    n=$(printf '%s\n' "$keys" | wc -w)
    "$GOTOP" --headless --size 80x24 --glyphs ascii --color never --keys "$keys" "$trace" >"$tmp/out" 2>&1
    ok=yes
    [ "$n" -le "$most" ] || { ok=no; echo "FAILED: $n keys, at most $most: $question"; }
    for answer; do
        grep -q -- "$answer" "$tmp/out" || { ok=no; echo "FAILED: not on the screen: '$answer' ($question: $keys, $trace)"; }
    done
    if [ $ok = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); sed 's/^/    | /' "$tmp/out"; fi
    printf '%d keys  %-62s %s\n' "$n" "$question" "$keys"
    if [ "${QUESTIONS:-}" = show ] && [ $ok = yes ]; then sed 's/^/    | /' "$tmp/out"; fi
}

# What a report should answer before any question is asked.
ask 2 'which request was the slowest?' '7 S' samples/tasks-1.27.trace '^task .* from ' 'by G[0-9]'
ask 3 'why was this request slow?' '7 S W' samples/tasks-1.27.trace 'where its 38.3ms went' 'waiting (channel send) at main' 'main.cook: sleep'
ask 0 'who held the lock, most of the time?' '' samples/lock-1.26.trace 'lock held in  *main.(\*bank).auditor'
ask 4 'who holds the lock?' '6 Enter Enter [' samples/lock-1.26.trace 'woke G[0-9]* main' '^G[0-9]* main'
ask 2 'and what did he do meanwhile?' '6 W' samples/lock-1.26.trace 'where its 8.21ms went' 'runnable, a P idle in'
ask 3 'why was this request slow, by Enter alone?' '7 Enter Enter' samples/tasks-1.27.trace 'where its 1.60ms went'
ask 0 'is it the collector?' '' samples/alloc-1.27.trace '^GC [0-9.<]*%, [0-9]* cycle' 'STW [0-9]*, longest'
ask 3 'why are my processors idle?' '2 v End' samples/http-1.26.trace '^P0 range [0-9.]*ms from 0' '^idle [0-9.a-z]*: .* runnable' 'nothing to do'
ask 2 'why is this processor idle just now?' '2' samples/http-1.26.trace '^P0 idle' '^idle [0-9.a-z]*: .* runnable (longest G[0-9]*'
ask 2 'which goroutines leak?' '5 S' samples/workers-1.11.trace '[\\]may leak' 'goroutines that may leak'
ask 2 'scheduler latency?' '6 6' samples/http-1.26.trace ' p50 .* p99 ' '^ *>10us  *[0-9]' "the program's goroutines"
ask 3 'who had the processors while it waited?' '6 6 Enter' samples/http-1.26.trace 'processors meanwhile: .*main' 'idle [0-9.]*%'
ask 4 'and when was that?' '6 6 Enter Enter' samples/http-1.26.trace 'processors meanwhile' '^wait for a processor of [0-9.]*us: G[0-9]'
ask 2 'how bad is the worst stretch of it, of any length?' '8 Tab' samples/alloc-1.27.trace 'in the whole trace the program had' '% .* the worst 10.0ms'
ask 2 'what delayed the stop-the-world?' '8 Enter' samples/lock-1.26.trace 'last to stop: P[0-9]\|no processor had to be waited for'

# Seen from the lanes.
ask 4 'who woke this goroutine, and why was it waiting?' '3 /clerk Enter Enter' samples/lock-1.26.trace 'G[0-9]* main.(\*bank).clerk' 'woken by\|created by'
ask 5 'what ran on a processor while it was runnable?' '6 6 Enter Enter 2' samples/lock-1.26.trace '^P[0-3] ' 'G[0-9]* main\.(\*bank)\.clerk@'
ask 1 'which stop is the longest, and who started it?' '"' samples/alloc-1.27.trace 'STW .* stops, .* in all; longest .* at '
ask 2 'what did this task do?' '7 W' samples/tasks-1.27.trace 'where its 1.60ms went' 'running in main.cook' 'runnable in main.order'
finish
