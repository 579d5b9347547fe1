/* v2_clock.c - see v2_gen.h. */
#include "decode/v2/v2_gen.h"

#include <inttypes.h>

/* A clock unit is at least a tenth of a nanosecond and at most a millisecond. */
enum { RATE_LEAST = 1000 };
#define RATE_MOST UINT64_C(10000000000)

void v2_clock_read(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h)
{
    struct v2_raw_clock c;
    struct err e = {0};
    bool ok = v2_raw_clock(h, &c, &e) || (h->torn && e.code == ERR_TRUNCATED);
    g->clock_broken |= !ok && e.code != ERR_CLOCK;
    if (ok && c.freq && g->freq)
        ok = !err_set(&e, ERR_CLOCK, 0, "second frequency in one generation");
    if (!g->freq)
        g->freq = c.freq;
    if (c.has_wall && !g->snap.has_wall)
        g->snap = c;
    if (!ok)
        source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, h->p) + e.offset, "%s", e.what);
}

/* Whether the snapshot (from 1.25 on) shows that clock units are 64 ns: the runtime's own clock, in ns, says
 * the same within a millisecond. */
static bool system_clock(const struct v2_raw_clock *c)
{
    enum { UNIT = 1000000000 / V2_ASSUMED_HZ, SAME = 1000000 / UNIT };
    const uint64_t mono = c->mono / UNIT;
    return c->has_wall && mono > SAME && mono - c->at + SAME <= 2 * SAME;
}

/* If the user states the rate, what the file states is ignored. */
static bool given(struct source *s, struct v2_gen *g)
{
    const double rate = s->opts ? s->opts->ticks_per_second : 0;
    if (!(rate > 0))
        return false;
    g->freq = rate < 1 ? 1 : (uint64_t)(rate + 0.5);
    return true;
}

void v2_clock_settle(struct source *s, struct v2_gen *g, uint64_t last)
{
    /* the system's clock never changes its rate; others are measured for each generation */
    const bool system = system_clock(&g->snap), same = last == V2_ASSUMED_HZ && !g->after_gap;
    const uint64_t sure = last && !system ? last : V2_ASSUMED_HZ;
    g->no_freq = !g->freq;
    g->torn |= !g->freq && !g->clock_broken;
    if (given(s, g))
        return;
    g->assumed = !g->freq && !last;
    if (g->freq && g->freq != sure &&
        (g->clock_broken || system || same || g->freq < RATE_LEAST || g->freq > RATE_MOST)) {
        source_damage(s, ERR_CLOCK, g->ordinal, g->start,
                      "generation %" PRIu64 " says %" PRIu64
                      " clock units a second, which its clock can't have: %" PRIu64 " are taken",
                      g->number, g->freq, sure);
        g->freq = 0;
    }
    g->freq = g->freq ? g->freq : sure;
}

void v2_clock_notes(struct source *s, const struct v2_gen *g)
{
    s->st.clock_assumed |= s->opts && s->opts->ticks_per_second > 0;
    if (!g->no_freq) {
        if (!g->torn && !g->snap.has_wall && s->version >= GO_125)
            source_damage(s, ERR_FORMAT, g->ordinal, g->start, "generation %" PRIu64 " has no clock snapshot",
                          g->number);
        return;
    }
    if (!s->st.ndamages)
        source_damage(s, ERR_TRUNCATED, g->ordinal, g->end,
                      "generation %" PRIu64 " has no clock frequency: it was cut short", g->number);
    if (g->assumed) {
        s->st.clock_assumed = true;
        source_warn(s, ERR_CLOCK, g->ordinal, g->start,
                    "no clock frequency in the file: 15.625 MHz assumed, times may be off");
    }
}
