/*
 * rules_alike.c - one of several alike is slow: goroutines of one start function (shards, partitions) that each have a channel of their own,
 * of which one is waited for by many, and is hardly ever at rest, while the others wait for more to do.
 *
 * Who ended which wait is recorded, and so is that the others rest: with a channel for all of them, one at rest would take what is waiting.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define ASKED 4    /* pairs of groups */
#define ALIKE 64   /* goroutines of a group of them */
#define WAITERS 64 /* that wait for them, looked at */
#define STEPS 4000 /* spans of each */
#define SAMPLES 48 /* waits that are followed */

struct one { /* of those alike */
    uint32_t g;
    uint64_t ended; /* waits of others */
    int64_t ns, longest;
    struct span worst;
    uint32_t by;          /* who waited longest */
    uint64_t rests;       /* times it waited for more .. */
    int64_t rest, looked; /* .. so long, of so much of its life */
};
struct alike {
    uint32_t waiter, group, place, rest_place;
    const struct pair_row *most;
    struct one v[ALIKE];
    uint32_t n, slow;
    int64_t ns, lives; /* waits for all of them; what was looked at of the lives of who waits */
    int64_t until;
};

static bool for_more(enum wait_kind k)
{
    return k == WK_RECV || k == WK_SELECT || k == WK_COND;
}

static struct one *find(struct alike *a, uint32_t g)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->v[i].g == g) {
            return &a->v[i];
        }
    }
    return NULL;
}

static void wait_for(struct alike *a, uint32_t g, const struct span *s, uint32_t who)
{
    struct one *o = find(a, who);
    const int64_t ns = s->t1 - s->t0;
    if (!o) {
        return;
    }
    a->ns = ns_add(a->ns, ns);
    o->ns = ns_add(o->ns, ns);
    o->ended++;
    if (ns > o->longest) {
        o->longest = ns;
        o->worst = *s;
        o->by = g;
    }
}

/* Waits of who asks them, by whom of them ended them. */
static void count_waits(const struct causes *c, struct alike *a)
{
    const struct member_of *m = &c->of[a->waiter];
    for (uint32_t i = 0; i < m->n && i < WAITERS; i++) {
        const uint32_t g = causes_member(c, a->waiter, i, WAITERS);
        struct walk w;
        const struct span *next = walk_first(&w, c->tr, g, STEPS);
        for (struct span s; walk_pair(&w, &s, &next);) {
            a->lives = ns_add(a->lives, s.t1 - s.t0);
            if (s.state == ST_WAITING && next && next->state == ST_RUNNABLE && next->who < c->tg->ng &&
                causes_place(c->tr, s.stack) == a->place) {
                wait_for(a, g, &s, next->who);
            }
        }
        a->until = causes_until(a->until, walk_until(&w));
    }
}

static void count_rest(const struct causes *c, struct alike *a, struct one *o)
{
    struct walk w;
    walk_g(&w, c->tr, o->g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        o->looked = ns_add(o->looked, s->t1 - s->t0);
        if (s->state == ST_WAITING && causes_place(c->tr, s->stack) == a->rest_place) {
            o->rest = ns_add(o->rest, s->t1 - s->t0);
            o->rests++;
        }
    }
}

static double rests(const struct one *o)
{
    return o->looked > 0 ? (double)o->rest / (double)o->looked : 0;
}

/* Of all but the slow one the middle one's share of rest, and how long each is at work for one time that it waited for more. */
static double others_rest(const struct alike *a, int64_t *each)
{
    int64_t share[ALIKE] = {0}, at_work[ALIKE] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct one *o = &a->v[i];
        if (i != a->slow) {
            share[n] = (int64_t)(rests(o) * 1e9);
            at_work[n++] = o->rests ? (o->looked - o->rest) / (int64_t)o->rests : INT64_MAX;
        }
    }
    qsort(share, n, sizeof share[0], cmp_ns);
    qsort(at_work, n, sizeof at_work[0], cmp_ns);
    const uint32_t middle = n / 2;
    *each = at_work[middle];
    return (double)share[middle] / 1e9;
}

