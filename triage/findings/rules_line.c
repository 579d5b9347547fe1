/*
 * rules_line.c - goroutines whose work is mostly quick and sometimes long: what comes meanwhile stands behind the long. Told with
 * who stood there and for how long; where that is a good part of their lives, it is no note.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

#define ITEMS threshold(TH_LINE_ITEMS)
#define LONG_TIMES threshold(TH_LINE_TIMES)
#define LONG_LEAST threshold_ns(TH_LINE_LEAST)
#define LONG_SHARE threshold(TH_LINE_SHARE)
#define STEPS 5000   /* spans of each goroutine */
#define WAITERS 4096 /* of each group that waits for it; their spans in all: */
#define WALKED 400000

struct item {
    uint32_t g;
    int64_t t0, t1, ran;
    bool rest; /* behind an answer, to the next wait for more: what is left of that piece, or one of its own */
};
struct items {
    struct item *v;
    size_t n, cap;
    int64_t longest, t0, t1;
    int64_t seen;   /* of their lives */
    uint32_t stack; /* where it stopped within the longest, else where it waits for work */
    int64_t until;  /* behind that not all was looked at; 0: it was */
};
/* A wait of another goroutine that one of them ended. */
struct behind {
    uint32_t g; /* who ended it */
    int64_t t0, t1;
    bool sends; /* it took what was sent, else answered */
};
struct queue {
    struct behind *v; /* by g, t1 */
    size_t n, cap;
    int64_t life; /* of those that wait so */
    uint64_t walked;
    bool partly; /* there are more: what ran together can't be told apart */
};

static bool item_add(struct items *k, struct item one, uint32_t stack)
{
    struct item *p = mem_grow(k->v, &k->cap, k->n + 1, sizeof *p);
    if (!p) {
        return false;
    }
    k->v = p;
    p[k->n++] = one;
    if (one.ran > k->longest) {
        k->longest = one.ran;
        k->t0 = one.t0;
        k->t1 = one.t1;
        k->stack = stack;
    }
    return true;
}

static int cmp_behind(const void *a, const void *b)
{
    const struct behind *x = a, *y = b;
    return x->g != y->g ? (x->g > y->g) - (x->g < y->g) : (x->t1 > y->t1) - (x->t1 < y->t1);
}

/* Waits of goroutine g that one of the group ended; not those for more work, which it would have waited for anyhow. */
static bool waits_of(const struct causes *c, uint32_t g, uint32_t group, int64_t from, struct queue *q)
{
    const uint32_t name = c->tg->groups[gstat_group(c->tg->g, g)].name;
    struct walk k;
    struct behind w = {.g = NO_LANE};
    walk_at(&k, c->tr, g, from, STEPS);
    for (const struct span *s; (s = walk_next(&k));) {
        q->walked++;
        q->life = ns_add(q->life, s->t1 - s->t0);
        if (w.g == g && s->state == ST_RUNNABLE && s->who < c->tg->ng && gstat_group(c->tg->g, s->who) == group) {
            struct behind *p = mem_grow(q->v, &q->cap, q->n + 1, sizeof *p);
            if (!p) {
                return false;
            }
            q->v = p;
            p[q->n] = w;
            p[q->n++].g = s->who;
        }
        w.g = NO_LANE;
        if (s->state == ST_WAITING) {
            const enum wait_kind kind = stacks_wait_kind(c->tr, s->reason, s->stack);
            const bool hands = wait_on_channel(kind) || kind == WK_COND;
            if (hands && (kind == WK_SEND || !instance_wants_more(c->tr, name, s->reason, s->stack))) {
                w = (struct behind){g, s->t0, s->t1, kind == WK_SEND};
            }
        }
    }
    return true;
}

