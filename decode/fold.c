/*
 * fold.c - see fold.h.
 *
 * Invariants:
 * - A goroutine that runs or holds a P in a system call is named by that P (p->g) and by its M (m->g), and names
 *   them (g->p, g->m). Every transition first undoes, then makes these bindings; after it the lanes of the P and the
 *   M concerned are brought up to date by p_show() and m_show(), which alone decide what those lanes say.
 * - Back-dating: the first span of a lane that existed before the trace starts at 0, whatever the time of the event
 *   that told of it. ginfo.seen keeps that time, because Go's own reader shows nothing before it.
 */
#include "decode/fold.h"

#include <stdlib.h>
#include <string.h>

#include "decode/mem.h"

/* ---- growing ---------------------------------------------------------------------------------------------- */

static bool grow(struct fold *f, void *arrayp, size_t *cap, size_t need, size_t size)
{
    void *p;
    memcpy(&p, arrayp, sizeof p);
    if (need <= *cap && p)
        return true;
    p = mem_grow(p, cap, need, size);
    if (!p) {
        f->oom = true;
        return false;
    }
    memcpy(arrayp, &p, sizeof p);
    return true;
}

static bool lane_room(struct fold *f, enum lane_kind k, uint32_t i)
{
    if (i < f->nlane[k])
        return true;
    /* Indices are given out densely; a gap would be a reader's mistake, not the file's. */
    size_t need = (size_t)i + 1, was = f->nlane[k];
    if (k != LANE_M && !grow(f, &f->lane[k], &f->caplane[k], need, sizeof(struct spanlane)))
        return false;
    if (k == LANE_G && !grow(f, &f->g, &f->capg, need, sizeof *f->g))
        return false;
    if (k == LANE_P && !grow(f, &f->p, &f->capp, need, sizeof *f->p))
        return false;
    if (k == LANE_M && !grow(f, &f->m, &f->capm, need, sizeof *f->m))
        return false;
    if (k != LANE_M)
        memset(&f->lane[k][was], 0, (need - was) * sizeof(struct spanlane));
    for (size_t j = was; j < need; j++) {
        if (k == LANE_G)
            f->g[j] = (struct ginfo){.no_p_since = NO_TIME, .creator = NO_LANE, .p = EV_NONE, .m = EV_NONE};
        else if (k == LANE_P)
            f->p[j] = (struct pinfo){.g = EV_NONE, .m = EV_NONE};
        else if (k == LANE_M)
            f->m[j] = (struct minfo){.g = EV_NONE, .p = EV_NONE};
    }
    f->nlane[k] = need;
    return true;
}

static bool push_open(struct fold *f, uint32_t **open, size_t *n, size_t *cap, uint32_t index)
{
    if (!grow(f, open, cap, *n + 1, sizeof **open))
        return false;
    (*open)[(*n)++] = index;
    return true;
}

/* ---- tags ------------------------------------------------------------------------------------------------- */

static inline uint32_t tag_of(struct fold *f, uint8_t state, uint32_t reason)
{
    if (!reason)
        return f->tag[state];
    unsigned k = reason & 7;
    if (f->recent[state][k].reason != reason) {
        f->recent[state][k].tag = pool_tag(&f->pool, state, reason, 0);
        f->recent[state][k].reason = reason;
    }
    return f->recent[state][k].tag;
}

/* ---- the lanes of Ps and Ms ------------------------------------------------------------------------------- */

static inline void lane_set(struct fold *f, enum lane_kind k, uint32_t i, int64_t t, uint32_t tag, uint32_t who)
{
    struct spanlane *l = &f->lane[k][i];
    if (!l->begun) {
        spans_begin(l, t, tag, who, 0);
        return;
    }
    if (l->tag == tag && l->who == who)
        return;
    if (l->t0 >= t) { /* nothing lasted: the later word counts */
        l->tag = tag;
        l->who = who;
        return;
    }
    if (k == LANE_P && t - l->t0 > f->p[i].longest)
        f->p[i].longest = t - l->t0;
    spans_push(&f->pool, k, l, t, tag, who, 0);
}

static inline uint8_t busy_state(const struct fold *f, uint32_t g, uint32_t p)
{
    const struct ginfo *gi = &f->g[g];
    if (gi->state == ST_SYSCALL)
        return ST_SYSCALL;
    if (gi->assist)
        return ST_ASSIST;
    if (p != EV_NONE && f->p[p].sweep)
        return ST_SWEEP;
    return gi->flags & GI_GCWORK ? ST_GCWORK : ST_RUNNING;
}

static __attribute__((noinline)) void p_show(struct fold *f, uint32_t p, int64_t t)
{
    const struct pinfo *pi = &f->p[p];
    uint8_t s = pi->state;
    if (s == ST_SCHED && pi->g != EV_NONE)
        s = busy_state(f, pi->g, p);
    else if (s == ST_SCHED && pi->sweep)
        s = ST_SWEEP;
    lane_set(f, LANE_P, p, t, f->tag[s], pi->g + 1); /* EV_NONE + 1 is 0: none */
}

static __attribute__((noinline)) void m_show(struct fold *f, uint32_t m, int64_t t)
{
    const struct minfo *mi = &f->m[m];
    const struct hold *h = mi->lane.n ? &mi->lane.h[mi->lane.n - 1] : NULL;
    if ((!h || h->p != mi->p || (mi->p == EV_NONE && h->g != mi->g)) && !holds_set(f, m, t, mi->p, mi->g))
        f->oom = true;
}

/* show - the P and M a goroutine is on. */
static inline void show_on(struct fold *f, uint32_t p, uint32_t m, int64_t t)
{
    if (p != EV_NONE)
        p_show(f, p, t);
    if (m != EV_NONE)
        m_show(f, m, t);
}

/* ---- goroutines by state ---------------------------------------------------------------------------------- */

static const uint8_t gcount_of[ST_COUNT] = {
    [ST_RUNNABLE] = GC_RUNNABLE + 1, [ST_RUNNING] = GC_RUNNING + 1, [ST_SYSCALL] = GC_SYSCALL + 1, [ST_WAITING] = GC_WAITING + 1,
};

