/*
 * idle.c - why processors were idle: a sweep over time that knows at each moment how many Ps are idle, how
 * many goroutines have been runnable for longer than an ordinary hand-over takes, and how many are in
 * system calls without a P: those whose call will lose or has lost its P, less the Ps that such calls still
 * hold. Nearly all calls keep their P to their end and count as neither: see note_called() in g_spans.c.
 *
 * Invariants. Each nanosecond of a P's idle span of at least IDLE_NOTICE goes to exactly one cause; shorter
 * spans are IDLE_SHORT, so the causes add up to the idle time of all Ps. The sweep goes window by window,
 * so that only few events (about EVENTS_AIM) are in memory at once however long the trace is.
 */
#include "triage/tri.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

#define EVENTS_AIM (1u << 15)
#define BUSY_MAX 1024 /* Ps told apart in the histogram of busy Ps */

enum {
    CNT_RUNNABLE = CHANGE_RUNNABLE,
    CNT_SYSCALL = CHANGE_SYSCALL,
    CNT_IDLE,
    CNT_HELD,
    CNT_STW,
    CNT_P,
    CNTS
};

/* The counts of one window. */
struct part {
    int64_t idle[IDLE_WHYS];
    int64_t busy[BUSY_MAX]; /* ns by number of busy Ps */
};

/* Start times of calls in which a goroutine lost its P, ascending; t[n] is INT64_MAX. */
struct lost_calls {
    int64_t *t;
    size_t n;
};

struct sweep { /* of one window */
    const struct triage *tg;
    uint64_t *d; /* changes of a count: WITHIN_KEY */
    size_t n, cap;
    int64_t w0, w1;                    /* the window */
    int64_t begun[CHANGE_SYSCALL + 1]; /* goroutine counts at its start */
    unsigned steps;                    /* between ticks */
    bool calls, second_family;         /* calls: some counted call of a goroutine overlaps the window */
    const struct lost_calls *lost;     /* of which the Ps' spans aren't told */
    int64_t since;                     /* of the P at hand: from when on it has been there */
    bool gaps;                         /* it has not been there always */
    enum state before; /* of its last span seen, or as good as that; ST_NONE: none that is recorded */
    struct part *part;
    bool failed;
};

/* A change: its time within the window; which count; up or down. Changes at one time take effect together,
 * so their order doesn't matter. */
#define WITHIN_KEY(t, what, up) ((uint64_t)(t) << WITHIN_BITS | (uint64_t)(what) << 1 | (up))
enum { WITHIN_BITS = 4 };

static void add(struct sweep *s, int64_t t0, int64_t t1, int what)
{
    t0 = t0 > s->w0 ? t0 : s->w0;
    t1 = t1 < s->w1 ? t1 : s->w1;
    if (t0 >= t1 || s->failed)
        return;
    if (!mem_room(s->d, s->cap, s->n + 2)) {
        s->failed = true;
        return;
    }
    uint64_t *p = s->d + s->n;
    p[0] = WITHIN_KEY(t0 - s->w0, what, 1);
    p[1] = WITHIN_KEY(t1 - s->w0, what, 0);
    s->n += 2;
}

/* One step of a loop; returns true to go on. */
static bool step(struct sweep *s)
{
    if (++s->steps % 256 == 0 && !slices_tick())
        s->failed = true;
    return !s->failed;
}

/* From where on spans tell whether their P is held in a call that counts. */
static const int64_t *lost_from(const struct sweep *s, int64_t t)
{
    size_t at = 0;
    bisect(at, s->lost->n, i, s->lost->t[i] < t);
    return &s->lost->t[at];
}

