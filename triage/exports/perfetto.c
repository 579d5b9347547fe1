/*
 * perfetto.c - see perfetto.h. One sequence of packets: the first resets the interned names, and each
 * packet that uses names says so. Each packet is packed as a trace of its own (messages of one type may be
 * concatenated).
 */
#include "triage/exports/perfetto.h"

#include "triage/tables/stacks.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/exports/perfetto.pb-c.h"

#define SEQUENCE 1
#define NAMES_ANEW 1
#define NEEDS_NAMES 2
#define BY_RANK 3
#define STACK_MAX 128

typedef Perfetto__TracePacket packet;

static packet new_packet(uint32_t flags)
{
    packet p = PERFETTO__TRACE_PACKET__INIT;
    p.has_trusted_packet_sequence_id = p.has_sequence_flags = 1;
    p.trusted_packet_sequence_id = SEQUENCE;
    p.sequence_flags = flags;
    return p;
}

static void put(struct perfetto *p, packet *m)
{
    Perfetto__Trace t = PERFETTO__TRACE__INIT;
    t.n_packet = 1;
    t.packet = &m;
    size_t n = perfetto__trace__get_packed_size(&t);
    uint8_t *buf = mem_grow(p->buf, &p->cap, n, 1);
    if (!buf) {
        p->oom = true;
        return;
    }
    p->buf = buf;
    out_write(p->out, buf, perfetto__trace__pack(&t, buf));
}

/* ---- names --------------------------------------------------------------------------------------------- */

enum names { CATEGORIES, EVENTS, NOTES, WORDS };

static void put_name(struct perfetto *p, enum names kind, uint64_t id, const char *s)
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
    put(p, &m);
}

/* Returns the number of key (a,b) in a table; *fresh: it is new, and the caller writes its value. */
static uint64_t number(struct perfetto *p, struct tab *t, uint32_t *n, uint64_t a, uint64_t b, bool *fresh)
{
    uint32_t want = *n + 1, i = tab_put(t, a, b, want);
    *fresh = i == want;
    p->oom |= i == TAB_NONE;
    *n += *fresh;
    return i == TAB_NONE ? 0 : i;
}

static void put_tmp(struct perfetto *p, enum names kind, uint64_t id)
{
    text_raw(&p->tmp, "", 0); /* there is always a byte, if only the terminator */
    if (!text_ok(&p->tmp)) {
        p->oom = true;
        return;
    }
    put_name(p, kind, id, p->tmp.p);
}

enum {
    WAIT_PIPE = ST_COUNT,
    WAIT_EITHER
}; /* offset above the states, for the text of stacks_reason() instead of the trace's reason */

uint64_t perfetto_name(struct perfetto *p, uint8_t state, uint32_t str)
{
    bool fresh;
    uint64_t id = number(p, &p->names, &p->nnames, state, str, &fresh);
    if (fresh) {
        p->tmp.n = 0;
        if (state != ST_NONE)
            text_add(&p->tmp, "%s%s", state_name((enum state)state), str ? " (" : "");
        out_name(&p->tmp, trace_str(p->tr, str), NULL);
        text_raw(&p->tmp, ")", state != ST_NONE && str);
        text_raw(&p->tmp, "?", state == ST_NONE && !trace_str(p->tr, str).len);
        put_tmp(p, EVENTS, id);
    }
    return id;
}

uint64_t perfetto_wait(struct perfetto *p, uint32_t reason, uint32_t stack)
{
    const struct str s = stacks_reason(p->tr, reason, stack), said = trace_str(p->tr, reason);
    bool fresh;
    if (!reason || s.p == said.p)
        return perfetto_name(p, ST_WAITING, reason);
    const uint64_t id = number(p, &p->names, &p->nnames, stack ? WAIT_PIPE : WAIT_EITHER, reason, &fresh);
    if (fresh) {
        p->tmp.n = 0;
        text_add(&p->tmp, "%s (%.*s)", state_name(ST_WAITING), (int)s.len, s.p);
        put_tmp(p, EVENTS, id);
    }
    return id;
}

uint64_t perfetto_word(struct perfetto *p, uint32_t str)
{
    bool fresh;
    uint64_t id = number(p, &p->words, &p->nwords, 0, str, &fresh);
    if (fresh) {
        p->tmp.n = 0;
        out_name(&p->tmp, trace_str(p->tr, str), NULL);
        put_tmp(p, WORDS, id);
    }
    return id;
}

