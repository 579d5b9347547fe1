/* v2_blank.c - see v2_damage.h. */
#include "decode/damage/v2_damage.h"

#include "decode/base/mem.h"
#include "decode/v2/v2_state.h"

/* This has the number of all goroutines, Ps or threads. */
struct all {
    struct v2_blank *blank;
    size_t n;
};

static struct all all_of(struct v2_order *o, enum v2_kind of)
{
    return of == V2_ALL_G   ? (struct all){&o->blank_g, o->ng}
           : of == V2_ALL_P ? (struct all){&o->blank_p, o->np}
                            : (struct all){&o->blank_m, o->nm};
}

static bool is_blank(const struct v2_order *o, enum v2_kind of, uint32_t i)
{
    if (of == V2_ALL_P)
        return o->p[i].status == V2_PS_LOST && o->p[i].m == EV_NONE && !o->p[i].sweep;
    if (of == V2_ALL_M)
        return o->m[i].g == EV_NONE && o->m[i].p == EV_NONE && !o->m[i].cur;
    const struct v2_g *g = v2_g_at(o, i);
    return g->status == ST_NONE || (g->status == ST_UNKNOWN && !g->stw && !g->assist);
}

/* Returns whether the V2_GS that number i begins can be skipped. */
static bool passed(const struct v2_order *o, const struct v2_look *k, const struct v2_blank *b, size_t i)
{
    return (k->of == V2_ALL_G && o->gs_at[i / V2_GS].gone == V2_GS) ||
           (i / V2_GS < b->n && b->is[i / V2_GS] >= k->pass);
}

/* All of the V2_GS before `end` were checked: note if they are blank now. Without the memory for that they
 * are checked next time too. */
static void note_blank(const struct v2_order *o, const struct v2_look *k, struct v2_blank *b, size_t end)
{
    const size_t at = (end - 1) / V2_GS;
    size_t i = at * V2_GS;
    while (i < end && is_blank(o, k->of, (uint32_t)i))
        i++;
    if (i == end && mem_room_zeros(b->is, b->n, at + 1) && b->is[at] < k->pass)
        b->is[at] = (uint8_t)k->pass;
}

void v2_look(struct v2_order *o, const struct v2_look *k, size_t *i)
{
    const struct all all = all_of(o, k->of);
    while (*i < all.n && o->nout < k->room) {
        if (*i % V2_GS == 0 && passed(o, k, all.blank, *i)) {
            *i += V2_GS;
            continue;
        }
        k->at(o, (uint32_t)(*i)++);
        if (*i % V2_GS == 0 || *i == all.n)
            note_blank(o, k, all.blank, *i);
    }
    *i = *i < all.n ? *i : all.n;
}
