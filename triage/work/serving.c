/* serving.c - the works of requests that the goroutines of one group do: see work.h. */
#include "triage/findings/asks.h"
#include "triage/findings/walk.h"
#include "triage/work/work.h"

#include <string.h>

enum {
    ASKED = 16,  /* goroutines of a group that are asked for the part they take */
    LOOKED = 256 /* spans of a goroutine, for its handler */
};

/* The outermost function outside the standard library in which a goroutine of net/http's server answers; 0:
 * unknown, or it answers in several. */
static uint32_t answers_in(const struct trace *tr, uint32_t g)
{
    uint32_t in = 0, known = 0;
    each_between(s, tr, g, 0, INT64_MAX, LOOKED) {
        uint32_t i = s->stack && s->stack != known ? trace_stack(tr, s->stack) : 0, func = 0;
        known = s->stack;
        while (i-- > 0 && !func) {
            const uint32_t f = trace_frame(tr, s->stack, i).func;
            func = stacks_is_program(tr, f) ? f : 0;
        }
        if (func && in && func != in)
            return 0;
        in = func ? func : in;
    }
    return in;
}

/* The function in which a goroutine of net/http's server reads messages, having taken the connection over; 0:
 * none. */
static uint32_t messages_in(const struct causes *c, uint32_t g)
{
    uint32_t known = 0;
    each_walked(s, c->tr, g, LOOKED) {
        if (s->state != ST_WAITING || !s->stack || s->stack == known ||
            stacks_wait_kind(c->tr, s->reason, s->stack) != WK_NET || causes_writes(c->tr, s->stack))
            continue;
        known = s->stack;
        const uint32_t n = trace_stack(c->tr, known);
        if (any_of(i, n, str_has(trace_str(c->tr, trace_frame(c->tr, known, i).func), "websocket")))
            return stacks_place(c->tr, known);
    }
    return 0;
}

static uint32_t part_of(const struct causes *c, bool http, uint32_t g)
{
    return http ? answers_in(c->tr, g) : calls_questions(c, g);
}

uint32_t serving_at(const struct causes *c, bool http, const struct serving *p, uint32_t g)
{
    const uint32_t part = p->n > 1 ? part_of(c, http, g) : 0;
    uint32_t i = p->n;
    while (i > 0 && p->v[i - 1] != part)
        i--;
    return i ? i - 1 : 0;
}

struct serving serving_of(const struct causes *c, uint32_t group, bool http)
{
    const uint32_t all = causes_look(c, group, ASKED);
    uint32_t n[SERVING] = {0}, known = 0;
    struct serving p = {.n = 0};
    each_member(g, c, group, ASKED) {
        const uint32_t part = part_of(c, http, g);
        const uint32_t k = find_first(j, p.n, p.v[j] == part);
        if (!part || k == SERVING)
            continue;
        p.n += k == p.n;
        p.v[k] = part;
        n[k]++;
        known++;
        if (n[k] > n[0]) {
            const uint32_t first = p.v[0];
            p.v[0] = p.v[k];
            p.v[k] = first;
            n[k] = n[0]++;
        }
    }
    return known * 2 > all && (!http || known == all) ? p : (struct serving){.n = 1};
}

uint32_t serving_messages(const struct causes *c, uint32_t group)
{
    uint32_t in = 0, votes = 0;
    each_member(g, c, group, ASKED) {
        const uint32_t m = messages_in(c, g);
        in = votes ? in : m;
        votes = m == in ? votes + 1 : votes - 1;
    }
    return votes ? in : 0;
}