/* What back-dating adds: a goroutine told of at t was there since 0. Gathered per bucket, added up when read. */
struct gback {
    uint64_t part[GC_COUNT]; /* sum of (t - start of the bucket) */
    uint32_t n[GC_COUNT];
};

static void gcount_back(struct fold *f, uint8_t state, int64_t t)
{
    unsigned k = gcount_of[state];
    if (!k-- || (!f->back && !(f->back = mem_zalloc(GB_MAX * sizeof *f->back)))) {
        f->oom = f->oom || k < GC_COUNT;
        return;
    }
    size_t i = (size_t)(t >> f->gb_shift);
    if (i >= GB_MAX)
        return;
    f->back[i].n[k]++;
    f->back[i].part[k] += (uint64_t)(t - ((int64_t)i << f->gb_shift));
}

void fold_back_counts(struct fold *f)
{
    if (!f->back)
        return;
    uint64_t later[GC_COUNT] = {0}, width = (uint64_t)1 << f->gb_shift;
    for (size_t i = GB_MAX; i-- > 0;)
        for (int k = 0; k < GC_COUNT; k++) {
            const struct gback *b = &f->back[i];
            f->gb[i].ns[k] += later[k] * width + b->part[k];
            uint64_t max = f->gb[i].max[k] + later[k];
            f->gb[i].max[k] = max > UINT32_MAX ? UINT32_MAX : (uint32_t)max;
            later[k] += b->n[k];
        }
    mem_free(f->back);
    f->back = NULL;
}

/* Merge pairs of buckets until t has one. */
static void gcount_widen(struct fold *f, int64_t t)
{
    fold_back_counts(f);
    while (t >> f->gb_shift >= GB_MAX) {
        for (size_t i = 0; i < GB_MAX / 2; i++) {
            struct gbucket a = f->gb[2 * i];
            const struct gbucket *b = &f->gb[2 * i + 1];
            for (int k = 0; k < GC_COUNT; k++) {
                a.ns[k] += b->ns[k];
                a.max[k] = a.max[k] > b->max[k] ? a.max[k] : b->max[k];
            }
            f->gb[i] = a;
        }
        memset(&f->gb[GB_MAX / 2], 0, GB_MAX / 2 * sizeof *f->gb);
        f->gb_shift++;
    }
}

/* Bring all integrals up to t, which may lie in a later bucket than the last time. */
static void gcount_until(struct fold *f, int64_t t)
{
    if ((uint64_t)t >= (uint64_t)GB_MAX << f->gb_shift)
        gcount_widen(f, t);
    for (int k = 0; k < GC_COUNT; k++) {
        int64_t at = f->glast[k];
        for (size_t i = (size_t)(at >> f->gb_shift); at < t; i++) {
            uint64_t edge = (uint64_t)(i + 1) << f->gb_shift;
            int64_t next = edge < (uint64_t)t ? (int64_t)edge : t;
            f->gb[i].ns[k] += f->gnow[k] * (uint64_t)(next - at);
            if (f->gnow[k] > f->gb[i].max[k])
                f->gb[i].max[k] = (uint32_t)f->gnow[k];
            at = next;
        }
        if (at > f->glast[k])
            f->glast[k] = at;
    }
    f->ngb = (size_t)(t >> f->gb_shift) + 1;
    uint64_t edge = (uint64_t)f->ngb << f->gb_shift;
    f->gb_end = edge > INT64_MAX ? INT64_MAX : (int64_t)edge;
}

/*
 * While a run of events is folded, the last bucket counts ahead: as if nothing changed any more up to its end. A
 * transition then only moves what is left of the bucket from one state to the other. Between two runs the counts
 * end at f->end, as readers want them. (Unsigned: what goes ahead is taken back to the last bit.)
 */
static void gcount_ahead(struct fold *f)
{
    for (int k = 0; k < GC_COUNT; k++) {
        f->gb[f->ngb - 1].ns[k] += f->gnow[k] * (uint64_t)(f->gb_end - f->glast[k]);
        f->glast[k] = f->gb_end;
    }
}

/* The counts as they are now lasted within the last bucket: none is above its highest. */
static void gcount_lasted(struct fold *f)
{
    struct gbucket *gb = &f->gb[f->ngb - 1];
    for (int k = 0; k < GC_COUNT; k++)
        if (f->gnow[k] > gb->max[k])
            gb->max[k] = (uint32_t)f->gnow[k];
}

static void gcount_back_to(struct fold *f, int64_t t)
{
    struct gbucket *gb = &f->gb[f->ngb - 1];
    for (int k = 0; k < GC_COUNT; k++) {
        gb->ns[k] -= f->gnow[k] * (uint64_t)(f->gb_end - t);
        f->glast[k] = t;
    }
    if (t > (int64_t)(f->ngb - 1) << f->gb_shift)
        gcount_lasted(f);
}

static __attribute__((noinline)) void gcount_next_bucket(struct fold *f, int64_t t)
{
    gcount_lasted(f);
    gcount_until(f, t);
    gcount_ahead(f);
}

/* One goroutine goes from one state to another at t: only these two counts change. */
static inline void gcount_move(struct fold *f, uint8_t from, uint8_t to, int64_t t)
{
    unsigned a = gcount_of[from], b = gcount_of[to];
    if (a == b)
        return;
    if (__builtin_expect(t >= f->gb_end, 0))
        gcount_next_bucket(f, t);
    struct gbucket *gb = &f->gb[f->ngb - 1];
    uint64_t left = (uint64_t)(f->gb_end - t);
    if (a-- && f->gnow[a]) {
        gb->ns[a] -= left;
        if (__builtin_expect(f->gnow[a] > gb->max[a], 0) && t > (int64_t)(f->ngb - 1) << f->gb_shift)
            gb->max[a] = (uint32_t)f->gnow[a];
        f->gnow[a]--;
    }
    if (b--) {
        gb->ns[b] += left;
        if (++f->gnow[b] > gb->max[b])
            gb->max[b] = (uint32_t)f->gnow[b];
    }
}

