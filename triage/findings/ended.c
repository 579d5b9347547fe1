/* ended.c - see ended.h. */
#include "triage/findings/ended.h"

#include "triage/findings/explain.h"

enum { AHEAD = 16 /* spans read to find what follows a wait */ };

void ended_init(struct ended *e, const struct trace *tr)
{
    *e = (struct ended){.tr = tr, .ng = trace_nlanes(tr, LANE_G), .recorded = -1};
}

static bool reads(const struct ended *e, uint32_t stack)
{
    return stack && stacks_may(e->tr, stack, STACK_READS);
}

/* Whether the trace records reads. A read that does not wait is in a system call. */
static bool recorded(struct ended *e)
{
    for (uint32_t s = 1, n = trace_nstacks(e->tr); e->recorded < 0 && s < n; s++)
        if (str_starts(trace_str(e->tr, trace_frame(e->tr, s, 0).func), "syscall.") && reads(e, s))
            e->recorded = 1;
    e->recorded = e->recorded > 0;
    return e->recorded;
}

static struct then ended_then(struct ended *e, uint32_t g, int64_t t)
{
    struct then k = {ST_NONE, 0};
    if (span_seek_on(&e->it, e->tr, lane_g(g), t)) {
        then_is(&k, span_get(&e->it));
        for (int i = 0; i < AHEAD && k.state == ST_NONE && span_next(&e->it); i++)
            then_is(&k, span_get(&e->it));
    }
    return k;
}

/* Nothing is read after a wait for input that nobody ended: a deadline ended it. */
static bool at_deadline(struct ended *e, uint32_t g, const struct span *s, const struct span *next,
                        struct then then)
{
    if (next->who != NO_LANE || !reads(e, s->stack) || !recorded(e))
        return false;
    then = then.state == ST_NONE ? ended_then(e, g, s->t1) : then;
    return then.state == ST_WAITING || (then.state == ST_SYSCALL && !reads(e, then.stack));
}

/* True if a goroutine of the runtime ended the wait in a function that the program gave it to run (a
 * finalizer, a cleanup). Then it is waited for as any other goroutine is. */
static bool runs_for_program(const struct trace *tr, uint32_t stack)
{
    return stack && stacks_is_program(tr, stacks_user(tr, stack));
}

uint8_t ended_how(struct ended *e, uint32_t g, const struct span *s, const struct span *next,
                  struct then then, uint8_t *kind)
{
    const struct trace *tr = e->tr;
    const bool told = trace_str(tr, s->reason).len > 0;
    const enum wait_kind k =
        told ? stacks_wait_kind(tr, s->reason, s->stack) : stacks_kind_untold(tr, s->stack);
    *kind = (uint8_t)k;
    if (next->state != ST_RUNNABLE)
        return EX_OPEN;
    if (k == WK_NET)
        return at_deadline(e, g, s, next, then) ? EX_DEADLINE : stacks_pipe(tr, s->stack) ? EX_PIPE : EX_NET;
    if (k == WK_SLEEP || k == WK_GC || k == WK_SYSTEM)
        return k == WK_SLEEP ? EX_TIMER : EX_GC;
    if (next->who == NO_LANE || next->who >= e->ng || next->who == g) {
        return told || k != WK_OTHER
                   ? EX_TIMER
                   : EX_UNKNOWN; /* the wait began before the trace, and its reason is not recorded */
    }
    if (trace_lane_who(tr, lane_g(next->who)).is_system && !runs_for_program(tr, next->stack))
        return str_is(trace_str(tr, trace_g_name(tr, next->who)), "runtime.timerproc") ? EX_TIMER : EX_GC;
    return EX_WAIT;
}
