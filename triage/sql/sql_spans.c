/*
 * sql_spans.c - the tables of spans: span (of goroutines), proc_span, thread_span; and what is made of
 * goroutines' spans: wait, with who ended it, and wake.
 *
 * A cursor goes from lane to lane, and in a lane from span to span. Where a query bounds the length of spans,
 * the model is asked for those alone (trace_wide()), which leaves out whole blocks.
 */

#include "triage/sql/sql_priv.h"
#include "triage/tables/stacks.h"
#include "triage/triage.h"

enum { WIDE = 128 };

struct span_cursor {
    struct sql_cursor c;
    struct sql_lanes lanes;
    struct lane lane;
    uint32_t only;             /* a bit per state: spans in other states are not rows */
    struct span s;             /* span of the row */
    bool more;                 /* `it` stands after s; else s is the lane's last span */
    bool lost;                 /* the time before s is not recorded */
    bool on;                   /* the cursor is within a lane */
    bool cut;                  /* the second part of s is the next row */
    bool sought;               /* sql_group_next() gives the order of rows */
    int64_t known, torn, stop; /* known: known_until() of the lane; no row begins after stop */
    struct span_iter it;
    /* Only for spans of a bounded length: */
    bool wide;
    int64_t from;
    unsigned nbuf, at;
    struct span buf[WIDE];
    struct span_iter near; /* neighbours of s; tr == NULL: not used yet */
};

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- from span to span --------------------------------------------------------------------------------- */

static bool take_wide(void *arg, const struct span *s)
{
    struct span_cursor *c = arg;
    c->buf[c->nbuf++] = *s;
    return c->nbuf < WIDE;
}

/* Read the next long span of the lane into s. */
static bool wide_step(struct span_cursor *c)
{
    const struct sql_where *w = &c->c.w;
    if (c->at == c->nbuf) {
        if (c->nbuf && c->nbuf < WIDE)
            return false;
        c->from = c->nbuf ? c->buf[WIDE - 1].t1 : c->from;
        c->nbuf = c->at = 0;
        const int64_t t1 = c->stop < INT64_MAX ? c->stop + 1 : INT64_MAX;
        const struct wide_ask ask = {c->from,   t1, w->lo[SQL_P_DUR],
                                     take_wide, c,  c->only == UINT32_MAX ? 0 : c->only};
        trace_wide(c->c.s->tr, c->lane, &ask);
    }
    if (c->at == c->nbuf)
        return false;
    c->s = c->buf[c->at++];
    return true;
}

/* Read the next span of the lane into s, and what its neighbours show about its ends. */
static bool walk_step(struct span_cursor *c)
{
    if (!c->more)
        return false;
    c->s = *span_get(&c->it);
    c->more = span_next(&c->it);
    const bool unknown = c->s.state == ST_UNKNOWN;
    c->s.open_start |= c->lost && !unknown;
    c->s.open_end |= c->more && !unknown && span_get(&c->it)->state == ST_UNKNOWN;
    c->lost = unknown;
    return c->s.t0 <= c->stop;
}

static bool gone_before(const struct trace *tr, struct lane l, const struct span *s)
{
    struct span_iter it;
    return s->index && span_seek_index(&it, tr, l, s->index - 1) && span_get(&it)->state == ST_UNKNOWN;
}

/* Go to the next lane of the query. */
static bool lane_step(struct span_cursor *c)
{
    const struct sql_where *w = &c->c.w;
    const int64_t from = largest(largest(w->lo[SQL_P_T0], w->lo[SQL_P_T1]), 1) - 1;
    c->on = c->more = c->cut = false;
    c->nbuf = c->at = 0;
    for (;;) {
        c->lane.i = sql_lanes_next(&c->lanes);
        if (c->lane.i == NO_LANE)
            return false;
        c->known = INT64_MAX;
        c->from = from;
        if (c->wide)
            break;
        if (!span_seek(&c->it, c->c.s->tr, c->lane, from))
            continue;
        c->lost = from > 0 && gone_before(c->c.s->tr, c->lane, span_get(&c->it));
        c->more = true;
        if (c->lane.kind == LANE_M)
            c->known = known_until(c->c.s->tr, c->torn, c->lane);
        break;
    }
    return c->on = true;
}