/* ---- goroutines ------------------------------------------------------------------------------------------- */

static bool str_is(const struct fold *f, uint32_t id, const char *want)
{
    struct str s = names_get(f->names, id);
    return s.len == strlen(want) && !memcmp(s.p, want, s.len);
}

static bool str_starts(struct str s, const char *with)
{
    size_t n = strlen(with);
    return s.len >= n && !memcmp(s.p, with, n);
}

/* Goroutines the runtime starts for itself: all of package runtime, but for what runs user code in its name. */
static bool name_is_system(struct str s)
{
    if (str_starts(s, "runtime.main") || str_starts(s, "runtime.handleAsyncEvent"))
        return false;
    return str_starts(s, "runtime.") || str_starts(s, "runtime/trace.");
}

static void g_name(struct fold *f, uint32_t g, uint32_t name, bool inferred)
{
    struct ginfo *gi = &f->g[g];
    if (!name || (gi->name && !(gi->flags & GI_INFERRED && !inferred) && !(inferred && gi->name == f->str_main)))
        return;
    gi->name = name;
    if (!f->str_main && str_is(f, name, "runtime.main"))
        f->str_main = name; /* stacks leave it out: main.main says more */
    gi->flags = (uint8_t)((gi->flags & ~(GI_INFERRED | GI_SYSTEM)) | (inferred ? GI_INFERRED : 0));
    if (name_is_system(names_get(f->names, name)))
        gi->flags |= GI_SYSTEM;
    if (name == f->str_gcworker || (!f->str_gcworker && str_is(f, name, "runtime.gcBgMarkWorker"))) {
        f->str_gcworker = name;
        gi->flags |= GI_GCWORK;
    }
}

static void first_stack(struct fold *f, const struct ev *e, uint32_t stack)
{
    if (stack && f->nfirst < FIRST_STACKS)
        f->first[f->nfirst++] = (struct first_stack){e->t, e->g, stack};
}

static void g_regions_end(struct fold *f, uint32_t g, int64_t t);

/* g is on this P and M from now on (EV_NONE: on none); undo what was. The lanes are brought up to date by show_on(). */
static inline void g_bind(struct fold *f, uint32_t g, uint32_t p, uint32_t m)
{
    struct ginfo *gi = &f->g[g];
    if (gi->p != p && gi->p != EV_NONE && f->p[gi->p].g == g)
        f->p[gi->p].g = EV_NONE;
    if (gi->m != m && gi->m != EV_NONE && f->m[gi->m].g == g)
        f->m[gi->m].g = EV_NONE;
    gi->p = p;
    gi->m = m;
    if (p != EV_NONE) {
        f->p[p].g = g;
        f->p[p].state = ST_SCHED;
        if (m != EV_NONE)
            f->p[p].m = m;
    }
    if (m != EV_NONE) {
        f->m[m].g = g;
        f->m[m].p = p;
    }
}

/* A system call's time without a P. */
static void no_p_time(struct ginfo *gi, uint8_t state, uint32_t p, int64_t t)
{
    if (gi->no_p_since != NO_TIME)
        gi->no_p += t - gi->no_p_since;
    gi->no_p_since = state == ST_SYSCALL && p == EV_NONE ? t : NO_TIME;
}

/* Put g into e->state at time t (the lane's; back-dated or not). */
static __attribute__((noinline)) void g_transition(struct fold *f, const struct ev *e, int64_t t, uint32_t who,
                                                  uint32_t stack)
{
    struct ginfo *gi = &f->g[e->g];
    struct spanlane *l = &f->lane[LANE_G][e->g];
    uint32_t p0 = gi->p, m0 = gi->m, p = EV_NONE, m = EV_NONE;
    uint8_t from = gi->state, to = e->state;
    if (to == ST_RUNNING || to == ST_SYSCALL) {
        p = e->p;
        m = e->m;
    }
    g_bind(f, e->g, p, m);
    if (from == ST_SYSCALL || to == ST_SYSCALL)
        no_p_time(gi, to, p, t);
    gcount_move(f, from, to, f->end);
    if (t < e->t)
        gcount_back(f, to, e->t);
    gi->state = to;
    if (to == ST_NONE) {
        if (l->begun && !l->ended)
            spans_end(&f->pool, LANE_G, l, t);
        gi->flags |= GI_ENDED;
        if (gi->region)
            g_regions_end(f, e->g, t);
    } else if (!l->begun) {
        spans_begin(l, t, tag_of(f, to, e->str), who, stack);
    } else if (!l->ended) { /* else a reader's mistake: ended goroutines get new indices */
        spans_push(&f->pool, LANE_G, l, t, tag_of(f, to, e->str), who, stack);
    }
    if (p0 != EV_NONE && p0 != p)
        p_show(f, p0, t);
    if (m0 != EV_NONE && m0 != m)
        m_show(f, m0, t);
    /* Back-dated: a lane that has gone on since then shows it from now on. */
    if (p != EV_NONE)
        p_show(f, p, f->lane[LANE_P][p].begun && (f->lane[LANE_P][p].t0 > t || f->p[p].held > t) ? e->t : t);
    if (m != EV_NONE) {
        const struct mlane *ml = &f->m[m].lane;
        m_show(f, m, ml->n && ml->h[ml->n - 1].t0 > t ? e->t : t);
    }
}

static void g_meet(struct fold *f, const struct ev *e, uint8_t flags)
{
    struct ginfo *gi = &f->g[e->g];
    if (gi->flags & GI_KNOWN)
        return;
    gi->id = e->arg;
    gi->seen = e->t;
    gi->flags |= (uint8_t)(GI_KNOWN | flags);
}

static void on_g_create(struct fold *f, const struct ev *e)
{
    g_meet(f, e, GI_CREATED);
    struct ginfo *gi = &f->g[e->g];
    gi->creator = e->by;
    gi->create_stack = e->stack;
    gi->start_stack = e->stack2;
    /* The start stack has one frame: the function the goroutine begins in. */
    g_name(f, e->g, names_frame(f->names, e->stack2, 0).func, false);
    if (e->flags & EVF_OWN_STACK)
        first_stack(f, e, e->stack2);
    struct ev x = *e;
    if (e->state != ST_SYSCALL)
        x.p = x.m = EV_NONE; /* where the creator runs */
    g_transition(f, &x, e->t, e->state == ST_RUNNABLE && e->by != EV_NONE ? e->by + 1 : 0, e->stack);
}

