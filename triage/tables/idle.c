/*
 * idle.c - why processors were idle: a sweep over time that knows, at each moment, how many Ps idle, how many
 * goroutines have been runnable for longer than an ordinary hand-over takes, and how many sit in system calls without
 * a P (calls less Ps held in calls).
 *
 * Invariants. Each nanosecond of a P's idle span of at least IDLE_NOTICE goes to exactly one cause; shorter spans are
 * IDLE_SHORT, so that the causes add up to the idle time of all Ps. The sweep goes window by window, so that the
 * events in memory at once stay few (about EVENTS_AIM) however long the trace is.
 */
#include "triage/tri.h"

#include <stdlib.h>
#include <string.h>

#include "decode/model/alive.h"
#include "decode/base/mem.h"

#define EVENTS_AIM (1u << 17)
#define SLICES 256
#define BUSY_MAX 1024 /* Ps told apart in the histogram of busy Ps */

enum { CNT_IDLE, CNT_RUNNABLE, CNT_SYSCALL, CNT_HELD, CNT_STW, CNT_P, CNTS };

struct delta {
    int64_t t;
    int32_t what; /* enum above */
    int32_t by;   /* +1, -1 */
};

struct sweep {
    struct triage *tg;
    struct delta *d;
    size_t n, cap;
    int64_t w0, w1; /* the window */
    struct alive alive;
    unsigned steps; /* between ticks */
    int64_t *slice; /* missed ns by 256th of the trace */
    int64_t *busy;  /* ns by number of busy Ps */
    bool failed;
};

static void add(struct sweep *s, int64_t t0, int64_t t1, int what)
{
    struct delta *p;
    t0 = t0 > s->w0 ? t0 : s->w0;
    t1 = t1 < s->w1 ? t1 : s->w1;
    if (t0 >= t1 || s->failed) {
        return;
    }
    p = mem_grow(s->d, &s->cap, s->n + 2, sizeof *p);
    if (!p) {
        s->failed = true;
        return;
    }
    s->d = p;
    p[s->n++] = (struct delta){t0, what, 1};
    p[s->n++] = (struct delta){t1, what, -1};
}

/* A step of any loop; true: go on. */
static bool step(struct sweep *s)
{
    if (++s->steps % 256 == 0 && !slices_tick()) {
        s->failed = true;
    }
    return !s->failed;
}

static bool g_span(void *arg, const struct span *sp)
{
    struct sweep *s = arg;
    if (sp->state == ST_RUNNABLE) {
        add(s, sp->t0 + RUNNABLE_NOTICE, sp->t1, CNT_RUNNABLE);
    } else if (sp->state == ST_SYSCALL) {
        add(s, sp->t0, sp->t1, CNT_SYSCALL);
    }
    return step(s);
}

static void p_lane(struct sweep *s, uint32_t p)
{
    struct span_iter it;
    int64_t since, last = s->w0;
    if (!span_seek(&it, s->tg->tr, (struct lane){LANE_P, p}, s->w0)) {
        return;
    }
    since = span_get(&it)->t0;
    do {
        const struct span *sp = span_get(&it);
        if (sp->t0 >= s->w1) {
            break;
        }
        if (sp->state == ST_NONE) { /* not there: busy spans need no event of their own */
            add(s, since, sp->t0, CNT_P);
            since = sp->t1;
        } else if (sp->state == ST_IDLE && tri_len(sp) >= IDLE_NOTICE) {
            add(s, sp->t0, sp->t1, CNT_IDLE);
        } else if (sp->state == ST_SYSCALL && tri_len(sp) >= IDLE_NOTICE) {
            add(s, sp->t0, sp->t1, CNT_HELD);
        }
        last = sp->t1;
    } while (step(s) && span_next(&it));
    add(s, since, last, CNT_P);
}

static void collect(struct sweep *s)
{
    const struct trace *tr = s->tg->tr;
    const struct range *r;
    size_t n = trace_ranges(tr, RANGE_STW, &r);
    s->n = 0;
    for (uint32_t p = 0; p < s->tg->np && !s->failed; p++) {
        p_lane(s, p);
    }
    for (uint32_t g = 0; (g = alive_next(&s->alive, tr, LANE_G, s->w0, s->w1, g, s->tg->ng)) != NO_LANE && step(s);
         g++) {
        const int64_t *ns = s->tg->g[g].ns;
        if (ns[GM_SCHED] + ns[GM_SYSCALL] + ns[GM_SYSBLOCK] >= IDLE_NOTICE) {
            trace_wide(tr, (struct lane){LANE_G, g}, s->w0, s->w1, IDLE_NOTICE, g_span, s);
        }
    }
    for (size_t i = 0; i < n; i++) {
        add(s, r[i].t0, r[i].t1, CNT_STW);
    }
}

static int cmp_delta(const void *a, const void *b)
{
    const struct delta *x = a, *y = b;
    return (x->t > y->t) - (x->t < y->t);
}

