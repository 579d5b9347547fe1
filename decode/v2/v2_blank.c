/* v2_blank.c - see v2_blank.h. */
#include "decode/v2/v2_blank.h"

#include "decode/base/mem.h"
#include "decode/v2/v2_state.h"

bool v2_blank_g(const struct v2_order *o, uint32_t i)
{
    const struct v2_g *g = v2_g_at(o, i);
    return g->status == ST_NONE || (g->status == ST_UNKNOWN && !g->region && !g->stw && !g->assist);
}

bool v2_blank_p(const struct v2_order *o, uint32_t i)
{
    return o->p[i].status == V2_PS_LOST && o->p[i].m == EV_NONE && !o->p[i].sweep;
}

bool v2_blank_m(const struct v2_order *o, uint32_t i)
{
    return o->m[i].g == EV_NONE && o->m[i].p == EV_NONE && !o->m[i].cur;
}

size_t v2_blank_skip(const struct v2_blank *b, size_t i, size_t n, uint8_t as)
{
    while (i % V2_GS == 0 && i < n && i / V2_GS < b->n && b->is[i / V2_GS] >= as)
        i += V2_GS;
    return i < n ? i : n;
}

size_t v2_blank_next(struct v2_blank *b, size_t i, size_t n, uint8_t as, const struct v2_order *o, v2_blank_fn *f)
{
    const size_t at = i / V2_GS;
    if (++i % V2_GS && i < n)
        return i;
    size_t k = at * V2_GS;
    while (k < i && f(o, (uint32_t)k))
        k++;
    if (k == i && mem_room_zeros(b->is, b->n, at + 1) &&
        b->is[at] < as) /* without the memory they are looked at again */
        b->is[at] = as;
    return i;
}
