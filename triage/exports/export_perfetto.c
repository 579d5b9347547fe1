/*
 * export_perfetto.c - `gotop perfetto`: the model as tracks, walked lane by lane, written as it goes.
 *
 * What lies across the edge of the asked-for range is cut there; what was not over when the trace ended stays
 * open, which Perfetto shows as such. A track is announced when its first event comes: lanes that are empty
 * in the range don't show. Regions lie on one track per goroutine and depth, tasks on one each: Perfetto
 * draws siblings with one name as one.
 *
 * The format is one sequence of packets, each packed as a trace of its own (messages of one type may be
 * concatenated). Names, stacks and strings are numbered and written once, at their first use; only their
 * numbers are kept. Packets may be in any order of time, but those of one track and one time keep the order
 * in which they are written.
 */
#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/exports/export.h"
#include "triage/exports/export_run.h"
#include "triage/exports/perfetto.pb-c.h"
#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"

static const char usage_head[] =
    "usage: gotop perfetto [options] -o FILE TRACE\nA trace for Perfetto (ui.perfetto.dev, or "
    "trace_processor for SQL): processors, goroutines by start function, GC, stop-the-world, heap, queue, "
    "tasks, regions and logs.\n";

/* Kinds of tracks: the low bits of their ids, so that none needs a table. */
enum { K_FIXED, K_P, K_G, K_M, K_GROUP, K_REGION, K_TASK };
enum { T_TOP = 1, T_HEAP, T_GOAL, T_PROCS, T_RUNNABLE, T_GC, T_STW, T_PS, T_TASKS, T_GS, T_MS };

static uint64_t track_id(unsigned kind, uint64_t i)
{
    return (i << 3 | kind) + 8;
}

enum { OF_EVENTS, OF_WORDS, OF_TRACKS, NUMBERED };
struct job {
    struct export *x;
    const struct trace *tr;
    const struct scope *sc;
    uint8_t *buf; /* a packed packet */
    size_t cap;
    struct tab numbers[NUMBERED]; /* what has been written already */
    uint32_t nnumbers[NUMBERED];
    struct text tmp, name;
    bool oom;
};

static bool stop(const struct job *j)
{
    return j->oom || out_broken(j->x->out);
}

/* Returns the number of the key (a,b); *fresh: it had none before, so what it stands for is to be written. */
static uint64_t number(struct job *j, int of, uint64_t a, uint64_t b, bool *fresh)
{
    const uint32_t want = j->nnumbers[of] + 1, i = tab_put(&j->numbers[of], a, b, want);
    *fresh = i == want;
    j->oom |= i == TAB_NONE;
    j->nnumbers[of] += *fresh;
    j->tmp.n = 0;
    return i == TAB_NONE ? 0 : i;
}

/* ---- packets ------------------------------------------------------------------------------------------- */

enum { SEQUENCE = 1, NAMES_ANEW = 1, NEEDS_NAMES = 2, BY_RANK = 3, STACK_MAX = 128 };

typedef Perfetto__TracePacket packet;

static packet new_packet(uint32_t flags)
{
    packet p = PERFETTO__TRACE_PACKET__INIT;
    p.has_trusted_packet_sequence_id = p.has_sequence_flags = 1;
    p.trusted_packet_sequence_id = SEQUENCE;
    p.sequence_flags = flags;
    return p;
}

static void put(struct job *j, packet *m)
{
    Perfetto__Trace t = PERFETTO__TRACE__INIT;
    t.n_packet = 1;
    t.packet = &m;
    size_t n = perfetto__trace__get_packed_size(&t);
    j->oom |= !mem_room(j->buf, j->cap, n);
    if (!j->oom)
        out_write(j->x->out, j->buf, perfetto__trace__pack(&t, j->buf));
}

/* ---- names --------------------------------------------------------------------------------------------- */

enum names { CATEGORIES, EVENTS, NOTES, WORDS };

