/* let_go.c - see let_go.h. */
#include "triage/findings/let_go.h"
#include "triage/findings/commits.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define MEMBERS 64  /* goroutines looked at */
#define STEPS 20000 /* spans of each */
#define WAITS (1u << 15)
#define FEW_STEPS 4000  /* spans, where more goroutines are looked at */
#define ONE_RUN 1000000 /* ns, from one to the next */

struct end { /* of a wait: whose, ended by whom, when */
    uint32_t g, by;
    int64_t t;
    uint32_t stack; /* of who ended it */
};
struct ends {
    struct end *v;
    size_t n, cap;
};

static bool ends_add(struct causes *c, struct ends *e, struct end one)
{
    struct end *v = mem_grow(e->v, &e->cap, e->n + 1, sizeof *v);
    if (!v) {
        c->rs->failed = true;
        return false;
    }
    e->v = v;
    v[e->n++] = one;
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : (x->g > y->g) - (x->g < y->g);
}

static int by_waker(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return x->by != y->by ? (x->by > y->by) - (x->by < y->by) : by_time(a, b);
}

/* ---- several locks at one moment ------------------------------------------------------------------------------- */

bool let_go_bursts(struct causes *c, uint32_t place, struct let_go *out)
{
    struct ends e = {0};
    bool ok = true;
    uint64_t all = 0;
    *out = (struct let_go){0};
    for (uint32_t i = 0; ok && i < c->tg->nlock_waits; i++) {
        const struct lock_wait *w = &c->tg->lock_waits[i];
        all += w->place == place;
        if (w->place == place && w->waker < c->tg->ng && stacks_through(c->tr, w->stack, "sync.(*Mutex).Lock") &&
            !stacks_through(c->tr, w->stack, "sync.(*RWMutex).Lock")) { /* who unlocks one of these wakes one */
            ok = ends_add(c, &e, (struct end){w->g, w->waker, w->t1, 0});
        }
    }
    if (ok && e.n) {
        qsort(e.v, e.n, sizeof *e.v, by_waker);
    }
    for (size_t i = 0, k; ok && i < e.n; i = k) {
        for (k = i + 1;
             k < e.n && e.v[k].by == e.v[i].by && (double)(e.v[k].t - e.v[k - 1].t) <= threshold(TH_LETGO_APART);
             k++) {
        }
        if ((double)(k - i) >= threshold(TH_LETGO_LOCKS)) {
            out->bursts++;
            out->waits += (uint32_t)(k - i);
            out->g = e.v[i].by;
        }
    }
    mem_free(e.v);
    return ok && (double)out->bursts >= threshold(TH_LETGO_BURSTS) &&
           (double)out->waits >= threshold(TH_LETGO_SHARE) * (double)all;
}

/* ---- several of a set in one run ------------------------------------------------------------------------------- */

static bool takes_and_gives(const struct causes *c, const struct span *s, uint32_t place)
{
    const enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
    return wait_passes_on(k) && causes_place(c->tr, s->stack) == place;
}

/* Did g wait there, ever, until somebody gave it one? Who only waits out its time limit takes nothing. */
static bool takes_there(const struct causes *c, uint32_t g, uint32_t place)
{
    struct walk w;
    bool waited = false;
    walk_g(&w, c->tr, g, FEW_STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        if (waited && s->state == ST_RUNNABLE && s->who < c->tg->ng) {
            return true;
        }
        waited = s->state == ST_WAITING && takes_and_gives(c, s, place);
    }
    return false;
}

static bool ran_on(const struct causes *c, uint32_t g, int64_t t0, int64_t t1)
{
    struct span_iter it;
    bool more = t1 - t0 <= ONE_RUN && span_seek(&it, c->tr, (struct lane){LANE_G, g}, t0), on = more;
    for (; more && span_get(&it)->t0 < t1; more = span_next(&it)) {
        on &= span_get(&it)->state != ST_WAITING;
    }
    return on;
}

/*
 * How often g waited there, until somebody gave it one, between two moments: so often at least it took some of the
 * set.
 */
