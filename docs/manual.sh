#!/bin/sh
# manual.sh GOTOP DIR - man pages into DIR/man1, completions for bash, zsh and fish into DIR, from what --help is made of:
# viewer/command/commands.def, and what each command prints for --help (its options: triage/options.def).
#
# The main page is docs/gotop.1 with the commands added to SYNOPSIS and COMMANDS, and OPTIONS made anew: a paragraph in
# docs/gotop.1 about an option is put in place of its line of --help. Everything goes through one table, DIR/options:
#   command ("-" is the viewer) <tab> option <tab> argument, if it takes one <tab> help
set -e
gotop=$1 dir=$2 here=$(dirname "$0")
mkdir -p "$dir/man1"
case $gotop in /*) ;; *) gotop=$PWD/$gotop ;; esac

# A row of a .def file, with C's escapes undone: fields by tabs.
rows() { # rows FILE
    sed -n 's/^X(\([a-zA-Z_]*\), *"/\1\t/; t row
        b
        : row
        s/", *"/\t/g; s/", *NULL, *"/\t\t/; s/", *[a-z_]*\(, [A-Z_ |]*\)*) *$//; s/")$//; s/\\\\/\\/g; s/\\"/"/g; p' "$1"
}
rows "$here/../viewer/command/commands.def" >"$dir/commands"

# The options in a text of --help, as rows of the table.
told() { # told COMMAND FILE
    awk -v cmd="$1" '
    # "  --name ARG, --other   what they do", and perhaps "   --more   the same in the same line"
    function head(h, help,   o, arg) {
        while (match(h, /--?[A-Za-z][A-Za-z0-9-]*/)) {
            o = substr(h, RSTART, RLENGTH)
            h = substr(h, RSTART + RLENGTH)
            arg = ""
            if (match(h, /^ \x27[^\x27]*\x27/) || match(h, /^ [^ ,-][^ ]*/)) {
                arg = substr(h, 2, RLENGTH - 1)
                h = substr(h, RLENGTH + 1)
                sub(/,$/, "", arg)
            }
            if (!(o in at)) { name[n] = o; args[n] = arg; what[n] = help; at[o] = n++ }
            else if (arg ~ /^[a-z]/) { # one row for each of its words
                if (args[at[o]] ~ /^[a-z|]+$/) args[at[o]] = args[at[o]] "|" arg
                what[at[o]] = "one of " args[at[o]]
            }
        }
    }
    BEGIN { n = 0 }
    /^  -/ {
        rest = substr($0, 3)
        while (rest != "") {
            if (!match(rest, /  +/)) { head(rest, ""); break }
            h = substr(rest, 1, RSTART - 1)
            text = substr(rest, RSTART + RLENGTH)
            rest = ""
            if (match(text, /   +-/)) { rest = substr(text, RSTART + RLENGTH - 1); text = substr(text, 1, RSTART - 1) }
            head(h, text)
        }
        next
    }
    n && sub(/^                +/, "") { what[n - 1] = what[n - 1] " " $0 } # the help goes on
    END {
        for (i = 0; i < n; i++) print cmd "\t" name[i] "\t" args[i] "\t" what[i]
        if (!("--help" in at)) print cmd "\t--help\t\tthis"
    }' "$2"
}
{
    "$gotop" --help >"$dir/help"
    told - "$dir/help"
    while IFS='	' read -r name _; do
        "$gotop" "$name" --help >"$dir/help-$name"
        told "$name" "$dir/help-$name"
    done <"$dir/commands"
} | awk -F'\t' '!seen[$1, $2]++' >"$dir/options"
rm -f "$dir/help"

# ---- man pages ----

roff='function roff(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.\x27]/) s = "\\&" s; return s }
      function top(s) { return toupper(substr(s, 1, 1)) substr(s, 2) (s ~ /[.)]$/ ? "" : ".") }'
version=$("$gotop" --version | sed -n '1s/.* //p')
date=$(sed -n 's/^\.TH [^"]*"\([^"]*\)".*/\1/p' "$here/gotop.1")