static void on_g_status(struct fold *f, const struct ev *e)
{
    bool known = f->g[e->g].flags & GI_KNOWN;
    if (e->flags & EVF_OWN_STACK)
        first_stack(f, e, e->stack);
    if (e->stack)
        g_name(f, e->g, names_root_func(f->names, e->stack), true);
    if (e->stack2) /* first family: the snapshot names the start function */
        g_name(f, e->g, names_frame(f->names, e->stack2, 0).func, false), f->g[e->g].start_stack = e->stack2;
    if (known && f->lane[LANE_G][e->g].begun && f->g[e->g].state == e->state)
        return;
    g_meet(f, e, 0);
    struct spanlane *l = &f->lane[LANE_G][e->g];
    bool early = e->flags & EVF_BACKDATE && !l->begun;
    int64_t t = early ? 0 : e->t;
    if (early)
        l->backdated = true;
    g_transition(f, e, t, e->state == ST_RUNNING || e->state == ST_SYSCALL ? e->p + 1 : 0, e->stack);
    show_on(f, e->p, e->m, e->t); /* bindings hold from now on, whatever t was */
}

static inline void on_g_state(struct fold *f, const struct ev *e)
{
    uint32_t who = 0;
    if (e->state == ST_RUNNING || e->state == ST_SYSCALL)
        who = e->p + 1;
    else if (e->state == ST_RUNNABLE && e->flags & EVF_WOKEN)
        who = e->by + 1;
    if (e->stack && !(e->flags & EVF_WOKEN) && e->flags & EVF_OWN_STACK) {
        if (!f->g[e->g].name || f->g[e->g].name == f->str_main)
            g_name(f, e->g, names_root_func(f->names, e->stack), true);
        if (f->nfirst < FIRST_STACKS)
            first_stack(f, e, e->stack);
    }
    g_transition(f, e, e->t, who, e->stack);
}

/* Does its own stack still have something to tell: g's name, or one of the trace's first stacks? */
static inline bool stack_tells(const struct fold *f, const struct ginfo *gi, const struct ev *e)
{
    return e->stack && (e->flags & (EVF_OWN_STACK | EVF_WOKEN)) == EVF_OWN_STACK &&
           (!gi->name || gi->name == f->str_main || f->nfirst < FIRST_STACKS);
}

/*
 * Nearly all events: a known goroutine starts on a P, enters or leaves a system call with it. What g_transition()
 * does, without what can't matter here. false: it isn't that simple, and nothing has changed.
 */
static inline __attribute__((always_inline)) bool g_run(struct fold *f, const struct ev *e, uint8_t to)
{
    uint32_t g = e->g, p = e->p, m = e->m;
    if (g >= f->nlane[LANE_G] || p >= f->nlane[LANE_P] || m >= f->nlane[LANE_M])
        return false;
    struct ginfo *gi = &f->g[g];
    struct spanlane *l = &f->lane[LANE_G][g], *pl = &f->lane[LANE_P][p];
    struct pinfo *pi = &f->p[p];
    struct minfo *mi = &f->m[m];
    if (!l->begun || l->ended || !pl->begun || (gi->p != p && gi->p != EV_NONE) ||
        (gi->m != m && gi->m != EV_NONE) || stack_tells(f, gi, e))
        return false;
    uint8_t from = gi->state;
    bool m_same = mi->p == p; /* whoever changes it tells m_show() */
    gi->p = mi->p = p;
    gi->m = pi->m = m;
    pi->g = mi->g = g;
    pi->state = ST_SCHED;
    gi->state = to;
    if (gi->no_p_since != NO_TIME)
        no_p_time(gi, to, p, e->t);
    gcount_move(f, from, to, f->end);
    spans_push(&f->pool, LANE_G, l, e->t, tag_of(f, to, e->str), p + 1, e->stack);
    lane_set(f, LANE_P, p, e->t, f->tag[busy_state(f, g, p)], g + 1);
    if (!m_same)
        m_show(f, m, e->t);
    return true;
}

/* The other half: it stops, blocks, or is woken. */
static inline __attribute__((always_inline)) bool g_leave(struct fold *f, const struct ev *e, uint8_t to)
{
    uint32_t g = e->g;
    if (g >= f->nlane[LANE_G] || (uint32_t)(e->by + 1) > f->nlane[LANE_G] || (e->p & e->m) != EV_NONE)
        return false;
    struct ginfo *gi = &f->g[g];
    struct spanlane *l = &f->lane[LANE_G][g];
    uint32_t p = gi->p, m = gi->m;
    uint8_t from = gi->state;
    if (!l->begun || l->ended || from == ST_SYSCALL || stack_tells(f, gi, e))
        return false;
    gi->state = to;
    gcount_move(f, from, to, f->end);
    uint32_t who = e->flags & EVF_WOKEN && to == ST_RUNNABLE ? e->by + 1 : 0;
    spans_push(&f->pool, LANE_G, l, e->t, tag_of(f, to, e->str), who, e->stack);
    if (p != EV_NONE) {
        gi->p = EV_NONE;
        struct pinfo *pi = &f->p[p];
        if (pi->g == g) {
            pi->g = EV_NONE;
            lane_set(f, LANE_P, p, e->t, f->tag[pi->state == ST_SCHED && pi->sweep ? ST_SWEEP : pi->state], 0);
        } else {
            p_show(f, p, e->t);
        }
    }
    if (m != EV_NONE) {
        gi->m = EV_NONE;
        struct minfo *mi = &f->m[m];
        if (mi->g == g)
            mi->g = EV_NONE;
        if (mi->p == EV_NONE)
            m_show(f, m, e->t);
    }
    return true;
}

