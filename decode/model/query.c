/*
 * query.c - the model's questions and answers (decode/trace.h): names, lanes, spans, what overlaps. Time per state: shares.c.
 *
 * Everything is computed from what fold keeps; nothing is cached but the id look-up, so answers hold while loading.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/model/past.h"
#include "decode/model/trace_priv.h"

static const char *const states[ST_COUNT] = {
#define X(id, name, p, g, m) name,
#include "decode/model/states.def"
#undef X
};

const char *state_name(enum state s)
{
    return s < ST_COUNT ? states[s] : "?";
}

/* ---- names ------------------------------------------------------------------------------------------------ */

uint32_t trace_nstr(const struct trace *tr)
{
    return tr->st.nstrs;
}

struct str trace_str(const struct trace *tr, uint32_t id)
{
    return names_get(&tr->names, id);
}

uint32_t trace_nstacks(const struct trace *tr)
{
    return tr->st.nstacks;
}

uint32_t trace_stack(const struct trace *tr, uint32_t stack)
{
    return names_depth(&tr->names, stack);
}

struct frame trace_frame(const struct trace *tr, uint32_t stack, uint32_t i)
{
    return names_frame(&tr->names, stack, i);
}

/* ---- lanes ------------------------------------------------------------------------------------------------ */

const struct spanlane *lane_of(const struct trace *tr, struct lane l, struct spanlane *room)
{
    if (l.kind >= LANE_KINDS || l.kind == LANE_M || l.i >= tr->fold.nlane[l.kind])
        return NULL;
    const struct spanlane *s = l.kind == LANE_G ? fold_g_lane(&tr->fold, l.i, room) : &tr->fold.lane[l.kind][l.i];
    return s->begun ? s : NULL;
}

uint32_t trace_nlanes(const struct trace *tr, enum lane_kind k)
{
    const struct join *j = &tr->join;
    if (!j->n || k == LANE_BAND)
        return (uint32_t)tr->fold.nlane[k];
    return (uint32_t)(k == LANE_P ? j->np : k == LANE_M ? j->nm_told : j->ng);
}

/* The fold a goroutine is new in, and its index there. */
static const struct fold *fold_of_g(const struct trace *tr, uint32_t *g, const struct segment **seg)
{
    *seg = NULL;
    if (!tr->join.n)
        return &tr->fold;
    *seg = join_home(&tr->join, *g, g);
    return (*seg)->f;
}

static uint64_t lane_id(const struct trace *tr, enum lane_kind k, uint32_t i)
{
    const struct join *j = &tr->join;
    const struct segment *seg;
    if (k == LANE_G) {
        const struct fold *f = fold_of_g(tr, &i, &seg);
        return fold_g_id(f, i);
    }
    return k == LANE_BAND ? i
           : k == LANE_P  ? (j->n ? j->p[i].id : tr->fold.p[i].id)
           : !j->n        ? tr->fold.m[i].id
           : j->m[i].told ? j->m[i].id
                          : 0;
}

const struct mlane *mlane_of(const struct trace *tr, struct lane l)
{
    return l.kind == LANE_M && l.i < tr->fold.nlane[LANE_M] && tr->fold.m[l.i].lane.n ? &tr->fold.m[l.i].lane : NULL;
}

/* What a lane's spans come to. */
static void lane_spans(const struct trace *tr, struct lane l, struct lane_info *info, bool *over)
{
    uint32_t n = pieces_n(tr, l);
    struct piece p;
    *over = false;
    if (!n)
        return;
    pieces_get(tr, l, 0, &p);
    info->first = info->seen = p.t0;
    info->last = trace_last(tr);
    if (l.kind == LANE_M) {
        int64_t tot[1][SPAN_SLOTS];
        pieces_totals(tr, l, &info->last, 1, tot, &info->nspans);
        return;
    }
    if (n > 1)
        pieces_get(tr, l, n - 1, &p);
    info->nspans = p.index0 + spans_count(p.l);
    *over = p.l->ended;
    info->last = p.l->ended || p.l->t0 > info->last ? p.l->t0 : info->last;
}

