/*
 * rules_begun.c - goroutines that are begun one by one though the host could do many at a time: who begins them waits, where it
 * begins them, until one of those before is done. A semaphore, errgroup's SetLimit(1), a WaitGroup within the loop.
 *
 * What tells it from a pool that is too small: the one that waits and those it waits for are parent and children.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

struct begun {
    const struct pair_row *p;
    uint32_t children; /* group */
    int64_t waited;
    uint64_t count;
};

static bool may_be_begun(const struct pair_row *p)
{
    return !p->from_scheduler && p->waker != p->waiter &&
           (p->kind == WK_SEND || p->kind == WK_RECV || p->kind == WK_SELECT || p->kind == WK_COND ||
            p->kind == WK_WAITGROUP);
}

/* Were most of a group's goroutines begun by one of that start function, in the function that waits? */
static bool begun_by(const struct causes *c, uint32_t group, const struct pair_row *p)
{
    enum { ASKED = 32 };
    const uint32_t n = c->of[group].n, step = n > ASKED ? n / ASKED : 1, place = causes_place(c->tr, p->stack);
    uint32_t asked = 0, yes = 0;
    for (uint32_t i = 0; i < n; i += step, asked++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, c->member[c->of[group].at + i]});
        yes += li.created && li.creator < c->tg->ng &&
               trace_lane(c->tr, (struct lane){LANE_G, li.creator}).name == p->waiter &&
               causes_place(c->tr, li.create_stack) == place;
    }
    return asked && yes * 4 >= asked * 3;
}

/* Does who begins them begin others beside each, in the same function? Then it waits for all of a lot. */
static bool begun_in_lots(const struct causes *c, uint32_t group, const struct pair_row *p)
{
    uint64_t others = 0;
    for (uint32_t i = 0; i < c->tg->ngroups && i < 256; i++) {
        const bool may = i != group && c->life[i].program && c->of[i].n;
        others += may && begun_by(c, i, p) ? c->of[i].n : 0;
    }
    return others * 2 >= c->of[group].n;
}

int64_t begun_longest(const struct causes *c, const struct finding *f)
{
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t g =
            f->stack && p->stack == f->stack && may_be_begun(p) ? causes_group(c, p->waker) : UINT32_MAX;
        if (g != UINT32_MAX && begun_by(c, g, p)) {
            return c->tg->groups[g].d[GM_LIFE].max;
        }
    }
    return 0;
}

static void begun_finding(struct causes *c, const struct begun *l)
{
    const uint32_t waits = causes_group(c, l->p->waiter);
    const struct group_life *y = &c->life[l->children];
    const struct group *g = &c->tg->groups[l->children];
    const double span = (double)(y->last - y->first);
    const double share = (double)l->waited / span < 1 ? (double)l->waited / span : 1;
    struct draft d;
    draft_start(&d, RULE_POOL, (int64_t)(span * share * c->idle / (y->n + c->idle)));
    draft_subject(&d, c->rs, causes_place(c->tr, l->p->stack));
    draft_at(&d, l->p->longest.t0, l->p->longest.t1, LANE_G, l->p->longest.g);
    d.f.stack = l->p->stack;
    d.f.inferred = true;
    d.f.note = y->n > threshold(TH_BEGUN_NOTE);
    text_add(&d.amount, "%.1f at a time", y->n);
    text_say(&d.text, c->tr, t_place(l->p->stack, 3), " began ", g->count, " goroutines of ", t_func(g->name),
             " and waited there for ", t_share(share, 1), " of that time (", l->count,
             " waits) until one of them was done: ", t_f1(y->n), " of them were there at a time, while ",
             t_f1(c->idle), " of ", t_f0(c->procs), " processors had nothing to do.");
    if (waits != UINT32_MAX && causes_aside(c, l->children, waits)) {
        causes_aside_text(&d, c, waits);
        text_lit(&d.next, "Leave it, or, if it is to be over sooner: ");
    }
    text_add(&d.next,
             "%set more of them be at work at once: a higher limit, or waiting behind the loop and not in it.",
             d.next.n ? "l" : "L");
    draft_end(c->rs, &d);
}

void rules_begun(struct causes *c)
{
    enum { MOST = 16 };
    struct begun v[MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t g = may_be_begun(p) ? causes_group(c, p->waker) : UINT32_MAX;
        uint32_t k = 0;
        if (g == UINT32_MAX || !c->life[g].program || (double)c->tg->groups[g].count < threshold(TH_BEGUN_COUNT)) {
            continue;
        }
        while (k < n && (v[k].children != g || v[k].p->waiter != p->waiter ||
                         causes_place(c->tr, v[k].p->stack) != causes_place(c->tr, p->stack))) {
            k++;
        }
        if (k == MOST) {
            continue;
        }
        if (k == n) {
            v[n++] = (struct begun){.p = p, .children = g};
        }
        v[k].waited = ns_add(v[k].waited, p->total);
        v[k].count += p->count;
        v[k].p = p->total > v[k].p->total ? p : v[k].p;
    }
    for (uint32_t k = 0; k < n; k++) {
        const struct group_life *y = &c->life[v[k].children];
        const int64_t span = y->last - y->first;
        if (span > 0 && (double)v[k].count * 2 >= (double)c->tg->groups[v[k].children].count &&
            threshold_reached(TH_BEGUN_WAITED, v[k].waited, span) &&
            threshold_reached(TH_BEGUN_SPAN, span, c->tg->end) && y->n <= threshold(TH_BEGUN_AT_ONCE) * c->procs &&
            c->idle >= threshold(TH_POOL_IDLE) * c->procs && begun_by(c, v[k].children, v[k].p) &&
            !begun_in_lots(c, v[k].children, v[k].p)) {
            begun_finding(c, &v[k]);
        }
    }
}
