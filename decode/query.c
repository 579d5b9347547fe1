/*
 * query.c - the model's questions and answers (decode/trace.h): names, lanes, spans, what overlaps. Time per state: shares.c.
 *
 * Everything is computed from what fold keeps; nothing is cached but the id look-up, so answers hold while loading.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/mem.h"
#include "decode/past.h"
#include "decode/trace_priv.h"

static const struct {
    const char *name;
    char letter;
} states[ST_COUNT] = {
#define X(id, name, letter, p, g, m) {name, letter},
#include "decode/states.def"
#undef X
};

const char *state_name(enum state s)
{
    return s < ST_COUNT ? states[s].name : "?";
}

char state_letter(enum state s)
{
    return s < ST_COUNT ? states[s].letter : '?';
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
    return (uint32_t)tr->fold.nlane[k];
}

static uint64_t lane_id(const struct trace *tr, enum lane_kind k, uint32_t i)
{
    return k == LANE_G ? fold_g_id(&tr->fold, i) : k == LANE_P ? tr->fold.p[i].id : k == LANE_M ? tr->fold.m[i].id : i;
}

const struct mlane *mlane_of(const struct trace *tr, struct lane l)
{
    return l.kind == LANE_M && l.i < tr->fold.nlane[LANE_M] && tr->fold.m[l.i].lane.n ? &tr->fold.m[l.i].lane : NULL;
}

static int64_t lane_last(const struct trace *tr, const struct spanlane *s)
{
    return s->ended ? s->t0 : s->t0 > tr->fold.end ? s->t0 : tr->fold.end;
}

struct lane_info trace_lane(const struct trace *tr, struct lane l)
{
    struct lane_info info = {.creator = NO_LANE};
    if (l.kind >= LANE_KINDS || l.i >= tr->fold.nlane[l.kind])
        return info;
    info.id = lane_id(tr, l.kind, l.i);
    const struct mlane *ml = mlane_of(tr, l);
    if (ml) {
        int64_t end = tr->fold.end, tot[1][SPAN_SLOTS];
        holds_totals(&tr->fold, l.i, &end, 1, tot, &info.nspans);
        info.first = info.seen = ml->h[0].t0;
        info.last = end;
    }
    if (l.kind == LANE_M)
        return info;
    struct spanlane room;
    const struct spanlane *s = l.kind == LANE_G ? fold_g_lane(&tr->fold, l.i, &room) : &tr->fold.lane[l.kind][l.i];
    info.nspans = spans_count(s);
    if (s->begun) {
        info.first = spans_first(s);
        info.last = lane_last(tr, s);
        info.seen = info.first;
    }
    if (l.kind == LANE_G) {
        struct ginfo of;
        const struct ginfo *g = fold_g_info(&tr->fold, l.i, &of);
        info.seen = g->seen;
        info.name = g->name;
        info.name_inferred = g->flags & GI_INFERRED;
        info.ended = g->flags & GI_ENDED;
        info.created = g->flags & GI_CREATED;
        info.is_system = g->flags & GI_SYSTEM;
        info.is_worker = g->flags & GI_GCWORK;
        info.no_p_ns = g->no_p + (g->no_p_since != NO_TIME && tr->fold.end > g->no_p_since ? tr->fold.end - g->no_p_since : 0);
        info.creator = g->creator;
        info.create_stack = g->create_stack;
        info.start_stack = g->start_stack;
    }
    return info;
}

void trace_lives(const struct trace *tr, enum lane_kind k, uint32_t i, uint32_t n, struct lifetime *out)
{
    uint32_t here;
    for (; n; i += here, out += here, n -= here) {
        if (k == LANE_G && (uint64_t)i + n <= tr->fold.nlane[k] && fold_g_past(&tr->fold, i)) {
            here = PAST_GS - i % PAST_GS;
            here = here < n ? here : n;
            past_lives(tr->fold.seg[i / PAST_GS].past, i, here, out);
            continue;
        }
        struct lane_info li = trace_lane(tr, (struct lane){k, i});
        *out = (struct lifetime){li.first, li.last, li.nspans > 0, li.ended};
        here = 1;
    }
}

uint32_t trace_find_lane(const struct trace *tr, enum lane_kind k, uint64_t id)
{
    struct trace *rw = (struct trace *)(uintptr_t)tr; /* the look-up table is a cache */
    struct idmap *m = &rw->find[k];
    if (k == LANE_BAND)
        return id < BAND_COUNT ? (uint32_t)id : NO_LANE;
    if (k == LANE_M && (!tr->done || tr->parts.seeking)) { /* a thread may have its index before it is told of */
        for (uint32_t i = 0; i < tr->fold.nlane[k]; i++)
            if (tr->fold.m[i].id == id)
                return i;
        return NO_LANE;
    }
    bool still = k == LANE_G && tr->done && !tr->parts.bounded; /* who is put away stays so, and is looked for there */
    for (size_t i = rw->found[k]; i < tr->fold.nlane[k]; i++) {
        if (!(still && fold_g_past(&tr->fold, (uint32_t)i)) && !idmap_put(m, lane_id(tr, k, (uint32_t)i), (uint32_t)i))
            return NO_LANE;
        rw->found[k] = i + 1;
    }
    uint32_t i = idmap_get(m, id), past = still ? past_find(&tr->fold, id) : NO_LANE;
    if (i == IDMAP_NONE || past == NO_LANE)
        return i == IDMAP_NONE ? past : i;
    return i > past ? i : past;
}

