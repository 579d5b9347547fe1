#!/bin/sh
# embed.sh FILE.keys.. - the key maps as a C table (viewer/keymap_builtin.h): what users write is what is built in.
echo '/* Made from keymaps/ by embed.sh. */'
echo '#include "viewer/keymap_builtin.h"'
echo 'const struct builtin_keymap builtin_keymaps[] = {'
for f; do
    printf '    {"%s",\n' "$(basename "$f" .keys)"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/	/\\t/g' -e 's/^/     "/' -e 's/$/\\n"/' "$f"
    echo '     ""},'
done
echo '    {0, 0}'
echo '};'
