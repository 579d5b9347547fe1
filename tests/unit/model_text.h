/*
 * model_text.h - all that a trace says as text, by names and ids and not by what they are numbered as: two
 * ways to the same model are held against each other by it.
 */
#ifndef GOTOP_TESTS_MODEL_TEXT_H
#define GOTOP_TESTS_MODEL_TEXT_H

#include "tests/unit/decode_help.h"

static inline void put_lane(struct tracegen_buf *b, const struct trace *tr, const char *what,
                            enum lane_kind k, uint32_t i)
{
    if (i != NO_LANE)
        tracegen_printf(b, " %s %c%" PRIu64, what, "PGMB"[k], raw_id(tr, k, i));
}

static inline void put_stack(struct tracegen_buf *b, const struct trace *tr, const char *what, uint32_t stack)
{
    for (uint32_t i = 0, n = trace_stack(tr, stack); i < n; i++) {
        const struct frame f = trace_frame(tr, stack, i);
        tracegen_printf(b, "%s", i ? "," : what);
        put_name(b, tr, f.func);
        tracegen_printf(b, ":%" PRIu64, f.line);
    }
}

static inline void put_open(struct tracegen_buf *b, int64_t t0, int64_t t1, bool open_start, bool open_end)
{
    tracegen_printf(b, "%s%" PRId64 "-%" PRId64 "%s ", open_start ? "<" : "", t0, t1, open_end ? ">" : "");
}

static inline void lanes_as_text(struct tracegen_buf *b, const struct trace *tr, enum lane_kind k)
{
    for (uint32_t i = 0; i < trace_nlanes(tr, k); i++) {
        const struct lane l = {k, i};
        const struct lane_info li = trace_lane(tr, l);
        struct span_iter it;
        tracegen_printf(b,
                        "%c%" PRIu64 ": %" PRIu64 " spans, %" PRId64 "-%" PRId64 ", seen %" PRId64
                        ", no P %" PRId64 "%s%s%s%s%s name ",
                        "PGMB"[k], li.id, li.nspans, li.first, li.last, li.seen, li.no_p_ns,
                        li.ended ? " ended" : "", li.created ? " created" : "", li.is_system ? " system" : "",
                        li.is_worker ? " worker" : "", li.name_inferred ? " inferred" : "");
        put_name(b, tr, li.name);
        put_lane(b, tr, "by", LANE_G, k == LANE_G ? li.creator : NO_LANE);
        put_stack(b, tr, " at ", li.create_stack);
        put_stack(b, tr, " in ", li.start_stack);
        tracegen_printf(b, "\n");
        lane_text(b, tr, l);
        for (bool more = span_seek_index(&it, tr, l, 0); more; more = span_next(&it)) {
            put_stack(b, tr, "at ", span_get(&it)->stack);
            put_stack(b, tr, " to ", span_get(&it)->stack_end);
        }
    }
}

static inline void ranges_as_text(struct tracegen_buf *b, const struct trace *tr)
{
    static const char *const name[] = {"gc", "stw", "sweep", "assist"};
    for (int k = 0; k < RANGE_KINDS; k++) {
        const struct range *r;
        const size_t n = trace_ranges(tr, (enum range_kind)k, &r);
        for (size_t i = 0; i < n; i++) {
            put_open(b, r[i].t0, r[i].t1, r[i].open_start, r[i].open_end);
            tracegen_printf(b, "%s seen %" PRId64, name[k], r[i].seen);
            if (k != RANGE_GC)
                put_lane(b, tr, "of", k == RANGE_SWEEP ? LANE_P : LANE_G, r[i].owner);
            if (!r[i].open_end && k != RANGE_STW && k != RANGE_ASSIST)
                tracegen_printf(b, " %" PRIu64 ",%" PRIu64, r[i].a, k == RANGE_SWEEP ? r[i].b : 0);
            tracegen_printf(b, " ");
            put_name(b, tr, r[i].name);
            put_stack(b, tr, " at ", r[i].stack);
            tracegen_printf(b, "\n");
        }
    }
}

