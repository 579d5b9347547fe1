/*
 * shares_of.c - see shares_of.h. Of a set of which each takes one, whoever gives back while others wait lets one in, always. Waits are
 * kept by when they begin, with the latest end so far: so it is told in one search whether somebody waited all through a turn, and whether
 * anybody that came before was passed over.
 */
#include "triage/findings/shares_of.h"

#include <stdlib.h>

#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define MEMBERS 64
#define STEPS 20000
#define WAITS (1u << 15)
#define AT_ONCE 200000 /* ns: who are let in together */

struct wait {
    int64_t t0, t1, until; /* until: the latest t1 of all that begin no later */
    int64_t next;          /* when the same goroutine waits there again: its turn is over by then */
    uint32_t g, by;
};
struct waits {
    struct wait *v;
    size_t n, cap;
};

static int by_begin(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return x->t0 != y->t0 ? (x->t0 > y->t0) - (x->t0 < y->t0) : (x->g > y->g) - (x->g < y->g);
}

static int by_waker(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return x->by != y->by   ? (x->by > y->by) - (x->by < y->by)
           : x->t1 != y->t1 ? (x->t1 > y->t1) - (x->t1 < y->t1)
                            : (x->g > y->g) - (x->g < y->g);
}

/* Of one goroutine the waits there that another one ended. false: out of memory. */
static bool waits_of(struct causes *c, uint32_t g, uint32_t place, int64_t since, struct waits *w)
{
    struct walk k;
    struct span last = {.state = ST_NONE};
    const size_t from = w->n;
    walk_at(&k, c->tr, g, since, STEPS);
    for (const struct span *s; w->n < WAITS && (s = walk_next(&k)); last = *s) {
        if (last.state == ST_WAITING && s->state == ST_RUNNABLE && s->who < c->tg->ng &&
            causes_place(c->tr, last.stack) == place) {
            struct wait *v = mem_grow(w->v, &w->cap, w->n + 1, sizeof *v);
            if (!v) {
                c->rs->failed = true;
                return false;
            }
            w->v = v;
            if (w->n > from) {
                v[w->n - 1].next = last.t0;
            }
            v[w->n++] = (struct wait){.t0 = last.t0, .t1 = last.t1, .g = g, .by = s->who, .next = INT64_MAX};
        }
    }
    return true;
}

/* How many of the waits by begin began before t. */
static size_t before(const struct waits *w, int64_t t)
{
    size_t lo = 0, hi = w->n;
    while (lo < hi) {
        const size_t m = lo + (hi - lo) / 2;
        if (w->v[m].t0 < t) {
            lo = m + 1;
        } else {
            hi = m;
        }
    }
    return lo;
}

static bool all_through(const struct waits *w, int64_t t0, int64_t t1)
{
    const size_t n = before(w, t0);
    return n && w->v[n - 1].until >= t1;
}

/* How many waits g ended in [t0,t1); `ends`: by who ended them. */
static uint32_t let_in(const struct waits *ends, uint32_t g, int64_t t0, int64_t t1)
{
    size_t lo = 0, hi = ends->n;
    uint32_t n = 0;
    while (lo < hi) {
        const size_t m = lo + (hi - lo) / 2;
        const struct wait *v = &ends->v[m];
        if (v->by < g || (v->by == g && v->t1 < t0)) {
            lo = m + 1;
        } else {
            hi = m;
        }
    }
    for (; lo < ends->n && ends->v[lo].by == g && ends->v[lo].t1 < t1; lo++) {
        n++;
    }
    return n;
}

static bool counted(struct waits *w, struct waits *ends, struct shares_of *out)
{
    int64_t until = INT64_MIN;
    qsort(w->v, w->n, sizeof *w->v, by_begin);
    qsort(ends->v, ends->n, sizeof *ends->v, by_waker);
    for (size_t i = 0; i < w->n; i++) {
        out->passed += until > w->v[i].t1 && until - w->v[i].t1 > AT_ONCE;
        until = w->v[i].t1 > until ? w->v[i].t1 : until;
        w->v[i].until = until;
    }
    for (size_t i = 0; i < w->n; i++) {
        const struct wait *v = &w->v[i];
        if (v->next != INT64_MAX && all_through(w, v->t1, v->next)) {
            const uint32_t n = let_in(ends, v->g, v->t1, v->next);
            out->turns++;
            out->none += n == 0;
            out->many += n >= threshold(TH_LETGO_SET);
        }
    }
    out->waits = (uint32_t)w->n;
    return (double)out->passed <= (1 - threshold(TH_OWN_IN_ORDER)) * (double)w->n;
}

void shares_text(struct text *t, struct text *next, const struct trace *tr, const struct shares_of *s)
{
    text_say(t, tr, " What they wait for is handed out in shares, first come, first served (inferred): of ", s->turns,
             " releases while somebody was waiting, ", s->none, " let nobody in and ", s->many,
             " let in several at once. The first in line wants more than is free, and everyone behind it waits until "
             "enough is released.");
    text_lit(next, "Let whoever needs a large share take less at a time, or give it a separate pool, so that the "
                   "others need not queue behind it.");
}

/* The longest wait of the group's there, which is looked around. */
static struct moment longest_there(const struct causes *c, uint32_t group, uint32_t place)
{
    struct moment m = {.g = NO_LANE};
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waiter == c->tg->groups[group].name && p->longest.t1 - p->longest.t0 > m.t1 - m.t0 &&
            causes_place(c->tr, p->stack) == place) {
            m = p->longest;
        }
    }
    return m;
}

bool shares_of(struct causes *c, uint32_t group, uint32_t place, struct shares_of *out)
{
    struct waits w = {0}, ends = {0};
    bool ok = c->of[group].n <= MEMBERS; /* all of them: else who lets nobody in might have let in another */
    const struct moment m = longest_there(c, group, place);
    const int64_t from = m.g < c->tg->ng ? walk_around(c->tr, m.g, m.t0, STEPS) : 0;
    *out = (struct shares_of){0};
    for (uint32_t i = 0; ok && i < c->of[group].n; i++) {
        ok = waits_of(c, causes_nth(c, group, i), place, from, &w);
    }
    ends.v = ok && w.n ? mem_alloc(w.n * sizeof *ends.v) : NULL;
    if (ends.v) {
        memcpy(ends.v, w.v, w.n * sizeof *w.v);
        ends.n = w.n;
        ok = counted(&w, &ends, out);
    }
    mem_free(ends.v);
    mem_free(w.v);
    return ok && out->turns && (double)out->many >= threshold(TH_LETGO_SETS) &&
           (double)out->none >= threshold(TH_OWN_NOBODY) * (double)out->turns &&
           (double)out->turns >= threshold(TH_BOTTLE_WAITS);
}
