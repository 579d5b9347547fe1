/*
 * rules_window.c - pieces of work side by side, whose results are taken in the order in which the pieces were begun:
 * while one that takes long is waited for, those begun behind it are done, and wait for their turn. Only so many are
 * begun ahead, so nothing new is.
 *
 * That one certain result is waited for is told by the others: some end while the wait for it goes on. Had any result
 * been welcome, the first of them would have ended it. What is lost is told by how many are under way meanwhile,
 * against as many as there may be.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"
#include "triage/findings/works.h"

#include <stdlib.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

#define PIECES_MOST 65536
#define STEPS 400000 /* spans of who takes, and of who begins */
#define TRIES 16     /* groups that take from goroutines that come and go */

struct pieces { /* goroutines of a group: when they begin, when they end, how long they are there, each sorted */
    int64_t *begin, *end, *life;
    uint32_t n, most; /* most: under way at once */
};
struct window {
    struct causes *c;
    uint32_t y, x, z; /* groups: pieces, who takes their results, who begins them */
    const struct pair_row *takes, *room;
    struct pieces p;
    uint64_t passed;    /* ended while another was waited for */
    int64_t lost, full; /* by the clock, of all that could be under way; while there was no room */
    double at_once;     /* meanwhile */
};

/* The group of who begins these goroutines, all of them or nearly; UINT32_MAX: several, or not told. */
static uint32_t begun_by(const struct causes *c, uint32_t group)
{
    enum { LOOKED = 16 };
    uint32_t by = UINT32_MAX, same = 0;
    const uint32_t n = c->of[group].n < LOOKED ? c->of[group].n : LOOKED;
    for (uint32_t i = 0; i < n; i++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, causes_member(c, group, i, LOOKED)});
        const uint32_t g = li.created && li.creator < c->tg->ng ? gstat_group(c->tg->g, li.creator) : UINT32_MAX;
        by = g != UINT32_MAX && by == UINT32_MAX ? g : by;
        same += g != UINT32_MAX && g == by;
    }
    return same * 4 >= n * 3 ? by : UINT32_MAX;
}

static int cmp_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool pieces_of(struct window *w)
{
    struct causes *c = w->c;
    struct pieces *p = &w->p;
    const uint32_t n = c->of[w->y].n;
    p->begin = mem_alloc((size_t)n * sizeof *p->begin);
    p->end = mem_alloc((size_t)n * sizeof *p->end);
    p->life = mem_alloc((size_t)n * sizeof *p->life);
    if (!p->begin || !p->end || !p->life) {
        c->rs->failed = true;
        return false;
    }
    for (p->n = 0; p->n < n; p->n++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, causes_nth(c, w->y, p->n)});
        p->begin[p->n] = li.first;
        p->end[p->n] = li.last;
        p->life[p->n] = li.last - li.first;
    }
    qsort(p->begin, n, sizeof *p->begin, cmp_time);
    qsort(p->end, n, sizeof *p->end, cmp_time);
    qsort(p->life, n, sizeof *p->life, cmp_time);
    p->most = 0;
    for (uint32_t i = 0, over = 0; i < n; i++) {
        while (over < n && p->end[over] <= p->begin[i]) {
            over++;
        }
        p->most = i + 1 - over > p->most ? i + 1 - over : p->most;
    }
    return true;
}

static void pieces_free(struct pieces *p)
{
    mem_free(p->begin);
    mem_free(p->end);
    mem_free(p->life);
}

static uint32_t until(const int64_t *v, uint32_t n, int64_t t)
{
    uint32_t lo = 0;
    bisect(lo, n, i, v[i] <= t);
    return lo;
}

#define LONG 4 /* times the median */

/*
 * Are some so much longer than most that these wait for them? Else each takes now a little more and now less: any
 * order costs that.
 */
static bool some_long(const struct pieces *p)
{
    int64_t all = 0, lasting = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        all = ns_add(all, p->life[i]);
        lasting = p->life[i] / LONG >= p->life[p->n / 2] ? ns_add(lasting, p->life[i]) : lasting;
    }
    return threshold_reached(TH_ORDER_LONG, lasting, all);
}

/* How many may be under way at once for any good: as there ever were, of those that run no more than processors. */
static double may_be(const struct window *w)
{
    const struct group *g = &w->c->tg->groups[w->y];
    const bool runs = g->d[GM_EXEC].total > g->d[GM_LIFE].total / 2;
    return runs && w->c->procs < (double)w->p.most ? w->c->procs : (double)w->p.most;
}

/* [t0,t1) without room: what could be under way, and isn't. */
static void full_add(struct window *w, int64_t t0, int64_t t1, uint32_t ender)
{
    (void)ender;
    const struct pieces *p = &w->p;
    const double can = may_be(w);
    uint32_t b = until(p->begin, p->n, t0), e = until(p->end, p->n, t0);
    for (int64_t t = t0; t < t1;) {
        const int64_t next_b = b < p->n ? p->begin[b] : t1, next_e = e < p->n ? p->end[e] : t1;
        int64_t next = next_b < next_e ? next_b : next_e;
        const double there = (double)(b - e);
        next = next < t1 ? next : t1;
        w->lost += there < can ? (int64_t)((double)(next - t) * (1 - there / can)) : 0;
        w->at_once += there * (double)(next - t);
        t = next;
        for (; b < p->n && p->begin[b] <= t; b++) {
        }
        for (; e < p->n && p->end[e] <= t; e++) {
        }
    }
    w->full = ns_add(w->full, t1 - t0);
}

