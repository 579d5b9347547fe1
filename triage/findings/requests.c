/* requests.c - see requests.h. */
#include "triage/findings/requests.h"

#define SERVE "net/http.(*conn).serve"

bool request_serves(const struct trace *tr, uint32_t start_function)
{
    return str_is(trace_str(tr, start_function), SERVE);
}

static bool frame_is(const struct trace *tr, uint32_t stack, uint32_t i, const char *func)
{
    return str_is(trace_str(tr, trace_frame(tr, stack, i).func), func);
}

bool request_next(const struct trace *tr, uint32_t stack)
{
    uint32_t i = trace_stack(tr, stack);
    while (i > 0 && !frame_is(tr, stack, i - 1, SERVE))
        i--;
    /* A direct call: a handler may have a reader of its own. */
    return i > 1 && (frame_is(tr, stack, i - 2, "net/http.(*conn).readRequest") ||
                     frame_is(tr, stack, i - 2, "bufio.(*Reader).Peek"));
}

/* Returns the innermost function that does more than block (in the runtime, in sync, in a sleep), or 0. */
static uint32_t waiting_in(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t f = trace_frame(tr, stack, i).func;
        const struct str s = trace_str(tr, f);
        if (!str_starts(s, "runtime.") && !str_starts(s, "sync.") && !str_is(s, "time.Sleep"))
            return f;
    }
    return 0;
}

bool own_loop(const struct trace *tr, uint32_t start_function, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack), f = waiting_in(tr, stack);
    return f && (f == start_function || f == trace_frame(tr, stack, n - 1).func);
}

bool waits_for_more(const struct trace *tr, uint32_t start_function, uint32_t reason, uint32_t stack)
{
    const enum wait_kind kind = stacks_wait_kind(tr, reason, stack);
    const bool channel = kind == WK_RECV || kind == WK_SELECT;
    return channel ? own_loop(tr, start_function, stack) && stacks_is_program(tr, waiting_in(tr, stack))
                   : kind == WK_NET && request_next(tr, stack);
}

static enum request_at at_stack(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    if (request_next(tr, stack))
        return RA_NEXT;
    for (uint32_t i = 0; i < n; i++)
        if (frame_is(tr, stack, i, "net/http.checkConnErrorWriter.Write"))
            return RA_ANSWER;
    return RA_ELSE;
}

static enum request_at at_known(struct request_cut *k, const struct trace *tr, uint32_t stack)
{
    const uint32_t i = stack % REQUEST_STACKS;
    if (k->known[i].stack != stack) {
        k->known[i].stack = stack;
        k->known[i].at = at_stack(tr, stack);
    }
    return stack ? k->known[i].at : RA_ELSE;
}

/* A read after an answer ends the request. The next one begins where the last blocking read ends, or with
 * the first read that does not block. */
bool request_step(struct request_cut *k, const struct trace *tr, const struct span *s, int64_t *t0,
                  int64_t *t1)
{
    const bool waits = s->state == ST_WAITING;
    const enum request_at at = waits || s->state == ST_SYSCALL ? at_known(k, tr, s->stack) : RA_ELSE;
    bool over = false;
    if (at == RA_ANSWER) {
        k->wrote = k->calls = true;
        k->answered = s->open_end ? s->t0 : s->t1;
    } else if (at == RA_NEXT) {
        if (waits || k->wrote || k->since == NO_TIME) {
            over = k->since != NO_TIME && (k->wrote || (waits && !k->calls));
            *t0 = k->since;
            *t1 = s->t0;
            k->since = s->open_end ? NO_TIME : waits ? s->t1 : s->t0;
            k->wrote = false;
            k->asked = waits || !k->asked ? s->stack : k->asked;
        }
        k->calls |= !waits;
    }
    return over;
}

bool request_last(const struct request_cut *k, int64_t *t0, int64_t *t1)
{
    *t0 = k->since;
    *t1 = k->answered;
    return k->since != NO_TIME && k->wrote;
}
