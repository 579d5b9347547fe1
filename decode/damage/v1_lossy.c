/*
 * v1_lossy.c - see v1_damage.h.
 *
 * Gaps are few; if there are more than there is room for, they are joined into one, from the first to the
 * last.
 */
#include "decode/damage/v1_damage.h"

#include "decode/base/mem.h"
#include "decode/base/wide.h"

/* lost - Emit EVK_LOST. v->arg: since when; arg2: only if the last event that names it is before that. */
static struct ev *lost(struct v1_emit *em, int64_t from, int64_t before)
{
    struct ev *v = v1_emit_put(em, EVK_LOST, EVF_QUIET);
    v->arg = from > 0 ? (uint64_t)from : 0;
    v->arg2 = (uint64_t)before;
    return v;
}

/* since - Returns from when on the state is unknown: the first gap; if no gap is known, since the last
 * event that names it. The same for a goroutine in a system call: the end of a call is written later than
 * it was. */
static int64_t since(const struct v1_emit *em, const struct v1_g *s)
{
    return em->ngap && !(s && s->state == V1S_SYSCALL) ? em->gap[0].from : 0;
}

static void lose_p(struct v1_emit *em, uint32_t p)
{
    if (em->p[p].lane != EV_NONE && em->p[p].started)
        lost(em, since(em, NULL), INT64_MAX)->p = em->p[p].lane;
    em->p[p].g = 0;
}

void v1_lossy_g(struct v1_emit *em, uint32_t g)
{
    struct v1_g *s = &em->o->d.g[g];
    if (g == V1_GC_ROW && em->gc)
        lost(em, since(em, NULL), INT64_MAX);
    if (g <= V1_GC_ROW || s->lane == EV_NONE || s->state == V1S_ENDED)
        return;
    if (s->p != EV_NONE && em->p[s->p].g == g)
        lose_p(em, s->p);
    lost(em, since(em, s), INT64_MAX)->g = s->lane;
    s->p = EV_NONE;
    s->state = V1S_UNKNOWN;
}

void v1_lossy_p(struct v1_emit *em, uint32_t p)
{
    if (p == UINT32_MAX)
        return;
    if (em->p[p].g)
        v1_lossy_g(em, em->p[p].g);
    else
        lose_p(em, p);
}

void v1_lossy_gap(struct v1_emit *em, uint32_t p, uint64_t until)
{
    const int64_t to =
        until == UINT64_MAX ? INT64_MAX : to_i64((double)(int64_t)(until - em->base) * em->ns_per_tick);
    struct v1_gap *last = em->ngap ? &em->gap[em->ngap - 1] : NULL;
    v1_order_lossy(em->o);
    em->p[p].gap_from = em->now;
    em->p[p].gap_to = to;
    if (last && (em->now <= last->to || em->ngap == V1_GAPS))
        last->to = to > last->to ? to : last->to;
    else
        em->gap[em->ngap++] = (struct v1_gap){em->now, to};
}

static bool m_set(struct v1_emit *em, uint32_t m, int64_t since)
{
    const size_t had = em->noff;
    if (m == EV_NONE)
        return true;
    if (!mem_room(em->off, em->noff, (size_t)m + 1))
        return false;
    for (size_t i = had; i < em->noff; i++)
        em->off[i] = INT64_MAX;
    em->off[m] = since;
    return true;
}

/* A thread without a P may have had the P whose events are missing. */
static void m_lost(struct v1_emit *em, uint32_t m)
{
    for (unsigned i = 0; i < em->ngap && m < em->noff && em->off[m] != INT64_MAX; i++) {
        const struct v1_gap *gap = &em->gap[i];
        if (gap->to <= em->off[m])
            continue;
        const int64_t from = gap->from > em->off[m] ? gap->from : em->off[m];
        if (from < em->now)
            lost(em, from, 0)->m = m;
        return;
    }
}

bool v1_lossy_m_off(struct v1_emit *em, uint32_t m)
{
    return m_set(em, m, em->now);
}

bool v1_lossy_m_on(struct v1_emit *em, uint32_t m)
{
    if (m != EV_NONE)
        m_lost(em, m);
    return m_set(em, m, INT64_MAX);
}

void v1_lossy_local(struct v1_emit *em, uint32_t p, uint32_t g)
{
    const struct v1_g *s = &em->o->d.g[g];
    if (em->p[p].gap_to && g > V1_GC_ROW && s->lane != EV_NONE && s->state != V1S_ENDED)
        lost(em, em->p[p].gap_from, em->p[p].gap_to)->g = s->lane;
}

/* What no event has named since events were lost. */
static void rest_of(struct v1_emit *em, const struct v1_g *s)
{
    const bool call = s->state == V1S_SYSCALL;
    if (em->loss_to) {
        struct ev *v = lost(em, 0, em->loss_to);
        v->g = s->lane;
        v->state = 1;
    }
    for (unsigned i = 0; i < em->ngap; i++)
        lost(em, call ? 0 : em->gap[i].from, em->gap[i].to)->g = s->lane;
}

bool v1_lossy_rest(struct v1_emit *em, size_t cap)
{
    if (!em->ngap && !em->loss_to)
        return true;
    for (; em->rest < em->o->d.ng; em->rest++) {
        const struct v1_g *s = &em->o->d.g[em->rest];
        if (em->n + V1_EMIT_ROOM > cap)
            return false;
        if (em->rest <= V1_GC_ROW || s->lane == EV_NONE || s->state == V1S_ENDED || s->state == V1S_UNKNOWN ||
            s->p != EV_NONE)
            continue;
        rest_of(em, s);
    }
    for (; em->rest_m < em->nlane_m; em->rest_m++) {
        if (em->n + V1_EMIT_ROOM > cap)
            return false;
        m_lost(em, em->rest_m);
    }
    if (em->gc && em->ngap)
        lost(em, em->gap[0].from, INT64_MAX);
    em->ngap = 0;
    em->loss_to = 0;
    return true;
}
