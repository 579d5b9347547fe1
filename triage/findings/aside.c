/*
 * aside.c - goroutines that work beside what a program is for: a server whose requests wait neither for them nor for those that wait for
 * them. That they take one thing after the other may be meant, so that what is asked has the processors.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

bool causes_aside(const struct causes *c, uint32_t works, uint32_t waits)
{
    const uint32_t main_lane = trace_find_lane(c->tr, LANE_G, 1);
    const uint32_t own = main_lane < c->tg->ng ? trace_g_name(c->tr, main_lane) : 0;
    const uint32_t a = c->tg->groups[works].name, b = c->tg->groups[waits].name;
    int64_t others = 0, mains = 0;
    if (!calls_accept(c) || a == own || b == own || calls_serves(c, c->member[c->of[waits].at])) {
        return false;
    }
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->from_scheduler || (p->waker != a && p->waker != b) || p->waiter == a || p->waiter == b) {
            continue;
        }
        if (p->waiter == own && p->count == 1) { /* the program's end waits until they are done */
            mains = ns_add(mains, p->total);
        } else {
            others = ns_add(others, p->total);
        }
    }
    return !threshold_reached(TH_CALLS_FOR, others, c->tg->end) &&
           !threshold_reached(TH_CALLS_OTHERS, mains, c->tg->end);
}

void causes_aside_text(struct draft *d, const struct causes *c, uint32_t waits)
{
    d->f.note = true;
    d->f.severity_ns = 0;
    text_lit(&d->text, " The process answers connections, and none of these waits for ");
    text_func(&d->text, c->tr, c->tg->groups[waits].name, 0);
    text_lit(&d->text, ": in the background one after the other may be meant.");
}
