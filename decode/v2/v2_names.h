/*
 * v2_names.h - the strings and stacks of one generation: read by themselves, then named.
 *
 * The trace's names are numbered in the order in which the file has them (decode/events/names.h), so who gives these numbers goes
 * from generation to generation. Reading is not done there: it makes names of the generation's own, whoever reads others beside it.
 * What is left to do in order is one look-up for each string, each of its frames and each stack.
 */
#ifndef GOTOP_DECODE_V2_NAMES_H
#define GOTOP_DECODE_V2_NAMES_H

#include "decode/v2/v2_gen.h"

/*
 * v2_names_read - read the tables of strings and of stacks. Until v2_names_put() g->strs and g->stacks know which ids there are, not
 * yet what the trace calls them. v2_names_give - find or add all of them in s->names: generation by generation, nobody else at it.
 * v2_names_put - from now on g->strs and g->stacks say the trace's names. The first two: false, out of memory.
 */
bool v2_names_read(struct source *s, struct v2_gen *g);
bool v2_names_give(struct source *s, struct v2_gen *g);
void v2_names_put(struct v2_gen *g);
/* v2_names_free - what stands between the steps; nothing is allowed. */
void v2_names_free(struct v2_gen *g);

/* v2_table_bad - note that a table can't be read from p on; true. */
bool v2_table_bad(struct source *s, struct v2_gen *g, const struct v2_slice *t, const uint8_t *p, const char *what);

#endif
