/* spans_read.c - the reading half of spans.h: blocks, look-ups by time. */
#include <string.h>

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "decode/model/spans.h"

int64_t spans_first(const struct spanlane *l)
{
    return l->blocks && l->blocks->n ? blocks_t0(l->blocks, 0) : l->wait_t0;
}

/* While much is in the temporary file, free the pages already read: checked every few megabytes of blocks. */
static void release_pages(void)
{
    enum { BLOCKS = 8192 };
    static _Thread_local unsigned n;
    if (++n % BLOCKS == 0)
        mem_rest();
}

static inline void column_put(struct spancols *out, uint32_t i, int64_t dur, const struct waitspan *w)
{
    out->dur[i] = dur;
    out->who[i] = wait_who(w);
    out->stack[i] = wait_stack(w);
    out->tag[i] = wait_tag(w);
}

uint32_t spans_block(const struct span_pool *sp, const struct spanlane *l, uint32_t b, bool all,
                     struct spancols *out, int64_t *t0, int64_t end)
{
    if (b < spans_nblk(l)) {
        release_pages();
        unpack_spans(blocks_data(l->blocks, b), SPAN_BLOCK, &sp->clock, all, out);
        *t0 = blocks_t0(l->blocks, b);
        return SPAN_BLOCK;
    }
    *t0 = l->wait_t0;
    uint32_t n = spans_nwait(l);
    if (l->packed)
        unpack_spans(l->wait.packed, n, &sp->clock, all, out);
    for (uint32_t i = 0; !l->packed && i < n; i++)
        column_put(out, i, wait_dur(&spans_wait(l)[i], sp->longs), &spans_wait(l)[i]);
    if (l->started && !l->ended)
        column_put(out, n++, end > l->t0 ? end - l->t0 : 0, &l->open);
    return n;
}

uint32_t spans_find(const struct spanlane *l, int64_t t)
{
    uint32_t n = spans_nblk(l); /* then: the last block whose t0 <= t */
    if (!n || t >= l->wait_t0)
        return n ? (spans_nwait(l) || !l->ended ? n : n - 1) : 0;
    const struct spanblocks *v = l->blocks;
    uint32_t group = 1; /* the first not wanted; the first one is */
    bisect(group, (n + SPAN_GROUP - 1) / SPAN_GROUP, i, v->group[i].t0 <= t);
    uint32_t after = (group - 1) * SPAN_GROUP + 1;
    bisect(after, n < group * SPAN_GROUP ? n : group * SPAN_GROUP, i, blocks_t0(v, i) <= t);
    return after - 1;
}

uint32_t spans_wide(const struct spanlane *l, uint32_t b, uint32_t last, int64_t min_ns, int64_t end)
{
    const uint32_t nblk = spans_nblk(l);
    while (b <= last && b < nblk) {
        if (b % SPAN_GROUP == 0 && b + SPAN_GROUP <= nblk &&
            l->blocks->group[b / SPAN_GROUP].longest < min_ns) {
            b += SPAN_GROUP;
            continue;
        }
        if (blocks_longest(l->blocks, b) >= min_ns)
            return b;
        b++;
    }
    const int64_t until = l->ended || end < l->t0 ? l->t0 : end;
    return b == nblk && until - l->wait_t0 < min_ns ? b + 1 : b;
}

/* This is copied to clear sums: for a small array the compiler clears in a slow way. */
static const int64_t zeros[4][SPAN_SLOTS];

/* This position in a lane only moves forward: totals up to `t`, the start of span `i` in block b. */
struct walk {
    uint32_t b, n, i; /* n: spans in the block, without the open one */
    int64_t t, tot[SPAN_SLOTS];
    int64_t until;     /* moments up to this one are in the block */
    struct spancols c; /* durations and tags */
};

static void walk_enter(struct walk *w, const struct span_pool *sp, const struct spanlane *l, uint32_t b)
{
    w->b = b;
    w->i = 0;
    w->n = b < spans_nblk(l) ? SPAN_BLOCK : spans_nwait(l);
    w->until = b < spans_nblk(l) ? blocks_t0(l->blocks, b + 1) : INT64_MAX;
    (void)spans_block(sp, l, b, false, &w->c, &w->t, l->t0);
    memcpy(w->tot, zeros, sizeof w->tot);
    if (!spans_nblk(l))
        return;
    w->tot[0] = blocks_before(l->blocks, b, w->tot) - blocks_t0(l->blocks, 0);
    for (int s = 1; s < SPAN_SLOTS; s++)
        w->tot[0] -= w->tot[s];
}

/* Go to the span that ends after t. A span of length 0 at t does not start before t. */
static void walk_to(struct walk *w, const uint8_t (*slot)[4], enum lane_kind kind, int64_t t)
{
    for (; w->i < w->n && w->t < t && w->c.dur[w->i] <= t - w->t; w->i++) {
        w->tot[slot[w->c.tag[w->i]][kind]] += w->c.dur[w->i];
        w->t += w->c.dur[w->i];
    }
}

/* Add the part before t of the current span, or of the open one. Returns how many spans begin before t. */
static uint64_t walk_rest(const struct walk *w, const uint8_t (*slot)[4], enum lane_kind kind,
                          const struct spanlane *l, int64_t t, int64_t end, int64_t *tot)
{
    const uint64_t before = (uint64_t)w->b * SPAN_BLOCK + w->i;
    const bool open = w->i == w->n;
    if (w->t >= t || (open && (w->b < spans_nblk(l) || l->ended)))
        return before;
    const uint32_t tag = open ? wait_tag(&l->open) : w->c.tag[w->i];
    const int64_t stop = open ? end : w->t + w->c.dur[w->i], to = t < stop ? t : stop;
    if (to > w->t)
        tot[slot[tag][kind]] += to - w->t;
    return before + 1;
}

void spans_totals(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, int64_t end,
                  const struct totals *a)
{
    const uint8_t(*const slot)[4] = (const uint8_t(*)[4])sp->tagslot;
    const int64_t first = l->started ? spans_first(l) : INT64_MAX;
    struct walk w;
    w.b = UINT32_MAX;
    for (uint32_t i = 0; i < a->n; i++) {
        const int64_t t = a->t[i];
        uint64_t count = 0;
        if (t <= first) {
            memcpy(a->tot[i], zeros, sizeof a->tot[i]);
        } else {
            const uint32_t b = w.b == UINT32_MAX || t > w.until ? spans_find(l, t - 1) : w.b;
            if (b != w.b)
                walk_enter(&w, sp, l, b);
            walk_to(&w, slot, kind, t);
            memcpy(a->tot[i], w.tot, sizeof w.tot);
            count = walk_rest(&w, slot, kind, l, t, end, a->tot[i]);
        }
        if (a->count)
            a->count[i] = count;
    }
}

bool spans_since(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, int64_t from,
                 int64_t to, struct span_sums *sums)
{
    if (!l->started || l->ended || l->packed || from < l->wait_t0 || from >= to)
        return false;
    int64_t end = to, t = l->t0; /* the next span to look at: [t,end) */
    const struct waitspan *w = &l->open, *first = spans_wait(l), *next = l->wait.next;
    for (;;) {
        int64_t a = t > from ? t : from, b = end < to ? end : to;
        if (b > a)
            sums->tot[sp->tagslot[wait_tag(w)][kind]] += b - a;
        sums->count += t < to;
        if (t <= from || next == first)
            return true;
        w = --next;
        end = t;
        t -= wait_dur(w, sp->longs);
    }
}
