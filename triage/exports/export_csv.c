/*
 * export_csv.c - `gotop csv`: the tables. Each is a header and a function that walks the model and writes row by row;
 * the column names are a promise (docs/EXPORTS.md): new ones go to the end.
 */
#include <string.h>

#include "decode/base/mem.h"
#include "triage/exports/csv.h"
#include "triage/exports/export.h"
#include "triage/exports/export_run.h"
#include "triage/tables/known.h"
#include "triage/tables/stacks.h"

static const char usage[] =
    "usage: gotop csv TABLE [options] TRACE\n"
    "A table as comma-separated values with a header line; times are nanoseconds since the trace's first event.\n"
    "  spans       what each lane did, one row per span (--lanes g,p,m: goroutines, processors, threads; g,p)\n"
    "  goroutines  one row per goroutine with its time by state\n"
    "  waits       one row per wait of a goroutine, with who ended it\n"
    "  gc          mark phases, stop-the-world, sweeping, assists\n"
    "  tasks, regions, logs   the program's own annotations\n"
    "  samples     CPU samples\n"
    "  stacks      the frames of each stack_id in the other tables\n"
    "  -o FILE              write to FILE\n"
    "  --from T --to T      only what overlaps this range: 1.2s, 300ms, a number is nanoseconds, 40%, 14:03\n"
    "  --group NAME         only goroutines whose start function's name contains NAME\n"
    "  --goroutine ID       only this goroutine\n"
    "  --quiet, --strict, --threads N, --max-memory SIZE, --ticks-per-second N, --exe FILE   as for the viewer\n"
    "Exit status: 0 done, 2 an error, 3 done, but only part of the trace could be read. See docs/EXPORTS.md.\n";

struct job {
    struct export *x;
    const struct trace *tr;
    const struct scope *sc;
    struct csv c;
    int64_t torn; /* known_torn() */
    bool oom;
};

/* ---- fields that several tables have ------------------------------------------------------------------------ */

static void put_lane(struct job *j, enum lane_kind k, uint32_t i)
{
    if (i == NO_LANE) {
        csv_none(&j->c);
    } else {
        csv_id(&j->c, trace_lane_who(j->tr, (struct lane){k, i}).id);
    }
}

/* id and start function */
static void put_g(struct job *j, uint32_t g)
{
    put_lane(j, LANE_G, g);
    csv_str(&j->c, g == NO_LANE ? 0 : trace_g_name(j->tr, g));
}

static void put_time(struct job *j, int64_t t0, int64_t t1)
{
    csv_int(&j->c, t0);
    csv_int(&j->c, t1);
    csv_int(&j->c, t1 - t0);
}

static void put_open(struct job *j, bool open_start, bool open_end)
{
    csv_bool(&j->c, open_start);
    csv_bool(&j->c, open_end);
}

/* innermost function and stack_id */
static void put_stack(struct job *j, uint32_t stack)
{
    csv_str(&j->c, trace_frame(j->tr, stack, 0).func);
    if (stack) {
        csv_id(&j->c, stack);
    } else {
        csv_none(&j->c);
    }
}

static bool stop(void *arg)
{
    const struct job *j = arg;
    return out_broken(j->x->out) || j->oom;
}

/* ---- spans -------------------------------------------------------------------------------------------------- */

static void span_row(struct job *j, struct lane l, uint64_t id, const struct span *s)
{
    static const char *const lane_name[LANE_KINDS] = {
        [LANE_P] = "processor", [LANE_G] = "goroutine", [LANE_M] = "thread", [LANE_BAND] = ""};
    bool on_p = l.kind == LANE_G && s->state != ST_RUNNABLE && s->state != ST_WAITING;
    uint32_t g = l.kind == LANE_G ? l.i : s->who;
    if (l.kind != LANE_G && !scope_g(j->sc, g)) {
        return;
    }
    csv_word(&j->c, lane_name[l.kind]);
    csv_id(&j->c, id);
    put_time(j, s->t0, s->t1);
    csv_word(&j->c, state_name((enum state)s->state));
    csv_str(&j->c, s->reason);
    csv_str(&j->c, s->label);
    put_g(j, g);
    put_lane(j, LANE_P, l.kind == LANE_P ? l.i : l.kind == LANE_M ? s->proc : on_p ? s->who : NO_LANE);
    put_lane(j, LANE_G, l.kind == LANE_G && s->state == ST_RUNNABLE ? s->who : NO_LANE);
    put_stack(j, s->stack);
    put_open(j, s->open_start, s->open_end);
    csv_end(&j->c);
}