static bool queue_of(const struct causes *c, uint32_t group, int64_t from, struct queue *q)
{
    bool ok = true;
    uint32_t seen[32], n = 0;
    for (uint32_t i = 0; ok && i < c->tg->npairs && n < 32; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool its = !p->from_scheduler && p->waker == c->tg->groups[group].name && p->waiter != p->waker;
        const uint32_t w = its ? causes_group(c, p->waiter) : UINT32_MAX;
        uint32_t k = 0;
        while (k < n && seen[k] != w) {
            k++;
        }
        if (w == UINT32_MAX || k < n || c->tg->groups[w].is_system) {
            continue;
        }
        seen[n++] = w;
        q->partly |= c->of[w].n > WAITERS;
        for (uint32_t m = 0; ok && m < c->of[w].n && m < WAITERS && !q->partly; m++) {
            ok = waits_of(c, causes_nth(c, w, m), group, from, q);
            q->partly |= q->walked > WALKED;
        }
    }
    if (q->n) {
        qsort(q->v, q->n, sizeof *q->v, cmp_behind);
    }
    return ok;
}

/* The first wait of the queue that g ended later than t. */
static size_t queue_from(const struct queue *q, uint32_t g, int64_t t)
{
    size_t lo = 0;
    bisect(lo, q->n, i, q->v[i].g < g || (q->v[i].g == g && q->v[i].t1 <= t));
    return lo;
}

struct piece { /* the one that goes on */
    int64_t since, ran;
    uint32_t within; /* where it was stopped */
    bool answered;   /* it begins behind an answer */
};

/*
 * Running [t0,t1): where it took what others had waited to send, or answered who waited for that, the next piece begins. It never waits
 * while they stand there, or while there is more in a channel's buffer, so between two of its waits lie many pieces.
 */
static bool run_on(const struct queue *q, uint32_t g, int64_t t0, int64_t t1, struct piece *p, struct items *k)
{
    bool ok = true;
    for (size_t i = queue_from(q, g, t0); ok && i < q->n && q->v[i].g == g && q->v[i].t1 < t1; i++) {
        p->ran += q->v[i].t1 - t0;
        t0 = q->v[i].t1;
        ok = p->since == NO_TIME || item_add(k, (struct item){g, p->since, t0, p->ran, false}, p->within);
        *p = (struct piece){.since = t0, .answered = !q->v[i].sends};
    }
    p->ran += t1 - t0;
    return ok;
}

struct stood { /* behind the long ones */
    int64_t ns;
    uint64_t n;
};

struct line {
    uint32_t group, g;
    int64_t from; /* who stood there, and the pieces then: looked at since */
    bool paced;   /* by sleeps: nothing comes that could stand there but who waits for what it gives now and then */
    struct items k;
    struct queue q;
    struct stood stood;
    int64_t usual, life, lost, held; /* held: lost to pieces that the host held up */
    uint64_t many, some;             /* some: that are long, if what is usual is short */
};

/* Work between two waits for more of it on a channel; paced: between two sleeps. */
static bool items_of(const struct causes *c, uint32_t g, const struct line *l, struct items *k)
{
    struct walk w;
    struct piece p = {.since = NO_TIME};
    const uint32_t name = c->tg->groups[gstat_group(c->tg->g, g)].name;
    bool ok = true;
    if (l->q.n) { /* who stood behind them is compared: of the same time */
        walk_at(&w, c->tr, g, l->from, STEPS);
    } else {
        walk_g(&w, c->tr, g, STEPS);
    }
    for (const struct span *s; ok && (s = walk_next(&w));) {
        k->seen = ns_add(k->seen, s->t1 - s->t0);
        if (s->state == ST_NONE) {
            p = (struct piece){.since = NO_TIME};
        } else if (s->state == ST_WAITING) {
            const bool work = l->paced ? stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SLEEP
                                       : instance_wants_more(c->tr, name, s->reason, s->stack);
            ok = p.since == NO_TIME || !work ||
                 item_add(k, (struct item){g, p.since, s->t0, p.ran, p.answered}, p.within ? p.within : s->stack);
            p = (struct piece){.since = work ? s->t1 : NO_TIME}; /* an item that waits itself is another matter */
        } else if (s->state != ST_RUNNABLE) {
            ok = run_on(&l->q, g, s->t0, s->t1, &p, k);
        } else if (s->who == NO_LANE && s->stack) {
            p.within = s->stack;
        }
    }
    k->until = causes_until(k->until, walk_until(&w));
    return ok;
}

