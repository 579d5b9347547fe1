/* fam_stops.c - the world is stopped: by the program's own calls, or by the collector for long. */
#include "triage/findings/thresholds.h"
#include "triage/tables/allocs.h"
#include "triage/verdicts/verdict.h"

enum { LOOKED = 20000 };

static bool of_tracing(const struct triage *tg, uint32_t kind)
{
    return str_is(trace_str(tg->tr, kind), "start trace") || str_is(trace_str(tg->tr, kind), "stop trace");
}

/* Who asks for stops of that kind: the place of most of them. */
static struct site asks_for(const struct causes *c, const struct works *w, const struct stw_row *row,
                            uint32_t *g)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, RANGE_STW, &r);
    struct site best = {0};
    int64_t votes = 0;
    for (size_t i = 0; i < n; i++) {
        if (r[i].name == row->kind && r[i].stack) {
            const struct site p = verdict_place(w, r[i].stack);
            best = votes > 0 ? best : p;
            *g = votes > 0 ? *g : r[i].owner;
            votes += best.user == p.user ? 1 : -1;
        }
    }
    if (!best.user &&
        row->longest.g != NO_LANE) { /* before Go 1.22: where the one that stops it stands next */
        struct span s;
        *g = row->longest.g;
        if (trace_span_at(c->tr, lane_g(*g), row->longest.t1, &s)) {
            for (struct span_iter it = {.tr = NULL}; span_seek_on(&it, c->tr, lane_g(*g), row->longest.t1);) {
                for (int k = 0; k < 8 && !best.user; k++) {
                    const struct span *at = span_get(&it);
                    best = at->stack && at->state != ST_RUNNABLE ? verdict_place(w, at->stack) : best;
                    if (!span_next(&it))
                        break;
                }
                break;
            }
        }
    }
    return best;
}

/* Who asks for collections, if most were asked for: the place in the program of most of them. */
static struct site collects(const struct causes *c, const struct works *w, uint32_t *g)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, RANGE_GC, &r);
    struct site best = {0};
    int64_t votes = 0;
    for (size_t i = 0; i < n && i < LOOKED; i++) {
        const uint32_t stack = gc_begun_at(c->tr, &r[i]);
        const bool asked = stack && stacks_may(c->tr, stack, STACK_COLLECTS);
        const struct site p = asked ? verdict_place(w, stack) : (struct site){0};
        best = votes > 0 ? best : p;
        *g = votes > 0 ? *g : r[i].owner;
        votes += best.user == p.user ? 1 : -1;
    }
    return verdict_own(w, best) ? best : (struct site){0};
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
        v.holder.at = r->is_gc ? collects(c, w, &v.holder.g) : asks_for(c, w, r, &v.holder.g);
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
