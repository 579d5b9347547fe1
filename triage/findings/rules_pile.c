/*
 * rules_pile.c - one goroutine takes its work from a pile under a lock, and has not found that empty since some moment: who puts there wakes
 * it no more and never waits for room, both go on taking the lock, and it is at work all the time.
 *
 * That the two still meet at the lock, each in the function where the one woke the other before, is what tells it from one that was given a
 * single long thing to do.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/holder.h"
#include "triage/findings/thresholds.h"

#define GROUPS 64
#define STEPS 400000 /* spans: of more it is not said */
#define PARTS 4      /* of the time since, in each of which both meet */

struct pile {
    uint32_t place;     /* the function where it waited for more */
    uint32_t puts, who; /* of the one that woke it there last: the function that did so, its start function */
    uint32_t stack;     /* and its stack then */
    int64_t t, end;     /* when it last waited for more, when it was seen last */
    int64_t worked;     /* since t */
    uint32_t met;       /* times since t that one of the two waited for the other to let go of the lock */
};

static bool for_more(const struct causes *c, const struct span *s)
{
    const enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
    return k == WK_RECV || k == WK_SELECT || k == WK_COND;
}

/* Its last wait for more, and what it did behind that. A wait for anything but locks and the collector is one for more. false: too much to see. */
static bool last_wait(const struct causes *c, uint32_t g, struct pile *p)
{
    struct span_iter it;
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    *p = (struct pile){.place = 0};
    for (int i = 0; more; i++) {
        const struct span s = *span_get(&it);
        more = span_next(&it);
        if (i == STEPS) {
            return false;
        }
        p->end = s.t1;
        if (s.state != ST_WAITING) {
            const bool works = s.state == ST_RUNNING || s.state == ST_ASSIST || s.state == ST_RUNNABLE;
            p->worked = works ? ns_add(p->worked, s.t1 - s.t0) : p->worked;
        } else if (for_more(c, &s)) {
            const bool by = more && span_get(&it)->state == ST_RUNNABLE && span_get(&it)->who < c->tg->ng;
            const uint32_t who = by ? gstat_group(c->tg->g, span_get(&it)->who) : UINT32_MAX;
            if (by && c->tg->groups[who].is_system) {
                continue;
            }
            *p = (struct pile){.place = causes_place(c->tr, s.stack), .t = s.t1, .end = s.t1};
            if (by) {
                p->stack = span_get(&it)->stack;
                p->puts = causes_place(c->tr, p->stack);
                p->who = c->tg->groups[who].name;
            }
        }
    }
    return true;
}

/* Does one of the two wait for a lock that the other one has? */
static bool meet(const struct causes *c, uint32_t g, const struct pile *p, const struct lock_wait *w)
{
    const uint32_t by = holder_place(c->tr, w->waker_stack);
    return w->t0 >= p->t && w->t0 < p->end &&
           ((w->g == g && w->place == p->place && by == p->puts) ||
            (w->waker == g && w->place == p->puts && by == p->place));
}

/* All through the time since. */
static bool goes_on(const struct causes *c, uint32_t g, struct pile *p)
{
    uint32_t part[PARTS] = {0}, parts = 0;
    for (uint32_t i = 0; i < c->tg->nlock_waits; i++) {
        const struct lock_wait *w = &c->tg->lock_waits[i];
        if (meet(c, g, p, w)) {
            p->met++;
            const int at = (int)((double)(w->t0 - p->t) / (double)(p->end - p->t) * PARTS);
            part[at < PARTS ? at : PARTS - 1]++; /* of a trace of months the quotient may round to 1 */
        }
    }
    for (int i = 0; i < PARTS; i++) {
        parts += part[i] > 0;
    }
    return parts == PARTS && (double)p->met >= threshold(TH_PILE_MET);
}

/* Does anybody wait until it has taken something? Then that is what queues for it. */
static bool room_waited_for(const struct causes *c, uint32_t group)
{
    bool is = false;
    for (uint32_t i = 0; i < c->tg->npairs && !is; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        is = !p->from_scheduler && p->waker == c->tg->groups[group].name && p->waiter != p->waker &&
             (p->kind == WK_SEND || p->kind == WK_COND || p->kind == WK_SELECT);
    }
    return is;
}

static bool pile_of(const struct causes *c, uint32_t group, uint32_t g, struct pile *p)
{
    const struct group *x = &c->tg->groups[group];
    return threshold_reached(TH_PILE_WORK, ns_add(x->d[GM_EXEC].total, x->d[GM_SCHED].total), c->tg->end) &&
           !room_waited_for(c, group) && last_wait(c, g, p) && p->place && p->puts && p->puts != p->place &&
           p->who != x->name && p->puts != p->who && p->end > p->t &&
           threshold_reached(TH_PILE_REST, p->end - p->t, c->tg->end) &&
           threshold_reached(TH_PILE_BUSY, p->worked, p->end - p->t) && goes_on(c, g, p);
}

static void pile_finding(struct causes *c, uint32_t group, uint32_t g, const struct pile *p)
{
    struct leaves v = {0};
    struct draft d;
    c->rs->failed |= !causes_doing(c, group, &v);
    draft_start(&d, RULE_BOTTLENECK, (int64_t)((double)(p->end - p->t) * c->idle / (1 + c->idle)));
    d.f.inferred = true;
    d.f.won_hi = d.f.severity_ns;
    d.f.ends_with = p->who;
    draft_subject(&d, c->rs, c->tg->groups[group].name);
    draft_at(&d, p->t, p->end, LANE_G, g);
    text_dur(&d.amount, p->end - p->t);
    text_say(&d.text, c->tr, t_func(p->place), ", a single goroutine, waited for more work until ", t_dur(p->t),
             " and never since, for ", t_dur(p->end - p->t), ", during which it runs or is runnable for ",
             t_share((double)p->worked, (double)(p->end - p->t)), ". What woke it there, ", t_place(p->stack, 2),
             ", continues throughout (", p->met,
             " times one of the two waits for the other to release a lock), but never has to wake it again and never "
             "waits for room: more work seems to have been ready all that time (inferred). A trace does not show "
             "whether the backlog grows. ",
             t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    leaves_work(&d, c->tr, &v);
    text_lit(&d.next, "Let several goroutines take from there, or make its work cheaper; and bound the queue (a "
                      "buffered channel, so that producers block, or drop the excess).");
    draft_titled(c->rs, &d, "work queues for one goroutine");
}

void rules_pile(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS && c->idle >= causes_idle_least(c); i++) {
        struct pile p;
        const uint32_t g = c->of[i].n == 1 ? causes_nth(c, i, 0) : NO_LANE;
        if (g != NO_LANE && c->life[i].program && !causes_told_of(c, i) && pile_of(c, i, g, &p)) {
            pile_finding(c, i, g, &p);
        }
    }
}
