/*
 * rules_meant.c - what waits for the network are meant for, by what the goroutine does around them: a server's next question; news that
 * may not come for long.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define STEPS 20000 /* spans of each goroutine */
#define WALKED 16   /* goroutines of a group */
#define KEPT 2048   /* waits */
#define AT_ONCE 20  /* of what an answer takes is until it asks again */

/* ---- questions ------------------------------------------------------------------------------------------------------- */

static bool reads(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        if (str_starts(trace_str(tr, trace_frame(tr, stack, i).func), "internal/poll.(*FD).Read")) {
            return true;
        }
    }
    return false;
}

bool meant_for_questions(const struct causes *c, uint32_t g, uint32_t place)
{
    struct span_iter it;
    uint32_t waits = 0, answered = 0;
    bool begun = false, open = false;
    bool more = place && span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    for (int i = 0; more && i < STEPS; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        const bool net = s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET;
        if ((!net && s->state != ST_SYSCALL) || !s->stack || causes_place(c->tr, s->stack) != place) {
            continue;
        }
        const bool read = reads(c->tr, s->stack);
        if (!begun && !read) {
            return false; /* it asks, or connects */
        }
        begun = true;
        if (net && read) {
            waits++;
            open = true;
        } else if (open && !read && causes_sends(c->tr, s->stack)) {
            answered++;
            open = false;
        }
    }
    return waits > 0 && answered * 2 >= waits; /* none behind the last, mostly: the other side hangs up */
}

/* So many frames from the outermost on are of the same functions. */
static uint32_t same_way(const struct trace *tr, uint32_t a, uint32_t b)
{
    const uint32_t n = trace_stack(tr, a), m = trace_stack(tr, b);
    uint32_t k = 0;
    while (k < n && k < m && trace_frame(tr, a, n - 1 - k).func == trace_frame(tr, b, m - 1 - k).func) {
        k++;
    }
    return k;
}

struct session {    /* along a goroutine that serves a connection */
    uint32_t first; /* stack of its first wait for the network */
    uint32_t sent,
        read; /* stacks of the last sending, and of the last wait at the place, if nothing else was waited for since */
    uint32_t near;        /* functions that the last wait there has in common with what was sent before */
    uint32_t waits, asks; /* there; of which it is nearer to what was sent before than to what is sent behind */
    uint32_t back;        /* waits where the first was */
};

static void session_sends(struct session *k, const struct trace *tr, uint32_t stack)
{
    if (k->read) {
        k->asks += k->near > same_way(tr, k->read, stack);
        k->waits++;
    }
    k->read = 0;
    k->sent = stack;
}

bool meant_for_session(const struct causes *c, uint32_t g, uint32_t place)
{
    struct session k = {0};
    struct span_iter it;
    bool more = place && span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    for (int i = 0; more && i < STEPS; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        if (s->state == ST_SYSCALL && s->stack && s->stack != k.sent && causes_sends(c->tr, s->stack)) {
            session_sends(&k, c->tr, s->stack);
        } else if (s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET) {
            if (!k.first && !reads(c->tr, s->stack)) {
                return false; /* it connects, first of all */
            }
            k.first = k.first ? k.first : s->stack;
            k.back += s->stack == k.first;
            k.read = k.sent && causes_place(c->tr, s->stack) == place ? s->stack : 0;
            k.near = k.read ? same_way(c->tr, k.sent, k.read) : 0;
            k.sent = 0;
        }
    }
    return k.waits > 0 && k.asks * 4 < k.waits && k.back * 4 < k.waits;
}

/* ---- news ------------------------------------------------------------------------------------------------------------ */

struct asked {          /* a wait for an answer at one place, for one caller */
    int64_t ns, behind; /* behind: until it asks there again */
};
struct answers {
    struct asked v[KEPT];
    uint32_t n;
};

/* Who called the place: questions of several kinds go through one function. */
static uint32_t caller_of(const struct trace *tr, uint32_t stack, uint32_t place)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (trace_frame(tr, stack, i).func == place) {
            return trace_frame(tr, stack, i + 1).func;
        }
    }
    return 0;
}

