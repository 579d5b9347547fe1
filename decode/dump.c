/*
 * dump.c - see dump.h.
 *
 * Each kind of record is collected and sorted by itself (by id, then start, then index), so memory stays
 * small beside the model's. The screen back-dates states that are known to have held since the start; here an
 * interval begins where the trace first tells of it, as in Go's reader.
 */
#include "decode/dump.h"

#include <ctype.h>
#include <inttypes.h>

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "decode/events/helper.h"
#include "decode/model/trace_priv.h"
#include "decode/base/utf8.h"

struct dump {
    const struct trace *tr;
    FILE *out;
    bool oom; /* some records are missing */
    uint64_t zsum[ST_COUNT], zn[ST_COUNT];
};

static const char *go_state(uint8_t s)
{
    switch (s) {
    case ST_RUNNABLE: return "runnable";
    case ST_RUNNING: return "running";
    case ST_SYSCALL: return "syscall";
    case ST_WAITING: return "waiting";
    default: return NULL;
    }
}

/*
 * Write a name as Go's reference output does. Invisible characters and bytes that are no UTF-8 become \xNN;
 * no real name has them.
 */
static void print_str(FILE *out, struct str s)
{
    if (!s.len)
        fputc('-', out);
    const char *p = s.p, *end = p + s.len;
    while (p < end) {
        uint32_t c;
        size_t n = utf8_read(p, (size_t)(end - p), &c);
        n = n && utf8_hidden(c) ? 0 : n;
        if (*p == '\\')
            fputs("\\\\", out);
        else if (n)
            fwrite(p, 1, n, out);
        else if (*p == '\t' || *p == '\n' || *p == '\r')
            fprintf(out, "\\%c", *p == '\t' ? 't' : *p == '\n' ? 'n' : 'r');
        else
            fprintf(out, "\\x%02x", (unsigned char)*p);
        p += n ? n : 1;
    }
}

static void put_id(struct dump *d, uint32_t id)
{
    print_str(d->out, trace_str(d->tr, id));
}

struct order {
    uint64_t id;
    int64_t t;
    uint32_t i;
};

ORDER(by_order, struct order, LEAST((int64_t)r->id) LEAST(r->t) LEAST(r->i))

/* Sort the numbers below n by the id and the time of each i. n becomes 0 when out of memory. */
#define order_make(d, o, n, id, t) \
    do { \
        (o) = (n) ? mem_alloc((n) * sizeof *(o)) : NULL; \
        (d)->oom |= (n) && !(o); \
        (n) = (o) ? (n) : 0; \
        for (uint32_t i = 0; i < (n); i++) \
            (o)[i] = (struct order){(uint64_t)(id), t, i}; \
        sort(o, n, by_order); \
    } while (0)

static struct order *lanes_by_id(struct dump *d, enum lane_kind k, size_t *n)
{
    struct order *o;
    *n = trace_nlanes(d->tr, k);
    order_make(d, o, *n, trace_lane(d->tr, (struct lane){k, i}).id, 0);
    return o;
}

static int64_t gid(const struct trace *tr, uint32_t g)
{
    return g == NO_LANE ? -1 : (int64_t)trace_lane(tr, lane_g(g)).id;
}

/* ---- kinds --------------------------------------------------------------------------------------------- */

