/*
 * events.c - see events.h. Events are derived from the lanes' spans: each boundary between two spans is a
 * transition.
 */
#include "triage/activity/events.h"

#include "decode/base/order.h"
#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"

enum { MOST = 40000, WALK = 300000, BLOCK = 256 };

void events_free(struct events *l)
{
    for (int k = 0; k < ITEM_ALL; k++)
        mem_free(l->reach[k]);
    mem_free(l->e);
    *l = (struct events){0};
}

static void events_add(struct events *l, struct event e)
{
    l->cut = l->cut || l->n >= MOST || !mem_add(l->e, l->cap, l->n, e);
}

static bool events_in(struct events_win w, int64_t t)
{
    return t >= w.t0 && t < w.t1;
}

/* ---- ranges, tasks, regions, logs, samples ------------------------------------------------------------- */

/* Makes the blocks once a trace is loaded and no longer changes. Without memory, all entries are looked
 * at. */
static void reach_learn(struct events *l)
{
    struct item x;
    l->reach_known = true;
    for (int k = 0; k < ITEM_ALL; k++) {
        size_t cap = 0;
        for (size_t i = 0; item_at(l->tr, (enum item_kind)k, i, &x); i++) {
            if (i % BLOCK == 0 && !mem_room(l->reach[k], cap, i / BLOCK + 1))
                break;
            struct events_block *b = &l->reach[k][i / BLOCK];
            if (i % BLOCK == 0)
                *b = (struct events_block){x.t0, x.t1};
            b->first = x.t0 < b->first ? x.t0 : b->first;
            b->last = x.t1 > b->last ? x.t1 : b->last;
            l->nreach[k] = (i + 1) / BLOCK; /* those that are whole */
        }
    }
}

/* Returns the first entry from i on that may lie in the window. */
static size_t near_from(const struct events *l, int k, size_t i, struct events_win w)
{
    const struct events_block *b = l->reach[k];
    while (i % BLOCK == 0 && i / BLOCK < l->nreach[k] &&
           (b[i / BLOCK].last < w.t0 || b[i / BLOCK].first >= w.t1))
        i += BLOCK;
    return i;
}

/* Adds an end of an item. A range that concerns all goroutines is shown with any filter. */
static void add_item_end(struct events *l, const struct item *x, bool begin)
{
    static const uint8_t kinds[][2] = {[ITEM_TASK] = {EV_TASK_END, EV_TASK_BEGIN},
                                       [ITEM_REGION] = {EV_REGION_END, EV_REGION_BEGIN},
                                       [ITEM_LOG] = {0, EV_LOG},
                                       [ITEM_SAMPLE] = {0, EV_SAMPLE}};
    const bool range = x->kind < RANGE_KINDS, of_all = x->kind == ITEM_GC || x->kind == ITEM_STW;
    const int64_t t = begin ? x->t0 : x->t1;
    const uint32_t g = begin ? x->g : x->g_end;
    if ((begin ? x->open_start : x->open_end || x->kind >= ITEM_LOG) || !events_in(l->win, t) ||
        (l->only && !of_all && (g == NO_LANE || !filter_shows(l->only, g))))
        return;
    events_add(l, (struct event){.t = t,
                                 .kind = !range  ? kinds[x->kind][begin]
                                         : begin ? EV_RANGE_BEGIN
                                                 : EV_RANGE_END,
                                 .to = range ? x->kind : 0,
                                 .g = g,
                                 .p = x->p,
                                 .who = NO_LANE,
                                 .reason = x->name,
                                 .stack = begin ? x->stack : x->stack_end});
}

static void events_arrays(struct events *l)
{
    struct item x;
    const bool sorted = trace_info(l->tr)->done;
    for (int k = 0; k < ITEM_ALL; k++)
        for (size_t i = near_from(l, k, 0, l->win); item_at(l->tr, (enum item_kind)k, i, &x);
             i = near_from(l, k, i + 1, l->win)) {
            if (sorted && k < RANGE_KINDS && x.t0 >= l->win.t1)
                break;
            add_item_end(l, &x, true);
            add_item_end(l, &x, false);
        }
}

/* ---- what goroutines and processors do ----------------------------------------------------------------- */

bool events_on_p(uint8_t st)
{
    return st == ST_RUNNING || st == ST_GCWORK || st == ST_ASSIST || st == ST_SWEEP || st == ST_SYSCALL;
}

static void add_g_state(struct events *l, uint32_t g, const struct span *before, const struct span *s)
{
    if (l->only && !filter_span(l->only, g, s) && !(before && filter_span(l->only, g, before)))
        return;
    events_add(l, (struct event){.t = s->t0 < 0 ? 0 : s->t0,
                                 .kind = EV_STATE,
                                 .from = before ? before->state : ST_NONE,
                                 .to = s->state,
                                 .inferred = s->open_start,
                                 .g = g,
                                 .p = events_on_p(s->state)                  ? s->who
                                      : before && events_on_p(before->state) ? before->who
                                                                             : NO_LANE,
                                 .who = s->state == ST_RUNNABLE ? s->who : NO_LANE,
                                 .reason = s->reason ? s->reason : s->label,
                                 .stack = s->stack});
}

/* Adds the end of a goroutine after its last span, if it did end. */
static void add_end(struct events *l, uint32_t g, const struct span *last)
{
    if (!events_in(l->win, last->t1))
        return;
    const struct lane_info li = trace_lane(l->tr, lane_g(g));
    if (li.ended && events_in(l->win, li.last))
        events_add(l, (struct event){.t = li.last,
                                     .kind = EV_STATE,
                                     .from = last->state,
                                     .to = ST_NONE,
                                     .g = g,
                                     .p = events_on_p(last->state) ? last->who : NO_LANE,
                                     .who = NO_LANE});
}

