/*
 * v2_cut_gen.c - rewrite a generation in which the range begins or ends.
 *
 * At the start of the range every goroutine and P gets a status before the first event, on the thread that
 * has it or on none, as a tracer that starts then writes it; open ranges follow. Sequence numbers count
 * from the status, so later ones are reduced by the number of events before. The statuses start so long
 * before `from` that each has a nanosecond of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"
#include "decode/base/round.h"
#include "decode/write/v2_cut.h"

#define LABEL_KNOWN UINT32_MAX /* v2s_g.labelgen: label is a number of LABELS, from 1 on */

static const char *const LABELS[] = {
    "",
#define LABEL(text) text,
#include "decode/v2/words_v2.def"
};
enum { NLABELS = sizeof LABELS / sizeof *LABELS };

/* ---- strings and stacks, as in the file ---------------------------------------------------------------- */

struct tables {
    struct idmap strings, stacks; /* id -> whether it is used */
    uint64_t max_string;          /* highest id */
};

/* tables_read - Read the ids of a generation. Returns false if out of memory. */
static bool tables_read(struct tables *t, const struct v2_raw_gen *gen)
{
    bool ok = true;
    for (struct v2_raw_walk w = {.gen = gen, .first = V2R_STRINGS}; ok && v2_raw_next(&w);) {
        const uint64_t id = w.string.id;
        ok = idmap_put(&t->strings, id, false);
        t->max_string = id > t->max_string ? id : t->max_string;
    }
    for (struct v2_raw_walk w = {.gen = gen, .first = V2R_STACKS}; ok && v2_raw_next(&w);)
        ok = idmap_put(&t->stacks, w.stack.id, false);
    return ok;
}

/* table_use - Note that an event names an id; returns it. */
static uint64_t table_use(struct idmap *t, uint64_t id)
{
    if (id)
        (void)idmap_put(t, id, true); /* can't fail: the key exists */
    return id;
}

static void stack_put(struct tables *t, struct v2_put *w, const struct v2_raw_stack *k, const uint8_t *end)
{
    uint8_t buf[V2_RAW_FRAMES * 40];
    size_t n = 0;
    const uint8_t *p = k->frames;
    for (uint32_t i = 0; i < k->n; i++) {
        uint64_t v[4];
        p = v2_raw_frame(p, end, v);
        v[1] = table_use(&t->strings, v[1]);
        v[2] = table_use(&t->strings, v[2]);
        n += v2_put_numbers(buf + n, v, 4);
    }
    v2_put_stack(w, k->id, k->n, buf, n);
}

/* tables_put - Write the used stacks, then the strings; the batch of strings stays open in `out`. */
static void tables_put(struct tables *t, struct v2_put *out, const struct v2_raw_gen *gen, uint64_t time)
{
    v2_put_open(out, V2_NO_THREAD, time, V2R_STACKS);
    for (struct v2_raw_walk w = {.gen = gen, .first = V2R_STACKS}; v2_raw_next(&w);)
        if (idmap_get(&t->stacks, w.stack.id) == true)
            stack_put(t, out, &w.stack, w.end);
    v2_put_close(out);
    v2_put_open(out, V2_NO_THREAD, time, V2R_STRINGS);
    for (struct v2_raw_walk w = {.gen = gen, .first = V2R_STRINGS}; v2_raw_next(&w);)
        if (idmap_get(&t->strings, w.string.id) == true)
            v2_put_string(out, w.string.id, w.string.p, w.string.len);
}

static void tables_free(struct tables *t)
{
    idmap_free(&t->strings);
    idmap_free(&t->stacks);
}

/* ---- a generation -------------------------------------------------------------------------------------- */

struct gen_cut {
    struct v2_cut *c;
    const struct v2_raw_gen *gen;
    struct tables t;
    bool head;           /* the range begins here */
    bool metrics_done;   /* metrics have been written */
    bool label[NLABELS]; /* strings that must be added */
    uint64_t time;       /* time of the tables, just before the statuses */
    uint64_t at, first;  /* time of the current status; of the first one */
};

