/*
 * walk.c - walks over all spans of many goroutines, one goroutine after another, for readers that count
 * everything.
 *
 * A goroutine's index determines in which segment it is new, and neighbours are new in the same segment. So
 * a walk knows each goroutine's segment and place in it without look-ups. Most goroutines of a large trace
 * are packed away; the others are read as in all other queries.
 */
#include "decode/model/retired.h"
#include "decode/model/trace_priv.h"

struct place { /* The current goroutine. */
    struct home in;
    uint32_t g;
    const struct retired *retired; /* the group that `rows` is of, if has_rows */
    bool has_rows;
    struct retired_rows rows;
};

/* Returns a run for spans of this fold and segment, to be unpacked into c. */
static inline struct span_run run_of(const struct spancols *c, const struct fold *f,
                                     const struct segment *seg)
{
    return (struct span_run){.dur = c->dur,
                             .stack = c->stack,
                             .tag = c->tag,
                             .kind = f->pool.tags,
                             .local = c->who,
                             .gmap = seg ? seg->gmap : NULL,
                             .seg = seg};
}

/* Unpack block b of a piece into c, by spans_block(). */
static inline struct span_run block_run(const struct piece *p, uint32_t b, bool all, struct spancols *c)
{
    struct span_run r = run_of(c, p->f, p->seg);
    r.n = spans_block(&p->f->pool, p->l, b, all, c, &r.t0, p->end);
    r.open_start = !b && !p->index0 && p->l->backdated;
    r.open_end = b == spans_nblk(p->l) && p->last && !p->l->ended;
    return r;
}

/* Returns whether spans are wanted of the goroutine that the walk is at. */
static inline bool spans_wanted(const struct span_walk *w)
{
    return w->spans && !(w->skips && w->skips(w->arg));
}

/* Fetch block b, which will be read soon and is in no cache. */
static inline __attribute__((always_inline)) void block_fetch(const struct spanlane *l, uint32_t b)
{
    enum { LINES = 8, LINE = 64 };
    const uint32_t n = spans_nblk(l);
    const uint8_t *at = b < n ? blocks_data(l->blocks, b) : b == n && l->packed ? l->wait.packed : NULL;
    for (unsigned i = 0; at && i < LINES; i++)
        __builtin_prefetch(at + LINE * i);
}

/* Report the spans of one piece, block by block. */
static bool walk_piece(const struct span_walk *w, const struct place *at, const struct piece *p)
{
    struct spancols c;
    const uint32_t n = spans_blocks(p->l);
    for (uint32_t b = 0; b < n; b++) {
        block_fetch(p->l, b + 1);
        const struct span_run r = block_run(p, b, true, &c);
        if (r.n && !w->spans(w->arg, at->g, &r))
            return false;
    }
    return true;
}

uint32_t span_run_who(const struct span_run *r, uint32_t i)
{
    const uint8_t state = r->kind[r->tag[i]].state;
    return state == ST_RUNNING || state == ST_SYSCALL ? segment_p(r->seg, r->local[i] - 1)
                                                      : segment_g(r->seg, r->local[i] - 1);
}

/* Returns whether the goroutine is packed away, in a group without blocks of spans. If so at->rows is filled
 * with what a walk reads of the group. */
static bool take_rows(const struct span_walk *w, struct place *at)
{
    const struct retired *retired = at->in.f->seg[at->in.local / RETIRED_GS].retired;
    if (retired != at->retired) {
        at->retired = retired;
        at->has_rows = retired && retired_rows(retired, w->spans ? PV_START : RETIRED_WHO, &at->rows);
    }
    return retired && at->has_rows;
}

/* Does as trace_lane() for a row, or without `spans` as trace_lane_who(). */
static void retired_row_info(const struct trace *tr, const struct place *at, uint32_t i, bool spans,
                             struct lane_info *li)
{
    const struct retired_rows *r = &at->rows;
    if (spans) {
        li->first = (int64_t)retired_row(r, PV_START, i);
        li->last = li->first + (int64_t)retired_row(r, PV_LASTED, i);
        li->nspans = retired_row(r, PV_NPACKED, i);
    }
#define WALKED(ID, field, type, none, ...) li->field = (type)(retired_row(r, PV_##ID, i) + none);
#include "decode/model/facts.def"
    li->creator = segment_g(at->in.seg, li->creator);
    lane_flags(li, li->flags);
    if (trace_helper(tr, li->name)) {
        bool inferred;
        li->name = trace_name(tr, NO_LANE,
                              &(struct ginfo){.name = li->name, .create_stack = li->create_stack}, &inferred);
        li->name_inferred |= inferred;
    }
}

