/*
 * v2_rules.h - the rules of the most common events, each written once: what the event needs, what it changes,
 * what it emits. It is included by two files, which use the same rules on different data:
 *
 *                                      a rule of this file
 *                                at_find() AT_G() at_bad() put_..()
 *                                       /              \
 *     v2/v2_adv.c: any event, at any time               model/fast_path.c: nine of ten events
 *     struct v2_at = order, cursor, context             struct v2_at = the thread's registers, now
 *     at_find: the map by id, checked                   at_find: the map's first slot, else it leaves
 *     AT_G, AT_P, AT_OWN: looked up for each event      AT_P, AT_OWN: pointers kept while the thread goes on
 *     at_bad: damage, ADV_BAD                           at_bad: ADV_LONG, v2_adv.c reports it
 *     put_..: a struct ev into order.out, for           put_..: right onto the lanes (fold_hot.h), nothing
 *     fold.c or whatever sink takes it                 is written in between; false: ADV_LONG
 *       |                                                  |
 *       ADV_OK, ADV_WAIT (it isn't its turn), ADV_BAD      ADV_OK, or ADV_LONG: to the left side
 *
 * One compiled function for both would read the order's state for each event: 100 MB would take 1.9 s, not
 * 0.6. Each of the two files defines before the include:
 *
 *   struct v2_at        the event, and where its result goes
 *   at_order()          the order
 *   at_g()              the goroutine that the thread runs, EV_NONE if none; AT_OWN(): its entry
 *   at_find()           returns a goroutine by its id, or IDMAP_NONE
 *   AT_G(), AT_P()      the entry of a goroutine, of the thread's P
 *   at_can_start()      whether the thread has a P and runs nothing
 *   at_follows()        v2_follows()
 *   at_bad()            returns the result if the event contradicts what is known
 *   at_runs()           sets what the thread runs from now on, and its entry; EV_NONE, NULL: nothing
 *   put_..()            emits the event. Returns false if the sink can't take it here; then nothing has
 *                       changed
 *
 * The results are those of enum adv (v2_order.h).
 */
#define RULE static inline __attribute__((always_inline)) enum adv

/* A runnable goroutine starts to run. */
RULE rule_start(const struct v2_at *at, uint64_t id, uint64_t seq)
{
    const uint32_t g = at_find(at, id);
    struct v2_g *const e = g == IDMAP_NONE ? NULL : AT_G(at, g);
    if (!e || e->status != ST_RUNNABLE || !at_follows(at, e->seqgen, e->seq, seq))
        return ADV_WAIT;
    if (!at_can_start(at))
        return at_bad(at, "it starts where it can't", id);
    if (!put_start(at, g))
        return ADV_LONG;
    e->status = ST_RUNNING;
    e->seq = seq;
    at_runs(at, g, e);
    return ADV_OK;
}

/* The thread's goroutine stops (ST_RUNNABLE), blocks (ST_WAITING) or ends (ST_NONE). */
RULE rule_leave(const struct v2_at *at, uint8_t state, uint64_t reason, uint64_t stack)
{
    const uint32_t g = at_g(at);
    struct v2_g *const e = AT_OWN(at);
    if (e->status != ST_RUNNING)
        return at_bad(at, "the goroutine isn't running", e->id);
    if (!put_leave(at, state, reason, stack))
        return ADV_LONG;
    if (state == ST_NONE)
        v2_g_forget(at_order(at), g);
    else
        e->status = state;
    at_runs(at, EV_NONE, NULL);
    return ADV_OK;
}

/* A waiting goroutine is unblocked, by whatever the thread runs. */
RULE rule_wake(const struct v2_at *at, uint64_t id, uint64_t seq, uint64_t stack)
{
    const uint32_t g = at_find(at, id);
    struct v2_g *const e = g == IDMAP_NONE ? NULL : AT_G(at, g);
    if (!e || e->status != ST_WAITING || !at_follows(at, e->seqgen, e->seq, seq))
        return ADV_WAIT;
    if (!put_wake(at, g, stack))
        return ADV_LONG;
    e->status = ST_RUNNABLE;
    e->seq = seq;
    return ADV_OK;
}

/* The thread's goroutine enters a system call, keeping the P. */
RULE rule_call(const struct v2_at *at, uint64_t seq, uint64_t stack)
{
    struct v2_g *const e = AT_OWN(at);
    struct v2_p *const p = AT_P(at);
    if (e->status != ST_RUNNING)
        return at_bad(at, "the goroutine isn't running", e->id);
    if (!at_follows(at, p->seqgen, p->seq, seq))
        return at_bad(at, "the P's sequence number doesn't follow", seq);
    if (!put_call(at, stack))
        return ADV_LONG;
    e->status = ST_SYSCALL;
    p->status = V2_PS_SYSCALL;
    p->seq = seq;
    return ADV_OK;
}

/* The system call returns, and the goroutine still has its P. */
RULE rule_return(const struct v2_at *at)
{
    struct v2_g *const e = AT_OWN(at);
    struct v2_p *const p = AT_P(at);
    if (e->status != ST_SYSCALL || p->status != V2_PS_SYSCALL)
        return at_bad(at, "the goroutine isn't in a system call with its P", e->id);
    if (!put_return(at))
        return ADV_LONG;
    e->status = ST_RUNNING;
    p->status = V2_PS_RUNNING;
    return ADV_OK;
}

/* A goroutine is created: ST_RUNNABLE; ST_WAITING, to be unblocked first; or ST_SYSCALL, on a thread that
 * runs none. */
RULE rule_create(const struct v2_at *at, uint8_t state, uint64_t id, uint64_t start, uint64_t stack)
{
    const uint32_t by = at_g(at);
    if (at_find(at, id) != IDMAP_NONE)
        return at_bad(at, "the goroutine exists already", id);
    if (by != EV_NONE && AT_OWN(at)->status != ST_RUNNING)
        return at_bad(at, "the creating goroutine isn't running", AT_OWN(at)->id);
    return put_create(at, state, id, start, stack);
}

/* Returns whether such a range is open. A P has sweeps; a goroutine has mark assists and STW. */
static inline __attribute__((always_inline)) bool *rule_range(const struct v2_at *at, enum range_kind what)
{
    return what == RANGE_SWEEP    ? &AT_P(at)->sweep
           : what == RANGE_ASSIST ? &AT_OWN(at)->assist
                                  : &AT_OWN(at)->stw;
}

/* A range begins. stack: its id in the file. */
RULE rule_range_begin(const struct v2_at *at, enum range_kind what, uint64_t stack)
{
    bool *const open = rule_range(at, what);
    if (*open)
        return at_bad(at, "the range is open already", 0);
    if (!put_range(at, &(struct v2_range){.kind = EVK_RANGE_BEGIN, .what = what, .stack = stack}))
        return ADV_LONG;
    *open = true;
    return ADV_OK;
}

/* A range ends. a, b: of a sweep, the bytes swept and reclaimed. */
RULE rule_range_end(const struct v2_at *at, enum range_kind what, uint64_t a, uint64_t b)
{
    bool *const open = rule_range(at, what);
    if (!*open)
        return at_bad(at, "the range isn't open", 0);
    if (!put_range(at, &(struct v2_range){.kind = EVK_RANGE_END, .what = what, .a = a, .b = b}))
        return ADV_LONG;
    *open = false;
    return ADV_OK;
}

#undef RULE
