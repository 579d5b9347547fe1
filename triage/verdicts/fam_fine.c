/*
 * fam_fine.c - two that hand over one by one: each waits for the other by turns, though neither is busy all
 * the time; and work so fine that handing it over takes as long as doing it.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { PAIRS = 512, SPANS = 100000 };

/* What a goroutine waits for another one, or for one of that one's kind: to send, for something to come, and
 * otherwise. */
struct between {
    int64_t send, come, other, life; /* life: of what was looked at */
    uint64_t n;                      /* how often, of the first two */
    struct moment longest;           /* of those */
    uint32_t stack;
};

static bool is_kind(const struct causes *c, uint32_t who, uint32_t of, uint32_t g)
{
    const uint32_t *group = c->tg->group_of;
    return who == of || (who < c->tg->ng && group[who] == group[of] && group[of] != group[g]);
}

static struct between between(const struct causes *c, uint32_t g, uint32_t by)
{
    struct between b = {.life = 0};
    each_pair(s, next, c->tr, g, SPANS) {
        b.life = ns_add(b.life, s->t1 - s->t0);
        if (s->state != ST_WAITING || next->state != ST_RUNNABLE || !is_kind(c, next->who, by, g))
            continue;
        const int64_t ns = s->t1 - s->t0;
        const enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
        int64_t *to = k == WK_SEND ? &b.send : wait_passes_on(k) ? &b.come : &b.other;
        *to = ns_add(*to, ns);
        b.n += to != &b.other;
        if (to != &b.other && ns > b.longest.t1 - b.longest.t0) {
            b.longest = (struct moment){s->t0, s->t1, g, NO_LANE};
            b.stack = s->stack;
        }
    }
    return b;
}

/* Are the waits so short that handing over is a good part of them? */
static bool is_quick(const struct between *b)
{
    return threshold(TH_SHARE) * (double)ns_add(b->send, b->come) <= threshold(TH_CHURN_RUN) * (double)b->n;
}

/* Do goroutines of both kinds wait for each other, as often as turns are looked for? */
static bool may_turn(const struct causes *c, const struct pair_row *of)
{
    const double least = threshold(TH_HANDOFF_TURNS);
    return (double)works_passed(c, of->waiter, of->waker) >= least &&
           (double)works_passed(c, of->waker, of->waiter) >= least;
}

/*
 * One sends to the other, and by turns it finds no room and the other finds nothing: each could go on while
 * the other does its part. Who waits for an answer as well could not, but where answers are quick the
 * hand-over is what takes the time.
 * level: what it takes, by grains_of().
 */
static bool turns(struct causes *c, const struct works *w, struct verdicts *out, const struct pair_row *p,
                  enum level level, bool *told)
{
    const uint32_t g = p->longest.g, by = p->longest_waker;
    const double part = threshold(TH_HANDOFF_SHARE);
    if (g >= c->tg->ng || by >= c->tg->ng || !may_turn(c, p) ||
        (double)p->total < part * (double)gstat_of(c->tg, g).ns[GM_LIFE])
        return true;
    const struct between to = between(c, g, by),
                         from = (double)to.n < threshold(TH_HANDOFF_TURNS) ? to : between(c, by, g);
    const bool quick = is_quick(&to) && is_quick(&from);
    const double a = (double)ns_add(to.send, quick ? to.come : 0),
                 b = (double)ns_add(from.come, quick ? from.send : 0);
    const uint64_t n = to.n < from.n ? to.n : from.n;
    const bool asks = !quick && ((double)ns_add(to.come, to.other) > part * a ||
                                 (double)ns_add(from.send, from.other) > part * b);
    if ((double)n < threshold(TH_HANDOFF_TURNS) || a < part * (double)to.life ||
        b < part * (double)from.life || asks)
        return true;
    struct verdict v =
        verdict_new(RULE_HANDOFF, (a < b ? a : b) / (double)c->tg->end, verdict_place(w, to.stack));
    v.waiter = (struct role){.group = p->waiter, .g = g, .at = v.where};
    v.holder = (struct role){.group = p->waker, .g = by, .at = verdict_place(w, from.stack)};
    verdict_shows(&v, g, to.longest.t0, to.longest.t1);
    verdict_ev(&v, EV_COUNT, (double)n);
    verdict_ev(&v, EV_IDLE, c->idle);
    verdict_ev(&v, EV_PROCS, c->procs);
    v.level = level;
    *told = true;
    return verdict_add(out, &v);
}

