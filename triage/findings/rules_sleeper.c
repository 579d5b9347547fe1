/*
 * rules_sleeper.c - some of several goroutines that take from one place sleep most of their lives, while the others of their kind never do and
 * are at work all the time, and who brings the work waits: a pause that only some of them make is hardly the pace of that work.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#define MEMBERS 16  /* goroutines of such a group, at most */
#define STEPS 20000 /* spans of each */
#define GIVERS 4    /* goroutines that hand something to them, looked at */

struct sleepers {
    const struct pair_row *sleeps, *given; /* the group's longest sleeps; the longest waits to hand it something */
    uint32_t group, n, asleep;             /* how many there are, and sleep */
    int64_t slept, life, worked;           /* slept: by those that do. worked: of the others */
    uint64_t times, by[MEMBERS];           /* sleeps; waits to hand over that each of them ended */
    bool sleeper[MEMBERS];
};

struct spent {
    int64_t life, asleep, waited; /* waited: for all else */
    uint64_t sleeps;
};

/* Of one with many spans: about, from stretches of its life. */
static struct spent spent_by(const struct causes *c, uint32_t g, uint32_t place)
{
    struct spent v = {0};
    struct walk w;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        const int64_t ns = s->t1 - s->t0;
        v.life = ns_add(v.life, ns);
        if (s->state == ST_WAITING) {
            const bool sleeps = stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SLEEP;
            const bool there = sleeps && causes_place(c->tr, s->stack) == place;
            v.asleep = there ? ns_add(v.asleep, ns) : v.asleep;
            v.waited = there ? v.waited : ns_add(v.waited, ns);
            v.sleeps += there;
        }
    }
    const double times = walk_times(&w);
    v.life = (int64_t)((double)v.life * times);
    v.asleep = (int64_t)((double)v.asleep * times);
    v.waited = (int64_t)((double)v.waited * times);
    v.sleeps = (uint64_t)((double)v.sleeps * times + 0.5);
    return v;
}

/* Is each of them either asleep most of its life, or at work and never asleep there? */
static bool two_kinds(const struct causes *c, struct sleepers *k, uint32_t place)
{
    const struct group_life *l = &c->life[k->group];
    for (uint32_t i = 0; i < k->n; i++) {
        const struct spent v = spent_by(c, causes_nth(c, k->group, i), place);
        k->sleeper[i] = threshold_reached(TH_POLL_ASLEEP, v.asleep, v.life);
        if (v.life * 2 < l->last - l->first ||
            (!k->sleeper[i] &&
             (v.sleeps || v.waited > (int64_t)((1 - threshold(TH_POLL_AT_WORK)) * (double)v.life)))) {
            return false;
        }
        k->asleep += k->sleeper[i];
        k->times += v.sleeps;
        k->slept = ns_add(k->slept, v.asleep);
        k->life = ns_add(k->life, v.life);
        k->worked = ns_add(k->worked, k->sleeper[i] ? 0 : v.life - v.waited);
    }
    return k->asleep && k->asleep * 2 <= k->n;
}

/* Which of them ended those waits, and how often. */
static void taken(const struct causes *c, struct sleepers *k)
{
    const uint32_t from = causes_group(c, k->given->waiter);
    for (uint32_t m = 0; from != UINT32_MAX && m < c->of[from].n && m < GIVERS; m++) {
        struct walk w;
        bool gave = false;
        walk_g(&w, c->tr, causes_member(c, from, m, GIVERS), STEPS);
        for (const struct span *s; (s = walk_next(&w));) {
            for (uint32_t i = 0; gave && s->state == ST_RUNNABLE && i < k->n; i++) {
                k->by[i] += s->who == causes_nth(c, k->group, i);
            }
            gave = s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == k->given->kind;
        }
    }
}

static bool all_take(const struct sleepers *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        if ((double)k->by[i] < threshold(TH_POLL_SLEEPS)) {
            return false;
        }
    }
    return true;
}

