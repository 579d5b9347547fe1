#!/bin/sh
# 30-term.sh - bytes a step writes to the terminal, in the real program: see term-bytes. It takes a minute a trace.
for trace in $TRACE; do
    sh bench/term-bytes "$trace"
done
