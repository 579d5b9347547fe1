/*
 * rules_inside.c - is the other side of a wait for the network in this process? A trace does not say who is at the other end of a connection.
 * But where a goroutine that serves one writes an answer just before a wait ends, again and again and far oftener than by chance, it is
 * that answer which is waited for: the time is this process's, and told where it is spent.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"

#include <math.h>
#include <stdlib.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

#define ANSWERS 65536 /* of which it is known when, at most */
#define SPANS 1000000 /* looked at for them */
#define GROUPS 64
#define MEMBERS 64 /* of each */
#define WALKED 16  /* goroutines that wait */
#define STEPS 20000
#define WAITS 256

struct answer {
    int64_t t;
    uint32_t g;
};
struct answers {
    struct answer *v;
    size_t n;
    uint32_t spans;
};

static int cmp_answer(const void *a, const void *b)
{
    const struct answer *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : (x->g > y->g) - (x->g < y->g);
}

static void answers_by(const struct causes *c, uint32_t g, struct answers *a)
{
    struct span_iter it;
    uint32_t last = 0;
    bool sends = false, more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    for (; more && a->n < ANSWERS && a->spans < SPANS; more = span_next(&it), a->spans++) {
        const struct span *s = span_get(&it);
        if (s->state != ST_SYSCALL || !s->stack) {
            continue;
        }
        sends = s->stack == last ? sends : causes_sends(c->tr, s->stack);
        last = s->stack;
        if (sends) {
            a->v[a->n++] = (struct answer){s->t0, g};
        }
    }
}

/* Or was it there before the trace, who accepted it unseen, and reads first and answers before it reads again? */
static bool looks_asked(const struct causes *c, uint32_t group)
{
    const uint32_t g = c->of[group].n ? causes_nth(c, group, 0) : NO_LANE;
    if (g == NO_LANE || !c->life[group].program || !c->life[group].by[WK_NET] ||
        trace_lane(c->tr, (struct lane){LANE_G, g}).created) {
        return false;
    }
    return meant_for_questions(c, g, calls_first_place(c, g));
}

static bool answers_of(const struct causes *c, struct answers *a)
{
    *a = (struct answers){.v = mem_alloc(ANSWERS * sizeof *a->v)};
    for (uint32_t i = 0; a->v && i < c->tg->ngroups && i < GROUPS; i++) {
        const uint32_t n = c->of[i].n < MEMBERS ? c->of[i].n : MEMBERS;
        const bool serves = calls_group_serves(c, i) || looks_asked(c, i);
        for (uint32_t m = 0; serves && m < n; m++) {
            answers_by(c, causes_member(c, i, m, MEMBERS), a);
        }
    }
    if (a->v && a->n) {
        qsort(a->v, a->n, sizeof *a->v, cmp_answer);
    }
    return a->v != NULL;
}

/* Does another begin to write an answer within so long before t? */
static bool answered(const struct answers *a, uint32_t g, int64_t t, int64_t within)
{
    size_t lo = 0;
    bisect(lo, a->n, i, a->v[i].t <= t); /* the first later than t */
    for (; lo > 0 && a->v[lo - 1].t >= t - within; lo--) {
        if (a->v[lo - 1].g != g) {
            return true;
        }
    }
    return false;
}

bool calls_answered_inside(struct causes *c, const struct waits_at *p)
{
    const uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    const int64_t within = threshold_ns(TH_INSIDE_WITHIN);
    struct answers a;
    uint32_t n = 0, met = 0;
    if (!answers_of(c, &a)) {
        c->rs->failed = true;
        return false;
    }
    for (uint32_t i = 0; a.n && i < c->of[group].n && i < WALKED && n < WAITS; i++) {
        const uint32_t g = causes_member(c, group, i, WALKED);
        struct span_iter it;
        bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
        for (int k = 0; more && k < STEPS && n < WAITS; k++, more = span_next(&it)) {
            const struct span *s = span_get(&it);
            if (s->state == ST_WAITING && !s->open_end && s->t1 - s->t0 > 2 * within &&
                stacks_wait_kind(c->tr, s->reason, s->stack) == p->most->kind &&
                causes_place(c->tr, s->stack) == p->place) {
                n++;
                met += answered(&a, g, s->t1, within);
            }
        }
    }
    const double chance = 1 - exp(-(double)a.n * (double)within / (double)c->tg->end);
    mem_free(a.v);
    return (double)n >= threshold(TH_CALLS_WAITS) && met >= threshold(TH_INSIDE_MET) * n &&
           met >= threshold(TH_INSIDE_CHANCE) * chance * n;
}
