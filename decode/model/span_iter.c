/*
 * span_iter.c - iterates over a lane's spans, and finds its long spans (decode/trace.h). A thread's spans
 * are those of the Ps it holds, cut to each hold.
 */
#include "decode/model/trace_priv.h"
#include "decode/base/rows.h"

/* ---- spans --------------------------------------------------------------------------------------------- */

static void iter_begin(struct span_iter *it, const struct trace *tr, struct lane lane)
{
    it->tr = tr;
    it->lane = lane;
    it->n = it->at = 0;
    it->piece = it->under = it->sub = 0;
    it->hold = 0;
}

static bool block_step(struct span_iter *it, bool forward);

/* Fill in what only the last loaded span needs, or a thread's. Kept out of come_to() to keep its common
 * path short. */
static __attribute__((noinline)) void come_to_last(struct span_iter *it)
{
    struct span *s = &it->cur;
    s->open_end = it->open_end && it->at + 1 == it->n;
    if (it->lane.kind == LANE_M) {
        s->proc = it->proc;
        s->open_end = it->open_end && s->t1 >= trace_last(it->tr);
    } else if (it->lane.kind == LANE_G && !it->last) {
        struct span_iter next;
        struct piece p;
        const uint32_t b = it->sub + 1;
        pieces_get(it->tr, it->lane, it->piece, &p);
        if (b < spans_nblk(p.l) && unpack_first(blocks_data(p.l->blocks, b), &s->stack_end))
            return;
        iter_begin(&next, it->tr, it->lane);
        next.piece = it->piece;
        next.sub = it->sub;
        s->stack_end = block_step(&next, true) ? next.c.stack[0] : 0;
    }
}

static inline uint32_t who_of(const struct span_iter *it, const struct span_tag *is, uint32_t i)
{
    const uint32_t who = it->c.who[i] - 1;
    if (who == NO_LANE)
        return who;
    return it->lane.kind == LANE_G && (is->state == ST_RUNNING || is->state == ST_SYSCALL)
               ? segment_p(it->seg, who)
               : segment_g(it->seg, who);
}

/* Make loaded span i the current one. Returns false if there is none. */
static bool come_to(struct span_iter *it, uint32_t i)
{
    struct span *s = &it->cur;
    it->at = i;
    if (i >= it->n)
        return false;
    const struct span_tag *is = &it->kind[it->c.tag[i]];
    *s = (struct span){.t0 = it->t[i],
                       .t1 = it->t[i + 1],
                       .state = is->state,
                       .open_start = !i && it->open_start,
                       .reason = is->reason,
                       .label = is->label,
                       .who = who_of(it, is, i),
                       .proc = NO_LANE,
                       .stack = it->c.stack[i],
                       .index = it->base + i};
    if (i + 1 == it->n || it->lane.kind == LANE_M)
        come_to_last(it);
    else if (it->lane.kind == LANE_G)
        s->stack_end = it->c.stack[i + 1];
    return true;
}

/* Step from the one before it, of a goroutine's that is not the last one loaded: most of what is read. */
static inline void step_to(struct span_iter *it, uint32_t i)
{
    struct span *s = &it->cur;
    const struct span_tag *is = &it->kind[it->c.tag[i]];
    it->at = i;
    s->t0 = s->t1;
    s->t1 = it->t[i + 1];
    s->state = is->state;
    s->open_start = false;
    s->reason = is->reason;
    s->label = is->label;
    s->who = who_of(it, is, i);
    s->stack = s->stack_end;
    s->stack_end = it->c.stack[i + 1];
    s->index++;
}

/* Load block b of the lane's piece k, p. */
static void block_take(struct span_iter *it, const struct piece *p, uint32_t k, uint32_t b)
{
    uint32_t n = spans_block(&p->f->pool, p->l, b, true, &it->c, &it->t[0], p->end);
    it->piece = k;
    it->sub = b;
    it->base = p->index0 + (uint64_t)b * SPAN_BLOCK;
    it->n = n;
    it->kind = p->f->pool.tags;
    it->seg = p->seg;
    it->open_start = !b && !k && p->l->backdated;
    it->last = b == spans_nblk(p->l) && p->last;
    it->open_end = it->last && !p->l->ended;
    for (uint32_t i = 0; i < n; i++)
        it->t[i + 1] = it->t[i] + it->c.dur[i];
}

