/*
 * alike.h - spans of neighbours that are over and each did little, as columns.
 *
 * Of a program that starts goroutines by the million most come to be, run once and end: two spans each, of the same kinds. Those of
 * ALIKE_LANES neighbours that have as many of them take a column for what each span is (waitspan.rest), one for its `who` and one for its
 * duration, so that what they have in common stands once. The first one's duration isn't kept: it is what the others leave of
 * the lane's life, which its goroutine's other values tell (decode/model/past.h).
 */
#ifndef GOTOP_DECODE_ALIKE_H
#define GOTOP_DECODE_ALIKE_H

#include "decode/base/columns.h"
#include "decode/model/spans.h"

enum { ALIKE_LANES = LANES_ALIKE, ALIKE_MOST = SPANS_FEW, ALIKE_COLUMNS = 3 * ALIKE_MOST - 1 };

/* Which column of those of n spans each has. */
static inline unsigned alike_rest(unsigned k)
{
    return k;
}
static inline unsigned alike_who(unsigned n, unsigned k)
{
    return n + k;
}
static inline unsigned alike_dur(unsigned n, unsigned k) /* k > 0 */
{
    return 2 * n + k - 1;
}

/*
 * alike_make - the spans that wait in ALIKE_LANES lanes, all of which have ended, among the pool's bytes; the lanes stay as they are. NULL:
 * they don't have as many, at most ALIKE_MOST, or out of memory.
 */
const struct columns *alike_make(struct span_pool *sp, const struct spanlane *l);
/* alike_at - span k of n in a row; the lane lasted so long. */
struct waitspan alike_at(const struct columns *c, unsigned row, unsigned n, unsigned k, int64_t lasted);
/* alike_all - what a walk over these lanes asks for, read at once. alike_row - all n spans of one of them, by columns. */
struct alike_rows {
    unsigned step[ALIKE_COLUMNS]; /* 0: all are alike */
    uint64_t v[ALIKE_COLUMNS][ALIKE_LANES];
};
void alike_all(const struct columns *c, struct alike_rows *out);
static inline void alike_row(const struct alike_rows *r, unsigned row, unsigned n, int64_t lasted,
                             struct spancols *out)
{
#define OF(column) r->v[column][row * r->step[column]]
    for (unsigned k = 0; k < n; k++) {
        const uint64_t rest = OF(alike_rest(k));
        out->stack[k] = (uint32_t)rest;
        out->tag[k] = (uint16_t)(rest >> 32);
        out->who[k] = (uint32_t)OF(alike_who(n, k));
        if (k)
            lasted -= out->dur[k] = (int64_t)OF(alike_dur(n, k));
    }
    out->dur[0] = lasted;
#undef OF
}

#endif
