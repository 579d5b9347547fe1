/*
 * profile.c - see claims.h. The spans of the program's goroutines are walked once; the time of processors
 * and of the collector comes from the index of the processors' lanes.
 */
#include "triage/diff/claims.h"

#include <string.h>

#include "decode/base/order.h"
#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/tables/stacks.h"
#include "triage/tri.h"
#include "triage/work/work_text.h"

struct make {
    const struct loaded *l;
    struct profile *p;
    struct tab by_name; /* (kind, string) -> row */
    int64_t wide;       /* of a slice */
    bool failed;        /* out of memory */
    struct measure none;
};

/* Returns the measure, valid until the next one is asked for; when out of memory one that nobody reads. */
static struct measure *measure_of(struct make *k, enum measure_kind kind, uint32_t str)
{
    struct measure *m =
        tab_row_with(&k->by_name, k->p->m, k->p->n, (uint64_t)kind, str, .kind = kind, .str = str);
    k->failed |= !m;
    return m ? m : &k->none;
}

static int slice_at(const struct make *k, int64_t t)
{
    const int64_t i = t / k->wide;
    return i < 0 ? 0 : i >= PROFILE_SLICES ? PROFILE_SLICES - 1 : (int)i;
}

/* Spreads [t0,t1) over the slices it lies in; its count goes to the slice of its start. */
static void spread_time(const struct make *k, struct measure *m, int64_t t0, int64_t t1, bool counts)
{
    int last = slice_at(k, t1 - 1);
    m->count[slice_at(k, t0)] += counts;
    for (int i = slice_at(k, t0); i <= last; i++) {
        int64_t a = i * k->wide, z = a + k->wide;
        a = a > t0 ? a : t0;
        z = z < t1 ? z : t1;
        m->ns[i] += z > a ? (double)(z - a) : 0;
    }
}

/* Returns the measure of a wait; MK_KINDS for waits of the runtime, which the program cannot change. */
static enum measure_kind kind_of(enum wait_kind w)
{
    switch (w) {
    case WK_LOCK: return MK_LOCK;
    case WK_SEND:
    case WK_COND:
    case WK_WAITGROUP: return MK_GIVE;
    case WK_GC:
    case WK_SYSTEM: return MK_KINDS;
    default: return MK_TAKE;
    }
}

/* Counts a wait or a call. */
static void blocked(struct make *k, const struct span *s)
{
    const struct trace *tr = k->l->tr;
    const enum measure_kind kind =
        s->state == ST_SYSCALL ? MK_CALL : kind_of(stacks_wait_kind(tr, s->reason, s->stack));
    if (kind != MK_KINDS && trace_stack(tr, s->stack))
        spread_time(k, measure_of(k, kind, stacks_user(tr, s->stack)), s->t0, s->t1, !s->open_start);
}

#define UNSTOPPED 25000000 /* ns: the runtime preempts a goroutine after 10 to 20 ms */
#define STOPPED 20000000

static void profile_g(struct make *k, uint32_t g)
{
    const struct trace *tr = k->l->tr;
    const struct lane_info li = trace_lane(tr, lane_g(g));
    struct span_iter it;
    const bool stops = trace_info(tr)->has_clock && trace_info(tr)->version >= 1014;
    if (li.is_system || !li.nspans)
        return;
    measure_of(k, MK_RUN, li.name)->count[slice_at(k, li.first)] += li.created;
    each_span(s, it, tr, lane_g(g), INT64_MIN) {
        if (tri_is_exec(
                s->state)) { /* who runs for longer than the runtime allows was descheduled by the host */
            const int64_t own_end = stops && s->t1 - s->t0 > UNSTOPPED ? s->t0 + STOPPED : s->t1;
            spread_time(k, measure_of(k, MK_RUN, li.name), s->t0, own_end, false);
        } else if (s->state == ST_WAITING || s->state == ST_SYSCALL) {
            blocked(k, s);
        }
        if (k->failed)
            break;
    }
}

/* Adds the measure of the collector, and the time in use. */
static void processors(struct make *k)
{
    const struct trace *tr = k->l->tr;
    struct measure *gc = measure_of(k, MK_GC, 0);
    struct shares in[PROFILE_SLICES];
    int64_t edge[PROFILE_SLICES + 1];
    const struct range *r;
    for (int i = 0; i <= PROFILE_SLICES; i++)
        edge[i] = i * k->wide;
    for (uint32_t p = 0; p < trace_nlanes(tr, LANE_P); p++) {
        trace_columns(tr, lane_p(p), edge, PROFILE_SLICES, in);
        for (int i = 0; i < PROFILE_SLICES; i++) {
            for (int st = ST_SCHED; st <= ST_SYSCALL; st++)
                k->p->busy[i] += (double)in[i].ns[st];
            gc->ns[i] += (double)(in[i].ns[ST_GCWORK] + in[i].ns[ST_ASSIST] + in[i].ns[ST_SWEEP]);
        }
    }
    for (size_t i = 0, n = trace_ranges(tr, RANGE_GC, &r); i < n; i++)
        gc->count[slice_at(k, r[i].t0)] += !r[i].open_start;
}

