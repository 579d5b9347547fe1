/*
 * v2_cut.c - see cut.h: the second family.
 *
 * Generations that lie within the range are copied byte for byte. The one in which the range begins and the
 * one in which it ends are written anew by v2_cut_gen.c: from where each thread's events begin to where they
 * end, which is where the ordering (v2_sim.h) stood at that moment. Reading begins a generation earlier, so
 * that all goroutines are known that the trace ever tells of.
 *
 * Each generation is run to its end. If that turns out to be damaged, it begins a run of its own, as if the
 * trace began there; if it is damaged even so, it is left out, and the next one begins a run. What comes of a
 * run is kept until all of the range was read: the longest one is written.
 */
#include "decode/write/v2_cut.h"

#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/round.h"

/* ---- where cursors stand ----------------------------------------------------------------------------------
 */

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
        const uint64_t told = v2_sim_units(&c->sim, k, &v[i].before);
        double units = (double)k->t / o->unit;
        const uint64_t whole = to_u64(units); /* a tiny frequency and a late time: more than fits */
        v[i].units = c->even ? told : whole + ((double)whole < units && whole < UINT64_MAX);
    }
    return true;
}

/* ---- the walk ---------------------------------------------------------------------------------------------
 */

static enum err_code no_memory(struct err *e)
{
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for a generation");
}

/* late_add - a status that the first generation tells behind the range, of what had been so all along. */
static bool late_add(struct v2_cut *c, const struct v2s_event *e)
{
    if (!mem_room(c->late, c->caplate, c->nlate + 1))
        return false;
    c->late[c->nlate++] = (struct v2c_late){e->m, e->ev};
    return true;
}

/* watch - an event of the generation in which the range begins, behind its beginning. */
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

/*
 * begin_at - the range begins here: `from` is rounded to the clock's units. With a run that begins within it:
 * then nothing needs to be told.
 */
static bool begin_at(struct v2_cut *c)
{
    c->run.any = true;
    if (!c->sim.n)
        c->from = INT64_MIN;
    return marks_set(c, &c->start) && (c->from == INT64_MIN || v2_sim_copy(&c->head, &c->sim));
}

static int64_t floor_units(const struct v2_cut *c, int64_t t, uint64_t *units)
{
    *units = t > 0 ? to_u64((double)t / c->sim.o.unit) : 0;
    if (*units && to_i64((double)*units * c->sim.o.unit) > t)
        --*units;
    return to_i64((double)*units * c->sim.o.unit);
}

/* pin_find - somebody of whom the slice's last event can say that nothing has changed. */
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

/*
 * run - a generation's events, to its end. *over: it holds the range's end. What is wrong with it is
 * c->sim.damage.
 */
static enum err_code run(struct v2_cut *c, const struct v2_raw_gen *gen, bool *over, struct err *e)
{
    enum v2s_rc rc = V2S_END;
    c->start.set = c->end.set = c->behind = *over = false;
    c->sim.seen = NULL;
    c->sim.arg = c;
    if (!v2_sim_begin(&c->sim, &c->file, gen))
        return no_memory(e);
    c->even = c->sim.o.unit == (double)(uint64_t)c->sim.o.unit;
    if (c->from != INT64_MIN && !c->run.any)
        c->from = floor_units(c, c->from, &c->from_units);
    if (c->to != INT64_MAX)
        c->to = floor_units(c, c->to, &c->to_units);
    if (!c->run.any)
        rc = v2_sim_run(&c->sim, c->from);
    if (!c->run.any && rc == V2S_UNTIL && !begin_at(c))
        return no_memory(e);
    if (c->run.any) {
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
        c->run.res.events += c->sim.n - n;
        c->run.res.to = *over ? c->to : c->sim.o.last;
        if (c->start.set)
            c->run.res.from = c->from == INT64_MIN ? c->sim.o.base : c->from;
        c->run.any = c->sim.n; /* else the range ends before the run begins */
    }
    c->behind = true; /* what is still told of things that were there; and is it sound? */
    v2_sim_run(&c->sim, INT64_MAX);
    return c->sim.o.oom ? no_memory(e) : ERR_OK;
}

/* ---- what is written --------------------------------------------------------------------------------------
 */

/* piece - n bytes more are written: of the file, or (NULL) anew. false: no memory. */
static bool piece(struct v2c_run *r, const uint8_t *p, size_t n)
{
    struct v2c_piece *last = r->npiece ? &r->piece[r->npiece - 1] : NULL;
    if (last && (p ? last->p && last->p + last->n == p : !last->p)) {
        last->n += n;
        return true;
    }
    if (!mem_room(r->piece, r->cappiece, r->npiece + 1))
        return false;
    r->piece[r->npiece++] = (struct v2c_piece){p, r->nanew, n};
    return true;
}