static void on_g_label(struct fold *f, const struct ev *e)
{
    struct spanlane *l = &f->lane[LANE_G][e->g];
    if (!l->begun || l->ended)
        return;
    struct span_tag t = f->pool.tags[l->tag];
    if (t.state == ST_RUNNING)
        l->tag = pool_tag(&f->pool, t.state, t.reason, e->str);
    struct str s = names_get(f->names, e->str);
    if (str_starts(s, "GC (")) {
        f->g[e->g].flags |= GI_GCWORK;
        show_on(f, f->g[e->g].p, EV_NONE, e->t);
    }
}

/* ---- processors ------------------------------------------------------------------------------------------- */

static void on_p_state(struct fold *f, const struct ev *e)
{
    struct pinfo *pi = &f->p[e->p];
    struct spanlane *l = &f->lane[LANE_P][e->p];
    int64_t t = e->t;
    if (!l->begun) {
        pi->id = e->arg;
        if (e->flags & EVF_BACKDATE && f->procs && e->arg >= f->procs_first) {
            spans_begin(l, 0, f->tag[ST_NONE], 0, 0); /* GOMAXPROCS made it come to be, after the trace began */
            t = f->procs_at;
        } else if (e->flags & EVF_BACKDATE) {
            l->backdated = true;
            t = 0;
        } else if (e->t > 0) {
            spans_begin(l, 0, f->tag[ST_NONE], 0, 0); /* it came to be later */
        }
    }
    if (e->state == ST_IDLE || e->state == ST_NONE) {
        uint32_t g = pi->g, m = pi->m;
        pi->state = f->procs && pi->id >= f->procs ? ST_NONE : e->state;
        pi->g = pi->m = EV_NONE;
        if (g != EV_NONE && f->g[g].p == e->p) {
            f->g[g].p = EV_NONE; /* in a system call that goes on without the P */
            if (f->g[g].state == ST_SYSCALL && f->g[g].no_p_since == NO_TIME)
                f->g[g].no_p_since = e->t;
        }
        p_show(f, e->p, t);
        if (m != EV_NONE && f->m[m].p == e->p) {
            f->m[m].p = EV_NONE;
            m_show(f, m, e->t);
        }
        return;
    }
    pi->state = ST_SCHED;
    pi->m = e->m;
    if (e->m != EV_NONE) {
        struct minfo *mi = &f->m[e->m];
        mi->p = e->p;
        if (e->state == ST_SYSCALL && mi->g != EV_NONE) {
            pi->g = mi->g;
            f->g[mi->g].p = e->p;
        }
        m_show(f, e->m, mi->lane.n ? e->t : t);
    }
    p_show(f, e->p, t);
}

/* ---- ranges ----------------------------------------------------------------------------------------------- */

#define OPEN_T INT64_MAX /* t1 of what is still open; patched when it is read */

static uint32_t *range_slot(struct fold *f, const struct ev *e)
{
    switch (e->state) {
    case RANGE_GC: return &f->gc_open;
    case RANGE_SWEEP: return e->p != EV_NONE ? &f->p[e->p].sweep : NULL;
    case RANGE_ASSIST: return e->g != EV_NONE ? &f->g[e->g].assist : NULL;
    case RANGE_STW:
        if (e->flags & EVF_EXTRA) /* the range's scope is its P */
            return e->p != EV_NONE ? &f->p[e->p].stw : NULL;
        return e->g != EV_NONE ? &f->g[e->g].stw : &f->stw_open;
    default: return NULL;
    }
}

static void band_show(struct fold *f, enum band b, int64_t t, uint32_t name, uint32_t g)
{
    static const uint8_t state[BAND_COUNT] = {ST_GC, ST_STW, ST_SWEEP, ST_ASSIST};
    bool on = f->band_open[b] > 0;
    struct spanlane *l = &f->lane[LANE_BAND][b];
    if (on && f->pool.tags[l->tag].state == state[b])
        return; /* a second one within the first */
    lane_set(f, LANE_BAND, b, t, on ? tag_of(f, state[b], name) : f->tag[ST_NONE], on ? g + 1 : 0);
}

static void range_show(struct fold *f, const struct ev *e)
{
    if (e->state == RANGE_SWEEP && e->p != EV_NONE) {
        p_show(f, e->p, e->t);
    } else if (e->state == RANGE_ASSIST && e->g != EV_NONE) {
        show_on(f, f->g[e->g].p, f->g[e->g].m, e->t);
    }
}

static void on_range_begin(struct fold *f, const struct ev *e)
{
    uint32_t *slot = range_slot(f, e);
    struct vec_range *v = &f->range[e->state];
    if (!slot || *slot)
        return; /* already open: a reader noted it, or it was repeated as active */
    if (!grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v) || !push_open(f, &v->open, &v->nopen, &v->capopen, (uint32_t)v->n))
        return;
    bool early = e->flags & EVF_BACKDATE;
    if (early && v->n)
        v->unsorted = true;
    v->v[v->n++] = (struct range){
        .t0 = early ? 0 : e->t, .t1 = OPEN_T, .seen = e->t, .kind = e->state, .open_start = early, .open_end = true,
        .scope_p = e->state == RANGE_STW && e->flags & EVF_EXTRA,
        .owner = e->state == RANGE_GC ? NO_LANE : e->state == RANGE_SWEEP || (e->state == RANGE_STW && e->flags & EVF_EXTRA) ? e->p : e->g,
        .name = e->str, .stack = e->stack, .a = e->arg, .b = v->nopen - 1};
    *slot = (uint32_t)v->n;
    f->band_open[e->state]++;
    /* A band is drawn from where it is known to be on; a back-dated range that is not the first stays late there. */
    band_show(f, (enum band)e->state, early && f->lane[LANE_BAND][e->state].t0 == 0 ? 0 : e->t, e->str, e->g);
    range_show(f, e);
}

static void open_remove(uint32_t *open, size_t *n, size_t at, struct vec_range *v)
{
    uint32_t last = open[--*n];
    if (at < *n) {
        open[at] = last;
        v->v[last].b = at;
    }
}

