/*
 * cut.c - see cut.h.
 *
 * The trace is read by its family's reader, whose events go to slice.h. In the second family reading starts
 * one generation before the range, so that all goroutines that the trace ever names are known. Each
 * generation is read to its end before any of it is written. If it turns out to be damaged, the slice ends
 * before it; if there is no slice yet, it is read once more as if the trace began there, and left out if it
 * is still damaged.
 */
#include "decode/write/cut.h"

#include "decode/base/mem.h"
#include "decode/base/wide.h"
#include "decode/v2/v2_order.h"
#include "decode/write/slice.h"

#define START_NS 1000000000 /* time of the first event in a slice of the first family */

struct cut {
    struct v2_sink sink; /* first: cut_take() gets it */
    const struct input *in;
    const struct cut_range *r;
    struct outlet *out;
    struct dialect d;
    struct names names;
    struct source s;
    struct slice w;
    struct cut_result res;  /* from, to: absolute */
    int64_t base, from, to; /* absolute; from: INT64_MIN, to: INT64_MAX if not limited */
    double scale;           /* ns per unit of the reader's times */
    int64_t last;           /* time of the last event */
    uint64_t events;
    size_t nsample;
    /* Second family: the generation that is read, counted from where reading began. */
    uint32_t gen, noted; /* noted: number of damages that are of generations before */
    uint64_t lacks;
    size_t gen_start, gen_end, near; /* near: what begins before it is before the range */
    int64_t gen_t;
    struct err bad; /* the first damage with nothing sound before it in the range */
    size_t again;   /* where to start reading once more; 0: nowhere */
    bool done, kept;
    struct v2_raw_clock snap;
};