static void put_name(struct job *j, enum names kind, uint64_t id, const char *s)
{
    Perfetto__InternedName x = PERFETTO__INTERNED_NAME__INIT, *px = &x;
    Perfetto__InternedData d = PERFETTO__INTERNED_DATA__INIT;
    packet m = new_packet(NEEDS_NAMES);
    const struct {
        size_t *n;
        Perfetto__InternedName ***v;
    } list[] = {{&d.n_event_categories, &d.event_categories},
                {&d.n_event_names, &d.event_names},
                {&d.n_debug_annotation_names, &d.debug_annotation_names},
                {&d.n_debug_annotation_string_values, &d.debug_annotation_string_values}};
    x.has_iid = 1;
    x.iid = id;
    x.name = (char *)(uintptr_t)s; /* only read */
    *list[kind].n = 1;
    *list[kind].v = &px;
    m.interned_data = &d;
    put(j, &m);
}

/* Returns the text, which is terminated even if it is empty; NULL when out of memory. */
static char *whole(struct job *j, struct text *t)
{
    text_raw(t, "", 0);
    j->oom |= !text_ok(t);
    return text_ok(t) ? t->p : NULL;
}

static void put_tmp(struct job *j, enum names kind, uint64_t id)
{
    const char *s = whole(j, &j->tmp);
    if (s)
        put_name(j, kind, id, s);
}

/* Returns the number of an event's name, which is state_name(state) and the string in brackets, or with
 * ST_NONE only the string. The stack of a wait may show that it was on a pipe, which no reason says. */
static uint64_t name_number(struct job *j, uint8_t state, uint32_t str, uint32_t wait_stack)
{
    const struct str own = trace_str(j->tr, str);
    const struct str s = state == ST_WAITING && str ? stacks_reason(j->tr, str, wait_stack) : own;
    const unsigned pipe = s.p == own.p ? 0 : wait_stack ? 1 : 2;
    bool fresh;
    const uint64_t id = number(j, OF_EVENTS, state, (uint64_t)pipe << 32 | str, &fresh);
    if (fresh) {
        if (state != ST_NONE)
            text_add(&j->tmp, "%s%s", state_name((enum state)state), str ? " (" : "");
        out_name(&j->tmp, s, NULL);
        text_raw(&j->tmp, ")", state != ST_NONE && str);
        text_raw(&j->tmp, "?", state == ST_NONE && !s.len);
        put_tmp(j, EVENTS, id);
    }
    return id;
}

static uint64_t word_number(struct job *j, uint32_t str)
{
    bool fresh;
    uint64_t id = number(j, OF_WORDS, 0, str, &fresh);
    if (fresh) {
        out_name(&j->tmp, trace_str(j->tr, str), NULL);
        put_tmp(j, WORDS, id);
    }
    return id;
}

/* Functions, innermost first, a line each. */
static uint64_t stack_number(struct job *j, uint32_t stack)
{
    bool fresh;
    uint64_t id = number(j, OF_WORDS, 1, stack, &fresh);
    if (fresh) {
        uint32_t n = trace_stack(j->tr, stack);
        for (uint32_t i = 0; i < n && i < STACK_MAX; i++) {
            struct frame f = trace_frame(j->tr, stack, i);
            text_raw(&j->tmp, "\n", i > 0);
            if (f.func) {
                out_name(&j->tmp, trace_str(j->tr, f.func), NULL);
                text_add(&j->tmp, ":%" PRIu64, f.line);
            } else {
                text_add(&j->tmp, "0x%" PRIx64, f.pc);
            }
        }
        put_tmp(j, WORDS, id);
    }
    return id;
}

/* ---- events -------------------------------------------------------------------------------------------- */

