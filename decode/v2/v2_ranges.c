/*
 * v2_ranges.c - the other events of the second family (see v2_adv.c): the GC, open ranges, tasks, regions
 * and logs, notes.
 */
#include "decode/v2/v2_rule.h"

/* ---- the GC -------------------------------------------------------------------------------------------- */

static struct ev *gc_step(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x,
                          enum ev_kind kind)
{
    struct ev *e = v2_emit(o, c, x, kind, RANGE_GC);
    o->gc = kind == EVK_RANGE_END ? GC_OFF : GC_ON;
    o->gc_seq = c->arg[0];
    e->g = e->p = EV_NONE;
    e->arg = kind == EVK_RANGE_END ? 0 : c->arg[0];
    return e;
}

/* Returns whether its number follows that of the last step. */
static bool gc_next(struct v2_order *o, const struct v2_cursor *c)
{
    if (!o->gc_first) {
        o->gc_first = v2_means(c->type);
        o->gc_first_seq = c->arg[0];
    }
    return o->gc != GC_UNKNOWN && c->arg[0] == o->gc_seq + 1;
}

EVENT(gc_end)
{
    bool next = gc_next(o, c);
    if (!next && o->gc != GC_UNKNOWN)
        return ADV_WAIT;
    if (!next || o->gc != GC_ON)
        return v2_bad(o, c, "GC ends that did not begin", c->arg[0]);
    gc_step(o, c, x, EVK_RANGE_END);
    return ADV_OK;
}

EVENT(gc_begin)
{
    if ((o->gc != GC_UNKNOWN || o->alone) && v2_lacks(x, V2_CM | V2_CP | V2_CG))
        return v2_bad_context(o, c, x, V2_CM | V2_CP | V2_CG);
    if (!gc_next(o, c) && o->gc != GC_UNKNOWN)
        return ADV_WAIT;
    if (o->gc == GC_ON)
        return v2_bad(o, c, "GC begins while it runs", c->arg[0]);
    gc_step(o, c, x, EVK_RANGE_BEGIN)->stack = v2_stack_of(o, c->arg[1]);
    return ADV_OK;
}

EVENT(gc_active)
{
    if (!o->first_gen && v2_lacks(x, V2_CM | V2_CP | V2_CG))
        return v2_bad_context(o, c, x, V2_CM | V2_CP | V2_CG);
    bool next = gc_next(o, c);
    if (o->first_gen) {
        if (o->gc != GC_UNKNOWN)
            return v2_bad(o, c, "GC active after other GC events", c->arg[0]);
    } else if (!o->alone || o->gc != GC_UNKNOWN) {
        if (!next)
            return ADV_WAIT;
        if (o->gc != GC_ON)
            return v2_bad(o, c, "GC active that did not begin", c->arg[0]);
    }
    gc_step(o, c, x, EVK_RANGE_ACTIVE)->flags |= v2_since(o);
    return ADV_OK;
}

/* ---- open sweeps of a P and open mark assists of a goroutine; v2_rules.h: how they begin and end ------- */

/* Note that a range of what the event names is open when this generation begins. */
static enum adv range_goes_on(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x,
                              enum range_kind what)
{
    const bool sweep = what == RANGE_SWEEP;
    const uint32_t of = idmap_get(sweep ? &o->ps : &o->gs, c->arg[0]);
    if (of == IDMAP_NONE)
        return v2_bad(o, c, sweep ? "sweep on an unknown P" : "mark assist of an unknown goroutine",
                      c->arg[0]);
    bool *open = sweep ? &o->p[of].sweep : &v2_g_at(o, of)->assist;
    const bool carried = o->alone && !*open;
    if (carried && sweep)
        o->p[of].swept = true;
    if (*open == o->first_gen && !carried)
        return v2_bad(o, c, *open ? "the range is open already" : "the range isn't open", 0);
    *open = true;
    struct ev *e = v2_emit(o, c, x, EVK_RANGE_ACTIVE, (uint8_t)what);
    e->g = sweep ? EV_NONE : of;
    e->p = sweep ? of : EV_NONE;
    e->flags |= v2_since(o);
    return ADV_OK;
}

EVENT_IS(sweep_active, range_goes_on(o, c, x, RANGE_SWEEP))
EVENT_IS(assist_active, range_goes_on(o, c, x, RANGE_ASSIST))

/* ---- the program's own events -------------------------------------------------------------------------- */

/* An event of a task. */
static struct ev *user_event(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x,
                             enum ev_kind kind, uint32_t str)
{
    struct ev *e = v2_emit(o, c, x, kind, 0);
    e->arg = c->arg[0];
    e->str = str;
    e->stack = v2_stack_of(o, c->arg[__builtin_ctz(v2_specs[c->type].stacks)]);
    return e;
}

static enum adv region(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x,
                       enum ev_kind kind)
{
    user_event(o, c, x, kind, v2_str_of(o, c->arg[1]));
    return ADV_OK;
}

EVENT_IS(region_begin, region(o, c, x, EVK_REGION_BEGIN))
EVENT_IS(region_end, region(o, c, x, EVK_REGION_END))

EVENT(task_begin)
{
    if (idmap_get(&o->tasks, c->arg[0]) != IDMAP_NONE)
        return v2_bad(o, c, "the task is open already", c->arg[0]);
    if (!mem_noted(&o->oom, idmap_put(&o->tasks, c->arg[0], 0)))
        return ADV_BAD;
    user_event(o, c, x, EVK_TASK_BEGIN, v2_str_of(o, c->arg[2]))->arg2 = c->arg[1];
    return ADV_OK;
}

EVENT(task_end)
{
    idmap_del(&o->tasks, c->arg[0]);
    user_event(o, c, x, EVK_TASK_END, 0);
    return ADV_OK;
}

EVENT(user_log)
{
    struct ev *e = user_event(o, c, x, EVK_LOG, v2_str_of(o, c->arg[1]));
    e->stack2 = v2_str_of(o, c->arg[2]);
    return ADV_OK;
}

/* ---- notes --------------------------------------------------------------------------------------------- */

/* The runtime labels only mark workers: if the label's text was lost and its number is unknown, it is still
 * a mark worker. */
static uint32_t label_of(struct v2_order *o, uint64_t id)
{
    static const char text[] = "GC (not recorded)";
    uint32_t str = v2_str_of(o, id);
    const struct str word = names_get(o->s->names, str);
    if ((word.len && *word.p != '#') || o->gen->closed)
        return str;
    return names_str(o->s->names, text, sizeof text - 1, false, &str) ? 0 : str;
}

EVENT(go_label)
{
    v2_emit(o, c, x, EVK_G_LABEL, 0)->str = label_of(o, c->arg[0]);
    return ADV_OK;
}

static enum adv metric(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, enum metric m)
{
    v2_emit(o, c, x, EVK_METRIC, (uint8_t)m)->arg = c->arg[0];
    return ADV_OK;
}

EVENT(procs)
{
    (void)v2_stack_of(o, c->arg[1]); /* no view shows it, but one that the tables lack is damage */
    return metric(o, c, x, METRIC_PROCS);
}

EVENT_IS(heap_alloc, metric(o, c, x, METRIC_HEAP))
EVENT_IS(heap_goal, metric(o, c, x, METRIC_GOAL))

EVENT(misplaced)
{
    (void)x;
    return v2_bad(o, c, "a clock snapshot outside its batch", 0);
}

EVENT(counted)
{
    v2_emit_counted(o, c, x, EC_EXPERIMENTAL);
    return ADV_OK;
}