static void on_range_end(struct fold *f, const struct ev *e)
{
    uint32_t *slot = range_slot(f, e);
    struct vec_range *v = &f->range[e->state];
    if (!slot)
        return;
    if (!*slot) { /* it began before the trace, and nobody told */
        if (!grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v))
            return;
        bool p_scope = e->state == RANGE_SWEEP || (e->state == RANGE_STW && e->flags & EVF_EXTRA);
        if (v->n)
            v->unsorted = true;
        v->v[v->n++] = (struct range){.t1 = e->t, .kind = e->state, .open_start = true, .name = e->str,
                                      .scope_p = e->state == RANGE_STW && p_scope,
                                      .owner = e->state == RANGE_GC ? NO_LANE : p_scope ? e->p : e->g,
                                      .a = e->arg, .b = e->arg2};
        return;
    }
    struct range *r = &v->v[*slot - 1];
    *slot = 0;
    open_remove(v->open, &v->nopen, (size_t)r->b, v);
    r->t1 = e->t;
    r->open_end = false;
    r->b = e->arg2;
    if (e->state != RANGE_GC)
        r->a = e->arg;
    if (f->band_open[e->state])
        f->band_open[e->state]--;
    band_show(f, (enum band)e->state, e->t, r->name, r->owner);
    range_show(f, e);
}

/* ---- tasks, regions, logs, samples ------------------------------------------------------------------------ */

static void on_task_begin(struct fold *f, const struct ev *e)
{
    struct vec_task *v = &f->tasks;
    struct opentask *o = NULL;
    HASH_FIND(hh, f->opentasks, &e->arg, sizeof e->arg, o);
    if (o || !grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v))
        return;
    o = mem_alloc(sizeof *o);
    if (!o) {
        f->oom = true;
        return;
    }
    *o = (struct opentask){.id = e->arg, .index = (uint32_t)v->n};
    HASH_ADD(hh, f->opentasks, id, sizeof o->id, o);
    v->v[v->n++] = (struct task){.id = e->arg, .parent = e->arg2, .t0 = e->t, .t1 = OPEN_T, .open_end = true, .name = e->str,
                                 .g = e->g, .g_end = NO_LANE, .stack = e->stack};
}

static void on_task_end(struct fold *f, const struct ev *e)
{
    struct vec_task *v = &f->tasks;
    struct opentask *o = NULL;
    HASH_FIND(hh, f->opentasks, &e->arg, sizeof e->arg, o);
    if (o) {
        v->v[o->index].t1 = e->t;
        v->v[o->index].open_end = false;
        v->v[o->index].g_end = e->g;
        HASH_DEL(f->opentasks, o);
        mem_free(o);
        return;
    }
    if (!grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v))
        return;
    if (v->n)
        v->unsorted = true;
    v->v[v->n++] = (struct task){.id = e->arg, .parent = e->arg2, .t1 = e->t, .open_start = true, .name = e->str,
                                 .g = NO_LANE, .g_end = e->g};
}

static void on_region_begin(struct fold *f, const struct ev *e)
{
    struct vec_region *v = &f->regions;
    if (e->g == EV_NONE || !grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v) ||
        !grow(f, &v->prev, &v->capprev, v->n + 1, sizeof *v->prev))
        return;
    struct ginfo *gi = &f->g[e->g];
    v->prev[v->n] = gi->region;
    v->v[v->n++] = (struct region){.task = e->arg, .t0 = e->t, .t1 = OPEN_T, .open_end = true, .g = e->g, .name = e->str,
                                   .stack = e->stack, .depth = gi->depth};
    gi->region = (uint32_t)v->n;
    if (gi->depth < UINT16_MAX)
        gi->depth++;
}

static void on_region_end(struct fold *f, const struct ev *e)
{
    struct vec_region *v = &f->regions;
    if (e->g == EV_NONE)
        return;
    struct ginfo *gi = &f->g[e->g];
    if (gi->region) {
        uint32_t i = gi->region - 1;
        v->v[i].t1 = e->t;
        v->v[i].open_end = false;
        v->v[i].stack_end = e->stack;
        gi->region = v->prev[i];
        if (gi->depth)
            gi->depth--;
        return;
    }
    if (!grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v) || !grow(f, &v->prev, &v->capprev, v->n + 1, sizeof *v->prev))
        return;
    if (v->n)
        v->unsorted = true;
    v->prev[v->n] = 0;
    v->v[v->n++] = (struct region){.task = e->arg, .t1 = e->t, .open_start = true, .g = e->g, .name = e->str, .stack_end = e->stack};
}

/* A goroutine that ends takes its open regions with it. */
static void g_regions_end(struct fold *f, uint32_t g, int64_t t)
{
    struct ginfo *gi = &f->g[g];
    while (gi->region) {
        struct region *r = &f->regions.v[gi->region - 1];
        r->t1 = t;
        r->open_end = false;
        gi->region = f->regions.prev[gi->region - 1];
    }
    gi->depth = 0;
}

static void on_log(struct fold *f, const struct ev *e)
{
    struct vec_log *v = &f->logs;
    if (grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v))
        v->v[v->n++] = (struct logmsg){e->t, e->arg, e->g, e->str, e->stack2, e->stack};
}

static void on_sample(struct fold *f, const struct ev *e)
{
    struct vec_sample *v = &f->samples;
    if (grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v))
        v->v[v->n++] = (struct sample){e->t, e->g, e->p, e->m, e->stack};
}

/* GOMAXPROCS is told: Ps beyond it don't exist, those below it do. A P that still runs goes when it stops. */
static void procs_set(struct fold *f, uint64_t n, int64_t t)
{
    bool same = n == f->procs;
    if (!f->procs)
        f->procs_first = n;
    if (!same)
        f->procs_at = t;
    f->procs = n;
    f->procs_work += f->nlane[LANE_P];
    if (same || f->procs_work > ((uint64_t)1 << 20) + 16 * f->events) /* a file may change it at every event */
        return;
    for (uint32_t i = 0; i < f->nlane[LANE_P]; i++) {
        struct pinfo *pi = &f->p[i];
        bool there = pi->id < n;
        if (!f->lane[LANE_P][i].begun || pi->state != (there ? ST_NONE : ST_IDLE))
            continue;
        pi->state = there ? ST_IDLE : ST_NONE;
        p_show(f, i, t);
    }
}