/* Of a lane of which nothing is known from then on, though it seems to rest. */
static void known_rows(struct job *j, struct lane l, uint64_t id, const struct span *s, int64_t known)
{
    struct span part = *s;
    if (s->t0 < known && s->t1 > known) {
        part.t1 = known;
        part.open_end = true;
        if (scope_overlaps(j->sc, part.t0, part.t1)) {
            span_row(j, l, id, &part);
        }
        part = *s;
        part.t0 = known;
        part.open_start = false;
    }
    if (part.t0 >= known) {
        part.state = ST_UNKNOWN;
    }
    if (scope_overlaps(j->sc, part.t0, part.t1)) {
        span_row(j, l, id, &part);
    }
}

/* Is nothing recorded of what was before that span? */
static bool gone_before(const struct trace *tr, struct lane l, struct span s)
{
    struct span_iter it;
    return s.index && span_seek_index(&it, tr, l, s.index - 1) && span_get(&it)->state == ST_UNKNOWN;
}

static void lane_rows(void *arg, struct lane l)
{
    struct job *j = arg;
    struct span_iter it;
    uint64_t id = trace_lane_who(j->tr, l).id;
    if ((l.kind == LANE_G && !scope_g(j->sc, l.i)) || !span_seek(&it, j->tr, l, j->sc->from)) {
        return;
    }
    const int64_t known = known_until(j->tr, j->torn, l);
    bool lost = gone_before(j->tr, l, *span_get(&it));
    for (bool more = true; more && !stop(j);) {
        struct span s = *span_get(&it);
        export_span(j->x);
        if (s.t0 >= j->sc->to) {
            return;
        }
        more = span_next(&it);
        const bool unknown = s.state == ST_UNKNOWN;
        s.open_start |= lost && !unknown;
        s.open_end |= more && !unknown && span_get(&it)->state == ST_UNKNOWN;
        lost = unknown;
        if (s.state != ST_NONE && !(unknown && l.kind == LANE_M && s.t0 == s.t1)) {
            known_rows(j, l, id, &s, known);
        }
    }
}

static void write_spans(struct job *j)
{
    static const enum lane_kind order[] = {LANE_P, LANE_G, LANE_M};
    j->torn = known_torn(j->tr);
    export_walk(j->x, order, lane_rows, stop, j);
}

/* ---- goroutines --------------------------------------------------------------------------------------------- */

/* Time in mark assist by goroutine, within the scope; mem_free() it. */
static int64_t *assist_sums(struct job *j, uint32_t ng)
{
    int64_t *ns = mem_zalloc((ng ? ng : 1) * sizeof *ns);
    const struct range *r;
    size_t n = trace_ranges(j->tr, RANGE_ASSIST, &r);
    for (size_t i = 0; ns && i < n; i++) {
        if (r[i].owner < ng) {
            ns[r[i].owner] += scope_len(j->sc, r[i].t0, r[i].t1);
        }
    }
    j->oom |= !ns;
    return ns;
}

