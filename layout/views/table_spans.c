/*
 * table_spans.c - see table_spans.h. One walk over all spans; which type a stack belongs to is found once for
 * each.
 */
#include "layout/views/table_spans.h"

#include <inttypes.h>

#include "decode/base/mem.h"

struct known { /* types by reason, stack and who ended it */
    struct tab map;
    uint32_t *type;
    uint32_t n;
    size_t cap;
};

void spans_key(const struct trace *tr, const struct span *s, uint32_t ender, uint64_t *a, uint64_t *b)
{
    const struct frame inner = trace_frame(tr, s->stack, 0),
                       user = trace_frame(tr, s->stack, stacks_user_frame(tr, s->stack));
    (void)ender;
    *a = (uint64_t)user.func << 32 | (uint32_t)user.line;
    *b = (uint64_t)inner.func << 32 | s->reason;
    if (s->reason && stacks_wait_kind(tr, s->reason, s->stack) == WK_OTHER)
        *a = 0; /* the runtime's own work: the goroutine that triggered it does not matter */
    if (!user.func && inner.pc)
        *a = (uint64_t)~s->stack << 32; /* no string's number; which frame is the program's is not known */
}

static uint32_t spans_type(struct table *t, struct known *k, const struct spans_from *f, const struct span *s,
                           uint32_t ender)
{
    uint64_t a, b;
    uint32_t at = tab_put(&k->map, (uint64_t)s->reason << 32 | s->stack, ender, k->n);
    if (at == TAB_NONE || at < k->n)
        return at == TAB_NONE ? TAB_NONE : k->type[at];
    if (!mem_room(k->type, k->cap, (size_t)k->n + 1))
        return TAB_NONE;
    f->key(t->tr, s, ender, &a, &b);
    return k->type[k->n++] = table_type(t, a, b);
}

static bool spans_lane(struct table *t, struct known *k, uint32_t g, bool system, const struct spans_from *f)
{
    struct span_iter it;
    struct span s;
    bool more = span_seek_index(&it, t->tr, lane_g(g), 0);
    for (uint32_t i = 0; more; i++) {
        s = *span_get(&it);
        more = span_next(&it);
        const struct span *next = more ? span_get(&it) : NULL;
        if (i % 256 == 0 && !slices_tick())
            return false;
        if (s.state != f->state || (f->wanted && !f->wanted(t->tr, &s, next)))
            continue;
        const uint32_t type = f->key ? spans_type(t, k, f, &s, f->by_ender && next ? next->stack : 0)
                                     : table_type(t, system, 0);
        bool untimed = s.state == ST_SYSCALL && tri_untimed(t->tr, s.t1 - s.t0);
        struct thing x = {.t0 = s.t0, .t1 = s.t1, .g = g, .index = s.stack, .untimed = untimed};
        x.open = s.open_start || s.open_end || untimed;
        if (!table_add(t, type, x))
            return false;
    }
    return true;
}

bool table_spans(struct table *t)
{
    const struct spans_from *f = t->from->spans;
    struct known k = {.n = 0};
    bool ok = true;
    for (uint32_t g = 0; ok && g < trace_nlanes(t->tr, LANE_G); g++) {
        const bool system = trace_lane_who(t->tr, lane_g(g)).is_system;
        ok = (system && f->state == ST_WAITING) || spans_lane(t, &k, g, system, f);
    }
    tab_free(&k.map);
    mem_free(k.type);
    return ok;
}

bool spans_next(const struct trace *tr, const struct thing *x, struct span *s)
{
    return x->g != NO_LANE && trace_span_at(tr, lane_g(x->g), x->t1, s);
}

/* Returns whether another type reads the same, from another line of that function. One may be a lock that the
 * library takes for it. */
static bool spans_alike(const struct table *t, const struct ttype *k)
{
    enum { LOOK = 512 }; /* the names are sorted by, too */
    for (uint32_t i = 0; i < t->ntypes && i < LOOK; i++) {
        const struct ttype *o = &t->type[i];
        if (o->a != k->a && o->a >> 32 == k->a >> 32 && o->b == k->b)
            return true;
    }
    return false;
}

static void spans_pcs(struct text *out, const struct trace *tr, uint32_t stack)
{
    for (uint32_t i = 0; i < trace_stack(tr, stack); i++)
        text_add(out, "%s0x%" PRIx64, i ? " in " : "pc ", trace_frame(tr, stack, i).pc);
}

void spans_place(struct text *out, const struct table *t, const struct ttype *k)
{
    const uint32_t func = (uint32_t)(k->a >> 32);
    if (func > INT32_MAX)
        spans_pcs(out, t->tr, ~func);
    else if (!func)
        text_func(out, t->tr, (uint32_t)(k->b >> 32), 0);
    else if (k->kept)
        text_where(out, t->tr, t->thing[k->longest].index, 0);
    else
        text_func(out, t->tr, func, 0);
    if (func && func <= INT32_MAX && spans_alike(t, k))
        text_add(out, ":%" PRIu32, (uint32_t)k->a);
}