enum note {
    NOTE_GOROUTINE = 1,
    NOTE_START,
    NOTE_PROCESSOR,
    NOTE_REASON,
    NOTE_STACK,
    NOTE_WAKER,
    NOTE_WAKER_START,
    NOTE_WAKER_STACK,
    NOTE_TASK,
    NOTE_PARENT,
    NOTE_MESSAGE,
    NOTE_NAMES
};
enum { CAT_TASK = ST_COUNT + 1, CAT_REGION, CAT_LOG }; /* category of a span: its state + 1 */

struct event { /* it is put together in place, so it must not be copied */
    Perfetto__TrackEvent e;
    Perfetto__DebugAnnotation note[6], *notes[6];
    uint64_t category;
    int64_t t0, t1; /* t1 = NO_TIME: it is not over */
};

static void event_on(struct event *v, uint64_t track, uint64_t category)
{
    perfetto__track_event__init(&v->e);
    v->category = category;
    v->e.has_track_uuid = v->e.has_type = v->e.has_name_iid = 1;
    v->e.track_uuid = track;
    v->e.debug_annotations = v->notes;
    v->e.n_category_iids = 1;
    v->e.category_iids = &v->category;
}

static Perfetto__DebugAnnotation *note(struct event *v, enum note name)
{
    Perfetto__DebugAnnotation *a = v->notes[v->e.n_debug_annotations] = &v->note[v->e.n_debug_annotations];
    v->e.n_debug_annotations++;
    perfetto__debug_annotation__init(a);
    a->has_name_iid = 1;
    a->name_iid = name;
    return a;
}

static void note_number(struct event *v, enum note name, uint64_t n)
{
    Perfetto__DebugAnnotation *a = note(v, name);
    a->has_uint_value = 1;
    a->uint_value = n;
}

static void note_word(struct event *v, enum note name, uint64_t word)
{
    Perfetto__DebugAnnotation *a = note(v, name);
    a->has_string_value_iid = 1;
    a->string_value_iid = word;
}

static void note_stack(struct job *j, struct event *v, enum note name, uint32_t stack)
{
    if (stack)
        note_word(v, name, stack_number(j, stack));
}

static void note_g(struct job *j, struct event *v, enum note id, enum note start, uint32_t g)
{
    if (g != NO_LANE) {
        struct lane_info i = trace_lane_who(j->tr, (struct lane){LANE_G, g});
        note_number(v, id, i.id);
        if (i.name)
            note_word(v, start, word_number(j, i.name));
    }
}

static void note_p(struct job *j, struct event *v, uint32_t p)
{
    if (p != NO_LANE)
        note_number(v, NOTE_PROCESSOR, trace_lane_who(j->tr, (struct lane){LANE_P, p}).id);
}

static void put_event(struct job *j, Perfetto__TrackEvent *e, int64_t t, Perfetto__TrackEvent__Type type)
{
    packet m = new_packet(e->has_name_iid ? NEEDS_NAMES : 0);
    m.has_timestamp = 1;
    m.timestamp = t > 0 ? (uint64_t)t : 0;
    e->type = type;
    m.track_event = e;
    put(j, &m);
}

/* Writes what lies between v->t0 and v->t1. */
static void put_slice(struct job *j, struct event *v)
{
    put_event(j, &v->e, v->t0, PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN);
    if (v->t1 != NO_TIME) {
        Perfetto__TrackEvent end = PERFETTO__TRACK_EVENT__INIT;
        end.has_track_uuid = end.has_type = 1;
        end.track_uuid = v->e.track_uuid;
        put_event(j, &end, v->t1, PERFETTO__TRACK_EVENT__TYPE__SLICE_END);
    }
}

/* Writes the value that a counter has from t on. */
static void put_count(struct job *j, uint64_t track, int64_t t, uint64_t v)
{
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    e.has_track_uuid = e.has_type = e.has_counter_value = 1;
    e.track_uuid = track;
    e.counter_value = v < INT64_MAX ? (int64_t)v : INT64_MAX;
    put_event(j, &e, t, PERFETTO__TRACK_EVENT__TYPE__COUNTER);
}

