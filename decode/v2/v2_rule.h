/*
 * v2_rule.h - what the events' rules share: a rule is the function of a row of events_v2.def. Those that move
 * goroutines, Ps and threads stand in v2_adv.c, those of what else is told in v2_ranges.c.
 */
#ifndef GOTOP_DECODE_V2_RULE_H
#define GOTOP_DECODE_V2_RULE_H

#include "decode/v2/v2_state.h"

#define V2_RULE(name) enum adv name(struct v2_order *o, const struct v2_cursor *c, struct v2_ctx *x)
#define EVENT(name) V2_RULE(v2_rule_##name)
#define EVENT_IS(name, what) /* that one call */ \
    EVENT(name) \
    { \
        return what; \
    }

#define M(rule) EVENT(rule);
#include "decode/v2/events_v2.def"

/* v2_bad - the event can't be: damage, told once. v2_bad_context - because its thread lacks what it needs. */
enum adv v2_bad(struct v2_order *o, const struct v2_cursor *c, const char *what, uint64_t id);
enum adv v2_bad_context(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, unsigned need);
/* v2_emit_counted - an event of which no more is kept than that there was one. */
void v2_emit_counted(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x,
                     enum ev_class class);
/* v2_was_note - into o->was. false: out of memory. */
bool v2_was_note(struct v2_order *o, uint32_t g, uint8_t status, bool assists);

/* v2_str_of, v2_stack_of - v2_gen_str(), v2_gen_stack() of the generation that is put in order. */
static inline uint32_t v2_str_of(struct v2_order *o, uint64_t id)
{
    return v2_gen_str(o->s, o->gen, id);
}

static inline uint32_t v2_stack_of(struct v2_order *o, uint64_t id)
{
    return v2_gen_stack(o->gen, id);
}

/* Does the thread lack something that the event needs? What it is. */
static inline bool v2_lacks(const struct v2_ctx *x, unsigned need)
{
    return (need & V2_CM && x->m == EV_NONE) || (need & V2_CP && x->p == EV_NONE) ||
           (need & V2_CG && x->g == EV_NONE) || (need & V2_NG && x->g != EV_NONE);
}

/* What is told of here holds since the trace, or this segment of it, began; or was known all along. */
static inline uint16_t v2_since(const struct v2_order *o)
{
    return o->first_gen ? EVF_BACKDATE : o->alone ? EVF_CARRIED : 0;
}

#endif
