/*
 * v2_source.c - the reader of the second family: read a generation, order it, pass on its events, and so on
 * (decode/events/source.h).
 */
#include <inttypes.h>

#include "decode/base/mem.h"
#include "decode/damage/v2_damage.h"

struct v2 {
    struct v2_gen gen;
    struct v2_order order;
    size_t pos;
    bool in_gen, last_gen, over;
    bool rough; /* the generation before lost events: what this one says about states may contradict it */
};

static void v2_finish(struct source *s, struct v2 *v)
{
    v->over = true;
    if (!v->order.oom && v->order.have_base)
        return;
    if (v->order.oom)
        source_damage(s, ERR_NOMEM, v->gen.ordinal, v->pos, "out of memory");
    if (!v->order.have_base) {
        if (s->st.ndamages)
            s->fatal = *source_note(&s->damage, 0);
        else if (!s->st.generations) /* else it is complete, and nothing happened */
            err_set(&s->fatal, ERR_EMPTY, s->header, "a trace header, but no event after it");
    }
}

/* Threads that are late overlap by less with the generation before. */
enum { BACK_NS = 250000000 };

void v2_gen_notes(struct source *s, const struct v2_gen *gen, struct v2_order *o)
{
    const bool part = gen->torn || gen->unnamed;
    if (gen->missing && !part && !o->lossy)
        source_lacks(s, gen->missing, gen->ordinal, gen->start);
    else if (gen->missing)
        source_damage(s, part ? ERR_TRUNCATED : ERR_FORMAT, gen->ordinal, gen->start,
                      "%" PRIu32 " use%s of strings or stacks that are not in generation %" PRIu64
                      "'s tables",
                      gen->missing, gen->missing == 1 ? "" : "s", gen->number);
    if (gen->by_order)
        source_warn(s, ERR_TRUNCATED, gen->ordinal, gen->start,
                    "generation %" PRIu64 "'s names are lost (? or #24): wait reasons are inferred",
                    gen->number);
    if (o->back > BACK_NS && o->have_base)
        source_warn(s, ERR_CLOCK, gen->ordinal, gen->start,
                    "generation %" PRIu64
                    " begins %.6f s before the one before it ends: up to there its events are "
                    "shown 1 ns apart",
                    gen->number, (double)o->back * 1e-9);
    if (o->lossy)
        v2_lossy_report(o);
    if (gen->torn && o->loss_from < o->last)
        source_warn(s, ERR_TRUNCATED, gen->ordinal, gen->end,
                    "from %.6f s on events are missing: what threads ran is not known",
                    v2_seconds(o, o->loss_from));
    s->st.bytes_done = gen->end;
}

static void gen_done(struct source *s, struct v2 *v)
{
    v2_gen_notes(s, &v->gen, &v->order);
    v->rough = v->order.lossy && !v2_lossy_sound(&v->order);
    v->in_gen = false;
    if (v->order.stopped || v->last_gen)
        v2_finish(s, v);
}

void v2_wall_clock(struct source *s, const struct v2_gen *gen, const struct v2_order *o)
{
    if (s->st.has_wall || !gen->snap.has_wall || gen->ordinal != 1 || gen->snap.sec > (uint64_t)INT64_MAX / 2)
        return;
    double unit = v2_gen_unit(gen);
    int64_t ns = (int64_t)(gen->snap.nsec % 1000000000) + (o->base - v2_ns(gen->snap.at, unit));
    int64_t sec = ns / 1000000000, rest = ns % 1000000000;
    if (rest < 0) {
        rest += 1000000000;
        sec--;
    }
    s->st.wall_sec = (int64_t)gen->snap.sec + sec;
    s->st.wall_nsec = (int32_t)rest;
    s->st.has_wall = true;
}

/* Note that what is read from here on was recorded separately from what was read before. */
static void gap(struct source *s, struct v2 *v)
{
    const struct v2_order *o = &v->order;
    v2_order_forget(&v->order);
    if (o->have_base)
        source_warn(s, ERR_APART, v->gen.ordinal, v->gen.start, "from %.6f s to %.6f s nothing was recorded",
                    v2_seconds(o, o->gap_since), v2_seconds(o, o->last));
}

/* Prepare to order a generation whose tables are read. */
static void begin_gen(struct source *s, struct v2 *v)
{
    s->st.generations = v->gen.ordinal;
    const bool bad = s->bad == v->gen.ordinal,
               loose = v->gen.torn || v->rough || bad || v2_gen_lossy(&v->gen);
    v->order.lossy = loose;
    v->order.loss.rough = v->rough;
    if (bad && s->why_bad.code == ERR_ORDER) /* others are found when they are used */
        source_damage(s, ERR_ORDER, s->why_bad.gen, s->why_bad.offset, "%s", s->why_bad.what);
    v->order.oom |= !v2_order_begin(&v->order, &v->gen);
    if (!v->order.oom && v->gen.after_gap)
        gap(s, v);
}

/* Read the next generation, up to its first event. Returns false if there is none, or if out of memory. */
static bool next_gen(struct source *s, struct v2 *v)
{
    const enum v2_gen_rc rc = v2_gen_scan(s, &v->gen, &v->pos);
    v->order.oom |= rc == V2_GEN_OOM;
    if (v->order.oom || rc == V2_GEN_NONE) {
        v->rough = true; /* what comes now follows a part that can't be read */
        return false;
    }
    v->last_gen = rc == V2_GEN_LAST && !(s->grows && v->pos >= s->len);
    v->in_gen = true;
    if (mem_noted(&v->order.oom, v2_gen_tables(s, &v->gen)))
        begin_gen(s, v);
    return !v->order.oom;
}

/* Pass on some of its events; returns how many. 0: out of memory, or there are no more. */
static size_t gen_some(struct source *s, struct v2 *v, struct v2_sink *k, size_t cap)
{
    const size_t n = v2_order_run(&v->order, k, cap);
    s->st.bytes_done = v->gen.start + v->order.consumed;
    if (n)
        v2_wall_clock(s, &v->gen, &v->order);
    return n;
}

static size_t v2_run(struct source *s, struct v2_sink *k, size_t cap)
{
    struct v2 *v = s->self;
    while (!v->over) {
        s->waiting = !v->in_gen && s->grows && v->pos >= s->len;
        if (s->waiting)
            return 0;
        if (!v->in_gen && !next_gen(s, v)) {
            if (s->grows && !v->order.oom)
                continue;
            v2_finish(s, v);
            break;
        }
        const size_t n = gen_some(s, v, k, cap);
        if (n)
            return n;
        if (!v->order.oom) {
            gen_done(s, v);
            return 1;
        }
        v2_finish(s, v);
    }
    return 0;
}

static void v2_close(struct source *s)
{
    struct v2 *v = s->self;
    if (!v)
        return;
    v2_gen_free(&v->gen);
    v2_order_free(&v->order);
    mem_free(v);
    s->self = NULL;
}

static const struct source_ops ops = {.run = v2_run, .close = v2_close};

enum err_code source_v2(struct source *s, struct err *e)
{
    struct v2 *v = mem_zalloc(sizeof *v);
    if (!v)
        return err_nomem(e);
    v->pos = s->header;
    v->order.s = s;
    v->order.goes_on = true;
    s->self = v;
    s->ops = &ops;
    s->st.has_clock = true;
    return ERR_OK;
}