/* A thread that seems to rest though its record has ended: from `known` on it is a row of its own, not
 * recorded. */
static void split_known(struct span_cursor *c)
{
    if (c->s.t1 <= c->known)
        return;
    if (c->s.t0 < c->known) {
        c->cut = true;
        c->s.t1 = c->known;
        c->s.open_end = true;
    } else {
        c->s.state = ST_UNKNOWN;
    }
}

static void split_rest(struct span_cursor *c)
{
    const int64_t t1 = span_get(&c->it)->t1; /* a lane's last span: `it` has stayed */
    c->cut = false;
    c->s.t0 = c->known;
    c->s.t1 = c->more ? span_get(&c->it)->t0 : t1;
    c->s.open_start = false;
    c->s.state = ST_UNKNOWN;
}

/* Returns the neighbour of s in its lane, by step -1 or 1, or NULL if there is none. */
static const struct span *span_beside(struct span_cursor *c, int step)
{
    if (step > 0 && !c->wide)
        return c->more ? span_get(&c->it) : NULL;
    const int64_t t = step < 0 ? c->s.t0 - 1 : c->s.t1;
    return span_seek_at(&c->near, c->c.s->tr, c->lane, t) ? span_get(&c->near) : NULL;
}

/* A runnable span is a wake-up if its goroutine had waited before, or was just created. */
static bool is_wake(struct span_cursor *c)
{
    const struct span *b = c->s.index ? span_beside(c, -1) : NULL;
    return c->s.index ? b && b->state == ST_WAITING : c->s.who != NO_LANE;
}

static bool is_row(struct span_cursor *c)
{
    const bool resting = c->s.state == ST_UNKNOWN && c->lane.kind == LANE_M && c->s.t0 == c->s.t1;
    return c->s.state != ST_NONE && c->only >> c->s.state & 1 && !resting &&
           (c->c.table->states != 1u << ST_RUNNABLE || is_wake(c));
}

/* Go to the next row of a group, which is often a few spans further in the same lane. */
static bool group_step(struct span_cursor *c)
{
    enum { NEAR = 64 };
    struct sql_cursor *base = &c->c;
    uint64_t row;
    base->eof = !sql_group_next(base, &row);
    if (base->eof)
        return true;
    const struct lane l = {c->lane.kind, (uint32_t)(row >> 31)};
    const uint64_t index = (row & INT32_MAX) >> 1;
    bool there = c->on && l.i == c->lane.i && index > c->s.index && index - c->s.index <= NEAR;
    for (uint64_t at = c->s.index; there && at < index; at++)
        there = span_next(&c->it);
    there = there || span_seek_index(&c->it, base->s->tr, l, index);
    c->lane = l;
    c->s = *span_get(&c->it);
    c->on = there;
    base->rowid = (int64_t)row;
    return there;
}

static bool span_step(struct sql_cursor *base)
{
    struct span_cursor *c = (struct span_cursor *)base;
    if (c->sought)
        return group_step(c);
    for (uint32_t passed = 1;; passed++) {
        if ((passed & 8191) == 0 && sql_stop(base->s))
            return false;
        const bool second = c->cut;
        if (c->cut) {
            split_rest(c);
        } else if (!c->on || !(c->wide ? wide_step(c) : walk_step(c))) {
            if (!lane_step(c)) {
                base->eof = true;
                return !base->s->late;
            }
            continue;
        } else if (c->known != INT64_MAX) {
            split_known(c);
        }
        if (is_row(c)) {
            base->rowid = (int64_t)((uint64_t)c->lane.i << 31 | c->s.index << 1 | second);
            return true;
        }
    }
}

