/*
 * keymap_priv.h - the inside of a keymap, for keymap.c, keymap_load.c and keymap_check.c only.
 */
#ifndef GOTOP_VIEWER_KEYMAP_PRIV_H
#define GOTOP_VIEWER_KEYMAP_PRIV_H

#include "decode/base/table.h"
#include "viewer/keys/keymap.h"

struct keynode {
    keycode key;
    bool lost;             /* set by uthash when it could not be added */
    struct binding *bound; /* NULL = a mere prefix */
    struct keynode *kids;  /* hash by key */
    UT_hash_handle hh;
};

struct mapfile { /* names that bindings point to live as long as the map */
    struct mapfile *next;
    char name[];
};

struct keymap {
    struct keynode root[KEYVIEW_COUNT];
    struct mapfile *files;
    uint32_t seq;
    int depth; /* of includes under way */
};

void keymap_report(const struct keymap_say *say, bool error, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* keynode_kid - the node a key leads to, NULL if none. n may be NULL. */
struct keynode *keynode_kid(const struct keynode *n, keycode k);
/* Load one name; skip: how many places of the search path to pass over. base:
 * folder of the including file. */
enum err_code keymap_load_from(struct keymap *km, const char *name, const char *includer,
                               const struct keymap_say *say);

#endif