/* Find the piece that covers t, or the first or last one. Returns false if the lane has no spans. */
static bool piece_seek(const struct trace *tr, struct lane lane, int64_t t, struct piece *p, uint32_t *k)
{
    if (!pieces_n(tr, lane))
        return false;
    *k = pieces_at(tr, lane, t);
    pieces_get(tr, lane, *k, p);
    while (*k && !spans_blocks(p->l)) /* such a piece has only the lane's end */
        pieces_get(tr, lane, --*k, p);
    return spans_blocks(p->l);
}

/* Load the block that covers t, or the first or last one. Returns false if the lane has no spans. */
static bool block_seek(struct span_iter *it, int64_t t)
{
    struct piece p;
    uint32_t k;
    it->n = it->at = 0;
    if (piece_seek(it->tr, it->lane, t, &p, &k))
        block_take(it, &p, k, spans_find(p.l, t));
    return it->n > 0;
}

/* Load the next or the previous block. Returns false and changes nothing if there is none. */
static bool block_step(struct span_iter *it, bool forward)
{
    uint32_t n = pieces_n(it->tr, it->lane), k = it->piece, b = forward ? it->sub + 1 : it->sub - 1;
    struct piece p;
    pieces_get(it->tr, it->lane, k, &p);
    while (b >= spans_blocks(p.l)) { /* as one before the first is */
        if (forward ? k + 1 >= n : !k)
            return false;
        pieces_get(it->tr, it->lane, k += forward ? 1 : UINT32_MAX, &p);
        b = forward ? 0 : spans_blocks(p.l) - 1;
    }
    block_take(it, &p, k, b);
    return true;
}

/* ---- spans of threads: those of the P's lane, within each hold ----------------------------------------- */

/* A thread's hold: its piece and interval. */
struct held {
    struct piece p;
    int64_t t0, t1;
    uint32_t proc, g;
    uint8_t bare; /* without a P: enum state */
    bool last;
};

static void held_get(const struct trace *tr, struct lane l, uint32_t k, uint64_t i, struct held *h)
{
    pieces_get(tr, l, k, &h->p);
    const struct mlane *ml = h->p.ml;
    const struct hold *x = &ml->h[i];
    h->t0 = x->t0;
    h->last = h->p.last && i + 1 == ml->n;
    h->t1 = i + 1 < ml->n ? ml->h[i + 1].t0 : h->p.end > x->t0 ? h->p.end : x->t0;
    h->proc = segment_p(h->p.seg, hold_p(x));
    h->g = segment_g(h->p.seg, hold_g(x));
    h->bare = (uint8_t)hold_bare(x);
}

/* Load a hold without a P: the thread is idle, in a system call, or not recorded. */
static void load_bare(struct span_iter *it, const struct held *h)
{
    static const struct span_tag kind[] = {{.state = ST_IDLE}, {.state = ST_SYSCALL}, {.state = ST_UNKNOWN}};
    it->n = 1;
    it->t[0] = h->t0;
    it->t[1] = h->t1;
    it->c.tag[0] = h->bare == ST_UNKNOWN ? 2 : h->bare == ST_SYSCALL;
    it->c.who[0] = h->g + 1; /* EV_NONE + 1 is 0 */
    it->c.stack[0] = 0;
    it->kind = kind;
    it->seg = NULL;
    it->open_start = false;
}