struct lane_info lane_of_ginfo(const struct trace *tr, const struct segment *seg, const struct ginfo *g)
{
    const int64_t end = trace_last(tr);
    return (struct lane_info){.id = g->id,
                              .seen = g->seen,
                              .name = g->name,
                              .name_inferred = g->flags & GI_INFERRED,
                              .ended = g->flags & GI_ENDED,
                              .created = g->flags & GI_CREATED,
                              .is_system = g->flags & GI_SYSTEM,
                              .is_worker = g->flags & GI_GCWORK,
                              .no_p_ns = g->no_p +
                                         (g->no_p_since != NO_TIME && end > g->no_p_since ? end - g->no_p_since : 0),
                              .creator = segment_g(seg, g->creator),
                              .create_stack = g->create_stack,
                              .start_stack = g->start_stack};
}

struct lane_info trace_lane(const struct trace *tr, struct lane l)
{
    struct lane_info info = {.creator = NO_LANE};
    bool over;
    if (l.kind >= LANE_KINDS || l.i >= trace_nlanes(tr, l.kind))
        return info;
    if (l.kind != LANE_G)
        info.id = lane_id(tr, l.kind, l.i);
    lane_spans(tr, l, &info, &over);
    if (l.kind == LANE_G) {
        struct ginfo of;
        const struct segment *seg;
        uint32_t i = l.i;
        const struct fold *f = fold_of_g(tr, &i, &seg);
        const struct lane_info li = info;
        info = lane_of_ginfo(tr, seg, fold_g_info(f, i, &of));
        info.first = li.first;
        info.last = li.last;
        info.nspans = li.nspans;
    }
    return info;
}

uint32_t trace_g_name(const struct trace *tr, uint32_t g)
{
    const struct segment *seg;
    if (g >= trace_nlanes(tr, LANE_G))
        return 0;
    const struct fold *f = fold_of_g(tr, &g, &seg);
    return fold_g_name(f, g);
}

/*
 * Of goroutines from i on those that are put away together: when they lived. 0: they aren't. Who is over where it is new goes on
 * nowhere else.
 */
static uint32_t past_ones(const struct trace *tr, uint32_t i, uint32_t n, struct lifetime *out)
{
    uint32_t local = i, run = n;
    if (i >= trace_nlanes(tr, LANE_G))
        return 0;
    const struct segment *seg = tr->join.n ? join_home_run(&tr->join, i, &local, &run) : NULL;
    const struct fold *f = seg ? seg->f : &tr->fold;
    if (!fold_g_past(f, local))
        return 0;
    uint32_t here = PAST_GS - local % PAST_GS;
    here = here < n ? here : n;
    here = here < run ? here : run;
    past_lives(f->seg[local / PAST_GS].past, local, here, out);
    return here;
}

void trace_lives(const struct trace *tr, enum lane_kind k, uint32_t i, uint32_t n, struct lifetime *out)
{
    uint32_t here;
    for (; n; i += here, out += here, n -= here) {
        if (k == LANE_G && (here = past_ones(tr, i, n, out)))
            continue;
        struct lane l = {k, i};
        struct lane_info li = {.nspans = 0};
        bool over = false;
        if (i < trace_nlanes(tr, k)) {
            lane_spans(tr, l, &li, &over);
            if (k == LANE_G && !tr->join.n)
                over = trace_lane(tr, l).ended;
        }
        *out = (struct lifetime){li.first, li.last, li.nspans > 0, over};
        here = 1;
    }
}

/* The last goroutine with an id among those that were put away. */
static uint32_t find_past(const struct trace *tr, uint64_t id)
{
    const struct join *j = &tr->join;
    if (!j->n)
        return past_find(&tr->fold, id);
    for (size_t k = j->n; k-- > 0;) {
        uint32_t local = past_find(j->seg[k]->f, id);
        if (local != NO_LANE)
            return segment_g(j->seg[k], local);
    }
    return NO_LANE;
}

static bool is_past(const struct trace *tr, uint32_t g)
{
    const struct segment *seg;
    const struct fold *f = fold_of_g(tr, &g, &seg);
    return fold_g_past(f, g);
}

