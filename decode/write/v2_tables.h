/*
 * v2_tables.h - the strings and stacks of one generation of the second family, as they stand in the file.
 */
#ifndef GOTOP_DECODE_V2_TABLES_H
#define GOTOP_DECODE_V2_TABLES_H

#include "decode/base/idmap.h"
#include "decode/write/v2_put.h"

struct v2_table { /* all zeros = empty */
    struct v2_entry {
        uint64_t id;
        const uint8_t *p, *end; /* a string's bytes; a stack's frames, and where their batch ends */
        uint32_t n;             /* bytes; frames */
        bool used;
    } * e;
    size_t n, cap;
    struct idmap at; /* index by id; the first of an id counts, as for Go */
};
struct v2_tables {
    struct v2_table strings, stacks;
    uint64_t max_string; /* highest id */
};

/* v2_tables_read - of a generation. Damaged tables end where they are. false: no memory. */
bool v2_tables_read(struct v2_tables *t, const struct v2_raw_gen *gen);
void v2_tables_free(struct v2_tables *t);
/* v2_table_use - an id that an event has: itself, and remembered as used, or 0 if it isn't in the table. */
uint64_t v2_table_use(struct v2_table *t, uint64_t id);
/* v2_tables_put - batches with the stacks that are used, and then the strings; m = -1. The latter are left open in w. */
void v2_tables_put(struct v2_tables *t, struct v2_put *w, uint64_t time);

#endif