static bool events_rests(uint8_t state)
{
    return state == ST_IDLE || state == ST_NONE;
}

/* Adds what a goroutine does, or that a processor starts and stops. */
static void events_of_lane(struct events *l, struct lane of)
{
    const bool g = of.kind == LANE_G;
    struct span_iter it;
    struct span before = {.t1 = NO_TIME};
    if (g && l->only && !filter_shows(l->only, of.i))
        return;
    each_span(s, it, l->tr, of, l->win.t0 - 1) {
        const int64_t t = s->t0 < 0 ? 0 : s->t0;
        if (t >= l->win.t1 || l->cut)
            return;
        if (t >= l->win.t0 && g)
            add_g_state(l, of.i, s->index ? &before : NULL, s);
        else if (t >= l->win.t0 && s->index && events_rests(s->state) != events_rests(before.state))
            events_add(l, (struct event){.t = t,
                                         .kind = EV_PROC,
                                         .from = before.state,
                                         .to = s->state,
                                         .g = NO_LANE,
                                         .p = of.i,
                                         .who = NO_LANE});
        before = *s;
        l->walked += g;
    }
    if (g)
        add_end(l, of.i, &before);
}

/* ---- how wide ------------------------------------------------------------------------------------------ */

#define EVENT_RANK(e) ((e) == EV_RANGE_END ? 0 : (e) == EV_RANGE_BEGIN ? 3 : (e) == EV_PROC ? 1 : 2)
ORDER(event_by_time, struct event,
      LEAST(r->t) LEAST(EVENT_RANK(r->kind)) LEAST(r->g) LEAST(r->kind) LEAST(r->to == ST_NONE))

static void events_collect(struct events *l, struct alive *alive, struct events_win w)
{
    const struct alive_ask ask = {l->tr, LANE_G, w.t0, w.t1, trace_nlanes(l->tr, LANE_G)};
    l->n = 0;
    l->walked = 0;
    l->cut = false;
    l->win = w;
    for (uint32_t g = 0; !l->cut && (g = alive_next(alive, &ask, g)) != NO_LANE; g++)
        events_of_lane(l, lane_g(g));
    for (uint32_t p = 0, n = trace_nlanes(l->tr, LANE_P); p < n && !l->cut && !l->only; p++)
        events_of_lane(l, lane_p(p));
    events_arrays(l);
    sort(l->e, l->n, event_by_time);
}

size_t events_from(const struct events *l, int64_t t)
{
    return bisected(l->n, i, l->e[i].t < t);
}

static bool events_enough(const struct events *l, int64_t t, size_t rows)
{
    size_t before = events_from(l, t), behind = l->n - before;
    return (before >= rows || l->win.t0 <= 0) && (behind > rows || l->win.t1 > l->end);
}

static struct events_win events_window(const struct events *l, int64_t t, int64_t half)
{
    const int64_t t1 = time_add(time_add(t, half), 1), all = time_add(l->end, 1);
    return (struct events_win){t > half ? t - half : 0, t1 < all ? t1 : all};
}

/* Estimates how many spans begin on processors within w, from some of them if they are very many. */
static uint64_t events_density(const struct trace *tr, struct events_win w)
{
    uint64_t sum = 0;
    uint32_t n = trace_nlanes(tr, LANE_P), each = n / 128 + 1;
    for (uint32_t p = 0; p < n; p += each) {
        uint64_t k = trace_count(tr, lane_p(p), w.t0, w.t1);
        sum += k > 1 ? k - 1 : 0;
    }
    return sum * each;
}

static void events_fill(struct events *l, struct alive *alive, int64_t t, size_t rows)
{
    int64_t half = 500;
    while (half <= l->end && events_density(l->tr, events_window(l, t, half)) < rows * 2)
        half *= 2;
    events_collect(l, alive, events_window(l, t, half));
    for (int i = 0; i < 24 && l->cut && half > 0; i++) { /* many events of goroutines that did not run */
        half /= 4;
        events_collect(l, alive, events_window(l, t, half));
    }
    /* With a filter, or where processors are idle, the counts mislead: widen the window while that finds
     * more. */
    for (int i = 0; i < 6 && !l->cut && half <= l->end && l->walked < WALK / 8 && !events_enough(l, t, rows);
         i++) {
        half = half > INT64_MAX / 16 ? INT64_MAX / 2 : half * 8;
        events_collect(l, alive, events_window(l, t, half));
    }
    if (l->cut && half > 0) /* the last step was too wide */
        events_collect(l, alive, events_window(l, t, half / 8));
}

bool events_around(struct events *l, const struct trace *tr, const struct filter *only, struct alive *alive,
                   int64_t t, size_t rows)
{
    const struct trace_info *ti = trace_info(tr);
    const uint64_t version = only ? filter_known(only).version + 1 : 0;
    const bool same = l->tr == tr && l->end == ti->end && l->version == version;
    l->tr = tr;
    l->only = only;
    l->end = ti->end;
    l->version = version;
    if (same && events_in(l->win, t) && (events_enough(l, t, rows) || l->cut || l->n >= MOST / 2))
        return false;
    if (same && l->tried == t && l->tried_rows >= rows) /* another reading would find no more */
        return false;
    if (ti->done && !l->reach_known)
        reach_learn(l);
    events_fill(l, alive, t, rows * 3);
    l->tried = t;
    l->tried_rows = rows;
    return true;
}
