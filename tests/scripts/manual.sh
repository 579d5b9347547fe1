#!/bin/sh
# manual.sh - man pages and completions tell of every option and subcommand that --help tells of, and of no other; they
# parse; what completions offer is accepted; install puts them where they are looked for.
. tests/scripts/common
BUILD=${BUILD:-build}
export XDG_CONFIG_HOME="$tmp/config"
ok() { # ok WHAT COMMAND..
    what=$1; shift
    if "$@"; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1)); echo "FAILED: $what"
}
d=$tmp/m
sh docs/manual.sh "$GOTOP" "$d" || { echo "docs/manual.sh failed"; exit 1; }

# heads HELP - the options that lines begin with
heads() { sed -nE '/^  -/s/^  ([^ ]+( [^ ]+)*)(  .*)?$/\1/p' "$1" | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u; }
# plain FILE - a man page without its escapes
plain() { sed 's/\\-/-/g; s/\\e/\\/g' "$1"; }
# told PAGE HELP - the options named in the text of --help stand at the head of a paragraph of the page
told() {
    n=0
    plain "$1" | grep -E '^\.B[IR]? ' >"$tmp/told"
    for o in $(heads "$2"); do
        n=$((n + 1))
        grep -qE -- "$o([^a-z0-9-]|\$)" "$tmp/told" || { echo "$1 does not tell of $o"; return 1; }
    done
    [ $n -gt 0 ]
}
# no_other PAGE HELP - and no paragraph is about an option that --help doesn't know
no_other() {
    for o in $(plain "$1" | sed -n '/^\.SH OPTIONS/,/^\.SH KEYMAPS/p' | grep -E '^\.B[IR]? ' | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u); do
        grep -qE -- "$o([^a-z0-9-]|\$)" "$2" || { echo "$1 tells of $o, --help doesn't"; return 1; }
    done
}
# whole COMMAND HELP - where the help of an option goes on in a further line, completions have that, too
whole() {
    grep "^$1	" "$d/options" >"$tmp/has"
    sed -n '/^  -/,$s/^ \{16,\}//p' "$2" >"$tmp/further"
    while read -r line; do grep -qF -- " $line" "$tmp/has" || { echo "$1 has lost: $line"; return 1; }; done <"$tmp/further"
}
complete_has() { # complete_has COMMAND HELP - each of its options in all three completions
    bash -c '. "$1"; COMP_WORDS=(gotop $2 -); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gotop; printf "%s\n" "${COMPREPLY[@]}"' - \
        "$d/gotop.bash" "$1" >"$tmp/offered" 2>/dev/null
    for o in $(heads "$2"); do
        grep -qE "^$o=?\$" "$tmp/offered" || { echo "bash, $1: no $o"; return 1; }
        grep -qE -- "'$o[=[]" "$d/_gotop" || { echo "zsh: no $o"; return 1; }
        grep -qE -- "-l ${o#--} " "$d/gotop.fish" || { echo "fish: no $o"; return 1; }
    done
}

"$GOTOP" --help >"$tmp/help"
ok "the main page has all options" told "$d/man1/gotop.1" "$tmp/help"
ok "the main page has no others" no_other "$d/man1/gotop.1" "$tmp/help"
ok "completions have the main options" complete_has "" "$tmp/help"
ok "each with all its help" whole - "$tmp/help"
commands=$(cut -f1 "$d/commands")
ok "there are subcommands" test -n "$commands"
for c in $commands; do
    ok "$c stands in --help" grep -qE "^  gotop $c " "$tmp/help"
    ok "$c stands in the main page" grep -qF "gotop\\-$c (1)" "$d/man1/gotop.1"
    "$GOTOP" "$c" --help >"$tmp/help-$c" || { failed=$((failed + 1)); echo "FAILED: gotop $c --help"; continue; }
    ok "$c --help begins with its usage" grep -qE "^(usage: )?gotop $c " "$tmp/help-$c"
    ok "$c has a page with all options" told "$d/man1/gotop-$c.1" "$tmp/help-$c"
    ok "$c in completions" complete_has "$c" "$tmp/help-$c"
    ok "$c with all its help" whole "$c" "$tmp/help-$c"
    ok "$c is offered" sh -c "bash -c '. $d/gotop.bash; COMP_WORDS=(gotop $c); COMP_CWORD=1; _gotop; printf \"%s\n\" \"\${COMPREPLY[@]}\"' 2>/dev/null | grep -qx $c"
done

ok "bash reads its completion" bash -n "$d/gotop.bash"
if command -v zsh >/dev/null 2>&1; then ok "zsh reads its own" zsh -n "$d/_gotop"; else echo "note: no zsh here"; fi
if command -v fish >/dev/null 2>&1; then ok "fish reads its own" fish -n "$d/gotop.fish"; else echo "note: no fish here"; fi
if command -v mandoc >/dev/null 2>&1; then ok "mandoc finds no fault" mandoc -Tlint -W warning "$d"/man1/*.1; else echo "note: no mandoc here"; fi

# What is offered behind an option is accepted.
for v in $(sed -n 's/^    -,--\([a-z]*\)) COMPREPLY=($(compgen -W "\([^"]*\)".*/\1:\2/p' "$d/gotop.bash" | tr ' ' ,); do
    for w in $(echo "${v#*:}" | tr , ' '); do
        case ${v%%:*} in
        color|palette|glyphs|keymap|view) ok "--${v%%:*} $w" sh -c '"$@" >/dev/null' - "$GOTOP" --headless "--${v%%:*}" "$w" samples/workers-1.11.trace ;;
        esac
    done
done

# What is offered behind --view.
offers() { bash -c '. "$0"; COMP_WORDS=(gotop "$@"); COMP_CWORD=$#; _gotop; printf "%s\n" "${COMPREPLY[@]}"' "$d/gotop.bash" "$@" 2>/dev/null; }
ok "views have names, too" sh -c "[ '$(offers --view fl)' = flame ]"

# A row too many in docs/gotop.1 is a mistake that is told.
mkdir -p "$tmp/x/docs" "$tmp/x/viewer/command" && cp docs/manual.sh "$tmp/x/docs" && cp viewer/command/*.def "$tmp/x/viewer/command"
sed 's/^\.SH KEYMAPS/.TP\n.B \\-\\-nobody\nNo such thing.\n&/' docs/gotop.1 >"$tmp/x/docs/gotop.1"
case $GOTOP in /*) g=$GOTOP ;; *) g=$PWD/$GOTOP ;; esac
wrong() { ! sh "$tmp/x/docs/manual.sh" "$g" "$tmp/x/out" 2>"$tmp/x/err" && grep -q 'tells of --nobody' "$tmp/x/err"; }
ok "a paragraph about no option" wrong

finish