bool outlet_put(struct outlet *s, const void *p, size_t n)
{
    if (!s->broken && n && s->write && !s->write(s->arg, p, n))
        s->broken = true;
    return !s->broken;
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* floor_to - Round the range's end down to units of a clock. */
static int64_t floor_to(int64_t t, uint64_t unit)
{
    return t > 0 && t < INT64_MAX ? t - (int64_t)((uint64_t)t % unit) : t;
}

/* set_range - The range on a clock that shows this at the trace's first event. */
static void set_range(struct cut *c, int64_t base)
{
    c->base = base;
    c->from = c->r->from <= 0 ? INT64_MIN : c->r->from > INT64_MAX - base ? INT64_MAX - 1 : base + c->r->from;
    c->to = c->r->to > INT64_MAX - base ? INT64_MAX : base + c->r->to;
}

/* begin_range - The range begins: with what is known so far, or where the trace does. */
static void begin_range(struct cut *c, int64_t t)
{
    const bool first = c->from == INT64_MIN || c->last == INT64_MIN;
    c->res.from = first ? t : c->from;
    c->res.lead = first ? 0 : slice_begin(&c->w, c->from);
    c->w.on = true;
}

static void cut_event(struct cut *c, const struct ev *e)
{
    const int64_t since = c->scale == 1 ? e->t : to_i64((double)e->t * c->scale);
    const int64_t latest = INT64_MAX - 1 - c->base, t = c->base + (since < latest ? since : latest);
    c->done |= !c->w.on && t >= c->to && c->last == INT64_MIN; /* all of it is behind the range */
    if (c->done)
        return;
    if (!c->w.on && t >= c->from)
        begin_range(c, t);
    c->w.over |= c->w.on && t >= c->to;
    c->w.now = c->w.over ? c->to : t;
    slice_take(&c->w, e);
    if (c->w.over)
        return;
    c->last = t;
    c->events += c->w.on && !(e->flags & (EVF_QUIET | EVF_EXTRA)) && e->kind != EVK_M_NEW;
}

/* keep_sound - What was read since the last call is sound. last: the slice ends here. */
static void keep_sound(struct cut *c, bool last)
{
    c->nsample = c->w.nsample;
    c->res.events = c->events;
    if (!c->w.on)
        return;
    if (last || c->w.over) {
        c->w.now = c->w.over ? c->to : c->last + 1;
        slice_pin(&c->w);
    }
    if (!c->kept) {
        const struct v2_raw_clock *k = &c->snap;
        struct v2_raw_clock at = *k;
        const int64_t start = c->res.from - c->res.lead - 1, d = start - (int64_t)k->at;
        int64_t sec = (int64_t)k->sec + d / 1000000000, nsec = (int64_t)k->nsec + d % 1000000000;
        sec += nsec < 0 ? -1 : nsec / 1000000000;
        nsec = nsec < 0 ? nsec + 1000000000 : nsec % 1000000000;
        at.at = start > 0 ? (uint64_t)start : 0;
        at.mono += (uint64_t)d;
        at.sec = sec < 0 ? 0 : (uint64_t)sec; /* 1970 */
        at.nsec = sec < 0 ? 0 : (uint64_t)nsec;
        outlet_put(c->out, c->d.second_family ? (const char *)c->in->data : "go 1.22 trace\0\0", 16);
        slice_head(&c->w, c->out, &at);
    }
    c->kept = true;
    slice_keep(&c->w, c->out);
    c->res.to = c->w.over ? c->to : c->last;
}

/* ---- the second family --------------------------------------------------------------------------------- */

/* unsound - Whether a part of the trace that ends here is damaged: what is known of that. */
static bool unsound(struct cut *c, struct err *why)
{
    const struct source_status *st = &c->s.st;
    bool is = false;
    for (; c->noted < st->ndamages && source_note(&c->s.damage, c->noted)->gen <= c->gen; c->noted++) {
        if (!is)
            *why = *source_note(&c->s.damage, c->noted);
        is = true;
    }
    if (!is && st->lacks > c->lacks) {
        err_set(why, ERR_FORMAT, ERR_NO_OFFSET, "its events name stacks or strings that are in no table");
        why->gen = c->gen;
    }
    is |= st->lacks > c->lacks;
    c->lacks = st->lacks;
    return is;
}

/* settle - The current generation has been read to its end. */
static void settle(struct cut *c)
{
    struct err why;
    c->done |= c->w.over;
    if (!unsound(c, &why)) {
        keep_sound(c, false);
        return;
    }
    if (c->kept) {
        c->res.damage = why;
        c->done = true;
        return;
    }
    if (c->gen_start >= c->near && c->gen_t < c->to && !c->bad.code && c->gen == 1)
        c->bad = why;
    c->done = c->gen_start >= c->near && c->gen_t >= c->to;
    c->again = c->gen > 1 ? c->gen_start : c->gen_end;
}

/* cut_next_gen - Note that the reader is in another generation. */
static void cut_next_gen(struct cut *c, const struct v2_gen *gen, int64_t t)
{
    const uint64_t unit = v2_whole(v2_gen_unit(gen));
    if (c->gen)
        settle(c);
    else if (unit) { /* else its slice is in ns */
        c->w.unit = unit;
        c->w.freq = gen->freq;
        c->from = floor_to(c->from, unit);
        c->to = floor_to(c->to, unit);
    }
    c->gen = gen->ordinal;
    c->gen_start = gen->start;
    c->gen_end = gen->end;
    c->gen_t = t;
    if (!c->kept && gen->snap.has_wall) {
        c->snap = gen->snap;
        c->snap.at = (uint64_t)v2_ns(gen->snap.at, v2_gen_unit(gen));
        c->snap.nsec %= 1000000000;
    }
}

static bool cut_take(struct v2_sink *k)
{
    struct cut *c = (struct cut *)(void *)k;
    c->base = c->s.st.first_ns;
    if (k->o->gen->ordinal != c->gen)
        cut_next_gen(c, k->o->gen, k->o->nout ? c->base + k->o->out[0].t : c->last);
    for (size_t i = 0; i < k->o->nout && !c->done && !c->again; i++)
        cut_event(c, &k->o->out[i]);
    k->o->nout = 0;
    return !c->done && !c->again && !c->w.oom && !c->out->broken;
}

/* cut_read - Read from a place on, until the slice is done or reading must start again (c->again). */
static enum err_code cut_read(struct cut *c, size_t pos, struct err *e)
{
    enum { SOME = 4096 };
    c->s = source_of(c->in, c->d.read_as, pos, &c->names);
    c->s.len = input_stretch(c->in, pos);
    c->s.ngap = 0;
    c->w = (struct slice){.names = &c->names, .version = c->d.read_as, .freq = 1000000000, .unit = 1};
    c->last = INT64_MIN;
    c->gen = c->noted = 0;
    c->lacks = c->events = c->again = c->nsample = 0;
    enum err_code rc = source_v2(&c->s, e);
    while (!rc && !c->done && !c->again && !c->w.oom && c->s.ops->run(&c->s, &c->sink, SOME)) {
    }
    if (!rc && !c->done && !c->again && c->gen && !c->w.oom)
        settle(c);
    const bool more = c->s.st.ndamages > c->noted;
    if (!rc && !c->done && !c->again) { /* the end of what was recorded as one */
        if (more && !c->kept && !c->bad.code)
            c->bad = *source_note(&c->s.damage, c->noted);
        else if (more)
            c->res.damage = *source_note(&c->s.damage, c->noted);
        else if (c->kept && c->s.len < c->in->len)
            err_set(&c->res.damage, ERR_APART, c->s.len, "nothing was recorded between two of the files");
        c->done = c->kept || c->s.len >= c->in->len;
        c->again = c->s.len;
    }
    if (!rc && (c->w.oom || source_starved(&c->s)))
        rc = err_nomem(e);
    source_close(&c->s);
    return rc;
}

/* start_pos - Find the generation before the last one that begins before the range. */
static enum err_code start_pos(struct cut *c, size_t *pos, struct err *e)
{
    struct source s = source_of(c->in, c->d.read_as, c->d.header, NULL);
    struct v2_gen gen = {0};
    size_t at = c->d.header, was[2] = {at, at};
    enum v2_gen_rc rc = V2_GEN;
    while (c->from != INT64_MIN && rc == V2_GEN) {
        rc = v2_gen_scan(&s, &gen, &at);
        if (rc > V2_GEN_LAST || (gen.no_freq && gen.ordinal == 1) ||
            (double)gen.min_time * v2_gen_unit(&gen) > (double)c->from)
            break;
        was[0] = was[1];
        was[1] = gen.start;
    }
    v2_gen_free(&gen);
    source_notes_free(&s);
    *pos = was[0];
    c->near = was[1];
    return rc == V2_GEN_OOM ? err_nomem(e) : ERR_OK;
}

static bool take_none(struct v2_sink *k)
{
    struct cut *c = (struct cut *)(void *)k;
    c->done = k->o->have_base;
    return !c->done;
}

/* find_base - Find the time of the trace's first event on its clock, as the reader finds it, in a damaged
 * trace, too. */
static enum err_code find_base(struct cut *c, struct err *e)
{
    enum { ROOM = 64 };
    struct names names = {0};
    c->s = source_of(c->in, c->d.read_as, c->d.header, &names);
    c->sink.take = take_none;
    enum err_code rc = names_init(&names) ? err_nomem(e) : source_v2(&c->s, e);
    while (!rc && !c->done && c->s.ops->run(&c->s, &c->sink, ROOM)) {
    }
    if (!rc && !c->done && source_starved(&c->s))
        rc = err_nomem(e);
    else if (!rc && !c->done)
        rc = c->s.fatal.code ? (*e = c->s.fatal).code : err_set(e, ERR_EMPTY, c->d.header, "no event in it");
    c->base = c->s.st.first_ns;
    c->sink.take = cut_take;
    c->done = false;
    source_close(&c->s);
    source_notes_free(&c->s);
    names_free(&names);
    return rc;
}

static enum err_code walk_v2(struct cut *c, struct err *e)
{
    size_t pos;
    enum err_code rc = find_base(c, e);
    const int64_t base = c->base;
    if (rc)
        return rc;
    c->scale = 1;
    set_range(c, base);
    rc = start_pos(c, &pos, e);
    while (!rc && !c->done) {
        rc = cut_read(c, pos, e);
        pos = c->again;
        if (!c->done) {
            source_notes_free(&c->s);
            slice_free(&c->w);
        }
    }
    c->base = base;
    return rc;
}

/* ---- the first family ---------------------------------------------------------------------------------- */

/* rate - Find out how long a unit of its clock is. */
static enum err_code rate(struct cut *c, struct err *e)
{
    const double given = c->r->ticks_per_second;
    if (c->s.st.has_clock && given > 0)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, CUT_RATE);
    if (!c->s.st.has_clock && !(given >= 1))
        return err_set(e, ERR_CLOCK, c->s.len,
                       "it was cut short before its tick rate: give --ticks-per-second");
    c->scale = c->s.st.has_clock ? 1 : 1e9 / given;
    return ERR_OK;
}

