/*
 * fam_alone.c - one goroutine works while no other does, in a program that also runs in parallel, or before
 * the first request comes: the serial part is what keeps its processors idle, or its clients waiting. Told
 * from the buckets of trace_gcounts(): those in which about one goroutine ran and hardly any waited for a
 * processor.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

#include <math.h>

enum { LOOKS = 512, PLACES = 32, SPANS = 20000 };

struct place {
    uint32_t user, stack, n;
    struct moment at; /* of one goroutine, by a majority vote */
    int64_t votes;
};
struct alone {
    struct place v[PLACES];
    uint32_t n, looks, asked; /* looks: of those asked, one and the same ran all around */
};

/* The goroutine of the program that runs at t, and where it stands next. */
static void who_at(const struct causes *c, const struct works *w, int64_t t, struct alone *a)
{
    for (uint32_t p = 0; p < c->tg->np; p++) {
        struct span s, g;
        if (!trace_span_at(c->tr, lane_p(p), t, &s) || s.state != ST_RUNNING || s.who >= c->tg->ng ||
            c->tg->groups[c->tg->group_of[s.who]].is_system || !trace_span_at(c->tr, lane_g(s.who), t, &g))
            continue;
        struct shares around;
        const int64_t half = threshold_ns(TH_ALONE_STRETCH) / 2;
        trace_shares(c->tr, lane_g(s.who), t - half > 0 ? t - half : 0, t + half, &around);
        a->asked++;
        if (around.ns[ST_RUNNING] < half * 2 / 5 * 4)
            return; /* now one, now another */
        const uint32_t user = g.stack_end ? owner_func(w->own, g.stack_end) : trace_g_name(c->tr, s.who);
        const uint32_t k = find_first(i, a->n, a->v[i].user == user);
        a->looks++;
        if (k == PLACES)
            return;
        struct place *v = &a->v[k];
        a->n += k == a->n;
        v->user = user;
        v->stack = v->n++ ? v->stack : g.stack_end;
        v->at = v->votes ? v->at : (struct moment){g.t0, g.t1, s.who, NO_LANE};
        v->votes += v->at.g == s.who ? 1 : -1;
        return;
    }
}

/* What a goroutine waits: asleep (ns), and how often for goroutines that it created. */
struct waits {
    double slept;
    uint32_t for_own;
};

static struct waits waits_of(const struct causes *c, uint32_t g)
{
    struct waits n = {0};
    each_pair(s, next, c->tr, g, SPANS) {
        const bool waits = s->state == ST_WAITING;
        const bool sleeps = waits && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SLEEP;
        n.slept += sleeps ? (double)(s->t1 - s->t0) : 0;
        n.for_own +=
            waits && next->state == ST_RUNNABLE && trace_lane_who(c->tr, lane_g(next->who)).creator == g;
    }
    return n;
}

/*
 * Is it one goroutine's part of a program of which others run as well: for some of the trace, or for a moment
 * in each of many rounds? Not if it sleeps in between (it has time to spare), nor if only the collector runs
 * beside it, nor if it is now one of many, now another.
 */
static bool is_part(const struct causes *c, const struct alone *a, uint32_t best, bool parallel)
{
    const uint32_t g = a->v[best].at.g;
    const struct gstat st = gstat_of(c->tg, g);
    double others = -(double)st.ns[GM_EXEC];
    for (uint32_t i = 0; i < c->tg->ngroups; i++)
        others += c->tg->groups[i].is_system ? 0 : (double)c->tg->groups[i].ns[GM_EXEC];
    const struct waits w = waits_of(c, g);
    parallel &= others >= threshold(TH_NOTED) * c->procs * (double)c->tg->end;
    return (double)a->v[best].votes >= (1 - threshold(TH_ALONE_SHARE)) * a->v[best].n &&
           (parallel || w.for_own >= threshold(TH_MANY)) &&
           w.slept < threshold(TH_ALONE_SHARE) * (double)st.ns[GM_LIFE];
}

/* Returns when the first request or task begins; -1: the program has none. */
static int64_t first_asked(const struct works *all)
{
    int64_t first = -1;
    each_of(w, all->v, all->n)
        for (uint32_t k = 0; work_awaited(w) && work_counts(w) && k < w->looked; k++)
            first = first < 0 || w->v[k].t0 < first ? w->v[k].t0 : first;
    return first;
}

bool fam_alone(struct causes *c, const struct works *w, struct verdicts *out)
{
    const struct gbucket *b;
    int64_t width;
    const size_t n = trace_gcounts(c->tr, &width, &b);
    const double first = width > 0 ? (double)first_asked(w) / (double)width : -1;
    double alone = 0, parallel = 0, row = 0, before = 0;
    const double least =
        width > 0 ? (double)threshold_ns(TH_ALONE_STRETCH) / (double)width : 0; /* buckets in a row */
    struct alone a = {.n = 0};
    for (size_t i = 0; i < n && width > 0; i++) {
        const double ran = (double)b[i].ns[GC_RUNNING] / (double)width,
                     queue = (double)b[i].ns[GC_RUNNABLE] / (double)width;
        const bool one = round(ran) == 1 && round(queue) == 0;
        row = one ? row + 1 : 0;
        alone += row == 0 || row < least ? 0 : row - 1 < least ? row : 1;
        before = (double)i < first ? alone : before;
        parallel += ran >= c->procs / 2 && round(ran) > 1;
        if (one && row >= least && (i % (n / LOOKS + 1) == 0 || a.looks < 16))
            who_at(c, w, (int64_t)i * width + width / 2, &a);
    }
    const double same = a.asked ? (double)a.looks / a.asked : 0, share = n ? same * alone / (double)n : 0;
    const bool starts = before >= threshold(TH_MOST) * alone && before >= threshold(TH_MOST) * first;
    if (c->procs < 2 || share < threshold(TH_ALONE_SHARE) || !a.n)
        return true;
    const uint32_t best = find_most(k, a.n, a.v[k].n);
    if (!starts && !is_part(c, &a, best, parallel >= threshold(TH_NOTED) * (double)n))
        return true;
    struct verdict v = verdict_new(RULE_ALONE, share, verdict_place(w, a.v[best].stack));
    v.where.user = a.v[best].user;
    verdict_shows(&v, a.v[best].at.g, a.v[best].at.t0, a.v[best].at.t1);
    verdict_ev(&v, EV_SHARE, share);
    verdict_ev(&v, EV_IDLE, c->idle);
    verdict_ev(&v, EV_PROCS, c->procs);
    v.level = share >= threshold(TH_SEVERE) ? LEVEL_WARN : LEVEL_NOTE;
    return verdict_add(out, &v);
}
