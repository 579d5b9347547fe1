/* v2_clock.c - see v2_gen.h. */
#include "decode/v2/v2_gen.h"

#include <inttypes.h>

#include "decode/damage/v2_batches.h"

/* A clock unit is at least a tenth of a nanosecond and at most a millisecond. */
enum { RATE_LEAST = 1000 };
#define RATE_MOST UINT64_C(10000000000)
#define SECOND_NS INT64_C(1000000000)
#define SAME_NS INT64_C(1000000)

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

/* ---- which rates are possible -------------------------------------------------------------------------- */

/* Returns how far the runtime's own clock and units of 64 ns differ at the snapshot. Within SAME_NS they
 * are the same clock. INT64_MAX: unknown. */
static int64_t clocks_differ_ns(const struct v2_raw_clock *c)
{
    enum { UNIT = SECOND_NS / V2_ASSUMED_HZ };
    const uint64_t most = UINT64_C(1) << 61;
    if (!c->has_wall || c->mono < SECOND_NS || c->mono >= most || c->at >= most / UNIT)
        return INT64_MAX;
    const int64_t d = (int64_t)c->mono - (int64_t)(c->at * UNIT);
    return d < 0 ? -d : d;
}

/* Use the rate `right` instead of the stated one, which is wrong. */
static void replace(struct source *s, struct v2_gen *g, uint64_t right, const char *why)
{
    source_damage(s, ERR_CLOCK, g->ordinal, g->start,
                  "generation %" PRIu64 " says %" PRIu64 " clock units a second, %s: %" PRIu64 " are taken",
                  g->number, g->freq, why, right);
    g->freq = right;
}

/* The generation before had another rate. A program with a clock of its own measures its rate for each
 * generation; with the system's clock the rate never changes. */
static void other_rate(struct source *s, struct v2_gen *g, uint64_t last)
{
    const uint64_t f = g->freq;
    if (f == last || (f != V2_ASSUMED_HZ && last != V2_ASSUMED_HZ))
        return;
    if (f != V2_ASSUMED_HZ)
        replace(s, g, last, "the one before said another number");
    else
        source_damage(s, ERR_CLOCK, g->ordinal, g->start,
                      "generation %" PRIu64 " says %" PRIu64
                      " clock units a second, where before there were %" PRIu64
                      ": times before it may be wrong",
                      g->number, f, last);
}

/* The first generation's rate is not that of the system's clock. The next generation shows whether it is
 * another clock. */
static void first_rate(struct source *s, struct v2_gen *g)
{
    const uint64_t odd = g->freq ^ V2_ASSUMED_HZ;
    const uint64_t millionth =
        V2_ASSUMED_HZ / 1000000; /* a smaller difference changes no time that is shown */
    if (!source_gap(s, g->end) && v2_gen_next_rate(s, g) == V2_ASSUMED_HZ)
        replace(s, g, V2_ASSUMED_HZ, "the one behind it says another number");
    else if (odd > millionth && !(odd & (odd - 1)))
        source_warn(s, ERR_CLOCK, g->ordinal, g->start,
                    "%" PRIu64
                    " clock units a second: where the clock is the system's they are %d, in which one bit "
                    "is another; then all times are wrong, by a factor of %.6g",
                    g->freq, V2_ASSUMED_HZ, (double)V2_ASSUMED_HZ / (double)g->freq);
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

void v2_clock_settle(struct source *s, struct v2_gen *g, uint64_t last, bool last_stated)
{
    const uint64_t sure = last ? last : V2_ASSUMED_HZ;
    const int64_t differ = clocks_differ_ns(&g->snap);
    g->rate_stated = g->freq;
    g->no_freq = !g->freq;
    g->torn |= !g->freq && !g->clock_broken;
    if (given(s, g))
        return;
    if (!g->freq) {
        g->assumed = !last;
        g->freq = sure;
    } else if (g->freq != V2_ASSUMED_HZ && differ <= SAME_NS) {
        replace(s, g, V2_ASSUMED_HZ, "which its clock snapshot contradicts");
    } else if (g->freq != sure && (g->clock_broken || g->freq < RATE_LEAST || g->freq > RATE_MOST)) {
        replace(s, g, sure, "which no clock has");
        g->rate_stated = false;
    } else if (last_stated && !g->after_gap) {
        other_rate(s, g, last);
    } else if (g->ordinal == 1 && g->freq != V2_ASSUMED_HZ) {
        first_rate(s, g);
    }
    if (g->freq == V2_ASSUMED_HZ && differ > SECOND_NS && differ != INT64_MAX) {
        source_damage(s, ERR_CLOCK, g->ordinal, g->start,
                      "generation %" PRIu64
                      "'s clock snapshot contradicts itself by %.6f s: the time of day is not known",
                      g->number, (double)differ * 1e-9);
        g->snap.sec = UINT64_MAX; /* none (v2_wall_clock()) */
    }
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
