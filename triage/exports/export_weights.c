/*
 * export_weights.c - see export_weights.h. One walk over a goroutine's spans per call; equal stacks have
 * equal numbers (decode interns them), so a row is found by numbers alone.
 */
#include "triage/exports/export_weights.h"

#include <stdlib.h>

#include "decode/base/mem.h"
#include "triage/tables/stackweights.h"

void weights_free(struct weights *w)
{
    tab_free(&w->by);
    mem_free(w->v);
    *w = (struct weights){0};
}

static int by_weight(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    const uint32_t p[] = {x->stack, x->func, x->state, x->reason},
                   q[] = {y->stack, y->func, y->state, y->reason};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

void weights_sort(struct weights *w)
{
    if (w->n)
        qsort(w->v, w->n, sizeof *w->v, by_weight);
    tab_free(&w->by); /* rows have moved */
}

static bool add(struct weights *w, struct weight key, uint64_t count, int64_t ns)
{
    uint64_t a = (uint64_t)key.stack << 32 | key.func, b = (uint64_t)key.state << 32 | key.reason;
    uint32_t row = w->n < TAB_NONE ? tab_put(&w->by, a, b, (uint32_t)w->n) : TAB_NONE;
    if (row == TAB_NONE)
        return false;
    if (row == w->n) {
        struct weight *v = mem_grow(w->v, &w->cap, w->n + 1, sizeof *v);
        if (!v)
            return false;
        w->v = v;
        w->v[w->n++] = key;
    }
    w->v[row].count += count;
    w->v[row].ns = ns_add(w->v[row].ns, ns);
    w->count += count;
    w->ns = ns_add(w->ns, ns);
    return true;
}

/* ---- off the processor --------------------------------------------------------------------------------- */

static bool is_run(const struct span *s)
{
    return s->state == ST_RUNNING || s->state == ST_GCWORK || s->state == ST_ASSIST;
}

enum before { NOTHING, RAN, BLOCKED };

static enum before before_of(const struct trace *tr, const struct span *s, uint32_t *own)
{
    if (is_run(s))
        return RAN;
    if (s->state != ST_WAITING && s->state != ST_SYSCALL)
        return NOTHING;
    *own = sw_stack(tr, s->stack);
    return BLOCKED;
}

bool weights_off(struct weights *w, const struct scope *sc, uint32_t g)
{
    struct lane l = {LANE_G, g};
    struct lane_info info = trace_lane_who(sc->tr, l);
    struct span_iter it;
    uint32_t own = 0; /* its stack when it last blocked or called */
    enum before was = NOTHING;
    if (!span_seek(&it, sc->tr, l, sc->from))
        return true;
    if (span_prev(&it)) {
        was = before_of(sc->tr, span_get(&it), &own);
        span_next(&it);
    }
    do {
        const struct span *s = span_get(&it);
        if (s->t0 >= sc->to)
            break;
        struct weight k = {.stack = sw_stack(sc->tr, s->stack), .state = s->state, .reason = s->reason};
        if (s->state == ST_RUNNABLE && (was == BLOCKED || (was == NOTHING && info.created)))
            k.stack = was == BLOCKED ? own : 0; /* the span's is the waker's, the creator's */
        k.func = k.stack ? 0 : info.name;
        was = before_of(sc->tr, s, &own);
        int64_t ns = was == RAN || s->state == ST_NONE ? 0 : scope_len(sc, s->t0, s->t1);
        if (ns > 0 && !add(w, k, 1, ns))
            return false;
    } while (span_next(&it));
    return true;
}

bool weights_run(struct weights *w, const struct scope *sc, uint32_t g)
{
    struct lane l = {LANE_G, g};
    struct lane_info i = trace_lane(sc->tr, l);
    int64_t t0 = i.first > sc->from ? i.first : sc->from, t1 = i.last < sc->to ? i.last : sc->to;
    struct shares s;
    if (t0 >= t1)
        return true;
    trace_shares(sc->tr, l, t0, t1, &s);
    int64_t ns = ns_add(ns_add(s.ns[ST_RUNNING], s.ns[ST_GCWORK]), s.ns[ST_ASSIST]);
    return ns == 0 || add(w, (struct weight){.func = i.name, .state = ST_RUNNING}, 1, ns);
}

bool weights_samples(struct weights *w, const struct scope *sc)
{
    const struct sample *v;
    size_t n = trace_samples(sc->tr, &v);
    for (size_t i = 0; i < n; i++)
        if (v[i].t >= sc->from && v[i].t < sc->to && scope_g(sc, v[i].g) &&
            !add(w, (struct weight){.stack = v[i].stack}, 1, 0))
            return false;
    return true;
}