static void begin(struct job *j)
{
    static const char *const notes[NOTE_NAMES] = {[NOTE_GOROUTINE] = "goroutine",
                                                  [NOTE_START] = "start function",
                                                  [NOTE_PROCESSOR] = "processor",
                                                  [NOTE_REASON] = "reason",
                                                  [NOTE_STACK] = "stack",
                                                  [NOTE_WAKER] = "woken by goroutine",
                                                  [NOTE_WAKER_START] = "its start function",
                                                  [NOTE_WAKER_STACK] = "its stack",
                                                  [NOTE_TASK] = "task",
                                                  [NOTE_PARENT] = "parent task",
                                                  [NOTE_MESSAGE] = "message"};
    const struct trace_info *i = trace_info(j->tr);
    packet first = new_packet(NAMES_ANEW);
    Perfetto__ClockSnapshot snap = PERFETTO__CLOCK_SNAPSHOT__INIT;
    Perfetto__ClockSnapshot__Clock c[2], *pc[2] = {&c[0], &c[1]};
    if (i->has_wall && i->wall_sec > 0 && i->wall_sec < INT64_MAX / 1000000000 - 1) {
        for (int k = 0; k < 2; k++) {
            perfetto__clock_snapshot__clock__init(&c[k]);
            c[k].has_clock_id = c[k].has_timestamp = 1;
        }
        c[0].clock_id = 6; /* t = 0 of the packets' clock .. */
        c[1].clock_id = 1; /* .. is this time of day */
        c[1].timestamp = (uint64_t)(i->wall_sec * 1000000000 + i->wall_nsec);
        snap.n_clocks = 2;
        snap.clocks = pc;
        first.clock_snapshot = &snap;
        first.has_timestamp = 1;
    }
    put(j, &first);
    for (unsigned s = 0; s < ST_COUNT; s++)
        put_name(j, CATEGORIES, s + 1, state_name((enum state)s));
    put_name(j, CATEGORIES, CAT_TASK, "task");
    put_name(j, CATEGORIES, CAT_REGION, "region");
    put_name(j, CATEGORIES, CAT_LOG, "log");
    for (unsigned n = 1; n < NOTE_NAMES; n++)
        put_name(j, NOTES, n, notes[n]);
}

/* ---- tracks -------------------------------------------------------------------------------------------- */

struct track {
    uint64_t id, parent; /* never 0, except for the parent of a top-level track */
    int32_t rank;        /* position among its siblings */
    bool counter, bytes;
};

/* Returns whether the track has not been declared yet, and notes that it is now. */
static bool first_on(struct job *j, uint64_t track)
{
    bool fresh;
    (void)number(j, OF_TRACKS, track, 0, &fresh);
    return fresh;
}

