/*
 * stackweights.c - see stackweights.h.
 */
#include "triage/tables/stackweights.h"

#include <string.h>

#include "decode/base/order.h"
#include "decode/base/mem.h"
#include "triage/tables/slices.h"
#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"
#include "triage/tri.h"

struct build {
    const struct trace *tr;
    enum sw_kind kind;
    struct sw_filter f;
    struct sw_table *out;
    struct tab by_stack;
};

enum sw_kind sw_kind_of(const char *name)
{
    static const char *const names[SW_KINDS] = {"cpu",   "sync",  "net",    "syscall",
                                                "sched", "oncpu", "assist", "offcpu"};
    return (enum sw_kind)find_first(j, SW_KINDS - 1, strcmp(name, names[j]) == 0);
}

/* Adds the row of a stack that comes for the first time. The runtime writes one empty frame where it has no
 * stack. */
static uint32_t first_time(struct build *b, uint32_t stack)
{
    const struct frame f = trace_frame(b->tr, stack, 0);
    const uint32_t shown = f.pc || f.func || trace_stack(b->tr, stack) > 1 ? stack : 0;
    struct sw_row *p = tab_row_with(&b->by_stack, b->out->row, b->out->n, shown, 0, .stack = shown);
    return p ? tab_put(&b->by_stack, stack, 0, (uint32_t)(p - b->out->row)) : TAB_NONE;
}

static bool add_weight(struct build *b, uint32_t stack, int64_t ns)
{
    uint32_t at = tab_get(&b->by_stack, stack, 0);
    if (at == TAB_NONE && (at = first_time(b, stack)) == TAB_NONE)
        return false;
    b->out->row[at].count++;
    b->out->row[at].ns = ns_add(b->out->row[at].ns, ns);
    return true;
}

/* Adds [t0,t1) clipped to the filter; an empty interval doesn't count. */
static bool add_interval(struct build *b, uint32_t stack, int64_t t0, int64_t t1)
{
    t0 = t0 > b->f.t0 ? t0 : b->f.t0;
    t1 = t1 < b->f.t1 ? t1 : b->f.t1;
    return t1 <= t0 || add_weight(b, stack, t1 - t0);
}

/* Go's tool distinguishes waits by parts of the reason. */
static bool kind_wants(const struct build *b, const struct span *s)
{
    const struct str why = trace_str(b->tr, s->reason);
    switch (b->kind) {
    case SW_NET: return s->state == ST_WAITING && str_is(why, "network");
    case SW_SYNC:
        return s->state == ST_WAITING &&
               (str_has(why, "chan") || str_has(why, "sync") || str_has(why, "select"));
    case SW_OFFCPU: return s->state == ST_WAITING;
    case SW_SYSCALL: return s->state == ST_SYSCALL;
    case SW_SCHED: return s->state == ST_RUNNABLE;
    default: return tri_is_exec(s->state);
    }
}

/* Returns when Go's tool starts to count: at a goroutine's first run. A goroutine that already ran when the
 * trace started, or never runs in it, has none there: all of it counts. */
static int64_t counts_from(const struct trace *tr, struct lane l)
{
    struct span_iter it;
    each_span(s, it, tr, l, INT64_MIN)
        if (tri_is_exec(s->state))
            return s->open_start ? INT64_MIN : s->t0;
    return INT64_MIN;
}

static bool add_lane(struct build *b, uint32_t g)
{
    const struct lane l = lane_g(g);
    const bool go = b->f.like_go; /* it counts back-dated spans from their first mention */
    const int64_t first_run = go ? counts_from(b->tr, l) : INT64_MIN,
                  seen = go ? trace_lane(b->tr, l).seen : INT64_MIN;
    struct span_iter it;
    each_span(s, it, b->tr, l, INT64_MIN) {
        const uint32_t stack = b->kind == SW_ONCPU ? s->stack_end : s->stack;
        if (s->t0 >= b->f.t1)
            break;
        if (!kind_wants(b, s) || (go && (s->open_end || s->t0 < first_run)))
            continue;
        if (!add_interval(b, stack, s->t0 > seen ? s->t0 : seen, s->t1) ||
            (s->index % 128 == 0 && !slices_tick()))
            return false;
    }
    return true;
}

static bool add_lanes(struct build *b)
{
    uint32_t n = trace_nlanes(b->tr, LANE_G);
    for (uint32_t g = 0; g < n; g++) {
        if (b->f.share)
            *b->f.share = (double)g / n;
        if ((g % 64 == 63 && !slices_tick()) || !add_lane(b, g))
            return false;
    }
    return true;
}

ORDER(cmp_row, struct sw_row, MOST(r->ns) MOST(r->count) LEAST(r->stack))

bool stackweights_build(const struct trace *tr, enum sw_kind k, const struct sw_filter *f,
                        struct sw_table *out)
{
    struct build b = {.tr = tr, .kind = k, .f = f ? *f : (struct sw_filter){0}, .out = out};
    const struct sample *s;
    const struct range *r;
    *out = (struct sw_table){0};
    if (b.f.t1 <= 0)
        b.f.t1 = trace_info(tr)->end + 1; /* the end itself belongs to it */
    const size_t ns = k == SW_CPU ? trace_samples(tr, &s) : 0,
                 nr = k == SW_ASSIST ? trace_ranges(tr, RANGE_ASSIST, &r) : 0;
    const bool ok = (k == SW_CPU || k == SW_ASSIST || add_lanes(&b)) &&
                    !any_of(i, ns, s[i].t >= b.f.t0 && s[i].t < b.f.t1 && !add_weight(&b, s[i].stack, 0)) &&
                    !any_of(i, nr, !add_interval(&b, r[i].stack, r[i].t0, r[i].t1));
    tab_free(&b.by_stack);
    if (!ok)
        stackweights_free(out);
    sort(out->row, out->n, cmp_row);
    return ok;
}

void stackweights_free(struct sw_table *t)
{
    mem_free(t->row);
    *t = (struct sw_table){0};
}
