/*
 * fam_looks.c - goroutines that sleep again and again and then look whether there is something to do: now
 * there is not, and now there is. What comes waits for half of such a sleep. A goroutine that does its thing
 * after each sleep keeps a pace: it has something to do each time.
 */
#include <stdlib.h>

#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { STEPS = 4000, MEMBERS = 16, RUNS = 512 };

struct runs { /* how long it ran after a sleep */
    int64_t ns[RUNS];
    uint32_t n;
};
struct looks {
    uint32_t stack, sleeps, g;         /* stack: of the sleep; g: who slept longest */
    int64_t seen, asleep, longest, t0; /* seen: of their lives; longest: a sleep, from t0 on */
    struct runs vain, found;
};

static void runs_add(struct runs *r, int64_t ns)
{
    if (r->n < RUNS)
        r->ns[r->n++] = ns;
}

static double usual(struct runs *r)
{
    qsort(r->ns, r->n, sizeof *r->ns, cmp_ns);
    return r->n ? (double)r->ns[r->n / 2] : 0;
}

/* The looks of one goroutine: from one sleep to the next it only runs, for a short time, or does more. */
static void looks_of(const struct causes *c, uint32_t g, struct looks *k)
{
    int64_t ran = 0;
    bool more = false, slept = false;
    each_walked(s, c->tr, g, STEPS) {
        k->seen = ns_add(k->seen, s->t1 - s->t0);
        const bool sleeps = s->state == ST_WAITING && s->stack && (!k->stack || s->stack == k->stack) &&
                            stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SLEEP;
        if (!sleeps) {
            slept &= s->state != ST_NONE;
            more |= s->state == ST_WAITING || s->state == ST_SYSCALL;
            ran = ns_add(ran, s->state == ST_RUNNING ? s->t1 - s->t0 : 0);
            continue;
        }
        k->stack = s->stack;
        if (slept)
            runs_add(more || ran >= threshold_ns(TH_LOOKS_RUN) ? &k->found : &k->vain, ran);
        k->sleeps++;
        k->asleep = ns_add(k->asleep, s->t1 - s->t0);
        if (s->t1 - s->t0 > k->longest) {
            k->longest = s->t1 - s->t0;
            k->t0 = s->t0;
            k->g = g;
        }
        slept = true;
        more = false;
        ran = 0;
    }
}

/* Whether it is now in vain and now not, and what it does then is much more. */
static bool is_look(struct looks *k)
{
    const double n = (double)k->vain.n + k->found.n, least = threshold(TH_SHARE) * n;
    return n >= threshold(TH_MANY) && k->found.n >= threshold(TH_SEVERAL) && k->found.n >= least &&
           k->vain.n >= least && usual(&k->found) >= threshold(TH_LINE_TIMES) * usual(&k->vain);
}

bool fam_looks(struct causes *c, const struct works *w, uint32_t work, struct verdicts *out)
{
    const struct work *p = &w->v[work];
    struct looks k = {.g = NO_LANE};
    each_member(g, c, p->standing && p->kind != WORK_MAIN ? p->group : UINT32_MAX, MEMBERS)
        looks_of(c, g, &k);
    if (!is_look(&k) || (double)k.asleep < threshold(TH_MOST) * (double)k.seen)
        return true;
    struct verdict v = verdict_new(RULE_LOOKS, (double)k.asleep / (double)k.seen, verdict_place(w, k.stack));
    v.waiter = (struct role){.group = p->name, .g = k.g, .at = v.where};
    verdict_shows(&v, k.g, k.t0, k.t0 + k.longest);
    v.sure = SURE_INFERRED;
    verdict_ev(&v, EV_EACH, (double)k.asleep / k.sleeps);
    verdict_ev(&v, EV_COUNT, k.vain.n + k.found.n);
    verdict_ev(&v, EV_SHARE, (double)k.vain.n / (k.vain.n + k.found.n));
    return verdict_add(out, &v);
}