awk -F'\t' -v version="$version" -v commands="$dir/commands" -v options="$dir/options" "$roff"'
    function flush_options(   i, o, n) {
        for (i = 0; i < nopts; i++) {
            o = opt[i]
            if (arg[o] != "") printf ".TP\n.BI \"%s \" \"%s\"\n", roff(o), roff(arg[o])
            else printf ".TP\n.B %s\n", roff(o)
            if (o in more) { printf "%s", more[o]; used[o] = 1 } else print roff(top(help[o]))
        }
        for (o in more) if (!(o in used)) { print "docs/gotop.1 tells of " o ", which is no option" >"/dev/stderr"; bad = 1 }
    }
    BEGIN {
        while ((getline line <commands) > 0) { split(line, f, "\t"); cmd[ncmds++] = f[1]; operands[f[1]] = f[2]; chelp[f[1]] = f[3] }
        while ((getline line <options) > 0) {
            split(line, f, "\t")
            if (f[1] == "-") { opt[nopts++] = f[2]; arg[f[2]] = f[3]; help[f[2]] = f[4] }
        }
    }
    /^\.TH/ { sub(/"gotop [^"]*"/, "\"gotop " version "\"") }
    /^\.SH/ {
        for (i = 0; section == "SYNOPSIS" && i < ncmds; i++)
            printf ".br\n.B gotop %s\n.RI [ OPTION ...]\n%s", cmd[i], operands[cmd[i]] == "" ? "" : ".I " roff(operands[cmd[i]]) "\n"
        for (i = 0; section == "COMMANDS" && i < ncmds; i++) printf ".TP\n.BR gotop\\-%s (1)\n%s\n", cmd[i], roff(top(chelp[cmd[i]]))
        if (section == "OPTIONS") flush_options()
        section = $0; sub(/^\.SH /, "", section)
    }
    section == "OPTIONS" && !/^\.SH/ {
        if (/^\.TP/) { want = 1; next }
        if (want) {
            want = 0; name = $0; gsub(/\\/, "", name); at = ""
            while (match(name, /--[a-z-]+/)) { at = at " " substr(name, RSTART, RLENGTH); name = substr(name, RSTART + RLENGTH) }
            split(at, names, " "); next
        }
        for (i in names) more[names[i]] = more[names[i]] $0 "\n"
        next
    }
    { print }
    END { exit bad }' "$here/gotop.1" >"$dir/man1/gotop.1"

while IFS='	' read -r name operands help; do
    awk -v name="$name" -v operands="$operands" -v help="$help" -v version="$version" -v date="$date" "$roff"'
        function fill_off() { if (table) { print ".fi"; table = 0 } }
        BEGIN {
            printf ".TH GOTOP\\-%s 1 \"%s\" \"gotop %s\" \"User Commands\"\n.SH NAME\ngotop\\-%s \\- %s\n", toupper(name), date, version, name, roff(help)
            printf ".SH SYNOPSIS\n.B gotop %s\n.RI [ OPTION ...]\n.I %s\n.SH DESCRIPTION\n", name, roff(operands)
        }
        /^usage:/ || /^       gotop / || /^$/ { next } # ways to call it
        NR == 1 && sub(/^gotop .* - /, "") { print roff(top($0)); next }
        /^Exit status:/ { fill_off(); sub(/^Exit status: */, ""); print ".SH EXIT STATUS\n" roff($0); item = 0; next }
        /^  [^ ]/ && match(substr($0, 3), /  +/) { # "  --option ARG   what it does", "  word   what it is"
            fill_off()
            rest = substr($0, 3); text = substr(rest, RSTART + RLENGTH); rest = substr(rest, 1, RSTART - 1)
            if (match(text, /   +--?[a-z]/)) { second = substr(text, RSTART); text = substr(text, 1, RSTART - 1) } else second = ""
            printf ".TP\n.B \"%s\"\n%s\n", roff(rest), roff(text)
            item = 1
            sub(/^ +/, "", second)
            if (second != "") {
                match(second, /  +/)
                printf ".TP\n.B \"%s\"\n%s\n", roff(substr(second, 1, RSTART - 1)), roff(substr(second, RSTART + RLENGTH))
            }
            next
        }
        /^       / && item { sub(/^ +/, ""); print roff($0); next }
        /   / { if (!table) print ".PP\n.nf"; table = 1; item = 0; print roff($0); next } # columns
        { fill_off(); if (item) print ".PP"; item = 0; sub(/^ +/, ""); print roff($0) }
        END { fill_off(); print ".SH SEE ALSO\n.BR gotop (1)" }' "$dir/help-$name" >"$dir/man1/gotop-$name.1"
    rm -f "$dir/help-$name"
done <"$dir/commands"

# ---- completions ----

# Names of views, beside their numbers.
views=$("$gotop" --list-actions | sed -n 's/^view-\([a-z-]*\) .*/\1/p' | tr '\n' ' ')
views=${views% }

# What may stand behind an option: words, by its argument; "@" is a file, "" nothing that we know.
words='function words(o, arg) {
          if (o == "--palette") return "dark light neutral colour-blind colour-blind-light contrast"
          if (o == "--keymap" || o == "--dump-keymap") return "default vi emacs"
          if (o == "--view") return "1 2 3 4 5 6 7 8 9 '"$views"'"
          if (arg ~ /^(FILE|DIR|PATH)$/) return "@"
          if (arg ~ /^[a-z]+(\|[a-z]+)+$/) { gsub(/\|/, " ", arg); return arg }
          return "" }'

