/*
 * v2_gen.c - see v2_gen.h.
 *
 * The file is scanned batch by batch, by their size fields, until the generation ends: at a batch of the
 * next one (up to 1.25) or at the end mark (1.26). Table batches are only noted in the scan and read
 * afterwards, because stacks need strings that may come after them.
 */
#include "decode/v2/v2_gen.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/base/order.h"
#include "decode/damage/v2_damage.h"
#include "decode/v2/v2_state.h"

/* ---- clock units per second, and the wall clock -------------------------------------------------------- */

/* A clock unit is at least a tenth of a nanosecond and at most a millisecond. */
enum { RATE_LEAST = 1000 };
#define RATE_MOST UINT64_C(10000000000)

/* Read a Frequency batch, or a Sync batch, which has a clock snapshot too. */
static void clock_read(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h)
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

/* Returns whether the snapshot (from 1.25 on) shows that clock units are 64 ns: the runtime's own clock, in
 * ns, says the same within a millisecond. */
static bool system_clock(const struct v2_raw_clock *c)
{
    enum { UNIT = 1000000000 / V2_ASSUMED_HZ, SAME = 1000000 / UNIT };
    const uint64_t mono = c->mono / UNIT;
    return c->has_wall && mono > SAME && mono - c->at + SAME <= 2 * SAME;
}

/* If the user states the rate, what the file states is ignored. */
static bool freq_stated(struct source *s, struct v2_gen *g)
{
    const double rate = s->opts ? s->opts->ticks_per_second : 0;
    if (!(rate > 0))
        return false;
    g->freq = rate < 1 ? 1 : (uint64_t)(rate + 0.5);
    return true;
}

