/* asks.c - see asks.h. */
#include "triage/findings/asks.h"

#include "triage/findings/requests.h"
#include "triage/findings/walk.h"

/* True if goroutine g was created by the function that accepts connections; or by a library that it calls,
 * and does not hand on what it reads, as one that reads the messages of many. */
static bool by_accepter(const struct causes *c, uint32_t g)
{
    const struct lane_info li = trace_lane(c->tr, lane_g(g));
    const uint32_t place = stacks_place(c->tr, li.create_stack);
    const uint32_t n = c->of[c->tg->group_of[g]].hands_on ? 0 : trace_stack(c->tr, li.create_stack);
    return (place && tab_get(&c->accepts, place, 0) != TAB_NONE) ||
           any_of(i, n, tab_get(&c->accepts, trace_frame(c->tr, li.create_stack, i).func, 0) != TAB_NONE);
}

/* True if a goroutine that was so created began this one. */
static bool by_server(const struct causes *c, uint32_t g)
{
    const struct lane_info li = trace_lane(c->tr, lane_g(g));
    return li.created && li.creator < c->tg->ng && !c->of[c->tg->group_of[g]].hands_on &&
           by_accepter(c, li.creator);
}

bool calls_reads(const struct trace *tr, const struct span *s)
{
    return s->state == ST_WAITING
               ? stacks_wait_kind(tr, s->reason, s->stack) == WK_NET && !causes_writes(tr, s->stack)
               : s->state == ST_SYSCALL && s->stack && stacks_may(tr, s->stack, STACK_CONN) &&
                     stacks_has(tr, s->stack, "net.(*netFD).Read");
}

/* The function that is so many calls inside the outermost one; 0: none. */
static uint32_t inside(const struct trace *tr, uint32_t stack, uint32_t depth)
{
    const uint32_t n = trace_stack(tr, stack);
    return depth < n ? trace_frame(tr, stack, n - 1 - depth).func : 0;
}

/* Of a goroutine's waits and system calls: how they part. All are inside a loop; by one call it reads. */
struct asked {
    uint32_t read, some; /* the shallowest stack in which it reads, 0: none; some stack */
    uint32_t loop;       /* how many functions all stacks have in common, from the outermost one on */
    uint32_t handler;    /* the first call of the loop's but that to read in which it writes */
    uint32_t reads, wrote, calls, handles;
};

static void asked_part(const struct causes *c, struct asked *a, const struct span *s)
{
    const bool less = !a->read || trace_stack(c->tr, s->stack) < trace_stack(c->tr, a->read);
    uint32_t same = 0, f;
    a->some = a->some ? a->some : s->stack;
    while ((f = inside(c->tr, s->stack, same)) != 0 && f == inside(c->tr, a->some, same))
        same++;
    a->loop = same < a->loop ? same : a->loop;
    if (less && calls_reads(c->tr, s))
        a->read = s->stack;
}

static void asked_count(const struct causes *c, struct asked *a, const struct span *s)
{
    const uint32_t at = inside(c->tr, s->stack, a->loop), by = inside(c->tr, a->read, a->loop);
    const bool writes = causes_writes(c->tr, s->stack);
    if (at == by) {
        a->reads += calls_reads(c->tr, s) && stacks_place(c->tr, s->stack) == stacks_place(c->tr, a->read);
        return;
    }
    a->handler = !a->handler && writes ? at : a->handler;
    a->wrote += writes;
    a->calls += !writes;
    a->handles += !writes && at && at == a->handler && s->state == ST_WAITING &&
                  stacks_wait_kind(c->tr, s->reason, s->stack) != WK_LOCK;
}

enum { LOOKED = 256, MEMBERS = 16 }; /* spans of a goroutine, and goroutines of a group */

/* How many functions are outside the place of a stack. */
static uint32_t place_depth(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack), place = stacks_place(tr, stack);
    uint32_t depth = 0;
    while (depth < n && inside(tr, stack, depth) != place)
        depth++;
    return depth;
}

/* A stack in which the goroutine of a connection that was accepted reads its requests: where it reads for the
 * first time, or behind its first answer, if that is further out (what a request asks for is further in). 0:
 * nowhere; or it waited on a channel before, for what it then asks there. left: the connection was left to
 * it, if it writes nothing before; else it may have its own. */
static uint32_t served_at(const struct causes *c, uint32_t g, uint32_t name, bool left)
{
    uint32_t first = 0;
    bool wrote = false;
    each_between(s, c->tr, g, 0, INT64_MAX, LOOKED) {
        if (!s->stack || (s->state != ST_WAITING && s->state != ST_SYSCALL))
            continue;
        if (!first && s->state == ST_WAITING && waits_for_more(c->tr, name, s->reason, s->stack))
            return 0;
        const bool read = calls_reads(c->tr, s);
        if (first && wrote && read && place_depth(c->tr, s->stack) < place_depth(c->tr, first))
            return s->stack;
        wrote |= causes_writes(c->tr, s->stack) || stacks_may(c->tr, s->stack, STACK_CONNECTS);
        if (left && wrote && !first)
            return 0;
        first = !first && read ? s->stack : first;
    }
    return first;
}

