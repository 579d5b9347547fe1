/*
 * v2_rule.h - what the rules of the events share. A rule is the function of a row of events_v2.def. Rules
 * that move goroutines, Ps and threads are in v2_adv.c, the others in v2_ranges.c.
 */
#ifndef GOTOP_DECODE_V2_RULE_H
#define GOTOP_DECODE_V2_RULE_H

#include "decode/v2/v2_state.h"

#define V2_RULE(name) enum adv name(struct v2_order *o, const struct v2_cursor *c, struct v2_ctx *x)
#define EVENT(name) V2_RULE(v2_rule_##name)
#define EVENT_IS(name, what) /* a rule that only makes this call */ \
    EVENT(name) \
    { \
        return what; \
    }

#define X(n, id, name, since, nargs, context, after, strs, stacks, rule) EVENT(rule);
#include "decode/v2/events_v2.def"

/* v2_bad - Note that the event is impossible, as damage. v2_bad_context - The same, as its thread lacks
 * what it needs. */
enum adv v2_bad(struct v2_order *o, const struct v2_cursor *c, const char *what, uint64_t id);
enum adv v2_bad_context(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, unsigned need);
/* v2_emit_counted - Emit an event that is only counted. */
void v2_emit_counted(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x,
                     enum ev_class class);

/* v2_str_of, v2_stack_of - v2_gen_str() and v2_gen_stack() of the current generation. */
static inline uint32_t v2_str_of(struct v2_order *o, uint64_t id)
{
    return v2_gen_str(o->s, o->gen, id);
}

static inline uint32_t v2_stack_of(struct v2_order *o, uint64_t id)
{
    return v2_gen_stack(o->gen, id);
}

/* Returns whether the thread lacks something that the event needs. */
static inline bool v2_lacks(const struct v2_ctx *x, unsigned need)
{
    return (need & V2_CM && x->m == EV_NONE) || (need & V2_CP && x->p == EV_NONE) ||
           (need & V2_CG && x->g == EV_NONE) || (need & V2_NG && x->g != EV_NONE);
}

/* Returns the flags of a status: the state has held since the trace or this segment began, or was known all
 * along. */
static inline uint16_t v2_since(const struct v2_order *o)
{
    return o->first_gen ? EVF_BACKDATE : o->alone ? EVF_CARRIED : 0;
}

#endif