/* Waits of a group's goroutines that those of another end, one after another; false: too many spans. */
static bool each_wait(struct window *w, uint32_t waiter, uint32_t waker,
                      void (*f)(struct window *w, int64_t t0, int64_t t1, uint32_t ender))
{
    const struct causes *c = w->c;
    for (uint32_t i = 0; i < c->of[waiter].n && i < TRIES; i++) {
        struct walk k;
        struct span wait = {.state = ST_RUNNING};
        walk_g(&k, c->tr, causes_nth(c, waiter, i), STEPS);
        for (const struct span *s; (s = walk_next(&k));) {
            if (wait.state == ST_WAITING && s->state == ST_RUNNABLE && s->who < c->tg->ng &&
                gstat_group(c->tg->g, s->who) == waker) {
                f(w, wait.t0, wait.t1, s->who);
            }
            wait = *s;
        }
        if (!k.left) {
            return false;
        }
    }
    return true;
}

/* Those that end while it waits for another of them. */
static void passed_add(struct window *w, int64_t t0, int64_t t1, uint32_t ender)
{
    const int64_t own = trace_lane(w->c->tr, (struct lane){LANE_G, ender}).last;
    w->passed += until(w->p.end, w->p.n, t1) - until(w->p.end, w->p.n, t0) - (own > t0 && own <= t1);
}

static void finding(struct window *w, double taker, double full)
{
    struct causes *c = w->c;
    const struct group *g = &c->tg->groups[w->y];
    struct inside in;
    struct draft d;
    draft_start(&d, RULE_IN_ORDER, w->lost);
    draft_about(&d, c->rs, causes_place(c->tr, w->takes->stack), w->takes->stack);
    draft_moment(&d, &w->takes->longest);
    d.f.inferred = true;
    text_share(&d.amount, taker, 1);
    text_say(&d.text, c->tr, t_place(w->takes->stack, 3), " takes results in the order in which goroutines of ",
             t_func(g->name), " are started, not as they finish (inferred): it waits for one of them for ",
             t_share(taker, 1), " of its life, and ", w->passed, " of ", g->count,
             " ended while it waited for another. One that has finished keeps its slot until its turn: meanwhile ",
             t_func(w->room->waiter), " waits at ", t_where(w->room->stack, 0), " until it takes more, ",
             t_share(full, 1), " of its life, and starts no others: ", t_f1(w->at_once / (double)w->full),
             " of at most ", w->p.most, " were in flight then, on average. One takes ", t_dur(w->p.life[w->p.n / 2]),
             " in the median, the longest ", t_dur(w->p.life[w->p.n - 1]), ".");
    if (moments_inside(c, w->y, &in)) {
        text_lit(&d.text, " Most of it is in ");
        inside_name(&d.text, c, &in, 3);
        text_lit(&d.text, ".");
    }
    text_lit(&d.next, "Start more ahead (a window larger than what runs at once), take what comes first and reorder "
                      "it afterwards, or start the longest first.");
    draft_end(c->rs, &d);
}

static void window_at(struct causes *c, uint32_t y, const struct pair_row *takes)
{
    struct window w = {.c = c, .y = y, .x = causes_group(c, takes->waiter), .z = begun_by(c, y), .takes = takes};
    int64_t taken, room;
    uint64_t ntaken, nroom;
    if (w.x == UINT32_MAX || w.z == UINT32_MAX || w.x == y || w.z == y || w.z == w.x || c->life[w.x].n > 1.5 ||
        c->life[w.z].n > 1.5 || !c->life[w.x].program || c->life[w.x].life <= 0 || c->life[w.z].life <= 0) {
        return;
    }
    w.takes = waits_between(c, w.x, y, &taken, &ntaken);
    w.room = waits_between(c, w.z, w.x, &room, &nroom);
    const double taker = (double)taken / (double)c->life[w.x].life, full = (double)room / (double)c->life[w.z].life;
    if (!w.takes || !w.room || taker < threshold(TH_ORDER_TAKER) || full < threshold(TH_ORDER_WINDOW) ||
        (double)nroom < threshold(TH_ORDER_PASSED) || !pieces_of(&w) || !some_long(&w.p)) {
        pieces_free(&w.p);
        return;
    }
    if (each_wait(&w, w.x, y, passed_add) && each_wait(&w, w.z, w.x, full_add) && w.full > 0 &&
        (double)w.passed >= threshold(TH_ORDER_PASSED) && (double)w.p.most >= threshold(TH_ORDER_MEMBERS) &&
        threshold_reached(TH_ORDER_LOST, w.lost, c->tg->end)) {
        finding(&w, taker, full);
    }
    pieces_free(&w.p);
}

void rules_window(struct causes *c)
{
    uint32_t tried = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED && tried < TRIES && !c->rs->failed; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t y = !p->from_scheduler && (p->kind == WK_RECV || p->kind == WK_SELECT)
                               ? causes_group(c, p->waker)
                               : UINT32_MAX;
        if (y != UINT32_MAX && c->life[y].program && (double)c->of[y].n >= threshold(TH_ORDER_PASSED) &&
            c->of[y].n <= PIECES_MOST && c->idle >= causes_idle_least(c)) {
            tried++;
            window_at(c, y, p);
        }
    }
}
