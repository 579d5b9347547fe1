/*
 * chain.c - see chain.h. Each step narrows the time: what the waker did matters only until it woke, and only
 * since the wait began, so chains end.
 */
#include "triage/tables/chain.h"

#include "triage/tables/stacks.h"
#include "triage/sentence.h"

static bool wait_at(const struct trace *tr, uint32_t g, int64_t t, struct span *w, uint32_t *waker,
                    uint32_t *wake_stack)
{
    struct span_iter it;
    *waker = NO_LANE;
    *wake_stack = 0;
    if (!span_seek(&it, tr, (struct lane){LANE_G, g}, t))
        return false;
    *w = *span_get(&it);
    if (w->state == ST_RUNNABLE && w->t0 > 0 && span_prev(&it)) /* woken, not yet running: the wait before */
        *w = *span_get(&it);
    if (w->state != ST_WAITING)
        return false;
    if (span_next(&it) && span_get(&it)->state == ST_RUNNABLE) {
        *waker = span_get(&it)->who;
        *wake_stack = span_get(&it)->stack;
    }
    return true;
}

struct longest {
    uint8_t state;
    int64_t t0, t1, best;
    struct span s;
};

static bool longer_of(void *arg, const struct span *s)
{
    struct longest *l = arg;
    int64_t a = s->t0 > l->t0 ? s->t0 : l->t0, z = s->t1 < l->t1 ? s->t1 : l->t1;
    if (s->state == l->state && z - a > l->best) {
        l->best = z - a;
        l->s = *s;
    }
    return true;
}

void chain_doing(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1, struct chain_link *k)
{
    struct lane l = {LANE_G, g};
    struct shares sh;
    struct longest lo = {.t0 = t0, .t1 = t1};
    uint8_t best = ST_RUNNING;
    trace_shares(tr, l, t0, t1, &sh);
    for (int i = 0; i < ST_COUNT; i++) {
        bool counts = i == ST_RUNNING || i == ST_SYSCALL || i == ST_RUNNABLE || i == ST_WAITING;
        best = counts && sh.ns[i] > sh.ns[best] ? (uint8_t)i : best;
    }
    *k = (struct chain_link){.g = g, .state = best, .ns = sh.ns[best], .t0 = t0, .t1 = t1};
    lo.state = best;
    /* spans shorter than a 64th of it are not the longest, or it doesn't matter which is */
    trace_wide(tr, l, &(struct wide_ask){t0, t1, (t1 - t0) / 64 + 1, longer_of, &lo, 1u << best});
    if (lo.best > 0) {
        k->t0 = lo.s.t0;
        k->t1 = lo.s.t1;
        k->reason = lo.s.reason;
        k->stack = best == ST_RUNNING ? lo.s.stack_end : lo.s.stack;
    }
}

uint32_t chain_follow(const struct trace *tr, uint32_t g, int64_t t, struct chain_link out[CHAIN_MAX])
{
    struct span w;
    uint32_t waker, wake_stack, n = 0;
    int64_t t0, t1;
    if (g == NO_LANE || !wait_at(tr, g, t, &w, &waker, &wake_stack))
        return 0;
    out[n++] = (struct chain_link){.g = g,
                                   .state = ST_WAITING,
                                   .ns = w.t1 - w.t0,
                                   .t0 = w.t0,
                                   .t1 = w.t1,
                                   .reason = w.reason,
                                   .stack = w.stack};
    t0 = w.t0;
    t1 = w.t1;
    while (n < CHAIN_MAX && waker != NO_LANE && waker < trace_nlanes(tr, LANE_G) && t1 > t0) {
        struct chain_link *k = &out[n++];
        chain_doing(tr, waker, t0, t1, k);
        k->wake_stack = wake_stack;
        if (k->state != ST_WAITING || !wait_at(tr, waker, k->t0, &w, &waker, &wake_stack))
            break;
        t0 = w.t0 > t0 ? w.t0 : t0;
        t1 = w.t1 < t1 ? w.t1 : t1;
    }
    return n;
}

void chain_doing_text(struct text *t, const struct trace *tr, const struct chain_link *k)
{
    text_dur(t, k->ns);
    switch (k->state) {
    case ST_WAITING:
        if (stacks_pipe(tr, k->stack)) {
            text_lit(t, " waiting for a pipe");
            break;
        }
        text_lit(t, " waiting (");
        text_wait(t, tr, k->reason, k->stack);
        text_lit(t, ")");
        break;
    case ST_SYSCALL: text_lit(t, " in a system call"); break;
    case ST_RUNNABLE: text_lit(t, " runnable, without a processor"); break;
    default: text_lit(t, " running");
    }
    if (k->stack) { /* of running the stack is its end's; of a runnable one that was woken its waker's */
        text_say(t, tr,
                 k->state == ST_RUNNING    ? " until "
                 : k->state != ST_RUNNABLE ? " at "
                 : k->reason               ? " after "
                                           : ", woken at ",
                 t_where(k->stack, 60));
    }
}

void chain_text(struct text *t, const struct trace *tr, const struct chain_link *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_lit(t, " <- woken by ");
        text_who(t, tr, c[i].g);
        if (i && c[i].wake_stack)
            text_say(t, tr, " (", t_where(c[i].wake_stack, 60), ")");
        text_add(t, i ? ", until then " : " was ");
        chain_doing_text(t, tr, &c[i]);
    }
    if (n && c[n - 1].state == ST_WAITING && n < CHAIN_MAX) {
        text_add(t, c[n - 1].t1 >= trace_info(tr)->end ? " <- not woken in this trace"
                                                       : " <- woken by the scheduler");
    }
}
