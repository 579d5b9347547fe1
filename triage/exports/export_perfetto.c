/*
 * export_perfetto.c - `gotop perfetto`: the model as tracks, walked lane by lane, written as it goes.
 *
 * What lies across the edge of the asked-for range is cut there; what was not over when the trace ended stays
 * open, which Perfetto shows as such. A track is announced when its first event comes: lanes that are empty
 * in the range don't show. Regions lie on one track per goroutine and depth, tasks on one each: Perfetto
 * draws siblings with one name as one.
 */
#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/exports/export.h"
#include "triage/exports/export_run.h"
#include "triage/exports/perfetto.h"

static const char usage_head[] =
    "usage: gotop perfetto [options] -o FILE TRACE\n"
    "A trace for Perfetto (ui.perfetto.dev, or trace_processor for SQL): processors, goroutines by "
    "start function,\n"
    "GC, stop-the-world, heap, queue, tasks, regions and logs.\n";
static const char usage_tail[] =
    "Exit status: 0 done, 2 an error, 3 done, but only part of the trace could be read. See "
    "docs/EXPORTS.md.\n";

/* Kinds of tracks: the low bits of their ids, so that none needs a table. */
enum { K_FIXED, K_P, K_G, K_M, K_GROUP, K_REGION, K_TASK };
enum { T_TOP = 1, T_HEAP, T_GOAL, T_PROCS, T_RUNNABLE, T_GC, T_STW, T_PS, T_TASKS, T_GS, T_MS };

static uint64_t track_id(unsigned kind, uint64_t i)
{
    return (i << 3 | kind) + 8;
}

struct job {
    struct export *x;
    const struct trace *tr;
    const struct scope *sc;
    struct perfetto p;
    struct text name;
    uint8_t *group_said; /* a bit per string: its group of goroutines has a track */
    uint8_t *g_said;     /* a bit per goroutine: it has a track */
    bool fixed_said[T_MS + 1];
};

static bool stop(void *arg)
{
    const struct job *j = arg;
    return j->p.oom || out_broken(j->x->out);
}

static bool bit_set(uint8_t *bits, uint32_t i)
{ /* whether it was not set before */
    uint8_t m = (uint8_t)(1u << (i & 7));
    bool fresh = !(bits[i >> 3] & m);
    bits[i >> 3] |= m;
    return fresh;
}

/* ---- tracks -------------------------------------------------------------------------------------------- */

static void announce(struct job *j, struct track t)
{
    text_raw(&j->name, "", 0);
    if (text_ok(&j->name))
        perfetto_track(&j->p, &t, j->name.p);
    else
        j->p.oom = true;
    j->name.n = 0;
}

/* A track that exists at most once; its number is its rank. */
static uint64_t fixed(struct job *j, int which)
{
    static const struct {
        const char *name;
        bool counter, bytes;
    } what[] = {[T_HEAP] = {"heap", true, true},         [T_GOAL] = {"heap goal", true, true},
                [T_PROCS] = {"GOMAXPROCS", true, false}, [T_RUNNABLE] = {"runnable goroutines", true, false},
                [T_GC] = {"collector", false, false},    [T_STW] = {"stop-the-world", false, false},
                [T_PS] = {"processors", false, false},   [T_TASKS] = {"tasks", false, false},
                [T_GS] = {"goroutines", false, false},   [T_MS] = {"threads", false, false}};
    uint64_t id = track_id(K_FIXED, (uint64_t)which);
    if (!j->fixed_said[which]) {
        j->fixed_said[which] = true;
        text_add(&j->name, "%s", what[which].name);
        announce(j,
                 (struct track){id, track_id(K_FIXED, T_TOP), which, what[which].counter, what[which].bytes});
    }
    return id;
}

static void top(struct job *j)
{
    const struct trace_info *i = trace_info(j->tr);
    const char *path = i->path ? i->path : "", *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    out_name(&j->name, (struct str){base, (uint32_t)strlen(base)}, NULL);
    text_add(&j->name, " (%s%s)", i->dialect, i->ndamages ? ", a part of it" : "");
    announce(j, (struct track){.id = track_id(K_FIXED, T_TOP)});
}

