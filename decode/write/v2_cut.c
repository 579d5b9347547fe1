/*
 * v2_cut.c - see cut.h: the second family.
 *
 * Generations that lie within the range are copied byte for byte. The one in which the range begins and the one in
 * which it ends are written anew by v2_cut_gen.c: from where each thread's events begin to where they end, which is
 * where the ordering (v2_sim.h) stood at that moment. Reading begins a generation earlier, so that all goroutines are
 * known that the trace ever tells of.
 */
#include "decode/write/v2_cut.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/round.h"

/* ---- where cursors stand ---------------------------------------------------------------------------------- */

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

/* ---- the walk --------------------------------------------------------------------------------------------- */

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

/* rest - behind the range, in the generation of its beginning: what is still told of things that were there. */
static bool rest(struct v2_cut *c)
{
    if (!c->start.set)
        return true;
    c->behind = true;
    v2_sim_run(&c->sim, INT64_MAX);
    return !c->sim.o.oom;
}

/* begin_at - the range begins here: `from` is rounded to the clock's units. */
static bool begin_at(struct v2_cut *c)
{
    c->begun = true;
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

/* run - a generation's events, up to the range's end. *over: there is nothing behind it to write. */
static enum err_code run(struct v2_cut *c, struct v2_raw_gen *gen, bool *over, struct err *e)
{
    enum v2s_rc rc = V2S_END;
    c->start.set = c->end.set = c->behind = false;
    c->sim.seen = NULL;
    c->sim.arg = c;
    if (!v2_sim_begin(&c->sim, c->file.data, gen))
        return no_memory(e);
    c->even = c->sim.o.unit == (double)(uint64_t)c->sim.o.unit;
    if (c->from != INT64_MIN && !c->begun)
        c->from = floor_units(c, c->from, &c->from_units);
    if (c->to != INT64_MAX)
        c->to = floor_units(c, c->to, &c->to_units);
    if (!c->begun)
        rc = v2_sim_run(&c->sim, c->from);
    if (!c->begun && rc == V2S_UNTIL && !begin_at(c))
        return no_memory(e);
    if (c->begun) {
        const uint64_t n = c->sim.n;
        if (c->start.set)
            c->sim.seen = watch;
        rc = v2_sim_run(&c->sim, c->to);
        c->res->events += c->sim.n - n;
    }
    bool damaged = c->sim.damage.code || gen->damage.code;
    *over = damaged || rc == V2S_UNTIL;
    if (c->begun && *over && !marks_set(c, &c->end))
        return no_memory(e);
    bool ends = rc == V2S_END && !damaged && c->start.set && gen->end == c->file.data + c->file.len;
    if (c->begun && ends)
        c->to_units =
            to_u64((double)c->sim.o.last / c->sim.o.unit) + 1; /* what is left out may have been the last event */
    if (c->begun && (rc == V2S_UNTIL || ends))
        pin_find(c);
    if (damaged)
        c->res->damage = c->sim.damage.code ? c->sim.damage : gen->damage;
    c->res->to = rc == V2S_UNTIL ? c->to : c->sim.o.last;
    return c->sim.o.oom || (c->begun && *over && !rest(c)) ? no_memory(e) : ERR_OK;
}

/* ---- a generation that turns out to need mending is run a second time, from how things were before it ------- */

/* A copy of how things were takes, for each goroutine, as long as reading so many bytes. */
enum { G_BYTES = 64 };

/* keep - copy how things are before a generation, unless less was read since the last copy than a copy costs. false: no memory. */
static bool keep(struct v2_cut *c, const struct v2_raw_gen *gen)
{
    const size_t at = (size_t)(gen->start - c->file.data);
    if (c->kept.set && (at - c->kept.at) / G_BYTES < c->sim.ng)
        return true;
    v2_sim_free(&c->kept.sim);
    c->kept = (struct v2c_kept){
        .set = true, .at = at, .number = c->prior_number, .freq = c->prior_freq, .raw = !c->sim.written};
    return v2_sim_copy(&c->kept.sim, &c->sim);
}

/* back_to - c->sim is again how things were before a generation: those between it and the last copy are run again. *raw as kept.raw. */
static bool back_to(struct v2_cut *c, const struct v2_raw_gen *gen, bool *raw)
{
    struct v2_raw_gen again = {.number = c->kept.number, .clock.freq = c->kept.freq};
    struct err e = {0};
    size_t pos = c->kept.at;
    bool ok = true;
    v2_sim_free(&c->sim);
    c->sim = c->kept.sim;
    *raw = c->kept.raw;
    c->kept = (struct v2c_kept){0};
    while (ok && v2_raw_gen(&c->file, &pos, &again, &e) && again.start < gen->start) {
        c->sim.o.gc_seq += *raw ? 0 : c->mend.gc_less;
        *raw = true;
        ok =
            v2_sim_begin(&c->sim, c->file.data, &again) && v2_sim_run(&c->sim, INT64_MAX) == V2S_END && !c->sim.o.oom;
        v2_cut_labels(c, &again);
    }
    v2_raw_gen_free(&again);
    return ok && e.code != ERR_NOMEM;
}

/*
 * too_much - is the generation one too many to be mended? Each takes time for every goroutine that is known: without a limit a small
 * file of damaged generations would take hours. So many are always mended, and of more those whose goroutines, added up, are no more
 * than twice the file's bytes.
 */
enum { MENDED_FREE = 64 };

static bool too_much(struct v2_cut *c, const struct v2_raw_gen *gen, const struct cut_result *was)
{
    c->mended++;
    c->mended_gs += c->sim.ng;
    if (c->mended <= MENDED_FREE || c->mended_gs / 2 < c->file.len)
        return false;
    *c->res = *was;
    err_set(&c->res->damage, ERR_ORDER, (uint64_t)(gen->start - c->file.data),
            "events are missing here, too, as in %" PRIu64 " generations before: no more of them are mended",
            c->mended - 1);
    return true;
}

/* What the slice was before a generation. */
struct before {
    bool begun, raw; /* raw: c->sim has the file's numbers of the collector's steps, else those written */
    struct cut_result res;
};

/* run_mended - as if run() had not been, if `ran`; the generation's events have an order now. */
static enum err_code run_mended(struct v2_cut *c, struct before *was, const struct v2_raw_gen *gen, bool ran,
                                bool *over, struct err *e)
{
    if (!was->begun)
        v2_sim_free(&c->head);
    if (ran && !back_to(c, gen, &was->raw))
        return no_memory(e);
    v2_sim_free(&c->kept.sim);
    c->kept = (struct v2c_kept){0};
    c->begun = was->begun;
    *c->res = was->res;
    c->nlate = 0;
    c->pin.nargs = 0;
    idmap_clear(&c->stack_of);
    c->mend.file = c->file;
    c->sim.o.gc_seq -= was->raw ? c->mend.gc_less : 0;
    c->sim.written = true;
    c->gc_less = 0;
    return v2_mend(&c->mend, &c->sim, gen) ? run(c, &c->mend.gen, over, e) : no_memory(e);
}

/* one - a generation: run its events, then write what is in the range. */
static enum err_code one(struct v2_cut *c, struct v2_raw_gen *gen, bool *over, struct err *e)
{
    struct before was = {.begun = c->begun, .raw = !c->sim.written, .res = *c->res};
    const bool told = c->mend.rough || gen->damage.code;
    bool mended = told;
    enum err_code rc = told || keep(c, gen) ? ERR_OK : no_memory(e);
    if (rc == ERR_OK && !told) {
        c->gc_less = c->mend.gc_less;
        c->sim.o.gc_seq += was.raw ? 0 : c->gc_less;
        c->sim.written = false;
        rc = run(c, gen, over, e);
        mended = rc == ERR_OK && c->sim.damage.code;
    }
    const struct err why = gen->damage.code ? gen->damage : c->sim.damage;
    if (rc == ERR_OK && mended) {
        if (too_much(c, gen, &was.res)) {
            *over = true;
            return ERR_OK;
        }
        rc = run_mended(c, &was, gen, !told, over, e);
        if (!c->res->lost.code)
            c->res->lost = why;
        c->res->left_out = c->mend.left_out;
    }
    if (rc || !c->begun)
        return rc;
    c->res->generations++;
    if (!mended && !*over && !c->gc_less && !c->renumbered && (!c->start.set || c->from == INT64_MIN) &&
        v2_cut_whole(gen, c->file.data, &c->res->unnamed)) {
        outlet_put(c->out, gen->start, (size_t)(gen->end - gen->start));
        return ERR_OK;
    }
    return v2_cut_gen(c, mended ? &c->mend.gen : gen) ? ERR_OK : no_memory(e);
}

/* first_of - the time of a generation's first event. false: it has none. *oom. */
static bool first_of(const struct v2_cut *c, const struct v2_raw_gen *gen, int64_t *t, bool *whole, bool *oom)
{
    struct v2_sim s = {0};
    *oom = !v2_sim_begin(&s, c->file.data, gen);
    if (!*oom)
        v2_sim_run(&s, INT64_MAX);
    const bool any = s.n;
    *t = s.s.st.first_ns;
    *oom |= s.o.oom;
    *whole = !s.damage.code && !gen->damage.code;
    v2_sim_free(&s);
    return any;
}

/* base_of - the time of the trace's first event, on its clock. */
static enum err_code base_of(struct v2_cut *c, int64_t *base, struct err *e)
{
    struct v2_raw_gen gen = {0};
    struct v2_sim none = {0};
    struct v2_mend mend = {.file = c->file};
    size_t pos = c->header;
    bool whole, oom = false, any;
    enum err_code rc = ERR_OK;
    if (!v2_raw_gen(&c->file, &pos, &gen, e)) {
        rc = e->code ? e->code : err_set(e, ERR_EMPTY, pos, "a trace header, but no event after it");
    } else {
        any = first_of(c, &gen, base, &whole, &oom);
        if (!oom && !whole) { /* then another one may be the first */
            oom = !v2_mend(&mend, &none, &gen);
            any = !oom && first_of(c, &mend.gen, base, &whole, &oom);
        }
        if (oom)
            rc = no_memory(e);
        else if (!any)
            rc = err_set(e, ERR_EMPTY, pos, "a first generation without an event");
    }
    v2_mend_free(&mend);
    v2_raw_gen_free(&gen);
    return rc;
}

/*
 * stretch - of several files as one: where nothing was recorded no range can lie, so it is one of the stretches between
 * the gaps that is cut. c->header and c->file.len are where it begins and ends.
 */
static enum err_code stretch(struct v2_cut *c, const struct input *in, struct err *e)
{
    struct v2_raw_gen gen = {0};
    enum err_code rc = ERR_OK;
    for (uint32_t i = 0; i < in->ngap && !rc; i++) {
        size_t at = in->gap[i];
        const struct v2_file part = {c->file.data, input_stretch(in, at), c->file.version};
        if (!v2_raw_gen(&part, &at, &gen, e) || !gen.clock.freq)
            break;
        double t = (double)gen.min_time * (1e9 / (double)gen.clock.freq);
        if (t <= (double)c->from && c->from != INT64_MIN)
            c->header = in->gap[i];
        else if (t < (double)c->to)
            rc = err_set(e, ERR_ARG, ERR_NO_OFFSET,
                         "within this range lies a time that nothing was recorded of, and no slice can say so: end "
                         "it before, or begin it behind");
    }
    c->file.len = input_stretch(in, c->header);
    v2_raw_gen_free(&gen);
    return rc ? rc : e->code == ERR_NOMEM ? ERR_NOMEM : ERR_OK;
}

/* start_pos - the generation before the last one that begins before the range. */
static enum err_code start_pos(const struct v2_cut *c, size_t *pos, struct err *e)
{
    struct v2_raw_gen gen = {0};
    size_t at = c->header, was[2] = {at, at};
    uint64_t freq = 0;
    while (c->from != INT64_MIN && v2_raw_gen(&c->file, &at, &gen, e)) {
        freq = gen.clock.freq ? gen.clock.freq : freq;
        if (!freq || (double)gen.min_time * (1.0 / ((double)freq / 1e9)) > (double)c->from)
            break;
        was[0] = was[1];
        was[1] = (size_t)(gen.start - c->file.data);
    }
    v2_raw_gen_free(&gen);
    *pos = was[0];
    return e->code == ERR_NOMEM ? ERR_NOMEM : ERR_OK;
}

/*
 * unrecorded - generations are missing before `next`. Go's reader takes only numbers that follow each other, and no status that differs
 * from how things were: so one generation stands for them, in which all that was there blocks for V2_NOT_RECORDED.
 */
static enum err_code unrecorded(struct v2_cut *c, const struct v2_raw_gen *next, const struct v2_raw_clock *clock,
                                uint64_t number, bool *over, struct err *e)
{
    struct v2_raw_gen none = {.number = number,
                              .start = next->start,
                              .end = next->start,
                              .clock = *clock,
                              .min_time = to_u64((double)c->sim.o.last / c->sim.o.unit) + 1,
                              .hi = UINT64_MAX,
                              .marked = true,
                              .torn = true};
    err_set(&none.damage, ERR_ORDER, (uint64_t)(next->start - c->file.data),
            "generation %" PRIu64 " lies behind a missing one", next->number);
    none.clock.has_wall = false;
    return one(c, &none, over, e);
}

/* anew - the range begins within the generations that are missing or behind them: what was before them isn't known to go on. */
static bool anew(struct v2_cut *c)
{
    if (c->begun || c->from == INT64_MIN)
        return false;
    v2_sim_free(&c->sim);
    v2_sim_free(&c->kept.sim);
    c->kept = (struct v2c_kept){0};
    v2_mend_free(&c->mend);
    c->mend.file = c->file;
    c->gc_less = 0;
    return true;
}

static enum err_code walk(struct v2_cut *c, struct err *e)
{
    size_t pos;
    struct v2_raw_gen gen = {0};
    struct v2_raw_clock clock = {0};
    uint64_t number = 0, said = 0, before = 0; /* number: as written */
    bool over = false, more = true, any = false;
    enum err_code rc = start_pos(c, &pos, e);
    while (rc == ERR_OK && !over && !c->out->broken) {
        c->prior_number = gen.number;
        c->prior_freq = gen.clock.freq;
        if (!(more = v2_raw_gen(&c->file, &pos, &gen, e)))
            break;
        said = gen.number; /* what the file calls it, and the one behind it is read by that */
        if (any && said != before + 1 && anew(c))
            any = false;
        if (any && said != before + 1)
            rc = unrecorded(c, &gen, &clock, ++number, &over, e);
        number = any ? number + 1 : said;
        gen.number = number;
        c->renumbered = number != said;
        any = true;
        if (rc == ERR_OK && !over)
            rc = one(c, &gen, &over, e);
        if (rc == ERR_OK)
            v2_cut_labels(c, &gen);
        clock = gen.clock;
        gen.number = before = said;
    }
    if (rc == ERR_OK && !more && e->code == ERR_NOMEM)
        rc = ERR_NOMEM;
    else if (rc == ERR_OK && !more && e->code)
        c->res->damage = *e;
    v2_raw_gen_free(&gen);
    return rc;
}

static void cut_free(struct v2_cut *c)
{
    mem_free(c->start.v);
    mem_free(c->end.v);
    mem_free(c->late);
    idmap_free(&c->stack_of);
    v2_sim_free(&c->head);
    v2_sim_free(&c->kept.sim);
    v2_sim_free(&c->sim);
    v2_mend_free(&c->mend);
    mem_free(c->put);
}

enum err_code cut_v2(const struct rewrite *w, const struct cut_range *r, struct cut_result *res, struct err *e)
{
    const struct input *in = w->in;
    struct v2_cut c = {.file = {in->data, in->len, w->d.read_as}, .header = w->d.header, .out = w->out, .res = res};
    int64_t base = 0;
    c.put = mem_alloc(sizeof *c.put);
    if (c.put) {
        c.put->out = w->out;
        c.put->n = 0;
    }
    enum err_code rc = c.put ? base_of(&c, &base, e) : no_memory(e);
    c.from = r->from <= 0 ? INT64_MIN : r->from > INT64_MAX - base ? INT64_MAX - 1 : base + r->from;
    c.to = r->to > INT64_MAX - base ? INT64_MAX : base + r->to;
    if (rc == ERR_OK)
        rc = stretch(&c, in, e);
    if (rc == ERR_OK) {
        outlet_put(w->out, in->data, w->d.header);
        rc = walk(&c, e);
    }
    if (rc == ERR_OK && !c.begun && !w->out->broken)
        rc = err_set(e, ERR_ARG, ERR_NO_OFFSET, "the range begins behind the trace's last event, which is at %.9f s",
                     (double)(c.sim.o.last - base) * 1e-9);
    res->from =
        c.from == INT64_MIN || c.from < base ? 0 : c.from - base; /* times that went back begin before the trace */
    res->to = res->to < base + res->from ? res->from : res->to - base;
    res->whole = r->from <= 0 && w->out->bytes == in->len;
    cut_free(&c);
    return rc;
}