/* order_known - Whether no event has shown so far that the order is not known. */
static bool order_known(struct cut *c)
{
    for (; c->noted < c->s.st.ndamages; c->noted++) {
        const struct err *n = source_note(&c->s.damage, c->noted);
        if (n->code == ERR_ORDER || n->code == ERR_CLOCK) {
            c->res.damage = *n;
            return false;
        }
    }
    return true;
}

/* some - Take n halves of events. */
static void some(struct cut *c, const struct ev_half *h, size_t n)
{
    for (size_t i = 0; i < n && !c->done; i += ev_halves(&h[i])) {
        struct ev room;
        cut_event(c, ev_whole(&h[i], &room));
        c->done = c->w.over || c->w.oom;
        if (!c->w.lost)
            continue;
        c->done = true;
        c->res.damage = c->s.st.ndamages
                            ? *source_note(&c->s.damage, 0)
                            : (struct err){.code = ERR_ORDER,
                                           .offset = ERR_NO_OFFSET,
                                           .what = "no order makes the events behind it consistent"};
    }
    if (c->w.held.n > 4 << 20 && !c->w.over)
        keep_sound(c, false);
}

static enum err_code walk_v1(struct cut *c, struct err *e)
{
    enum { SOME = 256 };
    struct ev_half h[SOME];
    c->s = source_of(c->in, c->d.version, c->d.header, &c->names);
    c->w = (struct slice){.names = &c->names, .version = GO_122, .freq = 1000000000, .unit = 1};
    set_range(c, START_NS);
    c->last = INT64_MIN;
    enum err_code rc = source_v1(&c->s, e);
    while (!rc && !c->done) {
        const size_t n = c->s.ops->stream(&c->s, h, SOME);
        const bool tick = n == 2 && h[0].kind == EVK_TICK;
        rc = tick || c->scale > 0 || !n ? ERR_OK : rate(c, e);
        if (!rc && !tick)
            some(c, h, n);
        c->done |= !n || (!tick && !order_known(c));
    }
    if (!rc && (c->w.oom || source_starved(&c->s)))
        rc = err_nomem(e);
    if (!rc && c->s.fatal.code)
        rc = (*e = c->s.fatal).code;
    if (!rc)
        keep_sound(c, true);
    if (!rc && !c->w.over && c->s.st.ndamages && !c->res.damage.code)
        c->res.damage = *source_note(&c->s.damage, 0);
    source_close(&c->s);
    return rc;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* nothing - Say why there is nothing to cut in the range. */
static enum err_code nothing(const struct cut *c, struct err *e)
{
    const int64_t last = c->last > c->base ? c->last - c->base : 0;
    if (c->bad.code)
        return err_set(e, ERR_ARG, c->bad.offset, "no generation in this range is sound: %s", c->bad.what);
    if (c->res.damage.code && !c->d.second_family)
        return err_set(
            e, ERR_ARG, c->res.damage.offset,
            "it is damaged before this range, at %.6f s, and no slice of its format can say what isn't "
            "known from there on",
            (double)last * 1e-9);
    return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                   "the range begins behind the trace's last event, which is at %.9f s", (double)last * 1e-9);
}