/* Report the spans of row i, if it has any. *run is complete except for this row's own values. */
static inline bool retired_spans(const struct span_walk *w, struct place *at, uint32_t g, uint32_t i,
                                 struct spancols *c, struct span_run *run)
{
    const struct retired_rows *r = &at->rows;
    run->n = (uint32_t)retired_row(r, PV_NPACKED, i);
    if (!run->n)
        return true;
    unpack_spans((const uint8_t *)(uintptr_t)retired_row(r, PV_PACKED, i), run->n, &at->in.f->pool.clock,
                 true, c);
    run->t0 = (int64_t)retired_row(r, PV_START, i);
    run->open_start = retired_row(r, PV_FLAGS, i) & RETIRED_BACKDATED;
    return w->spans(w->arg, g, run);
}

/* This is lane_walk() for n goroutines that are packed away together. */
static bool retired_walk(const struct trace *tr, const struct span_walk *w, struct place *at, uint32_t n)
{
    const uint32_t from = at->in.local % RETIRED_GS;
    struct lane_info li = {.creator = NO_LANE};
    struct spancols c;
    struct span_run run = run_of(&c, at->in.f, at->in.seg);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t g = at->g + k, i = from + k;
        retired_row_info(tr, at, i, w->spans, &li);
        if (w->spans && k + 4 < n) /* nor is that */
            __builtin_prefetch((const uint8_t *)(uintptr_t)retired_row(&at->rows, PV_PACKED, i + 4));
        if (!w->begin(w->arg, g, &li))
            return false;
        if (spans_wanted(w) && (!retired_spans(w, at, g, i, &c, &run) || !w->end(w->arg, g)))
            return false;
    }
    return true;
}

static bool lane_walk(const struct trace *tr, const struct span_walk *w, const struct place *at)
{
    const struct lane l = {LANE_G, at->g};
    const struct lane_info li =
        w->spans ? trace_lane_at(tr, at->g, &at->in) : trace_who_at(tr, at->g, &at->in);
    struct piece p[2]; /* this one and the next */
    if (!w->begin(w->arg, at->g, &li))
        return false;
    if (!spans_wanted(w))
        return true;
    const uint32_t n = pieces_n(tr, l);
    for (uint32_t k = 0; k <= n; k++) {
        if (k < n) {
            pieces_get(tr, l, k, &p[k % 2]);
            block_fetch(p[k % 2].l, 0);
        }
        if (k && !walk_piece(w, at, &p[(k - 1) % 2]))
            return false;
    }
    return w->end(w->arg, at->g);
}

/* ---- spans of an interval ------------------------------------------------------------------------------ */

/* Pieces and blocks with no span of this length are skipped. */
static int64_t least_of(const struct blocks_ask *ask)
{
    return ask->only >> ST_NONE & 1 ? 0 : *ask->min_ns;
}

/* By the index: whether one of the wanted states takes min_ns in block b. */
static bool block_has(const struct piece *p, enum lane_kind kind, uint32_t b, const struct blocks_ask *ask)
{
    int64_t a[SPAN_SLOTS], z[SPAN_SLOTS];
    if (!ask->only || b >= spans_nblk(p->l))
        return true;
    a[0] = blocks_before(p->l->blocks, b, a);
    z[0] = blocks_before(p->l->blocks, b + 1, z);
    for (int i = 1; i < SPAN_SLOTS; i++)
        a[0] += z[i] - a[i];
    for (uint32_t left = ask->only; left; left &= left - 1) {
        const uint8_t slot = p->f->pool.slot[kind][__builtin_ctz(left)];
        if (z[slot] - a[slot] >= (slot ? *ask->min_ns : 1))
            return true;
    }
    return false;
}