static uint64_t goroutine_group(struct job *j, uint32_t name)
{
    uint64_t id = track_id(K_GROUP, name);
    uint64_t parent = fixed(j, T_GS);
    if (bit_set(j->group_said, name)) {
        out_name(&j->name, trace_str(j->tr, name), NULL);
        text_raw(&j->name, "start unknown", name ? 0 : 13);
        announce(j, (struct track){.id = id, .parent = parent, .rank = (int32_t)(name & INT32_MAX)});
    }
    return id;
}

static uint64_t lane_track(struct job *j, struct lane l)
{
    static const unsigned kind[LANE_KINDS] = {
        [LANE_P] = K_P, [LANE_G] = K_G, [LANE_M] = K_M, [LANE_BAND] = K_FIXED};
    struct lane_info i = trace_lane_who(j->tr, l);
    struct track t = {.id = track_id(kind[l.kind], l.i), .rank = (int32_t)(l.i & INT32_MAX)};
    if (l.kind == LANE_G) {
        if (!bit_set(j->g_said, l.i))
            return t.id;
        t.parent = goroutine_group(j, i.name);
        text_add(&j->name, "G %" PRIu64 " ", i.id);
        out_name(&j->name, trace_str(j->tr, i.name), NULL);
    } else {
        t.parent = fixed(j, l.kind == LANE_P ? T_PS : T_MS);
        t.rank = (int32_t)(i.id & INT32_MAX);
        text_add(&j->name, "%c %" PRIu64, l.kind == LANE_P ? 'P' : 'M', i.id);
    }
    announce(j, t);
    return t.id;
}

/* ---- slices -------------------------------------------------------------------------------------------- */

static void note(struct slice *s, enum note_name name, bool is_name, uint64_t v)
{
    if (s->n < PERFETTO_NOTES)
        s->note[s->n++] = (struct note){.name = name, .is_name = is_name, .v = v};
}

static void note_stack(struct job *j, struct slice *s, enum note_name name, uint32_t stack)
{
    if (stack)
        note(s, name, true, perfetto_stack(&j->p, stack));
}

static void note_g(struct job *j, struct slice *s, enum note_name id, enum note_name start, uint32_t g)
{
    if (g != NO_LANE) {
        struct lane_info i = trace_lane_who(j->tr, (struct lane){LANE_G, g});
        note(s, id, false, i.id);
        if (i.name)
            note(s, start, true, perfetto_word(&j->p, i.name));
    }
}

/* Cut to the range; open at the end only if the trace is, too. */
static void set_time(const struct job *j, struct slice *s, int64_t t0, int64_t t1, bool open_end)
{
    s->t0 = t0 > j->sc->from ? t0 : j->sc->from;
    s->t1 = t1 > j->sc->to ? j->sc->to : open_end ? NO_TIME : t1;
}

static void g_span(struct job *j, struct slice *s, const struct span *sp)
{
    s->name = sp->state == ST_WAITING
                  ? perfetto_wait(&j->p, sp->reason, sp->stack)
                  : perfetto_name(&j->p, sp->state, sp->state == ST_RUNNABLE ? sp->reason : 0);
    if (sp->state == ST_RUNNABLE && sp->who != NO_LANE) {
        note_g(j, s, NOTE_WAKER, NOTE_WAKER_START, sp->who);
        note_stack(j, s, NOTE_WAKER_STACK, sp->stack);
        return;
    }
    if (sp->who != NO_LANE && (sp->state == ST_RUNNING || sp->state == ST_SYSCALL))
        note(s, NOTE_PROCESSOR, false, trace_lane_who(j->tr, (struct lane){LANE_P, sp->who}).id);
    note_stack(j, s, NOTE_STACK, sp->stack);
}

static void p_span(struct job *j, struct slice *s, const struct span *sp)
{
    uint32_t name = sp->who == NO_LANE ? 0 : trace_g_name(j->tr, sp->who);
    bool plain = sp->state == ST_RUNNING && name; /* the function alone; else the state, then the function */
    s->name = perfetto_name(&j->p, plain ? ST_NONE : sp->state, name);
    note_g(j, s, NOTE_GOROUTINE, NOTE_START, sp->who);
    if (sp->proc != NO_LANE)
        note(s, NOTE_PROCESSOR, false, trace_lane_who(j->tr, (struct lane){LANE_P, sp->proc}).id);
}

static bool shown(const struct job *j, struct lane l, const struct span *s)
{
    if (s->state == ST_NONE || s->state == ST_UNKNOWN || !scope_overlaps(j->sc, s->t0, s->t1))
        return false;
    return l.kind == LANE_G || (s->state != ST_IDLE && scope_g(j->sc, s->who));
}

