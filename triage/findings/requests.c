/* requests.c - see requests.h. */
#include "triage/findings/requests.h"

#include <string.h>

#include "triage/findings/asks.h"

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

/* A span waits for more, or reads it; it waits for what is to be written, or for a part of the answer; it
 * writes an answer. */
enum part_at { PA_ELSE, PA_NEXT, PA_NEWS, PA_ANSWER };

static bool pauses(const struct parts *of, const struct span *s)
{
    return stacks_wait_kind(of->tr, s->reason, s->stack) == WK_SLEEP &&
           (own_loop(of->tr, of->name, s->stack) ||
            (of->place.len && str_same(trace_str(of->tr, waiting_in(of->tr, s->stack)), of->place)));
}

static enum part_at at_http(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    if (request_next(tr, stack))
        return PA_NEXT;
    return any_of(i, n, frame_is(tr, stack, i, "net/http.checkConnErrorWriter.Write")) ? PA_ANSWER : PA_ELSE;
}

/* What waits or is in a system call; of a connection's reader, too, that has no library for it. */
static enum part_at at_span(const struct parts *of, const struct span *s)
{
    if (of->http)
        return at_http(of->tr, s->stack);
    if (of->place.len && causes_sends(of->tr, s->stack))
        return PA_ANSWER;
    if (of->place.len && calls_reads(of->tr, s) &&
        str_same(trace_str(of->tr, stacks_place(of->tr, s->stack)), of->place))
        return PA_NEXT;
    const bool more = s->state == ST_WAITING && waits_for_more(of->tr, of->name, s->reason, s->stack);
    return !more ? PA_ELSE : of->place.len ? PA_NEWS : PA_NEXT;
}

static enum part_at at_known(struct parts *of, const struct span *s)
{
    struct known_at *k = &of->known[s->stack % PARTS_STACKS];
    if (!s->stack || (s->state != ST_WAITING && s->state != ST_SYSCALL))
        return PA_ELSE;
    if (k->stack != s->stack || k->reason != s->reason || k->state != s->state) {
        const enum part_at at = of->paced ? (pauses(of, s) ? PA_NEXT : PA_ELSE) : at_span(of, s);
        *k = (struct known_at){s->stack, s->reason, s->state, (uint8_t)at};
    }
    return (enum part_at)k->at;
}

/* A read after an answer ends a request. The next one begins where the last blocking read ends, or with the
 * first read that does not block. */
bool parting_step(struct parting *k, struct parts *of, const struct span *s, int64_t *t0, int64_t *t1)
{
    const bool waits = s->state == ST_WAITING;
    const enum part_at at = at_known(of, s);
    bool over = false;
    if (s->state == ST_NONE) /* between two stretches */
        k->since = NO_TIME;
    if (of->paced && s->state == ST_RUNNABLE && k->since == s->t0) /* that is still the pause */
        k->since = s->t1;
    if (at == PA_ANSWER) {
        k->wrote = true;
        k->told |= of->http;
        k->answered = s->open_end ? s->t0 : s->t1;
    } else if (k->wrote || k->since == NO_TIME ? at != PA_ELSE : at == PA_NEXT && waits) {
        over = k->since != NO_TIME && (k->wrote || (waits && !k->told));
        *t0 = k->since;
        *t1 = s->t0;
        k->since = s->open_end ? NO_TIME : waits ? s->t1 : s->t0;
        k->wrote = false;
        k->told = !waits || (k->told && of->http);
        k->idle = waits && s->open_end;
        k->more = waits || !k->more ? s->stack : k->more;
    }
    return over;
}

bool parting_last(const struct parting *k, const struct parts *of, int64_t *t0, int64_t *t1)
{
    *t0 = k->since;
    *t1 = k->answered;
    return of->http && k->since != NO_TIME && k->wrote;
}