static void dump_counts(struct dump *d)
{
    static const struct {
        const char *name;
        enum ev_class c;
    } kinds[] = {{"Experimental", EC_EXPERIMENTAL},
                 {"Label", EC_LABEL},
                 {"Log", EC_LOG},
                 {"Metric", EC_METRIC},
                 {"RangeActive", EC_RANGE_ACTIVE},
                 {"RangeBegin", EC_RANGE_BEGIN},
                 {"RangeEnd", EC_RANGE_END},
                 {"RegionBegin", EC_REGION_BEGIN},
                 {"RegionEnd", EC_REGION_END},
                 {"StackSample", EC_SAMPLE},
                 {"StateTransition", EC_TRANSITION},
                 {"TaskBegin", EC_TASK_BEGIN},
                 {"TaskEnd", EC_TASK_END}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (d->tr->info.count[kinds[i].c])
            fprintf(d->out, "C\t%s\t%" PRIu64 "\n", kinds[i].name, d->tr->info.count[kinds[i].c]);
}

static void dump_first_stacks(struct dump *d)
{
    const struct first_stack *f;
    size_t n = trace_first_stacks(d->tr, &f);
    for (size_t i = 0; i < n && i < 200; i++) {
        struct frame fr = trace_frame(d->tr, f[i].stack, 0);
        fprintf(d->out, "F\t%" PRId64 "\t%" PRId64 "\t", f[i].t, gid(d->tr, f[i].g));
        if (fr.func)
            put_id(d, fr.func);
        else if (d->tr->info.has_names)
            fputc('-', d->out);
        else
            fprintf(d->out, "0x%" PRIx64, fr.pc);
        fputc('\t', d->out);
        put_id(d, fr.file);
        fprintf(d->out, ":%" PRIu64 "\t%u\n", fr.line, trace_stack(d->tr, f[i].stack));
    }
}

/*
 * A cut trace may lack the string of a reason; "#12" with its id then stands for it. A record would claim
 * what is not known.
 */
static bool reason_lost(const struct dump *d, uint32_t reason)
{
    struct str s = trace_str(d->tr, reason);
    return s.len > 1 && s.p[0] == '#' && isdigit((unsigned char)s.p[1]);
}

/* The next span is not recorded, so the end of the span before it is not known: a record would claim that it
 * is. */
static bool end_lost(const struct dump *d, enum lane_kind k, const struct span *next)
{
    return d->tr->info.second_family && next->state == (k == LANE_G ? ST_UNKNOWN : ST_NONE);
}

static void dump_goroutines(struct dump *d)
{
    size_t n;
    struct order *o = lanes_by_id(d, LANE_G, &n);
    for (size_t k = 0; k < n; k++) {
        struct lane l = {LANE_G, o[k].i};
        int64_t seen = trace_lane(d->tr, l).seen;
        struct span_iter it;
        for (bool more = span_seek_index(&it, d->tr, l, 0); more;) {
            const struct span at = *span_get(&it), *const s = &at;
            const char *name = go_state(s->state);
            more = span_next(&it);
            if (!name)
                continue;
            int64_t t0 = s->t0 < seen ? seen : s->t0;
            if (s->t1 < t0 || reason_lost(d, s->reason) || (more && end_lost(d, LANE_G, span_get(&it))))
                continue;
            fprintf(d->out, "G\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%s\t", (int64_t)o[k].id, t0, s->t1,
                    name);
            put_id(d, s->reason);
            fputc('\n', d->out);
            d->zsum[s->state] += (uint64_t)(s->t1 - t0);
            d->zn[s->state]++;
        }
    }
    mem_free(o);
}

static void put_running(struct dump *d, uint64_t p, int64_t t0, int64_t t1, uint32_t g)
{
    int64_t seen = trace_lane(d->tr, lane_g(g)).seen;
    if (t0 < seen)
        t0 = seen;
    if (t0 <= t1)
        fprintf(d->out, "P\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", (int64_t)p, t0, t1,
                gid(d->tr, g));
}

/* A P's lane changes its state where assists and sweeps begin and end; a record
 * is one goroutine's whole run. */
static void dump_procs(struct dump *d)
{
    size_t n;
    struct order *o = lanes_by_id(d, LANE_P, &n);
    for (size_t k = 0; k < n; k++) {
        struct span_iter it;
        uint32_t g = NO_LANE;
        int64_t t0 = 0, t1 = 0;
        each_span(s, it, d->tr, lane_p(o[k].i), INT64_MIN) {
            const uint8_t is = s->state;
            const bool on = is == ST_RUNNING || is == ST_GCWORK || is == ST_ASSIST || is == ST_SWEEP;
            const uint32_t now = on ? s->who : NO_LANE;
            if (now != g) {
                if (g != NO_LANE && !end_lost(d, LANE_P, s))
                    put_running(d, o[k].id, t0, t1, g);
                g = now;
                t0 = s->t0;
            }
            t1 = s->t1;
        }
        if (g != NO_LANE)
            put_running(d, o[k].id, t0, t1, g);
    }
    mem_free(o);
}

static void dump_facts(struct dump *d)
{
    const struct trace_info *i = &d->tr->info;
    if (i->version) /* the header's number, whatever the dialect is called */
        fprintf(d->out, "H\tversion\t%d.%d\n", i->version / 1000, i->version % 1000);
    else
        fprintf(d->out, "H\tversion\t%s\n", i->dialect);
    fprintf(d->out, "H\tfirst_ns\t%" PRId64 "\nH\tend\t%" PRId64 "\nH\tevents\t%" PRIu64 "\nH\tsyncs\t%u\n",
            i->first_ns, i->end, i->events, i->generations ? i->generations + 1 : 0);
}

static void dump_logs(struct dump *d)
{
    const struct logmsg *v;
    size_t n = trace_logs(d->tr, &v);
    struct order *o;
    order_make(d, o, n, gid(d->tr, v[i].g), v[i].t);
    for (size_t k = 0; k < n; k++) {
        const struct logmsg *m = &v[o[k].i];
        fprintf(d->out, "L\t%" PRId64 "\t%" PRIu64 "\t%" PRId64 "\t", gid(d->tr, m->g), m->task, m->t);
        put_id(d, m->category);
        fputc('\t', d->out);
        put_id(d, m->message);
        fputc('\n', d->out);
    }
    mem_free(o);
}

static void dump_metrics(struct dump *d)
{
    static const struct {
        const char *name;
        enum metric m;
    } by_name[METRIC_COUNT] = {{"/gc/heap/goal:bytes", METRIC_GOAL},
                               {"/memory/classes/heap/objects:bytes", METRIC_HEAP},
                               {"/sched/gomaxprocs:threads", METRIC_PROCS}};
    size_t at[METRIC_COUNT] = {0};
    for (;;) { /* merge by time; ties go by name */
        int best = -1;
        struct point p = {0};
        for (int k = 0; k < METRIC_COUNT; k++) {
            if (at[k] == trace_npoints(d->tr, by_name[k].m))
                continue;
            const struct point x = trace_point(d->tr, by_name[k].m, at[k]);
            if (best < 0 || x.t < p.t) {
                best = k;
                p = x;
            }
        }
        if (best < 0)
            return;
        at[best]++;
        fprintf(d->out, "M\t%" PRId64 "\t%s\t%" PRIu64 "\n", p.t, by_name[best].name, p.v);
    }
}

static int64_t owner_id(const struct trace *tr, const struct range *r)
{
    const bool p = (r->kind == RANGE_SWEEP || r->scope_p) && r->owner != NO_LANE;
    return p ? (int64_t)trace_lane(tr, lane_p(r->owner)).id : gid(tr, r->owner);
}

static void dump_ranges(struct dump *d)
{
    static const char *const name[RANGE_KINDS] = {"GC concurrent mark phase", NULL, "GC incremental sweep",
                                                  "GC mark assist"};
    static const enum range_kind scope_order[RANGE_KINDS] = {RANGE_GC, RANGE_SWEEP, RANGE_ASSIST, RANGE_STW};
    for (int x = 0; x < RANGE_KINDS; x++) {
        enum range_kind k = scope_order[x];
        const struct range *v;
        size_t n = trace_ranges(d->tr, k, &v);
        struct order *o;
        order_make(d, o, n, owner_id(d->tr, &v[i]), v[i].seen);
        for (size_t i = 0; i < n; i++) {
            const struct range *r = &v[o[i].i];
            if (k == RANGE_GC)
                fputs("R\tglobal\t-", d->out);
            else
                fprintf(d->out, "R\t%s\t%" PRId64, k == RANGE_SWEEP || r->scope_p ? "P" : "G",
                        (int64_t)o[i].id);
            fprintf(d->out, "\t%" PRId64 "\t%" PRId64 "\t", r->seen, r->t1);
            if (k == RANGE_STW) {
                fputs("stop-the-world (", d->out);
                put_id(d, r->name);
                fputs(")\n", d->out);
            } else {
                fprintf(d->out, "%s\n", name[k]);
            }
        }
        mem_free(o);
    }
}

/*
 * Returns the name Go's reader gives a goroutine that existed before a first-family trace: the root of its
 * own first stack.
 */
static uint32_t first_root(const struct trace *tr, struct lane l)
{
    struct span_iter it;
    uint8_t prev = ST_NONE;
    each_span(s, it, tr, l, INT64_MIN) {
        bool own = s->state == ST_WAITING || s->state == ST_SYSCALL ||
                   (s->state == ST_RUNNABLE && prev == ST_RUNNING);
        if (own && s->stack)
            return names_root_func(&tr->names, s->stack);
        prev = s->state;
    }
    return 0;
}

/*
 * Returns the function a goroutine begins in. Go's reader does not name goroutines by the function that a
 * helper runs.
 */
static uint32_t begins_in(const struct trace *tr, struct lane l, const struct lane_info *i)
{
    if (!tr->info.second_family && !i->created)
        return first_root(tr, l);
    if (!tr->names.nhelper && !tr->callback.n)
        return i->name;
    const uint32_t func =
        i->start_stack ? names_frame(&tr->names, i->start_stack, 0).func : first_root(tr, l);
    const bool known = names_helper(&tr->names, func) && !helper_hidden(names_get(&tr->names, func));
    return known || callback_helper(&tr->callback, func) ? func : i->name;
}

/*
 * Writes S: execution, runnable, system call and blocked time of each goroutine, back-dated to the trace's
 * start as in Go's reader.
 */
static void dump_sums(struct dump *d)
{
    size_t n;
    struct order *o = lanes_by_id(d, LANE_G, &n);
    for (size_t k = 0; k < n; k++) {
        struct lane l = {LANE_G, o[k].i};
        struct lane_info i = trace_lane(d->tr, l);
        struct shares s;
        trace_shares(d->tr, l, i.first, i.last, &s);
        struct span_iter it;
        int64_t lead = span_seek_index(&it, d->tr, l, 0) && span_get(&it)->open_start ? d->tr->st.lead_ns : 0;
        if (lead)
            s.ns[span_get(&it)->state] += lead;
        fprintf(d->out, "S\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t", (int64_t)i.id,
                s.ns[ST_RUNNING], s.ns[ST_RUNNABLE], s.ns[ST_SYSCALL] - i.no_p_ns, s.ns[ST_WAITING]);
        put_id(d, begins_in(d->tr, l, &i));
        fprintf(d->out, "\t%" PRId64 "\t%" PRId64 "\n", i.no_p_ns, i.last - i.first + lead);
    }
    mem_free(o);
}

static void dump_tasks(struct dump *d)
{
    const struct task *v;
    size_t n = trace_tasks(d->tr, &v);
    struct order *o;
    order_make(d, o, n, v[i].id, v[i].t0);
    for (size_t k = 0; k < n; k++) {
        const struct task *t = &v[o[k].i];
        fprintf(d->out, "T\t%" PRIu64 "\t", t->id);
        if (t->parent)
            fprintf(d->out, "%" PRIu64, t->parent);
        else
            fputc('-', d->out);
        fprintf(d->out, "\t%" PRId64 "\t%" PRId64 "\t", t->t0, t->t1);
        put_id(d, t->name);
        fputc('\n', d->out);
    }
    mem_free(o);
}

static void dump_regions(struct dump *d)
{
    const struct region *v;
    size_t n = trace_regions(d->tr, &v);
    struct order *o;
    order_make(d, o, n, gid(d->tr, v[i].g), v[i].t0);
    for (size_t k = 0; k < n; k++) {
        const struct region *r = &v[o[k].i];
        fprintf(d->out, "U\t%" PRId64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t", gid(d->tr, r->g), r->task,
                r->t0, r->t1);
        put_id(d, r->name);
        fputc('\n', d->out);
    }
    mem_free(o);
}

static void dump_states(struct dump *d)
{
    static const uint8_t order[] = {ST_RUNNABLE, ST_RUNNING, ST_SYSCALL, ST_WAITING};
    for (size_t i = 0; i < sizeof order; i++)
        if (d->zn[order[i]])
            fprintf(d->out, "Z\t%s\t%" PRIu64 "\t%" PRIu64 "\n", go_state(order[i]), d->zsum[order[i]],
                    d->zn[order[i]]);
}

enum err_code dump_trace(const struct trace *tr, FILE *out)
{
    struct dump d = {.tr = tr, .out = out};
    dump_counts(&d);
    dump_first_stacks(&d);
    dump_goroutines(&d);
    dump_facts(&d);
    const struct sample *samples;
    fprintf(out, "K\t%zu\n", trace_samples(tr, &samples));
    dump_logs(&d);
    dump_metrics(&d);
    dump_procs(&d);
    dump_ranges(&d);
    dump_sums(&d);
    dump_tasks(&d);
    dump_regions(&d);
    dump_states(&d);
    for (uint32_t i = 0; i < tr->info.ndamages; i++) {
        const struct err *e = trace_damage(tr, i);
        fprintf(out, "D\t%" PRIu64 "\t%s\n", e->offset == ERR_NO_OFFSET ? 0 : e->offset, e->what);
    }
    return ferror(out) ? ERR_IO : d.oom ? ERR_NOMEM : ERR_OK;
}