static void cut_finish(struct cut *c, struct cut_result *res)
{
    if (c->res.damage.code) {
        slice_drop(&c->w, c->nsample);
    } else if (!c->w.over) { /* what is left out may have been the last event */
        c->w.now = c->last + 1;
        slice_pin(&c->w);
        slice_keep(&c->w, c->out);
    }
    slice_tail(&c->w, c->out);
    c->res.late = c->bad.code && !c->res.damage.code;
    if (c->res.late)
        c->res.damage = c->bad;
    c->res.from = c->res.from < c->base ? 0 : c->res.from - c->base;
    c->res.to = c->res.to < c->base + c->res.from ? c->res.from : c->res.to - c->base;
    *res = c->res;
}

static enum err_code cut_slice(const struct input *in, const struct dialect *d, const struct cut_range *r,
                               struct outlet *out, struct cut_result *res, struct err *e)
{
    struct cut *c = mem_zalloc(sizeof *c);
    if (!c)
        return err_nomem(e);
    c->sink.take = cut_take;
    c->in = in;
    c->d = *d;
    c->r = r;
    c->out = out;
    enum err_code rc = names_init(&c->names) ? err_nomem(e)
                       : d->second_family    ? walk_v2(c, e)
                                             : walk_v1(c, e);
    if (!rc && !c->kept && !out->broken)
        rc = nothing(c, e);
    if (!rc)
        cut_finish(c, res);
    if (!rc && c->w.oom)
        rc = err_nomem(e);
    slice_free(&c->w);
    source_notes_free(&c->s);
    names_free(&c->names);
    mem_free(c);
    return rc;
}

enum err_code cut_trace(const struct input *in, const struct cut_range *r, struct outlet *out,
                        struct cut_result *res, struct err *e)
{
    struct outlet nowhere = {0};
    struct dialect d;
    *res = (struct cut_result){0};
    enum err_code rc = dialect_tell(in->data, in->len, &d, e);
    if (rc)
        return rc;
    if (r->from >= r->to)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "the range is empty: it must end after it begins");
    if (d.second_family && r->ticks_per_second > 0)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, CUT_RATE);
    res->whole = r->from <= 0 && r->to == INT64_MAX;
    if (res->whole && (rc = cut_slice(in, &d, r, &nowhere, res, e)))
        return rc;
    res->whole = r->from <= 0 && r->to == INT64_MAX && !res->damage.code;
    if (res->whole)
        outlet_put(out, in->data, in->len);
    else
        rc = cut_slice(in, &d, r, out, res, e);
    if (rc == ERR_OK && out->broken)
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "what is written can't be");
    if (rc == ERR_OK && in->damage.code && !res->damage.code && r->to == INT64_MAX)
        res->damage = in->damage;
    return rc;
}
