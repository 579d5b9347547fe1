/* sampled.c - see sampled.h. */
#include "triage/work/sampled.h"

#include <string.h>

#include "decode/base/rows.h"
#include "decode/base/mem.h"
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
    uint32_t *by, n; /* those of goroutines, by goroutine and time */
    struct tab row;  /* function: its `under` */
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
    const size_t n = trace_samples(tr, &s->all);
    s->by = lane_order(s->all, sizeof *s->all, n, offsetof(struct sample, g), offsetof(struct sample, t));
    if (!s->by) {
        sampled_free(s);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (s->all[s->by[i]].g != NO_LANE && s->all[s->by[i]].stack)
            s->by[s->n++] = s->by[i];
    return s;
}

void sampled_free(struct sampled *s)
{
    if (s) {
        mem_free(s->by);
        mem_free(s->under);
        tab_free(&s->row);
        mem_free(s);
    }
}

bool sampled_any(const struct sampled *s)
{
    return s->n > 0;
}

void sampled_begin(struct sampled *s)
{
    tab_free(&s->row);
    s->nunder = 0;
    s->nth = 0;
    memset(s->total, 0, sizeof s->total);
}

/* Returns the first sample of goroutine g at or after t, or the first one after those of g. */
static uint32_t sample_at(const struct sampled *s, uint32_t g, int64_t t)
{
    uint32_t lo = 0;
    const struct sample *v = s->all;
    bisect(lo, s->n, i, v[s->by[i]].g < g || (v[s->by[i]].g == g && v[s->by[i]].t < t));
    return lo;
}

/* Goroutine g's i-th sample, if it is before t1. */
static const struct sample *sample_in(const struct sampled *s, uint32_t i, uint32_t g, int64_t t1)
{
    const struct sample *k = i < s->n ? &s->all[s->by[i]] : NULL;
    return k && k->g == g && k->t < t1 ? k : NULL;
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
    const struct sample *k;
    bool ok = true;
    for (uint32_t i = sample_at(s, g, t0); ok && (k = sample_in(s, i, g, t1)); i++)
        ok = count_one(s, k->stack, sets);
    return ok;
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
    const struct sample *k, *next;
    const uint32_t first = sample_at(s, p->g, p->t0), at = sample_at(s, p->g, t0);
    for (uint32_t i = at > first ? at - 1 : first; (k = sample_in(s, i, p->g, p->t1)); i++) {
        next = sample_in(s, i + 1, p->g, p->t1);
        const bool near = next && next->t - k->t < 2 * SAMPLED_NS;
        const int64_t end = near                        ? k->t + (next->t - k->t) / 2
                            : k->t < p->t1 - SAMPLED_NS ? k->t + SAMPLED_NS
                                                        : p->t1;
        if (end <= t0)
            continue;
        if (k->t - SAMPLED_NS > t0) /* no sample covers what is before it */
            return (struct sampled_by){.t1 = k->t - SAMPLED_NS};
        return (struct sampled_by){end, k->stack, sampled_frame(s, k->stack)};
    }
    return (struct sampled_by){.t1 = p->t1};
}
