/*
 * culprit.c - finds the function to change for each verdict, and the line in it: the holder, at the line
 * from which it calls what takes the time; otherwise the place itself. A function that several others of
 * the program call is a utility; the one to change is its caller.
 */
#include "decode/base/mem.h"
#include "triage/verdicts/verdict.h"

enum { STACKS = 50000 }; /* number of stacks examined for callers */

struct callers_of {
    const struct trace *tr;
    struct owners *own;
    uint32_t *by;  /* indexed by function (string): a function of the program that calls it */
    uint8_t *more; /* number of other callers, at most 2 */
    uint32_t nstr;
};

/* Returns the next function of the program outside a frame; 0: none. *frame receives its frame. */
static uint32_t caller_in(const struct callers_of *c, uint32_t stack, uint32_t *frame)
{
    const uint32_t n = trace_stack(c->tr, stack), func = trace_frame(c->tr, stack, *frame).func;
    for (uint32_t i = *frame + 1; i < n; i++) {
        const struct frame f = trace_frame(c->tr, stack, i);
        if (f.func != func && owner_of(c->own, &f) == OWNER_PROGRAM) {
            *frame = i;
            return f.func;
        }
    }
    return 0;
}

static bool callers_new(struct callers_of *c, const struct works *w)
{
    *c = (struct callers_of){.tr = w->tr, .own = w->own, .nstr = trace_nstr(w->tr)};
    c->by = mem_zalloc(((size_t)c->nstr + 1) * sizeof *c->by);
    c->more = mem_zalloc((size_t)c->nstr + 1);
    const uint32_t n = trace_nstacks(w->tr), step = n / STACKS + 1;
    for (uint32_t s = 1; c->by && c->more && s < n; s += step) {
        for (uint32_t i = owner_user(w->own, s);;) {
            const uint32_t func = trace_frame(w->tr, s, i).func, by = caller_in(c, s, &i);
            if (!by || func >= c->nstr)
                break;
            if (!c->by[func])
                c->by[func] = by;
            else if (c->by[func] != by)
                c->more[func] = 1;
        }
    }
    return c->by && c->more;
}

static struct site out_of_tools(const struct callers_of *c, struct site p)
{
    uint32_t frame = p.frame;
    while (p.stack && p.user && p.user < c->nstr && c->more[p.user] &&
           trace_frame(c->tr, p.stack, p.frame).func == p.user && caller_in(c, p.stack, &frame)) {
        p.frame = frame;
        p.user = trace_frame(c->tr, p.stack, frame).func;
    }
    return p;
}

/* Returns what it does most, except waiting for a processor. */
static struct did does_most(const struct verdict *v)
{
    for (unsigned i = 0; i < v->ndoing; i++)
        if (v->doing[i].cat != EX_RUNNABLE && v->doing[i].cat != EX_NOBODY && v->doing[i].cat != EX_STOPPED)
            return v->doing[i];
    return v->ndoing ? v->doing[0] : (struct did){0};
}

/* Returns the caller of a place, unless a goroutine's own work starts in it. */
static struct site goes_there(const struct callers_of *c, struct site p)
{
    uint32_t frame = p.frame, outer;
    const uint32_t by = p.stack ? caller_in(c, p.stack, &frame) : 0;
    outer = frame;
    return by && caller_in(c, p.stack, &outer) ? (struct site){p.leaf, by, p.stack, frame} : p;
}

static struct site culprit_of(const struct callers_of *c, const struct verdict *v)
{
    const struct site does = does_most(v).at;
    const enum culprit is = rule_row(v->rule)->culprit;
    const bool holds = is == CULPRIT_HOLDER && v->holder.at.user;
    const struct site at = holds ? v->holder.at : v->where;
    if (is == CULPRIT_CREATOR && v->creator.at.user)
        return v->creator.at;
    if (v->region)
        return at; /* the program says it itself */
    if (is == CULPRIT_CALLER)
        return goes_there(c, at);
    for (uint32_t i = 0, n = does.stack ? trace_stack(c->tr, does.stack) : 0; i < n; i++)
        if (trace_frame(c->tr, does.stack, i).func == at.user && is != CULPRIT_DOES)
            return holds ? (struct site){at.user, at.user, does.stack, i} : out_of_tools(c, at);
    struct site p = out_of_tools(c, does.user && (holds || is == CULPRIT_DOES) ? does : at);
    p.leaf = holds ? p.user : p.leaf;
    return p;
}

/* The goroutine that ends most waits may itself have waited just before: the holder is the one whose time
 * it is in the culprit. */
static void holder_of(struct verdict *v)
{
    const struct did does = does_most(v);
    if (rule_row(v->rule)->culprit == CULPRIT_HOLDER && v->holder.at.user && does.who &&
        does.at.stack == v->culprit.stack) {
        v->holder.group = does.who;
        v->holder.g = does.g;
    }
}

bool verdicts_culprits(const struct works *w, struct verdicts *out)
{
    struct callers_of c;
    const bool ok = callers_new(&c, w);
    for (uint32_t i = 0; ok && i < out->n; i++) {
        struct site *p = &out->v[i].culprit, *by = &out->v[i].caller;
        *p = culprit_of(&c, &out->v[i]);
        holder_of(&out->v[i]);
        *by = (struct site){.stack = p->stack, .frame = p->frame};
        if (p->stack && trace_frame(c.tr, p->stack, p->frame).func == p->user)
            by->user = caller_in(&c, by->stack, &by->frame);
    }
    mem_free(c.by);
    mem_free(c.more);
    return ok;
}
