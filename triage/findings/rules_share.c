/*
 * rules_share.c - one of those that share something holds up all others: most of the waiting for it ends when this
 * one gives back, and then several go on at once. So it looks where one asks for much more than the others (a
 * semaphore with weights): all is given back for it first, and who comes later queues behind.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define PLACES 64
#define LOOKED_AT 4 /* places */
#define WAITERS 64  /* of a group */
#define STEPS 4000  /* spans of each */
#define WAKERS 64
#define PEERS 8 /* others that are told apart */
#define SAMPLES 32
#define AT_ONCE 50000 /* ns */

struct giver {
    uint32_t g;
    uint64_t n;
    int64_t ns;
};
struct sharing { /* at one place */
    uint32_t place, group;
    const struct pair_row *most;
    struct giver v[WAKERS];
    uint32_t n;
    int64_t ns;
    int64_t until; /* behind that not all was looked at; 0: it was */
};
struct given { /* by one of them */
    uint32_t g;
    int64_t last; /* moment */
    uint64_t times, own;
    uint32_t by[PEERS], nby; /* others that end its own waits there */
    struct explain_tree tree;
    uint32_t samples;
};

static void giver_add(struct sharing *s, uint32_t g, int64_t ns)
{
    uint32_t i = 0;
    while (i < s->n && s->v[i].g != g) {
        i++;
    }
    s->ns = ns_add(s->ns, ns);
    if (i == WAKERS) {
        return;
    }
    if (i == s->n) {
        s->v[s->n++] = (struct giver){.g = g};
    }
    s->v[i].n++;
    s->v[i].ns = ns_add(s->v[i].ns, ns);
}

typedef void per_wait(void *arg, uint32_t g, const struct span *wait, uint32_t by);

/* walk_until() of that. */
static int64_t waits_of(const struct causes *c, uint32_t g, uint32_t place, per_wait *f, void *arg)
{
    struct walk w;
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    for (struct span s; walk_pair(&w, &s, &next);) {
        if (s.state == ST_WAITING && next && next->state == ST_RUNNABLE && next->who < c->tg->ng &&
            causes_place(c->tr, s.stack) == place) {
            f(arg, g, &s, next->who);
        }
    }
    return walk_until(&w);
}

static void tally(void *arg, uint32_t g, const struct span *wait, uint32_t by)
{
    (void)g;
    giver_add(arg, by, wait->t1 - wait->t0);
}

static void count_own(void *arg, uint32_t g, const struct span *wait, uint32_t by)
{
    struct given *k = arg;
    uint32_t i = 0;
    (void)g, (void)wait;
    k->own++;
    while (i < k->nby && k->by[i] != by) {
        i++;
    }
    if (i == k->nby && i < PEERS) {
        k->by[k->nby++] = by;
    }
}

struct looking {
    struct causes *c;
    struct given *k;
    uint32_t every, seen;
    int64_t at[4096]; /* when it ended waits */
    uint32_t n;
};

static void look(void *arg, uint32_t g, const struct span *wait, uint32_t by)
{
    struct looking *l = arg;
    if (by != l->k->g) {
        return;
    }
    if (l->n < sizeof l->at / sizeof *l->at) {
        l->at[l->n++] = wait->t1;
    }
    if (l->seen++ % l->every == 0 && l->k->samples < SAMPLES) {
        l->k->samples++;
        l->c->rs->failed |= !explain_add(l->c->x, &l->k->tree, g, wait->t0, wait->t1);
    }
}

/* How many different moments there are among those at which it ended waits. */
static uint64_t moments(struct looking *l)
{
    uint64_t n = 0;
    if (l->n) {
        qsort(l->at, l->n, sizeof l->at[0], cmp_ns);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        n += i == 0 || l->at[i] - l->at[i - 1] > AT_ONCE;
    }
    return n;
}

