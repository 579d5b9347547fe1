/*
 * tally.c - see tally.h.
 */
#include "triage/activity/tally.h"

#include "decode/base/order.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/activity/gstate.h"
#include "triage/tables/stacks.h"

enum { LOOK_EVERY = 8 }; /* goroutines between looks at the clock */

struct tally *tally_new(const struct trace *tr, int64_t t0, int64_t t1, int64_t at)
{
    struct tally *t = mem_zalloc(sizeof *t);
    if (!t)
        return NULL;
    *t = (struct tally){.tr = tr, .t0 = t0, .t1 = t1, .at = at};
    t->all.most = NO_LANE;
    return t;
}

void tally_free(struct tally *t)
{
    if (!t)
        return;
    mem_free(t->row);
    mem_free(t->why);
    tab_free(&t->by_name);
    tab_free(&t->by_place);
    mem_free(t);
}

static const uint8_t now_of[ST_COUNT] = {
    [ST_RUNNING] = NOW_RUN,    [ST_GCWORK] = NOW_RUN,      [ST_ASSIST] = NOW_RUN,  [ST_SWEEP] = NOW_RUN,
    [ST_RUNNABLE] = NOW_READY, [ST_WAITING] = NOW_BLOCKED, [ST_SYSCALL] = NOW_CALL};

static bool note_why(struct tally *t, uint32_t row, const struct span *s)
{
    const uint32_t func = s->stack ? stacks_user(t->tr, s->stack) : 0;
    struct tally_why *w = tab_row_with(&t->by_place, t->why, t->nwhy, (uint64_t)row << 32 | s->reason, func,
                                       .row = row, .reason = s->reason, .func = func);
    if (w)
        w->n++;
    return w;
}

static void add_times(struct tally_row *r, const struct shares *sh, uint32_t g, bool created)
{
    int64_t ran = sh->ns[ST_RUNNING] + sh->ns[ST_GCWORK] + sh->ns[ST_ASSIST] + sh->ns[ST_SWEEP];
    const int64_t ns[TIME_COUNT] = {ran, sh->ns[ST_ASSIST], sh->ns[ST_RUNNABLE], sh->ns[ST_WAITING],
                                    sh->ns[ST_SYSCALL]};
    ns_sum(r->ns, ns, TIME_COUNT); /* times are as large as a file claims */
    r->created += created;
    r->g++;
    if (r->most == NO_LANE || ran > r->most_ns) {
        r->most = g;
        r->most_ns = ran;
    }
}

/* Counts goroutine g. Returns false when out of memory. */
static bool tally_g(struct tally *t, struct gstate *gs, uint32_t g)
{
    struct lane l = lane_g(g);
    struct lane_info li = trace_lane(t->tr, l);
    struct shares sh;
    struct span s;
    if (!li.nspans || li.first >= t->t1 || li.last < t->t0 || (li.last == t->t0 && li.ended))
        return true;
    struct tally_row *r =
        tab_row_with(&t->by_name, t->row, t->n, li.name, 0, .name = li.name, .most = NO_LANE);
    if (!r)
        return false;
    bool created = li.created && li.first >= t->t0;
    gstate_shares(gs, t->tr, l, t->t0, t->t1, &sh);
    add_times(r, &sh, g, created);
    add_times(&t->all, &sh, g, created);
    if (!trace_span_at(t->tr, l, t->at, &s) || s.state == ST_NONE)
        return true;
    const uint8_t n = now_of[s.state];
    r->now[n]++;
    r->there++;
    t->all.now[n]++;
    t->all.there++;
    return n != NOW_BLOCKED || note_why(t, (uint32_t)(r - t->row), &s);
}

/* Sorts by row, then the commonest first. */
ORDER(by_number, struct tally_why, LEAST(r->row) MOST(r->n) LEAST(r->reason) LEAST(r->func))

bool tally_step(struct tally *t, struct alive *alive, struct gstate *gs, int64_t budget_ns)
{
    int64_t until = host_until(budget_ns);
    uint32_t n = trace_nlanes(t->tr, LANE_G);
    for (int i = 0; !t->done && t->next < n; i++) {
        if ((t->next = alive_next(alive, &(struct alive_ask){t->tr, LANE_G, t->t0, t->t1, n}, t->next)) ==
            NO_LANE)
            break;
        if (!tally_g(t, gs, t->next)) {
            t->failed = t->done = true;
            return true;
        }
        t->next++;
        if (i % LOOK_EVERY == LOOK_EVERY - 1 && host_over(until))
            return false;
    }
    if (!t->done)
        sort(t->why, t->nwhy, by_number);
    for (uint32_t i = t->nwhy; !t->done && i-- > 0;) {
        t->row[t->why[i].row].why = i;
        t->row[t->why[i].row].nwhy++;
    }
    return t->done = true;
}