static void answers_of(const struct causes *c, uint32_t g, uint32_t place, uint32_t caller, struct answers *a)
{
    struct walk w;
    struct span last = {0};
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; a->n < KEPT && (s = walk_next(&w));) {
        last.t1 = s->state == ST_NONE ? 0 : last.t1;
        if (s->state != ST_WAITING || s->open_start || s->open_end ||
            stacks_wait_kind(c->tr, s->reason, s->stack) != WK_NET || causes_place(c->tr, s->stack) != place ||
            caller_of(c->tr, s->stack, place) != caller) {
            continue;
        }
        if (last.t1) {
            a->v[a->n++] = (struct asked){last.t1 - last.t0, s->t0 - last.t1};
        }
        last = *s;
    }
}

static int by_wait(const void *a, const void *b)
{
    const struct asked *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static int by_behind(const void *a, const void *b)
{
    const struct asked *x = a, *y = b;
    return (x->behind > y->behind) - (x->behind < y->behind);
}

/* The middle of what lies behind v[from..to); sorts them. */
static int64_t usually_behind(struct asked *v, uint32_t from, uint32_t to)
{
    qsort(v + from, to - from, sizeof *v, by_behind);
    return v[from + (to - from) / 2].behind;
}

/* Do other goroutines wait for what those of that group hand them, more than once each, to see them end? */
static bool handed_on(const struct causes *c, uint32_t group)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool its = !p->from_scheduler && p->waker == c->tg->groups[group].name && p->waiter != p->waker;
        n += its ? p->count : 0;
    }
    return n > c->of[group].n;
}

/* The long ones, all about as long, take most of the time, and behind them it asks again at once; behind the others there is something to do. */
static bool mostly_in_vain(struct answers *a, int64_t *limit)
{
    uint32_t vain = a->n, some = 0;
    int64_t all = 0, long_ones = 0;
    qsort(a->v, a->n, sizeof a->v[0], by_wait);
    *limit = a->n ? a->v[a->n - 1 - a->n / 4].ns : 0; /* a quarter of them or more is that long */
    for (uint32_t i = a->n; i--;) {
        all = ns_add(all, a->v[i].ns);
        if ((double)a->v[i].ns >= threshold(TH_BACKEND_NEWS) * (double)*limit) {
            long_ones = ns_add(long_ones, a->v[i].ns);
            vain = i;
        }
    }
    while (some < vain && a->v[some].ns * 2 < *limit) {
        some++;
    }
    if ((double)(a->n - vain) < threshold(TH_CALLS_WAITS) || (double)some < threshold(TH_CALLS_WAITS) ||
        (double)a->v[a->n - 1].ns * threshold(TH_BACKEND_NEWS) > (double)*limit ||
        !threshold_reached(TH_BACKEND_VAIN, long_ones, all)) {
        return false;
    }
    const int64_t at_once = usually_behind(a->v, vain, a->n);
    return at_once * AT_ONCE <= *limit &&
           (double)usually_behind(a->v, 0, some) >= threshold(TH_BACKEND_DONE) * (double)at_once;
}

int64_t meant_for_news(struct causes *c, const struct waits_at *p)
{
    const uint32_t group = gstat_group(c->tg->g, p->most->longest.g),
                   caller = caller_of(c->tr, p->most->stack, p->place);
    const struct task *k;
    const struct region *r;
    int64_t limit = 0;
    if (handed_on(c, group) || trace_tasks(c->tr, &k) || trace_regions(c->tr, &r)) {
        return 0;
    }
    struct answers *a = mem_alloc(sizeof *a);
    if (!a) {
        c->rs->failed = true;
        return 0;
    }
    a->n = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
        answers_of(c, causes_member(c, group, i, WALKED), p->place, caller, a);
    }
    const bool news = mostly_in_vain(a, &limit);
    mem_free(a);
    return news ? limit : 0;
}
