/* v2_source.h - the second family's reader: what v2_source.c and v2_mark.c share. */
#ifndef GOTOP_DECODE_V2_SOURCE_H
#define GOTOP_DECODE_V2_SOURCE_H

#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_order.h"

struct v2_gen_before { /* what a generation inherits from those before it */
    uint64_t number, freq;
    uint32_t ordinal;
    bool torn;
    uint64_t hi;
    uint32_t reason[V2_REASONS], last_reason[V2_REASONS];
};

struct v2 {
    struct v2_gen gen;
    struct v2_order order;
    struct v2_gen_before before; /* as of the start of this generation */
    size_t pos;
    bool in_gen, last_gen, over;
    bool rough; /* events of the generation before were lost: what this one says of things may contradict it */
};

/* v2_gen_notes - what there is to say once a generation's events are in order; where a table entry was missing in one that should
   be whole, it is said once. v2_wall_clock - the time of day when the trace began, if its first generation tells. */
void v2_gen_notes(struct source *s, const struct v2_gen *gen, struct v2_order *o);
void v2_wall_clock(struct source *s, const struct v2_gen *gen, const struct v2_order *o);

/* v2_mark.c: source_ops of the same names, and v2_gen_keep - remember what the next generation inherits. */
void v2_gen_keep(struct v2 *v);
void *v2_mark(struct source *s, struct gmap *map);
bool v2_resume(struct source *s, const void *mark);
void v2_mark_free(void *mark);

#endif
