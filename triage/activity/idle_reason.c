/*
 * idle_reason.c - see idle_reason.h. Changes of three counts (this P idle, the world stopped, goroutines
 * runnable) are gathered for a piece of the interval, sorted, and swept over. A piece that would hold too
 * many changes is halved, so memory stays bounded however far one looks; the steps can stop behind any
 * goroutine, and within the processor's spans.
 *
 * Invariant: sum covers [t0,w0) whole; while PIECE_GS, d[] holds the
 * changes in [w0,w1) of all goroutines below g, each with its end behind it.
 */
#include "triage/activity/idle_reason.h"

#include <string.h>

#include "decode/base/order.h"
#include "decode/base/bisect.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/activity/window.h"

enum { CHANGES_MOST = 1 << 15, SPANS_AT_ONCE = 2048 };
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

struct idle_reason *idle_reason_new(const struct trace *tr, struct alive *alive, uint32_t p, int64_t t0,
                                    int64_t t1)
{
    struct idle_reason *l = mem_zalloc(sizeof *l);
    if (!l)
        return NULL;
    const struct trace_info *ti = trace_info(tr);
    *l = (struct idle_reason){tr, alive, p, t0, t1, .events = ti->events, .end = ti->end, .epoch = ti->epoch};
    l->w0 = t0;
    l->w1 = t1;
    l->sum.idle = idle_in(l, t0, t1);
    l->done = !l->sum.idle;
    return l;
}

void idle_reason_free(struct idle_reason *l)
{
    if (!l)
        return;
    mem_free(l->d);
    mem_free(l);
}

int idle_reason_share(const struct idle_reason *l)
{
    return l->done || l->t1 <= l->t0 ? 100 : (int)time_muldiv(l->w0 - l->t0, 100, l->t1 - l->t0);
}

/* ---- gathering ----------------------------------------------------------------------------------------- */

/* Too many changes for one piece: those of its second half are dropped, and gathered later. */
static void halve(struct idle_reason *l)
{
    size_t n = 0;
    l->w1 = l->w0 + (l->w1 - l->w0) / 2;
    for (size_t i = 0; i < l->n; i += 2) { /* a change and its end are adjacent */
        if (l->d[i].t >= l->w1)
            continue;
        l->d[n] = l->d[i];
        l->d[n + 1] = l->d[i + 1];
        if (l->d[n + 1].t > l->w1)
            l->d[n + 1].t = l->w1;
        n += 2;
    }
    l->n = n;
}

static void add(struct idle_reason *l, int64_t t0, int64_t t1, enum what what)
{
    t0 = t0 > l->w0 ? t0 : l->w0;
    t1 = t1 < l->w1 ? t1 : l->w1;
    while (t0 < t1 && l->n + 2 > CHANGES_MOST && l->w1 - l->w0 > 1) {
        halve(l);
        t1 = t1 < l->w1 ? t1 : l->w1;
    }
    if (t0 >= t1 || l->sum.failed)
        return;
    l->sum.failed = !mem_room(l->d, l->cap, l->n + 2);
    if (l->sum.failed)
        return;
    l->d[l->n++] = (struct idle_change){t0, (int16_t)what, 1};
    l->d[l->n++] = (struct idle_change){t1, (int16_t)what, -1};
}

/* Gathers some of the processor's spans, starting at l->from. Returns true when the piece has no more of
 * them. */
static bool add_some(struct idle_reason *l)
{
    struct span_iter it;
    int left = SPANS_AT_ONCE;
    each_span(s, it, l->tr, lane_p(l->p), l->from) {
        if (s->t0 >= l->w1)
            return true;
        l->from = s->t0;
        if (!left--)
            return false;
        if (s->state == ST_IDLE)
            add(l, s->t0, s->t1, WHAT_IDLE);
    }
    return true;
}

/* Returns how long it was idle in [a,b) while the world was stopped, when no processor may take what is
 * runnable. */
static int64_t idle_stopped(const struct idle_reason *l, int64_t a, int64_t b)
{
    const struct range *r;
    const size_t n = trace_ranges(l->tr, RANGE_STW, &r);
    size_t lo = 0;
    int64_t sum = 0;
    bisect(lo, n, i, r[i].t1 <= a); /* stops do not overlap and are in order of time */
    for (; lo < n && r[lo].t0 < b; lo++)
        sum += idle_in(l, r[lo].t0 > a ? r[lo].t0 : a, r[lo].t1 < b ? r[lo].t1 : b);
    return sum;
}