/* ---- spans ------------------------------------------------------------------------------------------------ */

static void span_fill(const struct trace *tr, const struct rawspan *r, struct span *out)
{
    const struct span_tag *t = &tr->fold.pool.tags[r->tag];
    *out = (struct span){.state = t->state, .reason = t->reason, .label = t->label, .who = r->who - 1, .proc = NO_LANE,
                         .stack = r->stack};
}

static void block_load(struct span_iter *it, const struct spanlane *l, uint32_t b)
{
    struct rawspan raw[SPAN_BLOCK + 1];
    const struct trace *tr = it->tr;
    int64_t t;
    uint32_t n = spans_block(&tr->fold.pool, l, b, raw, &t, tr->fold.end);
    it->base = (uint64_t)b * SPAN_BLOCK;
    it->n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct span *s = &it->blk[i];
        span_fill(tr, &raw[i], s);
        s->t0 = t;
        t += raw[i].dur;
        s->t1 = t;
        s->index = it->base + i;
        if (i && it->lane.kind == LANE_G)
            it->blk[i - 1].stack_end = s->stack;
    }
    if (!n)
        return;
    if (!b)
        it->blk[0].open_start = l->backdated;
    if (b == spans_nblk(l) && !l->ended)
        it->blk[n - 1].open_end = true;
    if (b < spans_nblk(l) && it->lane.kind == LANE_G) { /* the next block's first stack is the end of our last */
        n = spans_block(&tr->fold.pool, l, b + 1, raw, &t, tr->fold.end);
        it->blk[it->n - 1].stack_end = n ? raw[0].stack : 0;
    }
}

/* ---- spans of threads: those of the P's lane, within each hold --------------------------------------------- */

/* Load the spans of hold i: of a P's lane those in block `sub` (UINT32_MAX: the last block within the hold). */
static void hold_load(struct span_iter *it, const struct mlane *ml, uint64_t i, uint32_t sub)
{
    const struct trace *tr = it->tr;
    const struct hold *h = &ml->h[i];
    int64_t end = holds_end(&tr->fold, ml, i), tot[1][SPAN_SLOTS];
    uint64_t index;
    holds_totals(&tr->fold, it->lane.i, &h->t0, 1, tot, &index);
    it->hold = i;
    it->at = 0;
    if (h->p == EV_NONE) {
        it->sub = 0;
        it->n = 1;
        it->base = index;
        it->blk[0] = (struct span){.t0 = h->t0, .t1 = end, .state = h->g != EV_NONE ? ST_SYSCALL : ST_IDLE, .who = h->g, .proc = NO_LANE};
    } else {
        struct lane pl = {LANE_P, h->p};
        const struct spanlane *l = &tr->fold.lane[LANE_P][h->p];
        uint32_t first = spans_find(l, h->t0), last = spans_find(l, end > h->t0 ? end - 1 : h->t0);
        struct span_iter sp = {.tr = tr, .lane = pl};
        it->sub = sub < first ? first : sub > last ? last : sub;
        block_load(&sp, l, it->sub);
        uint64_t before = it->sub > first ? (uint64_t)it->sub * SPAN_BLOCK - trace_count(tr, pl, 0, h->t0 + 1) + 1 : 0;
        it->base = index + before;
        it->n = 0;
        for (uint32_t k = 0; k < sp.n; k++) {
            struct span s = sp.blk[k];
            if (s.t1 <= h->t0 || s.t0 >= end)
                continue;
            s.t0 = s.t0 < h->t0 ? h->t0 : s.t0;
            s.t1 = s.t1 > end ? end : s.t1;
            s.proc = h->p;
            s.open_start = false;
            it->blk[it->n++] = s;
        }
    }
    for (uint32_t k = 0; k < it->n; k++) {
        it->blk[k].index = it->base + k;
        it->blk[k].open_end = i + 1 == ml->n && it->blk[k].t1 >= tr->fold.end;
    }
}

