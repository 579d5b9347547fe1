/*
 * triage.c - the phases that fill struct triage, one after another. With a budget they are computed in slices
 * (slices.h); whatever takes long ticks.
 */
#include "triage/triage.h"

#include "decode/base/order.h"
#include "decode/base/mem.h"
#include "triage/tri.h"

enum err_code triage_new(const struct trace *tr, struct triage **out, struct err *e)
{
    struct triage *tg = mem_zalloc(sizeof *tg);
    *out = NULL;
    if (tg) {
        tg->tr = tr;
        tg->end = trace_info(tr)->end;
        tg->ng = trace_nlanes(tr, LANE_G);
        tg->np = trace_nlanes(tr, LANE_P);
        tg->work = mem_zalloc(sizeof *tg->work);
        tg->group_of = mem_alloc(((size_t)tg->ng + 1) * sizeof *tg->group_of);
    }
    if (!tg || !tg->work || !tg->group_of) {
        triage_free(tg);
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the tables of the triage");
    }
    *out = tg;
    return ERR_OK;
}

static void work_free(struct triage *tg)
{
    struct triage_work *w = tg->work;
    if (w) {
        slices_free(w->slices); /* first: what follows is the computation's */
        mem_free(w->wakes);
        mem_free(w->births);
        mem_free(w->alive);
        mem_free(w);
    }
    tg->work = NULL;
}

void triage_free(struct triage *tg)
{
    if (!tg)
        return;
    work_free(tg);
    mem_free(tg->group_of);
    mem_free(tg->workers);
    mem_free(tg->assist);
    mem_free(tg->groups);
    mem_free(tg->group_waits);
    mem_free(tg->waits);
    mem_free(tg->pairs);
    mem_free(tg->syscalls);
    mem_free(tg->stw);
    mem_free(tg->leaks);
    mem_free(tg->herds);
    mem_free(tg);
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

MOST_ROWS(by_total, struct pair_row, total)

/* Finds the herds, sorts the pairs, and tells the herds where their rows went. */
static bool pairs_end(struct triage *tg)
{
    bool ok = triage_herds(tg);
    uint32_t *to = tg->nherds ? mem_alloc(((size_t)tg->npairs + 1) * sizeof *to) : NULL;
    ok = ok && (to || !tg->nherds) && rows_by(tg->pairs, sizeof *tg->pairs, tg->npairs, by_total, NULL, to);
    for (uint32_t i = 0; ok && i < tg->nherds; i++)
        tg->herds[i].pair = to[tg->herds[i].pair];
    mem_free(to);
    return ok;
}

/* ---- what needs no more than the goroutines and the Ps counted ----------------------------------------- */

typedef bool beside_fn(struct triage *);
/* Independent phases, the long ones first. */
static beside_fn *const beside[] = {triage_gc, pairs_end, triage_groups_end, triage_procs};

static bool beside_work(void *arg, size_t i, void **kept)
{
    *kept = NULL;
    return beside[i](arg) && slices_tick();
}

static bool all_phases(void *arg)
{
    struct triage *tg = arg;
    const struct slices_job all = {beside_work, .arg = tg};
    return triage_goroutines(tg) && slices_tick() &&
           slices_each(trace_threads(tg->tr), sizeof beside / sizeof *beside, &all) && triage_leaks(tg);
}

enum triage_state triage_step(struct triage *tg, int64_t budget_ns)
{
    struct triage_work *w = tg->work;
    enum slices_state st;
    if (!w)
        return TRIAGE_DONE;
    if (budget_ns < INT64_MAX && !w->slices)
        w->slices = slices_new(all_phases, tg); /* NULL, no thread: rather a pause than no tables */
    st = w->slices ? slices_run(w->slices, budget_ns) : all_phases(tg) ? SLICES_DONE : SLICES_FAILED;
    if (st == SLICES_DONE)
        work_free(tg);
    return st == SLICES_MORE ? TRIAGE_MORE : st == SLICES_DONE ? TRIAGE_DONE : TRIAGE_NOMEM;
}

double triage_progress(const struct triage *tg)
{
    const double goroutines = 0.6; /* of the work */
    return !tg->work ? 1 : !tg->ng ? goroutines : goroutines * tg->work->next / tg->ng;
}

int64_t tri_in_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1)
{
    struct shares sh = {{0}};
    int64_t ns = 0;
    if (t1 > t0 && trace_nlanes(tr, LANE_BAND) > b)
        trace_shares(tr, (struct lane){LANE_BAND, b}, t0, t1, &sh);
    for (int st = ST_NONE + 1; st < ST_COUNT; st++)
        ns += sh.ns[st];
    return ns;
}

