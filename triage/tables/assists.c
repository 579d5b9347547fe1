/* assists.c - see assists.h. */
#include "triage/tables/assists.h"

#include "decode/base/mem.h"
#include "triage/tri.h"

struct walk { /* along one goroutine */
    const struct range *r;
    struct keyed_row *row; /* its assists: rows of r */
    size_t n, i;           /* those before i are told */
    bool further;          /* the next one is further on than a block */
    bool (*f)(void *arg, const struct assist_run *a);
    void *arg;
    bool ok;
};

/* Of spans that begin at t0 those in which it ran, for one assist. from: no earlier one matters to it, nor to those behind it. */
static bool runs_in(struct walk *w, const struct span_run *run, const struct range *r, uint32_t *from, int64_t *t0)
{
    for (; *from < run->n && *t0 + run->dur[*from] <= r->t0; ++*from) {
        *t0 += run->dur[*from];
    }
    int64_t t = *t0;
    for (uint32_t i = *from; i < run->n && t < r->t1 && w->ok; t += run->dur[i++]) {
        const struct assist_run a = {r, t, t + run->dur[i], run->kind[run->tag[i]].state, NO_LANE};
        if (tri_is_exec(a.state) && a.t1 > r->t0) {
            w->ok = w->f(w->arg, &(struct assist_run){a.r, a.t0, a.t1, a.state, span_run_who(run, i)});
        }
    }
    return w->ok;
}

/* false: enough. */
static bool walk_runs(void *arg, const struct span_run *run)
{
    struct walk *w = arg;
    int64_t end = run->t0, t0 = run->t0;
    uint32_t from = 0;
    for (uint32_t i = 0; i < run->n; i++) {
        end += run->dur[i];
    }
    size_t k = w->i, goes_on;
    for (; k < w->n && w->r[w->row[k].row].t0 < end; k++) {
        if (!runs_in(w, run, &w->r[w->row[k].row], &from, &t0)) {
            return false;
        }
    }
    goes_on = k;
    for (size_t i = k; i-- > w->i;) {
        if (w->r[w->row[i].row].t1 > end) {
            w->row[--goes_on] = w->row[i];
        }
    }
    w->i = goes_on;
    w->further = goes_on == k;
    return !w->further;
}

static bool walk_owner(const struct trace *tr, struct walk *w, uint32_t g)
{
    do {
        w->further = false;
        trace_states(tr, (struct lane){LANE_G, g}, w->r[w->row[w->i].row].t0, INT64_MAX, 0, true, walk_runs, w);
    } while (w->ok && w->further && w->i < w->n);
    return w->ok && slices_tick();
}

static bool walk_all(const struct trace *tr, const struct range *r, struct keyed_row *row, size_t n,
                     bool (*f)(void *arg, const struct assist_run *a), void *arg)
{
    bool ok = true;
    for (size_t i = 0, end; i < n && ok; i = end) {
        for (end = i + 1; end < n && row[end].key == row[i].key; end++) {
        }
        struct walk w = {.r = r, .row = row + i, .n = end - i, .f = f, .arg = arg, .ok = true};
        ok = walk_owner(tr, &w, (uint32_t)row[i].key);
    }
    return ok;
}

bool assists_each(const struct trace *tr, bool (*f)(void *arg, const struct assist_run *a), void *arg)
{
    const struct range *r;
    const size_t all = trace_ranges(tr, RANGE_ASSIST, &r);
    struct keyed_row *row = mem_alloc((all + 1) * sizeof *row);
    size_t n = 0;
    for (size_t i = 0; row && i < all; i++) {
        if (r[i].owner != NO_LANE && r[i].t1 > r[i].t0) {
            row[n++] = (struct keyed_row){r[i].owner, (uint32_t)i};
        }
    }
    const bool ok = row && rows_sort(row, n) && walk_all(tr, r, row, n, f, arg);
    mem_free(row);
    return ok;
}
