/* fam_calls.c - system calls that keep a thread each, child processes, and timers by the thousand. */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { ROWS = 64, MEMBERS = 512 };

/* How many goroutines of the group of the longest call are in a call at the same place at that moment. */
static uint32_t crowd_of(const struct causes *c, const struct works *w, const struct wait_row *r)
{
    const struct site at = verdict_place(w, r->stack);
    const int64_t t = r->longest.t0 + (r->longest.t1 - r->longest.t0) / 2;
    uint32_t n = 0;
    struct span s;
    each_member(g, c, causes_group_of(c, r->longest.g), MEMBERS)
        n += trace_span_at(c->tr, lane_g(g), t, &s) && s.state == ST_SYSCALL && s.stack &&
             verdict_place(w, s.stack).user == at.user;
    return n;
}

static bool calls(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->nsyscalls && i < ROWS; i++) {
        const struct wait_row *r = &c->tg->syscalls[i];
        const bool child = stacks_may(c->tr, r->stack, STACK_CHILD);
        if (r->blocking < 4 || r->count == 0)
            continue;
        struct verdict v = verdict_new(child ? RULE_CHILDREN : RULE_BLOCKING, 0, verdict_place(w, r->stack));
        verdict_shows(&v, r->longest.g, r->longest.t0, r->longest.t1);
        verdict_ev(&v, EV_COUNT, (double)r->count);
        verdict_ev(&v, EV_EACH, (double)r->total / (double)r->count);
        if (child) {
            verdict_in_works(w, &v, 0);
            v.score = v.harm.share;
            const bool tiny = v.ev[EV_EACH] <= (double)threshold_ns(TH_CHILD_EACH);
            v.level = v.harm.share >= threshold(TH_SHARE) && r->count >= 8 && tiny ? LEVEL_WARN : LEVEL_NOTE;
            ok = v.harm.share < threshold(TH_SHARE) || verdict_add(out, &v);
            continue;
        }
        const uint32_t crowd = crowd_of(c, w, r);
        verdict_ev(&v, EV_CROWD, crowd);
        ok = crowd < threshold(TH_MANY) || verdict_add(out, &v);
    }
    return ok;
}

static bool storm(struct causes *c, const struct works *w, struct verdicts *out)
{
    each_of(p, c->tg->pairs, works_pairs(c)) {
        const double rate = c->tg->end > 0 ? (double)p->count * 1e9 / (double)c->tg->end : 0;
        const bool timer = p->kind == WK_SLEEP || (p->from_scheduler && wait_on_channel(p->kind));
        if (!timer || rate < threshold(TH_STORM_RATE))
            continue;
        struct verdict v = verdict_new(RULE_STORM, 0, verdict_place(w, p->stack));
        verdict_shows(&v, p->longest.g, p->longest.t0, p->longest.t1);
        verdict_ev(&v, EV_RATE, rate);
        verdict_ev(&v, EV_COUNT, (double)p->count);
        v.level = LEVEL_WARN;
        if (!verdict_add(out, &v))
            return false;
    }
    return true;
}

bool fam_calls(struct causes *c, const struct works *w, struct verdicts *out)
{
    return calls(c, w, out) && storm(c, w, out);
}
