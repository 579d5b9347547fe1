/*
 * stackweights.c - see stackweights.h.
 */
#include "triage/tables/stackweights.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/tables/slices.h"
#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"

struct build {
    const struct trace *tr;
    enum sw_kind kind;
    struct sw_filter f;
    struct sw_table *out;
    struct tab by_stack;
    size_t cap;
    struct tab reasons; /* string -> 0 no, 1 yes: is it one that SW_SYNC or SW_NET counts */
};

static const char *const names[SW_KINDS] = {"cpu",   "sync",   "net",    "syscall", "sched",
                                            "oncpu", "assist", "offcpu", "off"};

bool sw_kind_parse(const char *name, enum sw_kind *k)
{
    for (int i = 0; i < SW_KINDS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *k = (enum sw_kind)i;
            return true;
        }
    }
    return false;
}

uint32_t sw_stack(const struct trace *tr, uint32_t stack)
{
    const struct frame f = trace_frame(tr, stack, 0);
    return f.pc || f.func || trace_stack(tr, stack) > 1 ? stack : 0;
}

static bool add_row(struct build *b, struct sw_row like, int64_t ns)
{
    const uint64_t what = (uint64_t)like.state << 32 | like.reason;
    bool made;
    if (tab_get(&b->by_stack, (uint64_t)like.stack << 32 | like.func, what) == TAB_NONE)
        like.stack = sw_stack(b->tr, like.stack);
    struct sw_row *p = tab_row(&b->by_stack, b->out->row, b->out->n, b->cap,
                               (uint64_t)like.stack << 32 | like.func, what, &made);
    if (!p)
        return false;
    if (made)
        *p = like;
    p->count++;
    p->ns = ns_add(p->ns, ns);
    b->out->count++;
    b->out->ns = ns_add(b->out->ns, ns);
    return true;
}

/* Adds [t0,t1) clipped to the filter; an empty interval doesn't count. */
static bool add_like(struct build *b, struct sw_row like, int64_t t0, int64_t t1)
{
    t0 = t0 > b->f.t0 ? t0 : b->f.t0;
    t1 = t1 < b->f.t1 ? t1 : b->f.t1;
    return t1 <= t0 || add_row(b, like, t1 - t0);
}

static bool add_span(struct build *b, uint32_t stack, int64_t t0, int64_t t1)
{
    return add_like(b, (struct sw_row){.stack = stack}, t0, t1);
}

static bool has(struct str s, const char *part)
{
    return s.len && memmem(s.p, s.len, part, strlen(part)) != NULL;
}

/* Go's tool distinguishes these by parts of the reason. */
bool sw_counts(const struct trace *tr, enum sw_kind k, uint32_t reason)
{
    const struct str s = trace_str(tr, reason);
    return k == SW_NET ? str_is(s, "network") : has(s, "chan") || has(s, "sync") || has(s, "select");
}

static bool reason_counts(struct build *b, uint32_t reason)
{
    uint32_t known = tab_get(&b->reasons, reason, 0);
    if (b->kind == SW_OFFCPU)
        return b->f.reason == 0 || b->f.reason == reason;
    if (known == TAB_NONE) {
        known = sw_counts(b->tr, b->kind, reason);
        tab_put(&b->reasons, reason, 0, known);
    }
    return known == 1;
}

static bool runs(const struct span *s)
{
    return s->state == ST_RUNNING || s->state == ST_GCWORK || s->state == ST_ASSIST;
}

static bool wanted(struct build *b, const struct span *s)
{
    switch (b->kind) {
    case SW_SYNC:
    case SW_NET:
    case SW_OFFCPU: return s->state == ST_WAITING && reason_counts(b, s->reason);
    case SW_SYSCALL: return s->state == ST_SYSCALL;
    case SW_SCHED: return s->state == ST_RUNNABLE;
    default: return runs(s);
    }
}

/* Returns when Go's tool starts to count: at a goroutine's first run. A goroutine that already ran when the
 * trace started, or never runs in it, has none there: all of it counts. */
static int64_t counts_from(struct span_iter *it)
{
    do {
        const struct span *s = span_get(it);
        if (runs(s))
            return s->open_start ? INT64_MIN : s->t0;
    } while (span_next(it));
    return INT64_MIN;
}

static bool lane(struct build *b, uint32_t g)
{
    struct lane l = {LANE_G, g};
    struct span_iter it;
    int64_t first_run = INT64_MIN, seen = INT64_MIN;
    unsigned k = 0;
    bool ok = true;
    if (!span_seek_index(&it, b->tr, l, 0))
        return true;
    if (b->f.like_go) {
        first_run = counts_from(&it);
        seen = trace_lane(b->tr, l).seen; /* Go counts back-dated spans from their first mention */
        if (!span_seek_index(&it, b->tr, l, 0))
            return true;
    }
    do {
        const struct span *s = span_get(&it);
        if (s->t0 >= b->f.t1)
            break;
        if (!wanted(b, s) || (b->f.like_go && (s->open_end || s->t0 < first_run)))
            continue;
        ok = add_span(b, b->kind == SW_ONCPU ? s->stack_end : s->stack, s->t0 > seen ? s->t0 : seen, s->t1);
    } while (ok && (++k % 128 || slices_tick()) && span_next(&it));
    return ok;
}

/* ---- by state, reason and own stack -------------------------------------------------------------------- */

enum before { NOTHING, RAN, BLOCKED };

static enum before before_of(const struct trace *tr, const struct span *s, uint32_t *own)
{
    if (runs(s))
        return RAN;
    if (s->state != ST_WAITING && s->state != ST_SYSCALL)
        return NOTHING;
    *own = sw_stack(tr, s->stack);
    return BLOCKED;
}