uint32_t trace_find_lane(const struct trace *tr, enum lane_kind k, uint64_t id)
{
    struct trace *rw = (struct trace *)(uintptr_t)tr; /* the look-up table is a cache */
    struct idmap *m = &rw->find[k];
    const uint32_t n = trace_nlanes(tr, k);
    if (k == LANE_BAND)
        return id < BAND_COUNT ? (uint32_t)id : NO_LANE;
    if (k == LANE_M && !tr->done) { /* a thread may have its index before it is told of */
        for (uint32_t i = 0; i < n; i++)
            if (lane_id(tr, k, i) == id)
                return i;
        return NO_LANE;
    }
    bool still = k == LANE_G && tr->done; /* who is put away stays so, and is looked for there */
    for (size_t i = rw->found[k]; i < n; i++) {
        if (!(still && is_past(tr, (uint32_t)i)) && !idmap_put(m, lane_id(tr, k, (uint32_t)i), (uint32_t)i))
            return NO_LANE;
        rw->found[k] = i + 1;
    }
    uint32_t i = idmap_get(m, id), past = still ? find_past(tr, id) : NO_LANE;
    if (i == IDMAP_NONE || past == NO_LANE)
        return i == IDMAP_NONE ? past : i;
    return i > past ? i : past;
}

/* ---- spans ------------------------------------------------------------------------------------------------ */

static void span_fill(const struct piece *p, enum lane_kind k, const struct spancols *c, uint32_t i, struct span *out)
{
    const struct span_tag *t = &p->f->pool.tags[c->tag[i]];
    bool on_p = k == LANE_G && (t->state == ST_RUNNING || t->state == ST_SYSCALL);
    *out = (struct span){.state = t->state,
                         .reason = t->reason,
                         .label = t->label,
                         .proc = NO_LANE,
                         .stack = c->stack[i],
                         .who = on_p ? segment_p(p->seg, c->who[i] - 1) : segment_g(p->seg, c->who[i] - 1)};
}

static uint32_t block_count(const struct spanlane *l)
{
    return spans_nblk(l) + (spans_nwait(l) || !l->ended);
}

/* The stack of a block's first span. */
static uint32_t first_stack_of(const struct piece *p, uint32_t b)
{
    struct spancols c;
    int64_t t;
    uint32_t n = b < block_count(p->l) ? spans_block(&p->f->pool, p->l, b, &c, &t, p->end) : 0;
    return n ? c.stack[0] : 0;
}

/* Block b of piece k. */
static void block_load(struct span_iter *it, uint32_t k, uint32_t b)
{
    struct spancols c;
    struct piece p;
    int64_t t;
    pieces_get(it->tr, it->lane, k, &p);
    uint32_t n = spans_block(&p.f->pool, p.l, b, &c, &t, p.end);
    it->piece = k;
    it->sub = b;
    it->base = p.index0 + (uint64_t)b * SPAN_BLOCK;
    it->n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct span *s = &it->blk[i];
        span_fill(&p, it->lane.kind, &c, i, s);
        s->t0 = t;
        t += c.dur[i];
        s->t1 = t;
        s->index = it->base + i;
        if (i && it->lane.kind == LANE_G)
            it->blk[i - 1].stack_end = s->stack;
    }
    if (!n)
        return;
    if (!b && !k)
        it->blk[0].open_start = p.l->backdated;
    bool end = b == spans_nblk(p.l);
    if (end && p.last && !p.l->ended)
        it->blk[n - 1].open_end = true;
    if (it->lane.kind != LANE_G || (end && p.last))
        return;
    if (end) {
        pieces_get(it->tr, it->lane, k + 1, &p);
        b = UINT32_MAX;
    }
    it->blk[n - 1].stack_end = first_stack_of(&p, b + 1); /* the next one's first stack is the end of our last */
}

/* The block that covers t, or the first or the last. false: the lane has no spans. */
static bool block_seek(struct span_iter *it, int64_t t)
{
    uint32_t n = pieces_n(it->tr, it->lane), k = pieces_at(it->tr, it->lane, t);
    struct piece p;
    it->n = it->at = 0;
    if (!n)
        return false;
    pieces_get(it->tr, it->lane, k, &p);
    while (k && !block_count(p.l)) /* it only ends there */
        pieces_get(it->tr, it->lane, --k, &p);
    if (!block_count(p.l))
        return false;
    block_load(it, k, spans_find(p.l, t));
    return it->n > 0;
}

