/*
 * rules_crowds.c - a stampede whose waves run into each other: most of a group ask at one function within one of their rounds, again and
 * again, while by far most of their rounds ask nothing there. If each asked when it pleased there would be no such crowds; where each asks
 * again after just as many rounds of its own, that is its own reason. Answers come one after the other, so that no pause parts the waves.
 */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waves.h"

#include <stdlib.h>

#include "decode/base/mem.h"

struct crowds {
    uint32_t n, most;          /* crowds; goroutines in the largest */
    size_t in;                 /* of what is asked */
    uint32_t caused;           /* by one that woke, or began, most of it */
    int64_t first, last, lost; /* until the first and the last of a crowd are done, summed; lost: of all */
    int64_t t0, t1;            /* the largest */
    uint32_t g;
    uint64_t rounds; /* of all their goroutines; a round lasts so long */
    int64_t round;
};

/* What is asked within so long from the i-th on; *end: where what was asked within that of one before it ends. */
static size_t within(const struct asked *k, size_t i, int64_t ns, size_t *end)
{
    while (*end < k->n && k->v[*end].t0 < k->v[i].t0 + ns) {
        ++*end;
    }
    return *end - i;
}

static void crowd_add(const struct asked *k, size_t i, size_t n, struct crowds *w)
{
    int64_t first = INT64_MAX, last = 0;
    for (size_t j = i; j < i + n; j++) {
        first = k->v[j].t1 < first ? k->v[j].t1 : first;
        last = k->v[j].t1 > last ? k->v[j].t1 : last;
    }
    w->n++;
    w->in += n;
    w->caused += waves_caused(&k->v[i], n < 16 ? n : 16);
    w->first = ns_add(w->first, first - k->v[i].t0);
    w->last = ns_add(w->last, last - k->v[i].t0);
    if (n > w->most) {
        w->most = (uint32_t)n;
        w->t0 = k->v[i].t0;
        w->t1 = last;
        w->g = k->v[i].g;
    }
}

/* Crowds of `least` or more, each a few rounds behind the one before. */
static void crowds_of(const struct asked *k, double least, struct crowds *w)
{
    const int64_t apart = (int64_t)(threshold(TH_STAMPEDE_BEHIND) * (double)w->round);
    int64_t quickest = INT64_MAX;
    for (size_t i = 0; i < k->n; i++) {
        quickest = k->v[i].t1 - k->v[i].t0 < quickest ? k->v[i].t1 - k->v[i].t0 : quickest;
    }
    for (size_t i = 0; i < k->n; i++) {
        w->lost = ns_add(w->lost, k->v[i].t1 - k->v[i].t0 - quickest);
    }
    for (size_t i = 0, end = 0; i < k->n;) {
        const size_t n = within(k, i, w->round, &end);
        const int64_t t = k->v[i].t0;
        i++;
        if ((double)n >= least) {
            crowd_add(k, i - 1, n, w);
            while (i < k->n && k->v[i].t0 < t + apart) {
                i++;
            }
        }
    }
}

static int by_who(const void *a, const void *b)
{
    const struct ask *x = a, *y = b;
    return x->g != y->g ? (x->g > y->g) - (x->g < y->g) : (x->t0 > y->t0) - (x->t0 < y->t0);
}