static bool p_spans(void *arg, const struct span_run *r)
{
    struct sweep *s = arg;
    int64_t t = r->t0;
    const int64_t *const dur = r->dur, *lost = lost_from(s, t);
    const uint32_t *const tag = r->tag, n = r->n;
    const struct span_tag *const kind = r->kind;
    const int64_t least = s->gaps ? 0 : IDLE_NOTICE;
    for (uint32_t i = 0; i < n; t += dur[i++]) {
        const int64_t ns = dur[i];
        if (ns < least)
            continue;
        const uint8_t state = kind[tag[i]].state;
        if (state == ST_NONE) { /* P not there: busy spans need no event of their own */
            add(s, s->since, t, CNT_P);
            s->since = t + ns;
        } else if (ns >= IDLE_NOTICE && state == ST_IDLE) {
            add(s, t, t + ns, CNT_IDLE);
        } else if (ns >= IDLE_NOTICE && state == ST_SYSCALL && s->calls) {
            while (*lost < t)
                lost++;
            /* Before Go 1.22 a goroutine's call counts if it is long, and so does one whose start is
             * unknown. */
            if (*lost == t || !s->second_family || !(i ? kind[tag[i - 1]].state : s->before))
                add(s, t, t + ns, CNT_HELD);
        }
    }
    s->before = n ? kind[tag[n - 1]].state : s->before;
    return step(s);
}

/* Reads a P's spans only where it idles, is held in a call, or isn't there. */
static void collect_p(struct sweep *s, uint32_t p)
{
    const struct trace *tr = s->tg->tr;
    const struct lane l = {LANE_P, p};
    struct lifetime life;
    trace_lives(tr, LANE_P, p, 1, &life);
    s->since = life.first;
    s->before = life.first < s->w0 ? ST_RUNNING : ST_NONE;
    s->gaps = s->tg->p[p].s.ns[ST_NONE];
    trace_states(tr, l,
                 &(struct states_ask){.t0 = s->w0,
                                      .t1 = s->w1,
                                      .min_ns = IDLE_NOTICE,
                                      .only = 1u << ST_IDLE | (s->gaps ? 1u << ST_NONE : 0) |
                                              (s->calls ? 1u << ST_SYSCALL : 0),
                                      .f = p_spans,
                                      .arg = s});
    add(s, s->since, life.last, CNT_P);
}

static void collect(struct sweep *s)
{
    const struct range *r;
    size_t n = trace_ranges(s->tg->tr, RANGE_STW, &r);
    for (uint32_t p = 0; p < s->tg->np && !s->failed; p++) {
        collect_p(s, p);
        (void)step(s);
    }
    for (size_t i = 0; i < n; i++)
        add(s, r[i].t0, r[i].t1, CNT_STW);
}

/* The goroutines' changes within the window: of those that are told of it, as what lies behind the trace's
 * end is with the last. */
static void collect_g(struct sweep *s, const uint64_t *key, size_t n)
{
    s->failed |= !mem_room(s->d, s->cap, s->n + n + 1);
    for (size_t i = 0; i < n && !s->failed; i++) {
        const int64_t t = CHANGE_TIME(key[i]);
        s->calls |= CHANGE_WHAT(key[i]) == CHANGE_SYSCALL;
        if (t < s->w1)
            s->d[s->n++] = WITHIN_KEY(t - s->w0, CHANGE_WHAT(key[i]), key[i] & 1);
    }
}

/* Between two changes the counts in c[] are constant. */
static inline __attribute__((always_inline)) void settle(struct sweep *s, const int64_t *c, int64_t t0,
                                                         int64_t t1)
{
    struct part *part = s->part;
    int64_t idle = c[CNT_IDLE], missed, sys = c[CNT_SYSCALL] - c[CNT_HELD], busy = c[CNT_P] - idle,
            dt = t1 - t0;
    busy = busy < 0 ? 0 : busy < BUSY_MAX ? busy : BUSY_MAX - 1;
    part->busy[busy] = ns_more(part->busy[busy], dt);
    if (idle <= 0)
        return;
    if (c[CNT_STW] > 0) {
        part->idle[IDLE_STW] = ns_more(part->idle[IDLE_STW], ns_times(idle, dt));
        return;
    }
    missed = c[CNT_RUNNABLE] < idle ? c[CNT_RUNNABLE] : idle;
    sys = sys < 0 ? 0 : sys < idle - missed ? sys : idle - missed;
    if (missed > 0)
        part->idle[IDLE_MISSED] = ns_more(part->idle[IDLE_MISSED], ns_times(missed, dt));
    if (sys)
        part->idle[IDLE_SYSCALL] = ns_more(part->idle[IDLE_SYSCALL], ns_times(sys, dt));
    if (idle > missed + sys)
        part->idle[IDLE_NOWORK] = ns_more(part->idle[IDLE_NOWORK], ns_times(idle - missed - sys, dt));
}