static uint32_t took(const struct causes *c, uint32_t g, uint32_t place, int64_t t0, int64_t t1)
{
    struct span_iter it;
    uint32_t n = 0;
    bool woken = false, more = span_seek(&it, c->tr, (struct lane){LANE_G, g}, t1);
    for (int i = 0; more && i < FEW_STEPS && span_get(&it)->t1 > t0; i++, more = span_prev(&it)) {
        const struct span *s = span_get(&it);
        n += woken && s->state == ST_WAITING && takes_and_gives(c, s, place);
        woken = s->state == ST_RUNNABLE && s->who < c->tg->ng;
    }
    return n;
}

static bool ends_there(struct causes *c, uint32_t group, uint32_t place, struct ends *e)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->of[group].n && i < MEMBERS; i++) {
        const uint32_t g = causes_member(c, group, i, MEMBERS);
        struct walk w;
        const struct span *next = walk_first(&w, c->tr, g, FEW_STEPS);
        for (struct span s; ok && e->n < WAITS && walk_pair(&w, &s, &next);) {
            if (next && s.state == ST_WAITING && next->state == ST_RUNNABLE && next->who < c->tg->ng &&
                takes_and_gives(c, &s, place)) {
                ok = ends_add(c, e, (struct end){g, next->who, s.t1, next->stack});
            }
        }
    }
    return ok;
}

bool let_go_together(struct causes *c, uint32_t group, uint32_t place, struct let_go *out)
{
    struct ends e = {0};
    uint64_t taken = 0;
    *out = (struct let_go){.for_all = commits_at(c, group, place) > 0};
    if (out->for_all) {
        return false;
    }
    const bool ok = ends_there(c, group, place, &e);
    if (ok && e.n) {
        qsort(e.v, e.n, sizeof *e.v, by_waker);
    }
    for (size_t i = 0, k; ok && i < e.n; i = k) {
        for (k = i + 1; k < e.n && e.v[k].by == e.v[i].by && ran_on(c, e.v[i].by, e.v[k - 1].t, e.v[k].t); k++) {
        }
        if ((double)(k - i) >= threshold(TH_LETGO_SET) && takes_there(c, e.v[i].by, place)) {
            out->bursts++;
            out->waits += (uint32_t)(k - i);
            out->g = e.v[i].by;
            out->stack = e.v[i].stack;
            taken += took(c, e.v[i].by, place, i && e.v[i - 1].by == e.v[i].by ? e.v[i - 1].t : INT64_MIN, e.v[i].t);
        }
    }
    const size_t all = e.n;
    mem_free(e.v);
    out->for_all = out->stack && causes_place(c->tr, out->stack) == place &&
                   (double)out->waits >= threshold(TH_LETGO_FOR_ALL) * (double)all;
    return ok && (double)out->bursts >= threshold(TH_LETGO_SETS) &&
           (double)taken >= threshold(TH_LETGO_TAKEN) * out->waits &&
           (double)out->waits >= threshold(TH_LETGO_SET_SHARE) * (double)all;
}

/*
 * Does it wait there itself nearly as often as it ends such waits? Of few goroutines, those of the group, it may be
 * so.
 */
static bool takes_too(const struct causes *c, const struct ends *e, uint32_t group, uint32_t g, size_t given)
{
    size_t own = 0;
    for (size_t i = 0; i < e->n && gstat_group(c->tg->g, g) == group; i++) {
        own += e->v[i].g == g;
    }
    return (double)own >= threshold(TH_LETGO_GIVES) * (double)given;
}

struct given {          /* by who hardly ever waits there */
    size_t waits, most; /* ended in all, and by the one that ended most of them */
    uint32_t one, n;    /* that one; and how many of them there are, in the first of crew[] */
    uint32_t crew[LET_GO_CREW];
};

/* own: only by those of the group. */
static void given_by(const struct causes *c, struct ends *e, uint32_t group, bool own, struct given *v)
{
    *v = (struct given){.one = NO_LANE};
    qsort(e->v, e->n, sizeof *e->v, by_waker);
    for (size_t i = 0, k; i < e->n; i = k) {
        for (k = i + 1; k < e->n && e->v[k].by == e->v[i].by; k++) {
        }
        if ((!own || gstat_group(c->tg->g, e->v[i].by) == group) && !takes_too(c, e, group, e->v[i].by, k - i)) {
            v->waits += k - i;
            v->one = k - i > v->most ? e->v[i].by : v->one;
            v->most = k - i > v->most ? k - i : v->most;
            if (v->n < LET_GO_CREW) {
                v->crew[v->n] = e->v[i].by;
            }
            v->n++;
        }
    }
}