static void finding(struct causes *c, const struct sleepers *k)
{
    const bool one = k->asleep == 1;
    const struct group_life *of = &c->life[causes_group(c, k->given->waiter)];
    uint64_t least = UINT64_MAX, most = 0;
    int64_t lives = 0;
    uint32_t g = NO_LANE;
    struct draft d;
    for (uint32_t i = 0; i < k->n; i++) {
        const uint32_t m = causes_nth(c, k->group, i);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, m});
        lives = k->sleeper[i] ? ns_add(lives, li.last - li.first) : lives;
        g = k->sleeper[i] && g == NO_LANE ? m : g;
        least = k->sleeper[i] && k->by[i] < least ? k->by[i] : least;
        most = !k->sleeper[i] && k->by[i] > most ? k->by[i] : most;
    }
    draft_start(&d, RULE_POLL, 0);
    d.f.note = d.f.inferred = d.f.queued = true;
    d.f.won_hi = (int64_t)((double)k->slept / (double)k->life * (double)c->tg->end);
    draft_about(&d, c->rs, causes_place(c->tr, k->sleeps->stack), k->sleeps->stack);
    draft_moment(&d, &k->sleeps->longest);
    text_share(&d.amount, (double)k->slept, (double)lives);
    text_say(&d.text, c->tr, t_place(k->sleeps->stack, 3), ": ", k->asleep, " of ", k->n, " goroutines of ",
             t_func(c->tg->groups[k->group].name), one ? " (" : " (one is ", t_who(g),
             one ? ") sleeps there (time.Sleep) for " : ") sleep there (time.Sleep) for ",
             t_share((double)k->slept, (double)lives), one ? " of its life, " : " of their lives, ",
             t_dur(k->slept / (int64_t)k->times), " each time; the ");
    text_say(&d.text, c->tr, k->n - k->asleep == 1 ? "other never does and is" : "others never do and are",
             " at work for ", t_share((double)k->worked, (double)(k->life - lives)), ". All of them take what ",
             t_func(k->given->waiter), " hands over in ", t_place(k->given->stack, 1), ", which waits for that for ",
             t_share((double)k->given->total, (double)of->life), " of its life (", least,
             " of these waits end with one that sleeps, ", most, " with one that doesn't)");
    text_say(&d.text, c->tr, "; ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors were idle. A trace cannot tell whether the sleep is intended.");
    text_lit(&d.next, "Let it sleep only if that one has to be slower than the others: they do the same work without "
                      "it.");
    draft_titled(c->rs, &d, "sleeps, while others like it work");
}

void rules_sleeper(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED && c->idle >= causes_idle_least(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool sleeps = p->from_scheduler && p->kind == WK_SLEEP;
        struct sleepers k = {.sleeps = p, .group = sleeps ? causes_group(c, p->waiter) : UINT32_MAX};
        if (k.group == UINT32_MAX || !c->life[k.group].program || c->of[k.group].n < 2 ||
            c->of[k.group].n > MEMBERS) {
            continue;
        }
        k.n = c->of[k.group].n;
        const double one = (double)p->total / (double)c->life[k.group].life * k.n; /* were one asleep: of its life */
        const uint32_t place = causes_place(c->tr, p->stack);
        if (one < threshold(TH_POLL_ASLEEP) || one > threshold(TH_POLL_AT_WORK) * k.n || !place ||
            (double)p->count < threshold(TH_POLL_SLEEPS) || causes_told_at(c, RULE_POLL, place)) {
            continue;
        }
        for (uint32_t q = 0; q < c->tg->npairs; q++) {
            const struct pair_row *r = &c->tg->pairs[q];
            const bool to =
                !r->from_scheduler && r->waker == p->waiter && r->waiter != p->waiter && r->kind == WK_SEND;
            k.given = to && (!k.given || r->total > k.given->total) ? r : k.given;
        }
        if (!k.given || !threshold_reached(TH_POLL_HANDED, k.given->total, c->tg->end) || !two_kinds(c, &k, place)) {
            continue;
        }
        taken(c, &k);
        if (all_take(&k)) {
            finding(c, &k);
        }
    }
}
