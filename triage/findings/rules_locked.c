/*
 * rules_locked.c - a goroutine that seems to be locked to its thread (runtime.LockOSThread): no trace records that, but its thread runs
 * nothing else, and it runs on no other, while several others run whatever there is. So each turn with it is one of threads.
 *
 * Where only two threads have anything to do, the same one is woken for the same goroutine each time without that: then it is not told.
 */
#include "triage/findings/causes.h"

#define THREADS 256 /* lanes looked at: where there are more it is not asked */
#define RUNS 400    /* of its thread, the last ones */
#define STEPS 4000  /* spans of a thread */
#define LEAST 100   /* runs of it */
#define BESIDE 32   /* and of each of two other threads meanwhile */

/* The goroutine that a thread ran last. */
static uint32_t ran_last(const struct trace *tr, uint32_t m)
{
    const struct lane l = {LANE_M, m};
    const uint64_t n = trace_lane(tr, l).nspans;
    struct span_iter it;
    bool more = n && span_seek_index(&it, tr, l, n - 1);
    for (int i = 0; i < 8 && more; i++, more = span_prev(&it)) {
        if (span_get(&it)->state == ST_RUNNING) {
            return span_get(&it)->who;
        }
    }
    return NO_LANE;
}

/* Of a thread from its end on backwards: how often it ran that goroutine in a row, and since when. */
static uint32_t in_a_row(const struct trace *tr, uint32_t m, uint32_t g, int64_t *since)
{
    const struct lane l = {LANE_M, m};
    struct span_iter it;
    uint32_t runs = 0;
    bool more = span_seek_index(&it, tr, l, trace_lane(tr, l).nspans - 1);
    for (int i = 0; i < STEPS && runs < RUNS && more; i++, more = span_prev(&it)) {
        const struct span *s = span_get(&it);
        if (s->state == ST_RUNNING && s->who != g) {
            break;
        }
        if (s->state == ST_RUNNING) {
            runs++;
            *since = s->t0;
        }
    }
    return runs;
}

/* Runs in a lane since then, so many at most: of that goroutine (NO_LANE: of any). */
static uint32_t runs_since(const struct trace *tr, struct lane l, int64_t since, uint32_t g, uint32_t most)
{
    struct span_iter it;
    uint32_t runs = 0;
    bool more = span_seek(&it, tr, l, since);
    for (int i = 0; i < 2 * STEPS && runs < most && more; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        runs += s->state == ST_RUNNING && s->t0 >= since && (g == NO_LANE || s->who == g);
    }
    return runs;
}

/* Do two others run something meanwhile, again and again, and never that goroutine? */
static uint32_t others(const struct trace *tr, uint32_t m, uint32_t g, int64_t since)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < trace_nlanes(tr, LANE_M); i++) {
        const struct lane l = {LANE_M, i};
        if (i != m && runs_since(tr, l, since, g, 1)) {
            return 0;
        }
        n += i != m && runs_since(tr, l, since, NO_LANE, BESIDE) == BESIDE;
    }
    return n;
}

bool locked_text(struct draft *d, const struct causes *c, uint32_t group)
{
    const uint32_t g = c->of[group].n == 1 ? causes_nth(c, group, 0) : NO_LANE;
    const uint32_t threads = trace_nlanes(c->tr, LANE_M);
    int64_t since = 0;
    uint32_t m = 0;
    while (g != NO_LANE && m < threads && threads <= THREADS && ran_last(c->tr, m) != g) {
        m++;
    }
    const uint32_t runs = g != NO_LANE && m < threads && threads <= THREADS ? in_a_row(c->tr, m, g, &since) : 0;
    if (runs < LEAST) {
        return false;
    }
    const uint32_t beside = others(c->tr, m, g, since);
    if (beside < 2 || runs_since(c->tr, (struct lane){LANE_G, g}, since, NO_LANE, 2 * RUNS) > runs + runs / 20) {
        return false;
    }
    text_say(&d->text, c->tr, " ", t_who(g),
             " seems to be locked to its thread (runtime.LockOSThread; inferred): its last ", runs,
             " runs were all on one thread, which ran nothing else, while ", beside,
             " other threads ran the rest; so each turn with it switches threads.");
    return true;
}