/* false: those that hardly ever wait there end fewer than most. */
static bool most_given(struct causes *c, uint32_t group, uint32_t place, bool own, struct given *v)
{
    struct ends e = {0};
    const bool ok = group != UINT32_MAX && c->of[group].n <= MEMBERS && ends_there(c, group, place, &e) && e.n > 0;
    *v = (struct given){.one = NO_LANE};
    if (ok) {
        given_by(c, &e, group, own, v);
        v->one = (double)v->most >= threshold(TH_LETGO_MOST) * (double)e.n ? v->one : NO_LANE;
    }
    mem_free(e.v);
    return ok && (double)v->waits >= threshold(TH_LETGO_MOST) * (double)e.n;
}

bool let_go_gives(struct causes *c, uint32_t group, uint32_t place, uint32_t *one)
{
    struct given v;
    const bool gives = most_given(c, group, place, false, &v);
    *one = v.one;
    return gives;
}

uint32_t let_go_crew(struct causes *c, uint32_t group, uint32_t place, uint32_t crew[LET_GO_CREW])
{
    struct given v;
    if (!most_given(c, group, place, true, &v) || v.n > LET_GO_CREW) {
        return 0;
    }
    memcpy(crew, v.crew, sizeof v.crew);
    return v.n;
}

/* Of who gives back the function that called what does so for all. */
static uint32_t giver_frame(const struct trace *tr, uint32_t stack)
{
    const uint32_t at = stacks_user_frame(tr, stack), n = trace_stack(tr, stack);
    for (uint32_t i = at + 1; i < n; i++) {
        const uint32_t func = trace_frame(tr, stack, i).func;
        if (stacks_is_program(tr, func) && func != trace_frame(tr, stack, at).func) {
            return i;
        }
    }
    return at;
}

void let_go_together_text(struct text *t, struct text *next, const struct causes *c, const struct let_go *l)
{
    text_say(t, c->tr, t_calls(l->stack, giver_frame(c->tr, l->stack), 2),
             " holds several at once and releases them together (inferred): ", l->bursts, " times it ended ",
             t_f0((double)l->waits / l->bursts),
             " waits for them on average in one run, without waiting in between. ");
    text_lit(next, "Release each as soon as it is no longer needed: a defer inside a loop runs when the function "
                   "ends, not at each iteration.");
}

/* ---- a set of one ---------------------------------------------------------------------------------------------- */

static bool ends_of(struct causes *c, uint32_t g, const struct pair_row *p, uint32_t place, int64_t from,
                    struct ends *e)
{
    struct walk w;
    walk_at(&w, c->tr, g, from, STEPS);
    const struct span *next = walk_next(&w);
    for (struct span s; e->n < WAITS && walk_pair(&w, &s, &next);) {
        if (next && s.state == ST_WAITING && next->state == ST_RUNNABLE && next->who < c->tg->ng &&
            causes_place(c->tr, s.stack) == place && stacks_wait_kind(c->tr, s.reason, s.stack) == p->kind &&
            !ends_add(c, e, (struct end){g, next->who, s.t1, next->stack})) {
            return false;
        }
    }
    return true;
}

bool let_go_is_lock(struct causes *c, const struct pair_row *p, uint32_t place)
{
    const uint32_t group = causes_group(c, p->waiter);
    struct ends e = {0};
    size_t chained = 0;
    const int64_t from = walk_around(c->tr, p->longest.g, p->longest.t0, STEPS);
    bool ok = group != UINT32_MAX && c->of[group].n <= MEMBERS; /* all of them: a chain has no gaps */
    for (uint32_t i = 0; ok && i < c->of[group].n; i++) {
        ok = ends_of(c, causes_nth(c, group, i), p, place, from, &e);
    }
    if (ok && e.n) {
        qsort(e.v, e.n, sizeof *e.v, by_time);
    }
    for (size_t i = 1; ok && i < e.n; i++) {
        chained += e.v[i].by == e.v[i - 1].g;
    }
    mem_free(e.v);
    return ok && e.n > 1 && (double)e.n >= threshold(TH_POOL_WAITS) &&
           (double)chained >= threshold(TH_POOL_ONE) * (double)(e.n - 1);
}
