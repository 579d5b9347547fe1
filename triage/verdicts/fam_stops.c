/* fam_stops.c - the world is stopped: by the program's own calls, or by the collector for long. */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/allocs.h"
#include "triage/verdicts/verdict.h"

enum { LOOKED = 20000, STEPS = 8 };

static bool of_tracing(const struct triage *tg, uint32_t kind)
{
    return str_is(trace_str(tg->tr, kind), "start trace") || str_is(trace_str(tg->tr, kind), "stop trace");
}

/* Who asks for stops of that kind (string), or for collections (0), if most were asked for: the place of most
 * of them. */
static struct site asks_for(const struct causes *c, const struct works *w, uint32_t kind, uint32_t *g)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, kind ? RANGE_STW : RANGE_GC, &r);
    struct site best = {0};
    int64_t votes = 0;
    for (size_t i = 0; i < n && i < LOOKED; i++) {
        const uint32_t stack = kind ? r[i].stack : gc_begun_at(c->tr, &r[i]);
        const bool asked = stack && (kind || stacks_may(c->tr, stack, STACK_COLLECTS));
        const struct site p = asked ? verdict_place(w, stack) : (struct site){0};
        if (kind && r[i].name != kind)
            continue;
        best = votes > 0 ? best : p;
        *g = votes > 0 ? *g : r[i].owner;
        votes += best.user == p.user ? 1 : -1;
    }
    return best;
}

/* Before Go 1.22: where the one that stops it stands next. */
static struct site stands_next(const struct causes *c, const struct works *w, const struct moment *stop)
{
    each_between(s, c->tr, stop->g, stop->t1, INT64_MAX, STEPS)
        if (s->stack && s->state != ST_RUNNABLE)
            return verdict_place(w, s->stack);
    return (struct site){0};
}

bool fam_stops(struct causes *c, const struct works *w, struct verdicts *out)
{
    each_of(r, c->tg->stw, c->tg->nstw) {
        const double share = (double)r->total / (double)c->tg->end;
        const int64_t longest = r->longest.t1 - r->longest.t0;
        if (of_tracing(c->tg, r->kind) ||
            (share < threshold(TH_NOTED) && !(r->is_gc && longest >= threshold_ns(TH_STW_LONGEST))))
            continue;
        struct verdict v = verdict_new(r->is_gc ? RULE_STW : RULE_STW_ASKED, share, (struct site){0});
        v.holder.at = asks_for(c, w, r->is_gc ? 0 : r->kind, &v.holder.g);
        if (r->is_gc && !verdict_own(w, v.holder.at))
            v.holder.at = (struct site){0};
        if (!r->is_gc && !v.holder.at.user && r->longest.g != NO_LANE) {
            v.holder.g = r->longest.g;
            v.holder.at = stands_next(c, w, &r->longest);
        }
        v.where = v.holder.at;
        v.kind = r->kind;
        verdict_shows(&v, r->longest.g, r->longest.t0, r->longest.t1);
        verdict_ev(&v, EV_COUNT, (double)r->count);
        verdict_ev(&v, EV_TOTAL, (double)r->total);
        verdict_ev(&v, EV_LONGEST, (double)longest);
        v.level = share >= threshold(TH_NOTED) && !r->is_gc ? LEVEL_WARN : LEVEL_NOTE;
        if (!verdict_add(out, &v))
            return false;
    }
    return true;
}