static bool to_anew(void *arg, const void *p, size_t n)
{
    struct v2c_run *r = arg;
    if (!mem_room(r->anew, r->capanew, r->nanew + n) || !piece(r, NULL, n))
        return false;
    memcpy(r->anew + r->nanew, p, n);
    r->nanew += n;
    return true;
}

/* put_gen - write what of a sound generation is in the range. */
static enum err_code put_gen(struct v2_cut *c, const struct v2_raw_gen *gen, bool over, struct err *e)
{
    if (!c->run.any)
        return ERR_OK;
    c->run.res.generations++;
    const uint8_t *from = gen->batch[0].at; /* an end mark too many may stand before it */
    if (!over && (!c->start.set || c->from == INT64_MIN))
        return piece(&c->run, from, (size_t)(gen->end - from)) ? ERR_OK : no_memory(e);
    return v2_cut_gen(c, gen) && !c->anew.broken ? ERR_OK : no_memory(e);
}

static void run_write(struct v2c_run *r, struct outlet *out)
{
    for (size_t i = 0; i < r->npiece; i++)
        outlet_put(out, r->piece[i].p ? r->piece[i].p : r->anew + r->piece[i].at, r->piece[i].n);
}

static void run_free(struct v2c_run *r)
{
    mem_free(r->piece);
    mem_free(r->anew);
    *r = (struct v2c_run){0};
}

/* ---- generation by generation
 * ------------------------------------------------------------------------------- */

/* run_over - what comes next begins a run of its own. */
static void run_over(struct v2_cut *c)
{
    struct v2c_run *r = &c->run;
    struct cut_left *l = &c->left;
    if (r->any && l->nstretch < CUT_STRETCHES)
        l->stretch[l->nstretch] = (struct cut_stretch){r->res.from, r->res.to};
    l->nstretch += r->any;
    if (r->any && (!c->best.any || r->res.to - r->res.from > c->best.res.to - c->best.res.from)) {
        const struct v2c_run was = c->best;
        c->best = *r;
        *r = was;
    }
    run_free(r);
    v2_sim_free(&c->head);
    v2_sim_free(&c->sim);
    idmap_clear(&c->stack_of);
    c->from = c->asked_from;
    c->to = c->asked_to;
    c->nlate = 0;
    c->pin.nargs = 0;
    c->number = c->freq = 0;
}

/* why_not - note what a slice can't hold, if it is the first. */
static void why_not(struct v2_cut *c, const struct err *why)
{
    if (!c->left.why.code)
        c->left.why = *why;
}

/*
 * leave_out - n bytes of the file are broken, from time t on, as far as is known. They count if they are in
 * the range.
 */
static void leave_out(struct v2_cut *c, size_t at, size_t n, int64_t t, const struct err *why)
{
    if (at < c->near || t >= c->asked_to)
        return;
    why_not(c, why);
    if (!c->left.generations)
        c->left.from = t > c->last ? t : c->last;
    c->open |= !c->left.generations;
    c->left.generations++;
    c->left.bytes += n;
}

/* one - a generation, in the run before it or one of its own. */
static enum err_code one(struct v2_cut *c, const struct v2_raw_gen *gen, bool *over, struct err *e)
{
    for (;;) {
        const bool first = !c->sim.ordinal, any = c->run.any;
        const struct cut_result was = c->run.res;
        const enum err_code rc = run(c, gen, over, e);
        const struct err why = c->sim.damage;
        if (rc)
            return rc;
        if (!why.code) {
            if (c->open)
                c->left.to = c->sim.o.sync;
            c->open = false;
            c->last = c->sim.o.last;
            c->number = gen->number;
            c->freq = gen->clock.freq;
            const enum err_code put = put_gen(c, gen, *over, e);
            v2_cut_labels(c, gen);
            return put;
        }
        c->run.any = any;
        c->run.res = was;
        *over = false;
        run_over(c);
        if (first || gen->damage.code) {
            leave_out(c, (size_t)(gen->start - c->file.data), (size_t)(gen->end - gen->start),
                      v2_ns(gen->min_time, 1e9 / (double)(gen->clock.freq ? gen->clock.freq : V2_ASSUMED_HZ)),
                      &why);
            return ERR_OK;
        }
        if (any)
            why_not(c, &why);
    }
}

/*
 * parts - what comes next does not follow what was read: begin a run, and note why, if that parts the range.
 */
static void parts(struct v2_cut *c, const struct err *why)
{
    if (c->run.any)
        why_not(c, why);
    run_over(c);
}

/*
 * next_gen - read the generation at *pos, as one that follows the run's last one; if it doesn't, as one that
 * begins a trace. false: there is none, and e says what is there.
 */