static void on_metric(struct fold *f, const struct ev *e)
{
    if (e->state == METRIC_PROCS)
        procs_set(f, e->arg, e->t);
    if (e->flags & EVF_QUIET)
        return;
    struct vec_point *v = &f->points[e->state];
    if (!grow(f, &v->v, &v->cap, v->n + 1, sizeof *v->v) || !grow(f, &v->mm, &v->capmm, v->n / MM_BLOCK + 1, sizeof *v->mm))
        return;
    struct minmax *mm = &v->mm[v->n / MM_BLOCK];
    if (v->n % MM_BLOCK == 0)
        *mm = (struct minmax){e->arg, e->arg};
    mm->min = e->arg < mm->min ? e->arg : mm->min;
    mm->max = e->arg > mm->max ? e->arg : mm->max;
    v->v[v->n++] = (struct point){e->t, e->arg};
}

/* ---- the automaton ---------------------------------------------------------------------------------------- */

static const uint8_t class_of[EVK_KINDS] = {
    [EVK_G_CREATE] = EC_TRANSITION, [EVK_G_STATUS] = EC_TRANSITION, [EVK_G_STATE] = EC_TRANSITION,
    [EVK_P_STATE] = EC_TRANSITION, [EVK_G_LABEL] = EC_LABEL, [EVK_RANGE_BEGIN] = EC_RANGE_BEGIN,
    [EVK_RANGE_ACTIVE] = EC_RANGE_ACTIVE, [EVK_RANGE_END] = EC_RANGE_END, [EVK_METRIC] = EC_METRIC,
    [EVK_TASK_BEGIN] = EC_TASK_BEGIN, [EVK_TASK_END] = EC_TASK_END, [EVK_REGION_BEGIN] = EC_REGION_BEGIN,
    [EVK_REGION_END] = EC_REGION_END, [EVK_LOG] = EC_LOG, [EVK_SAMPLE] = EC_SAMPLE, [EVK_M_NEW] = EC_COUNT, [EVK_TICK] = EC_COUNT,
};

/* Room for every lane an event names. EV_NONE + 1 is 0: never too large. */
static inline bool ev_room(struct fold *f, const struct ev *e)
{
    if ((uint32_t)(e->g + 1) <= f->nlane[LANE_G] && (uint32_t)(e->p + 1) <= f->nlane[LANE_P] &&
        (uint32_t)(e->m + 1) <= f->nlane[LANE_M] && (uint32_t)(e->by + 1) <= f->nlane[LANE_G])
        return true;
    return (e->g == EV_NONE || lane_room(f, LANE_G, e->g)) && (e->p == EV_NONE || lane_room(f, LANE_P, e->p)) &&
           (e->m == EV_NONE || lane_room(f, LANE_M, e->m)) && (e->by == EV_NONE || lane_room(f, LANE_G, e->by));
}

static inline void fold_count(struct fold *f, const struct ev *e)
{
    if (e->flags & EVF_QUIET)
        return;
    unsigned c = e->kind == EVK_COUNT_ONLY ? e->state : class_of[e->kind];
    if (c < EC_COUNT) {
        f->count[c]++;
        f->events += !(e->flags & EVF_EXTRA) || e->kind == EVK_RANGE_BEGIN || e->kind == EVK_RANGE_END;
    }
}

static void fold_other(struct fold *f, const struct ev *e)
{
    fold_count(f, e);
    bool has_g = e->g != EV_NONE, has_p = e->p != EV_NONE;
    switch (e->kind) {
    case EVK_G_CREATE: if (has_g) on_g_create(f, e); break;
    case EVK_G_STATUS: if (has_g) on_g_status(f, e); break;
    case EVK_G_LABEL: if (has_g) on_g_label(f, e); break;
    case EVK_P_STATE: if (has_p) on_p_state(f, e); break;
    case EVK_M_NEW:
        if (e->m != EV_NONE)
            f->m[e->m].id = e->arg;
        break;
    case EVK_RANGE_BEGIN:
    case EVK_RANGE_ACTIVE: if (e->state < RANGE_KINDS) on_range_begin(f, e); break;
    case EVK_RANGE_END: if (e->state < RANGE_KINDS) on_range_end(f, e); break;
    case EVK_METRIC: if (e->state < METRIC_COUNT) on_metric(f, e); break;
    case EVK_TASK_BEGIN: on_task_begin(f, e); break;
    case EVK_TASK_END: on_task_end(f, e); break;
    case EVK_REGION_BEGIN: on_region_begin(f, e); break;
    case EVK_REGION_END: on_region_end(f, e); break;
    case EVK_LOG: on_log(f, e); break;
    case EVK_SAMPLE: on_sample(f, e); break;
    default: break;
    }
}


static inline bool g_state_quick(struct fold *f, const struct ev *e)
{
    switch (e->state) {
    case ST_RUNNING: return g_run(f, e, ST_RUNNING);
    case ST_SYSCALL: return g_run(f, e, ST_SYSCALL);
    case ST_RUNNABLE: return g_leave(f, e, ST_RUNNABLE);
    case ST_WAITING: return g_leave(f, e, ST_WAITING);
    default: return false;
    }
}

static __attribute__((noinline)) void fold_slow(struct fold *f, const struct ev *e)
{
    if (!ev_room(f, e))
        return;
    if (e->kind == EVK_G_STATE && e->g != EV_NONE)
        on_g_state(f, e);
    else
        fold_other(f, e);
}

/* plain: counts the transitions that are events of their own. */
static inline void fold_one(struct fold *f, const struct ev *e, uint64_t *plain)
{
    if (e->t > f->end)
        f->end = e->t;
    if (e->kind == EVK_G_STATE) { /* nearly all of them */
        if (__builtin_expect(e->flags & (EVF_QUIET | EVF_EXTRA), 0))
            f->count[EC_TRANSITION] += !(e->flags & EVF_QUIET);
        else
            ++*plain;
        if (!g_state_quick(f, e))
            fold_slow(f, e);
    } else {
        fold_slow(f, e);
    }
}