/* Set g->freq once all batches are known. last: the rate of the generation before, 0 if there is none. */
static void clock_settle(struct source *s, struct v2_gen *g, uint64_t last)
{
    /* The system's clock never changes its rate; others are measured for each generation. */
    const bool system = system_clock(&g->snap), same = last == V2_ASSUMED_HZ && !g->after_gap;
    const uint64_t sure = last && !system ? last : V2_ASSUMED_HZ;
    g->no_freq = !g->freq;
    g->torn |= !g->freq && !g->clock_broken;
    if (freq_stated(s, g))
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

/* ---- batches ------------------------------------------------------------------------------------------- */

/* Read the batch at p. NULL: damage, which is noted. A payload that the input cuts off is torn, which is no
 * damage of its own. */
static const uint8_t *batch_read(struct source *s, const uint8_t *p, struct v2_raw_batch *b, uint32_t gen)
{
    struct err e;
    const uint8_t *next = v2_raw_batch(s->data, s->len, p, b, &e);
    if (next && b->lead == V2R_END) { /* an end mark in a dialect that has none */
        err_set(&e, ERR_FORMAT, source_off(s, p), "expected a batch (byte 1, 49 or 52), found byte %u",
                b->lead);
        next = NULL;
    }
    if (!next)
        source_damage(s, e.code, gen, e.offset, "%s", e.what);
    return next;
}

/* Add a batch of events or tables. Returns false if out of memory. */
static bool batch_add(struct v2_gen *g, const struct v2_raw_batch *h)
{
    if (h->p == h->end)
        return true;
    if (v2_raw_table(h))
        return mem_add(g->table, g->captable, g->ntable, (struct v2_slice){h->p, h->end, h->torn});
    const struct v2_batch b = {.p = h->p, .end = h->end, .time = h->time, .m = h->m, .torn = h->torn};
    return mem_add(g->batch, g->capbatch, g->nbatch, b);
}

static bool batch_take(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h)
{
    if (g->lists && !mem_add(g->all, g->capall, g->nall, *h))
        return false;
    s->st.batches++;
    v2_batches_time(g, h, source_off(s, h->p));
    if (h->lead == V2R_EXPERIMENTAL) {
        s->st.experimental_batches++;
        return true;
    }
    if (h->first == (s->version >= GO_125 ? V2R_SYNC : V2R_FREQ)) {
        clock_read(s, g, h);
        v2_batches_bounds(g, h);
        return true;
    }
    g->has_stacks |= h->first == V2R_STACKS;
    if (v2_raw_table(h))
        v2_batches_bounds(g, h);
    return batch_add(g, h);
}

/* ---- samples ------------------------------------------------------------------------------------------- */

static bool read_samples(struct source *s, struct v2_gen *g, const struct v2_slice *t)
{
    for (const uint8_t *p = t->p + 1; p < t->end;) {
        const uint8_t *at = p;
        uint64_t v[5];
        if (!(p = v2_raw_sample(p, t->end, v)))
            return v2_table_bad(s, g, t, at, "CPU sample");
        const struct v2_sample x = {v[0], v[1], v[2], v[3], v[4], 0};
        if (!mem_add(g->sample, g->capsample, g->nsample, x))
            return false;
    }
    return true;
}

ORDER(sample_by_time, struct v2_sample, LEAST(r->ns))

/* Leave out samples with an impossible time, and those after the stacks, which are written when all samples
 * are. */
static void samples_time(struct source *s, struct v2_gen *g)
{
    const double unit = v2_gen_unit(g);
    const int64_t latest = v2_batches_latest(g);
    size_t n = 0, late = 0;
    for (size_t i = 0; i < g->nsample; i++) {
        g->sample[n] = g->sample[i];
        g->sample[n].ns = v2_ns(g->sample[n].time, unit);
        late += g->sample[n].ns < SOURCE_TIME_MAX && g->sample[n].ns >= latest;
        n += g->sample[n].ns < latest;
    }
    if (late)
        source_damage(s, ERR_CLOCK, g->ordinal, g->start,
                      "%zu CPU samples of generation %" PRIu64
                      " are left out, their times are behind its end",
                      late, g->number);
    if (n + late < g->nsample)
        source_damage(s, ERR_CLOCK, g->ordinal, g->start,
                      "%zu CPU samples of generation %" PRIu64
                      " are left out, their times are none that a clock can have",
                      g->nsample - n - late, g->number);
    g->nsample = n;
}

/* ---- names --------------------------------------------------------------------------------------------- */

double v2_gen_unit(const struct v2_gen *g)
{
    return 1.0 / ((double)g->freq / 1e9);
}

/* Returns a string that the runtime registers at the start of every generation: its id is its position in
 * that order. */
static const char *registered(int version, uint64_t id)
{
    static const struct {
        int from, to;
        const char *text;
    } all[] = {
#define X(from, to, text) {1000 + (from), 1000 + (to), text},
#include "decode/v2/words_v2.def"
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (version >= all[i].from && version <= all[i].to && !--id)
            return all[i].text;
    return NULL; /* a newer runtime may register others */
}

enum { LABELS = 5 }; /* smaller ids are mark workers' labels, others are reasons */

/* Name a string that is not in the table by its number, or, between from and to, by its position among the
 * registered ones. */
static uint32_t missing_string(struct source *s, struct v2_gen *g, uint64_t id, uint64_t from, uint64_t to)
{
    const char *known =
        (g->torn || g->unnamed) && !g->closed && id >= from && id < to ? registered(s->version, id) : NULL;
    char number[24];
    uint32_t mine;
    g->by_order |= known != NULL;
    g->missing += !known;
    if (g->closed)
        return 0;
    if (!known)
        snprintf(number, sizeof number, "#%" PRIu64, id);
    known = known ? known : number;
    return names_str(s->names, known, (uint32_t)strlen(known), true, &mine) ? 0 : mine;
}

uint32_t v2_gen_str(struct source *s, struct v2_gen *g, uint64_t id)
{
    if (!id)
        return 0;
    uint32_t mine = idmap_get(&g->strs, id);
    return mine != IDMAP_NONE ? mine : missing_string(s, g, id, 1, LABELS);
}

uint32_t v2_gen_reason(struct source *s, struct v2_gen *g, uint64_t id)
{
    if (id >= V2_REASONS)
        return v2_gen_str(s, g, id);
    if (g->reason[id] || !id)
        return g->reason[id];
    const uint32_t mine = idmap_get(&g->strs, id);
    return g->reason[id] = mine != IDMAP_NONE ? mine : missing_string(s, g, id, LABELS, V2_REASONS);
}

/* Returns whether an event of the batch names a string or a stack that the tables lack. Checks about *most
 * names, and counts them down. */
static bool is_untold(const struct v2_gen *g, const struct v2_batch *b, unsigned *most)
{
    struct v2_raw_ev e;
    for (const uint8_t *p = b->p; *most && (p = v2_raw_ev(p, b->end, &e));) {
        const struct v2_spec *spec = &v2_specs[e.type];
        for (unsigned k = 0, of = spec->strs | spec->stacks; of >> k; k++) {
            if (!(of >> k & 1) || !e.arg[k])
                continue;
            *most -= *most > 0;
            if (idmap_get(spec->strs >> k & 1 ? &g->strs : &g->stacks, e.arg[k]) == IDMAP_NONE)
                return true;
        }
    }
    return false;
}

/* ---- one generation ------------------------------------------------------------------------------------ */

/* The next generation, of which only the room is kept. */
static void gen_reset(struct v2_gen *g)
{
    idmap_clear(&g->strs);
    idmap_clear(&g->stacks);
    *g = (struct v2_gen){.number = g->number,
                         .ordinal = g->ordinal + 1,
                         .batch = g->batch,
                         .capbatch = g->capbatch,
                         .table = g->table,
                         .captable = g->captable,
                         .sample = g->sample,
                         .capsample = g->capsample,
                         .strs = g->strs,
                         .stacks = g->stacks,
                         .read = g->read,
                         .lists = g->lists,
                         .all = g->all,
                         .capall = g->capall,
                         .min_time = UINT64_MAX,
                         .first = {.time = UINT64_MAX, .next = UINT64_MAX},
                         .hi = UINT64_MAX};
}

void v2_gen_after(struct v2_gen *g, const struct v2_gen *before)
{
    *g = (struct v2_gen){.number = before->number,
                         .ordinal = before->ordinal,
                         .freq = before->freq,
                         .ends_in_hole = before->ends_in_hole,
                         .hi = before->hi};
}

/* Returns whether strings follow the stacks, in a batch that isn't full: tables are written last, stacks
 * first. */
static bool tables_end(const struct v2_gen *g)
{
    enum { FULL = 62 << 10 }; /* a larger last batch may be full: another one may follow */
    const struct v2_slice *last = NULL;
    bool stacks = false;
    for (size_t i = 0; i < g->ntable; i++) {
        stacks |= *g->table[i].p == V2R_STACKS;
        if (g->table[i].p == g->last)
            last = &g->table[i];
    }
    return stacks && last && *last->p == V2R_STRINGS && last->end - last->p < FULL;
}

/* Up to 1.25 a generation has no end mark. If its tables may be incomplete, and lack what an event or a
 * stack names, it was cut short. A few events show that. */
static bool tables_lack(const struct v2_gen *g)
{
    unsigned most = 64;
    if (tables_end(g))
        return false;
    return g->missing || any_of(i, g->nbatch, is_untold(g, &g->batch[i], &most));
}

/* End the last batch where another one begins. */
static void cut_last(struct v2_gen *g, const uint8_t *at)
{
    if (g->nbatch && g->batch[g->nbatch - 1].p == g->last) {
        g->batch[g->nbatch - 1].end = at;
        g->batch[g->nbatch - 1].spoilt = true;
    }
    if (g->ntable && g->table[g->ntable - 1].p == g->last)
        g->table[g->ntable - 1].end = at;
    if (g->nall)
        g->all[g->nall - 1].end = at;
}

/* Find where the next batch begins, since none does at p. The size of the one before may have been wrong, so
 * the search starts in that one. */
static const uint8_t *skip_broken(struct source *s, struct v2_gen *g, const uint8_t *p)
{
    const uint8_t *from = g->last ? g->last + 1 : p + 1;
    const uint8_t *next = v2_resync(s, from, g->number, g->min_time == UINT64_MAX ? 0 : g->min_time);
    if (!next && g->min_time != UINT64_MAX)
        next = v2_resync(s, from, g->number, 0);
    if (!next)
        return NULL;
    if (next < p)
        cut_last(g, next);
    v2_hole_note(g, source_off(s, next < p ? next : p), 0, false);
    g->last = NULL;
    return next;
}

/* Returns the generation of the batch at *p and moves *p to its end; 0: no batch is there. */
static uint64_t gen_number_at(const struct source *s, const uint8_t **p)
{
    struct v2_raw_batch b;
    struct err e;
    const uint8_t *next = v2_raw_batch(s->data, s->len, *p, &b, &e);
    if (!next || b.lead == V2R_END)
        return 0;
    *p = next;
    return b.gen;
}

/* Leave out a batch of which the number of its generation, or where it stands, is damaged: the next two agree
 * on another number; or, within a generation, the next one is of it, or this one is of a distant one and the
 * next is not. */
static bool is_stray(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h, const uint8_t *next,
                     bool within)
{
    const uint64_t one = h->torn ? 0 : gen_number_at(s, &next), two = one ? gen_number_at(s, &next) : 0;
    const bool others = one && one == two && one != h->gen && one != h->gen + 1;
    const bool alone = within && (one == g->number || (one != h->gen && h->gen != g->number + 1));
    if ((!others && !alone) || h->torn || source_gap(s, source_off(s, h->at)))
        return false;
    source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, h->p),
                  "a batch of generation %" PRIu64 " among those of generation %" PRIu64 ": left out", h->gen,
                  within ? g->number : one);
    v2_hole_note(g, source_off(s, h->p), 0, false);
    return true;
}

