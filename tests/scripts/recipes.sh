#!/bin/sh
# recipes.sh - every line of docs/RECIPES.md is run, with ssh, kubectl, curl and go played by scripts that do the same in
# folders here; and README and RECIPES show what is so (tests/run-readme).
. tests/scripts/common
BUILD=${BUILD:-build}
ok() { # ok WHAT COMMAND..
    what=$1; shift
    if "$@"; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1)); echo "FAILED: $what"
}
readme() { GOTOP=$GOTOP sh tests/run-readme; }
ok "README and RECIPES" readme

export W="$tmp" REAL="$GOTOP" SAMPLE="$PWD/samples/http-1.26.trace" XDG_CONFIG_HOME="$tmp/config"
mkdir "$tmp/bin" "$tmp/host" "$tmp/pod" "$tmp/here"
for d in host pod here; do cp "$SAMPLE" "$tmp/$d/trace.out"; done
cp "$SAMPLE" "$tmp/here/before.out"
put() { cat >"$tmp/bin/$1" && chmod +x "$tmp/bin/$1"; }
put gotop <<'S'
#!/bin/sh
case $1 in
record|watch) # there is no program to look at: the options must exist
    "$REAL" "$1" --help >"$W/help" || exit 1
    for a; do case $a in --*) grep -qE -- "^  $a( |\$)" "$W/help" || { echo "gotop $1 has no $a"; exit 1; } ;; esac; done
    [ "$1" = record ] || { echo 2026-11-21T23:55:58.256Z captured captures/1.trace; exec cp "$SAMPLE" captures/1.trace; }
    cp "$SAMPLE" trace.out ;;
*) exec "$REAL" "$@" ;;
esac
S
put scp <<'S'
#!/bin/sh
[ "$1" = -q ] && shift
cp "$1" "$W/host/"
S
put ssh <<'S'
#!/bin/sh
[ "$1" = -t ] && shift
shift; cd "$W/host" && exec sh -c "$*"
S
put curl <<'S'
#!/bin/sh
exec cat "$SAMPLE"
S
cp "$tmp/bin/curl" "$tmp/bin/wget"
put go <<'S'
#!/bin/sh
cp "$SAMPLE" trace.out
S
put kubectl <<'S'
#!/bin/sh
what=$1; shift
while :; do case $1 in -n) shift 2 ;; -it) shift ;; *) break ;; esac; done
here() { echo "$1" | sed "s,^POD:/tmp,$W/pod,"; }
case $what in
cp) cp "$(here "$1")" "$(here "$2")" ;;
exec) [ "$2" = -- ] || exit 1; shift 2; exec sh -c "$(echo "$*" | sed "s,/tmp/,$W/pod/,g; s/?/\\\\?/g; s/&/\\\\&/g")" ;;
port-forward) [ "$1 $2" = "pod/POD 6060" ] ;;
debug) [ "$1" = POD ] ;;
*) exit 1 ;;
esac
S
cp "$tmp/bin/gotop" "$tmp/here/gotop"
cp docs/*.sql "$tmp/here"
cd "$tmp/here" || exit 1
PATH=$tmp/bin:$PATH
lines() { sed -n '/^```sh$/,/^```$/p' "$1" | grep -v '^```'; }
run() { bash -o pipefail -c "$1" >"$tmp/out" 2>&1 </dev/null || { cat "$tmp/out"; return 1; }; }
lines "$OLDPWD/docs/RECIPES.md" >"$tmp/lines"
ok "there are recipes" test -s "$tmp/lines"
while IFS= read -r line <&4; do
    case $line in "jq "*) command -v jq >/dev/null 2>&1 || continue ;; esac
    ok "$line" run "$line"
done 4<"$tmp/lines"
if python3 -c 'import yaml' 2>/dev/null; then
    yaml() { python3 -c '
import re, sys, yaml
blocks = re.findall(r"```yaml\n(.*?)```", open(sys.argv[1]).read(), re.S)
[yaml.safe_load(b) for b in blocks]
sys.exit(not blocks)' "$1"; }
    ok "its YAML" yaml "$OLDPWD/docs/RECIPES.md"
else echo "note: no YAML reader here"
fi
if command -v systemd-analyze >/dev/null 2>&1; then # the unit, but for where gotop is
    sed -n '/^```ini$/,/^```$/p' "$OLDPWD/docs/RECIPES.md" | grep -v '^```' | sed "s,/usr/local/bin/gotop,$REAL," >"$tmp/gotop-watch@x.service"
    unit() { systemd-analyze verify --man=no "$tmp/gotop-watch@x.service" 2>&1 | grep 'gotop-watch@x' && return 1; return 0; }
    ok "the unit" unit
    # shellcheck disable=SC2046 # its words
    words() { sed -n '/^ExecStart=/,/[^\\]$/p' "$tmp/gotop-watch@x.service" | tr -d '\\\n' | grep -oE -- ' --[a-z-]+' | sort -u; }
    "$REAL" watch --help >"$tmp/help"
    for o in $(words); do ok "gotop watch $o" grep -q -- "^  $o " "$tmp/help"; done
else echo "note: no systemd-analyze here"
fi
finish