static bool lane_off(struct build *b, uint32_t g, const struct lane_info *li)
{
    struct span_iter it;
    uint32_t own = 0; /* its stack when it last blocked or called */
    enum before was = NOTHING;
    unsigned k = 0;
    if (!span_seek(&it, b->tr, (struct lane){LANE_G, g}, b->f.t0))
        return true;
    if (span_prev(&it)) {
        was = before_of(b->tr, span_get(&it), &own);
        span_next(&it);
    }
    do {
        const struct span *s = span_get(&it);
        if (s->t0 >= b->f.t1)
            break;
        struct sw_row like = {.stack = sw_stack(b->tr, s->stack), .reason = s->reason, .state = s->state};
        if (s->state == ST_RUNNABLE && (was == BLOCKED || (was == NOTHING && li->created)))
            like.stack = was == BLOCKED ? own : 0; /* the span's is the waker's, the creator's */
        like.func = like.stack ? 0 : li->name;
        was = before_of(b->tr, s, &own);
        if (was != RAN && s->state != ST_NONE && !add_like(b, like, s->t0, s->t1))
            return false;
    } while ((++k % 128 || slices_tick()) && span_next(&it));
    return true;
}

static bool lane_run(struct build *b, uint32_t g)
{
    const struct lane_info li = trace_lane(b->tr, (struct lane){LANE_G, g});
    const int64_t t0 = li.first > b->f.t0 ? li.first : b->f.t0, t1 = li.last < b->f.t1 ? li.last : b->f.t1;
    struct shares s = {{0}};
    if (t0 < t1)
        trace_shares(b->tr, (struct lane){LANE_G, g}, t0, t1, &s);
    const int64_t ns = ns_add(ns_add(s.ns[ST_RUNNING], s.ns[ST_GCWORK]), s.ns[ST_ASSIST]);
    return ns == 0 || add_row(b, (struct sw_row){.func = li.name, .state = ST_RUNNING}, ns);
}

static bool any_lane(struct build *b, uint32_t g, const struct lane_info *li)
{
    if (b->kind != SW_OFF)
        return lane(b, g);
    return (!b->f.run || lane_run(b, g)) && (b->f.no_off || lane_off(b, g, li));
}

static bool lanes(struct build *b)
{
    uint32_t n = trace_nlanes(b->tr, LANE_G);
    for (uint32_t g = 0; g < n; g++) {
        struct lane_info li = trace_lane_who(b->tr, (struct lane){LANE_G, g});
        if ((b->f.func && li.name != b->f.func) ||
            (li.is_system && !b->f.system && !b->f.like_go && !b->f.func))
            continue;
        if (b->f.tick && g % 1024 == 1023)
            b->f.tick(b->f.tick_arg, (double)g / n);
        if (g % 64 == 63 && !slices_tick())
            return false;
        if ((!b->f.want || b->f.want(b->f.arg, g)) && !any_lane(b, g, &li))
            return false;
    }
    return true;
}

static bool g_wanted(const struct build *b, uint32_t g)
{
    if (g >= trace_nlanes(b->tr, LANE_G))
        return b->f.func == 0 && !b->f.want;
    return (!b->f.func || trace_g_name(b->tr, g) == b->f.func) && (!b->f.want || b->f.want(b->f.arg, g));
}

static bool samples(struct build *b)
{
    const struct sample *s;
    size_t n = trace_samples(b->tr, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].t >= b->f.t0 && s[i].t < b->f.t1 && g_wanted(b, s[i].g) &&
            !add_row(b, (struct sw_row){.stack = s[i].stack}, 0))
            return false;
    return true;
}

static bool assists(struct build *b)
{
    const struct range *r;
    size_t n = trace_ranges(b->tr, RANGE_ASSIST, &r);
    for (size_t i = 0; i < n; i++)
        if (g_wanted(b, r[i].owner) && !add_span(b, r[i].stack, r[i].t0, r[i].t1))
            return false;
    return true;
}

static int cmp_row(const void *a, const void *b)
{
    const struct sw_row *x = a, *y = b;
    return x->ns != y->ns         ? (x->ns < y->ns) - (x->ns > y->ns)
           : x->count != y->count ? (x->count < y->count) - (x->count > y->count)
           : x->stack != y->stack ? (x->stack > y->stack) - (x->stack < y->stack)
           : x->func != y->func   ? (x->func > y->func) - (x->func < y->func)
           : x->state != y->state ? (x->state > y->state) - (x->state < y->state)
                                  : (x->reason > y->reason) - (x->reason < y->reason);
}

enum err_code stackweights_build(const struct trace *tr, enum sw_kind k, const struct sw_filter *f,
                                 struct sw_table *out, struct err *e)
{
    struct build b = {.tr = tr, .kind = k, .out = out};
    bool ok;
    *out = (struct sw_table){0};
    if ((unsigned)k >= SW_KINDS)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "no such kind of profile");
    b.f = f ? *f : (struct sw_filter){0};
    if (b.f.t1 <= 0)
        b.f.t1 = trace_info(tr)->end + 1; /* the end itself belongs to it */
    ok = k == SW_CPU ? samples(&b) : k == SW_ASSIST ? assists(&b) : lanes(&b);
    tab_free(&b.by_stack);
    tab_free(&b.reasons);
    if (!ok) {
        stackweights_free(out);
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the %s profile", names[k]);
    }
    if (out->n)
        qsort(out->row, out->n, sizeof *out->row, cmp_row);
    return ERR_OK;
}

void stackweights_free(struct sw_table *t)
{
    mem_free(t->row);
    *t = (struct sw_table){0};
}
