/*
 * walk.c - bytes to model, through its whole public face, and to one drawn frame.
 *
 * Work is bounded (lanes, spans of a lane, frames), so that a fuzzer spends its time in the decoder.
 */
#include "tests/fuzz/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/spill.h"
#include "decode/input/stream.h"
#include "decode/write/anon.h"
#include "decode/write/cut.h"
#include "decode/dump.h"
#include "decode/trace.h"
#include "layout/frame/frame.h"
#include "tests/support/tracegen.h"

#define MAX_LANES 400
#define MAX_SPANS 2000

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}

static volatile uint64_t sink;

static void look_str(const struct trace *tr, uint32_t id)
{
    struct str s = trace_str(tr, id);
    for (uint32_t i = 0; i < s.len && i < 64; i++)
        sink += (uint8_t)s.p[i];
}

static void look_stack(const struct trace *tr, uint32_t id)
{
    uint32_t n = trace_stack(tr, id);
    for (uint32_t i = 0; i < n && i < 200; i++) {
        struct frame f = trace_frame(tr, id, i);
        look_str(tr, f.func);
        look_str(tr, f.file);
    }
}

static void look_shares(const struct trace *tr, struct lane l, int64_t end)
{
    int64_t edges[9];
    struct shares sh[8];
    for (int i = 0; i <= 8; i++)
        edges[i] = end / 8 * i;
    trace_columns(tr, l, edges, 8, sh);
    for (int i = 0; i < 8; i++) {
        int64_t sum = 0;
        for (int s = 0; s < ST_COUNT; s++) {
            must(sh[i].ns[s] >= 0, "a share is not negative");
            sum += sh[i].ns[s];
        }
        must(sum == edges[i + 1] - edges[i], "shares add up to the column");
    }
}

static void look_lane(const struct trace *tr, struct lane l, int64_t end)
{
    struct lane_info li = trace_lane(tr, l);
    struct span_iter it;
    struct span s;
    look_str(tr, li.name);
    look_stack(tr, li.create_stack);
    look_stack(tr, li.start_stack);
    if (l.kind != LANE_BAND) { /* a damaged trace may name two the same: either will do */
        uint32_t i = trace_find_lane(tr, l.kind, li.id);
        must(i < trace_nlanes(tr, l.kind), "a lane is found by its id");
        must(trace_lane(tr, (struct lane){l.kind, i}).id == li.id, "a lane that is found has the id");
    }
    look_shares(tr, l, end);
    sink += trace_count(tr, l, 0, end);
    sink += trace_longest(tr, l, 0, end, &s);
    sink += trace_span_at(tr, l, end / 2, &s);
    if (!span_seek_index(&it, tr, l, 0))
        return;
    int64_t at = span_get(&it)->t0;
    for (unsigned k = 0; k < MAX_SPANS; k++) {
        const struct span *p = span_get(&it);
        must(p->t0 == at && p->t1 >= p->t0, "spans of a lane are contiguous");
        at = p->t1;
        look_str(tr, p->reason);
        look_str(tr, p->label);
        look_stack(tr, p->stack);
        if (!span_next(&it))
            break;
    }
}

static void look_rest(const struct trace *tr)
{
    const struct range *r;
    const struct task *ta;
    const struct region *re;
    const struct logmsg *lo;
    const struct sample *sa;
    const struct gbucket *gb;
    const struct first_stack *fs;
    int64_t width;
    uint64_t lo_v, hi_v;
    for (int k = 0; k < RANGE_KINDS; k++)
        for (size_t i = 0, n = trace_ranges(tr, (enum range_kind)k, &r); i < n; i++)
            look_str(tr, r[i].name);
    for (size_t i = 0, n = trace_tasks(tr, &ta); i < n; i++)
        look_str(tr, ta[i].name);
    for (size_t i = 0, n = trace_regions(tr, &re); i < n; i++)
        look_str(tr, re[i].name);
    for (size_t i = 0, n = trace_logs(tr, &lo); i < n; i++)
        look_str(tr, lo[i].message);
    for (size_t i = 0, n = trace_samples(tr, &sa); i < n; i++)
        look_stack(tr, sa[i].stack);
    for (int m = 0; m < METRIC_COUNT; m++) {
        for (size_t i = 0, n = trace_npoints(tr, (enum metric)m); i < n; i++)
            sink += trace_point(tr, (enum metric)m, i).v;
        if (trace_minmax(tr, (enum metric)m, 0, trace_info(tr)->end, &lo_v, &hi_v))
            must(lo_v <= hi_v, "the smallest value is not above the largest");
    }
    for (size_t i = 0, n = trace_gcounts(tr, &width, &gb); i < n; i++)
        sink += gb[i].max[0];
    for (size_t i = 0, n = trace_first_stacks(tr, &fs); i < n; i++)
        look_stack(tr, fs[i].stack);
    for (uint32_t i = 0; i < trace_info(tr)->ndamages; i++)
        sink += (uint64_t)trace_damage(tr, i)->what[0];
    for (uint32_t i = 0; i < trace_info(tr)->nwarnings; i++)
        sink += (uint64_t)trace_warning(tr, i)->what[0];
}

