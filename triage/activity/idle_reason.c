/*
 * idle_reason.c - see idle_reason.h. Changes of three counts (this P idle, the world stopped, goroutines
 * runnable) are gathered for a piece of the interval, sorted, and swept over. A piece that would hold too
 * many changes is halved, so memory stays bounded however far one looks.
 */
#include "triage/activity/idle_reason.h"

#include <string.h>

#include "decode/base/order.h"
#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"
#include "triage/tables/slices.h"

enum { CHANGES_MOST = 1 << 15 };
enum what { WHAT_IDLE, WHAT_STOPPED, WHAT_READY, WHATS };

struct idle_change {
    int64_t t;
    int16_t what, by; /* +1, -1 */
};

/* Returns how long the processor was idle in [a,b). */
static int64_t idle_in(const struct idle_reason *l, int64_t a, int64_t b)
{
    return trace_ns(l->tr, lane_p(l->p), ST_IDLE, a, b);
}

/* ---- gathering ----------------------------------------------------------------------------------------- */

/* Adds two changes. Returns false if the piece holds too many, or if there is no memory for them. */
static bool add_change(struct idle_reason *l, int64_t t0, int64_t t1, enum what what)
{
    t0 = t0 > l->w0 ? t0 : l->w0;
    t1 = t1 < l->w1 ? t1 : l->w1;
    if (t0 >= t1)
        return true;
    l->many |= l->n + 2 > CHANGES_MOST && l->w1 - l->w0 > 1;
    l->sum.failed |= !l->many && !(mem_add(l->d, l->cap, l->n, (struct idle_change){t0, (int16_t)what, 1}) &&
                                   mem_add(l->d, l->cap, l->n, (struct idle_change){t1, (int16_t)what, -1}));
    return !l->many && !l->sum.failed;
}

static bool idle_span(void *arg, const struct span *s)
{
    return add_change(arg, s->t0, s->t1, WHAT_IDLE);
}

static bool add_ready(void *arg, const struct span *s)
{
    return add_change(arg, s->t0, s->t1, WHAT_READY);
}

/* Returns how long it was idle in [a,b) while the world was stopped, when no processor may take what is
 * runnable. */
static int64_t idle_stopped(const struct idle_reason *l, int64_t a, int64_t b)
{
    const struct range *r;
    const size_t n = trace_ranges(l->tr, RANGE_STW, &r);
    int64_t sum = 0; /* stops do not overlap and are in order of time */
    for (size_t lo = bisected(n, i, r[i].t1 <= a); lo < n && r[lo].t0 < b; lo++)
        sum += idle_in(l, r[lo].t0 > a ? r[lo].t0 : a, r[lo].t1 < b ? r[lo].t1 : b);
    return sum;
}

/* Ranks a runnable span once: with the piece it begins in, or with the first one if it began before the
 * interval. */
static bool rank_span(void *arg, const struct span *s)
{
    struct idle_reason *l = arg;
    struct idle_reason_sum *m = &l->sum;
    if (s->t0 < l->w0 && l->w0 > l->t0)
        return true;
    const int64_t a = s->t0 > l->t0 ? s->t0 : l->t0, b = s->t1 < l->t1 ? s->t1 : l->t1,
                  idle = idle_in(l, a, b);
    const int64_t ns = idle > 0 ? idle - idle_stopped(l, a, b) : 0;
    if (ns <= 0)
        return true;
    m->waits++;
    uint32_t i = m->ntop < IDLE_REASON_TOP ? m->ntop : IDLE_REASON_TOP;
    while (i > 0 && (m->top[i - 1].ns < ns || (m->top[i - 1].ns == ns && m->top[i - 1].t0 > s->t0)))
        i--;
    if (i == IDLE_REASON_TOP)
        return true;
    uint32_t last = m->ntop < IDLE_REASON_TOP ? m->ntop++ : IDLE_REASON_TOP - 1;
    memmove(&m->top[i + 1], &m->top[i], (last - i) * sizeof *m->top);
    m->top[i] = (struct idle_reason_wait){l->g, ns, s->t0, s->t1};
    return true;
}

/* Calls f for the runnable spans of all goroutines in the piece. Returns false if the sums are no longer
 * wanted. */