/* The next block, or the one before. false: there is none, nothing has changed. */
static bool block_step(struct span_iter *it, bool forward)
{
    uint32_t n = pieces_n(it->tr, it->lane), k = it->piece, b = it->sub;
    struct piece p;
    pieces_get(it->tr, it->lane, k, &p);
    if (forward ? b + 1 < block_count(p.l) : b > 0) {
        block_load(it, k, forward ? b + 1 : b - 1);
        return true;
    }
    do {
        if (forward ? k + 1 >= n : !k)
            return false;
        k += forward ? 1 : UINT32_MAX;
        pieces_get(it->tr, it->lane, k, &p);
    } while (!block_count(p.l));
    block_load(it, k, forward ? 0 : block_count(p.l) - 1);
    return true;
}

/* ---- spans of threads: those of the P's lane, within each hold --------------------------------------------- */

/* A hold of a thread: in which piece, and when. */
struct held {
    struct piece p;
    int64_t t0, t1;
    uint32_t proc, g;
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
    h->proc = segment_p(h->p.seg, x->p);
    h->g = segment_g(h->p.seg, x->g);
}

/* What of a P's block, which sp is at, lies within the hold. */
static void hold_take(struct span_iter *it, const struct held *h, const struct span_iter *sp)
{
    int64_t tot[1][SPAN_SLOTS];
    uint64_t index;
    pieces_totals(it->tr, it->lane, &h->t0, 1, tot, &index);
    it->at = it->n = 0;
    if (h->proc == EV_NONE) {
        it->n = 1;
        it->base = index;
        it->blk[0] = (struct span){
            .t0 = h->t0, .t1 = h->t1, .state = h->g != EV_NONE ? ST_SYSCALL : ST_IDLE, .who = h->g, .proc = NO_LANE};
    } else {
        uint64_t before = trace_count(it->tr, sp->lane, 0, h->t0 + 1);
        it->base = index + (sp->base + 1 > before ? sp->base + 1 - before : 0);
        it->sub = sp->sub;
        it->under = sp->piece;
        for (uint32_t k = 0; k < sp->n; k++) {
            struct span s = sp->blk[k];
            if (s.t1 <= h->t0 || s.t0 >= h->t1)
                continue;
            s.t0 = s.t0 < h->t0 ? h->t0 : s.t0;
            s.t1 = s.t1 > h->t1 ? h->t1 : s.t1;
            s.proc = h->proc;
            s.open_start = false;
            it->blk[it->n++] = s;
        }
    }
    int64_t end = trace_last(it->tr);
    for (uint32_t k = 0; k < it->n; k++) {
        it->blk[k].index = it->base + k;
        it->blk[k].open_end = h->last && it->blk[k].t1 >= end;
    }
}

/* Hold i of piece k: the block of its P that covers t. */
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

/* Step to the next block that has something of a hold, forwards or backwards. */
static bool hold_step(struct span_iter *it, bool forward)
{
    const struct span_iter was = *it;
    uint32_t n = pieces_n(it->tr, it->lane);
    for (;;) {
        struct held h;
        held_get(it->tr, it->lane, it->piece, it->hold, &h);
        struct span_iter sp = {.tr = it->tr, .lane = {LANE_P, h.proc}, .piece = it->under, .sub = it->sub};
        bool more = false;
        if (h.proc != EV_NONE) {
            block_load(&sp, it->under, it->sub);
            more = sp.n && (forward ? sp.blk[sp.n - 1].t1 < h.t1 : sp.blk[0].t0 > h.t0) && block_step(&sp, forward);
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
            *it = was;
            return false;
        }
        if (it->n) {
            it->at = forward ? 0 : it->n - 1;
            return true;
        }
    }
}

static bool hold_seek(struct span_iter *it, int64_t t)
{
    uint32_t k = pieces_at(it->tr, it->lane, t);
    struct piece p;
    pieces_get(it->tr, it->lane, k, &p);
    hold_load(it, k, holds_find(p.ml, t), t);
    while (it->at + 1 < it->n && it->blk[it->at + 1].t0 <= t)
        it->at++;
    return it->n > 0 || hold_step(it, true) || hold_step(it, false);
}