/* Step to the next non-empty piece, forwards or backwards. */
static bool hold_step(struct span_iter *it, const struct mlane *ml, bool forward)
{
    uint64_t hold = it->hold;
    uint32_t sub = it->sub;
    for (;;) {
        const struct hold *h = &ml->h[hold];
        uint32_t first = 0, last = 0;
        if (h->p != EV_NONE) {
            const struct spanlane *l = &it->tr->fold.lane[LANE_P][h->p];
            int64_t end = holds_end(&it->tr->fold, ml, hold);
            first = spans_find(l, h->t0);
            last = spans_find(l, end > h->t0 ? end - 1 : h->t0);
        }
        if (forward && sub < last) {
            sub++;
        } else if (!forward && sub > first) {
            sub--;
        } else if (forward ? hold + 1 < ml->n : hold > 0) {
            hold += forward ? 1 : (uint64_t)-1;
            sub = forward ? 0 : UINT32_MAX;
        } else {
            return false;
        }
        struct span_iter was = *it;
        hold_load(it, ml, hold, sub);
        if (it->n) {
            it->at = forward ? 0 : it->n - 1;
            return true;
        }
        sub = it->sub;
        *it = was;
    }
}

static bool hold_seek(struct span_iter *it, const struct mlane *ml, int64_t t)
{
    uint64_t i = holds_find(ml, t);
    const struct hold *h = &ml->h[i];
    uint32_t sub = h->p != EV_NONE ? spans_find(&it->tr->fold.lane[LANE_P][h->p], t < h->t0 ? h->t0 : t) : 0;
    hold_load(it, ml, i, sub);
    while (it->at + 1 < it->n && it->blk[it->at + 1].t0 <= t)
        it->at++;
    return it->n > 0 || hold_step(it, ml, true) || hold_step(it, ml, false);
}

static uint32_t block_count(const struct spanlane *l)
{
    return spans_nblk(l) + (spans_nwait(l) || !l->ended);
}

