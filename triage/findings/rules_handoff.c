/*
 * rules_handoff.c - two stages that wait for each other by turns over channels, so that neither has work for most of
 * the time. Where something else is short (rules_service.c), that is told instead.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"

#define TURNS threshold(TH_HAND_TURNS)
#define WAITED threshold(TH_HAND_WAITED)
#define GROUPS 24 /* the largest */

/* What a group runs, of its life: waiting for a processor is part of a turn, not of its work. */
static double runs_of(const struct causes *c, uint32_t g)
{
    const struct group *x = &c->tg->groups[g];
    int64_t own = ns_add(x->d[GM_EXEC].total, x->d[GM_SYSCALL].total);
    return x->d[GM_LIFE].total > 0 ? (double)own / (double)x->d[GM_LIFE].total : 0;
}

static void turns(struct causes *c, uint32_t a, uint32_t b)
{
    const struct group_life *x = &c->life[a], *y = &c->life[b];
    int64_t xy, yx, first = x->first > y->first ? x->first : y->first, last = x->last < y->last ? x->last : y->last;
    uint64_t nxy, nyx, n;
    const struct pair_row *p = waits_between(c, a, b, &xy, &nxy), *q = waits_between(c, b, a, &yx, &nyx);
    double top = runs_of(c, a) > runs_of(c, b) ? runs_of(c, a) : runs_of(c, b), span = (double)(last - first);
    struct draft d;
    n = nxy < nyx ? nxy : nyx;
    if (!p || !q || span <= 0 || (double)n < TURNS ||
        ((double)n / span * 1e9 < threshold(TH_HAND_RATE) && (double)(xy + yx) < span / 2) ||
        top > threshold(TH_BOTTLE_BUSY) || x->n > threshold(TH_HAND_MEMBERS) || y->n > threshold(TH_HAND_MEMBERS) ||
        c->idle < threshold(TH_BOTTLE_IDLE) || (double)xy < WAITED * span || (double)yx < WAITED * span ||
        (double)(x->by[WK_SLEEP] + y->by[WK_SLEEP]) > threshold(TH_HAND_ELSE) * span ||
        (double)(x->by[WK_NET] + y->by[WK_NET]) > threshold(TH_HAND_ELSE) * span ||
        span < threshold(TH_HAND_SPAN) * (double)c->tg->end) {
        return;
    }
    draft_start(&d, RULE_HANDOFF, (int64_t)(span * (1 - top) * 0.8));
    draft_about(&d, c->rs, causes_place(c->tr, p->stack) ? causes_place(c->tr, p->stack) : c->tg->groups[a].name,
                p->stack);
    draft_moment(&d, &p->longest);
    text_add(&d.amount, "%llu turns", (unsigned long long)n);
    text_say(&d.text, c->tr,
             t_func(causes_place(c->tr, p->stack) ? causes_place(c->tr, p->stack) : c->tg->groups[a].name), " and ",
             t_func(causes_place(c->tr, q->stack) ? causes_place(c->tr, q->stack) : c->tg->groups[b].name),
             " wait for each other in turn, ", t_f0((double)n / span * 1e9), " times a second: the first waited for ",
             t_share((double)xy, span), " of the time (", t_dur(xy / (int64_t)nxy), " each), the second for ",
             t_share((double)yx, span), " (", t_dur(yx / (int64_t)nyx),
             " each), and the busier of them had work for ", t_share(top, 1), " only.");
    const bool locked = locked_text(&d, c, a) || locked_text(&d, c, b);
    text_add(&d.next,
             "Pass more at once, or buffer the channel between them, so that neither waits for the other's step.%s",
             locked ? "" : " A goroutine locked to its thread makes each turn costlier.");
    draft_end(c->rs, &d);
}

static bool takes_turns(const struct causes *c, uint32_t g)
{
    const struct group_life *l = &c->life[g];
    return l->program && l->n <= threshold(TH_HAND_MEMBERS) && c->tg->groups[g].count <= 64 &&
           l->life > c->tg->end / 8;
}

void rules_handoff(struct causes *c)
{
    for (uint32_t a = 0; a < c->tg->ngroups && a < GROUPS && !c->saturated; a++) {
        for (uint32_t b = a + 1; b < c->tg->ngroups && b < GROUPS; b++) {
            if (takes_turns(c, a) && takes_turns(c, b)) {
                turns(c, a, b);
            }
        }
    }
}