static void run_window(struct sweep *s)
{
    int64_t c[CNTS] = {[CNT_RUNNABLE] = s->begun[CNT_RUNNABLE], [CNT_SYSCALL] = s->begun[CNT_SYSCALL]},
            at = s->w0;
    if (!keys_sort(s->d, s->n, WITHIN_BITS)) {
        s->failed = true;
        return;
    }
    for (size_t i = 0; i < s->n && step(s); i++) {
        const uint64_t key = s->d[i];
        const int64_t t = s->w0 + (int64_t)(key >> WITHIN_BITS);
        if (t > at) {
            settle(s, c, at, t);
            at = t;
        }
        c[key >> 1 & 7] += key & 1 ? 1 : -1;
    }
    if (s->w1 > at)
        settle(s, c, at, s->w1);
}

static void finish(struct triage *tg, const struct part *part)
{
    int64_t known = 0, seen = 0;
    memcpy(tg->idle, part->idle, sizeof tg->idle);
    for (int i = 0; i < IDLE_SHORT; i++)
        known = ns_add(known, tg->idle[i]);
    tg->idle[IDLE_SHORT] = tg->p_sum.ns[ST_IDLE] > known ? tg->p_sum.ns[ST_IDLE] - known : 0;
    for (int i = 0; i < BUSY_MAX; i++) {
        seen = ns_add(seen, part->busy[i]);
        if (seen >= tg->end - tg->end / 100) {
            tg->busy_p99 = (uint32_t)i;
            break;
        }
    }
}

/* ---- all windows --------------------------------------------------------------------------------------- */

struct idle_windows {
    struct triage *tg;
    struct part *sum;
    int64_t (*begun)[CHANGE_SYSCALL + 1]; /* of each: goroutines' counts */
    size_t *at;                           /* and where its changes begin */
    struct lost_calls lost;
    int64_t n;
    unsigned shift; /* so many bits of a time are within its window */
};

bool idle_window(void *arg, size_t i, void **kept)
{
    struct idle_windows *w = arg;
    struct sweep s = {.tg = w->tg,
                      .w0 = (int64_t)i << w->shift,
                      .w1 = (int64_t)i + 1 < w->n ? ((int64_t)i + 1) << w->shift : w->tg->end,
                      .part = mem_zalloc(sizeof *s.part)};
    *kept = s.part;
    if (!s.part)
        return false;
    memcpy(s.begun, w->begun[i], sizeof s.begun);
    s.failed = !mem_room(s.d, s.cap, w->at[i + 1] - w->at[i] + EVENTS_AIM / 4); /* or more */
    s.calls = s.begun[CNT_SYSCALL];
    s.second_family = trace_info(w->tg->tr)->second_family;
    s.lost = &w->lost;
    if (w->at[i + 1] > w->at[i])
        collect_g(&s, w->tg->work->changes + w->at[i], w->at[i + 1] - w->at[i]);
    collect(&s);
    if ((s.n || s.begun[CNT_RUNNABLE] || s.begun[CNT_SYSCALL]) && !s.failed)
        run_window(&s);
    mem_free(s.d);
    return !s.failed;
}

bool idle_add(void *arg, size_t i, void *kept)
{
    struct part *sum = ((struct idle_windows *)arg)->sum, *p = kept;
    (void)i;
    for (int k = 0; k < IDLE_WHYS; k++)
        sum->idle[k] = ns_add(sum->idle[k], p->idle[k]);
    for (int k = 0; k < BUSY_MAX; k++)
        sum->busy[k] = ns_add(sum->busy[k], p->busy[k]);
    mem_free(p);
    return true;
}

void idle_drop(void *kept)
{
    mem_free(kept);
}

static inline int64_t window_of(const struct idle_windows *w, int64_t t)
{
    return t < w->tg->end ? t >> w->shift : w->n - 1;
}