static void stood_behind(const struct queue *q, const struct item *one, struct stood *out)
{
    for (size_t i = queue_from(q, one->g, one->t0); i < q->n && q->v[i].g == one->g; i++) {
        const struct behind *w = &q->v[i];
        const int64_t from = w->t0 > one->t0 ? w->t0 : one->t0, to = w->t1 < one->t1 ? w->t1 : one->t1;
        if (to > from) {
            out->ns = ns_add(out->ns, to - from);
            out->n++;
        } else if (w->t0 > one->t1 + (one->t1 - one->t0)) {
            break; /* later waits end later still; few that long began before */
        }
    }
}

/* What runs in the longest: where it was stopped; else as far as the places around it tell. */
static void what_is_long(struct causes *c, const struct line *l, struct text *t)
{
    const struct items *k = &l->k;
    struct explain_tree tree;
    struct leaves v = {0};
    if (k->stack) {
        text_place(t, c->tr, k->stack, 3);
        return;
    }
    if (explain_tree_init(&tree, c->tr) && explain_add(c->x, &tree, l->g, k->t0, k->t1)) {
        causes_tops(&tree, &v);
    }
    explain_tree_free(&tree);
    if (v.n && v.v[0].stack) {
        causes_calls_text(t, c->tr, &v.v[0]);
    } else {
        text_func(t, c->tr, c->tg->groups[l->group].name, 0);
    }
}

static void line_finding(struct causes *c, const struct line *l)
{
    const struct items *k = &l->k;
    const double share = l->q.life > 0 ? (double)l->stood.ns / (double)l->q.life : 0;
    struct draft d;
    const bool held = threshold_reached(TH_LINE_HELD, l->held, l->lost);
    const bool alarm = share >= threshold(TH_LINE_BEHIND) && !held;
    draft_start(&d, RULE_LINE, alarm ? (int64_t)(share * (double)c->tg->end) : 0);
    d.f.note = !alarm;
    draft_about(&d, c->rs,
                causes_place(c->tr, k->stack) ? causes_place(c->tr, k->stack) : c->tg->groups[l->group].name,
                k->stack);
    draft_at(&d, k->t0, k->t1, LANE_G, l->g);
    text_dur(&d.amount, k->longest);
    what_is_long(c, l, &d.text);
    text_say(&d.text, c->tr, ": half of the work items of ", c->of[l->group].n, " goroutine",
             c->of[l->group].n == 1 ? "" : "s", " of ", t_func(c->tg->groups[l->group].name), " between two ",
             l->paced ? "sleeps, or from one that it wakes to the next," : "waits for more", " take ",
             t_dur(l->usual), " or less, but ", l->many, " of ", k->n, " pieces took ", t_f0(LONG_TIMES),
             " times as much and up to ", t_dur(k->longest), ", ", t_share((double)l->lost, (double)l->life),
             c->of[l->group].n == 1 ? " of its life: " : " of their lives: ",
             l->paced ? "who waits for what it gives" : "what comes", " meanwhile queues behind it.");
    if (l->stood.n) {
        text_say(&d.text, c->tr, " Queued behind these: ", l->stood.n, " waits of others, for ",
                 t_dur(l->stood.ns / (int64_t)l->stood.n), " each, ", t_share((double)l->stood.ns, (double)l->q.life),
                 " of their lives.");
    }
    if (held) {
        text_say(&d.text, c->tr, " Of the time of these, ", t_share((double)l->held, (double)l->lost),
                 " is pieces that ran on for ", t_dur(threshold_ns(TH_HOST_RUN)),
                 " or more where the runtime preempts after 10 to 20 ms: the host held them up (inferred), and they "
                 "may be no longer than others.");
        d.f.inferred = true;
    }
    causes_counted_in(&d.text, l->q.n ? l->from : 0, k->until);
    text_lit(&d.next, "Give long work its own goroutines, so that short work need not wait behind it.");
    draft_end(c->rs, &d);
}