/* Where a server reads its requests: served_at(). If the goroutine existed before the trace began: where its
 * start function reads, and waited then (for what is not always recorded); or where a loop reads that calls
 * a handler and writes what that answers; or that reads by one call, and by another one, the handler, both
 * waits for something else and writes. */
uint32_t calls_questions(const struct causes *c, uint32_t g)
{
    const uint32_t group = c->tg->group_of[g], name = c->tg->groups[group].name;
    const bool may = !trace_lane_who(c->tr, lane_g(g)).created && !c->of[group].hands_on && name;
    struct asked a = {.loop = UINT32_MAX};
    struct span_iter it;
    const bool own = by_accepter(c, g);
    if (own || by_server(c, g)) {
        const uint32_t at = served_at(c, g, name, !own);
        return at ? stacks_place(c->tr, at) : 0;
    }
    const bool waited =
        may && span_seek_index(&it, c->tr, lane_g(g), 0) && span_get(&it)->state == ST_WAITING;
    for (int count = 0; may && count <= (a.read != 0); count++) {
        each_between(s, c->tr, g, 0, INT64_MAX, LOOKED)
            if (s->stack && (s->state == ST_WAITING || s->state == ST_SYSCALL))
                (count ? asked_count : asked_part)(c, &a, s);
    }
    const uint32_t in = a.read ? stacks_place(c->tr, a.read) : 0;
    if (!a.wrote || !a.loop || a.reads < 2)
        return 0;
    const uint32_t loop = inside(c->tr, a.read, a.loop - 1);
    const bool handler = a.handles && !str_starts(trace_str(c->tr, loop), "main.");
    return (in == name ? waited : in == loop ? a.calls > 0 : handler) ? in : 0;
}

uint32_t calls_loop(const struct causes *c, uint32_t group)
{
    struct asked a = {.loop = UINT32_MAX};
    bool calls = false;
    for (int count = 0; count < 2; count++) {
        uint32_t known = 0;
        each_member(g, c, group, MEMBERS)
            each_between(s, c->tr, g, 0, INT64_MAX, LOOKED) {
                if (!s->stack || s->stack == known || (s->state != ST_WAITING && s->state != ST_SYSCALL))
                    continue;
                known = s->stack;
                if (count)
                    calls |= stacks_is_program(c->tr, inside(c->tr, known, a.loop));
                else
                    asked_part(c, &a, s);
            }
    }
    return calls && a.loop ? inside(c->tr, a.some, a.loop - 1) : 0;
}

bool calls_asks(const struct causes *c, uint32_t g)
{
    enum { STEPS = 4000 };
    int64_t reads = 0, answers = 0;
    uint32_t known = 0;
    bool wrote = false, writes = false, outside = false, trip = false;
    each_between(s, c->tr, g, 0, INT64_MAX, STEPS) {
        if ((s->state != ST_WAITING && s->state != ST_SYSCALL) || !s->stack)
            continue;
        if (s->stack != known) {
            known = s->stack;
            writes = causes_writes(c->tr, s->stack);
            outside = stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET || stacks_pipe(c->tr, s->stack);
            trip = stacks_may(c->tr, s->stack, STACK_TRIP);
        }
        if (trip &&
            s->state == ST_WAITING) { /* goroutines of the library write the request and read the answer */
            reads = ns_add(reads, s->t1 - s->t0);
            answers = ns_add(answers, s->t1 - s->t0);
        } else if (!writes && s->state == ST_WAITING && outside) {
            reads = ns_add(reads, s->t1 - s->t0);
            answers = ns_add(answers, wrote ? s->t1 - s->t0 : 0);
        }
        wrote = writes || (wrote && !(s->state == ST_WAITING && outside));
    }
    return answers > reads / 2;
}

bool calls_reads_on(const struct trace *tr, uint32_t g, int64_t t)
{
    enum { NEAR = 16 };
    bool reads[2] = {false, false};
    for (int after = 0; after < 2; after++) {
        struct span_iter it;
        bool more = span_seek(&it, tr, lane_g(g), t);
        for (int i = 0; i < NEAR && more; i++, more = after ? span_next(&it) : span_prev(&it)) {
            const struct span *s = span_get(&it);
            const bool leaves = s->stack && (s->state == ST_WAITING || s->state == ST_SYSCALL) &&
                                (after ? s->t0 >= t : s->t0 < t) &&
                                stacks_wait_kind(tr, s->reason, s->stack) != WK_LOCK;
            if (leaves) {
                reads[after] = stacks_may(tr, s->stack, STACK_CONN) && !causes_writes(tr, s->stack) &&
                               !stacks_may(tr, s->stack, STACK_ACCEPTS | STACK_CONNECTS);
                break;
            }
        }
    }
    return reads[0] && reads[1];
}