static bool next_gen(struct v2_cut *c, size_t *pos, struct v2_raw_gen *gen, struct err *e)
{
    const size_t at = *pos;
    struct err why = {0};
    if (at > c->header && input_stretch(c->in, at - 1) == at) {
        err_set(&why, ERR_APART, at, "nothing was recorded between two of the files");
        parts(c, &why);
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
    if (is && !gen->damage.code)
        parts(c, &why);
    return is;
}

/* start_pos - the generation before the last one that begins before the range. */
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
    while (rc == ERR_OK && !over && pos < c->in->len) {
        const size_t at = pos;
        *e = (struct err){0};
        if (next_gen(c, &pos, &gen, e))
            rc = one(c, &gen, &over, e);
        else if (e->code == ERR_NOMEM)
            rc = ERR_NOMEM;
        else if (e->code)
            leave_out(c, at, pos - at, c->last, e);
    }
    run_over(c);
    if (c->open)
        c->left.to = INT64_MAX;
    v2_raw_gen_free(&gen);
    return rc;
}

/* ---- the whole --------------------------------------------------------------------------------------------
 */

static void cut_free(struct v2_cut *c)
{
    run_free(&c->run);
    run_free(&c->best);
    mem_free(c->start.v);
    mem_free(c->end.v);
    mem_free(c->late);
    idmap_free(&c->stack_of);
    v2_sim_free(&c->head);
    v2_sim_free(&c->sim);
    mem_free(c->put);
}

/* cut_begin - of the range [from, to) of c's trace, on its clock. false: no memory. */
static bool cut_begin(struct v2_cut *c, int64_t from, int64_t to)
{
    c->asked_from = from;
    c->asked_to = to;
    c->last = c->base;
    c->anew = (struct outlet){.write = to_anew, .arg = &c->run};
    if (!(c->put = mem_alloc(sizeof *c->put)))
        return false;
    c->put->out = &c->anew;
    c->put->n = 0;
    return true;
}

/* left_by_base - times since the trace's first event. */
static void left_by_base(struct cut_left *l, int64_t base)
{
    l->from -= base;
    l->to -= l->to == INT64_MAX ? 0 : base;
    for (uint32_t i = 0; i < l->nstretch && i < CUT_STRETCHES; i++) {
        l->stretch[i].from -= base;
        l->stretch[i].to -= base;
    }
}

/* nothing - there is nothing to cut in the range: why, and what can be cut elsewhere. */
static enum err_code nothing(const struct v2_cut *c, struct err *e)
{
    struct v2_cut all = {.file = c->file, .in = c->in, .header = c->header, .base = c->base};
    char text[sizeof e->what] = "";
    if (!c->left.why.code)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                       "the range begins behind the trace's last event, which is at %.9f s",
                       (double)(c->last - c->base) * 1e-9);
    const enum err_code rc = cut_begin(&all, INT64_MIN, INT64_MAX) ? walk(&all, e) : no_memory(e);
    left_by_base(&all.left, c->base);
    cut_say_stretches(&all.left, text, sizeof text);
    if (!rc)
        err_set(e, ERR_ARG, c->left.why.offset, "no generation in this range is sound, %s%s: %s",
                *text ? "only what lies in " : "nor elsewhere", text, c->left.why.what);
    cut_free(&all);
    return rc ? rc : ERR_ARG;
}

enum err_code cut_v2(const struct rewrite *w, const struct cut_range *r, struct cut_result *res,
                     struct err *e)
{
    const struct input *in = w->in;
    struct v2_cut c = {.file = {in->data, in->len, w->d.read_as}, .in = in, .header = w->d.header};
    enum err_code rc = source_v2_base(&c.file, c.header, &c.base, e);
    if (rc)
        return rc;
    const int64_t from = r->from <= 0                   ? INT64_MIN
                         : r->from > INT64_MAX - c.base ? INT64_MAX - 1
                                                        : c.base + r->from;
    const int64_t to = r->to > INT64_MAX - c.base ? INT64_MAX : c.base + r->to;
    rc = cut_begin(&c, from, to) ? walk(&c, e) : no_memory(e);
    if (rc == ERR_OK && !c.best.any)
        rc = nothing(&c, e);
    if (rc == ERR_OK) {
        outlet_put(w->out, in->data, w->d.header);
        run_write(&c.best, w->out);
        left_by_base(&c.left, c.base);
        *res = c.best.res;
        res->left = c.left;
        res->from =
            res->from < c.base ? 0 : res->from - c.base; /* times that went back begin before the trace */
        res->to = res->to < c.base + res->from ? res->from : res->to - c.base;
        res->whole = r->from <= 0 && w->out->bytes == in->len;
    }
    cut_free(&c);
    return rc;
}