/* Take the generation's number from its first batch. Returns false if that generation has been read
 * already; the batch is skipped. */
static bool gen_number(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h, uint64_t last)
{
    const bool first = g->ordinal == 1;
    if (!h->gen || (!first && h->gen != last + 1 && !g->after_gap)) {
        if (!g->nhole)
            source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, h->at),
                          "generation %" PRIu64 " where %" PRIu64 " was expected", h->gen,
                          first ? 1 : last + 1);
        if (!h->gen || (h->gen <= last && !first)) {
            v2_hole_note(g, source_off(s, h->at), 0, false);
            return false;
        }
        g->after_gap = !first; /* the generations between are missing */
    }
    g->number = h->gen;
    return true;
}

/* Handle a batch that the file's end cuts off, or whose size is wrong. Returns where the generation
 * continues, or NULL. */
static const uint8_t *after_torn(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h)
{
    const uint8_t *next = skip_broken(s, g, s->data + s->len);
    if (next) {
        source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, h->p),
                      "a batch of %" PRIu64 " bytes goes beyond the file's end, and others stand in it",
                      h->size);
        return next;
    }
    source_damage(s, ERR_TRUNCATED, g->ordinal, source_off(s, h->p),
                  "the file ends %" PRIu64 " bytes into a batch of %" PRIu64, (uint64_t)(h->end - h->p),
                  h->size);
    g->torn = true;
    return NULL;
}

