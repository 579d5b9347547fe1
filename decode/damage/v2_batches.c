/* v2_batches.c - see v2_damage.h. */
#include "decode/damage/v2_damage.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/wide.h"
#include "decode/v2/v2_raw.h"

/* ---- where the next batch begins ----------------------------------------------------------------------- */

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Returns the end of the batch that seems to begin at p, or NULL. */
static const uint8_t *plausible(const uint8_t *p, const uint8_t *end, uint64_t number, uint64_t near)
{
    const uint64_t far = UINT64_C(1) << 40; /* most of a day, at 64 ns each */
    struct v2_raw_batch b;
    if (!(p = v2_raw_likely(p, end, number, &b)) || (near && distance(b.time, near) > far))
        return NULL;
    return (uint64_t)(end - p) < b.size ? end : p + b.size;
}

const uint8_t *v2_resync(const struct source *s, const uint8_t *from, uint64_t number, uint64_t near)
{
    const uint8_t *end = s->data + s->len, *next;
    for (const uint8_t *p = from; p < end && (p = memchr(p, V2R_EVENTS, (size_t)(end - p))); p++)
        if ((next = plausible(p, end, number, near)) &&
            (next == end || *next == V2R_EVENTS || *next == V2R_EXPERIMENTAL || *next == V2R_END))
            return p;
    return NULL;
}

void v2_hole_note(struct v2_gen *g, size_t off, uint64_t m, bool known)
{
    if (g->nhole < V2_HOLES)
        g->hole[g->nhole] =
            (struct v2_hole){.off = off, .m = m, .known = known, .tables = g->has_stacks && !known};
    g->nhole++;
}

bool v2_gen_lossy(const struct v2_gen *g)
{
    return g->nhole;
}

bool v2_gen_hole(const struct v2_gen *g, size_t from, size_t to, uint64_t m, bool *known)
{
    *known = false;
    if (g->nhole > V2_HOLES)
        return true;
    bool is = false;
    for (size_t i = 0; i < g->nhole; i++) {
        const struct v2_hole *h = &g->hole[i];
        if (h->off < from || h->off > to || (h->known && h->m != m))
            continue;
        is = true;
        *known |= h->known;
    }
    return is;
}

/* ---- when a generation begins and ends ----------------------------------------------------------------- */

void v2_batches_time(struct v2_gen *g, const struct v2_raw_batch *b, size_t off)
{
    struct v2_first *f = &g->first;
    if (b->time >= f->time) {
        f->next = b->time < f->next ? b->time : f->next;
        return;
    }
    f->next = f->time;
    f->time = g->min_time = b->time;
    f->off = off;
    f->events = v2_raw_timed(b) && b->m != V2_NO_THREAD;
}

/* Batches of tables and of the clock are opened before the first event that needs them, but those of stacks
 * after the last event. */
void v2_batches_bounds(struct v2_gen *g, const struct v2_raw_batch *b)
{
    const bool sync = b->first == V2R_SYNC, strings = b->first == V2R_STRINGS && !g->strings_seen;
    if (b->first == V2R_STACKS)
        g->hi = g->hi == UINT64_MAX || b->time > g->hi ? b->time : g->hi;
    g->strings_seen |= strings;
    if (!sync && (!strings || (g->ordinal > 1 && !g->after_gap)))
        return;
    g->lo = g->lo && g->lo < b->time ? g->lo : b->time;
    g->lo_near = g->ordinal == 1 || g->after_gap;
}

/* The trace begins with its earliest batch. Batches of tables and of the clock are opened when tracing
 * starts, or (the first generation of a recorder that ran before) while the generation before it ends. One
 * with a much earlier time than all others is wrong. */
static void alone_early(struct source *s, struct v2_gen *g)
{
    const struct v2_first *f = &g->first;
    const double seconds = (double)(f->next - f->time) * v2_gen_unit(g) * 1e-9;
    if ((g->ordinal > 1 && !g->after_gap) || f->events || f->next == UINT64_MAX ||
        seconds <= (g->number > 1 ? 10 : 1))
        return;
    source_damage(s, ERR_CLOCK, g->ordinal, f->off,
                  "a batch of tables says a time %.6f s before all others: the trace begins with the others",
                  seconds);
    g->min_time = f->next;
    if (g->lo == f->time)
        g->lo = 0;
}

