#!/bin/sh
# embed.sh FILE.. - key maps (.keys), palettes (.palette) and a page of documentation (.md) as C tables (viewer/keys/keymap_builtin.h): what users write is
# what is built in.
table() { # table NAME SUFFIX FILE..
    printf 'const struct builtin_keymap %s[] = {\n' "$1"
    suffix=$2
    shift 2
    for f; do
        case $f in *"$suffix") ;; *) continue ;; esac
        printf '    {"%s",\n' "$(basename "$f" "$suffix")"
        sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/	/\\t/g' -e 's/^/     "/' -e 's/$/\\n"/' "$f"
        echo '     ""},'
    done
    echo '    {0, 0}'
    echo '};'
}
echo '/* Made from keymaps/ by embed.sh. */'
echo '#include "viewer/keys/keymap_builtin.h"'
table builtin_keymaps .keys "$@"
table builtin_palettes .palette "$@"
table builtin_pages .md "$@"