/* What the slow one does while it is waited for. */
static bool does_meanwhile(struct causes *c, const struct alike *a, struct leaves *out)
{
    const struct one *o = &a->v[a->slow];
    const uint64_t every = o->ended / SAMPLES + 1;
    struct explain_tree t;
    uint64_t seen = 0;
    bool ok = explain_tree_init(&t, c->tr);
    for (uint32_t i = 0; ok && i < c->of[a->waiter].n && i < WAITERS; i++) {
        const uint32_t g = causes_member(c, a->waiter, i, WAITERS);
        struct walk w;
        const struct span *next = walk_first(&w, c->tr, g, STEPS);
        for (struct span s; ok && explain_left(c->x) && walk_pair(&w, &s, &next);) {
            if (s.state == ST_WAITING && next && next->state == ST_RUNNABLE && next->who == o->g &&
                causes_place(c->tr, s.stack) == a->place && seen++ % every == 0) {
                ok = explain_add(c->x, &t, g, s.t0, s.t1);
            }
        }
    }
    *out = (struct leaves){0};
    if (ok) {
        causes_leaves(&t, out);
    }
    explain_tree_free(&t);
    return ok;
}

/* How long it does something else for each wait that it ends: where all of these were looked at. */
static void each_text(struct draft *d, const struct causes *c, const struct alike *a, int64_t each)
{
    const struct one *o = &a->v[a->slow];
    const double life = (double)gstat_ns(c->tg->g, o->g, GM_LIFE);
    const int64_t its = (int64_t)((1 - rests(o)) * life / (double)o->ended);
    if (!a->until && c->of[a->waiter].n <= WAITERS && each < INT64_MAX && its >= 2 * each) {
        text_say(&d->text, c->tr, " It did something else for ", t_dur(its),
                 " per wait that it ended, the others for ", t_dur(each),
                 " per time that they waited for more (the middle one).");
    }
}

static void alike_finding(struct causes *c, const struct alike *a, double share, double rest, int64_t each)
{
    const struct group_life *l = &c->life[a->waiter];
    const struct one *o = &a->v[a->slow];
    struct leaves v;
    struct draft d;
    if (!does_meanwhile(c, a, &v)) {
        c->rs->failed = true;
        return;
    }
    draft_start(&d, RULE_HUB, (int64_t)(share * (double)(l->last - l->first)));
    d.f.won_hi = (int64_t)((1 - rests(o)) * (double)(l->last - l->first));
    draft_about(&d, c->rs, a->place, o->worst.stack);
    draft_at(&d, o->worst.t0, o->worst.t1, LANE_G, o->g);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(o->worst.stack, 3), " waits for goroutines of ",
             t_func(c->tg->groups[a->group].name), " (", a->n, " of them), and ",
             t_share((double)o->ns, (double)a->ns), " of that is for one of them: ", t_who(o->g), " (", o->ended,
             " waits of ", t_dur(o->ns / (int64_t)o->ended), " on average, ", t_share(share, 1),
             " of the lives of those that wait). It waited for more to do ", t_share(rests(o), 1),
             " of its life, the others ", t_share(rest, 1), " of theirs (the middle one).");
    each_text(&d, c, a, each);
    for (uint32_t i = 0; i < v.n && i < 3 && (i == 0 || v.v[i].ns > v.all / 20); i++) {
        text_add(&d.text, "%s", i ? "; " : " What that one does meanwhile: ");
        causes_leaf_text(&d.text, c->tr, &v.v[i], v.all);
    }
    text_raw(&d.text, ".", v.n ? 1 : 0);
    causes_counted(&d.text, c->of[a->waiter].n < WAITERS ? c->of[a->waiter].n : WAITERS, c->of[a->waiter].n,
                   a->until);
    text_lit(&d.next, "Find out what this one is given that the others are not: make that cheaper, divide its part "
                      "among several, or let those at rest take from its queue.");
    draft_titled(c->rs, &d, "one of several alike is slow");
}