int64_t v2_batches_latest(const struct v2_gen *g)
{
    const double unit = v2_gen_unit(g);
    const int64_t late = v2_batches_skew_ns(g);
    if (g->hi == UINT64_MAX || v2_ns(g->hi, unit) >= SOURCE_TIME_MAX - late)
        return SOURCE_TIME_MAX;
    return v2_ns(g->hi, unit) + late;
}

/* ---- which batches don't belong there ------------------------------------------------------------------ */

/* Leave out batches outside [lo, hi], if they are so few that their times, not the bounds, are wrong. */
static void out_of_time(struct source *s, struct v2_gen *g, uint64_t skew)
{
    if (g->hi <= g->min_time) /* tables before all events, as in a slice of ours, are no bound */
        g->hi = UINT64_MAX;
    const bool bad = s->bad == g->ordinal;
    const int64_t early = g->lo_near ? v2_batches_skew_ns(g) : bad ? DAMAGE_EARLY_BAD_NS : DAMAGE_EARLY_NS;
    const uint64_t least = to_u64((double)early / v2_gen_unit(g));
    const uint64_t lo = g->lo > least ? g->lo - least : 0;
    const uint64_t hi = g->hi < UINT64_MAX - skew ? g->hi + skew : UINT64_MAX;
    size_t before = 0, behind = 0, n = 0, fit = 0;
    for (size_t i = 0; i < g->nbatch; i++) {
        before += g->batch[i].time < lo;
        behind += g->batch[i].time > hi;
        fit += g->batch[i].time > lo && g->batch[i].time < hi;
    }
    const bool most = 2 * fit > g->nbatch - before - behind; /* else the bounds are wrong */
    const size_t few = g->nbatch < 2 || !most ? 0 : g->nbatch < 8 ? 1 : g->nbatch / 8;
    const bool out_before = before && before <= few, out_behind = behind && behind <= few;
    if (behind > few || !most)
        g->hi = UINT64_MAX;
    if (!out_before && !out_behind)
        return;
    bool tells = false; /* statuses of no thread come after: they, or the tables, have a wrong time */
    for (size_t i = 0; i < g->nbatch; i++) {
        const struct v2_batch *b = &g->batch[i];
        if ((!out_before || b->time >= lo) && (!out_behind || b->time <= hi)) {
            g->batch[n++] = *b;
            continue;
        }
        source_damage(s, ERR_CLOCK, g->ordinal, source_off(s, b->p),
                      "a batch of thread %" PRId64 " is left out: its time is %.6f s %s the generation",
                      (int64_t)b->m,
                      (double)(b->time < lo ? g->lo - b->time : b->time - g->hi) * v2_gen_unit(g) * 1e-9,
                      b->time < lo ? "before" : "behind");
        v2_hole_note(g, source_off(s, b->p), b->m, true);
        tells |= b->m == V2_NO_THREAD && b->time > hi;
    }
    g->nbatch = n;
    if (tells)
        g->hi = UINT64_MAX;
    g->min_time = g->lo ? g->lo : UINT64_MAX;
    for (size_t i = 0; i < n; i++)
        g->min_time = g->batch[i].time < g->min_time ? g->batch[i].time : g->min_time;
}

/* Leave out the events of a batch whose time no clock can have. */
static void no_time(struct source *s, struct v2_gen *g)
{
    const double unit = v2_gen_unit(g);
    size_t n = 0;
    for (size_t i = 0; i < g->nbatch; i++) {
        const struct v2_batch *b = &g->batch[i];
        if (v2_ns(b->time, unit) < SOURCE_TIME_MAX) {
            g->batch[n++] = *b;
            continue;
        }
        source_damage(s, ERR_CLOCK, g->ordinal, source_off(s, b->p),
                      "a batch is left out, its time is none that a clock can have: %" PRIu64, b->time);
        v2_hole_note(g, source_off(s, b->p), b->m, true);
    }
    g->nbatch = n;
}

void v2_batches_check(struct source *s, struct v2_gen *g)
{
    no_time(s, g);
    alone_early(s, g);
    if (g->nbatch)
        out_of_time(s, g, to_u64((double)DAMAGE_SKEW_NS / v2_gen_unit(g)));
}