/* Goes to the first row; if they are to come group by group, to that of the first group. */
static bool spans_begin(struct sql_cursor *base)
{
    struct span_cursor *c = (struct span_cursor *)base;
    const struct sql_where *w = &base->w;
    const struct sql_table *t = base->table;
    c->lane.kind = t->lane;
    c->stop = w->hi[SQL_P_T0] < w->hi[SQL_P_T1] ? w->hi[SQL_P_T0] : w->hi[SQL_P_T1];
    c->only = t->states ? t->states : w->states;
    c->wide = t->lane != LANE_M && w->lo[SQL_P_DUR] > 1;
    c->torn = t->lane == LANE_M ? known_torn(base->s->tr) : INT64_MAX;
    c->on = c->cut = c->sought = false;
    c->near.tr = NULL;
    if (!sql_lanes(&c->lanes, base) || !span_step(base))
        return false;
    if (!(base->grouped & SQL_GROUP(KEY)))
        return true;
    if (!sql_group(base, span_step))
        return false;
    c->sought = c->wide = true; /* wide: neighbours have to be looked up */
    c->on = false;
    return span_step(base);
}

static bool open_start(struct span_cursor *c)
{
    if (!c->wide || c->s.open_start || c->s.state == ST_UNKNOWN)
        return c->s.open_start;
    const struct span *s = span_beside(c, -1);
    return s && s->state == ST_UNKNOWN;
}

static bool open_end(struct span_cursor *c)
{
    if (!c->wide || c->s.open_end || c->s.state == ST_UNKNOWN)
        return c->s.open_end;
    const struct span *s = span_beside(c, 1);
    return s && s->state == ST_UNKNOWN;
}

static double span_rows(const struct sql *s, const struct sql_table *t)
{
    (void)t;
    return 2 + (double)trace_info(s->tr)->count[EC_TRANSITION];
}

/* ---- span ---------------------------------------------------------------------------------------------- */

#define OPEN(X, P) \
    X(P##_OPEN_START, "open_start", BOOL, NO, v_int(open_start(c)), \
      "it began before the trace, or after a gap in the record") \
    X(P##_OPEN_END, "open_end", BOOL, NO, v_int(open_end(c)), \
      "it was not over when the trace, or what is recorded of it, ended") \
    SQL_COVERED(X, P)
#define SPAN(X) \
    SQL_TIMES(X, S, DUR) \
    X(S_G, "g", ID, ID, v_lane(s, LANE_G, c->lane.i), "goroutine") \
    X(S_NAME, "name", NAME, NAME, v_g_name(s, c->lane.i), "its start function") \
    X(S_STATE, "state", NAME, STATE, v_word(state_name((enum state)r->state)), \
      "running, runnable, waiting, system call, not recorded") \
    X(S_REASON, "reason", NAME, KEY, v_str(r->reason), "why it waits or was stopped, as recorded") \
    X(S_LABEL, "label", NAME, KEY, v_str(r->label), "of a GC worker: its mode") \
    X(S_P, "p", ID, KEY, v_lane(s, LANE_P, on_p ? r->who : NO_LANE), \
      "running, system call: processor it is on, or was on as the call began") \
    X(S_WAKER, "waker", ID, KEY, v_lane(s, LANE_G, woken ? r->who : NO_LANE), \
      "runnable: goroutine that woke or created it") \
    X(S_WAKER_NAME, "waker_name", NAME, KEY, v_g_name(s, woken ? r->who : NO_LANE), \
      "that one's start function") \
    X(S_FUNC, "func", NAME, KEY, v_func(s, r->stack), \
      "innermost function of its stack (runnable after a wait: of the waker's)") \
    X(S_USER_FUNC, "user_func", NAME, KEY, v_user(s, r->stack), \
      "first function outside the runtime and the standard library") \
    X(S_STACK, "stack", ID, KEY, v_some(r->stack), "that stack: tables stack and frame") \
    OPEN(X, S)
SQL_CELLS(span, SPAN, struct span_cursor, const struct span *r = &c->s;
          const bool woken = r->state == ST_RUNNABLE, on_p = !woken && r->state != ST_WAITING)
