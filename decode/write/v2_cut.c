/*
 * v2_cut.c - see cut.h: the second family.
 *
 * Generations within the range are copied byte for byte. Those in which the range begins or ends are
 * rewritten by v2_cut_gen.c: from where each thread's events begin to where they end, which is where the
 * ordering (v2_sim.h) was at that moment. Reading starts one generation earlier, so that all goroutines
 * that the trace ever names are known.
 *
 * Each generation is run to its end before any of it is written. If it turns out to be damaged, the slice
 * ends before it; if there is no slice yet, it is run once more as if the trace began there, and left out
 * if it is still damaged.
 */
#include "decode/write/v2_cut.h"

#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/round.h"

/* ---- positions of cursors ------------------------------------------------------------------------------ */

static bool marks_set(struct v2_cut *c, struct v2c_marks *at)
{
    const struct v2_order *o = &c->sim.o;
    if (!mem_room(at->v, at->cap, o->ncur + 1))
        return false;
    struct v2c_mark *v = at->v;
    at->sample = o->sample;
    at->set = true;
    for (size_t i = 0; i < o->ncur; i++) {
        const struct v2_cursor *k = &o->cur[i];
        v[i] = (struct v2c_mark){.batch = k->batch, .p = k->over ? NULL : k->at};
        if (k->over)
            continue;
        const uint64_t now = v2_sim_units(&c->sim, k);
        double units = (double)k->t / o->unit;
        const uint64_t whole = to_u64(units); /* a tiny frequency and a late time: does not fit */
        v[i].units = c->even ? now : whole + ((double)whole < units && whole < UINT64_MAX);
    }
    return true;
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

static enum err_code no_memory(struct err *e)
{
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for a generation");
}

/* late_add - Add a status that the first generation has after the range, of what was so all along. */
static bool late_add(struct v2_cut *c, const struct v2s_event *e)
{
    if (!mem_room(c->late, c->caplate, c->nlate + 1))
        return false;
    c->late[c->nlate++] = (struct v2c_late){e->m, e->ev};
    return true;
}

/* watch - Called for an event of the generation in which the range begins, after that. */
static bool watch(void *arg, const struct v2s_event *e)
{
    struct v2_cut *c = arg;
    const struct v2_spec *spec = &v2_specs[e->ev.type];
    if (v2_means(e->ev.type) == V2_MEANS_gc_active && c->head.o.gc == GC_ON && !c->behind)
        c->head.o.gc_seq = e->ev.arg[0];
    if (spec->after == V2_AFTER_G_NEW && spec->context & V2_TELLS && spec->stacks) {
        const uint64_t g = e->ev.arg[0], stack = e->ev.arg[__builtin_ctz(spec->stacks)];
        if (stack && idmap_get(&c->stack_of, g) == IDMAP_NONE && stack < UINT32_MAX - 2 &&
            !idmap_put(&c->stack_of, g, (uint32_t)stack))
            return false;
    }
    return !c->behind || !e->fresh || late_add(c, e);
}

/* begin_at - The range begins here: `from` is rounded to clock units. If the run begins within the range,
 * no statuses are needed. Else `head`, which was run as far, keeps the state. */
static bool begin_at(struct v2_cut *c)
{
    c->any = true;
    if (!c->sim.n)
        c->from = INT64_MIN;
    return marks_set(c, &c->start);
}

static int64_t floor_units(const struct v2_cut *c, int64_t t, uint64_t *units)
{
    *units = t > 0 ? to_u64((double)t / c->sim.o.unit) : 0;
    if (*units && to_i64((double)*units * c->sim.o.unit) > t)
        --*units;
    return to_i64((double)*units * c->sim.o.unit);
}

/* pin_find - Find a goroutine for the slice's last event, which says that nothing has changed. */
static void pin_find(struct v2_cut *c)
{
    const struct v2_sim *s = &c->sim;
    for (size_t i = 0; i < s->ng; i++) {
        if (s->g[i].gone)
            continue;
        const uint32_t g = v2_sim_g(s, &s->g[i]), m = v2_holder(&s->o, g);
        const uint8_t status = v2_status_of(v2_g_at(&s->o, g)->status);
        const bool busy = m != EV_NONE;
        if (c->pin.nargs && busy)
            continue;
        c->pin_m = v2_m_id(&s->o, m);
        c->pin = V2_EV(V2_GO_STATUS, s->g[i].id, c->pin_m, status);
        if (!busy)
            return;
    }
}

/* run - Run a generation to its end. *over: the range ends in it. Errors are in c->sim.damage. */
static enum err_code run(struct v2_cut *c, const struct v2_raw_gen *gen, bool *over, struct err *e)
{
    enum v2s_rc rc = V2S_END;
    c->start.set = c->end.set = c->behind = *over = false;
    c->sim.seen = NULL;
    c->sim.arg = c;
    const bool heads = !c->any && c->from != INT64_MIN;
    if (!v2_sim_begin(&c->sim, &c->file, gen) || (heads && !v2_sim_begin(&c->head, &c->file, gen)))
        return no_memory(e);
    c->even = c->sim.o.unit == (double)(uint64_t)c->sim.o.unit;
    if (c->from != INT64_MIN && !c->any)
        c->from = floor_units(c, c->from, &c->from_units);
    if (c->to != INT64_MAX)
        c->to = floor_units(c, c->to, &c->to_units);
    if (heads)
        (void)v2_sim_run(&c->head, c->from);
    if (!c->any)
        rc = v2_sim_run(&c->sim, c->from);
    if (!c->any && rc == V2S_UNTIL && !begin_at(c))
        return no_memory(e);
    if (c->any) {
        const uint64_t n = c->sim.n;
        c->sim.seen = c->start.set ? watch : NULL;
        rc = v2_sim_run(&c->sim, c->to);
        *over = rc == V2S_UNTIL;
        const bool ends = !*over && c->start.set && gen->end == c->file.data + c->file.len;
        if (*over && !marks_set(c, &c->end))
            return no_memory(e);
        if (ends) /* what is left out may have been the last event */
            c->to_units = to_u64((double)c->sim.o.last / c->sim.o.unit) + 1;
        if (*over || ends)
            pin_find(c);
        c->res.events += c->sim.n - n;
        c->res.to = *over ? c->to : c->sim.o.last;
        if (c->start.set)
            c->res.from = c->from == INT64_MIN ? c->sim.o.base : c->from;
        c->any = c->sim.n; /* else the range ends before the run begins */
    }
    c->behind = true; /* find later statuses of what existed, and whether it is sound */
    v2_sim_run(&c->sim, INT64_MAX);
    return c->sim.o.oom || c->head.o.oom ? no_memory(e) : ERR_OK;
}

/* ---- generation by generation -------------------------------------------------------------------------- */

/* put_gen - Write the part of a sound generation that is in the range. Returns false if out of memory. */
static bool put_gen(struct v2_cut *c, const struct v2_raw_gen *gen, bool over)
{
    if (!c->any)
        return true;
    if (!c->res.generations++)
        outlet_put(c->out, c->file.data, c->header);
    const uint8_t *from = gen->batch[0].at; /* an extra end mark may precede it */
    if (over || (c->start.set && c->from != INT64_MIN))
        return v2_cut_gen(c, gen);
    outlet_put(c->out, from, (size_t)(gen->end - from));
    return true;
}

/* begin_trace - Nothing is written yet: read what comes next as if the trace began there. */
static void begin_trace(struct v2_cut *c)
{
    v2_sim_free(&c->head);
    v2_sim_free(&c->sim);
    idmap_clear(&c->stack_of);
    c->any = false;
    c->res = (struct cut_result){0};
    c->from = c->asked_from;
    c->to = c->asked_to;
    c->nlate = 0;
    c->pin.nargs = 0;
    c->number = c->freq = 0;
}

/* ends - What comes next can't be in a slice after what was read, or at all: the slice ends here. Returns
 * false if there is none yet. */
static bool ends(struct v2_cut *c, const struct err *why)
{
    if (!c->res.generations) {
        begin_trace(c);
        return false;
    }
    c->res.damage = *why;
    return true;
}

/* broken - What begins at this place and time is broken. Returns true if the slice is done. */
static bool broken(struct v2_cut *c, size_t at, int64_t t, const struct err *why)
{
    if (at < c->near)
        return ends(c, why);
    if (t >= c->asked_to)
        return true;
    if (!c->broken.code && !c->res.generations)
        c->broken = *why;
    return ends(c, why);
}

/* one - Handle a generation that follows the previous one, or is the first. *over: the slice is done. */
static enum err_code one(struct v2_cut *c, const struct v2_raw_gen *gen, bool *over, struct err *e)
{
    for (;;) {
        const bool first = !c->sim.ordinal, any = c->any;
        const struct cut_result was = c->res;
        const enum err_code rc = run(c, gen, over, e);
        const struct err why = c->sim.damage;
        if (rc)
            return rc;
        if (!why.code) {
            c->last = c->sim.o.last;
            c->number = gen->number;
            c->freq = gen->clock.freq;
            if (!put_gen(c, gen, *over))
                return no_memory(e);
            v2_cut_labels(c, gen);
            *over |= c->out->broken;
            return ERR_OK;
        }
        c->any = any;
        c->res = was;
        *over = false;
        if (first || gen->damage.code) {
            const double unit = 1e9 / (double)(gen->clock.freq ? gen->clock.freq : V2_ASSUMED_HZ);
            *over = broken(c, (size_t)(gen->start - c->file.data), v2_ns(gen->min_time, unit), &why);
            return ERR_OK;
        }
        if ((*over = ends(c, &why)))
            return ERR_OK;
    }
}

/* next_gen - Read the generation at *pos as one that follows the last one; if it doesn't and nothing is
 * written yet, as one that begins a trace. Returns false if there is none; e says what is there instead;
 * ERR_OK: the slice is done. */
static bool next_gen(struct v2_cut *c, size_t *pos, struct v2_raw_gen *gen, struct err *e)
{
    const size_t at = *pos;
    struct err why = {0};
    if (at > c->header && input_stretch(c->in, at - 1) == at) {
        err_set(&why, ERR_APART, at, "nothing was recorded between two of the files");
        if (ends(c, &why))
            return false;
    }
    c->file.len = input_stretch(c->in, at);
    gen->number = c->number;
    gen->clock.freq = c->freq;
    bool is = v2_raw_gen(&c->file, pos, gen, e);
    if (!is || !c->number || (gen->number == c->number + 1 && !gen->damage.code))
        return is;
    why = gen->damage;
    gen->number = 0;
    *pos = at;
    is = v2_raw_gen(&c->file, pos, gen, e);
    return is && (gen->damage.code || !ends(c, &why));
}

/* start_pos - Find the generation before the last one that begins before the range. */
static enum err_code start_pos(struct v2_cut *c, size_t *pos, struct err *e)
{
    struct v2_raw_gen gen = {0};
    size_t at = c->header, was[2] = {at, at};
    uint64_t freq = 0;
    *e = (struct err){0};
    while (c->asked_from != INT64_MIN && at < c->in->len && e->code != ERR_NOMEM) {
        const struct v2_file part = {c->file.data, input_stretch(c->in, at), c->file.version};
        gen.number = 0;
        if (!v2_raw_gen(&part, &at, &gen, e))
            continue;
        freq = gen.clock.freq ? gen.clock.freq : freq;
        if (!freq || (double)gen.min_time * (1.0 / ((double)freq / 1e9)) > (double)c->asked_from)
            break;
        was[0] = was[1];
        was[1] = (size_t)(gen.start - c->file.data);
    }
    v2_raw_gen_free(&gen);
    *pos = was[0];
    c->near = was[1];
    return e->code == ERR_NOMEM ? ERR_NOMEM : ERR_OK;
}

static enum err_code walk(struct v2_cut *c, struct err *e)
{
    struct v2_raw_gen gen = {0};
    size_t pos;
    bool over = false;
    enum err_code rc = start_pos(c, &pos, e);
    c->from = c->asked_from;
    c->to = c->asked_to;
    while (rc == ERR_OK && !over && !c->res.damage.code && pos < c->in->len) {
        const size_t at = pos;
        *e = (struct err){0};
        if (next_gen(c, &pos, &gen, e))
            rc = one(c, &gen, &over, e);
        else if (e->code == ERR_NOMEM)
            rc = ERR_NOMEM;
        else if (e->code)
            over = broken(c, at, c->last, e);
    }
    v2_raw_gen_free(&gen);
    return rc;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void cut_free(struct v2_cut *c)
{
    mem_free(c->start.v);
    mem_free(c->end.v);
    mem_free(c->late);
    idmap_free(&c->stack_of);
    v2_sim_free(&c->head);
    v2_sim_free(&c->sim);
    mem_free(c->put);
}

/* nothing - Say why there is nothing to cut in the range. */
static enum err_code nothing(const struct v2_cut *c, struct err *e)
{
    if (!c->broken.code)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                       "the range begins behind the trace's last event, which is at %.9f s",
                       (double)(c->last - c->base) * 1e-9);
    return err_set(e, ERR_ARG, c->broken.offset, "no generation in this range is sound: %s", c->broken.what);
}

enum err_code cut_v2(const struct rewrite *w, const struct cut_range *r, struct cut_result *res,
                     struct err *e)
{
    const struct input *in = w->in;
    struct v2_cut c = {
        .file = {in->data, in->len, w->d.read_as}, .in = in, .header = w->d.header, .out = w->out};
    enum err_code rc = source_v2_base(&c.file, c.header, &c.base, e);
    if (rc)
        return rc;
    c.asked_from = r->from <= 0 ? INT64_MIN : r->from > INT64_MAX - c.base ? INT64_MAX - 1 : c.base + r->from;
    c.asked_to = r->to > INT64_MAX - c.base ? INT64_MAX : c.base + r->to;
    c.last = c.base;
    if (!(c.put = mem_zalloc(sizeof *c.put)))
        return no_memory(e);
    c.put->out = c.out;
    rc = walk(&c, e);
    if (rc == ERR_OK && !c.res.generations)
        rc = nothing(&c, e);
    if (rc == ERR_OK) {
        *res = c.res;
        res->late = c.broken.code && !res->damage.code;
        if (res->late)
            res->damage = c.broken;
        res->from =
            res->from < c.base ? 0 : res->from - c.base; /* times that went back are before the trace */
        res->to = res->to < c.base + res->from ? res->from : res->to - c.base;
        res->whole = r->from <= 0 && w->out->bytes == in->len;
    }
    cut_free(&c);
    return rc;
}