/* ---- fine grains --------------------------------------------------------------------------------------- */

/* What groups are handed that do little each time, in all: how often, how long they run for it, what that and
 * the hand-overs take of the processors (0..1), and where most of it is; NULL: there are none. */
struct grains {
    double n, ran, share;
    const struct pair_row *most;
};

/* How often goroutines of that name are handed something by those that hand over several; *most: by whom. */
static uint64_t handed(const struct causes *c, const struct works *w, uint32_t name,
                       const struct pair_row **most)
{
    uint64_t n = 0;
    *most = NULL;
    each_of(p, c->tg->pairs, works_pairs(c)) {
        const uint32_t by = causes_group(c, p->waker);
        const bool once = by != UINT32_MAX && 2 * (uint64_t)c->tg->groups[by].created > p->count;
        if (p->waiter == name && !p->from_scheduler && !once && wait_passes_on(p->kind) &&
            verdict_own(w, verdict_place(w, p->stack))) { /* how a library does that nobody changes */
            n += p->count;
            *most = !*most || p->count > (*most)->count ? p : *most;
        }
    }
    return n;
}

static struct grains grains_of(const struct causes *c, const struct works *w)
{
    struct grains g = {0};
    double largest = 0;
    each_of(k, c->tg->groups, c->tg->ngroups) {
        const struct pair_row *most;
        const uint64_t n = k->is_system ? 0 : handed(c, w, k->name, &most);
        const double ran = (double)k->ns[GM_EXEC];
        if ((double)n < threshold(TH_CHURN_COUNT) || n < 2 * (uint64_t)k->created ||
            ran > (double)threshold_ns(TH_CHURN_RUN) * (double)n)
            continue;
        const double takes = ran + threshold(TH_CHURN_COST) * (double)n;
        g.share += c->tg->capacity > 0 ? takes / (double)c->tg->capacity : 0;
        g.n += (double)n;
        g.ran += ran;
        g.most = takes > largest ? most : g.most;
        largest = takes > largest ? takes : largest;
    }
    return g;
}

static struct verdict grains_told(const struct causes *c, const struct works *w, const struct grains *g)
{
    const struct pair_row *p = g->most;
    struct verdict v = verdict_new(RULE_GRAIN, g->share < 1 ? g->share : 1, verdict_place(w, p->stack));
    v.waiter = (struct role){.group = p->waiter, .g = p->longest.g, .at = v.where};
    v.holder =
        (struct role){.group = p->waker, .g = p->longest_waker, .at = verdict_place(w, p->waker_stack)};
    verdict_shows(&v, p->longest.g, p->longest.t0, p->longest.t1);
    verdict_ev(&v, EV_COUNT, g->n);
    verdict_ev(&v, EV_RATE, g->n * 1e9 / (double)c->tg->end);
    verdict_ev(&v, EV_EACH, g->ran / g->n);
    v.level = LEVEL_WARN;
    return v;
}

bool fam_fine(struct causes *c, const struct works *w, struct verdicts *out)
{
    const struct grains g = grains_of(c, w);
    const enum level level = g.share >= threshold(TH_SHARE) ? LEVEL_WARN : LEVEL_NOTE;
    bool ok = true, told = false;
    for (uint32_t i = 0;
         ok && !told && i < c->tg->npairs && i < PAIRS && c->idle >= threshold(TH_ROOM) * c->procs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        ok = p->from_scheduler || !wait_passes_on(p->kind) || turns(c, w, out, p, level, &told);
    }
    if (!ok || told || level == LEVEL_NOTE)
        return ok;
    const struct verdict v = grains_told(c, w, &g);
    return verdict_add(out, &v);
}