bool span_seek(struct span_iter *it, const struct trace *tr, struct lane lane, int64_t t)
{
    it->tr = tr;
    it->lane = lane;
    it->n = it->at = 0;
    it->under = it->sub = 0;
    if (!pieces_n(tr, lane))
        return false;
    if (lane.kind == LANE_M)
        return hold_seek(it, t);
    if (!block_seek(it, t))
        return false;
    uint32_t lo = 0, hi = it->n; /* the last span with t0 <= t */
    while (lo + 1 < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (it->blk[mid].t0 <= t)
            lo = mid;
        else
            hi = mid;
    }
    it->at = lo;
    return it->n > 0;
}

bool span_seek_index(struct span_iter *it, const struct trace *tr, struct lane lane, uint64_t index)
{
    it->tr = tr;
    it->lane = lane;
    it->n = it->at = 0;
    it->under = it->sub = 0;
    uint32_t n = pieces_n(tr, lane), k = 0;
    if (!n)
        return false;
    if (lane.kind == LANE_M) { /* rarely asked for but with 0: walk */
        if (!hold_seek(it, INT64_MIN))
            return false;
        while (span_get(it)->index < index)
            if (!span_next(it))
                return false;
        return true;
    }
    struct piece p;
    for (uint32_t hi = n; k + 1 < hi;) { /* the last piece that begins with it or before */
        uint32_t mid = k + (hi - k) / 2;
        pieces_get(tr, lane, mid, &p);
        if (p.index0 <= index)
            k = mid;
        else
            hi = mid;
    }
    pieces_get(tr, lane, k, &p);
    while (k && !block_count(p.l))
        pieces_get(tr, lane, --k, &p);
    if (index - p.index0 >= spans_count(p.l))
        return false;
    uint64_t b = (index - p.index0) / SPAN_BLOCK;
    block_load(it, k, (uint32_t)(b < spans_nblk(p.l) ? b : spans_nblk(p.l)));
    it->at = (uint32_t)(index - it->base);
    return true;
}

const struct span *span_get(const struct span_iter *it)
{
    return &it->blk[it->at];
}

bool span_next(struct span_iter *it)
{
    if (it->at + 1 < it->n) {
        it->at++;
        return true;
    }
    if (it->lane.kind == LANE_M)
        return hold_step(it, true);
    if (!block_step(it, true))
        return false;
    it->at = 0;
    return true;
}

bool span_prev(struct span_iter *it)
{
    if (it->at) {
        it->at--;
        return true;
    }
    if (it->lane.kind == LANE_M)
        return hold_step(it, false);
    if (!block_step(it, false))
        return false;
    it->at = it->n - 1;
    return true;
}

bool trace_span_at(const struct trace *tr, struct lane lane, int64_t t, struct span *out)
{
    struct span_iter it;
    if (!span_seek(&it, tr, lane, t))
        return false;
    const struct span *s = span_get(&it);
    if (t < s->t0 || (t >= s->t1 && !(s->open_end && t == s->t1)))
        return false;
    *out = *s;
    return true;
}

/* ---- long spans ------------------------------------------------------------------------------------------- */

/* Among the spans of a P's lane that overlap [t0,t1), each cut to the hold [a,b), the longest. -1: there is none. */
static int64_t longest_within(const struct trace *tr, struct lane l, int64_t a, int64_t b, int64_t t0, int64_t t1,
                              struct span *out)
{
    int64_t x = a > t0 ? a : t0, y = b < t1 ? b : t1;
    struct span s[3];
    bool have[3] = {trace_span_at(tr, l, x, &s[0]), trace_span_at(tr, l, y - 1, &s[1]), false};
    if (have[0] && have[1])
        have[2] = s[0].t1 < s[1].t0 && trace_longest(tr, l, s[0].t1, s[1].t0, &s[2]);
    int64_t best = -1;
    for (int i = 0; i < 3; i++) {
        if (!have[i] || s[i].state == ST_NONE)
            continue;
        s[i].t0 = s[i].t0 < a ? a : s[i].t0;
        s[i].t1 = s[i].t1 > b ? b : s[i].t1;
        if (s[i].t1 - s[i].t0 > best) {
            best = s[i].t1 - s[i].t0;
            *out = s[i];
        }
    }
    return best;
}