/* Returns whether what seems to be an end mark is none, as batches of the same generation follow it. (A
 * second clock batch: the generation is in the file twice.) */
static bool is_false_end(struct source *s, const struct v2_gen *g, const uint8_t *p)
{
    struct v2_raw_batch h;
    struct err e;
    const bool is = !source_gap(s, source_off(s, p + 1)) && v2_raw_batch(s->data, s->len, p + 1, &h, &e) &&
                    h.lead != V2R_END && h.gen == g->number && !(g->freq && h.first == V2R_SYNC);
    if (is)
        source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, p),
                      "an end mark among batches of generation %" PRIu64 ": passed over", g->number);
    return is;
}

/* End the generation without its mark, where the next one begins. */
static void no_mark(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h)
{
    if (s->version < GO_126)
        return;
    source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, h->at),
                  "generation %" PRIu64 " has no end mark before generation %" PRIu64, g->number, h->gen);
    g->torn = true;
}

struct scanned {
    const uint8_t *p; /* how far */
    bool any;         /* there are batches */
};

/* Returns false if out of memory. */
static bool scan_batches(struct source *s, struct v2_gen *g, uint64_t last_number, struct scanned *at)
{
    enum { LEFT_AFTER = 4096 };
    const uint8_t *p = at->p, *next;
    const uint8_t *const end = s->data + s->len;
    size_t n = 0;
    for (; p < end; p = next) {
        struct v2_raw_batch h;
        at->p = p;
        if (!(++n % LEFT_AFTER) && source_left(s))
            return false;
        if (*p == V2R_END && s->version >= GO_126) {
            next = p + 1;
            if (at->any && is_false_end(s, g, p))
                continue;
            at->p = next;
            g->marked = at->any;
            if (at->any)
                return true;
            continue;
        }
        if (!(next = batch_read(s, p, &h, g->ordinal))) {
            if ((next = skip_broken(s, g, p)))
                continue;
            g->torn = true;
            at->p = end;
            return true;
        }
        if ((!at->any || h.gen != g->number) && is_stray(s, g, &h, next, at->any))
            continue;
        if (!at->any && !gen_number(s, g, &h, last_number))
            continue;
        at->any = true;
        if (h.gen != g->number) {
            no_mark(s, g, &h);
            return true;
        }
        if (!batch_take(s, g, &h))
            return false;
        g->last = h.p;
        at->p = next;
        if (h.torn && !(next = after_torn(s, g, &h)))
            return true;
    }
    at->p = end;
    return true;
}

