/*
 * rules_bursts.c - all of it at one moment, again and again: goroutines that are at work all the time ask at one function in bursts that
 * come at even distances, and never between. What was kept runs out for all at the same moment, or a clock lets all begin at once.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/waves.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define BURSTS 512 /* of more, the first */

struct burst {
    int64_t t0, t1;
    size_t at, n;
};
struct bursts {
    struct burst v[BURSTS];
    uint32_t n;
    int64_t period; /* median of the distances */
    uint64_t asks;
};

/* The longest time in which nobody asks. */
static int64_t longest_pause(const struct asked *k)
{
    int64_t till = k->v[0].t1, most = 0;
    for (size_t i = 1; i < k->n; i++) {
        most = k->v[i].t0 - till > most ? k->v[i].t0 - till : most;
        till = k->v[i].t1 > till ? k->v[i].t1 : till;
    }
    return most;
}

/* Apart by half of the longest pause; what is small beside the largest of them is none. */
static void bursts_of(const struct asked *k, struct bursts *b)
{
    const int64_t apart = longest_pause(k) / 2;
    int64_t till = k->v[0].t0;
    size_t most = 0;
    uint32_t kept = 0;
    for (size_t i = 0; i < k->n; i++) {
        if (b->n == 0 || k->v[i].t0 - till > apart) {
            if (b->n == BURSTS) {
                break;
            }
            b->v[b->n++] = (struct burst){.t0 = k->v[i].t0, .at = i};
        }
        struct burst *u = &b->v[b->n - 1];
        till = k->v[i].t1 > till ? k->v[i].t1 : till;
        u->t1 = till;
        u->n++;
        most = u->n > most ? u->n : most;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->v[i].n * 4 >= most) {
            b->asks += b->v[i].n;
            b->v[kept++] = b->v[i];
        }
    }
    b->n = kept;
}

/* Is the distance between two of them, or half of it where one is left out, about the median? */
static bool is_even(struct bursts *b)
{
    int64_t apart[BURSTS] = {0};
    uint32_t even = 0;
    for (uint32_t i = 1; i < b->n; i++) {
        apart[i - 1] = b->v[i].t0 - b->v[i - 1].t0;
    }
    qsort(apart, b->n - 1, sizeof apart[0], cmp_ns);
    b->period = apart[(b->n - 1) / 2];
    for (uint32_t i = 0; i + 1 < b->n; i++) {
        const int64_t once = llabs(apart[i] - b->period), twice = llabs(apart[i] - 2 * b->period);
        even += (double)(once < twice ? once : twice) <= threshold(TH_BURSTS_EVEN) * (double)b->period;
    }
    return (double)even >= threshold(TH_BURSTS_PART) * (b->n - 1);
}

struct told { /* of all bursts */
    int64_t busy, asked, lost, usual;
    uint32_t caused, goroutines; /* goroutines: that ask in the largest */
    const struct burst *most;
};

static int cmp_g(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t goroutines_in(const struct ask *v, size_t n)
{
    uint32_t *g = mem_alloc(n * sizeof *g), k = 0;
    for (size_t i = 0; g && i < n; i++) {
        g[i] = v[i].g;
    }
    if (g) {
        qsort(g, n, sizeof *g, cmp_g);
        for (size_t i = 0; i < n; i++) {
            k += i == 0 || g[i] != g[i - 1];
        }
    }
    mem_free(g);
    return k;
}

/* The quickest eighth of the answers: so long each would take alone. */
static int64_t usual_of(const struct asked *k)
{
    int64_t *v = mem_alloc(k->n * sizeof *v);
    for (size_t i = 0; v && i < k->n; i++) {
        v[i] = k->v[i].t1 - k->v[i].t0;
    }
    if (!v) {
        return INT64_MAX;
    }
    qsort(v, k->n, sizeof *v, cmp_ns);
    const int64_t ns = v[k->n / 8];
    mem_free(v);
    return ns;
}

static void count(const struct asked *k, const struct bursts *b, struct told *t)
{
    *t = (struct told){.usual = usual_of(k), .most = &b->v[0]};
    for (uint32_t i = 0; i < b->n; i++) {
        const struct burst *u = &b->v[i];
        t->busy = ns_add(t->busy, u->t1 - u->t0);
        t->caused += waves_caused(&k->v[u->at], u->n < 16 ? u->n : 16);
        t->most = u->n > t->most->n ? u : t->most;
        for (size_t j = u->at; j < u->at + u->n; j++) {
            const int64_t ns = k->v[j].t1 - k->v[j].t0;
            t->asked = ns_add(t->asked, ns);
            t->lost = ns > t->usual ? ns_add(t->lost, ns - t->usual) : t->lost;
        }
    }
    t->goroutines = goroutines_in(&k->v[t->most->at], t->most->n);
}

static void bursts_finding(struct causes *c, uint32_t group, const struct asked *k, const struct bursts *b,
                           const struct told *t)
{
    const struct group_life *l = &c->life[group];
    const double span = (double)(l->last - l->first);
    struct draft d;
    draft_start(&d, RULE_BURSTS, (int64_t)((double)t->lost / (double)l->life * span));
    draft_about(&d, c->rs, k->place, k->stack);
    draft_at(&d, t->most->t0, t->most->t1, LANE_G, k->v[t->most->at].g);
    d.f.inferred = true;
    d.f.won_hi = (int64_t)((double)t->asked / (double)l->life * span);
    text_say(&d.amount, c->tr, "each ", t_dur(b->period));
    text_say(&d.text, c->tr, t_place(k->stack, 3), ": called in bursts, one every ", t_dur(b->period), ", ", b->n,
             " in all: ", t_f0((double)b->asks / b->n), " calls in each, within ", t_dur(t->busy / b->n),
             " on average, and none in between, though the goroutines of ", t_func(c->tg->groups[group].name),
             " keep working (up to ", t->goroutines, " of them call in one). In a burst each call takes ",
             t_dur(t->asked / (int64_t)b->asks), " on average, the quickest eighth ", t_dur(t->usual),
             " or less: something cached seems to expire for everyone at once (inferred).");
    text_lit(&d.next, "Let cached values expire at different moments (add a random part to the lifetime), or refresh "
                      "them earlier, one after the other.");
    draft_end(c->rs, &d);
}

void bursts_told(struct causes *c, uint32_t group, const struct asked *k)
{
    const struct group_life *l = &c->life[group];
    struct bursts *b = mem_zalloc(sizeof *b);
    struct told t;
    if (!b) {
        c->rs->failed = true;
        return;
    }
    bursts_of(k, b);
    if ((double)b->n >= threshold(TH_BURSTS_COUNT) && is_even(b)) {
        count(k, b, &t);
        if (threshold_reached(TH_BURSTS_ALL, (int64_t)b->asks, (int64_t)k->n) && t.caused * 2 < b->n &&
            (double)t.busy <= threshold(TH_BURSTS_BUSY) * (double)(l->last - l->first) &&
            t.goroutines >= threshold(TH_STAMPEDE_ATONCE) && t.goroutines * 2 >= c->of[group].n &&
            threshold_reached(TH_BURSTS_LIFE, t.lost, l->life)) {
            bursts_finding(c, group, k, b, &t);
        }
    }
    mem_free(b);
}
