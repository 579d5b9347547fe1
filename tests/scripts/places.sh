#!/bin/sh
# places.sh - key maps, palettes and rules by name: the reader's folder, the host's folders, what is built in; in this order.
. tests/scripts/common
needs "$GOTOP"
export HOME="$tmp/home" XDG_CONFIG_DIRS="$tmp/one:relative:$tmp/two"
unset XDG_CONFIG_HOME
bound() { "$GOTOP" --dump-keymap "${1:-default}" 2>/dev/null | sed -n 's/^bind any X //p'; }
map() { mkdir -p "$1/gotop"; printf 'include default\nbind any X %s\n' "$2" >"$1/gotop/${3:-default}.keys"; }

check "$(bound)" show-all "nowhere: what is built in"
map "$tmp/two" quit; check "$(bound)" quit "the host's second folder"
map "$tmp/one" help; check "$(bound)" help "its first one goes before"
map "$tmp/home/.config" redraw; check "$(bound)" redraw "the reader's goes before both"
export XDG_CONFIG_HOME="$tmp/own"; check "$(bound)" help "XDG_CONFIG_HOME is in the place of ~/.config"
map "$tmp/own" quit; check "$(bound)" quit "and goes first"
XDG_CONFIG_HOME=own; check "$(bound)" redraw "a path that isn't from the root does not count"
unset XDG_CONFIG_HOME
map "$tmp/two" help mine; check "$(bound mine)" help "by another name"
XDG_CONFIG_DIRS=; check "$(bound mine)" "" "without the variable it is /etc/xdg"
XDG_CONFIG_DIRS=$tmp/one:$tmp/two

printf 'lock-convoy = off\n' >"$tmp/two/gotop/quiet.rules"
finds() { "$GOTOP" report --quiet "$@" samples/lock-1.26.trace 2>"$tmp/err" | grep -c '\[lock-convoy\]'; }
check "$(finds)" 1 "the rule speaks"
check "$(finds --rules quiet)" 0 "by a name: NAME.rules is found"
# Queries of the reader's own: asked by name, bound to a key.
printf 'select name, count(*) n\nfrom wait group by name; -- waits\n' >"$tmp/two/gotop/waits.sql"
printf 'include default\nbind any X goto sql waits\n' >"$tmp/two/gotop/asks.keys"
screen() { "$GOTOP" --headless --glyphs ascii --keymap asks --keys "$1" samples/lock-1.26.trace 2>"$tmp/err"; }
check "$(screen ': "sql waits" Enter' | sed -n 3p)" "$(screen X | sed -n 3p)" "a query by its name, and by its key"
check "$(screen X | sed -n '3s/ *$//p')" "name                                                    n" "is answered"
check "$(screen ': "sql wait" Enter' | tail -n 1)" "wait: no query of that name; there are: waits" "names are told"
"$GOTOP" report --rules none samples/lock-1.26.trace >/dev/null 2>&1; check $? 2 "there is none of that name"
finish
