/*
 * gspans.h - the spans of a group of neighbours that have ended after few spans each, as columns.
 *
 * When a program starts goroutines by the million, most are created, run once and end: two spans each, of the
 * same kinds. If GSPANS_LANES neighbours have the same number of spans, each span takes a column for what it
 * is (waitspan.rest), one for its `who`, and one for its duration; so what they have in common is stored
 * once. The first span has no duration column: its duration is the lane's life (decode/model/retired.h has
 * it) minus the other durations.
 */
#ifndef GOTOP_DECODE_GSPANS_H
#define GOTOP_DECODE_GSPANS_H

#include "decode/base/columns.h"
#include "decode/model/spans.h"

enum { GSPANS_LANES = LANES_ALIKE, GSPANS_MOST = SPANS_FEW, GSPANS_COLUMNS = 3 * GSPANS_MOST - 1 };

/* gspans_rest, gspans_who, gspans_dur - number of the column for span k of n. */
static inline unsigned gspans_rest(unsigned k)
{
    return k;
}
static inline unsigned gspans_who(unsigned n, unsigned k)
{
    return n + k;
}
static inline unsigned gspans_dur(unsigned n, unsigned k) /* k > 0 */
{
    return 2 * n + k - 1;
}

/* gspans_make - pack the waiting spans of GSPANS_LANES ended lanes into the pool; the lanes do not change.
 * Returns NULL if their numbers of spans differ or exceed GSPANS_MOST, if a span is too long, or if out of
 * memory. */
const struct columns *gspans_make(struct span_pool *sp, const struct spanlane *l);
/* gspans_at - returns span k of n in this row. lasted is the lane's life in ns. */
struct waitspan gspans_at(const struct columns *c, unsigned row, unsigned n, unsigned k, int64_t lasted);
/*
 * gspans_all - unpack all columns, for a walk over these lanes.
 * gspans_row - all n spans of one lane, as columns.
 */
struct gspans_rows {
    unsigned step[GSPANS_COLUMNS]; /* 0: the same value for all */
    uint64_t v[GSPANS_COLUMNS][GSPANS_LANES];
};
void gspans_all(const struct columns *c, struct gspans_rows *out);
static inline void gspans_row(const struct gspans_rows *r, unsigned row, unsigned n, int64_t lasted,
                              struct spancols *out)
{
#define OF(column) r->v[column][row * r->step[column]]
    for (unsigned k = 0; k < n; k++) {
        const uint64_t rest = OF(gspans_rest(k));
        out->stack[k] = (uint32_t)rest;
        out->tag[k] = (uint16_t)(rest >> 32);
        out->who[k] = (uint32_t)OF(gspans_who(n, k));
        if (k)
            lasted -= out->dur[k] = (int64_t)OF(gspans_dur(n, k));
    }
    out->dur[0] = lasted;
#undef OF
}

#endif