/* ---- goroutines told together -------------------------------------------------------------------------- */

struct walked {
    const struct trace *tr;
    uint32_t next; /* the goroutine that is told of next */
    uint64_t spans;
};

static bool walk_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    struct walked *w = arg;
    const struct lane_info is = trace_lane(w->tr, (struct lane){LANE_G, g});
    must(g == w->next++, "goroutines are told of in order");
    must(li->first == is.first && li->last == is.last && li->nspans == is.nspans && li->name == is.name,
         "a walk tells of a goroutine what asking for it does");
    w->spans = 0;
    return true;
}

static bool walk_spans(void *arg, uint32_t g, const struct span_run *r)
{
    struct walked *w = arg;
    (void)g;
    for (uint32_t i = 0; i < r->n; i++)
        sink += span_run_who(r, i) + r->stack[i];
    w->spans += r->n;
    return true;
}

static bool walk_end(void *arg, uint32_t g)
{
    const struct walked *w = arg;
    must(w->spans == trace_lane(w->tr, (struct lane){LANE_G, g}).nspans, "a walk tells of all spans");
    return true;
}

/* All of them, then some from the middle on. */
static void look_walk(const struct trace *tr)
{
    const uint32_t n = trace_nlanes(tr, LANE_G) < MAX_LANES ? trace_nlanes(tr, LANE_G) : MAX_LANES;
    for (int i = 0; i < 2; i++) {
        const uint32_t g0 = i ? n / 3 : 0, g1 = i ? n - n / 4 : n;
        struct walked w = {.tr = tr, .next = g0};
        const struct span_walk walk = {.begin = walk_begin, .spans = walk_spans, .end = walk_end, .arg = &w};
        must(trace_walk(tr, g0, g1, &walk) && w.next == (g1 > g0 ? g1 : g0),
             "a walk tells of all goroutines");
    }
}

/* look_screen - one drawn frame, of every view that is at hand. */
static void look_screen(const struct trace *tr)
{
    struct view v;
    struct grid g = {0};
    struct frame_text text = {0};
    if (!view_init(&v, tr))
        return;
    view_resize(&v, 80, 24);
    must(frame_draw(&g, &v, &text) && g.w == 80 && g.h == 24, "a frame is drawn");
    view_free(&v);
    grid_free(&g);
}

static char *dumped(const struct trace *tr, size_t *len)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, len);
    must(f && dump_trace(tr, f) == 0 && fclose(f) == 0, "a model can be dumped");
    return text;
}

static bool short_of_memory(const struct trace *tr)
{
    for (uint32_t i = 0; i < trace_info(tr)->ndamages; i++)
        if (trace_damage(tr, i)->code == ERR_NOMEM)
            return true;
    return false;
}

static void same(const struct trace *tr, const struct trace *two, const char *what)
{
    size_t a_len = 0, b_len = 0;
    char *a = dumped(tr, &a_len), *b = dumped(two, &b_len);
    must(a_len == b_len && !memcmp(a, b, a_len), what);
    free(a);
    free(b);
}

/* look_other - with threads, within a limit, in steps, with its beginning shown
 * first: the model is the same. */
static void look_other(const struct trace *tr, const uint8_t *data, size_t n, const struct trace_opts *o,
                       int64_t budget)
{
    struct trace *two = NULL;
    struct err e;
    must(trace_open_mem(data, n, o, &two, &e) == ERR_OK, "what one thread opens others open");
    while (trace_load(two, budget) != LOAD_DONE)
        must(trace_info(two)->end >= 0, "time does not end before it begins, while it loads");
    if (!short_of_memory(two))
        same(tr, two, "one thread and any others make the same model");
    trace_close(two);
}

static void look_others(const struct trace *tr, const uint8_t *data, size_t n)
{
    static const struct trace_opts other[] = {
        {.threads = 2, .max_memory = 512u << 20},
        {.threads = 4, .max_memory = 512u << 20},
        {.threads = 1, .max_memory = 512u << 20},
        {.threads = 3, .max_memory = 3u << 20},
    };
    const uint8_t k = data[n - 1] >> 4;
    (void)spill_open();
    look_other(tr, data, n, &other[k % 4], k & 4 ? INT64_MAX : 0);
}