/* ---- the start ----------------------------------------------------------------------------------------- */

static void put(struct gen_cut *w, const struct v2_raw_ev *e)
{
    v2_put_event(w->c->put, e, w->at);
    w->first = w->at < w->first ? w->at : w->first;
}

static void put_p(struct gen_cut *w, const struct v2_p *p)
{
    put(w, &V2_EV(V2_PROC_STATUS, p->id, p->status));
    if (p->sweep)
        put(w, &V2_EV(V2_GC_SWEEP_ACTIVE, p->id));
}

static uint64_t label_of(struct gen_cut *w, const struct v2s_g *g)
{
    if (!g->label || g->labelgen != LABEL_KNOWN)
        return g->labelgen == w->c->head.ordinal ? table_use(&w->t.strings, g->label) : 0;
    w->label[g->label] = true;
    return w->t.max_string + g->label;
}

/* put_metrics - Write them once, on a thread that has a P. */
static void put_metrics(struct gen_cut *w)
{
    const struct v2_sim *h = &w->c->head;
    for (int i = 0; !w->metrics_done && i < METRIC_COUNT; i++) {
        const int m = (METRIC_PROCS + i) % METRIC_COUNT; /* as the runtime does: GOMAXPROCS first */
        if (h->metric[m].type)
            put(w, &V2_EV(h->metric[m].type, h->metric[m].value));
    }
    w->metrics_done = true;
}

/* put_g - Write a goroutine's status. m: its thread, or EV_NONE. */
static void put_g(struct gen_cut *w, const struct v2s_g *g, uint32_t m)
{
    const struct v2_sim *h = &w->c->head;
    const struct v2_g *is = v2_g_at(&h->o, v2_sim_g(h, g));
    const uint64_t mid = v2_m_id(&h->o, m);
    uint64_t stack = g->stackgen == h->ordinal ? g->stack : 0;
    uint32_t later = idmap_get(&w->c->stack_of, g->id);
    if (!stack && later != IDMAP_NONE)
        stack = later;
    stack = w->c->file.version >= GO_123 && is->status != ST_RUNNING ? table_use(&w->t.stacks, stack) : 0;
    put(w, &V2_EV(stack ? V2_GO_STATUS_STACK : V2_GO_STATUS, g->id, mid, v2_status_of(is->status), stack));
    if (is->assist)
        put(w, &V2_EV(V2_GC_ASSIST_ACTIVE, g->id));
    if (is->status != ST_RUNNING || m == EV_NONE || h->o.m[m].p == EV_NONE)
        return;
    uint64_t label = label_of(w, g);
    if (label)
        put(w, &V2_EV(V2_GO_LABEL, label));
    if (is->stw)
        put(w,
            &V2_EV(V2_STW_BEGIN, table_use(&w->t.strings, g->kind), table_use(&w->t.stacks, g->kind_stack)));
    put_metrics(w);
}

/* Write the statuses of what a thread has; no thread: of all that no thread has. */
static void put_states(struct gen_cut *w, uint32_t m)
{
    const struct v2_sim *h = &w->c->head;
    const struct v2_order *o = &h->o;
    if (m != EV_NONE && m < o->nm) {
        const struct v2s_g *g = v2_sim_runs(h, m);
        if (o->m[m].p != EV_NONE)
            put_p(w, &o->p[o->m[m].p]);
        if (g)
            put_g(w, g, m);
    }
    if (m != EV_NONE)
        return;
    if (o->gc == GC_ON)
        put(w, &V2_EV(V2_GC_ACTIVE, o->gc_seq));
    for (size_t i = 0; i < o->np; i++)
        if (o->p[i].status == V2_PS_IDLE || o->p[i].status == V2_PS_ABANDONED)
            put_p(w, &o->p[i]);
    for (size_t i = 0; i < h->ng; i++) {
        if (h->g[i].gone)
            continue;
        const uint8_t state = v2_g_at(o, v2_sim_g(h, &h->g[i]))->status;
        if (state == ST_WAITING || state == ST_RUNNABLE)
            put_g(w, &h->g[i], EV_NONE);
    }
}