static int cmp_ran(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return (x->ran > y->ran) - (x->ran < y->ran);
}

/* Long work may make what is waited for. Who is given it without such work often, and stands behind that now and then, waits in vain. */
static bool in_its_way(const struct line *l)
{
    return (double)l->stood.ns >= threshold(TH_LINE_BEHIND) * (double)l->q.life && l->stood.n &&
           (double)(l->q.n - l->stood.n) >= threshold(TH_LINE_OFTEN) * (double)l->q.n;
}

static bool is_line(const struct causes *c, const struct line *l)
{
    return (!l->paced || in_its_way(l)) && (double)l->k.n >= ITEMS && l->g != NO_LANE &&
           (double)l->many >= threshold(TH_LINE_LONGS) && (double)l->lost >= LONG_SHARE * (double)l->life &&
           c->idle >= threshold(TH_BOTTLE_IDLE);
}

/* By what they ran. A rest shorter than half of the whole pieces is no piece: who answers at its end has such a rest behind each. */
static void items_sort(struct items *k)
{
    size_t n = 0, whole = 0, at = 0;
    if (k->n) {
        qsort(k->v, k->n, sizeof *k->v, cmp_ran);
    }
    for (size_t i = 0; i < k->n; i++) {
        whole += !k->v[i].rest;
    }
    for (size_t i = 0; i < k->n; i++) {
        at += !k->v[i].rest;
        if (!k->v[i].rest || 2 * at >= whole) {
            k->v[n++] = k->v[i];
        }
    }
    k->n = n;
}

/* The group's pieces, as far as its queue is known; the long ones among them. */
static bool pieces_of_line(struct causes *c, struct line *l)
{
    bool ok = true;
    mem_free(l->k.v);
    l->k = (struct items){0};
    l->g = NO_LANE;
    l->life = l->lost = l->held = 0;
    l->many = l->some = 0;
    for (uint32_t m = 0; ok && m < c->of[l->group].n; m++) {
        const uint32_t at = causes_nth(c, l->group, m);
        const int64_t before = l->k.longest;
        ok = items_of(c, at, l, &l->k);
        l->g = l->k.longest > before ? at : l->g;
    }
    l->life = l->k.seen;
    items_sort(&l->k);
    l->usual = l->k.n ? l->k.v[l->k.n / 2].ran : 0;
    for (size_t m = 0; m < l->k.n; m++) {
        const struct item *one = &l->k.v[m];
        l->some += one->ran >= LONG_LEAST;
        if ((double)one->ran >= LONG_TIMES * (double)l->usual && one->ran >= LONG_LEAST) {
            l->lost = ns_add(l->lost, one->ran);
            l->held = ns_add(l->held, host_held(c, one->g, one->t0, one->t1) ? one->ran : 0);
            l->many++;
            stood_behind(&l->q, one, &l->stood);
        }
    }
    return ok;
}

/* Only where there may be long ones who stands behind them is looked for: that tells pieces apart that ran together, too. */
static void line_of(struct causes *c, struct line *l)
{
    bool ok = pieces_of_line(c, l);
    if (ok && (double)l->some >= threshold(TH_LINE_LONGS)) {
        l->from = walk_around(c->tr, l->g, l->k.t0, STEPS);
        ok = queue_of(c, l->group, l->from, &l->q) && pieces_of_line(c, l);
        if (ok && !l->q.partly && is_line(c, l)) {
            line_finding(c, l);
        }
    }
    c->rs->failed |= !ok;
    mem_free(l->k.v);
    mem_free(l->q.v);
}

void rule_line(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < 32 && !c->rs->failed; i++) {
        const int64_t *by = c->life[i].by;
        const bool fed = ns_add(by[WK_RECV], by[WK_SELECT]) > 0, paced = !fed && by[WK_SLEEP] > 0 && c->of[i].n == 1;
        if (c->life[i].program && (fed || paced) && c->of[i].n <= threshold(TH_LINE_MEMBERS)) {
            line_of(c, &(struct line){.group = i, .g = NO_LANE, .paced = paced});
        }
    }
}
