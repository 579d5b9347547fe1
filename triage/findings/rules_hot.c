/*
 * rules_hot.c - most of what a program's work takes is its own running, and most of that is inside one function: that function is what to
 * change. A trace knows of it by the moments inside runs that have a stack (moments.c).
 */
#include "triage/findings/causes.h"
#include "triage/findings/works.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/story.h"

#include <math.h>

/* Of what the work takes: it runs, or waits for a processor. */
static double own_part(const struct leaves *v)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const uint8_t cat = v->v[i].cat;
        const bool own = cat == EX_RUN || cat == EX_ASSIST || cat == EX_SCHED || cat == EX_NOBODY;
        ns = own ? ns_add(ns, v->v[i].ns) : ns;
    }
    return v->all > 0 ? (double)ns / (double)v->all : 0;
}

/* Is it what allocates most, which is told of it already? */
static bool allocates(const struct causes *c, const struct inside *in)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if ((f->rule == RULE_GC_SHARE || f->rule == RULE_GC_ASSIST) && story_says(c->rs, f, in->func)) {
            return true;
        }
    }
    return false;
}

/* Is it told already what these goroutines do to others: that some of them sleep, or have long work before short? That says more. */
static bool told_closer(const struct causes *c, uint32_t group)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        const bool its = f->lane.kind == LANE_G && f->lane.i < c->tg->ng && gstat_group(c->tg->g, f->lane.i) == group;
        if (its && (f->rule == RULE_POLL || f->rule == RULE_LINE)) {
            return true;
        }
    }
    return false;
}

/* Moments are a sample: so much of all that runs may it be, with 97 % certainty, if so many of so many are. */
static double at_most(double n, double all)
{
    const double p = n / all, hi = p + 2 * sqrt(p * (1 - p) / all);
    return hi < 1 ? hi : 1;
}

bool hot_begin(struct draft *d, const struct causes *c, uint32_t group, const struct leaves *v, double in_flight)
{
    struct inside in;
    const double own = own_part(v);
    if (own < threshold(TH_HOT_OWN) || !moments_inside(c, group, &in) ||
        (double)in.all < threshold(TH_TIME_MOMENTS) || allocates(c, &in) || told_closer(c, group)) {
        return false;
    }
    const double part = own * (double)in.n / (double)in.all;
    draft_start(d, RULE_HOT, (int64_t)(part * in_flight));
    draft_about(d, c->rs, in.func, in.stack);
    d->f.note = d->f.queued = true;
    d->f.won_hi = (int64_t)(own * at_most((double)in.n, (double)in.all) * in_flight);
    text_share(&d->amount, (double)in.n, (double)in.all);
    inside_text(&d->text, c, group, &in);
    text_lit(&d->text, " ");
    if (inside_panics(&in)) {
        text_lit(&d->next, "Return an error instead where this is usual: each panic unwinds the stack and runs what "
                           "is deferred on it; recover is for what should not happen. ");
    } else {
        text_lit(&d->next, "Do less there: check first whether its result is needed, cache it, or make it cheaper. ");
    }
    text_lit(&d->next, "A CPU profile shows which of its lines take the time.");
    return true;
}