static void stops(struct make *k)
{
    const struct range *r;
    const size_t n = trace_ranges(k->l->tr, RANGE_STW, &r);
    for (size_t i = 0; i < n; i++) {
        const struct str kind = trace_str(k->l->tr, r[i].name);
        /* Those of the collector are counted with it. */
        if (!tri_stop_is_gc(k->l->tr, r[i].name) && !str_is(kind, "start trace") &&
            !str_is(kind, "stop trace"))
            spread_time(k, measure_of(k, MK_STOP, r[i].name), r[i].t0, r[i].t1, true);
    }
}

/* The pieces that were looked at stand for all. Those of standing goroutines end with the trace, which is no
 * pace of theirs. Items without a pause between them hold more things where a queue is longer. */
static void works(struct make *k)
{
    const struct works *all = &k->l->fs.works;
    for (uint32_t i = 0; i < all->n; i++) {
        const struct work *w = &all->v[i];
        if (!work_counts(w) || w->standing || w->kind == WORK_MAIN || !w->looked ||
            (w->kind == WORK_ITEMS && !w->paced))
            continue;
        struct measure *m = measure_of(k, MK_WORK, i);
        for (uint32_t p = 0; p < w->looked; p++) {
            const int at = slice_at(k, w->v[p].t1 - 1);
            m->count[at] += (double)w->n / w->looked;
            m->ns[at] += (double)(w->v[p].t1 - w->v[p].t0) * (double)w->n / w->looked;
        }
    }
}

ORDER(cmp_measure, struct measure, LEAST(r->kind) ALPHA(r->name))

/* Two strings may read alike once they are cleaned: then they are one measure. */
static void merge(struct profile *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        struct measure *m = n ? &p->m[n - 1] : NULL;
        if (m && cmp_measure(m, &p->m[i]) == 0) {
            for (int k = 0; k < PROFILE_SLICES; k++) {
                m->count[k] += p->m[i].count[k];
                m->ns[k] += p->m[i].ns[k];
            }
            mem_free(p->m[i].name);
            mem_free(p->m[i].held);
        } else {
            p->m[n++] = p->m[i];
        }
    }
    p->n = n;
    for (int k = 0; k < PROFILE_SLICES; k++) {
        each_of(m, p->m, n) {
            m->count[PROFILE_ALL] += m->count[k];
            m->ns[PROFILE_ALL] += m->ns[k];
        }
        p->busy[PROFILE_ALL] += p->busy[k];
    }
}

/* Returns the function in which holders let go of the lock that is asked for in `place`: the one that ended
 * most of the waiting there (string); 0: none ended half of it. */
static uint32_t released_in(struct make *k, uint32_t place)
{
    const struct triage *tg = k->l->tg;
    uint32_t in = 0;
    int64_t votes = 0;
    for (uint32_t i = 0; i < tg->npairs; i++) { /* a majority vote, by time */
        const struct pair_row *p = &tg->pairs[i];
        if (p->kind != WK_LOCK || p->from_scheduler || stacks_user(k->l->tr, p->stack) != place)
            continue;
        const uint32_t by = stacks_user(k->l->tr, p->waker_stack);
        in = votes > 0 ? in : by;
        votes += by == in ? p->total : -p->total;
    }
    return votes > 0 && in != TAB_NONE ? in : 0;
}

static void profile_finish(struct make *k)
{
    struct profile *p = k->p;
    each_of(m, p->m, p->n) {
        struct text t = {0};
        if (m->kind == MK_WORK)
            work_title(&t, k->l->tr, &k->l->fs.works.v[m->str]);
        else if (m->kind != MK_GC)
            text_func(&t, k->l->tr, m->str, 0);
        m->name = text_take(&t);
        k->failed |= !m->name;
        const uint32_t held = m->kind == MK_LOCK ? released_in(k, m->str) : 0;
        if (held) {
            text_func(&t, k->l->tr, held, 0);
            m->held = text_take(&t);
        }
    }
    if (k->failed)
        return;
    sort(p->m, p->n, cmp_measure);
    merge(p);
}

enum err_code profile_of(const struct loaded *l, struct profile *out, struct err *e)
{
    struct make k = {.l = l, .p = out, .wide = l->tg->end / PROFILE_SLICES + 1};
    *out = (struct profile){.end = l->tg->end,
                            .partial = l->partial,
                            .has_clock = trace_info(l->tr)->has_clock,
                            .heap_live = (double)l->tg->heap.low_last,
                            .heap_goal = (double)l->tg->heap.max_goal,
                            .procs = triage_mean_procs(l->tg)};
    processors(&k);
    stops(&k);
    works(&k);
    for (uint32_t g = 0; g < l->tg->ng && !k.failed; g++)
        profile_g(&k, g);
    profile_finish(&k);
    tab_free(&k.by_name);
    return k.failed ? err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the comparison") : ERR_OK;
}

void profile_free(struct profile *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        mem_free(p->m[i].name);
        mem_free(p->m[i].held);
    }
    mem_free(p->m);
    *p = (struct profile){0};
}

const struct measure *profile_find(const struct profile *p, enum measure_kind kind, const char *name)
{
    const struct measure *const m = p->m;
    const uint32_t at =
        bisected(p->n, i, m[i].kind < kind || (m[i].kind == kind && strcmp(m[i].name, name) < 0));
    return at < p->n && m[at].kind == kind && strcmp(m[at].name, name) == 0 ? &m[at] : NULL;
}