static void judge(struct causes *c, struct alike *a)
{
    const struct one *o;
    int64_t each;
    for (uint32_t i = 0; i < a->n; i++) {
        a->slow = a->v[i].ns > a->v[a->slow].ns ? i : a->slow;
    }
    o = &a->v[a->slow];
    const double share = a->lives > 0 ? (double)o->ns / (double)a->lives : 0;
    if ((double)o->ended < threshold(TH_HUB_WAITS) || share < threshold(TH_HUB_LIFE) ||
        share * c->life[a->waiter].n < threshold(TH_HUB_QUEUE) ||
        (double)(o->ns - o->longest) < threshold(TH_HUB_ONE) * (double)(a->ns - o->longest)) {
        return;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        count_rest(c, a, &a->v[i]);
    }
    const double rest = others_rest(a, &each);
    if (rests(o) <= threshold(TH_HUB_NO_REST) && rest >= threshold(TH_HUB_REST)) {
        alike_finding(c, a, share, rest, each);
    }
}

/* Where goroutines of a group wait most for more to do from those of another; 0: nowhere. */
static uint32_t rests_at(const struct causes *c, uint32_t group, uint32_t from)
{
    for (uint32_t i = 0; i < c->tg->npairs; i++) { /* the longest first */
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == c->tg->groups[group].name && p->waker == c->tg->groups[from].name &&
            for_more(p->kind)) {
            return causes_place(c->tr, p->stack);
        }
    }
    return 0;
}

static void alike_at(struct causes *c, const struct pair_row *p, uint32_t waiter, uint32_t group)
{
    struct alike *a = mem_zalloc(sizeof *a);
    c->rs->failed |= !a;
    if (!a) {
        return;
    }
    a->waiter = waiter;
    a->group = group;
    a->most = p;
    a->place = causes_place(c->tr, p->stack);
    a->rest_place = rests_at(c, group, waiter);
    a->n = c->of[group].n;
    for (uint32_t i = 0; i < a->n; i++) {
        a->v[i].g = causes_nth(c, group, i);
    }
    if (a->place && a->rest_place) {
        count_waits(c, a);
        judge(c, a);
    }
    mem_free(a);
}

/* May goroutines of that group be some alike, of which most are at rest? */
static bool mostly_rest(const struct causes *c, uint32_t group)
{
    const struct group_life *l = &c->life[group];
    const double n = c->of[group].n;
    const int64_t more = ns_add(ns_add(l->by[WK_RECV], l->by[WK_SELECT]), l->by[WK_COND]);
    return l->program && n >= threshold(TH_HUB_READERS) && n <= ALIKE && l->n >= 0.75 * n && l->life > 0 &&
           (double)more >= threshold(TH_HUB_REST) * 0.5 * (double)l->life;
}

void rules_alike(struct causes *c)
{
    uint32_t asked = 0;
    if (c->idle < causes_idle_least(c)) {
        return;
    }
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED && asked < ASKED && !c->rs->failed; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool kind = !p->from_scheduler && (p->kind == WK_SEND || for_more(p->kind));
        const uint32_t a = kind ? causes_group(c, p->waiter) : UINT32_MAX,
                       b = kind ? causes_group(c, p->waker) : UINT32_MAX;
        if (a == UINT32_MAX || b == UINT32_MAX || a == b || !c->life[a].program || c->life[a].life <= 0 ||
            (double)p->count < threshold(TH_HUB_WAITS) ||
            (double)p->total < threshold(TH_HUB_LIFE) * (double)c->life[a].life || !mostly_rest(c, b) ||
            causes_told_of(c, b) || causes_told_at(c, RULE_HUB, causes_place(c->tr, p->stack))) {
            continue;
        }
        asked++;
        alike_at(c, p, a, b);
    }
}
