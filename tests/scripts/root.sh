#!/bin/sh
# root.sh - as root, under a user's HOME (sudo keeps it): that user's keymap and palette aren't obeyed, and it is said.
. tests/scripts/common
needs "$GOTOP"
[ "$(id -u)" = 0 ] || { echo "only root can try this"; exit 77; }
export HOME="$tmp"
unset XDG_CONFIG_HOME
mkdir -p "$tmp/.config/gotop"
map=$tmp/.config/gotop/default.keys
obeyed() { "$GOTOP" --dump-keymap default 2>"$tmp/err" | grep -q '^bind any X quit'; }
write() { printf 'include default\nbind any X quit\n' >"$map"; }
write
if obeyed && [ ! -s "$tmp/err" ]; then pass; else fail "root's own is not read"; fi
chown 65534 "$map"
if ! obeyed && grep -q 'not read' "$tmp/err"; then pass; else fail "a user's is read: $(cat "$tmp/err")"; fi
chown 0 "$map"; chmod 666 "$map"
if ! obeyed && grep -q 'not read' "$tmp/err"; then pass; else fail "one that anyone may write is read"; fi
if "$GOTOP" --dump-keymap "$map" 2>/dev/null | grep -q '^bind any X quit'; then pass; else fail "one asked for by its path is not read"; fi
rm "$map"; mkfifo "$map"; chown 65534 "$map"
if timeout 600 "$GOTOP" --check-keymap default >/dev/null 2>&1; then pass; else fail "a FIFO there holds us up"; fi
finish
