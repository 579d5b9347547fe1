/*
 * keymap_priv.h - the inside of a keymap, for keymap.c, keymap_load.c and keymap_check.c only.
 */
#ifndef GOTOP_VIEWER_KEYMAP_PRIV_H
#define GOTOP_VIEWER_KEYMAP_PRIV_H

#include "decode/base/mem.h"
#include "viewer/keys/keymap.h"

struct mapfile { /* names that bindings point to; they live as long as the map */
    struct mapfile *next;
    char name[];
};

struct keymap {
    struct binding
        *b; /* as they were defined; the keys of each differ from those of all others of its view */
    size_t n, cap;
    struct mapfile *files;
    int depth; /* depth of includes */
};

/* binding_begins - whether its keys begin with these. */
bool binding_begins(const struct binding *b, const keycode *keys, int n);
/* Load one name. skip: places of the search path to pass over. base: the folder of the including file. */
enum err_code keymap_load_from(struct keymap *km, const char *name, const char *includer,
                               const struct file_say *say);

#endif
