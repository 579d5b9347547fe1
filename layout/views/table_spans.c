/*
 * table_spans.c - see table_spans.h. One walk over all spans; which kind a stack belongs to is found once for
 * each.
 */
#include "layout/views/table_spans.h"

#include <inttypes.h>

#include "decode/base/mem.h"

struct known { /* kinds by reason and stack */
    struct tab map;
    uint32_t *type;
    uint32_t n;
    size_t cap;
};

static uint64_t spans_place_of(const struct trace *tr, uint32_t stack, uint64_t *inner)
{
    if (!stack)
        return *inner = 0;
    struct frame f = trace_frame(tr, stack, stacks_user_frame(tr, stack));
    *inner = trace_frame(tr, stack, 0).func;
    return (uint64_t)f.func << 32 | (uint32_t)f.line;
}

static uint32_t kind(struct table *t, struct known *k, uint32_t reason, uint32_t stack)
{
    uint32_t at = tab_put(&k->map, reason, stack, k->n);
    if (at == TAB_NONE || at < k->n)
        return at == TAB_NONE ? TAB_NONE : k->type[at];
    uint64_t inner, place = spans_place_of(t->tr, stack, &inner);
    if (reason && stacks_wait_kind(t->tr, reason, stack) == WK_OTHER)
        place = 0; /* the runtime's own doing: who happened to run into it tells nothing */
    uint32_t *p = mem_grow(k->type, &k->cap, (size_t)k->n + 1, sizeof *p);
    if (!p)
        return TAB_NONE;
    k->type = p;
    return p[k->n++] = table_type(t, place, inner << 32 | reason);
}

static bool spans_lane(struct table *t, struct known *k, uint32_t g, enum state state, spans_wanted *wanted)
{
    struct span_iter it;
    struct span s;
    bool more = span_seek_index(&it, t->tr, tri_g(g), 0);
    for (uint32_t i = 0; more; i++) {
        s = *span_get(&it);
        more = span_next(&it);
        if (i % 256 == 0 && !slices_tick())
            return false;
        if (s.state != state || (wanted && !wanted(t->tr, &s, more ? span_get(&it) : NULL)))
            continue;
        uint32_t type = kind(t, k, s.reason, s.stack);
        bool untimed = state == ST_SYSCALL && tri_untimed(t->tr, s.t1 - s.t0);
        struct thing x = {.t0 = s.t0, .t1 = s.t1, .g = g, .index = s.stack, .untimed = untimed};
        x.open = s.open_start || s.open_end || untimed;
        if (type == TAB_NONE || !table_add(t, t->type[type].a, t->type[type].b, x))
            return false;
    }
    return true;
}

bool table_spans(struct table *t, enum state state, spans_wanted *wanted)
{
    struct known k = {.n = 0};
    bool ok = true;
    for (uint32_t g = 0; ok && g < trace_nlanes(t->tr, LANE_G); g++)
        if (state != ST_WAITING || !trace_lane_who(t->tr, tri_g(g)).is_system)
            ok = spans_lane(t, &k, g, state, wanted);
    tab_free(&k.map);
    mem_free(k.type);
    return ok;
}

bool spans_next(const struct trace *tr, const struct thing *x, struct span *s)
{
    return x->g != NO_LANE && !x->open && trace_span_at(tr, tri_g(x->g), x->t1, s);
}

/* Does another kind read the same, from another line of that function? One may be a lock that the library
 * takes for it. */
static bool alike(const struct table *t, const struct ttype *k)
{
    enum { LOOK = 512 }; /* the names are sorted by, too */
    for (uint32_t i = 0; i < t->ntypes && i < LOOK; i++) {
        const struct ttype *o = &t->type[i];
        if (o->a != k->a && o->a >> 32 == k->a >> 32 && o->b == k->b)
            return true;
    }
    return false;
}

void spans_place(struct text *out, const struct table *t, const struct ttype *k)
{
    uint32_t i = k->longest;
    if (!(k->a >> 32))
        text_func(out, t->tr, (uint32_t)(k->b >> 32), 0);
    else if (k->kept)
        text_where(out, t->tr, t->thing[i].index, 0);
    else
        text_func(out, t->tr, (uint32_t)(k->a >> 32), 0);
    if (k->a >> 32 && alike(t, k))
        text_add(out, ":%" PRIu32, (uint32_t)k->a);
}