bool span_seek(struct span_iter *it, const struct trace *tr, struct lane lane, int64_t t)
{
    struct spanlane room;
    const struct spanlane *l = lane_of(tr, lane, &room);
    it->tr = tr;
    it->lane = lane;
    it->n = it->at = 0;
    if (mlane_of(tr, lane))
        return hold_seek(it, mlane_of(tr, lane), t);
    if (!l || !spans_count(l))
        return false;
    block_load(it, l, spans_find(l, t));
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
    struct spanlane room;
    const struct spanlane *l = lane_of(tr, lane, &room);
    it->tr = tr;
    it->lane = lane;
    it->n = it->at = 0;
    const struct mlane *ml = mlane_of(tr, lane);
    if (ml) { /* rarely asked for but with 0: walk */
        if (!hold_seek(it, ml, INT64_MIN))
            return false;
        while (span_get(it)->index < index)
            if (!span_next(it))
                return false;
        return true;
    }
    if (!l || index >= spans_count(l))
        return false;
    uint64_t b = index / SPAN_BLOCK;
    block_load(it, l, (uint32_t)(b < spans_nblk(l) ? b : spans_nblk(l)));
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
        return hold_step(it, mlane_of(it->tr, it->lane), true);
    struct spanlane room;
    const struct spanlane *l = lane_of(it->tr, it->lane, &room);
    uint32_t b = (uint32_t)(it->base / SPAN_BLOCK) + 1;
    if (!l || b >= block_count(l))
        return false;
    block_load(it, l, b);
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
        return hold_step(it, mlane_of(it->tr, it->lane), false);
    struct spanlane room;
    const struct spanlane *l = lane_of(it->tr, it->lane, &room);
    if (!l || !it->base)
        return false;
    block_load(it, l, (uint32_t)(it->base / SPAN_BLOCK) - 1);
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

/* The blocks from that of t0 to that of t1, those without a span of at least min_ns skipped. */
static uint32_t next_block(const struct spanlane *l, uint32_t b, uint32_t last, int64_t min_ns)
{
    while (b <= last && b < spans_nblk(l)) {
        if (b % SPAN_GROUP == 0 && b + SPAN_GROUP <= spans_nblk(l) && l->blocks->group[b / SPAN_GROUP].longest < min_ns) {
            b += SPAN_GROUP;
            continue;
        }
        if (blocks_longest(l->blocks, b) >= min_ns)
            break;
        b++;
    }
    return b;
}

/* Among the spans of a P's lane that overlap [t0,t1), each cut to the hold [a,b), the longest. -1: there is none. */
static int64_t longest_within(const struct trace *tr, struct lane l, int64_t a, int64_t b, int64_t t0, int64_t t1, struct span *out)
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
static bool hold_longest(const struct trace *tr, struct lane lane, const struct mlane *ml, int64_t t0, int64_t t1, struct span *out)
{
    int64_t best = -1;
    size_t last = holds_find(ml, t1 - 1);
    for (size_t i = holds_find(ml, t0); (i = holds_skip(ml, i, last, best + 1)) <= last && i < ml->n; i++) {
        struct span_iter it = {.tr = tr, .lane = lane};
        int64_t a = ml->h[i].t0, b = holds_end(&tr->fold, ml, i);
        struct span s;
        if (a >= t1 || b <= t0 || b - a <= (best > 0 ? best : 0))
            continue; /* it can't be within */
        if (ml->h[i].p == EV_NONE) {
            hold_load(&it, ml, i, 0);
            s = it.blk[0];
        } else if (longest_within(tr, (struct lane){LANE_P, ml->h[i].p}, a, b, t0, t1, &s) < 0) {
            continue;
        }
        s.proc = ml->h[i].p;
        if (s.t1 - s.t0 > best) {
            best = s.t1 - s.t0;
            *out = s;
        }
    }
    return best >= 0;
}

bool trace_longest(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1, struct span *out)
{
    if (mlane_of(tr, lane) && t1 > t0)
        return hold_longest(tr, lane, mlane_of(tr, lane), t0, t1, out);
    struct spanlane room;
    const struct spanlane *l = lane_of(tr, lane, &room);
    if (!l || t1 <= t0)
        return false;
    struct span_iter it = {.tr = tr, .lane = lane};
    uint32_t first = spans_find(l, t0), last = spans_find(l, t1 - 1);
    int64_t best = -1;
    for (uint32_t b = first; b <= last && b < block_count(l); b++) {
        if (b != first && b != last && (b = next_block(l, b, last, best + 1)) >= block_count(l))
            break;
        if (b > last)
            break;
        block_load(&it, l, b);
        for (uint32_t i = 0; i < it.n; i++) {
            const struct span *s = &it.blk[i];
            if (s->t0 < t1 && (s->t1 > t0 || (s->t0 == s->t1 && s->t0 >= t0)) && s->state != ST_NONE && s->t1 - s->t0 > best) {
                best = s->t1 - s->t0;
                *out = *s;
            }
        }
    }
    return best >= 0;
}

/* trace_wide for one hold. false: no more is wanted. */
static bool hold_wide(struct span_iter *it, const struct mlane *ml, size_t i, int64_t t0, int64_t t1, int64_t min_ns,
                      bool (*f)(void *arg, const struct span *s), void *arg)
{
    const struct hold *h = &ml->h[i];
    int64_t a = h->t0 > t0 ? h->t0 : t0, b = holds_end(&it->tr->fold, ml, i);
    const struct spanlane *l = h->p != EV_NONE ? &it->tr->fold.lane[LANE_P][h->p] : NULL;
    b = b < t1 ? b : t1;
    uint32_t first = l ? spans_find(l, a) : 0, last = l ? spans_find(l, b > a ? b - 1 : a) : 0;
    for (uint32_t k = first; k <= last; k++) {
        if (l && (k = next_block(l, k, last, min_ns)) > last)
            break;
        hold_load(it, ml, i, k);
        for (it->at = 0; it->at < it->n; it->at++) {
            const struct span *s = span_get(it);
            if (s->t0 < t1 && s->t1 > t0 && s->state != ST_NONE && s->t1 - s->t0 >= min_ns && !f(arg, s))
                return false;
        }
    }
    return true;
}

void trace_wide(const struct trace *tr, struct lane lane, int64_t t0, int64_t t1, int64_t min_ns,
                bool (*f)(void *arg, const struct span *s), void *arg)
{
    struct spanlane room;
    const struct spanlane *l = lane_of(tr, lane, &room);
    const struct mlane *ml = mlane_of(tr, lane);
    if (t1 <= t0 || (!l && !ml))
        return;
    struct span_iter it = {.tr = tr, .lane = lane};
    if (ml) {
        size_t end = holds_find(ml, t1 - 1);
        for (size_t i = holds_find(ml, t0); (i = holds_skip(ml, i, end, min_ns)) <= end && i < ml->n; i++)
            if (holds_end(&tr->fold, ml, i) - ml->h[i].t0 >= min_ns && !hold_wide(&it, ml, i, t0, t1, min_ns, f, arg))
                return;
        return;
    }
    uint32_t last = spans_find(l, t1 - 1);
    for (uint32_t b = spans_find(l, t0); b <= last && b < block_count(l); b++) {
        b = next_block(l, b, last, min_ns);
        if (b > last || b >= block_count(l))
            break;
        block_load(&it, l, b);
        for (uint32_t i = 0; i < it.n; i++) {
            const struct span *s = &it.blk[i];
            if (s->t0 < t1 && s->t1 > t0 && s->state != ST_NONE && s->t1 - s->t0 >= min_ns && !f(arg, s))
                return;
        }
    }
}

bool trace_has_reason(const struct trace *tr, const uint64_t *set, uint32_t n)
{
    const struct span_pool *sp = &tr->fold.pool;
    if (tr->parts.bounded || !tr->done)
        return true; /* what isn't held may have others */
    for (size_t i = 0; i < sp->ntags; i++) {
        uint32_t id[2] = {sp->tags[i].reason, sp->tags[i].label};
        for (int k = 0; k < 2; k++)
            if (id[k] && id[k] < n && set[id[k] / 64] >> id[k] % 64 & 1)
                return true;
    }
    return false;
}

/* ---- what overlaps ---------------------------------------------------------------------------------------- */

static void patch(const struct trace *tr)
{
    if (!tr->done || tr->parts.seeking)
        fold_patch_open((struct fold *)(uintptr_t)&tr->fold); /* only ends of what is open */
}

size_t trace_ranges(const struct trace *tr, enum range_kind k, const struct range **out)
{
    if (tr->parts.whole && k <= RANGE_STW) {
        *out = tr->parts.ov.out[k];
        return tr->parts.ov.out[k] ? tr->parts.ov.nrange[k] : 0;
    }
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
        while (l < MM_LEVELS && i % ((size_t)1 << (l + 1) * MM_BITS) == 0 && i + ((size_t)1 << (l + 1) * MM_BITS) <= e)
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

static bool detail_minmax(const struct trace *tr, enum metric m, int64_t t0, int64_t t1, uint64_t *min, uint64_t *max)
{
    const struct vec_point *v = &tr->fold.points[m];
    int64_t t[2] = {t0, t1};
    size_t at[2];
    points_before(v, t, 2, at);
    return minmax_of(v, t0, at[0], at[1], min, max);
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
        if (tr->parts.bounded) {
            x->known = parts_minmax(tr, m, edges[i], edges[i + 1], detail_minmax, &x->min, &x->max);
            continue;
        }
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
    return tr->parts.bounded ? parts_minmax(tr, m, t0, t1, detail_minmax, min, max) : detail_minmax(tr, m, t0, t1, min, max);
}

size_t trace_gcounts(const struct trace *tr, int64_t *width, const struct gbucket **out)
{
    if (tr->parts.gb) {
        *width = (int64_t)1 << tr->parts.gb_shift;
        *out = tr->parts.gb;
        return tr->parts.ngb;
    }
    fold_back_counts((struct fold *)(uintptr_t)&tr->fold);
    *width = (int64_t)1 << tr->fold.gb_shift;
    *out = tr->fold.gb;
    return tr->fold.ngb;
}

size_t trace_first_stacks(const struct trace *tr, const struct first_stack **out)
{
    *out = tr->fold.first;
    return tr->parts.bounded ? 0 : tr->fold.nfirst;
}