SQL_TABLE(span, SPAN, struct span_cursor, spans_begin, span_step,
          "What each goroutine did: one row a state it was in, by goroutine, then time", .lane = LANE_G,
          .groups = SQL_GROUP(ID) | SQL_GROUP(NAME), .keyed = true, .rows = span_rows);

/* ---- proc_span, thread_span ---------------------------------------------------------------------------- */

#define ON(X, P) \
    X(P##_STATE, "state", NAME, STATE, v_word(state_name((enum state)r->state)), \
      "running, GC worker, mark assist, sweep, system call, looking for work, idle, not recorded") \
    X(P##_G, "g", ID, KEY, v_lane(s, LANE_G, r->who), "goroutine that runs or is in the call") \
    X(P##_NAME, "name", NAME, KEY, v_g_name(s, r->who), "its start function") \
    X(P##_REASON, "reason", NAME, KEY, v_str(r->reason), "as recorded") \
    X(P##_LABEL, "label", NAME, KEY, v_str(r->label), "of a GC worker: its mode") \
    OPEN(X, P)
#define PROC_SPAN(X) \
    SQL_TIMES(X, PS, DUR) \
    X(PS_P, "p", ID, ID, v_lane(s, c->lane.kind, c->lane.i), "processor") \
    ON(X, PS)
#define THREAD_SPAN(X) \
    SQL_TIMES(X, MS, DUR) \
    X(MS_M, "m", ID, ID, v_lane(s, LANE_M, c->lane.i), "thread") \
    X(MS_P, "p", ID, NO, v_lane(s, LANE_P, r->proc), "processor it holds") \
    ON(X, MS)
SQL_CELLS(proc_span, PROC_SPAN, struct span_cursor, const struct span *r = &c->s)
SQL_TABLE(proc_span, PROC_SPAN, struct span_cursor, spans_begin, span_step,
          "What each processor did, by processor, then time", .lane = LANE_P, .keyed = true,
          .rows = span_rows);
SQL_CELLS(thread_span, THREAD_SPAN, struct span_cursor, const struct span *r = &c->s)
SQL_TABLE(thread_span, THREAD_SPAN, struct span_cursor, spans_begin, span_step,
          "What each thread did, by thread, then time", .lane = LANE_M, .rows = span_rows);

/* ---- wait ---------------------------------------------------------------------------------------------- */

#define WAIT(X) \
    SQL_TIMES(X, W, DUR) \
    X(W_G, "g", ID, ID, v_lane(s, LANE_G, c->lane.i), "who waited") \
    X(W_NAME, "name", NAME, NAME, v_g_name(s, c->lane.i), "its start function") \
    X(W_REASON, "reason", NAME, KEY, v_str(r->reason), "as recorded") \
    X(W_KIND, "kind", NAME, KEY, \
      v_word(stacks_wait_name(s->tr, stacks_wait_kind(s->tr, r->reason, r->stack), r->stack)), \
      "what the stack adds: lock, wait group, channel send, pipe .. (likely)") \
    X(W_ENDED, "ended", NAME, NO, v_ended(c, after), \
      "how it ended: wait (by a goroutine), network, pipe, deadline (nothing came), timer .. (likely)") \
    X(W_FUNC, "func", NAME, KEY, v_func(s, r->stack), "innermost function where it waited (LEAF)") \
    X(W_USER_FUNC, "user_func", NAME, KEY, v_user(s, r->stack), \
      "first function outside the runtime and the standard library") \
    X(W_STACK, "stack", ID, KEY, v_some(r->stack), "where it waited") \
    X(W_WAKER, "waker", ID, KEY, v_lane(s, LANE_G, woken ? after->who : NO_LANE), \
      "who ended it; NULL: a timer, the network poller, or not over") \
    X(W_WAKER_NAME, "waker_name", NAME, KEY, v_g_name(s, woken ? after->who : NO_LANE), \
      "that one's start function") \
    X(W_WAKER_FUNC, "waker_func", NAME, KEY, v_func(s, woken ? after->stack : 0), "where it did") \
    X(W_WAKER_USER, "waker_user_func", NAME, KEY, v_user(s, woken ? after->stack : 0), \
      "first function there outside the runtime and the standard library") \
    X(W_WAKER_STACK, "waker_stack", ID, KEY, v_some(woken ? after->stack : 0), "stack there") \
    X(W_RUNNABLE, "runnable_ns", NS, NO, v_if(woken, v_int(after->t1 - after->t0)), \
      "how long it was runnable then") \
    OPEN(X, W)
/* Returns how the wait of the row ended, as a word of explain.h. */
static struct sql_value v_ended(struct span_cursor *c, const struct span *after)
{
    struct ended *e = &c->c.s->ended;
    const struct span none = {.state = ST_NONE, .who = NO_LANE};
    uint8_t kind;
    if (!e->tr)
        ended_init(e, c->c.s->tr);
    return v_word(explain_cat_id((enum explain_cat)ended_how(e, c->lane.i, &c->s, after ? after : &none,
                                                             (struct then){ST_NONE, 0}, &kind)));
}

SQL_CELLS(wait, WAIT, struct span_cursor, const struct span *r = &c->s;
          const bool wants = column == W_ENDED || (column >= W_WAKER && column <= W_RUNNABLE);
          const struct span *after = wants ? span_beside(c, 1) : NULL;
          const bool woken = after && after->state == ST_RUNNABLE)
SQL_TABLE(wait, WAIT, struct span_cursor, spans_begin, span_step,
          "Each wait of a goroutine, and who ended it; by goroutine, then time", .lane = LANE_G,
          .states = 1u << ST_WAITING, .groups = SQL_GROUP(ID) | SQL_GROUP(NAME), .keyed = true,
          .rows = span_rows);

/* ---- wake ---------------------------------------------------------------------------------------------- */

#define WAKE(X) \
    X(K_T, "t", NS, T0, v_int(r->t0), "when") \
    X(K_G, "g", ID, ID, v_lane(s, LANE_G, c->lane.i), "who was made runnable") \
    X(K_NAME, "name", NAME, NAME, v_g_name(s, c->lane.i), "its start function") \
    X(K_CREATED, "created", BOOL, NO, v_int(r->index == 0), "it was created, not woken") \
    X(K_WAKER, "waker", ID, KEY, v_lane(s, LANE_G, r->who), "by whom; NULL: a timer, the network poller") \
    X(K_WAKER_NAME, "waker_name", NAME, KEY, v_g_name(s, r->who), "that one's start function") \
    X(K_FUNC, "func", NAME, KEY, v_func(s, r->stack), "where: innermost function") \
    X(K_USER_FUNC, "user_func", NAME, KEY, v_user(s, r->stack), \
      "first function outside the runtime and the standard library") \
    X(K_STACK, "stack", ID, KEY, v_some(r->stack), "stack of who did it") \
    X(K_REASON, "reason", NAME, KEY, v_str(b ? b->reason : 0), "what it had waited for, as recorded") \
    X(K_WAITED, "waited_ns", NS, NO, v_if(b, v_int(b->t1 - b->t0)), \
      "how long it had waited; NULL: it was created") \
    X(K_RUNNABLE, "runnable_ns", NS, NO, v_int(r->t1 - r->t0), "how long it was runnable then")
SQL_CELLS(wake, WAKE, struct span_cursor, const struct span *r = &c->s;
          const struct span *b = column >= K_REASON && r->index ? span_beside(c, -1) : NULL)
SQL_TABLE(wake, WAKE, struct span_cursor, spans_begin, span_step,
          "Each time a goroutine was made runnable: woken from a wait, or created", .lane = LANE_G,
          .states = 1u << ST_RUNNABLE, .groups = SQL_GROUP(ID) | SQL_GROUP(NAME), .keyed = true,
          .rows = span_rows);