static int cmp_rounds(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Do most ask again after just as many of their own rounds as others do? Then each has its own reason to. */
static bool in_step(struct causes *c, const struct asked *k)
{
    struct ask *v = mem_alloc(k->n * sizeof *v);
    uint32_t *apart = mem_alloc(k->n * sizeof *apart), n = 0, same = 0;
    c->rs->failed |= !v || !apart;
    if (v && apart) {
        for (size_t i = 0; i < k->n; i++) {
            v[i] = k->v[i];
        }
        qsort(v, k->n, sizeof *v, by_who);
        for (size_t i = 1; i < k->n; i++) {
            apart[n] = v[i].round - v[i - 1].round;
            n += v[i].g == v[i - 1].g;
        }
        qsort(apart, n, sizeof *apart, cmp_rounds);
        for (uint32_t i = 0; i < n; i++) {
            same += apart[i] == apart[n / 2];
        }
    }
    mem_free(v);
    mem_free(apart);
    return n && threshold_reached(TH_STAMPEDE_STEP, same, n);
}

/* Are these questions that goroutines of this process answer? */
static bool asks_itself(struct causes *c, uint32_t group, uint32_t place)
{
    struct waits_at p = {.place = place};
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        if (q->waiter == c->tg->groups[group].name && causes_place(c->tr, q->stack) == place) {
            p.total = ns_add(p.total, q->total);
            p.count += q->count;
            p.most = !p.most || q->total > p.most->total ? q : p.most;
        }
    }
    return p.most && p.most->longest.g < c->tg->ng && calls_accept(c) && calls_answered_inside(c, &p);
}

static void crowds_finding(struct causes *c, uint32_t group, const struct asked *k, const struct crowds *w)
{
    const struct group_life *l = &c->life[group];
    const double span = (double)(l->last - l->first);
    struct draft d;
    draft_start(&d, RULE_STAMPEDE, (int64_t)((double)w->lost / (double)l->life * span));
    draft_about(&d, c->rs, k->place, k->stack);
    draft_at(&d, w->t0, w->t1, LANE_G, w->g);
    d.f.inferred = true;
    d.f.own_side = asks_itself(c, group, k->place);
    d.f.won_hi = (int64_t)((double)k->total / (double)l->life * span);
    text_add(&d.amount, "%u at once", w->most);
    text_say(&d.text, c->tr, t_place(k->stack, 3), ": ", w->n, " times a crowd of goroutines of ",
             t_func(c->tg->groups[group].name), " asks there within ", t_dur(w->round), ", ",
             t_f0((double)w->in / w->n), " on average and up to ", w->most, ", though they make ",
             t_f0((double)w->rounds / (double)k->n), " times as many rounds, mostly without asking there (",
             (uint64_t)k->n,
             " calls in all): a cached value seems to be gone, and each of them fetches it again (inferred). The "
             "first of a crowd is done after ",
             t_dur(w->first / w->n), " on average, the last after ", t_dur(w->last / w->n), ".");
    if (d.f.own_side) {
        text_lit(&d.text, " Goroutines of this process give the answers (inferred).");
    }
    text_lit(&d.next, "If they ask for the same thing: let one fetch it while the others wait for that one "
                      "(singleflight) or use the old value; or refresh it before it expires.");
    draft_end(c->rs, &d);
}

bool crowds_told(struct causes *c, uint32_t group, const struct asked *k, uint64_t rounds)
{
    const struct group_life *l = &c->life[group];
    const double of = c->of[group].n, chance = threshold(TH_STAMPEDE_USUAL) * of * (double)k->n / (double)rounds;
    double least = threshold(TH_STAMPEDE_MOST) * of;
    struct crowds w = {.g = NO_LANE, .rounds = rounds, .round = rounds ? (l->life - k->total) / (int64_t)rounds : 0};
    least = least > chance ? least : chance;
    least = least > threshold(TH_STAMPEDE_CROWD) ? least : threshold(TH_STAMPEDE_CROWD);
    if (w.round <= 0 || l->n < of / 2) { /* goroutines that come and go have no rounds of their own */
        return false;
    }
    crowds_of(k, least, &w);
    if ((double)w.n < threshold(TH_STAMPEDE_WAVES) || w.caused * 2 >= w.n ||
        !threshold_reached(TH_STAMPEDE_CROWDS, (int64_t)w.in, (int64_t)k->n) ||
        !threshold_reached(TH_STAMPEDE_ALARM, w.lost, l->life) || in_step(c, k)) {
        return false;
    }
    crowds_finding(c, group, k, &w);
    return true;
}