/* look_grown - whole generations as they arrive, shown meanwhile. */
static void look_grown(const struct trace *tr, const uint8_t *data, size_t n)
{
    const struct trace_opts o = {.threads = 1, .max_memory = 512u << 20, .grows = true};
    struct stream st = {0};
    struct err e;
    size_t at = STREAM_HEADER, len;
    struct trace *two = NULL;
    bool all = stream_put(&st, data, n, &e) == ERR_OK && !st.ndamages;
    stream_end(&st);
    uint8_t *p = stream_whole(&st) ? stream_join(&st, 0, stream_whole(&st), &len) : NULL;
    all = all && stream_whole(&st) == st.ngen;
    for (size_t i = 0; p && i < stream_whole(&st); i++) {
        at += st.gen[i].n - STREAM_HEADER;
        if (two)
            trace_grow(two, at);
        else if (trace_open_mem(p, at, &o, &two, &e) != ERR_OK)
            break;
        while (trace_load(two, 0) == LOAD_MORE)
            ;
        if (i < 4)
            look_screen(two);
    }
    if (two) {
        trace_grown(two);
        while (trace_load(two, INT64_MAX) != LOAD_DONE)
            ;
        if (all && !trace_info(tr)->ndamages && !trace_info(two)->ndamages)
            same(tr, two, "what grows becomes what it is as a file");
    }
    trace_close(two);
    mem_free(p);
    stream_free(&st);
}

void walk_bytes(const uint8_t *data, size_t n)
{
    struct trace_opts opts = {.threads = 1, .max_memory = 512u << 20};
    struct trace *tr = NULL;
    struct err e;
    if (trace_open_mem(data, n, &opts, &tr, &e) != ERR_OK) {
        must(tr == NULL && e.code != ERR_OK && e.what[0], "a refusal says why");
        return;
    }
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        ;
    if (!trace_fatal(tr)) {
        int64_t end = trace_info(tr)->end;
        must(end >= 0, "time does not end before it begins");
        for (int k = 0; k < LANE_KINDS; k++)
            for (uint32_t i = 0, m = trace_nlanes(tr, (enum lane_kind)k); i < m && i < MAX_LANES; i++)
                look_lane(tr, (struct lane){(enum lane_kind)k, i}, end);
        look_rest(tr);
        look_walk(tr);
        if (data[n - 1] % 8 == 1) /* a screen takes its time, */
            look_screen(tr);
        if (data[n - 1] % 16 == 0) /* so do threads and two dumps, */
            look_others(tr, data, n);
        if (data[n - 1] % 16 == 8)
            look_grown(tr, data, n);
    }
    trace_close(tr);
}

/* ---- written anew -------------------------------------------------------------------------------------- */

static bool to_buffer(void *arg, const void *p, size_t n)
{
    struct {
        uint8_t *p;
        size_t n;
    } *b = arg;
    uint8_t *q = realloc(b->p, b->n + n + 1);
    if (!q)
        return false;
    memcpy(q + b->n, p, n);
    b->p = q;
    b->n += n;
    return true;
}

/* opens - what we write has a header that we read, and is no larger than it may become. */
static void opens(const uint8_t *p, size_t n, size_t was)
{
    struct trace *tr;
    struct trace_opts o = {.threads = 1};
    struct err e;
    must(n < 64 * was + (1 << 20), "what is written doesn't grow beyond measure");
    must(trace_open_mem(p, n, &o, &tr, &e) == ERR_OK, "what is written is a trace");
    while (trace_load(tr, INT64_MAX) == LOAD_MORE) {
    }
    trace_close(tr);
}

/* walk_rewrite - a few slices of it, and it without its names. */
static void walk_rewrite(const uint8_t *data, size_t n)
{
    static const struct cut_range range[] = {
        {1000, 1000000, 1e9}, {INT64_MIN, 5000, 1e6}, {1, INT64_MAX, 1e9}};
    struct {
        uint8_t *p;
        size_t n;
    } b = {0};
    struct input in = {.data = data, .len = n};
    struct err e = {0};
    for (int i = 0; i < 4; i++) {
        struct outlet out = {.write = to_buffer, .arg = &b};
        struct cut_result cut;
        struct anon a = {0};
        struct anon_result res;
        b.n = 0;
        enum err_code rc =
            i < 3 ? cut_trace(&in, &range[i], &out, &cut, &e) : anon_trace(&in, &a, &out, &res, &e);
        anon_free(&a);
        if (rc == ERR_OK)
            opens(b.p, b.n, n);
    }
    free(b.p);
}

void walk_as(int version, const uint8_t *body, size_t n)
{
    uint8_t *copy = malloc(n + 16);
    if (!copy)
        return;
    size_t head = tracegen_header(version, copy);
    if (n)
        memcpy(copy + head, body, n);
    walk_bytes(copy, head + n);
    if (n && body[n - 1] % 4 == 2) /* and to write it anew */
        walk_rewrite(copy, head + n);
    free(copy);
}
