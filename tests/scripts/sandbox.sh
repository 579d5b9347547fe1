#!/bin/sh
# sandbox.sh - the program as it is shipped, with something inside that tries to get out while a trace is read.
fast=${GOTOP_FAST:-build/gotop}
[ -x "$fast" ] || { echo "$fast was not built"; exit 1; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8
good=samples/http-1.26.trace
passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; }
has=$("$fast" --version | sed -n 's/^sandbox: //p')
if [ "$has" ]; then pass; else fail "--version doesn't say what is given up"; fi
# inflate() is called while a compressed trace is read: there it tries.
cat >"$tmp/inside.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
int inflateInit2_(void *z, int bits, const char *v, int n);
int inflateReset(void *z)
{
    (void)z;
    return 0;
}
int inflateInit2_(void *z, int bits, const char *v, int n)
{
    (void)z, (void)bits, (void)v, (void)n;
    int file = open("/etc/passwd", O_RDONLY), made = open("/tmp/gotop-was-here", O_WRONLY | O_CREAT, 0600), s = socket(AF_INET, SOCK_STREAM, 0);
    dprintf(2, "inside: file %s, made %s, socket %s\n", file < 0 ? "no" : "YES", made < 0 ? "no" : "YES", s < 0 ? "no" : "YES");
    unlink("/tmp/gotop-was-here");
    execl("/bin/echo", "echo", "inside: program YES", (char *)0);
    _exit(0);
}
C
if ${CC:-cc} -shared -fPIC -o "$tmp/inside.so" "$tmp/inside.c" 2>"$tmp/cc"; then
    gzip -c $good >"$tmp/x.gz"
    for how in report dump "csv spans" "sql select(1)" "folded" --headless; do
        LD_PRELOAD=$tmp/inside.so "$fast" $how "$tmp/x.gz" >"$tmp/out" 2>&1
        grep -q '^inside: ' "$tmp/out" || fail "$how: nothing was tried"
        case $has in *Landlock*) if grep -q 'file no, made no' "$tmp/out"; then pass; else fail "$how: a file: $(cat "$tmp/out")"; fi ;; esac
        case $has in *seccomp*) if grep -q 'socket no' "$tmp/out" && ! grep -q 'program YES' "$tmp/out"; then pass; else fail "$how: a socket: $(cat "$tmp/out")"; fi ;; esac
        LD_PRELOAD=$tmp/inside.so "$fast" --no-sandbox $how "$tmp/x.gz" >"$tmp/out" 2>&1
        if grep -q 'file YES, made YES, socket YES' "$tmp/out" && grep -q 'program YES' "$tmp/out"; then pass; else fail "$how --no-sandbox: $(cat "$tmp/out")"; fi
    done
else
    echo "note: no compiler here that makes shared objects"
fi
# What has to go on going.
if "$fast" report $good | cmp -s - "$tmp/none"; then fail "no report"; else pass; fi
"$fast" report -o "$tmp/r.txt" $good && "$fast" --no-sandbox report $good | cmp -s - "$tmp/r.txt" && pass || fail "a report into a file"
( cd "$tmp" && case $fast in /*) f=$fast ;; *) f=$OLDPWD/$fast ;; esac; cp "$OLDPWD/$good" here.trace && "$f" csv spans -o here.csv here.trace && [ -s here.csv ] ) &&
    pass || fail "a file in the current folder"
"$fast" csv spans -o "$tmp/x.csv.gz" $good && [ -s "$tmp/x.csv.gz" ] && pass || fail "a compressed table"
"$fast" sql --save "$tmp/x.db" $good && [ -s "$tmp/x.db" ] && pass || fail "a saved database"
"$fast" diff "$tmp/x.gz" $good >/dev/null && pass || fail "two traces"
ln -s "$PWD/$good" "$tmp/link"; "$fast" report "$tmp/link" >/dev/null && pass || fail "a link"
"$fast" report /dev/stdin <$good >/dev/null && pass || fail "/dev/stdin"
cat $good | "$fast" report - >/dev/null && pass || fail "a pipe"
mkfifo "$tmp/p"; cat $good >"$tmp/p" & "$fast" report "$tmp/p" >/dev/null && pass || fail "a FIFO"
"$fast" report --exe "$fast" $good >/dev/null && pass || fail "--exe"
printf 'include default\n' >"$tmp/k"; "$fast" --headless --keymap "$tmp/k" $good >/dev/null && pass || fail "a keymap's file"
XDG_CONFIG_HOME=$tmp/c; export XDG_CONFIG_HOME; mkdir -p "$tmp/c/gotop"; printf 'include default\nbind any X view-threads\n' >"$tmp/c/gotop/mine.keys"
"$fast" --headless --keymap mine $good >/dev/null && pass || fail "a keymap by name"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