static bool each_ready(struct idle_reason *l, bool (*f)(void *arg, const struct span *s))
{
    const uint32_t n = trace_nlanes(l->tr, LANE_G);
    const struct alive_ask ask = {l->tr, LANE_G, l->w0, l->w1, n};
    bool wanted = true;
    for (uint32_t g = 0; g < n && wanted && !l->many && !l->sum.failed;) {
        if (alive_some(l->alive, &ask, &g)) {
            l->g = g++;
            if (trace_ns(l->tr, lane_g(l->g), ST_RUNNABLE, l->w0, l->w1))
                trace_wide(l->tr, lane_g(l->g), &(struct wide_ask){l->w0, l->w1, 1, f, l, 1u << ST_RUNNABLE});
        }
        wanted = slices_tick(); /* never within a lane: the trace may grow meanwhile */
    }
    return wanted;
}

/* ---- sweeping ------------------------------------------------------------------------------------------ */

ORDER(by_time, struct idle_change, LEAST(r->t))

static void settle_sum(struct idle_reason_sum *m, const int64_t *c, int64_t dt)
{
    if (c[WHAT_IDLE] <= 0 || dt <= 0)
        return;
    if (c[WHAT_STOPPED] > 0) {
        m->stopped += dt;
    } else if (c[WHAT_READY] > 0) {
        uint32_t n = (uint32_t)c[WHAT_READY];
        m->least = !m->ready || n < m->least ? n : m->least;
        m->most = n > m->most ? n : m->most;
        m->ready += dt;
    } else {
        m->none += dt;
    }
}

static void sweep(struct idle_reason *l)
{
    int64_t c[WHATS] = {0}, at = l->w0;
    sort(l->d, l->n, by_time);
    for (size_t i = 0; i < l->n; i++) {
        settle_sum(&l->sum, c, l->d[i].t - at);
        at = l->d[i].t;
        c[l->d[i].what] += l->d[i].by;
    }
}

/* Adds [w0,w1) to the sums, at once or by halves. */
static bool piece(struct idle_reason *l, int64_t w0, int64_t w1)
{
    l->w0 = w0;
    l->w1 = w1;
    l->n = 0;
    l->many = false;
    if (idle_in(l, w0, w1)) {
        const struct range *r;
        const size_t n = trace_ranges(l->tr, RANGE_STW, &r);
        const int64_t middle = w0 + (w1 - w0) / 2;
        trace_wide(l->tr, lane_p(l->p), &(struct wide_ask){w0, w1, 1, idle_span, l, 1u << ST_IDLE});
        (void)any_of(i, n, !add_change(l, r[i].t0, r[i].t1, WHAT_STOPPED));
        if (!each_ready(l, add_ready) || l->sum.failed)
            return false;
        if (l->many)
            return piece(l, w0, middle) && piece(l, middle, w1);
        sweep(l);
        if (!each_ready(l, rank_span))
            return false;
    }
    l->at = w1;
    return true;
}

static bool add_pieces(void *arg)
{
    struct idle_reason *l = arg;
    return piece(l, l->t0, l->t1);
}

/* ---- outside ------------------------------------------------------------------------------------------- */

struct idle_reason *idle_reason_new(const struct trace *tr, struct alive *alive, uint32_t p, int64_t t0,
                                    int64_t t1)
{
    const struct trace_info *ti = trace_info(tr);
    struct idle_reason *l = mem_zalloc(sizeof *l);
    if (!l)
        return NULL;
    *l = (struct idle_reason){tr, alive, p, t0, t1, .at = t0, .events = ti->events, .end = ti->end};
    l->epoch = ti->epoch;
    l->sum.idle = idle_in(l, t0, t1);
    l->slices = l->sum.idle ? slices_new(add_pieces, l) : NULL;
    l->sum.failed = l->sum.idle && !l->slices;
    l->done = !l->slices;
    return l;
}

void idle_reason_free(struct idle_reason *l)
{
    if (!l)
        return;
    slices_free(l->slices);
    mem_free(l->d);
    mem_free(l);
}

int idle_reason_share(const struct idle_reason *l)
{
    return l->done || l->t1 <= l->t0 ? 100 : (int)time_muldiv(l->at - l->t0, 100, l->t1 - l->t0);
}

bool idle_reason_step(struct idle_reason *l, int64_t budget_ns)
{
    const enum slices_state is = l->done ? SLICES_DONE : slices_run(l->slices, budget_ns);
    l->sum.failed |= is == SLICES_FAILED;
    return l->done = is != SLICES_MORE;
}

bool idle_reason_holds(const struct idle_reason *l)
{
    const struct trace_info *ti = trace_info(l->tr);
    return l->epoch == ti->epoch && (l->events == ti->events || l->t1 < l->end);
}

bool idle_reason_is(const struct idle_reason *l, uint32_t p, int64_t t0, int64_t t1)
{
    return l && l->p == p && l->t0 == t0 && l->t1 == t1 && idle_reason_holds(l);
}