/* Load the part of the P's block at sp that lies within the hold. */
static void hold_take(struct span_iter *it, const struct held *h, const struct span_iter *sp)
{
    int64_t tot[1][SPAN_SLOTS];
    uint64_t index;
    uint32_t from = 0, end = sp->n;
    pieces_totals(it->tr, it->lane, &(struct totals){&h->t0, 1, tot, &index});
    it->base = index;
    it->proc = h->proc;
    it->open_end = h->last;
    it->at = 0;
    if (h->proc == EV_NONE) {
        load_bare(it, h);
        return;
    }
    const uint64_t before = trace_count(it->tr, sp->lane, 0, h->t0 + 1);
    it->base += sp->base + 1 > before ? sp->base + 1 - before : 0;
    it->sub = sp->sub;
    it->under = sp->piece;
    while (from < end && sp->t[from + 1] <= h->t0)
        from++;
    while (end > from && sp->t[end - 1] >= h->t1)
        end--;
    it->n = end - from;
    for (uint32_t i = 0; i < it->n; i++) {
        it->t[i] = sp->t[from + i];
        it->c.tag[i] = sp->c.tag[from + i];
        it->c.who[i] = sp->c.who[from + i];
        it->c.stack[i] = sp->c.stack[from + i];
    }
    it->t[it->n] = it->n && sp->t[end] < h->t1 ? sp->t[end] : h->t1;
    it->open_start = sp->open_start && !from && it->t[0] >= h->t0;
    it->t[0] = it->t[0] < h->t0 ? h->t0 : it->t[0];
    it->kind = sp->kind;
    it->seg = sp->seg;
}

/* Load from hold i of piece k the block of its P that covers t. */
static void hold_load(struct span_iter *it, uint32_t k, uint64_t i, int64_t t)
{
    struct held h;
    held_get(it->tr, it->lane, k, i, &h);
    struct span_iter sp = {.tr = it->tr, .lane = {LANE_P, h.proc}};
    it->piece = k;
    it->hold = i;
    if (h.proc != EV_NONE) {
        t = t < h.t0 ? h.t0 : t >= h.t1 && h.t1 > h.t0 ? h.t1 - 1 : t;
        if (!block_seek(&sp, t))
            sp.n = 0;
    }
    hold_take(it, &h, &sp);
}

/* Step to the next or previous block with spans of a hold. */
static bool hold_step(struct span_iter *it, bool forward)
{
    const struct span_iter before = *it;
    uint32_t n = pieces_n(it->tr, it->lane);
    for (;;) {
        struct held h;
        held_get(it->tr, it->lane, it->piece, it->hold, &h);
        struct span_iter sp = {.tr = it->tr, .lane = {LANE_P, h.proc}, .piece = it->under, .sub = it->sub};
        bool more = false;
        if (h.proc != EV_NONE) {
            struct piece p;
            pieces_get(sp.tr, sp.lane, it->under, &p);
            block_take(&sp, &p, it->under, it->sub);
            more = sp.n && (forward ? sp.t[sp.n] < h.t1 : sp.t[0] > h.t0) && block_step(&sp, forward);
        }
        if (more) {
            hold_take(it, &h, &sp);
        } else if (forward ? it->hold + 1 < h.p.ml->n : it->hold > 0) {
            hold_load(it, it->piece, it->hold + (forward ? 1 : UINT64_MAX), forward ? INT64_MIN : INT64_MAX);
        } else if (forward ? it->piece + 1 < n : it->piece > 0) {
            uint32_t k = it->piece + (forward ? 1 : UINT32_MAX);
            struct piece p;
            pieces_get(it->tr, it->lane, k, &p);
            hold_load(it, k, forward ? 0 : p.ml->n - 1, forward ? INT64_MIN : INT64_MAX);
        } else {
            *it = before;
            return false;
        }
        if (it->n)
            return come_to(it, forward ? 0 : it->n - 1);
    }
}

/* Returns the last loaded span with t0 <= t. */
static uint32_t covering(const struct span_iter *it, int64_t t)
{
    uint32_t after = 1;
    bisect(after, it->n, i, it->t[i] <= t);
    return after - 1;
}

static bool hold_seek(struct span_iter *it, int64_t t)
{
    uint32_t k = pieces_at(it->tr, it->lane, t);
    struct piece p;
    pieces_get(it->tr, it->lane, k, &p);
    hold_load(it, k, mlane_find(p.ml, t), t);
    return come_to(it, covering(it, t)) || hold_step(it, true) || hold_step(it, false);
}

bool span_seek(struct span_iter *it, const struct trace *tr, struct lane lane, int64_t t)
{
    iter_begin(it, tr, lane);
    if (lane.kind == LANE_M)
        return pieces_n(tr, lane) && hold_seek(it, t);
    return block_seek(it, t) && come_to(it, covering(it, t));
}

