/*
 * keymap_priv.h - the inside of a keymap, for keymap.c, keymap_load.c and keymap_check.c only.
 */
#ifndef GOTOP_VIEWER_KEYMAP_PRIV_H
#define GOTOP_VIEWER_KEYMAP_PRIV_H

#include "decode/base/table.h"
#include "viewer/keys/keymap.h"

struct keynode {
    keycode key;
    bool lost;             /* uthash sets it when the node could not be added */
    struct binding *bound; /* NULL: only a prefix */
    struct keynode *kids;  /* hash by key */
    UT_hash_handle hh;
};

struct mapfile { /* names that bindings point to; they live as long as the map */
    struct mapfile *next;
    char name[];
};

struct keymap {
    struct keynode root[KEYVIEW_COUNT];
    struct mapfile *files;
    uint32_t seq;
    int depth; /* depth of includes */
};

void keymap_report(const struct keymap_say *say, bool error, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* keynode_kid - the node that a key leads to; NULL: none. n may be NULL. */
struct keynode *keynode_kid(const struct keynode *n, keycode k);
/* Load one name. skip: places of the search path to pass over. base: the folder of the including file. */
enum err_code keymap_load_from(struct keymap *km, const char *name, const char *includer,
                               const struct keymap_say *say);

#endif
