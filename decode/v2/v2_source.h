/* v2_source.h - the second family's reader: what whoever reads its generations singly needs of it. */
#ifndef GOTOP_DECODE_V2_SOURCE_H
#define GOTOP_DECODE_V2_SOURCE_H

#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_order.h"

struct v2 {
    struct v2_gen gen;
    struct v2_order order;
    size_t pos;
    bool in_gen, last_gen, over;
    bool rough; /* events of the generation before were lost: what this one says of things may contradict it */
};

/* v2_gen_notes - what there is to say once a generation's events are in order; where a table entry was missing in one that should
   be whole, it is said once. v2_wall_clock - the time of day when the trace began, if its first generation tells. */
void v2_gen_notes(struct source *s, const struct v2_gen *gen, struct v2_order *o);
void v2_wall_clock(struct source *s, const struct v2_gen *gen, const struct v2_order *o);

#endif