static void lane_slices(void *arg, struct lane l)
{
    struct job *j = arg;
    struct span_iter it;
    uint64_t track = 0;
    if ((l.kind == LANE_G && !scope_g(j->sc, l.i)) || !span_seek(&it, j->tr, l, j->sc->from))
        return;
    do {
        const struct span *s = span_get(&it);
        export_span(j->x);
        if (s->t0 >= j->sc->to)
            return;
        if (!shown(j, l, s))
            continue;
        track = track ? track : lane_track(j, l);
        struct slice sl = {.track = track, .category = s->state + 1u};
        set_time(j, &sl, s->t0, s->t1, s->open_end);
        if (l.kind == LANE_G)
            g_span(j, &sl, s);
        else
            p_span(j, &sl, s);
        perfetto_slice(&j->p, &sl);
    } while (span_next(&it) && !stop(j));
}

static void lanes(struct job *j)
{
    static const enum lane_kind order[] = {LANE_P, LANE_M, LANE_G};
    export_walk(j->x, order, lane_slices, stop, j);
}

/* ---- collector, counters ------------------------------------------------------------------------------- */

static void ranges(struct job *j, enum range_kind k, int which)
{
    const struct range *r;
    size_t n = trace_ranges(j->tr, k, &r);
    for (size_t i = 0; i < n && !stop(j);) {
        struct range x = r[i];
        i = k == RANGE_STW ? trace_stop(r, n, i, &x) : i + 1;
        if (!scope_overlaps(j->sc, x.t0, x.t1))
            continue;
        struct slice s = {.track = fixed(j, which), .category = (k == RANGE_STW ? ST_STW : ST_GC) + 1u};
        s.name = perfetto_name(&j->p, k == RANGE_STW ? ST_STW : ST_GC, x.name);
        set_time(j, &s, x.t0, x.t1, x.open_end);
        if (k == RANGE_STW && !x.scope_p)
            note_g(j, &s, NOTE_GOROUTINE, NOTE_START, x.owner);
        note_stack(j, &s, NOTE_STACK, x.stack);
        perfetto_slice(&j->p, &s);
    }
}

/* Adds the value that holds when the range starts. */
static void metric(struct job *j, enum metric m, int which)
{
    const size_t n = trace_npoints(j->tr, m);
    for (size_t i = 0; i < n && !stop(j); i++) {
        const struct point v = trace_point(j->tr, m, i);
        bool within = v.t >= j->sc->from && v.t < j->sc->to;
        bool holds = v.t < j->sc->from && (i + 1 == n || trace_point(j->tr, m, i + 1).t > j->sc->from);
        if (within || holds)
            perfetto_count(&j->p, fixed(j, which), holds ? j->sc->from : v.t, v.v);
    }
}

static void run_queue(struct job *j)
{
    const struct gbucket *b;
    int64_t width;
    size_t n = trace_gcounts(j->tr, &width, &b);
    for (size_t i = 0; i < n && !stop(j); i++) {
        int64_t t = (int64_t)i * width;
        bool same = i > 0 && t >= j->sc->from && b[i].max[GC_RUNNABLE] == b[i - 1].max[GC_RUNNABLE];
        if (!same && scope_overlaps(j->sc, t, t + width)) {
            perfetto_count(&j->p, fixed(j, T_RUNNABLE), t > j->sc->from ? t : j->sc->from,
                           b[i].max[GC_RUNNABLE]);
        }
    }
}

/* ---- what the program noted ---------------------------------------------------------------------------- */

static void tasks(struct job *j)
{
    const struct task *v;
    size_t n = trace_tasks(j->tr, &v);
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t0, v[i].t1) || !scope_g(j->sc, v[i].g))
            continue;
        struct slice s = {.track = track_id(K_TASK, i), .category = CAT_TASK};
        struct track t = {
            .id = s.track, .parent = fixed(j, T_TASKS), .rank = (int32_t)(v[i].name & INT32_MAX)};
        out_name(&j->name, trace_str(j->tr, v[i].name), NULL);
        announce(j, t);
        s.name = perfetto_name(&j->p, ST_NONE, v[i].name);
        set_time(j, &s, v[i].t0, v[i].t1, v[i].open_end);
        note(&s, NOTE_TASK, false, v[i].id);
        if (v[i].parent)
            note(&s, NOTE_PARENT, false, v[i].parent);
        note_g(j, &s, NOTE_GOROUTINE, NOTE_START, v[i].g);
        note_stack(j, &s, NOTE_STACK, v[i].stack);
        perfetto_slice(&j->p, &s);
    }
}

