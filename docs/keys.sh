#!/bin/sh
# keys.sh - docs/KEYS.md: the actions of viewer/keys/actions.def with the keys of the shipped keymaps.
#
#   docs/keys.sh >docs/KEYS.md          with GOTOP=build/gotop, at the top of the tree
GOTOP=${GOTOP:-build/gotop}
cat <<'END'
# Keys

Made by `docs/keys.sh`; do not edit. The keymaps are `keymaps/*.keys`.
`--keymap NAME` selects one, `--keymap FILE` reads yours, and `~/.config/gotop/default.keys`
is read if it exists (begin it with `include default`). In the viewer, `?` lists the keys of
the current view.
END
for map in default emacs vi; do "$GOTOP" --dump-keymap $map | sed "s/^/$map /"; done | awk '
    BEGIN { split("default emacs vi", maps); quote = "\"" }
    function code(key) { # as markdown: a bar would end the cell
        gsub(/\|/, "\\|", key)
        return key ~ /`/ ? " `` " key " ``" : " `" key "`"
    }
    FILENAME != "-" { # X(ID, "name", "group", "help", ..
        if (split($0, f, quote) < 7 || $0 !~ /^X\(/) next
        name[++n] = f[2]; group[n] = f[4]; help[n] = f[6]
        next
    }
    {
        map = $1; view = $3; action = $NF; key = $0
        sub(/^[^ ]+ bind [^ ]+ /, "", key); sub(/ [^ ]+$/, "", key)
        if (view == "any") keys[map, action] = keys[map, action] code(key)
        else {
            if (!((view, key, action) in own)) row[++m] = view SUBSEP key SUBSEP action
            own[view, key, action] = own[view, key, action] (own[view, key, action] ? ", " : "") map
        }
    }
    END {
        for (i = 1; i <= n; i++) {
            if (group[i] != group[i - 1])
                printf "\n## %s\n\n| action | default | emacs | vi | what it does |\n|---|---|---|---|---|\n", group[i]
            printf "| %s", name[i]
            for (k = 1; k <= 3; k++) printf " |%s", keys[maps[k], name[i]]
            printf " | %s |\n", help[i]
        }
        printf "\n## Beside these\n\n| only in | key | action | keymaps |\n|---|---|---|---|\n"
        for (i = 1; i <= m; i++) {
            split(row[i], f, SUBSEP)
            printf "| `%s` | `%s` | %s | %s |\n", f[1], f[2], f[3], own[f[1], f[2], f[3]]
        }
    }' viewer/keys/actions.def -
cat <<'END'

Counts: in vi and emacs, digits before a key repeat it (`5` `l`). In default, digits switch
views, so a count begins with `;` (`;` `5` `l`).

`q` asks once more before it leaves a trace that took 5 s or more to read: press it again;
`Q` leaves at once.

A line of a keymap is `bind any KEY ACTION`, or `bind VIEW KEY ACTION` for one view or `popup`
(`man gotop`: KEYMAPS); `gotop --check-keymap FILE` finds mistakes. `:` takes actions by their
names, and views:
END
awk -F'"' '/^X\(/ { printf "%s`%s`", n++ ? n % 8 ? ", " : ",\n" : "", $2 } END { print "." }' triage/views.def
echo 'Where both have a name, it is the action; `view-` before it means the view.'