enum v2_gen_rc v2_gen_scan(struct source *s, struct v2_gen *g, size_t *pos)
{
    const uint64_t last_number = g->number, last_freq = g->freq, last_hi = g->hi;
    const bool in_hole = g->ends_in_hole && g->ordinal;
    struct scanned at = {.p = s->data + *pos};
    gen_reset(g);
    g->start = *pos;
    if (in_hole)
        v2_hole_note(g, *pos, 0, false);
    g->after_gap = source_gap(s, *pos);
    if (!scan_batches(s, g, last_number, &at))
        return V2_GEN_OOM;
    g->ends_in_hole = g->nhole && !g->last;
    *pos = g->end = source_off(s, at.p);
    g->at_end = g->end == s->len;
    if (at.any && s->version >= GO_126 && !g->marked && g->at_end && !g->torn) {
        g->torn = true;
        source_damage(s, ERR_TRUNCATED, g->ordinal, g->end,
                      "generation %" PRIu64 " has no end mark: the trace was cut short", g->number);
    }
    if (!at.any) { /* in a growing file another may come; this one follows the one before */
        g->ordinal--;
        g->freq = last_freq;
        g->hi = last_hi;
        g->torn = true;
        return V2_GEN_NONE;
    }
    if (g->torn && g->at_end && g->ordinal > 1 && !s->grows && !g->nbatch && !g->ntable)
        return V2_GEN_NONE; /* it had only started: nothing before it is missing */
    clock_settle(s, g, last_freq);
    if (g->ordinal > 1 && last_hi != UINT64_MAX && last_freq == g->freq && !(s->version >= GO_125 && g->lo))
        g->lo = last_hi;
    v2_batches_check(s, g);
    return g->at_end ? V2_GEN_LAST : V2_GEN;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

bool v2_gen_parse(struct source *s, struct v2_gen *g)
{
    v2_clock_notes(s, g);
    if (!v2_names_read(s, g))
        return false;
    for (size_t i = 0; i < g->ntable; i++)
        if (*g->table[i].p == V2R_SAMPLES && !read_samples(s, g, &g->table[i]))
            return false;
    samples_time(s, g);
    sort(g->sample, g->nsample, sample_by_time);
    if (g->at_end && !g->torn && !g->unnamed && s->version < GO_126 && tables_lack(g)) {
        g->torn = true;
        source_damage(s, ERR_TRUNCATED, g->ordinal, g->end,
                      "generation %" PRIu64 " lacks its tables: it was cut short", g->number);
    }
    return true;
}

bool v2_gen_tables(struct source *s, struct v2_gen *g)
{
    const bool ok = v2_gen_parse(s, g) && v2_names_give(s, g);
    if (ok)
        v2_names_put(g);
    return ok;
}

void v2_gen_free(struct v2_gen *g)
{
    mem_free(g->batch);
    mem_free(g->table);
    mem_free(g->sample);
    mem_free(g->all);
    v2_names_free(g);
    idmap_free(&g->strs);
    idmap_free(&g->stacks);
    *g = (struct v2_gen){0};
}