static void goroutine_row(struct job *j, uint32_t g, int64_t assist)
{
    struct lane l = {LANE_G, g};
    struct lane_info i = trace_lane(j->tr, l);
    if (!scope_overlaps(j->sc, i.first, i.last)) {
        return;
    }
    int64_t t0 = i.first > j->sc->from ? i.first : j->sc->from, t1 = i.last < j->sc->to ? i.last : j->sc->to;
    struct shares s = {0};
    if (t1 > t0) {
        trace_shares(j->tr, l, t0, t1, &s);
    }
    csv_id(&j->c, i.id);
    csv_str(&j->c, i.name);
    csv_bool(&j->c, i.name_inferred);
    csv_bool(&j->c, i.is_system);
    put_time(j, i.first, i.last);
    put_open(j, i.created, i.ended);
    csv_int(&j->c, s.ns[ST_RUNNING] + s.ns[ST_GCWORK] + s.ns[ST_ASSIST]);
    csv_int(&j->c, s.ns[ST_RUNNABLE]);
    csv_int(&j->c, s.ns[ST_WAITING]);
    csv_int(&j->c, s.ns[ST_SYSCALL]);
    csv_int(&j->c, s.ns[ST_UNKNOWN]);
    csv_int(&j->c, assist);
    const bool whole = j->sc->from <= i.first && i.last < j->sc->to; /* one that begins at its end counts, too */
    csv_id(&j->c, whole ? i.nspans : trace_count(j->tr, l, t0, t1));
    put_g(j, i.creator);
    put_stack(j, i.create_stack);
    csv_end(&j->c);
}

static void write_goroutines(struct job *j)
{
    uint32_t n = trace_nlanes(j->tr, LANE_G);
    int64_t *assist = assist_sums(j, n);
    for (uint32_t g = 0; g < n && !stop(j); g++) {
        export_progress(j->x, g / (double)n);
        if (scope_g(j->sc, g)) {
            goroutine_row(j, g, assist[g]);
        }
    }
    mem_free(assist);
}

/* ---- waits -------------------------------------------------------------------------------------------------- */

/* `after` is the span behind the wait: how long it then waited for a processor, and who woke it. NULL: none. */
static void wait_row(struct job *j, uint32_t g, const struct span *s, const struct span *after)
{
    bool woken = after && after->state == ST_RUNNABLE;
    put_g(j, g);
    put_time(j, s->t0, s->t1);
    csv_str(&j->c, s->reason);
    csv_word(&j->c, stacks_wait_name(j->tr, stacks_wait_kind(j->tr, s->reason, s->stack), s->stack));
    csv_str(&j->c, trace_frame(j->tr, s->stack, stacks_user_frame(j->tr, s->stack)).func);
    put_stack(j, s->stack);
    put_g(j, woken ? after->who : NO_LANE);
    put_stack(j, woken ? after->stack : 0);
    if (woken) {
        csv_int(&j->c, after->t1 - after->t0);
    } else {
        csv_none(&j->c);
    }
    put_open(j, s->open_start, s->open_end);
    csv_end(&j->c);
}

static void goroutine_waits(struct job *j, uint32_t g)
{
    struct span_iter it;
    struct span wait;
    bool pending = false;
    const struct lane l = {LANE_G, g};
    if (!span_seek(&it, j->tr, l, j->sc->from)) {
        return;
    }
    bool lost = gone_before(j->tr, l, *span_get(&it));
    do {
        const struct span *s = span_get(&it);
        export_span(j->x);
        if (pending) {
            wait.open_end |= s->state == ST_UNKNOWN;
            wait_row(j, g, &wait, s);
        }
        pending = s->state == ST_WAITING && s->t0 < j->sc->to && scope_overlaps(j->sc, s->t0, s->t1);
        if (s->t0 >= j->sc->to) {
            return;
        }
        wait = *s;
        wait.open_start |= lost;
        lost = s->state == ST_UNKNOWN;
    } while (span_next(&it) && !stop(j));
    if (pending) {
        wait_row(j, g, &wait, NULL);
    }
}

static void write_waits(struct job *j)
{
    uint32_t n = trace_nlanes(j->tr, LANE_G);
    export_lanes(j->x, (const bool[LANE_KINDS]){[LANE_G] = true});
    for (uint32_t g = 0; g < n && !stop(j); g++) {
        if (scope_g(j->sc, g)) {
            goroutine_waits(j, g);
        }
        export_lane(j->x, (struct lane){LANE_G, g});
    }
}

/* ---- collector ---------------------------------------------------------------------------------------------- */

static void put_metric(struct job *j, enum metric m, int64_t t)
{
    uint64_t min, max;
    if (t < INT64_MAX && trace_minmax(j->tr, m, t, t + 1, &min, &max)) {
        csv_id(&j->c, max);
    } else {
        csv_none(&j->c);
    }
}