void fold_events(struct fold *f, const struct ev *ev, size_t n)
{
    if (!f->gb)
        return;
    uint64_t plain = 0;
    gcount_ahead(f);
    for (size_t i = 0; i < n && !f->oom && !f->pool.oom; i++)
        fold_one(f, &ev[i], &plain);
    f->events += plain;
    f->count[EC_TRANSITION] += plain;
    if (f->end < f->gb_end) {
        gcount_back_to(f, f->end);
    } else {
        gcount_lasted(f);
        gcount_until(f, f->end);
    }
    if (f->pool.oom)
        f->oom = true;
}

enum err_code fold_init(struct fold *f, const struct names *names)
{
    memset(f, 0, sizeof *f);
    f->names = names;
    if (pool_init(&f->pool))
        return ERR_NOMEM;
    for (unsigned s = 0; s < ST_COUNT; s++)
        f->tag[s] = pool_tag(&f->pool, (uint8_t)s, 0, 0);
    f->gb_shift = 10;
    f->ngb = 1;
    f->gb_end = 1024;
    f->gb = mem_zalloc(GB_MAX * sizeof *f->gb);
    if (!f->gb || f->pool.oom || !lane_room(f, LANE_BAND, BAND_COUNT - 1))
        return ERR_NOMEM;
    for (int b = 0; b < BAND_COUNT; b++)
        spans_begin(&f->lane[LANE_BAND][b], 0, f->tag[ST_NONE], 0, 0);
    return ERR_OK;
}

#define BY_T0(type) \
    static int type##_by_t0(const void *a, const void *b) \
    { \
        const struct type *x = a, *y = b; \
        return x->t0 != y->t0 ? (x->t0 < y->t0 ? -1 : 1) : x->t1 < y->t1 ? -1 : x->t1 > y->t1; \
    }
BY_T0(range)
BY_T0(task)
BY_T0(region)

void fold_patch_open(struct fold *f)
{
    if (f->finished)
        return;
    for (int k = 0; k < RANGE_KINDS; k++)
        for (size_t i = 0; i < f->range[k].nopen; i++)
            f->range[k].v[f->range[k].open[i]].t1 = f->end;
    struct opentask *o, *tmp;
    HASH_ITER(hh, f->opentasks, o, tmp)
        f->tasks.v[o->index].t1 = f->end;
    for (size_t i = 0; i < f->regions.n; i++)
        if (f->regions.v[i].open_end)
            f->regions.v[i].t1 = f->end;
}

/* Give back what an array's doubling left over. */
static void shrink(void *arrayp, size_t *cap, size_t n, size_t size)
{
    void *p;
    memcpy(&p, arrayp, sizeof p);
    if (!p || !n || *cap == n)
        return;
    p = mem_resize(p, n * size);
    if (p) {
        memcpy(arrayp, &p, sizeof p);
        *cap = n;
    }
}

void fold_finish(struct fold *f)
{
    if (f->finished)
        return;
    fold_patch_open(f);
    fold_back_counts(f);
    f->finished = true;
    for (int k = 0; k < LANE_KINDS; k++)
        for (size_t i = 0; k != LANE_M && i < f->nlane[k]; i++) {
            struct spanlane *l = &f->lane[k][i];
            spans_rest(&f->pool, l);
            if (l->nblk + 1 < l->capblk) { /* give back what doubling left over */
                struct blk *b = mem_resize(l->blk, (l->nblk + 1) * sizeof *b);
                if (b) {
                    l->blk = b;
                    l->capblk = l->nblk + 1;
                }
            }
        }
    for (int k = 0; k < LANE_KINDS; k++)
        shrink(&f->lane[k], &f->caplane[k], f->nlane[k], sizeof(struct spanlane));
    shrink(&f->g, &f->capg, f->nlane[LANE_G], sizeof *f->g);
    for (int k = 0; k < METRIC_COUNT; k++)
        shrink(&f->points[k].v, &f->points[k].cap, f->points[k].n, sizeof(struct point));
    for (int k = 0; k < RANGE_KINDS; k++) {
        struct vec_range *v = &f->range[k];
        shrink(&v->v, &v->cap, v->n, sizeof *v->v);
        if (v->unsorted)
            qsort(v->v, v->n, sizeof *v->v, range_by_t0);
    }
    if (f->tasks.unsorted)
        qsort(f->tasks.v, f->tasks.n, sizeof *f->tasks.v, task_by_t0);
    if (f->regions.unsorted)
        qsort(f->regions.v, f->regions.n, sizeof *f->regions.v, region_by_t0);
}

void fold_free(struct fold *f)
{
    for (int k = 0; k < LANE_KINDS; k++) {
        for (size_t i = 0; k != LANE_M && i < f->nlane[k]; i++) {
            mem_free(f->lane[k][i].blk);
            mem_free(f->lane[k][i].group);
        }
        mem_free(f->lane[k]);
    }
    mem_free(f->g);
    mem_free(f->p);
    for (size_t i = 0; i < f->nlane[LANE_M]; i++)
        holds_free(&f->m[i].lane);
    mem_free(f->m);
    for (int k = 0; k < RANGE_KINDS; k++) {
        mem_free(f->range[k].v);
        mem_free(f->range[k].open);
    }
    struct opentask *o, *tmp;
    HASH_ITER(hh, f->opentasks, o, tmp) {
        HASH_DEL(f->opentasks, o);
        mem_free(o);
    }
    mem_free(f->tasks.v);
    mem_free(f->regions.v);
    mem_free(f->regions.prev);
    mem_free(f->logs.v);
    mem_free(f->samples.v);
    for (int k = 0; k < METRIC_COUNT; k++) {
        mem_free(f->points[k].v);
        mem_free(f->points[k].mm);
    }
    mem_free(f->gb);
    mem_free(f->back);
    pool_free(&f->pool);
    memset(f, 0, sizeof *f);
}