/* Declares a track, called as j->name says. */
static void announce(struct job *j, struct track t)
{
    Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__CounterDescriptor c = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    packet m = new_packet(0);
    d.has_uuid = d.has_sibling_order_rank = 1;
    d.uuid = t.id;
    d.has_parent_uuid = t.parent != 0;
    d.parent_uuid = t.parent;
    d.name = whole(j, &j->name);
    d.sibling_order_rank = t.rank;
    d.has_child_ordering = !t.counter;
    d.child_ordering = BY_RANK;
    if (t.counter) {
        c.has_unit = 1;
        c.unit = t.bytes ? 3 : 2;
        d.counter = &c;
    }
    m.track_descriptor = &d;
    put(j, &m);
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
    if (first_on(j, id)) {
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
    if (first_on(j, id)) {
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
    if (!first_on(j, t.id))
        return t.id;
    if (l.kind == LANE_G) {
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

/* Cut to the range; open at the end only if the trace is, too. */
static void set_time(const struct job *j, struct event *s, int64_t t0, int64_t t1, bool open_end)
{
    s->t0 = t0 > j->sc->from ? t0 : j->sc->from;
    s->t1 = t1 > j->sc->to ? j->sc->to : open_end ? NO_TIME : t1;
}

static void g_span(struct job *j, struct event *s, const struct span *sp)
{
    const bool reason = sp->state == ST_WAITING || sp->state == ST_RUNNABLE;
    s->e.name_iid = name_number(j, sp->state, reason ? sp->reason : 0, sp->stack);
    if (sp->state == ST_RUNNABLE && sp->who != NO_LANE) {
        note_g(j, s, NOTE_WAKER, NOTE_WAKER_START, sp->who);
        note_stack(j, s, NOTE_WAKER_STACK, sp->stack);
        return;
    }
    if (sp->state == ST_RUNNING || sp->state == ST_SYSCALL)
        note_p(j, s, sp->who);
    note_stack(j, s, NOTE_STACK, sp->stack);
}

static void p_span(struct job *j, struct event *s, const struct span *sp)
{
    uint32_t name = sp->who == NO_LANE ? 0 : trace_g_name(j->tr, sp->who);
    bool plain = sp->state == ST_RUNNING && name; /* the function alone; else the state, then the function */
    s->e.name_iid = name_number(j, plain ? ST_NONE : sp->state, name, 0);
    note_g(j, s, NOTE_GOROUTINE, NOTE_START, sp->who);
    note_p(j, s, sp->proc);
}

static bool shown(const struct job *j, struct lane l, const struct span *s)
{
    if (s->state == ST_NONE || s->state == ST_UNKNOWN || !scope_overlaps(j->sc, s->t0, s->t1))
        return false;
    return l.kind == LANE_G || (s->state != ST_IDLE && scope_g(j->sc, s->who));
}

static void lane_slices(struct job *j, struct lane l)
{
    struct span_iter it;
    uint64_t track = 0;
    if ((l.kind == LANE_G && !scope_g(j->sc, l.i)) || !span_seek(&it, j->tr, l, j->sc->from))
        return;
    do {
        const struct span *s = span_get(&it);
        if (s->t0 >= j->sc->to)
            return;
        if (!shown(j, l, s))
            continue;
        track = track ? track : lane_track(j, l);
        struct event sl;
        event_on(&sl, track, s->state + 1u);
        set_time(j, &sl, s->t0, s->t1, s->open_end);
        if (l.kind == LANE_G)
            g_span(j, &sl, s);
        else
            p_span(j, &sl, s);
        put_slice(j, &sl);
    } while (span_next(&it) && !stop(j));
}

static bool wants(const struct job *j, enum lane_kind k)
{
    const struct lanes_asked *asked = &j->x->o->lanes;
    return asked->given ? asked->kind[k] : k != LANE_M;
}

static void lanes(struct job *j)
{
    static const enum lane_kind order[] = {LANE_P, LANE_M, LANE_G};
    uint64_t done = 0, all = 0;
    for (int k = 0; k < 3; k++)
        all += wants(j, order[k]) ? trace_nlanes(j->tr, order[k]) : 0;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; wants(j, order[k]) && i < trace_nlanes(j->tr, order[k]) && !stop(j); i++) {
            lane_slices(j, (struct lane){order[k], i});
            export_progress(j->x, (double)++done / (double)all);
        }
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
        const uint8_t state = k == RANGE_STW ? ST_STW : ST_GC;
        struct event s;
        event_on(&s, fixed(j, which), state + 1u);
        s.e.name_iid = name_number(j, state, x.name, 0);
        set_time(j, &s, x.t0, x.t1, x.open_end);
        if (k == RANGE_STW && !x.scope_p)
            note_g(j, &s, NOTE_GOROUTINE, NOTE_START, x.owner);
        note_stack(j, &s, NOTE_STACK, x.stack);
        put_slice(j, &s);
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
            put_count(j, fixed(j, which), holds ? j->sc->from : v.t, v.v);
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
        if (!same && scope_overlaps(j->sc, t, t + width))
            put_count(j, fixed(j, T_RUNNABLE), t > j->sc->from ? t : j->sc->from, b[i].max[GC_RUNNABLE]);
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
        struct event s;
        event_on(&s, track_id(K_TASK, i), CAT_TASK);
        struct track t = {
            .id = s.e.track_uuid, .parent = fixed(j, T_TASKS), .rank = (int32_t)(v[i].name & INT32_MAX)};
        out_name(&j->name, trace_str(j->tr, v[i].name), NULL);
        announce(j, t);
        s.e.name_iid = name_number(j, ST_NONE, v[i].name, 0);
        set_time(j, &s, v[i].t0, v[i].t1, v[i].open_end);
        note_number(&s, NOTE_TASK, v[i].id);
        if (v[i].parent)
            note_number(&s, NOTE_PARENT, v[i].parent);
        note_g(j, &s, NOTE_GOROUTINE, NOTE_START, v[i].g);
        note_stack(j, &s, NOTE_STACK, v[i].stack);
        put_slice(j, &s);
    }
}

static void regions(struct job *j)
{
    const struct region *v;
    size_t n = wants(j, LANE_G) ? trace_regions(j->tr, &v) : 0;
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t0, v[i].t1) || v[i].g == NO_LANE || !scope_g(j->sc, v[i].g))
            continue;
        uint64_t track = track_id(K_REGION, (uint64_t)v[i].g << 16 | v[i].depth);
        struct lane_info info = trace_lane_who(j->tr, (struct lane){LANE_G, v[i].g});
        if (first_on(j, track)) {
            struct track t = {.id = track, .rank = (int32_t)(v[i].g & INT32_MAX)};
            t.parent = goroutine_group(j, info.name);
            text_add(&j->name, "G %" PRIu64 " regions", info.id);
            announce(j, t);
        }
        struct event s;
        event_on(&s, track, CAT_REGION);
        s.e.name_iid = name_number(j, ST_NONE, v[i].name, 0);
        set_time(j, &s, v[i].t0, v[i].t1, v[i].open_end);
        if (v[i].task)
            note_number(&s, NOTE_TASK, v[i].task);
        note_stack(j, &s, NOTE_STACK, v[i].stack);
        put_slice(j, &s);
    }
}