static void put_bytes(struct job *j, bool known, uint64_t v)
{
    if (known) {
        csv_id(&j->c, v);
    } else {
        csv_none(&j->c);
    }
}

static void range_row(struct job *j, const struct range *r)
{
    static const char *const kinds[RANGE_KINDS] = {
        [RANGE_GC] = "mark", [RANGE_STW] = "stop-the-world", [RANGE_SWEEP] = "sweep", [RANGE_ASSIST] = "assist"};
    bool on_p = r->kind == RANGE_SWEEP || r->scope_p;
    csv_word(&j->c, kinds[r->kind]);
    put_time(j, r->t0, r->t1);
    csv_str(&j->c, r->name);
    put_lane(j, LANE_G, on_p ? NO_LANE : r->owner);
    put_lane(j, LANE_P, on_p ? r->owner : NO_LANE);
    put_bytes(j, r->kind == RANGE_SWEEP, r->a);
    put_bytes(j, r->kind == RANGE_SWEEP, r->b);
    put_metric(j, METRIC_HEAP, r->t0);
    put_metric(j, METRIC_HEAP, r->t1);
    put_metric(j, METRIC_GOAL, r->t0);
    put_stack(j, r->stack);
    put_open(j, r->open_start, r->open_end);
    csv_end(&j->c);
}

static void write_gc(struct job *j)
{
    for (int k = 0; k < RANGE_KINDS; k++) {
        const struct range *r;
        size_t n = trace_ranges(j->tr, (enum range_kind)k, &r);
        for (size_t i = 0; i < n && !stop(j);) {
            struct range x = r[i];
            export_progress(j->x, (double)i / (double)n);
            i = k == RANGE_STW ? trace_stop(r, n, i, &x) : i + 1;
            bool of_g = k == RANGE_ASSIST || (k == RANGE_STW && !x.scope_p);
            bool mine = scope_all_g(j->sc) || (of_g && scope_g(j->sc, x.owner));
            if (mine && scope_overlaps(j->sc, x.t0, x.t1)) {
                range_row(j, &x);
            }
        }
    }
}

/* ---- what the program noted --------------------------------------------------------------------------------- */

static void write_tasks(struct job *j)
{
    const struct task *v;
    size_t n = trace_tasks(j->tr, &v);
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t0, v[i].t1) || !scope_g(j->sc, v[i].g)) {
            continue;
        }
        csv_id(&j->c, v[i].id);
        put_bytes(j, v[i].parent != 0, v[i].parent);
        csv_str(&j->c, v[i].name);
        put_time(j, v[i].t0, v[i].t1);
        put_lane(j, LANE_G, v[i].g);
        put_lane(j, LANE_G, v[i].g_end);
        put_stack(j, v[i].stack);
        put_open(j, v[i].open_start, v[i].open_end);
        csv_end(&j->c);
    }
}

static void write_regions(struct job *j)
{
    const struct region *v;
    size_t n = trace_regions(j->tr, &v);
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t0, v[i].t1) || !scope_g(j->sc, v[i].g)) {
            continue;
        }
        put_g(j, v[i].g);
        put_bytes(j, v[i].task != 0, v[i].task);
        csv_str(&j->c, v[i].name);
        put_time(j, v[i].t0, v[i].t1);
        csv_id(&j->c, v[i].depth);
        put_stack(j, v[i].stack);
        put_open(j, v[i].open_start, v[i].open_end);
        csv_end(&j->c);
    }
}

static void write_logs(struct job *j)
{
    const struct logmsg *v;
    size_t n = trace_logs(j->tr, &v);
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t, v[i].t) || !scope_g(j->sc, v[i].g)) {
            continue;
        }
        csv_int(&j->c, v[i].t);
        put_g(j, v[i].g);
        put_bytes(j, v[i].task != 0, v[i].task);
        csv_str(&j->c, v[i].category);
        csv_str(&j->c, v[i].message);
        put_stack(j, v[i].stack);
        csv_end(&j->c);
    }
}