/* trace_longest for a thread: hold by hold. */
static bool hold_longest(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1, struct span *out)
{
    int64_t best = -1;
    for (uint32_t k = pieces_at(tr, lane, t0), z = pieces_at(tr, lane, t1 - 1); k <= z; k++) {
        struct piece p;
        pieces_get(tr, lane, k, &p);
        size_t last = holds_find(p.ml, t1 - 1);
        for (size_t i = holds_find(p.ml, t0); (i = holds_skip(p.ml, i, last, best + 1)) <= last && i < p.ml->n; i++) {
            struct span_iter it = {.tr = tr, .lane = lane};
            struct held h;
            struct span s;
            held_get(tr, lane, k, i, &h);
            if (h.t0 >= t1 || h.t1 <= t0 || h.t1 - h.t0 <= (best > 0 ? best : 0))
                continue; /* it can't be within */
            if (h.proc == EV_NONE) {
                hold_load(&it, k, i, t0);
                s = it.blk[0];
            } else if (longest_within(tr, (struct lane){LANE_P, h.proc}, h.t0, h.t1, t0, t1, &s) < 0) {
                continue;
            }
            s.proc = h.proc;
            if (s.t1 - s.t0 > best) {
                best = s.t1 - s.t0;
                *out = s;
            }
        }
    }
    return best >= 0;
}

/* What of block b overlaps [t0,t1) and is longer than best. */
static int64_t block_longest(struct span_iter *it, uint32_t k, uint32_t b, int64_t t0, int64_t t1, int64_t best,
                             struct span *out)
{
    block_load(it, k, b);
    for (uint32_t i = 0; i < it->n; i++) {
        const struct span *s = &it->blk[i];
        if (s->t0 < t1 && (s->t1 > t0 || (s->t0 == s->t1 && s->t0 >= t0)) && s->state != ST_NONE &&
            s->t1 - s->t0 > best) {
            best = s->t1 - s->t0;
            *out = *s;
        }
    }
    return best;
}

bool trace_longest(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1, struct span *out)
{
    struct span_iter it = {.tr = tr, .lane = lane};
    int64_t best = -1;
    if (t1 <= t0 || !pieces_n(tr, lane))
        return false;
    if (lane.kind == LANE_M)
        return hold_longest(tr, lane, t0, t1, out);
    for (uint32_t k = pieces_at(tr, lane, t0), z = pieces_at(tr, lane, t1 - 1); k <= z; k++) {
        struct piece p;
        pieces_get(tr, lane, k, &p);
        uint32_t first = spans_find(p.l, t0), last = spans_find(p.l, t1 - 1);
        for (uint32_t b = first; b <= last && b < block_count(p.l); b++) {
            if (b != first && b != last && (b = spans_wide(p.l, b, last, best + 1)) >= block_count(p.l))
                break;
            if (b > last)
                break;
            best = block_longest(&it, k, b, t0, t1, best, out);
        }
    }
    return best >= 0;
}

/* What a trace_wide() asks for. */
struct wide {
    int64_t t0, t1, min_ns;
    bool (*f)(void *arg, const struct span *s);
    void *arg;
};

/* The spans at hand. false: no more is wanted. */
static bool wide_some(const struct wide *w, const struct span_iter *it)
{
    for (uint32_t i = 0; i < it->n; i++) {
        const struct span *s = &it->blk[i];
        if (s->t0 < w->t1 && s->t1 > w->t0 && s->state != ST_NONE && s->t1 - s->t0 >= w->min_ns && !w->f(w->arg, s))
            return false;
    }
    return true;
}

/* trace_wide for one hold. */
static bool hold_wide(struct span_iter *it, const struct wide *w, uint32_t m, uint64_t i, const struct held *h)
{
    struct lane pl = {LANE_P, h->proc};
    int64_t a = h->t0 > w->t0 ? h->t0 : w->t0, b = h->t1 < w->t1 ? h->t1 : w->t1;
    if (h->proc == EV_NONE) {
        hold_load(it, m, i, a);
        return wide_some(w, it);
    }
    for (uint32_t k = pieces_at(it->tr, pl, a), z = pieces_at(it->tr, pl, b > a ? b - 1 : a);
         k <= z && pieces_n(it->tr, pl); k++) {
        struct piece p;
        pieces_get(it->tr, pl, k, &p);
        uint32_t last = spans_find(p.l, b > a ? b - 1 : a);
        for (uint32_t x = spans_find(p.l, a); x <= last && x < block_count(p.l); x++) {
            if ((x = spans_wide(p.l, x, last, w->min_ns)) > last)
                break;
            struct span_iter sp = {.tr = it->tr, .lane = pl};
            block_load(&sp, k, x);
            hold_take(it, h, &sp);
            if (!wide_some(w, it))
                return false;
        }
    }
    return true;
}