static void rank(struct idle_reason *l, uint32_t g, const struct span *s)
{
    struct idle_reason_sum *m = &l->sum;
    const int64_t a = s->t0 > l->t0 ? s->t0 : l->t0, b = s->t1 < l->t1 ? s->t1 : l->t1,
                  idle = idle_in(l, a, b);
    const int64_t ns = idle > 0 ? idle - idle_stopped(l, a, b) : 0;
    if (ns <= 0)
        return;
    m->waits++;
    uint32_t i = m->ntop < IDLE_REASON_TOP ? m->ntop : IDLE_REASON_TOP;
    while (i > 0 && (m->top[i - 1].ns < ns || (m->top[i - 1].ns == ns && m->top[i - 1].t0 > s->t0)))
        i--;
    if (i == IDLE_REASON_TOP)
        return;
    uint32_t last = m->ntop < IDLE_REASON_TOP ? m->ntop++ : IDLE_REASON_TOP - 1;
    memmove(&m->top[i + 1], &m->top[i], (last - i) * sizeof *m->top);
    m->top[i] = (struct idle_reason_wait){g, ns, s->t0, s->t1};
}

/* Gathers the runnable spans of goroutine g in the piece, or ranks them: each once, with the piece it begins
 * in, or with the first one if it began before the interval. Returns whether there is one. */
static bool take_ready(struct idle_reason *l, uint32_t g)
{
    struct span_iter it;
    if (!trace_ns(l->tr, lane_g(g), ST_RUNNABLE, l->w0, l->w1))
        return false;
    each_span(s, it, l->tr, lane_g(g), l->w0) {
        if (s->t0 >= l->w1 || l->sum.failed)
            break;
        if (s->state != ST_RUNNABLE)
            continue;
        if (l->phase == PIECE_GS)
            add(l, s->t0, s->t1, WHAT_READY);
        else if (s->t0 >= l->w0 || l->w0 == l->t0)
            rank(l, g, s);
    }
    return true;
}

/* ---- sweeping ------------------------------------------------------------------------------------------ */

ORDER(by_time, struct idle_change, LEAST(r->t))

static void settle(struct idle_reason_sum *m, const int64_t *c, int64_t dt)
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
        settle(&l->sum, c, l->d[i].t - at);
        at = l->d[i].t;
        c[l->d[i].what] += l->d[i].by;
    }
}

static void next_piece(struct idle_reason *l)
{
    int64_t len = l->w1 - l->w0;
    l->w0 = l->w1;
    l->w1 = len > (l->t1 - l->w0) / 2 ? l->t1 : l->w0 + len * 2;
    l->phase = PIECE_BEGIN;
    l->done = l->w0 >= l->t1;
}

/* Does one step. Returns true if that may have taken long. */
static bool step(struct idle_reason *l)
{
    if (l->phase == PIECE_BEGIN) {
        l->n = 0;
        l->g = 0;
        l->from = l->w0;
        l->phase = PIECE_P;
    }
    if (l->phase == PIECE_P) {
        if (!add_some(l))
            return true;
        const struct range *r;
        for (size_t i = 0, n = trace_ranges(l->tr, RANGE_STW, &r); i < n; i++)
            add(l, r[i].t0, r[i].t1, WHAT_STOPPED);
        l->phase = PIECE_GS;
        if (!idle_in(l, l->w0, l->w1))
            next_piece(l);
        return true;
    }
    const uint32_t n = trace_nlanes(l->tr, LANE_G);
    if (alive_some(l->alive, &(struct alive_ask){l->tr, LANE_G, l->w0, l->w1, n}, &l->g)) {
        return take_ready(l, l->g++);
    } else if (l->g < n) {
        return false;
    } else if (l->phase == PIECE_GS) {
        sweep(l);
        l->g = 0;
        l->phase = PIECE_RANK;
    } else {
        next_piece(l);
    }
    return true;
}

bool idle_reason_step(struct idle_reason *l, int64_t budget_ns)
{
    int64_t until = host_until(budget_ns);
    for (unsigned i = 1; !l->done; i++) {
        const bool longer = step(l);
        l->done |= l->sum.failed;
        if ((longer || i % 16 == 0) && !l->done && host_over(until))
            return false;
    }
    return true;
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
