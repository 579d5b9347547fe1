/*
 * walk.c - all goroutines' spans, one goroutine after another: for who counts everything.
 *
 * A goroutine's index says in which segment it is new, and neighbours are new in the same one, so what a look-up would
 * find for each is known here: which segment, and where in it. Most goroutines live in one segment only and are one
 * piece; what has more (or is no segment's) goes the way every query goes.
 */
#include "decode/model/past.h"
#include "decode/model/trace_priv.h"

struct place {                 /* of a goroutine */
    const struct segment *seg; /* NULL: the trace is one fold */
    const struct fold *f;
    uint32_t g, local;
};

/* The spans of one piece, block by block. */
static bool piece_walk(const struct span_walk *w, const struct place *at, const struct piece *p)
{
    struct rawspan raw[SPAN_BLOCK + 1];
    struct span out[SPAN_BLOCK + 1];
    const uint32_t blocks = spans_nblk(p->l);
    const uint32_t n = blocks + (spans_nwait(p->l) || !p->l->ended);
    const struct span_tag *tags = p->f->pool.tags;
    for (uint32_t b = 0; b < n; b++) {
        int64_t t;
        const uint32_t k = spans_block(&p->f->pool, p->l, b, raw, &t, p->end);
        for (uint32_t i = 0; i < k; i++) {
            const struct span_tag *tag = &tags[raw[i].tag];
            const bool on_p = tag->state == ST_RUNNING || tag->state == ST_SYSCALL;
            struct span *s = &out[i];
            *s = (struct span){.t0 = t,
                               .t1 = t + raw[i].dur,
                               .state = tag->state,
                               .reason = tag->reason,
                               .label = tag->label,
                               .proc = NO_LANE,
                               .stack = raw[i].stack,
                               .who = on_p ? segment_p(p->seg, raw[i].who - 1) : segment_g(p->seg, raw[i].who - 1),
                               .index = p->index0 + (uint64_t)b * SPAN_BLOCK + i};
            t = s->t1;
        }
        if (!k)
            continue;
        if (!b && !p->index0)
            out[0].open_start = p->l->backdated;
        if (b == blocks && p->last && !p->l->ended)
            out[k - 1].open_end = true;
        if (!w->spans(w->arg, at->g, out, k))
            return false;
    }
    return true;
}

/* What trace_lane() says of a goroutine that is one piece. */
static struct lane_info info_of(const struct trace *tr, const struct place *at, const struct piece *p)
{
    struct ginfo room;
    const struct ginfo *g = fold_g_info(at->f, at->local, &room);
    struct lane_info li = lane_of_ginfo(tr, at->seg, g);
    const int64_t end = trace_last(tr);
    li.first = p->t0;
    li.last = p->l->ended || p->l->t0 > end ? p->l->t0 : end;
    li.nspans = spans_count(p->l);
    return li;
}

static bool lane_walk(const struct trace *tr, const struct span_walk *w, const struct place *at)
{
    const struct lane l = {LANE_G, at->g};
    const uint32_t n = at->seg && !pieces_more(&tr->join, at->g) ? 1 : pieces_n(tr, l);
    struct piece p;
    struct lane_info li;
    if (n == 1 && at->seg) {
        pieces_home(tr, at->seg, at->local, &p);
        li = info_of(tr, at, &p);
    } else {
        li = trace_lane(tr, l);
    }
    if (!w->begin(w->arg, at->g, &li))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        if (!(n == 1 && at->seg))
            pieces_get(tr, l, k, &p);
        if (!piece_walk(w, at, &p))
            return false;
    }
    return w->end(w->arg, at->g);
}

/* Those of the spans of block b of a piece that overlap [t0,t1). */
static bool block_states(const struct piece *p, uint32_t b, int64_t t0, int64_t t1,
                         bool (*f)(void *arg, const int64_t *t, const uint8_t *state, uint32_t n), void *arg)
{
    int64_t dur[SPAN_BLOCK + 1], t[SPAN_BLOCK + 2];
    uint32_t tag[SPAN_BLOCK + 1];
    uint8_t state[SPAN_BLOCK + 1];
    uint32_t n = spans_times(&p->f->pool, p->l, b, dur, tag, &t[0], p->end), from = 0;
    for (uint32_t i = 0; i < n; i++) {
        t[i + 1] = t[i] + dur[i];
        state[i] = p->f->pool.tags[tag[i]].state;
    }
    while (from < n && t[from + 1] <= t0)
        from++;
    while (n > from && t[n - 1] >= t1)
        n--;
    return from == n || f(arg, t + from, state + from, n - from);
}

void trace_states(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, int64_t min_ns,
                  bool (*f)(void *arg, const int64_t *t, const uint8_t *state, uint32_t n), void *arg)
{
    if (t1 <= t0 || l.kind == LANE_M || !pieces_n(tr, l))
        return;
    for (uint32_t k = pieces_at(tr, l, t0), z = pieces_at(tr, l, t1 - 1); k <= z; k++) {
        struct piece p;
        pieces_get(tr, l, k, &p);
        const uint32_t last = spans_find(p.l, t1 - 1);
        const uint32_t n = spans_nblk(p.l) + (spans_nwait(p.l) || !p.l->ended);
        for (uint32_t b = spans_wide(p.l, spans_find(p.l, t0), last, min_ns); b <= last && b < n;
             b = spans_wide(p.l, b + 1, last, min_ns))
            if (!block_states(&p, b, t0, t1, f, arg))
                return;
    }
}

int trace_threads(const struct trace *tr)
{
    return tr->threads > 1 ? tr->threads : 1;
}

bool trace_walk(const struct trace *tr, uint32_t g0, uint32_t g1, const struct span_walk *w)
{
    const struct join *j = &tr->join;
    struct place at = {.f = &tr->fold, .g = g0};
    if (!j->n) {
        for (; at.g < g1; at.g++) {
            at.local = at.g;
            if (!lane_walk(tr, w, &at))
                return false;
        }
        return true;
    }
    for (uint32_t old = 0; at.g < g1; at.g++, at.local++) {
        if (!at.seg || at.g - at.seg->base >= at.seg->nnew) {
            at.seg = join_home(j, at.g, &at.local);
            at.f = at.seg->f;
            for (old = 0; old < at.seg->nold && at.seg->old[old] < at.local; old++) {
            }
        }
        while (old < at.seg->nold && at.seg->old[old] == at.local) { /* it is not new here */
            old++;
            at.local++;
        }
        if (!lane_walk(tr, w, &at))
            return false;
    }
    return true;
}