/* ---- what ran on the processors during a wait for one -------------------------------------------------- */

struct ran {
    uint32_t name;
    int64_t ns;
};

ORDER(cmp_ran, struct ran, MOST(r->ns) LEAST(r->name))

enum { MEANWHILE_SPANS = 100000 /* of all Ps */, MEANWHILE_RAN = 64 };
struct ran_in {
    const struct trace *tr;
    struct meanwhile *w;
    int64_t t0, t1;
    struct ran r[MEANWHILE_RAN];
    uint32_t n, spans, most;
};

static void meanwhile_span(struct ran_in *m, int64_t a, int64_t z, uint8_t state, uint32_t g)
{
    struct meanwhile *w = m->w;
    if (z <= a || state == ST_NONE)
        return;
    w->all_ns = ns_add(w->all_ns, z - a);
    if (state == ST_IDLE) {
        const int64_t stopped = tri_in_band(m->tr, BAND_STW, a, z);
        w->stopped_ns = ns_add(w->stopped_ns, stopped);
        w->idle_ns = ns_add(w->idle_ns, z - a - stopped);
    } else if (state == ST_GCWORK || state == ST_ASSIST || state == ST_SWEEP) {
        w->gc_ns = ns_add(w->gc_ns, z - a);
    } else if (state == ST_SYSCALL) {
        w->syscall_ns = ns_add(w->syscall_ns, z - a);
    }
    if (g == NO_LANE || state == ST_IDLE || state == ST_SYSCALL)
        return;
    const uint32_t name = trace_g_name(m->tr, g), i = find_first(k, m->n, m->r[k].name == name);
    if (i == m->n && i < MEANWHILE_RAN)
        m->r[m->n++] = (struct ran){name, 0};
    if (i < MEANWHILE_RAN)
        m->r[i].ns = ns_add(m->r[i].ns, z - a);
}

static bool meanwhile_spans(void *arg, const struct span_run *r)
{
    struct ran_in *m = arg;
    int64_t t = r->t0;
    for (uint32_t i = 0; i < r->n && m->spans < m->most; t += r->dur[i++], m->spans++) {
        const int64_t a = t > m->t0 ? t : m->t0, end = t + r->dur[i], z = end < m->t1 ? end : m->t1;
        meanwhile_span(m, a, z, r->kind[r->tag[i]].state, span_run_g(r, i));
    }
    return m->spans < m->most && slices_tick();
}

struct meanwhile triage_meanwhile(const struct triage *tg, const struct sched_wait *w)
{
    struct meanwhile out = {0};
    struct ran_in m = {.tr = tg->tr, .w = &out, .t0 = w->t0, .t1 = w->t1};
    m.most = MEANWHILE_SPANS / (tg->np + 1) + 1;
    for (uint32_t p = 0; p < tg->np && slices_tick(); p++, m.spans = 0)
        trace_states(
            tg->tr, lane_p(p),
            &(struct states_ask){.t0 = w->t0, .t1 = w->t1, .all = true, .f = meanwhile_spans, .arg = &m});
    sort(m.r, m.n, cmp_ran);
    for (; out.nran < m.n && out.nran < 3; out.nran++) {
        out.ran[out.nran] = m.r[out.nran].name;
        out.ran_ns[out.nran] = m.r[out.nran].ns;
    }
    return out;
}

bool tri_by_timer(const struct trace *tr, struct lane l, const struct lane_info *li)
{
    struct span_iter it;
    return li->created && li->creator == NO_LANE && !li->create_stack && span_seek_index(&it, tr, l, 0) &&
           span_get(&it)->state != ST_SYSCALL;
}