uint64_t perfetto_stack(struct perfetto *p, uint32_t stack)
{
    bool fresh;
    uint64_t id = number(p, &p->words, &p->nwords, 1, stack, &fresh);
    if (fresh) {
        uint32_t n = trace_stack(p->tr, stack);
        p->tmp.n = 0;
        for (uint32_t i = 0; i < n && i < STACK_MAX; i++) {
            struct frame f = trace_frame(p->tr, stack, i);
            text_raw(&p->tmp, "\n", i > 0);
            if (f.func) {
                out_name(&p->tmp, trace_str(p->tr, f.func), NULL);
                text_add(&p->tmp, ":%" PRIu64, f.line);
            } else {
                text_add(&p->tmp, "0x%" PRIx64, f.pc);
            }
        }
        put_tmp(p, WORDS, id);
    }
    return id;
}

/* ---- tracks and events --------------------------------------------------------------------------------- */

void perfetto_begin(struct perfetto *p, const struct trace *tr, struct out *out)
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
    const struct trace_info *i = trace_info(tr);
    *p = (struct perfetto){.tr = tr, .out = out};
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
    put(p, &first);
    for (unsigned s = 0; s < ST_COUNT; s++)
        put_name(p, CATEGORIES, s + 1, state_name((enum state)s));
    put_name(p, CATEGORIES, CAT_TASK, "task");
    put_name(p, CATEGORIES, CAT_REGION, "region");
    put_name(p, CATEGORIES, CAT_LOG, "log");
    for (unsigned n = 1; n < NOTE_NAMES; n++)
        put_name(p, NOTES, n, notes[n]);
}

void perfetto_free(struct perfetto *p)
{
    tab_free(&p->names);
    tab_free(&p->words);
    text_free(&p->tmp);
    mem_free(p->buf);
    *p = (struct perfetto){0};
}

void perfetto_track(struct perfetto *p, const struct track *t, const char *name)
{
    Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__CounterDescriptor c = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    packet m = new_packet(0);
    d.has_uuid = 1;
    d.uuid = t->id;
    d.has_parent_uuid = t->parent != 0;
    d.parent_uuid = t->parent;
    d.name = (char *)(uintptr_t)name; /* only read */
    d.has_sibling_order_rank = 1;
    d.sibling_order_rank = t->rank;
    d.has_child_ordering = !t->counter;
    d.child_ordering = BY_RANK;
    if (t->counter) {
        c.has_unit = 1;
        c.unit = t->bytes ? 3 : 2;
        d.counter = &c;
    }
    m.track_descriptor = &d;
    put(p, &m);
}

static void put_event(struct perfetto *p, Perfetto__TrackEvent *e, uint64_t track, int64_t t,
                      Perfetto__TrackEvent__Type type)
{
    packet m = new_packet(e->has_name_iid ? NEEDS_NAMES : 0);
    m.has_timestamp = 1;
    m.timestamp = t > 0 ? (uint64_t)t : 0;
    e->has_track_uuid = e->has_type = 1;
    e->track_uuid = track;
    e->type = type;
    m.track_event = e;
    put(p, &m);
}

static void put_named(struct perfetto *p, const struct slice *s, Perfetto__TrackEvent__Type type)
{
    Perfetto__DebugAnnotation a[PERFETTO_NOTES], *pa[PERFETTO_NOTES];
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    uint64_t category = s->category;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct note *n = &s->note[i];
        perfetto__debug_annotation__init(&a[i]);
        a[i].has_name_iid = 1;
        a[i].name_iid = n->name;
        a[i].string_value = n->text;
        a[i].has_string_value_iid = !n->text && n->is_name;
        a[i].string_value_iid = n->v;
        a[i].has_uint_value = !n->text && !n->is_name;
        a[i].uint_value = n->v;
        pa[i] = &a[i];
    }
    e.n_debug_annotations = s->n;
    e.debug_annotations = pa;
    e.n_category_iids = 1;
    e.category_iids = &category;
    e.has_name_iid = 1;
    e.name_iid = s->name;
    put_event(p, &e, s->track, s->t0, type);
}

void perfetto_slice(struct perfetto *p, const struct slice *s)
{
    put_named(p, s, PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN);
    if (s->t1 != NO_TIME) {
        Perfetto__TrackEvent end = PERFETTO__TRACK_EVENT__INIT;
        put_event(p, &end, s->track, s->t1, PERFETTO__TRACK_EVENT__TYPE__SLICE_END);
    }
}

void perfetto_instant(struct perfetto *p, const struct slice *s)
{
    put_named(p, s, PERFETTO__TRACK_EVENT__TYPE__INSTANT);
}

void perfetto_count(struct perfetto *p, uint64_t track, int64_t t, uint64_t v)
{
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    e.has_counter_value = 1;
    e.counter_value = v < INT64_MAX ? (int64_t)v : INT64_MAX;
    put_event(p, &e, track, t, PERFETTO__TRACK_EVENT__TYPE__COUNTER);
}