static void miss(struct sweep *s, int64_t t0, int64_t t1, int64_t ps)
{
    int64_t len = s->tg->end / SLICES + 1;
    s->tg->missed_wall = ns_add(s->tg->missed_wall, t1 - t0);
    t0 -= s->tg->t0;
    t1 -= s->tg->t0;
    while (t0 < t1) {
        int64_t i = t0 / len, to = (i + 1) * len < t1 ? (i + 1) * len : t1;
        i = i < SLICES ? i : SLICES - 1;
        s->slice[i] = ns_add(s->slice[i], ns_mul(to - t0, ps));
        t0 = to;
    }
}

/* Between two moments nothing changes: c[] holds. */
static void settle(struct sweep *s, const int64_t *c, int64_t t0, int64_t t1)
{
    struct triage *tg = s->tg;
    int64_t idle = c[CNT_IDLE], missed, sys = c[CNT_SYSCALL] - c[CNT_HELD], busy = c[CNT_P] - idle, dt = t1 - t0;
    busy = busy < 0 ? 0 : busy < BUSY_MAX ? busy : BUSY_MAX - 1;
    s->busy[busy] = ns_add(s->busy[busy], dt);
    if (idle <= 0) {
        return;
    }
    if (c[CNT_STW] > 0) {
        tg->idle[IDLE_STW] = ns_add(tg->idle[IDLE_STW], ns_mul(idle, dt));
        return;
    }
    missed = c[CNT_RUNNABLE] < idle ? c[CNT_RUNNABLE] : idle;
    sys = sys < 0 ? 0 : sys < idle - missed ? sys : idle - missed;
    if (missed > 0) {
        tg->idle[IDLE_MISSED] = ns_add(tg->idle[IDLE_MISSED], ns_mul(missed, dt));
        miss(s, t0, t1, missed);
    }
    tg->idle[IDLE_SYSCALL] = ns_add(tg->idle[IDLE_SYSCALL], ns_mul(sys, dt));
    tg->idle[IDLE_NOWORK] = ns_add(tg->idle[IDLE_NOWORK], ns_mul(idle - missed - sys, dt));
}

static void run_window(struct sweep *s)
{
    int64_t c[CNTS] = {0}, at = s->w0;
    qsort(s->d, s->n, sizeof *s->d, cmp_delta);
    for (size_t i = 0; i < s->n && step(s); i++) {
        if (s->d[i].t > at) {
            settle(s, c, at, s->d[i].t);
            at = s->d[i].t;
        }
        c[s->d[i].what] += s->d[i].by;
    }
    if (s->w1 > at) {
        settle(s, c, at, s->w1);
    }
}

static void finish(struct sweep *s)
{
    struct triage *tg = s->tg;
    int64_t known = 0, len = tg->end / SLICES + 1, seen = 0;
    int best = 0;
    for (int i = 0; i < IDLE_SHORT; i++) {
        known = ns_add(known, tg->idle[i]);
    }
    tg->idle[IDLE_SHORT] = tg->p_sum.ns[ST_IDLE] > known ? tg->p_sum.ns[ST_IDLE] - known : 0;
    for (int i = 1; i < SLICES; i++) {
        best = s->slice[i] > s->slice[best] ? i : best;
    }
    tg->idle_worst_ns = s->slice[best];
    tg->idle_worst = (struct moment){
        tg->t0 + best * len, tg->t0 + ((best + 1) * len < tg->end ? (best + 1) * len : tg->end), NO_LANE, NO_LANE};
    for (int i = 0; i < BUSY_MAX; i++) {
        seen = ns_add(seen, s->busy[i]);
        if (seen >= tg->end - tg->end / 100) {
            tg->busy_p99 = (uint32_t)i;
            break;
        }
    }
}

bool triage_idle(struct triage *tg)
{
    struct sweep s = {.tg = tg};
    uint64_t events = tg->work->long_runnables * 2;
    int64_t windows;
    for (uint32_t p = 0; p < tg->np; p++) {
        events += tg->p[p].spans;
    }
    windows = (int64_t)(events / EVENTS_AIM) + 1;
    s.slice = mem_zalloc(SLICES * sizeof *s.slice);
    s.busy = mem_zalloc(BUSY_MAX * sizeof *s.busy);
    if (s.slice && s.busy && tg->end > 0) {
        for (int64_t i = 0; i < windows && !s.failed; i++) {
            s.w0 = tg->t0 + (int64_t)((double)tg->end * ((double)i / (double)windows));
            s.w1 =
                i + 1 == windows ? tg->t1 : tg->t0 + (int64_t)((double)tg->end * ((double)(i + 1) / (double)windows));
            collect(&s);
            if (s.n) {
                run_window(&s);
            }
        }
        finish(&s);
    }
    s.failed |= !s.slice || !s.busy;
    mem_free(s.slice);
    mem_free(s.busy);
    mem_free(s.d);
    alive_free(&s.alive);
    return !s.failed;
}