static void holds_wide(const struct trace *tr, struct lane lane, const struct wide *w)
{
    struct span_iter it = {.tr = tr, .lane = lane};
    for (uint32_t k = pieces_at(tr, lane, w->t0), z = pieces_at(tr, lane, w->t1 - 1); k <= z; k++) {
        struct piece p;
        pieces_get(tr, lane, k, &p);
        size_t end = holds_find(p.ml, w->t1 - 1);
        for (size_t i = holds_find(p.ml, w->t0); (i = holds_skip(p.ml, i, end, w->min_ns)) <= end && i < p.ml->n;
             i++) {
            struct held h;
            held_get(tr, lane, k, i, &h);
            if (h.t1 - h.t0 >= w->min_ns && !hold_wide(&it, w, k, i, &h))
                return;
        }
    }
}

void trace_wide(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1, int64_t min_ns,
                bool (*f)(void *arg, const struct span *s), void *arg)
{
    const struct wide w = {t0, t1, min_ns, f, arg};
    struct span_iter it = {.tr = tr, .lane = lane};
    if (t1 <= t0 || !pieces_n(tr, lane))
        return;
    if (lane.kind == LANE_M) {
        holds_wide(tr, lane, &w);
        return;
    }
    for (uint32_t k = pieces_at(tr, lane, t0), z = pieces_at(tr, lane, t1 - 1); k <= z; k++) {
        struct piece p;
        pieces_get(tr, lane, k, &p);
        uint32_t last = spans_find(p.l, t1 - 1);
        for (uint32_t b = spans_find(p.l, t0); b <= last && b < block_count(p.l); b++) {
            b = spans_wide(p.l, b, last, min_ns);
            if (b > last || b >= block_count(p.l))
                break;
            block_load(&it, k, b);
            if (!wide_some(&w, &it))
                return;
        }
    }
}

static bool pool_has(const struct span_pool *sp, const uint64_t *set, uint32_t n)
{
    for (size_t i = 0; i < sp->ntags; i++) {
        uint32_t id[2] = {sp->tags[i].reason, sp->tags[i].label};
        for (int k = 0; k < 2; k++)
            if (id[k] && id[k] < n && set[id[k] / 64] >> id[k] % 64 & 1)
                return true;
    }
    return false;
}

bool trace_has_reason(const struct trace *tr, const uint64_t *set, uint32_t n)
{
    if (!tr->done)
        return true; /* what isn't decoded may have others */
    bool has = pool_has(&tr->fold.pool, set, n);
    for (size_t i = 1; i < tr->join.n && !has; i++)
        has = pool_has(&tr->join.seg[i]->f->pool, set, n);
    return has;
}

/* ---- what overlaps ---------------------------------------------------------------------------------------- */

static void patch(const struct trace *tr)
{
    if (!tr->done)
        fold_patch_open((struct fold *)(uintptr_t)&tr->fold, trace_last(tr)); /* only ends of what is open */
}

size_t trace_ranges(const struct trace *tr, enum range_kind k, const struct range **out)
{
    patch(tr);
    *out = tr->fold.range[k].v;
    return tr->fold.range[k].n;
}

size_t trace_tasks(const struct trace *tr, const struct task **out)
{
    patch(tr);
    *out = tr->fold.tasks.v;
    return tr->fold.tasks.n;
}

size_t trace_regions(const struct trace *tr, const struct region **out)
{
    patch(tr);
    *out = tr->fold.regions.v;
    return tr->fold.regions.n;
}

size_t trace_logs(const struct trace *tr, const struct logmsg **out)
{
    *out = tr->fold.logs.v;
    return tr->fold.logs.n;
}

