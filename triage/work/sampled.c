/* sampled.c - see sampled.h. */
#include "triage/work/sampled.h"

#include <string.h>

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/activity/samples.h"
#include "triage/findings/thresholds.h"

struct under { /* number of samples of a work under a function, by set */
    uint64_t n[TREE_SETS];
    uint64_t all, own; /* in all sets; those in it or in its callees in libraries */
    uint64_t last;     /* the sample counted last: each counts once, however often the function recurs */
};

struct sampled {
    const struct trace *tr;
    const struct sample *all;
    struct owners *own;
    struct samples *by; /* NULL: the trace has none */
    struct tab row;     /* function: its `under` */
    struct under *under;
    uint32_t nunder;
    uint64_t total[TREE_SETS], nth;
};

struct sampled *sampled_new(const struct trace *tr, struct owners *own)
{
    struct sampled *s = mem_zalloc(sizeof *s);
    if (!s)
        return NULL;
    s->tr = tr;
    s->own = own;
    (void)trace_samples(tr, &s->all);
    if (samples_update(&s->by, tr))
        return s;
    sampled_free(s);
    return NULL;
}

void sampled_free(struct sampled *s)
{
    if (s) {
        samples_free(s->by);
        mem_free(s->under);
        tab_free(&s->row);
        mem_free(s);
    }
}

bool sampled_any(const struct sampled *s)
{
    return s->by;
}

void sampled_begin(struct sampled *s)
{
    tab_free(&s->row);
    s->nunder = 0;
    s->nth = 0;
    memset(s->total, 0, sizeof s->total);
}

static bool count_one(struct sampled *s, uint32_t stack, unsigned sets)
{
    const uint32_t n = trace_stack(s->tr, stack);
    bool inner = true, made;
    s->nth++;
    for (int k = 0; k < TREE_SETS; k++)
        s->total[k] += sets >> k & 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct frame f = trace_frame(s->tr, stack, i);
        if (owner_of(s->own, &f) != OWNER_PROGRAM)
            continue;
        struct under *u = tab_row(&s->row, s->under, s->nunder, f.func, 0, &made);
        if (!u)
            return false;
        for (int k = 0; k < TREE_SETS && u->last != s->nth; k++) {
            u->n[k] += sets >> k & 1;
            u->all += sets >> k & 1;
            u->own += inner && sets >> k & 1;
        }
        u->last = s->nth;
        inner = false;
    }
    return true;
}

bool sampled_count(struct sampled *s, uint32_t g, int64_t t0, int64_t t1, unsigned sets)
{
    const uint32_t *in;
    const size_t n = samples_in(s->by, s->tr, lane_g(g), t0, t1, &in);
    return !any_of(i, n, s->all[in[i]].stack && !count_one(s, s->all[in[i]].stack, sets));
}

/* True if some set has enough samples under it to distinguish it from its caller. */
static bool much(const struct sampled *s, const struct under *u)
{
    return any_of(k, TREE_SETS,
                  s->total[k] && threshold_reached(TH_SHARE, (int64_t)u->n[k], (int64_t)s->total[k]));
}

uint32_t sampled_frame(struct sampled *s, uint32_t stack)
{
    uint32_t at = owner_user(s->own, stack), last = 0;
    for (uint32_t i = trace_stack(s->tr, stack); i-- > 0;) {
        const struct frame f = trace_frame(s->tr, stack, i);
        const uint32_t row = owner_of(s->own, &f) == OWNER_PROGRAM ? tab_get(&s->row, f.func, 0) : TAB_NONE;
        if (row == TAB_NONE)
            continue;
        const struct under *u = &s->under[row];
        if (last && f.func != last && !much(s, u))
            break;
        at = i;
        last = f.func;
        if (threshold_reached(TH_MOST, (int64_t)u->own, (int64_t)u->all))
            break;
    }
    return at;
}

struct sampled_by sampled_part(struct sampled *s, const struct explain_part *p, int64_t t0)
{
    const uint32_t *in;
    const size_t n = samples_in(s->by, s->tr, lane_g(p->g), p->t0, p->t1, &in);
    const size_t at = bisected(n, i, s->all[in[i]].t < t0);
    for (size_t i = at ? at - 1 : 0; i < n; i++) {
        const struct sample *k = &s->all[in[i]];
        const int64_t next = i + 1 < n ? s->all[in[i + 1]].t : INT64_MAX;
        const int64_t end = next - k->t < 2 * SAMPLED_NS ? k->t + (next - k->t) / 2
                            : k->t < p->t1 - SAMPLED_NS  ? k->t + SAMPLED_NS
                                                         : p->t1;
        if (end <= t0)
            continue;
        if (k->t - SAMPLED_NS > t0) /* no sample covers what is before it */
            return (struct sampled_by){.t1 = k->t - SAMPLED_NS};
        return (struct sampled_by){end, k->stack, sampled_frame(s, k->stack)};
    }
    return (struct sampled_by){.t1 = p->t1};
}