awk -F'\t' "$words"'
    FNR == NR { cmds = cmds " " $1; next }
    { list[$1] = list[$1] " " $2 ($3 != "" && $2 ~ /^--/ ? "=" : ""); w = $3 == "" ? "" : words($2, $3)
      if ($3 != "") value[$1 "," $2] = w; if (!($1 in n)) { n[$1] = 1; order[++k] = $1 } pair[++m] = $1 "," $2 }
    END {
        print "# bash completion for gotop; made by docs/manual.sh."
        print "_gotop() {"
        print "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=- words= i"
        print "    COMPREPLY=()"
        print "    [[ $cur == = ]] && cur="
        print "    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}"
        printf "    case ${COMP_WORDS[1]} in %s) [[ $COMP_CWORD -gt 1 ]] && cmd=${COMP_WORDS[1]} ;; esac\n", substr(gensub_bar(cmds), 1)
        print "    case $cmd,$prev in"
        for (i = 1; i <= m; i++) if (pair[i] in value) {
            w = value[pair[i]]
            if (w == "@") printf "    %s) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", pair[i]
            else if (w != "") printf "    %s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", pair[i], w
            else printf "    %s) return ;;\n", pair[i]
        }
        print "    esac"
        print "    case $cmd in"
        for (i = 1; i <= k; i++) printf "    %s) words=\"%s\" ;;\n", order[i], substr(list[order[i]], 2)
        print "    esac"
        print "    if [[ $cur == -* ]]; then"
        print "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))"
        print "        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null"
        print "        return"
        print "    fi"
        printf "    [[ $COMP_CWORD -eq 1 ]] && COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))\n", substr(cmds, 2)
        print "    compopt -o filenames 2>/dev/null"
        print "    COMPREPLY+=($(compgen -f -- \"$cur\"))"
        print "}"
        print "complete -F _gotop gotop"
    }
    function gensub_bar(s) { sub(/^ /, "", s); gsub(/ /, "|", s); return s }' "$dir/commands" "$dir/options" >"$dir/gotop.bash"

quote='function q(s) { gsub(/\x27/, "\x27\\\x27\x27", s); return s }'
awk -F'\t' "$words$quote"'
    function z(s) { gsub(/\\/, "\\\\", s); gsub(/:/, "\\:", s); gsub(/\[/, "\\[", s); gsub(/\]/, "\\]", s); return q(s) }
    function spec(o, arg, help,   w) {
        if (arg == "") return sprintf("\x27%s[%s]\x27", o, z(help))
        w = words(o, arg)
        gsub(/\x27/, "", arg)
        return sprintf("\x27%s%s[%s]:%s:%s\x27", o, o ~ /^--/ ? "=" : "", z(help), z(arg), w == "@" ? "_files" : w == "" ? "" : "(" w ")")
    }
    FNR == NR { cmd[++n] = $1; help[$1] = $3; next }
    { list[$1] = list[$1] " \\\n            " spec($2, $3, $4) }
    END {
        print "#compdef gotop"
        print "# zsh completion for gotop; made by docs/manual.sh."
        print "_gotop() {"
        print "    local -a commands=("
        for (i = 1; i <= n; i++) printf "        \x27%s:%s\x27\n", cmd[i], z(help[cmd[i]])
        print "    )"
        print "    if (( CURRENT > 2 )); then"
        print "        case $words[2] in"
        for (i = 1; i <= n; i++) printf "        %s)\n            shift words; (( CURRENT-- ))\n            _arguments \\\n            %s\x27*:file:_files\x27\n            return ;;\n", cmd[i], list[cmd[i]]
        print "        esac"
        print "    else"
        print "        _describe command commands"
        print "    fi"
        printf "    _arguments%s \\\n            \x27*:trace:_files\x27\n", list["-"]
        print "}"
        print "_gotop \"$@\""
    }' "$dir/commands" "$dir/options" >"$dir/_gotop"

awk -F'\t' "$words$quote"'
    function fq(s) { gsub(/\\/, "\\\\", s); gsub(/\x27/, "\\\x27", s); return s }
    FNR == NR { cmds = cmds " " $1; line[++n] = sprintf("complete -c gotop -n __fish_use_subcommand -a %s -d \x27%s\x27", $1, fq($3)); next }
    FNR == 1 { print "# fish completion for gotop; made by docs/manual.sh."; for (i = 1; i <= n; i++) print line[i] }
    {
        w = $3 == "" ? "" : words($2, $3)
        name = $2; flag = sub(/^--/, "", name) ? "-l " name : "-" (length(name) > 2 ? "o" : "s") " " substr(name, 2)
        cond = $1 == "-" ? "not __fish_seen_subcommand_from" cmds : "__fish_seen_subcommand_from " $1
        printf "complete -c gotop -n \x27%s\x27 %s%s -d \x27%s\x27\n", cond, flag, $3 == "" ? "" : w == "@" ? " -rF" : w == "" ? " -x" : " -xa \x27" w "\x27", fq($4)
    }' "$dir/commands" "$dir/options" >"$dir/gotop.fish"
