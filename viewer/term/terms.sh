#!/bin/sh
# terms.sh - terminal descriptions of this machine as a C table (viewer/term/terms.h).
#
# The list: what people sit at, and what stands between them and the host. A name this machine doesn't know is an error:
# the program would lack it without a word.
names='xterm xterm-256color xterm-color xterm-16color xterm-88color xterm-direct xterm-mono
screen screen-256color screen.xterm-256color tmux tmux-256color tmux-direct
linux linux-16color rxvt rxvt-256color rxvt-unicode rxvt-unicode-256color putty putty-256color
konsole konsole-256color vte vte-256color gnome gnome-256color alacritty kitty st st-256color mintty iterm2 nsterm
vt100 vt102 vt220 ansi cygwin Eterm eterm-color'
echo '/* Made from terminfo by terms.sh. */'
echo '#include <stddef.h>'
echo '#include "viewer/term/terms.h"'
echo 'const struct builtin_term builtin_terms[] = {'
for n in $names; do
    text=$(infocmp -x -Q2 "$n") || { echo "terms.sh: this machine has no terminfo for $n" >&2; exit 1; }
    printf '    {"%s",\n' "$n"
    printf '%s\n' "$text" | sed -e '/^#/d' -e 's/.*/     "&"/' -e '$s/$/},/'
done
echo '    {NULL, NULL}'
echo '};'
