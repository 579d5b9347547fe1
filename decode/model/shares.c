/* shares.c - time per state (decode/trace.h): the difference of two totals, each from one block of spans. */
#include <string.h>

#include "decode/model/trace_priv.h"

enum { EDGES = 256 }; /* looked up at once */

/* slot[] is that of each state, or 0, which has the rest: this kind of lane does not distinguish it. */
static inline void shares_fill(const uint8_t *slot, const int64_t *a, const int64_t *b, int64_t len,
                               struct shares *out)
{
    int64_t d[SPAN_SLOTS], sum = 0;
    for (int i = 0; i < SPAN_SLOTS; i++)
        d[i] = b[i] - a[i];
    d[0] = 0;
    for (int i = ST_NONE; i < ST_COUNT; i++) {
        const int64_t ns = d[slot[i]];
        out->ns[i] = ns;
        sum += ns;
    }
    out->ns[ST_NONE] = len - sum;
}

/* A damaged first-family trace may report something of a P after a thread's hold of it was summed up, which
 * is then missing in these sums. Take that time from the state with the most, so that no time is negative. */
static void ascend(const int64_t a[SPAN_SLOTS], int64_t b[SPAN_SLOTS])
{
    int most = 0;
    int64_t lacks = 0;
    for (int s = 0; s < SPAN_SLOTS; s++) {
        if (b[s] < a[s]) {
            lacks += a[s] - b[s];
            b[s] = a[s];
        }
        most = b[s] - a[s] > b[most] - a[most] ? s : most;
    }
    b[most] -= lacks;
}

void trace_columns(const struct trace *tr, struct lane lane, const int64_t *edges, uint32_t n,
                   struct shares *out)
{
    int64_t tot[EDGES][SPAN_SLOTS];
    const uint8_t *const slot = tr->fold.pool.slot[lane.kind];
    for (uint32_t c = 0, some; c < n; c += some, edges += some, out += some) {
        some = n - c < EDGES - 1 ? n - c : EDGES - 1;
        if (!pieces_totals(tr, lane, &(struct totals){edges, some + 1, tot, NULL}))
            memset(tot, 0, sizeof tot);
        for (uint32_t i = 0; i < some; i++) {
            if (lane.kind == LANE_M)
                ascend(tot[i], tot[i + 1]);
            shares_fill(slot, tot[i], tot[i + 1], edges[i + 1] - edges[i], &out[i]);
        }
    }
}

void trace_shares(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1, struct shares *out)
{
    int64_t e[2] = {t0, t1};
    trace_columns(tr, lane, e, 1, out);
}

uint64_t trace_count(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1)
{
    int64_t t[2] = {t0 + 1, t1}, tot[2][SPAN_SLOTS] = {{0}};
    uint64_t n[2] = {0, 0}; /* spans that start before each */
    uint32_t np = pieces_n(tr, lane);
    struct piece p = {.l = NULL};
    if (np && lane.kind != LANE_M)
        pieces_get(tr, lane, np - 1, &p);
    if (lane.kind == LANE_M && t1 > trace_last(tr)) /* what a thread begins at the very end is no span yet */
        t[1] = trace_last(tr);
    if (t1 <= t0 || t0 == INT64_MAX || (p.l && p.l->ended && t0 >= p.l->t0) ||
        !pieces_totals(tr, lane, &(struct totals){t, 2, tot, n}))
        return 0;
    return n[1] - (n[0] ? n[0] - 1 : 0);
}