bool span_seek_on(struct span_iter *it, const struct trace *tr, struct lane lane, int64_t t)
{
    const bool here = it->tr == tr && it->lane.kind == lane.kind && it->lane.i == lane.i &&
                      lane.kind != LANE_M && it->n && it->t[0] <= t && t < it->t[it->n];
    return here ? come_to(it, covering(it, t)) : span_seek(it, tr, lane, t);
}

bool span_seek_index(struct span_iter *it, const struct trace *tr, struct lane lane, uint64_t index)
{
    iter_begin(it, tr, lane);
    const uint32_t n = pieces_n(tr, lane);
    if (!n)
        return false;
    if (lane.kind == LANE_M) { /* rarely called with more than 0: walk */
        if (!hold_seek(it, INT64_MIN))
            return false;
        while (span_get(it)->index < index)
            if (!span_next(it))
                return false;
        return true;
    }
    struct piece p;
    uint32_t after = 1; /* the first piece that begins after index */
    bisect(after, n, i, (pieces_get(tr, lane, i, &p), p.index0 <= index));
    uint32_t k = after - 1;
    pieces_get(tr, lane, k, &p);
    while (k && !spans_blocks(p.l))
        pieces_get(tr, lane, --k, &p);
    if (index - p.index0 >= spans_count(p.l))
        return false;
    uint64_t b = (index - p.index0) / SPAN_BLOCK;
    block_take(it, &p, k, (uint32_t)(b < spans_nblk(p.l) ? b : spans_nblk(p.l)));
    return come_to(it, (uint32_t)(index - it->base));
}

bool span_next(struct span_iter *it)
{
    const uint32_t i = it->at + 1;
    if (i + 1 < it->n && it->lane.kind == LANE_G) {
        step_to(it, i);
        return true;
    }
    if (i < it->n)
        return come_to(it, i);
    if (it->lane.kind == LANE_M)
        return hold_step(it, true);
    return block_step(it, true) && come_to(it, 0);
}

bool span_prev(struct span_iter *it)
{
    if (it->at)
        return come_to(it, it->at - 1);
    if (it->lane.kind == LANE_M)
        return hold_step(it, false);
    return block_step(it, false) && come_to(it, it->n - 1);
}

/* Returns whether the current span covers t. */
static bool covers(const struct span_iter *it, int64_t t)
{
    return t >= it->cur.t0 && (t < it->cur.t1 || (it->cur.open_end && t == it->cur.t1));
}

bool span_seek_at(struct span_iter *it, const struct trace *tr, struct lane lane, int64_t t)
{
    return span_seek_on(it, tr, lane, t) && covers(it, t);
}

bool trace_span_at(const struct trace *tr, struct lane lane, int64_t t, struct span *out)
{
    struct span_iter it;
    struct piece p;
    uint32_t k;
    if (lane.kind != LANE_M &&
        (!piece_seek(tr, lane, t, &p, &k) || t < spans_first(p.l) || (p.l->ended && p.last && t >= p.l->t0)))
        return false; /* many ask of goroutines that don't live then: nothing is unpacked for them */
    if (!span_seek(&it, tr, lane, t) || !covers(&it, t))
        return false;
    *out = it.cur;
    return true;
}

/* ---- long spans ---------------------------------------------------------------------------------------- */

/* This is a trace_wide() or trace_longest() in progress. */
struct wide {
    struct wide_ask ask;
    bool empty;           /* report also a span of length 0 that begins at t0 */
    struct span_iter *it; /* loads the lane's spans */
    const struct held *h; /* the current hold of a thread's lane */
};

static bool is_wide(const struct wide *w, int64_t a, int64_t z, uint8_t state)
{
    return z - a >= w->ask.min_ns && a < w->ask.t1 &&
           (z > w->ask.t0 || (w->empty && z == w->ask.t0 && a == z)) && state != ST_NONE &&
           (!w->ask.only || w->ask.only >> state & 1);
}