static void write_samples(struct job *j)
{
    const struct sample *v;
    size_t n = trace_samples(j->tr, &v);
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t, v[i].t) || !scope_g(j->sc, v[i].g)) {
            continue;
        }
        csv_int(&j->c, v[i].t);
        put_g(j, v[i].g);
        put_lane(j, LANE_P, v[i].p);
        put_lane(j, LANE_M, v[i].m);
        put_stack(j, v[i].stack);
        csv_end(&j->c);
    }
}

static void write_stacks(struct job *j)
{
    uint32_t n = trace_nstacks(j->tr);
    for (uint32_t s = 1; s < n && !stop(j); s++) {
        uint32_t depth = trace_stack(j->tr, s);
        export_progress(j->x, s / (double)n);
        for (uint32_t i = 0; i < depth; i++) {
            struct frame f = trace_frame(j->tr, s, i);
            csv_id(&j->c, s);
            csv_id(&j->c, i);
            csv_str(&j->c, f.func);
            csv_str(&j->c, f.file);
            csv_id(&j->c, f.line);
            csv_id(&j->c, f.pc);
            csv_end(&j->c);
        }
    }
}

/* ---- gotop csv ---------------------------------------------------------------------------------------------- */

static const struct table {
    const char *name, *header;
    void (*write)(struct job *j);
} tables[] = {
    {"spans",
     "lane,id,start_ns,end_ns,duration_ns,state,reason,label,goroutine,goroutine_name,processor,waker,function,"
     "stack_id,open_start,open_end",
     write_spans},
    {"goroutines",
     "id,name,name_inferred,system,start_ns,end_ns,duration_ns,created,ended,running_ns,runnable_ns,"
     "waiting_ns,syscall_ns,unrecorded_ns,assist_ns,spans,creator,creator_name,create_function,"
     "create_stack_id",
     write_goroutines},
    {"waits",
     "goroutine,goroutine_name,start_ns,end_ns,duration_ns,reason,kind,user_function,function,stack_id,waker,"
     "waker_name,waker_function,waker_stack_id,runnable_ns,open_start,open_end",
     write_waits},
    {"gc",
     "kind,start_ns,end_ns,duration_ns,reason,goroutine,processor,swept_bytes,reclaimed_bytes,heap_start_bytes,"
     "heap_end_bytes,goal_bytes,function,stack_id,open_start,open_end",
     write_gc},
    {"tasks",
     "id,parent,name,start_ns,end_ns,duration_ns,goroutine,end_goroutine,function,stack_id,open_start,open_end",
     write_tasks},
    {"regions",
     "goroutine,goroutine_name,task,name,start_ns,end_ns,duration_ns,depth,function,stack_id,open_start,"
     "open_end",
     write_regions},
    {"logs", "time_ns,goroutine,goroutine_name,task,category,message,function,stack_id", write_logs},
    {"samples", "time_ns,goroutine,goroutine_name,processor,thread,function,stack_id", write_samples},
    {"stacks", "stack_id,depth,function,file,line,pc", write_stacks},
};

static const struct table *find_table(const char *name)
{
    for (size_t i = 0; name && i < sizeof tables / sizeof *tables; i++) {
        if (strcmp(tables[i].name, name) == 0) {
            return &tables[i];
        }
    }
    return NULL;
}

static bool check(const struct export_opts *o)
{
    if (!find_table(o->kind)) {
        export_say("csv", o->kind ? o->kind : "the table",
                   "say which first: spans, goroutines, waits, gc, tasks, regions, logs, samples or stacks");
        return false;
    }
    return true;
}

static enum err_code write_csv(struct export *x, struct err *e)
{
    const struct table *t = find_table(x->o->kind);
    struct job j = {.x = x, .tr = x->tr, .sc = &x->scope, .c = {.tr = x->tr, .out = x->out}};
    csv_word(&j.c, t->header);
    csv_end(&j.c);
    t->write(&j);
    csv_flush(&j.c);
    csv_free(&j.c);
    return j.oom ? err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the table") : ERR_OK;
}

static const struct export_command command = {.name = "csv",
                                              .usage = usage,
                                              .options = EXPORT_LANES | EXPORT_USUAL,
                                              .table = true,
                                              .check = check,
                                              .write = write_csv};

int csv_main(int argc, char **argv)
{
    return export_main(&command, argc, argv);
}