static inline void notes_as_text(struct tracegen_buf *b, const struct trace *tr)
{
    const struct task *t;
    const struct region *r;
    const struct logmsg *l;
    const struct sample *s;
    struct point x;
    for (size_t i = 0, n = trace_tasks(tr, &t); i < n; i++) {
        put_open(b, t[i].t0, t[i].t1, t[i].open_start, t[i].open_end);
        tracegen_printf(b, "task %" PRIu64 " of %" PRIu64 " ", t[i].id, t[i].parent);
        put_name(b, tr, t[i].name);
        put_lane(b, tr, "begun by", LANE_G, t[i].g);
        put_lane(b, tr, "ended by", LANE_G, t[i].g_end);
        put_stack(b, tr, " at ", t[i].stack);
        tracegen_printf(b, "\n");
    }
    for (size_t i = 0, n = trace_regions(tr, &r); i < n; i++) {
        put_open(b, r[i].t0, r[i].t1, r[i].open_start, r[i].open_end);
        tracegen_printf(b, "region ");
        put_name(b, tr, r[i].name);
        tracegen_printf(b, " of task %" PRIu64 " depth %u", r[i].task, r[i].depth);
        put_lane(b, tr, "in", LANE_G, r[i].g);
        put_stack(b, tr, " at ", r[i].stack);
        put_stack(b, tr, " to ", r[i].stack_end);
        tracegen_printf(b, "\n");
    }
    for (size_t i = 0, n = trace_logs(tr, &l); i < n; i++) {
        tracegen_printf(b, "%" PRId64 " log of task %" PRIu64 " ", l[i].t, l[i].task);
        put_name(b, tr, l[i].category);
        tracegen_printf(b, "=");
        put_name(b, tr, l[i].message);
        put_lane(b, tr, "in", LANE_G, l[i].g);
        put_stack(b, tr, " at ", l[i].stack);
        tracegen_printf(b, "\n");
    }
    for (size_t i = 0, n = trace_samples(tr, &s); i < n; i++) {
        tracegen_printf(b, "%" PRId64 " sample", s[i].t);
        put_lane(b, tr, "of", LANE_G, s[i].g);
        put_lane(b, tr, "on", LANE_P, s[i].p);
        put_lane(b, tr, "by", LANE_M, s[i].m);
        put_stack(b, tr, " at ", s[i].stack);
        tracegen_printf(b, "\n");
    }
    for (int m = 0; m < METRIC_COUNT; m++)
        for (size_t i = 0; i < trace_npoints(tr, (enum metric)m); i++) {
            x = trace_point(tr, (enum metric)m, i);
            tracegen_printf(b, "%" PRId64 " metric %d = %" PRIu64 "\n", x.t, m, x.v);
        }
}

/* model_text - free() it. */
static inline char *model_text(const struct trace *tr)
{
    struct tracegen_buf b = {0};
    const struct trace_info *in = trace_info(tr);
    const struct gbucket *gb;
    const struct first_stack *first;
    int64_t width;
    for (int k = 0; k < LANE_KINDS; k++)
        lanes_as_text(&b, tr, (enum lane_kind)k);
    ranges_as_text(&b, tr);
    notes_as_text(&b, tr);
    for (size_t i = 0, n = trace_gcounts(tr, &width, &gb); i < n; i++)
        for (int c = 0; c < GC_COUNT; c++)
            tracegen_printf(&b, "%" PRIu64 "/%u ", gb[i].ns[c], gb[i].max[c]);
    for (size_t i = 0, n = trace_first_stacks(tr, &first); i < n; i++) {
        tracegen_printf(&b, "\n%" PRId64 " first stack", first[i].t);
        put_lane(&b, tr, "of", LANE_G, first[i].g);
        put_stack(&b, tr, " ", first[i].stack);
    }
    tracegen_printf(&b,
                    "\n%" PRIu64 " events to %" PRId64 ", %u generations, %" PRIu64 " batches, procs %u\n",
                    in->events, in->end, in->generations, in->batches, in->gomaxprocs);
    for (int c = 0; c < EC_COUNT; c++)
        tracegen_printf(&b, "%" PRIu64 " ", in->count[c]);
    for (uint32_t i = 0; trace_damage(tr, i); i++)
        tracegen_printf(&b, "\nD %d: %s", (int)trace_damage(tr, i)->code, trace_damage(tr, i)->what);
    for (uint32_t i = 0; trace_warning(tr, i); i++)
        tracegen_printf(&b, "\nW %s", trace_warning(tr, i)->what);
    tracegen_printf(&b, "\n");
    return (char *)b.p;
}

/* same_text - fails where two models' texts part, telling the lines. */
static inline void same_text(const char *label, const char *a, const char *b)
{
    size_t at = 0, line = 0;
    for (; a[at] && a[at] == b[at]; at++)
        line = a[at] == '\n' ? at + 1 : line;
    if (a[at] != b[at])
        fail_msg("%s:\n-- one\n%.300s\n-- other\n%.300s", label, a + line, b + line);
}

#endif
