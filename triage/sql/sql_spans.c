/*
 * sql_spans.c - the tables of spans: span (of goroutines), proc_span, thread_span; and what is made of
 * goroutines' spans: wait, with who ended it, and wake.
 *
 * A cursor goes from lane to lane, and in a lane from span to span. Where a query bounds the length of spans,
 * the model is asked for those alone (trace_wide()), which leaves out whole blocks.
 */
#include <string.h>

#include "decode/base/hash.h"
#include "decode/base/mem.h"
#include "triage/sql/sql_priv.h"
#include "triage/tables/stacks.h"
#include "triage/tables/known.h"

enum { WIDE = 128 };

struct span_cursor {
    struct sql_cursor c;
    struct sql_lanes lanes;
    struct lane lane;
    uint32_t only;             /* a bit per state: other spans are no rows */
    struct span s;             /* the row */
    bool more;                 /* `it` stands behind s; else s is the lane's last one */
    bool lost;                 /* what was before s is not recorded */
    bool on;                   /* a lane is being walked */
    bool cut;                  /* the second part of s is to come */
    bool sought;               /* rows come by sql_group_next() */
    int64_t known, torn, stop; /* known: known_until() of the lane; no row begins behind stop */
    struct span_iter it;
    /* Of spans of some length alone: */
    bool wide;
    int64_t from;
    unsigned nbuf, at;
    struct span buf[WIDE];
    struct span_iter near; /* the neighbours of s; tr == NULL: not used yet */
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

/* The next long span of the lane into s. */
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

/* The next span of the lane into s, with what its neighbours say of its ends. */
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

/* The next lane that the query is about. */
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

static bool is_row(const struct span_cursor *c)
{
    const bool resting = c->s.state == ST_UNKNOWN && c->lane.kind == LANE_M && c->s.t0 == c->s.t1;
    return c->s.state != ST_NONE && c->only >> c->s.state & 1 && !resting;
}

/* The next row of a group: often a few spans further in the same lane. */
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

static bool rows_begin(struct sql_cursor *base, enum lane_kind k, uint32_t only)
{
    struct span_cursor *c = (struct span_cursor *)base;
    const struct sql_where *w = &base->w;
    c->lane.kind = k;
    c->stop = w->hi[SQL_P_T0] < w->hi[SQL_P_T1] ? w->hi[SQL_P_T0] : w->hi[SQL_P_T1];
    c->only = only;
    c->wide = k != LANE_M && w->lo[SQL_P_DUR] > 1;
    c->torn = k == LANE_M ? known_torn(base->s->tr) : INT64_MAX;
    c->on = c->cut = c->sought = false;
    c->near.tr = NULL;
    return sql_lanes(&c->lanes, base, k) && span_step(base);
}

/* All rows, which next() goes through, group by group, if that is asked for. */
static bool in_groups(struct sql_cursor *base, bool (*next)(struct sql_cursor *c))
{
    struct span_cursor *c = (struct span_cursor *)base;
    if (!(base->grouped & SQL_GROUP(KEY)))
        return true;
    if (!sql_group(base, next))
        return false;
    c->sought = c->wide = true; /* wide: neighbours have to be looked up */
    c->on = false;
    return span_step(base);
}

static bool spans_begin(struct sql_cursor *base, enum lane_kind k, uint32_t only)
{
    return rows_begin(base, k, only) && in_groups(base, span_step);
}

/* The span beside s in its lane: step -1 or 1. NULL: there is none. */
static const struct span *beside(struct span_cursor *c, int step)
{
    if (step > 0 && !c->wide)
        return c->more ? span_get(&c->it) : NULL;
    const int64_t t = step < 0 ? c->s.t0 - 1 : c->s.t1;
    return span_seek_at(&c->near, c->c.s->tr, c->lane, t) ? span_get(&c->near) : NULL;
}

static bool open_start(struct span_cursor *c)
{
    if (!c->wide || c->s.open_start || c->s.state == ST_UNKNOWN)
        return c->s.open_start;
    const struct span *s = beside(c, -1);
    return s && s->state == ST_UNKNOWN;
}

static bool open_end(struct span_cursor *c)
{
    if (!c->wide || c->s.open_end || c->s.state == ST_UNKNOWN)
        return c->s.open_end;
    const struct span *s = beside(c, 1);
    return s && s->state == ST_UNKNOWN;
}

double sql_span_rows(struct sql *s)
{
    return 2 + (double)trace_info(s->tr)->count[EC_TRANSITION];
}

/* ---- span ---------------------------------------------------------------------------------------------- */

#define TIMES(X, P) \
    X(P##_T0, "t0", NS, T0, "when it begins") \
    X(P##_T1, "t1", NS, T1, "when it ends") \
    X(P##_DUR, "dur", NS, DUR, "t1 - t0")
#define OPEN(X, P) \
    X(P##_OPEN_START, "open_start", BOOL, NO, "it began before the trace, or after a gap in the record") \
    X(P##_OPEN_END, "open_end", BOOL, NO, \
      "it was not over when the trace, or what is recorded of it, ended") \
    X(P##_IN_GC, "in_gc", NS, NO, "~how much of it lies within mark phases") \
    X(P##_IN_STW, "in_stw", NS, NO, "~how much of it lies within stops of the world")
#define SPAN(X) \
    TIMES(X, S) \
    X(S_G, "g", ID, ID, "goroutine") \
    X(S_NAME, "name", NAME, NAME, "its start function") \
    X(S_STATE, "state", NAME, STATE, "running, runnable, waiting, system call, not recorded") \
    X(S_REASON, "reason", NAME, KEY, "why it waits or was stopped, as recorded") \
    X(S_LABEL, "label", NAME, KEY, "of a GC worker: its mode") \
    X(S_P, "p", ID, KEY, "running, system call: processor it is on, or was on as the call began") \
    X(S_WAKER, "waker", ID, KEY, "runnable: goroutine that woke or created it") \
    X(S_WAKER_NAME, "waker_name", NAME, KEY, "that one's start function") \
    X(S_FUNC, "func", NAME, KEY, "innermost function of its stack (runnable after a wait: of the waker's)") \
    X(S_USER_FUNC, "user_func", NAME, KEY, "first function outside the runtime and the standard library") \
    X(S_STACK, "stack", ID, KEY, "that stack: tables stack and frame") \
    OPEN(X, S)
enum { SPAN(SQL_COLUMN_ID) };
static const struct sql_column span_columns[] = {SPAN(SQL_COLUMN_ROW)};

static bool span_begin(struct sql_cursor *c)
{
    return spans_begin(c, LANE_G, c->w.states);
}

static void span_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    struct span_cursor *c = (struct span_cursor *)base;
    struct sql *sq = base->s;
    const struct span *s = &c->s;
    const bool woken = s->state == ST_RUNNABLE, on_p = !woken && s->state != ST_WAITING;
    switch (column) {
    case S_T0: sql_put_int(x, s->t0); break;
    case S_T1: sql_put_int(x, s->t1); break;
    case S_DUR: sql_put_int(x, s->t1 - s->t0); break;
    case S_G: sql_put_lane(x, sq, LANE_G, c->lane.i); break;
    case S_NAME: sql_put_g_name(x, sq, c->lane.i); break;
    case S_STATE: sql_put_word(x, state_name((enum state)s->state)); break;
    case S_REASON: sql_put_str(x, sq, s->reason); break;
    case S_LABEL: sql_put_str(x, sq, s->label); break;
    case S_P: sql_put_lane(x, sq, LANE_P, on_p ? s->who : NO_LANE); break;
    case S_WAKER: sql_put_lane(x, sq, LANE_G, woken ? s->who : NO_LANE); break;
    case S_WAKER_NAME: sql_put_g_name(x, sq, woken ? s->who : NO_LANE); break;
    case S_FUNC: sql_put_func(x, sq, s->stack); break;
    case S_USER_FUNC: sql_put_user(x, sq, s->stack); break;
    case S_STACK: sql_put_stack(x, s->stack); break;
    case S_OPEN_START: sql_put_int(x, open_start(c)); break;
    case S_OPEN_END: sql_put_int(x, open_end(c)); break;
    case S_IN_GC: sql_put_covered(x, sql_in_gc(sq, s->t0, s->t1)); break;
    case S_IN_STW: sql_put_covered(x, sql_in_stw(sq, s->t0, s->t1)); break;
    default: break;
    }
}

static uint64_t span_key(struct sql_cursor *base, unsigned column)
{
    const struct span_cursor *c = (const struct span_cursor *)base;
    const struct sql *sq = base->s;
    const struct span *s = &c->s;
    const bool woken = s->state == ST_RUNNABLE, on_p = !woken && s->state != ST_WAITING;
    switch (column) {
    case S_G: return sql_key_lane(sq, LANE_G, c->lane.i);
    case S_NAME: return sql_key_str(sq, trace_g_name(sq->tr, c->lane.i));
    case S_STATE: return s->state;
    case S_REASON: return sql_key_str(sq, s->reason);
    case S_LABEL: return sql_key_str(sq, s->label);
    case S_P: return sql_key_lane(sq, LANE_P, on_p ? s->who : NO_LANE);
    case S_WAKER: return sql_key_lane(sq, LANE_G, woken ? s->who : NO_LANE);
    case S_WAKER_NAME: return woken && s->who != NO_LANE ? sql_key_str(sq, trace_g_name(sq->tr, s->who)) : 0;
    case S_FUNC: return sql_key_func(sq, s->stack);
    case S_USER_FUNC: return sql_key_user(sq, s->stack);
    default: return s->stack;
    }
}

const struct sql_table sql_span = {
    "span",
    "What each goroutine did: one row a state it was in, by goroutine, then time",
    SQL_COLUMNS(span_columns),
    sizeof(struct span_cursor),
    sql_span_rows,
    span_begin,
    span_step,
    span_cell,
    SQL_GROUP(ID) | SQL_GROUP(NAME),
    span_key};

/* ---- proc_span, thread_span ---------------------------------------------------------------------------- */

#define ON(X, P) \
    X(P##_STATE, "state", NAME, STATE, \
      "running, GC worker, mark assist, sweep, system call, looking for work, idle, not recorded") \
    X(P##_G, "g", ID, KEY, "goroutine that runs or is in the call") \
    X(P##_NAME, "name", NAME, KEY, "its start function") \
    X(P##_REASON, "reason", NAME, KEY, "as recorded") \
    X(P##_LABEL, "label", NAME, KEY, "of a GC worker: its mode") \
    OPEN(X, P)
#define PROC_SPAN(X) \
    TIMES(X, PS) \
    X(PS_P, "p", ID, ID, "processor") \
    ON(X, PS)
#define THREAD_SPAN(X) \
    TIMES(X, MS) \
    X(MS_M, "m", ID, ID, "thread") \
    X(MS_P, "p", ID, NO, "processor it holds") \
    ON(X, MS)
enum { PROC_SPAN(SQL_COLUMN_ID) };
enum { THREAD_SPAN(SQL_COLUMN_ID) };
static const struct sql_column proc_span_columns[] = {PROC_SPAN(SQL_COLUMN_ROW)};
static const struct sql_column thread_span_columns[] = {THREAD_SPAN(SQL_COLUMN_ROW)};

static bool proc_span_begin(struct sql_cursor *c)
{
    return spans_begin(c, LANE_P, c->w.states);
}

static bool thread_span_begin(struct sql_cursor *c)
{
    return spans_begin(c, LANE_M, c->w.states);
}

static void proc_span_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    struct span_cursor *c = (struct span_cursor *)base;
    struct sql *sq = base->s;
    const struct span *s = &c->s;
    switch (column) {
    case PS_T0: sql_put_int(x, s->t0); break;
    case PS_T1: sql_put_int(x, s->t1); break;
    case PS_DUR: sql_put_int(x, s->t1 - s->t0); break;
    case PS_P: sql_put_lane(x, sq, c->lane.kind, c->lane.i); break;
    case PS_STATE: sql_put_word(x, state_name((enum state)s->state)); break;
    case PS_G: sql_put_lane(x, sq, LANE_G, s->who); break;
    case PS_NAME: sql_put_g_name(x, sq, s->who); break;
    case PS_REASON: sql_put_str(x, sq, s->reason); break;
    case PS_LABEL: sql_put_str(x, sq, s->label); break;
    case PS_OPEN_START: sql_put_int(x, open_start(c)); break;
    case PS_OPEN_END: sql_put_int(x, open_end(c)); break;
    case PS_IN_GC: sql_put_covered(x, sql_in_gc(sq, s->t0, s->t1)); break;
    case PS_IN_STW: sql_put_covered(x, sql_in_stw(sq, s->t0, s->t1)); break;
    default: break;
    }
}

static uint64_t proc_span_key(struct sql_cursor *base, unsigned column)
{
    const struct span_cursor *c = (const struct span_cursor *)base;
    const struct span *s = &c->s;
    switch (column) {
    case PS_P: return sql_key_lane(base->s, c->lane.kind, c->lane.i);
    case PS_STATE: return s->state;
    case PS_G: return sql_key_lane(base->s, LANE_G, s->who);
    case PS_NAME: return s->who == NO_LANE ? 0 : sql_key_str(base->s, trace_g_name(base->s->tr, s->who));
    case PS_REASON: return sql_key_str(base->s, s->reason);
    default: return sql_key_str(base->s, s->label);
    }
}

static void thread_span_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    if (column == MS_P)
        sql_put_lane(x, base->s, LANE_P, ((struct span_cursor *)base)->s.proc);
    else
        proc_span_cell(base, column > MS_P ? column - 1 : column, x);
}

const struct sql_table sql_proc_span = {"proc_span",
                                        "What each processor did, by processor, then time",
                                        SQL_COLUMNS(proc_span_columns),
                                        sizeof(struct span_cursor),
                                        sql_span_rows,
                                        proc_span_begin,
                                        span_step,
                                        proc_span_cell,
                                        0,
                                        proc_span_key};
const struct sql_table sql_thread_span = {"thread_span",
                                          "What each thread did, by thread, then time",
                                          SQL_COLUMNS(thread_span_columns),
                                          sizeof(struct span_cursor),
                                          sql_span_rows,
                                          thread_span_begin,
                                          span_step,
                                          thread_span_cell,
                                          0,
                                          NULL};

/* ---- wait ---------------------------------------------------------------------------------------------- */

#define WAIT(X) \
    TIMES(X, W) \
    X(W_G, "g", ID, ID, "who waited") \
    X(W_NAME, "name", NAME, NAME, "its start function") \
    X(W_REASON, "reason", NAME, KEY, "as recorded") \
    X(W_KIND, "kind", NAME, KEY, "what the stack adds: lock, wait group, channel send, pipe .. (inferred)") \
    X(W_ENDED, "ended", NAME, NO, \
      "how it ended: wait (by a goroutine), network, pipe, deadline (nothing came), timer .. (inferred)") \
    X(W_FUNC, "func", NAME, KEY, "innermost function where it waited (LEAF)") \
    X(W_USER_FUNC, "user_func", NAME, KEY, "first function outside the runtime and the standard library") \
    X(W_STACK, "stack", ID, KEY, "where it waited") \
    X(W_WAKER, "waker", ID, KEY, "who ended it; NULL: a timer, the network poller, or not over") \
    X(W_WAKER_NAME, "waker_name", NAME, KEY, "that one's start function") \
    X(W_WAKER_FUNC, "waker_func", NAME, KEY, "where it did") \
    X(W_WAKER_USER, "waker_user_func", NAME, KEY, \
      "first function there outside the runtime and the standard library") \
    X(W_WAKER_STACK, "waker_stack", ID, KEY, "stack there") \
    X(W_RUNNABLE, "runnable_ns", NS, NO, "how long it was runnable then") \
    OPEN(X, W)
enum { WAIT(SQL_COLUMN_ID) };
static const struct sql_column wait_columns[] = {WAIT(SQL_COLUMN_ROW)};

static bool wait_begin(struct sql_cursor *c)
{
    return spans_begin(c, LANE_G, 1u << ST_WAITING);
}

/* How the wait of the row ended: explain.h's word for it. */
static void put_ended(sqlite3_context *x, struct span_cursor *c, const struct span *after)
{
    struct ended *e = &c->c.s->ended;
    const struct span none = {.state = ST_NONE, .who = NO_LANE};
    uint8_t kind;
    if (e->reads || ended_init(e, c->c.s->tr))
        sql_put_word(x, explain_cat_id((enum explain_cat)ended_how(e, c->lane.i, &c->s, after ? after : &none,
                                                                   (struct then){ST_NONE, 0}, &kind)));
}

static void wait_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    struct span_cursor *c = (struct span_cursor *)base;
    struct sql *sq = base->s;
    const struct span *s = &c->s, *after = NULL;
    if (column == W_ENDED || (column >= W_WAKER && column <= W_RUNNABLE))
        after = beside(c, 1);
    const bool woken = after && after->state == ST_RUNNABLE;
    switch (column) {
    case W_T0: sql_put_int(x, s->t0); break;
    case W_T1: sql_put_int(x, s->t1); break;
    case W_DUR: sql_put_int(x, s->t1 - s->t0); break;
    case W_G: sql_put_lane(x, sq, LANE_G, c->lane.i); break;
    case W_NAME: sql_put_g_name(x, sq, c->lane.i); break;
    case W_REASON: sql_put_str(x, sq, s->reason); break;
    case W_KIND:
        sql_put_word(x, stacks_wait_name(sq->tr, stacks_wait_kind(sq->tr, s->reason, s->stack), s->stack));
        break;
    case W_ENDED: put_ended(x, c, after); break;
    case W_FUNC: sql_put_func(x, sq, s->stack); break;
    case W_USER_FUNC: sql_put_user(x, sq, s->stack); break;
    case W_STACK: sql_put_stack(x, s->stack); break;
    case W_WAKER: sql_put_lane(x, sq, LANE_G, woken ? after->who : NO_LANE); break;
    case W_WAKER_NAME: sql_put_g_name(x, sq, woken ? after->who : NO_LANE); break;
    case W_WAKER_FUNC: sql_put_func(x, sq, woken ? after->stack : 0); break;
    case W_WAKER_USER: sql_put_user(x, sq, woken ? after->stack : 0); break;
    case W_WAKER_STACK: sql_put_stack(x, woken ? after->stack : 0); break;
    case W_RUNNABLE:
        if (woken)
            sql_put_int(x, after->t1 - after->t0);
        break;
    case W_OPEN_START: sql_put_int(x, open_start(c)); break;
    case W_OPEN_END: sql_put_int(x, open_end(c)); break;
    case W_IN_GC: sql_put_covered(x, sql_in_gc(sq, s->t0, s->t1)); break;
    case W_IN_STW: sql_put_covered(x, sql_in_stw(sq, s->t0, s->t1)); break;
    default: break;
    }
}

static uint64_t word_key(const char *word)
{
    return word ? hash_bytes(word, strlen(word)) : 0;
}

static uint64_t wait_key(struct sql_cursor *base, unsigned column)
{
    struct span_cursor *c = (struct span_cursor *)base;
    const struct sql *sq = base->s;
    const struct span *s = &c->s, *after = column >= W_WAKER ? beside(c, 1) : NULL;
    const bool woken = after && after->state == ST_RUNNABLE;
    const uint32_t who = woken ? after->who : NO_LANE, stack = woken ? after->stack : 0;
    switch (column) {
    case W_G: return sql_key_lane(sq, LANE_G, c->lane.i);
    case W_NAME: return sql_key_str(sq, trace_g_name(sq->tr, c->lane.i));
    case W_REASON: return sql_key_str(sq, s->reason);
    case W_KIND:
        return word_key(stacks_wait_name(sq->tr, stacks_wait_kind(sq->tr, s->reason, s->stack), s->stack));
    case W_FUNC: return sql_key_func(sq, s->stack);
    case W_USER_FUNC: return sql_key_user(sq, s->stack);
    case W_STACK: return s->stack;
    case W_WAKER: return sql_key_lane(sq, LANE_G, who);
    case W_WAKER_NAME: return who == NO_LANE ? 0 : sql_key_str(sq, trace_g_name(sq->tr, who));
    case W_WAKER_FUNC: return sql_key_func(sq, stack);
    case W_WAKER_USER: return sql_key_user(sq, stack);
    default: return stack;
    }
}

const struct sql_table sql_wait = {"wait",
                                   "Each wait of a goroutine, and who ended it; by goroutine, then time",
                                   SQL_COLUMNS(wait_columns),
                                   sizeof(struct span_cursor),
                                   sql_span_rows,
                                   wait_begin,
                                   span_step,
                                   wait_cell,
                                   SQL_GROUP(ID) | SQL_GROUP(NAME),
                                   wait_key};

/* ---- wake ---------------------------------------------------------------------------------------------- */

#define WAKE(X) \
    X(K_T, "t", NS, T0, "when") \
    X(K_G, "g", ID, ID, "who was made runnable") \
    X(K_NAME, "name", NAME, NAME, "its start function") \
    X(K_CREATED, "created", BOOL, NO, "it was created, not woken") \
    X(K_WAKER, "waker", ID, KEY, "by whom; NULL: a timer, the network poller") \
    X(K_WAKER_NAME, "waker_name", NAME, KEY, "that one's start function") \
    X(K_FUNC, "func", NAME, KEY, "where: innermost function") \
    X(K_USER_FUNC, "user_func", NAME, KEY, "first function outside the runtime and the standard library") \
    X(K_STACK, "stack", ID, KEY, "stack of who did it") \
    X(K_REASON, "reason", NAME, KEY, "what it had waited for, as recorded") \
    X(K_WAITED, "waited_ns", NS, NO, "how long it had waited; NULL: it was created") \
    X(K_RUNNABLE, "runnable_ns", NS, NO, "how long it was runnable then")
enum { WAKE(SQL_COLUMN_ID) };
static const struct sql_column wake_columns[] = {WAKE(SQL_COLUMN_ROW)};

/* A runnable span is a wake-up if its goroutine had waited before, or was just created. */
static bool is_wake(struct span_cursor *c)
{
    const struct span *b = c->s.index ? beside(c, -1) : NULL;
    return c->s.index ? b && b->state == ST_WAITING : c->s.who != NO_LANE;
}

static bool wake_step(struct sql_cursor *base)
{
    bool ok;
    do
        ok = span_step(base);
    while (ok && !base->eof && !((struct span_cursor *)base)->sought && !is_wake((struct span_cursor *)base));
    return ok;
}

static bool wake_begin(struct sql_cursor *base)
{
    return rows_begin(base, LANE_G, 1u << ST_RUNNABLE) &&
           (base->eof || is_wake((struct span_cursor *)base) || wake_step(base)) &&
           in_groups(base, wake_step);
}

static void wake_cell(struct sql_cursor *base, unsigned column, sqlite3_context *x)
{
    struct span_cursor *c = (struct span_cursor *)base;
    struct sql *sq = base->s;
    const struct span *s = &c->s, *b = column >= K_REASON && s->index ? beside(c, -1) : NULL;
    switch (column) {
    case K_T: sql_put_int(x, s->t0); break;
    case K_G: sql_put_lane(x, sq, LANE_G, c->lane.i); break;
    case K_NAME: sql_put_g_name(x, sq, c->lane.i); break;
    case K_CREATED: sql_put_int(x, s->index == 0); break;
    case K_WAKER: sql_put_lane(x, sq, LANE_G, s->who); break;
    case K_WAKER_NAME: sql_put_g_name(x, sq, s->who); break;
    case K_FUNC: sql_put_func(x, sq, s->stack); break;
    case K_USER_FUNC: sql_put_user(x, sq, s->stack); break;
    case K_STACK: sql_put_stack(x, s->stack); break;
    case K_REASON: sql_put_str(x, sq, b ? b->reason : 0); break;
    case K_WAITED:
        if (b)
            sql_put_int(x, b->t1 - b->t0);
        break;
    case K_RUNNABLE: sql_put_int(x, s->t1 - s->t0); break;
    default: break;
    }
}

static uint64_t wake_key(struct sql_cursor *base, unsigned column)
{
    struct span_cursor *c = (struct span_cursor *)base;
    const struct sql *sq = base->s;
    const struct span *s = &c->s, *b = column == K_REASON && s->index ? beside(c, -1) : NULL;
    switch (column) {
    case K_G: return sql_key_lane(sq, LANE_G, c->lane.i);
    case K_NAME: return sql_key_str(sq, trace_g_name(sq->tr, c->lane.i));
    case K_WAKER: return sql_key_lane(sq, LANE_G, s->who);
    case K_WAKER_NAME: return s->who == NO_LANE ? 0 : sql_key_str(sq, trace_g_name(sq->tr, s->who));
    case K_FUNC: return sql_key_func(sq, s->stack);
    case K_USER_FUNC: return sql_key_user(sq, s->stack);
    case K_STACK: return s->stack;
    default: return b ? sql_key_str(sq, b->reason) : 0;
    }
}

const struct sql_table sql_wake = {"wake",
                                   "Each time a goroutine was made runnable: woken from a wait, or created",
                                   SQL_COLUMNS(wake_columns),
                                   sizeof(struct span_cursor),
                                   sql_span_rows,
                                   wake_begin,
                                   wake_step,
                                   wake_cell,
                                   SQL_GROUP(ID) | SQL_GROUP(NAME),
                                   wake_key};