size_t trace_samples(const struct trace *tr, const struct sample **out)
{
    *out = tr->fold.samples.v;
    return tr->fold.samples.n;
}

size_t trace_points(const struct trace *tr, enum metric m, const struct point **out)
{
    *out = tr->fold.points[m].v;
    return tr->fold.points[m].n;
}

/* How many points lie before each of n ascending moments. All are looked for together, step by step: so none waits for
   what another has to fetch. */
static void points_before(const struct vec_point *v, const int64_t *t, uint32_t n, size_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = 0;
    if (!v->n)
        return;
    for (size_t len = v->n, half; len > 1; len -= half) {
        half = len / 2;
        for (uint32_t i = 0; i < n; i++)
            out[i] += v->v[out[i] + half - 1].t < t[i] ? half : 0;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] += v->v[out[i]].t < t[i];
}

/* Of [t0,t1), before which i and e points lie. */
static bool minmax_of(const struct vec_point *v, int64_t t0, size_t i, size_t e, uint64_t *min, uint64_t *max)
{
    while (i < v->n && v->v[i].t <= t0)
        i++;
    i -= i > 0; /* the value that holds at t0 */
    if (i >= e)
        return false;
    *min = *max = v->v[i].v;
    for (i++; i < e;) {
        unsigned l = 0; /* the largest block that begins here and ends before t1 */
        while (l < MM_LEVELS && i % ((size_t)1 << (l + 1) * MM_BITS) == 0 &&
               i + ((size_t)1 << (l + 1) * MM_BITS) <= e)
            l++;
        uint64_t least = v->v[i].v, most = least;
        if (l) {
            const struct minmax *mm = &v->mm[l - 1][i >> l * MM_BITS];
            least = mm->min;
            most = mm->max;
        }
        *min = least < *min ? least : *min;
        *max = most > *max ? most : *max;
        i += (size_t)1 << l * MM_BITS;
    }
    return true;
}

/* What minmax_of() reads on either side of point i. */
AHEAD_INLINE void fetch_around(const struct vec_point *v, size_t i)
{
    for (unsigned l = 0; l <= MM_LEVELS; l++) {
        size_t first = i >> l * MM_BITS >> MM_BITS << MM_BITS; /* an entry of mm is as large as a point */
        const char *p = l ? (const char *)&v->mm[l - 1][first] : (const char *)&v->v[first];
        for (size_t o = 0; o < sizeof(struct point) << MM_BITS; o += 64)
            __builtin_prefetch(p + o);
    }
}

void trace_extents(const struct trace *tr, enum metric m, const int64_t *edges, uint32_t n, struct extent *out)
{
    enum { PIECE = 256, AHEAD = 4 };
    const struct vec_point *v = &tr->fold.points[m];
    size_t at[PIECE + 1];
    uint32_t from = 0, here = 0; /* at: of edges from .. from + here */
    for (uint32_t i = 0; i < n; i++) {
        struct extent *x = &out[i];
        *x = (struct extent){0};
        if (i == from + here) {
            from = i;
            here = n - i < PIECE ? n - i : PIECE;
            points_before(v, edges + i, here + 1, at);
        }
        if (v->n && i - from + AHEAD <= here)
            fetch_around(v, at[i - from + AHEAD]);
        x->known = minmax_of(v, edges[i], at[i - from], at[i - from + 1], &x->min, &x->max);
    }
}

bool trace_minmax(const struct trace *tr, enum metric m, int64_t t0, int64_t t1, uint64_t *min, uint64_t *max)
{
    const struct vec_point *v = &tr->fold.points[m];
    int64_t t[2] = {t0, t1};
    size_t at[2];
    points_before(v, t, 2, at);
    return minmax_of(v, t0, at[0], at[1], min, max);
}

size_t trace_gcounts(const struct trace *tr, int64_t *width, const struct gbucket **out)
{
    fold_back_counts((struct fold *)(uintptr_t)&tr->fold);
    *width = (int64_t)1 << tr->fold.gb_shift;
    *out = tr->fold.gb;
    return tr->fold.ngb;
}

size_t trace_first_stacks(const struct trace *tr, const struct first_stack **out)
{
    *out = tr->fold.first;
    return tr->fold.nfirst;
}