static int late_by_m(const void *a, const void *b)
{
    const struct v2c_late *x = a, *y = b;
    if (x->m != y->m)
        return x->m < y->m ? -1 : 1;
    return x->ev.at < y->ev.at ? -1 : x->ev.at > y->ev.at;
}

static void put_late(struct gen_cut *w, uint32_t m)
{
    const struct v2c_late *v = w->c->late;
    size_t n = w->c->nlate, at = 0;
    bisect(at, n, i, v[i].m < m);
    for (; at < n && v[at].m == m; at++) {
        struct v2_raw_ev e = v[at].ev;
        if (v2_means(e.type) == V2_MEANS_go_status_stack)
            e.arg[3] = table_use(&w->t.stacks, e.arg[3]);
        put(w, &e);
    }
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* counted - Returns the number of the last event of a goroutine or P before the start. */
static uint64_t counted(const struct gen_cut *w, enum v2_step_of of, uint64_t id)
{
    const struct v2_sim *h = &w->c->head;
    uint64_t seq;
    return v2_step_last(&h->o, h->ordinal, of, id, &seq) ? seq : 0;
}

/* again - Whether the event opens a range that has been open since the start. (A status may occur twice.) */
static bool reopens(const struct gen_cut *w, const struct v2_raw_ev *e)
{
    const struct v2_order *o = &w->c->head.o;
    uint32_t g = idmap_get(&o->gs, e->arg[0]), p = idmap_get(&o->ps, e->arg[0]);
    switch (v2_means(e->type)) {
    case V2_MEANS_sweep_active: return p != IDMAP_NONE && o->p[p].sweep;
    case V2_MEANS_assist_active: return g != IDMAP_NONE && v2_g_at(o, g)->assist;
    case V2_MEANS_gc_active: return o->gc == GC_ON;
    default: return false;
    }
}

static void put_event(struct gen_cut *w, struct v2_raw_ev *e, uint64_t units, uint64_t *p)
{
    if (w->head) {
        const struct v2_step step = v2_step(e->type, e->arg, p); /* numbers count from the start */
        if (step.of == V2_STEP_G || step.of == V2_STEP_P)
            e->arg[step.seq] -= counted(w, step.of, step.id);
        if (reopens(w, e))
            return;
        if (units < w->c->from_units)
            units = w->c->from_units;
    }
    const struct v2_spec *spec = &v2_specs[e->type];
    for (unsigned i = 0; i < e->nargs; i++) {
        if (spec->strs >> i & 1)
            e->arg[i] = table_use(&w->t.strings, e->arg[i]);
        if (spec->stacks >> i & 1)
            e->arg[i] = table_use(&w->t.stacks, e->arg[i]);
    }
    v2_put_event(w->c->put, e, units);
}

/* put_batch - Write the events [from, to) of a batch. */
static void put_batch(struct gen_cut *w, const uint8_t *from, const uint8_t *to, uint64_t units, uint64_t *p)
{
    struct v2_raw_ev e;
    while (from < to && (from = v2_raw_ev(from, to, &e)))
        put_event(w, &e, units += e.dt, p);
}

static void put_cursor(struct gen_cut *w, size_t i)
{
    struct v2_cut *c = w->c;
    const struct v2s_thread *k = &c->sim.thread[i];
    const uint32_t thread = c->sim.o.cur[i].m;
    const struct v2c_mark *a = c->start.set ? &c->start.v[i] : NULL, *z = c->end.set ? &c->end.v[i] : NULL;
    const uint64_t m = v2_m_id(&c->sim.o, thread);
    uint64_t p = w->head ? v2_p_of(&c->head.o, thread) : V2_NO_P;
    if (a && !a->p)
        return;
    for (uint32_t b = a ? a->batch : k->first; b < k->first + k->n; b++) {
        const struct v2_batch *raw = &c->sim.gen.batch[c->sim.o.list[b]];
        bool first = a && b == a->batch, last = z && z->p && b == z->batch;
        const uint8_t *from = first ? a->p : raw->p;
        uint64_t base = raw->time, units = base;
        if (first) {
            struct v2_raw_ev e;
            units = v2_raw_ev(from, raw->end, &e) ? a->units - e.dt
                                                  /* if a unit isn't a whole number of ns, the last time is
                                                   * rounded up */
                                                  : a->units;
            base = a->units;
        }
        if (w->head && base < c->from_units)
            base = c->from_units;
        v2_put_close(c->put);
        v2_put_open(c->put, m, base, 0);
        put_batch(w, from, last ? z->p : raw->end, units, &p);
        if (last)
            break;
    }
    v2_put_close(c->put);
}

/* put_pin - Write an event without news at the range's end, so that what is open lasts until there. */
static void put_pin(struct gen_cut *w)
{
    struct v2_cut *c = w->c;
    if (!c->pin.nargs)
        return;
    v2_put_open(c->put, c->pin_m, c->to_units, 0);
    v2_put_event(c->put, &c->pin, c->to_units);
    v2_put_close(c->put);
}

static void put_statuses(struct gen_cut *w, uint32_t m, uint64_t time)
{
    struct v2_cut *c = w->c;
    w->at = time;
    v2_put_open(c->put, v2_m_id(&c->sim.o, m), time, 0);
    if (w->head)
        put_states(w, m);
    put_late(w, m);
    v2_put_close(c->put);
}

/* Write the statuses, and those that come late for what existed all along: at the start, or, where the
 * trace's own start is kept, at the end. Those of no thread come first: the number of Ps comes after all
 * Ps. */
static void put_all_statuses(struct gen_cut *w, uint64_t time)
{
    put_statuses(w, EV_NONE, time);
    for (uint32_t m = 0; m < w->c->sim.o.nm; m++)
        put_statuses(w, m, time + 1);
}

static void put_threads(struct gen_cut *w)
{
    struct v2_cut *c = w->c;
    if (w->head)
        put_all_statuses(w, w->time + 1);
    for (size_t i = 0; i < c->sim.o.ncur; i++)
        put_cursor(w, i);
    put_pin(w);
    if (!w->head && c->nlate)
        put_all_statuses(w, c->to_units);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

/* put_clock - Write the frequency, and from 1.25 on what the other clocks show at w->time. */
static void put_clock(struct gen_cut *w)
{
    const struct v2_raw_clock *k = &w->gen->clock;
    uint8_t buf[64];
    size_t n = 0;
    if (w->c->file.version >= GO_125)
        buf[n++] = V2R_SYNC;
    buf[n++] = V2R_FREQ;
    n += bytes_put_varint(buf + n, w->c->sim.gen.freq);
    if (w->c->file.version >= GO_125) {
        int64_t d = to_i64((double)(int64_t)(w->time - k->at) * w->c->sim.o.unit);
        int64_t sec = d / 1000000000, nsec = (int64_t)(k->nsec % 1000000000) + d % 1000000000;
        sec += nsec < 0 ? -1 : nsec / 1000000000;
        nsec = nsec < 0 ? nsec + 1000000000 : nsec % 1000000000;
        const bool before = sec < 0 && 0 - (uint64_t)sec > k->sec; /* 1970 */
        uint64_t v[] = {0, k->mono + (uint64_t)d, before ? 0 : k->sec + (uint64_t)sec,
                        before ? 0 : (uint64_t)nsec};
        buf[n++] = V2R_SNAPSHOT;
        n += v2_put_numbers(buf + n, v, 4);
    }
    v2_put_batch(w->c->out,
                 &(struct v2_raw_batch){
                     .gen = w->gen->number, .m = V2_NO_THREAD, .time = w->time, .p = buf, .end = buf + n});
}

static void put_samples(struct gen_cut *w)
{
    struct v2_cut *c = w->c;
    size_t i = c->start.set ? c->start.sample : 0, n = c->end.set ? c->end.sample : c->sim.gen.nsample;
    v2_put_open(c->put, V2_NO_THREAD, w->time, V2R_SAMPLES);
    for (; i < n; i++) {
        const struct v2_sample *q = &c->sim.gen.sample[i];
        uint64_t v[5] = {q->time, q->m, q->p, q->g, q->stack};
        if (w->head && v[0] < c->from_units)
            v[0] = c->from_units;
        v[4] = table_use(&w->t.stacks, v[4]);
        v2_put_sample(c->put, v);
    }
    v2_put_close(c->put);
}

static void put_experiments(struct gen_cut *w)
{
    for (size_t i = 0; i < w->gen->n; i++) {
        const struct v2_raw_batch *b = &w->gen->batch[i];
        if (b->lead == V2R_EXPERIMENTAL && !b->torn)
            outlet_put(w->c->out, b->at, (size_t)(b->end - b->at));
    }
}

static void put_tables(struct gen_cut *w)
{
    tables_put(&w->t, w->c->put, w->gen, w->time);
    for (unsigned i = 1; i < NLABELS; i++)
        if (w->label[i])
            v2_put_string(w->c->put, w->t.max_string + i, LABELS[i], strlen(LABELS[i]));
    v2_put_close(w->c->put);
}

/* lead - Returns how many clock units before `from` the statuses start, so that each has a nanosecond of
 * its own. */
static uint64_t lead(const struct v2_cut *c)
{
    double ns = 16 + 3 * (double)(c->head.ng + c->head.o.np) + (double)c->nlate;
    return 3 + (uint64_t)(ns / c->sim.o.unit);
}

bool v2_cut_gen(struct v2_cut *c, const struct v2_raw_gen *gen)
{
    struct gen_cut w = {
        .c = c, .gen = gen, .head = c->start.set && c->from != INT64_MIN, .time = gen->min_time};
    if (!tables_read(&w.t, gen)) {
        tables_free(&w.t);
        return false;
    }
    if (w.head) {
        uint64_t n = lead(c);
        w.time = c->from_units > n ? c->from_units - n : 0;
        w.first = c->from_units;
    }
    if (c->nlate)
        qsort(c->late, c->nlate, sizeof *c->late, late_by_m);
    c->put->gen = gen->number;
    put_clock(&w);
    put_threads(&w);
    if (w.head)
        c->res.lead = c->from - to_i64((double)w.first * c->sim.o.unit);
    put_samples(&w);
    put_tables(&w);
    put_experiments(&w);
    if (c->file.version >= GO_126)
        outlet_put(c->out, &(uint8_t){V2R_END}, 1);
    tables_free(&w.t);
    return true;
}

/* ---- labels -------------------------------------------------------------------------------------------- */

static unsigned label_number(const struct v2_raw_string *s)
{
    for (unsigned i = 1; i < NLABELS; i++)
        if (s->len == strlen(LABELS[i]) && memcmp(s->p, LABELS[i], s->len) == 0)
            return i;
    return 0;
}

static unsigned label_find(const struct v2_raw_gen *gen, uint64_t id)
{
    for (struct v2_raw_walk w = {.gen = gen, .first = V2R_STRINGS}; v2_raw_next(&w);)
        if (w.string.id == id)
            return label_number(&w.string);
    return 0;
}

void v2_cut_labels(struct v2_cut *c, const struct v2_raw_gen *gen)
{
    uint64_t last = 0;
    unsigned is = 0;
    const struct v2_order *o = &c->sim.o;
    for (size_t i = 0, tries = 0; i < o->nm && tries < 256; i++) { /* a running goroutine has a thread */
        struct v2s_g *g = v2_sim_runs(&c->sim, (uint32_t)i);
        if (!g || !g->label || g->labelgen != c->sim.ordinal)
            continue;
        if (g->label != last) {
            last = g->label;
            is = label_find(gen, last);
            tries++;
        }
        g->label = is;
        g->labelgen = LABEL_KNOWN;
    }
}