/* Report the wide spans among the loaded ones. Returns false if no more are wanted. */
static bool wide_at_hand(const struct wide *w)
{
    struct span_iter *it = w->it;
    for (uint32_t i = 0; i < it->n; i++)
        if (is_wide(w, it->t[i], it->t[i + 1], it->kind[it->c.tag[i]].state)) {
            (void)come_to(it, i);
            if (!w->ask.f(w->ask.arg, &it->cur))
                return false;
        }
    return true;
}

/* Report the wide spans in a block of any lane but a thread's. */
static bool wide_block(void *arg, const struct piece *p, uint32_t k, uint32_t b, bool edge)
{
    const struct wide *w = arg;
    (void)edge;
    block_take(w->it, p, k, b);
    return wide_at_hand(w);
}

/* Report the wide spans in a block of the P that the thread holds. */
static bool held_block(void *arg, const struct piece *p, uint32_t k, uint32_t b, bool edge)
{
    const struct wide *w = arg;
    struct span_iter sp;
    (void)edge;
    iter_begin(&sp, w->it->tr, lane_p(w->h->proc));
    block_take(&sp, p, k, b);
    hold_take(w->it, w->h, &sp);
    return wide_at_hand(w);
}

/* Report the wide spans in hold i of a thread's piece k. */
static bool hold_wide(struct wide *w, uint32_t k, uint64_t i, const struct held *h)
{
    const int64_t a = h->t0 > w->ask.t0 ? h->t0 : w->ask.t0, b = h->t1 < w->ask.t1 ? h->t1 : w->ask.t1;
    w->h = h;
    if (h->proc != EV_NONE)
        return trace_blocks(w->it->tr, lane_p(h->proc),
                            &(struct blocks_ask){a, b > a ? b : a + 1, &w->ask.min_ns, held_block, w, 0});
    hold_load(w->it, k, i, a);
    return wide_at_hand(w);
}

static void holds_wide(struct wide *w)
{
    const struct trace *tr = w->it->tr;
    const struct lane lane = w->it->lane;
    for (uint32_t k = pieces_at(tr, lane, w->ask.t0), z = pieces_at(tr, lane, w->ask.t1 - 1); k <= z; k++) {
        struct piece p;
        if (pieces_short(tr, lane, k, w->ask.min_ns))
            continue;
        pieces_get(tr, lane, k, &p);
        const struct hold *x = p.ml->h;
        for (size_t i = mlane_find(p.ml, w->ask.t0), end = mlane_find(p.ml, w->ask.t1 - 1); i <= end; i++) {
            struct held h;
            if (i + 1 < p.ml->n && x[i + 1].t0 - x[i].t0 < w->ask.min_ns)
                continue;
            held_get(tr, lane, k, i, &h);
            if (h.t1 - h.t0 >= w->ask.min_ns && !hold_wide(w, k, i, &h))
                return;
        }
    }
}

static void wide_look(const struct trace *tr, struct lane lane, struct wide *w)
{
    struct span_iter it;
    iter_begin(&it, tr, lane);
    w->it = &it;
    if (lane.kind != LANE_M)
        (void)trace_blocks(
            tr, lane, &(struct blocks_ask){w->ask.t0, w->ask.t1, &w->ask.min_ns, wide_block, w, w->ask.only});
    else if (w->ask.t1 > w->ask.t0 && pieces_n(tr, lane))
        holds_wide(w);
    w->it = NULL;
}

void trace_wide(const struct trace *tr, struct lane lane, const struct wide_ask *ask)
{
    wide_look(tr, lane, &(struct wide){.ask = *ask});
}

struct longest {
    struct wide w;
    struct span *out;
    bool any;
};

/* From here on only longer spans are wanted. */
static bool is_longest(void *arg, const struct span *s)
{
    struct longest *l = arg;
    *l->out = *s;
    l->any = true;
    l->w.ask.min_ns = s->t1 - s->t0 + 1;
    return true;
}

bool trace_longest(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1, struct span *out)
{
    struct longest l = {.w = {.ask = {t0, t1, 0, is_longest, &l, 0}, .empty = true}, .out = out};
    wide_look(tr, lane, &l.w);
    return l.any;
}