static void share_finding(struct causes *c, const struct sharing *s, const struct giver *w, const struct given *k,
                          double share)
{
    const struct group_life *l = &c->life[s->group];
    struct leaves v = {0};
    struct draft d;
    causes_leaves(&k->tree, &v);
    draft_start(&d, RULE_SHARE, (int64_t)(share * (double)(l->last - l->first)));
    draft_about(&d, c->rs, s->place, s->most->stack);
    draft_at(&d, s->most->longest.t0, s->most->longest.t1, LANE_G, w->g);
    d.f.inferred = true;
    text_share(&d.amount, (double)w->ns, (double)s->ns);
    text_say(&d.text, c->tr, t_who(w->g), " holds up the others that share (inferred): goroutines of ",
             t_func(c->tg->groups[s->group].name), " wait in ", t_place(s->most->stack, 2), " for ",
             t_share((double)s->ns, (double)l->life), " of their lives, and ", t_share((double)w->ns, (double)s->ns),
             " of that is ended by this one, ", w->n, " waits at ", k->times,
             " moments, several at once; it waits there itself (", k->own, " times).");
    text_add(&d.text, "%s", v.n ? " What they ultimately wait for: " : "");
    leaves_text(&d.text, c->tr, &v, 3, 10);
    text_raw(&d.text, ".", v.n ? 1 : 0);
    causes_counted(&d.text, 1, 1, s->until);
    text_lit(&d.next, "If it takes more at a time than the others, let it take less, in pieces, or from its own "
                      "pool: everything has to be released for it first, and nobody else gets any meanwhile.");
    draft_end(c->rs, &d);
}

static void judge(struct causes *c, const struct sharing *s, const struct giver *w)
{
    const struct member_of *m = &c->of[s->group];
    struct given k = {.g = w->g};
    struct looking *l = mem_zalloc(sizeof *l);
    c->rs->failed |= !l || !explain_tree_init(&k.tree, c->tr);
    if (c->rs->failed) {
        mem_free(l);
        return;
    }
    waits_of(c, w->g, s->place, count_own, &k);
    *l = (struct looking){.c = c, .k = &k, .every = (uint32_t)(w->n / SAMPLES) + 1};
    for (uint32_t i = 0; i < m->n && i < WAITERS && (double)k.own >= threshold(TH_SHARE_OWN); i++) {
        waits_of(c, causes_member(c, s->group, i, WAITERS), s->place, look, l);
    }
    k.times = moments(l);
    const double share = (double)w->ns / (double)c->life[s->group].life;
    if (!c->rs->failed && (double)k.own >= threshold(TH_SHARE_OWN) && k.nby >= 2 &&
        (double)k.times >= threshold(TH_SHARE_TIMES) &&
        (double)w->n >= threshold(TH_SHARE_AT_ONCE) * (double)k.times) {
        share_finding(c, s, w, &k, share < 1 ? share : 1);
    }
    explain_tree_free(&k.tree);
    mem_free(l);
}

/* Who ends most of the waits there, if all waiters are looked at. */
static void sharing_at(struct causes *c, const struct waits_at *p, uint32_t group)
{
    struct sharing s = {.place = p->place, .group = group, .most = p->most};
    const struct member_of *m = &c->of[group];
    const struct giver *w = NULL;
    for (uint32_t i = 0; i < m->n && i < WAITERS; i++) {
        const uint32_t g = causes_member(c, group, i, WAITERS);
        s.until = causes_until(s.until, waits_of(c, g, p->place, tally, &s));
    }
    for (uint32_t i = 0; i < s.n; i++) {
        w = !w || s.v[i].ns > w->ns ? &s.v[i] : w;
    }
    if (w && m->n <= WAITERS && threshold_reached(TH_SHARE_ONE, w->ns, s.ns)) {
        judge(c, &s, w);
    }
}

static bool handed(const struct causes *c, const struct pair_row *p)
{
    (void)c;
    return !p->from_scheduler && wait_passes_on(p->kind);
}

void rules_share(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = waits_at_rows(c, v, PLACES, PAIRS_ALL, handed);
    uint32_t looked = 0;
    for (uint32_t i = 0; i < n && looked < LOOKED_AT && !c->rs->failed; i++) {
        const uint32_t g = causes_group(c, v[i].most->waiter);
        if (g != UINT32_MAX && c->life[g].program && (double)c->of[g].n >= threshold(TH_SHARE_WAITERS) &&
            c->life[g].life > 0 && threshold_reached(TH_SHARE_LIFE, v[i].total, c->life[g].life) &&
            (double)v[i].count >= threshold(TH_BOTTLE_WAITS) && c->idle >= causes_idle_least(c)) {
            looked++;
            sharing_at(c, &v[i], g);
        }
    }
}
