/*
 * rules_convoy.c - a lock for which fewer goroutines wait than make a convoy (rules_locks.c), but most of their time.
 */
#include "triage/findings/asks.h"
#include "triage/findings/causes.h"
#include "triage/findings/holder.h"
#include "triage/findings/story.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"

#define PLACES 64
#define LOCKED threshold(TH_CONVOY_LIFE)

static bool lock_told(const struct causes *c, uint32_t place)
{
    const uint32_t lock = holder_lock(c->tg, place);
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if ((f->rule == RULE_CONVOY || f->rule == RULE_WRITER || f->rule == RULE_STUCK) && f->stack &&
            holder_lock(c->tg, causes_place(c->tr, f->stack)) == lock) {
            return true;
        }
    }
    return false;
}

static void lock_finding(struct causes *c, const struct waits_at *p, double share, double awake, int64_t cost)
{
    struct draft d;
    draft_start(&d, RULE_CONVOY, cost);
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    d.f.inferred = true;
    text_say(&d.text, c->tr, t_func(p->place), ": goroutines of ", t_func(p->most->waiter),
             " waited for a lock there for ", t_share(share >= LOCKED ? share : awake, 1),
             share >= LOCKED ? " of their lives ("
                             : " of the time in which they neither slept nor waited for the next request (",
             p->count, " waits of ", t_dur(p->total / (int64_t)p->count), " on average); ", t_f1(c->idle), " of ",
             t_f0(c->procs), " processors were idle.");
    struct holder_row h;
    const bool known =
        holder_of_lock(c->tg, holder_lock(c->tg, holder_place(c->tr, p->most->stack)), &h) && h.told > 0;
    text_add(&d.next, "%s",
             known ? lock_advice(c->tg, &h) : "Do less while holding the lock, or split it (shards, read locks).");
    lock_readers(&d.next, c->rs, holder_lock(c->tg, holder_place(c->tr, p->most->stack)));
    draft_end(c->rs, &d);
    if (c->rs->out->n && c->rs->out->f[c->rs->out->n - 1].rule == RULE_CONVOY) {
        causes_tell_holders(c, &c->rs->out->f[c->rs->out->n - 1]);
    }
}

/*
 * How long goroutines of a group were at something: neither asleep nor, where each serves a connection, waiting for
 * what comes next over it.
 */
static int64_t awake_of(const struct causes *c, uint32_t group)
{
    int64_t rest = c->life[group].by[WK_SLEEP];
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t place =
            p->kind == WK_NET && p->waiter == c->tg->groups[group].name ? causes_place(c->tr, p->stack) : 0;
        rest = place && calls_for_questions(c, p, place) ? ns_add(rest, p->total) : rest;
    }
    return c->life[group].life - rest;
}

static bool for_lock(const struct causes *c, const struct pair_row *p)
{
    (void)c;
    return p->kind == WK_LOCK;
}

void rules_convoy(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = waits_at_rows(c, v, PLACES, PAIRS_ALL, for_lock);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = causes_group(c, v[i].most->waiter);
        const struct group_life *l = g == UINT32_MAX ? NULL : &c->life[g];
        double share = l && l->life > 0 ? (double)v[i].total / (double)l->life : 0;
        const bool few = l && l->program && (double)v[i].count >= threshold(TH_BOTTLE_WAITS) &&
                         l->n >= threshold(TH_CONVOY_FEW) && c->idle >= threshold(TH_BOTTLE_IDLE);
        const double awake = few ? (double)v[i].total / ((double)awake_of(c, g) + 1) : 0;
        int64_t span = l ? l->last - l->first : 0, cost = (int64_t)((double)span * (share < 1 ? share : 1));
        if (few && (share >= LOCKED || awake >= threshold(TH_CONVOY_AWAKE)) &&
            threshold_reached(TH_CONVOY_COST, cost, c->tg->end) && !lock_told(c, v[i].place)) {
            lock_finding(c, &v[i], share, awake, cost);
        }
    }
}
