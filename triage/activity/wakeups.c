/* wakeups.c - see wakeups.h. */
#include "triage/activity/wakeups.h"

#include "decode/base/host.h"
#include "triage/tables/tab.h"
#include "triage/triage.h"

enum { WALK = 20000, NEXT_SPANS = 4000000, SCAN_LANES = 4000 };

/* ---- states -------------------------------------------------------------------------------------------- */

int64_t wakeups_state(const struct trace *tr, struct lane l, enum state st, int64_t from, int64_t until)
{
    int64_t x =
        until < from ? until : from; /* by halves: the first moment of it, or the one after the last */
    if (until < from) {
        bisect(x, from, t, trace_ns(tr, l, st, t, from) != 0);
        return x > until ? x - 1 : NO_TIME;
    }
    bisect(x, until, t, !trace_ns(tr, l, st, from, t + 1));
    return x < until ? x : NO_TIME;
}

/* ---- causes -------------------------------------------------------------------------------------------- */

bool wakeups_newborn(const struct trace *tr, uint32_t g, const struct span *s)
{
    return s->index == 0 && trace_lane_who(tr, lane_g(g)).created;
}

/* Finds the runnable span that led to what the goroutine does at t, or that ends it. */
static bool wake_of(const struct trace *tr, uint32_t g, int64_t t, int *most, struct span *out)
{
    struct span_iter it;
    if (!span_seek(&it, tr, lane_g(g), t))
        return false;
    uint8_t st = span_get(&it)->state;
    bool back =
        st != ST_WAITING && st != ST_SYSCALL; /* a wait ends with its wake-up, other states began with one */
    for (int i = 0; *most > 0; i++, --*most) {
        const struct span *s = span_get(&it);
        if (s->state == ST_RUNNABLE && s->who != NO_LANE) {
            *out = *s;
            return true;
        }
        if (!back && i > 0 && s->state != ST_RUNNABLE)
            return false;
        if (!(back ? span_prev(&it) : span_next(&it)))
            return false;
    }
    return false;
}

struct wakeup wakeups_cause(const struct trace *tr, uint32_t g, int64_t t, int *most)
{
    struct span wake;
    if (wake_of(tr, g, t, most, &wake))
        return (struct wakeup){g, wake.who, wake.t0, wakeups_newborn(tr, g, &wake)};
    const struct lane_info li = trace_lane(tr, lane_g(g));
    return (struct wakeup){g, li.creator, li.seen, true};
}

/* ---- effects ------------------------------------------------------------------------------------------- */

static void next_is(struct wakeups_next *n, uint32_t g, int64_t t, bool created)
{
    n->w = (struct wakeup){g, n->by, t, created};
    n->found = true;
}

/* Looks for a wake-up of goroutine g by n->by in [t0,t1) that is earlier than the one found so far. */
static void next_in(struct wakeups_next *n, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    const struct lane l = lane_g(g);
    const struct lane_info li = trace_lane(tr, l);
    struct span_iter it;
    if (li.last <= t0 || li.first >= t1)
        return;
    if (li.creator == n->by && li.created && li.seen >= t0 && li.seen < t1 && (!n->found || li.seen < n->w.t))
        next_is(n, g, li.seen, true);
    if (!trace_ns(tr, l, ST_RUNNABLE, t0, t1))
        return;
    each_span(s, it, tr, l, t0) {
        if (n->spans >= NEXT_SPANS || s->t0 >= t1 || (n->found && s->t0 >= n->w.t))
            return;
        if (s->t0 >= t0 && s->state == ST_RUNNABLE && s->who == n->by) {
            next_is(n, g, s->t0, false);
            return;
        }
        n->spans++;
    }
}

bool wakeups_step(struct wakeups_next *n, const struct trace *tr, struct alive *alive, int64_t budget_ns)
{
    enum { LOOK = 1024 }; /* at so many goroutines, then at the clock */
    const int64_t until = host_until(budget_ns), end = trace_info(tr)->end;
    const uint32_t lanes = trace_nlanes(tr, LANE_G);
    for (unsigned looked = 1; n->from < end && n->spans < NEXT_SPANS; looked++) {
        const int64_t to = time_add(n->from, n->len) < end ? time_add(n->from, n->len) : end;
        n->at = alive_next(alive, &(struct alive_ask){tr, LANE_G, n->from, to, lanes}, n->at);
        if (n->at != NO_LANE) {
            next_in(n, tr, n->at++, n->from, to);
            n->spans++;
        } else if (n->found) {
            return true;
        } else {
            n->at = 0;
            n->from = to;
            n->len = n->len > INT64_MAX / 8 ? n->len : n->len * 4;
        }
        if (looked % LOOK == 0 && host_over(until))
            return false;
    }
    n->cut = n->spans >= NEXT_SPANS;
    return true;
}

/* ---- related goroutines -------------------------------------------------------------------------------- */

static void relate(struct related *r, uint32_t g)
{
    if (g == NO_LANE || any_of(i, r->n, r->lane[i] == g))
        return;
    r->cut |= r->n == RELATED_MOST;
    if (r->n < RELATED_MOST)
        r->lane[r->n++] = g;
}

static bool relate_created(void *arg, uint32_t g, const struct lane_info *li)
{
    struct related *r = arg;
    if (li->creator != r->g)
        return true;
    relate(r, g);
    r->created++;
    return r->n < RELATED_MOST / 2;
}

/* Finds the goroutines that unblocked it, over its whole life or as far as the walk goes. */
static void relate_wakers(struct related *r, const struct trace *tr)
{
    struct span_iter it;
    each_span(s, it, tr, lane_g(r->g), INT64_MIN) {
        r->cut |= s->index >= WALK;
        if (s->index >= WALK)
            return;
        if (s->state == ST_RUNNABLE)
            relate(r, s->who);
    }
}

/* Finds the goroutines that it unblocked, only while they are few: their lanes must be searched. */
static void relate_woken(struct related *r, const struct trace *tr, struct alive *alive)
{
    const struct alive_ask in = {tr, LANE_G, r->t0, r->t1, trace_nlanes(tr, LANE_G)};
    struct wakeups_next next = {.by = r->g};
    uint32_t looked = 0;
    for (uint32_t i = 0; (i = alive_next(alive, &in, i)) != NO_LANE; i++) {
        if (++looked > SCAN_LANES || next.spans > 50 * WALK) {
            r->cut = true;
            return;
        }
        next.found = false;
        next_in(&next, tr, i, r->t0, r->t1);
        if (next.found)
            relate(r, i);
    }
}

/* Finds the goroutines that it created, by examining all goroutines. */
bool related_step(struct related *r, const struct trace *tr, struct alive *alive, int64_t budget_ns)
{
    enum { LOOK = 1 << 15 };
    const int64_t until = host_until(budget_ns);
    const uint32_t n = trace_nlanes(tr, LANE_G);
    if (!r->n) {
        relate(r, trace_lane_who(tr, lane_g(r->g)).creator);
        relate(r, r->g);
    }
    while (r->next < n && r->n < RELATED_MOST / 2) {
        const uint32_t to = n - r->next > LOOK ? r->next + LOOK : n;
        (void)trace_walk(tr, r->next, to, &(struct span_walk){.begin = relate_created, .arg = r});
        r->next = to;
        if (r->next < n && host_over(until))
            return false;
    }
    r->few = r->n >= RELATED_MOST / 2;
    relate_wakers(r, tr);
    relate_woken(r, tr, alive);
    return true;
}