/* The goroutines' changes by window, where they stand; next: room for an index each. */
static void changes_apart(struct idle_windows *w, size_t *next)
{
    struct triage_work *wk = w->tg->work;
    for (size_t i = 0; i < wk->nchanges; i++) {
        const int64_t k = window_of(w, CHANGE_TIME(wk->changes[i]));
        w->at[k + 1]++;
        w->begun[k][CHANGE_WHAT(wk->changes[i])] += wk->changes[i] & 1 ? 1 : -1;
        if (i % 4096 == 0)
            (void)slices_tick();
    }
    for (int64_t i = 0; i < w->n; i++) {
        next[i] = w->at[i];
        w->at[i + 1] += w->at[i];
    }
    for (int64_t i = 0; i < w->n; i++) {
        while (next[i] < w->at[i + 1]) {
            uint64_t *x = &wk->changes[next[i]];
            uint64_t *y = &wk->changes[next[window_of(w, CHANGE_TIME(*x))]++];
            const uint64_t swap = *x;
            *x = *y;
            *y = swap;
        }
        (void)slices_tick();
    }
}

/* And what they come to as each window begins. */
static bool changes_by_window(struct idle_windows *w)
{
    int64_t c[CHANGE_SYSCALL + 1] = {0};
    const size_t n = (size_t)w->n;
    size_t *next = mem_alloc(n * sizeof *next);
    w->begun = mem_zalloc(n * sizeof *w->begun);
    w->at = mem_zalloc((n + 1) * sizeof *w->at);
    if (!next || !w->begun || !w->at) {
        mem_free(next);
        return false;
    }
    changes_apart(w, next);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k <= CHANGE_SYSCALL; k++) {
            const int64_t more = w->begun[i][k];
            w->begun[i][k] = c[k];
            c[k] += more;
        }
    }
    mem_free(next);
    return true;
}

static bool lost_calls(struct idle_windows *w)
{
    const struct triage_work *wk = w->tg->work;
    struct lost_calls *c = &w->lost;
    size_t n = 0;
    for (size_t i = 0; i < wk->nchanges; i++)
        n += CHANGE_WHAT(wk->changes[i]) == CHANGE_SYSCALL;
    uint64_t *t = mem_alloc((n / 2 + 1) * sizeof *t);
    if (!t)
        return false;
    for (size_t i = 0; i < wk->nchanges; i++) {
        const uint64_t key = wk->changes[i];
        if (CHANGE_WHAT(key) == CHANGE_SYSCALL && key & 1)
            t[c->n++] = (uint64_t)CHANGE_TIME(key);
    }
    t[c->n] = INT64_MAX;
    c->t = (int64_t *)t;
    return keys_sort(t, c->n, 0);
}

bool idle_begin(struct triage *tg, struct idle_windows **out, size_t *n)
{
    struct idle_windows *w = mem_zalloc(sizeof *w);
    uint64_t events = tg->work->nchanges;
    *out = w;
    *n = 0;
    if (!w)
        return false;
    w->tg = tg;
    w->sum = mem_zalloc(sizeof *w->sum);
    if (!w->sum)
        return false;
    for (uint32_t p = 0; p < tg->np; p++)
        events += tg->p[p].spans;
    if (tg->end > 0) {
        const int64_t least = (int64_t)(events / EVENTS_AIM);
        for (w->shift = 62; w->shift && (tg->end - 1) >> w->shift < least; w->shift--) {
        }
        w->n = ((tg->end - 1) >> w->shift) + 1;
    }
    *n = (size_t)w->n;
    return !*n || (changes_by_window(w) && lost_calls(w));
}

void idle_end(struct idle_windows *w, bool ok)
{
    if (!w)
        return;
    if (ok && w->tg->end > 0)
        finish(w->tg, w->sum);
    mem_free(w->tg->work->changes);
    w->tg->work->changes = NULL;
    w->tg->work->nchanges = 0;
    mem_free(w->sum);
    mem_free(w->lost.t);
    mem_free(w->begun);
    mem_free(w->at);
    mem_free(w);
}