static bool with_goroutines(const struct job *j)
{
    return !j->x->o->lanes.given || j->x->o->lanes.kind[LANE_G];
}

static void regions(struct job *j)
{
    struct tab said = {0};
    const struct region *v;
    size_t n = with_goroutines(j) ? trace_regions(j->tr, &v) : 0;
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t0, v[i].t1) || v[i].g == NO_LANE || !scope_g(j->sc, v[i].g))
            continue;
        uint64_t track = track_id(K_REGION, (uint64_t)v[i].g << 16 | v[i].depth);
        struct lane_info info = trace_lane_who(j->tr, (struct lane){LANE_G, v[i].g});
        if (tab_get(&said, track, 0) == TAB_NONE) {
            j->p.oom |= tab_put(&said, track, 0, 0) == TAB_NONE;
            struct track t = {.id = track, .rank = (int32_t)(v[i].g & INT32_MAX)};
            t.parent = goroutine_group(j, info.name);
            text_add(&j->name, "G %" PRIu64 " regions", info.id);
            announce(j, t);
        }
        struct slice s = {.track = track, .category = CAT_REGION};
        s.name = perfetto_name(&j->p, ST_NONE, v[i].name);
        set_time(j, &s, v[i].t0, v[i].t1, v[i].open_end);
        if (v[i].task)
            note(&s, NOTE_TASK, false, v[i].task);
        note_stack(j, &s, NOTE_STACK, v[i].stack);
        perfetto_slice(&j->p, &s);
    }
    tab_free(&said);
}

static void logs(struct job *j)
{
    const struct logmsg *v;
    size_t n = with_goroutines(j) ? trace_logs(j->tr, &v) : 0;
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t, v[i].t) || v[i].g == NO_LANE || !scope_g(j->sc, v[i].g))
            continue;
        struct slice s = {
            .track = lane_track(j, (struct lane){LANE_G, v[i].g}), .t0 = v[i].t, .category = CAT_LOG};
        s.name = perfetto_name(&j->p, ST_NONE, v[i].category);
        out_name(&j->name, trace_str(j->tr, v[i].message), NULL);
        text_raw(&j->name, "", 0);
        s.note[s.n++] = (struct note){.name = NOTE_MESSAGE, .text = j->name.p};
        if (v[i].task)
            note(&s, NOTE_TASK, false, v[i].task);
        j->p.oom |= !text_ok(&j->name);
        if (!j->p.oom)
            perfetto_instant(&j->p, &s);
        j->name.n = 0;
    }
}

/* ---- gotop perfetto ------------------------------------------------------------------------------------ */

static enum err_code write_perfetto(struct export *x, struct err *e)
{
    struct job j = {.x = x, .tr = x->tr, .sc = &x->scope};
    j.group_said = mem_zalloc(trace_nstr(x->tr) / 8 + 1);
    j.g_said = mem_zalloc(trace_nlanes(x->tr, LANE_G) / 8 + 1);
    perfetto_begin(&j.p, x->tr, x->out);
    j.p.oom |= !j.group_said || !j.g_said;
    if (!j.p.oom) {
        top(&j);
        metric(&j, METRIC_HEAP, T_HEAP);
        metric(&j, METRIC_GOAL, T_GOAL);
        metric(&j, METRIC_PROCS, T_PROCS);
        run_queue(&j);
        ranges(&j, RANGE_GC, T_GC);
        ranges(&j, RANGE_STW, T_STW);
        tasks(&j);
        lanes(&j);
        regions(&j);
        logs(&j);
    }
    bool oom = j.p.oom;
    perfetto_free(&j.p);
    text_free(&j.name);
    mem_free(j.group_said);
    mem_free(j.g_said);
    return oom ? err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the export") : ERR_OK;
}

static const struct export_command command = {
    .command = {"perfetto", CMD_PERFETTO, usage_head, usage_tail}, .binary = true, .write = write_perfetto};

int perfetto_main(int argc, char **argv)
{
    return export_main(&command, argc, argv);
}
