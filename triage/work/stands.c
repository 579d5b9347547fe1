/* stands.c - the waits that the trace ends with: see work.h. */
#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"
#include "triage/work/work.h"

enum { MOST = 1 << 18, PLACES = 1024 /* places for which waits that ended are looked up */ };

/* Whether many others had waited there, each of them for at most a tenth of `ns`; for locks always. */
static bool is_strange(const struct causes *c, struct owners *own, const struct stand *s, int64_t ns)
{
    uint64_t done = 0;
    int64_t longest = 0;
    if (s->kind == WK_LOCK)
        return true;
    each_of(r, c->tg->waits, c->tg->nwaits) {
        if (r->kind != s->kind || !r->stack || owner_func(own, r->stack) != s->user)
            continue;
        done += r->count - r->open;
        longest = r->longest_done > longest ? r->longest_done : longest;
    }
    return (double)done >= threshold(TH_MANY) && (double)ns >= threshold(TH_LEAK_AGAIN) * (double)longest;
}

/* The wait with which g's part of the trace ends. */
static bool stand_at_end(const struct causes *c, struct owners *own, uint32_t g, struct stand *out)
{
    struct span s;
    if (!trace_span_at(c->tr, lane_g(g), c->tg->end - 1, &s) || s.state != ST_WAITING || !s.stack ||
        s.t1 < c->tg->end - 1)
        return false;
    *out = (struct stand){.g = g, .stack = s.stack, .since = s.t0};
    out->kind = (uint8_t)stacks_wait_kind(c->tr, s.reason, s.stack);
    out->user = owner_func(own, s.stack);
    out->more = waits_for_more(c->tr, trace_g_name(c->tr, g), s.reason, s.stack);
    return true;
}

bool stands_find(const struct causes *c, struct works *out)
{
    const double part = threshold(TH_STUCK_PART) * (double)c->tg->end, time = threshold(TH_LEAK_TIME);
    struct lifetime life[LANES_PACK];
    uint32_t asked = 0;
    size_t cap = 0;
    for (uint32_t g = 0; g < c->tg->ng && out->nstands < MOST && slices_tick(); g++) {
        struct stand s;
        const uint32_t at = g % LANES_PACK, left = c->tg->ng - g;
        if (!at)
            trace_lives(c->tr, LANE_G, g, left < LANES_PACK ? left : LANES_PACK, life);
        if (life[at].over || trace_lane_who(c->tr, lane_g(g)).is_system || !stand_at_end(c, out->own, g, &s))
            continue;
        const struct stand *last = out->nstands ? &out->stand[out->nstands - 1] : NULL;
        const int64_t ns = c->tg->end - s.since;
        const bool waits = wait_passes_on((enum wait_kind)s.kind) || s.kind == WK_LOCK || s.kind == WK_NET;
        if (waits && !s.more && (double)ns >= (part < time ? part : time))
            s.strange = last && last->stack == s.stack && last->strange
                            ? ns >= c->tg->end - last->since
                            : asked++ < PLACES && is_strange(c, out->own, &s, ns);
        if (!mem_room(out->stand, cap, (size_t)out->nstands + 1))
            return false;
        out->stand[out->nstands++] = s;
    }
    return true;
}

const struct stand *stand_of(const struct works *w, uint32_t g)
{
    const uint32_t i = bisected(w->nstands, k, w->stand[k].g < g);
    return i < w->nstands && w->stand[i].g == g ? &w->stand[i] : NULL;
}