static void logs(struct job *j)
{
    const struct logmsg *v;
    size_t n = wants(j, LANE_G) ? trace_logs(j->tr, &v) : 0;
    for (size_t i = 0; i < n && !stop(j); i++) {
        if (!scope_overlaps(j->sc, v[i].t, v[i].t) || v[i].g == NO_LANE || !scope_g(j->sc, v[i].g))
            continue;
        struct event s;
        event_on(&s, lane_track(j, (struct lane){LANE_G, v[i].g}), CAT_LOG);
        s.e.name_iid = name_number(j, ST_NONE, v[i].category, 0);
        out_name(&j->name, trace_str(j->tr, v[i].message), NULL);
        note(&s, NOTE_MESSAGE)->string_value = whole(j, &j->name);
        if (v[i].task)
            note_number(&s, NOTE_TASK, v[i].task);
        put_event(j, &s.e, v[i].t, PERFETTO__TRACK_EVENT__TYPE__INSTANT);
        j->name.n = 0;
    }
}

/* ---- gotop perfetto ------------------------------------------------------------------------------------ */

static enum err_code write_perfetto(struct export *x, struct err *e)
{
    struct job j = {.x = x, .tr = x->tr, .sc = &x->scope};
    begin(&j);
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
    for (int i = 0; i < NUMBERED; i++)
        tab_free(&j.numbers[i]);
    text_free(&j.tmp);
    text_free(&j.name);
    mem_free(j.buf);
    return j.oom ? err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the export") : ERR_OK;
}

static const struct export_command command = {
    .command = {"perfetto", CMD_PERFETTO, usage_head, EXPORT_TAIL}, .binary = true, .write = write_perfetto};

int perfetto_main(int argc, char **argv)
{
    return export_main(&command, argc, argv);
}