/* Returns the first wanted block from b on; a number beyond `last` if there is none. */
static uint32_t block_next(const struct piece *p, enum lane_kind kind, uint32_t b, uint32_t last,
                           const struct blocks_ask *ask)
{
    const int64_t least = least_of(ask);
    b = spans_wide(p->l, b, last, least, p->end);
    while (b <= last && !block_has(p, kind, b, ask))
        b = spans_wide(p->l, b + 1, last, least, p->end);
    return b;
}

static bool piece_blocks(const struct piece *p, enum lane_kind kind, uint32_t k, const struct blocks_ask *ask)
{
    const uint32_t first = spans_find(p->l, ask->t0), last = spans_find(p->l, ask->t1 - 1),
                   n = spans_blocks(p->l);
    for (uint32_t b = block_next(p, kind, first, last, ask); b <= last && b < n;
         b = block_next(p, kind, b + 1, last, ask))
        if (!ask->f(ask->arg, p, k, b, b == first || b == last))
            return false;
    return true;
}

bool trace_blocks(const struct trace *tr, struct lane l, const struct blocks_ask *ask)
{
    struct piece p;
    if (ask->t1 <= ask->t0 || l.kind == LANE_M)
        return true;
    if (!pieces_n(tr, l))
        return true;
    for (uint32_t k = pieces_at(tr, l, ask->t0), z = pieces_at(tr, l, ask->t1 - 1); k <= z; k++) {
        if (pieces_short(tr, l, k, least_of(ask)))
            continue;
        pieces_get(tr, l, k, &p);
        if (!piece_blocks(&p, l.kind, k, ask))
            return false;
    }
    return true;
}

/* Report those spans of a block that overlap [t0,t1). Only the first and the last block have others. */
static bool block_states(void *arg, const struct piece *p, uint32_t k, uint32_t b, bool edge)
{
    const struct states_ask *ask = arg;
    struct spancols c;
    struct span_run r = block_run(p, b, ask->all, &c);
    (void)k;
    if (!edge)
        return !r.n || ask->f(ask->arg, &r);
    for (; r.n && r.t0 + *r.dur <= ask->t0; r.n--, r.stack++, r.tag++, r.local++) {
        r.t0 += *r.dur++;
        r.open_start = false;
    }
    int64_t last = r.t0; /* start of the last one */
    for (uint32_t i = 0; i + 1 < r.n; i++)
        last += r.dur[i];
    for (; r.n && last >= ask->t1; r.n--) {
        last -= r.n > 1 ? r.dur[r.n - 2] : 0;
        r.open_end = false;
    }
    return !r.n || ask->f(ask->arg, &r);
}

void trace_states(const struct trace *tr, struct lane l, const struct states_ask *ask)
{
    (void)trace_blocks(tr, l,
                       &(struct blocks_ask){ask->t0, ask->t1, &ask->min_ns, block_states,
                                            (void *)(uintptr_t)ask, ask->only});
}

int trace_threads(const struct trace *tr)
{
    return tr->threads > 1 ? tr->threads : 1;
}

/* Walk the current goroutine and those of n neighbours that are packed away with it; *n is set to their
 * number. */
static bool some_walk(const struct trace *tr, const struct span_walk *w, struct place *at, uint32_t *n)
{
    const uint32_t rest = RETIRED_GS - at->in.local % RETIRED_GS;
    if (take_rows(w, at)) {
        *n = *n < rest ? *n : rest;
        return retired_walk(tr, w, at, *n);
    }
    *n = 1;
    return lane_walk(tr, w, at);
}

bool trace_walk(const struct trace *tr, uint32_t g0, uint32_t g1, const struct span_walk *w)
{
    struct place at;
    at.g = g0;
    at.in.seg = NULL;
    at.retired = NULL;
    while (at.g < g1) {
        const struct home h = trace_home(tr, at.g);
        at.in = h;
        for (uint32_t left = h.run < g1 - at.g ? h.run : g1 - at.g, n; left;
             left -= n, at.g += n, at.in.local += n) {
            n = left;
            if (!some_walk(tr, w, &at, &n))
                return false;
        }
    }
    return true;
}
