/* assists.c - see assists.h. */
#include "triage/tables/assists.h"

#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/bytes.h"
#include "decode/base/mem.h"
#include "triage/tri.h"

/* Of spans that begin at t0 those in which it ran, for one assist. from: no earlier one matters to it, nor to
 * those behind it. */
static bool runs_in(struct assist_walk *w, const struct span_run *run, const struct range *r, uint32_t *from,
                    int64_t *t0)
{
    for (; *from < run->n && *t0 + run->dur[*from] <= r->t0; ++*from)
        *t0 += run->dur[*from];
    int64_t t = *t0;
    for (uint32_t i = *from; i < run->n && t < r->t1 && w->ok; t += run->dur[i++]) {
        const struct assist_run a = {r, t, t + run->dur[i], run->kind[run->tag[i]].state, NO_LANE};
        if (tri_is_exec(a.state) && a.t1 > r->t0)
            w->ok = w->f(w->arg, &(struct assist_run){a.r, a.t0, a.t1, a.state, span_run_who(run, i)});
    }
    return w->ok;
}

/* false: enough. */
static bool walk_runs(void *arg, const struct span_run *run)
{
    struct assist_walk *w = arg;
    int64_t end = run->t0, t0 = end;
    uint32_t from = 0;
    for (uint32_t i = 0; i < run->n; i++)
        end += run->dur[i];
    size_t k = w->i, goes_on;
    for (; k < w->n && w->r[w->row[k]].t0 < end; k++)
        if (!runs_in(w, run, &w->r[w->row[k]], &from, &t0))
            return false;
    goes_on = k;
    for (size_t i = k; i-- > w->i;)
        if (w->r[w->row[i]].t1 > end)
            w->row[--goes_on] = w->row[i];
    w->i = goes_on;
    w->further = goes_on == k;
    return !w->further;
}

void assist_walk_run(struct assist_walk *w, const struct span_run *run)
{
    (void)walk_runs(w, run);
}

static bool walk_owner(const struct trace *tr, struct assist_walk *w, uint32_t g)
{
    do {
        w->further = false;
        trace_states(
            tr, (struct lane){LANE_G, g},
            &(struct states_ask){
                .t0 = w->r[w->row[w->i]].t0, .t1 = INT64_MAX, .all = true, .f = walk_runs, .arg = w});
    } while (w->ok && w->further && w->i < w->n);
    return w->ok && slices_tick();
}

bool assist_rows_init(struct assist_rows *a, const struct trace *tr)
{
    const size_t all = trace_ranges(tr, RANGE_ASSIST, &a->r);
    struct keyed_row *v = mem_alloc((all + 1) * sizeof *v);
    size_t n = 0;
    for (size_t i = 0; v && i < all; i++)
        if (a->r[i].owner != NO_LANE && a->r[i].t1 > a->r[i].t0)
            v[n++] = (struct keyed_row){a->r[i].owner, (uint32_t)i};
    const bool sorted = v && rows_sort(v, n);
    a->n = n;
    a->row = sorted ? mem_alloc((n + 1) * sizeof *a->row) : NULL;
    for (size_t i = 0; a->row && i < n; i++)
        a->row[i] = v[i].row;
    mem_free(v);
    return a->row;
}

void assist_rows_free(struct assist_rows *a)
{
    mem_free(a->row);
    *a = (struct assist_rows){0};
}

/* The first row of goroutine g or a later one. */
static size_t first_of(const struct assist_rows *a, uint32_t g)
{
    size_t lo = 0;
    bisect(lo, a->n, i, assist_owner(a, i) < g);
    return lo;
}

struct assist_rows assist_rows_of(const struct assist_rows *a, uint32_t g0, uint32_t g1)
{
    const size_t i = first_of(a, g0);
    return (struct assist_rows){a->r, a->row + i, first_of(a, g1) - i};
}

struct assist_walk assist_walk_of(const struct assist_rows *a, size_t *from, uint32_t g,
                                  bool (*f)(void *arg, const struct assist_run *a), void *arg)
{
    size_t i = *from, end;
    while (i < a->n && assist_owner(a, i) < g)
        i++;
    for (end = i; end < a->n && assist_owner(a, end) == g; end++) {
    }
    *from = end;
    return (struct assist_walk){.r = a->r, .row = a->row + i, .n = end - i, .f = f, .arg = arg, .ok = true};
}

bool assists_each(const struct trace *tr, bool (*f)(void *arg, const struct assist_run *a), void *arg)
{
    struct assist_rows a;
    bool ok = assist_rows_init(&a, tr);
    for (size_t from = 0; ok && from < a.n;) {
        const uint32_t g = assist_owner(&a, from);
        struct assist_walk w = assist_walk_of(&a, &from, g, f, arg);
        ok = walk_owner(tr, &w, g);
    }
    assist_rows_free(&a);
    return ok;
}

/* ---- times --------------------------------------------------------------------------------------------- */

static bool list_begin(struct assist_times *a)
{
    const bool room = mem_room(a->list, a->caplists, a->nlists + 1);
    if (room) {
        a->list[a->nlists++] = a->n;
        a->last = 0;
    }
    return room;
}

/* Each is told from the end of the one before it. */
bool assist_times_add(struct assist_times *a, const struct assist_time *x)
{
    enum { MOST = 30 };
    if ((!a->nlists || x->t0 < a->last) && !list_begin(a))
        return false;
    if (!mem_room(a->bytes, a->cap, a->n + MOST))
        return false;
    uint8_t *p = a->bytes + a->n;
    p += bytes_put_varint(p, (uint64_t)x->t0 - (uint64_t)a->last);
    p += bytes_put_varint(p, (uint64_t)x->t1 - (uint64_t)x->t0);
    p += bytes_put_varint(p, x->p + UINT32_C(1));
    a->n = (size_t)(p - a->bytes);
    a->last = x->t1;
    a->ntimes++;
    return true;
}

bool assist_times_join(struct assist_times *a, const struct assist_times *more)
{
    if (!more->nlists)
        return true;
    if (!mem_room(a->bytes, a->cap, a->n + more->n) ||
        !mem_room(a->list, a->caplists, a->nlists + more->nlists))
        return false;
    memcpy(a->bytes + a->n, more->bytes, more->n);
    for (size_t i = 0; i < more->nlists; i++)
        a->list[a->nlists++] = a->n + more->list[i];
    a->n += more->n;
    a->ntimes += more->ntimes;
    a->last = more->last;
    return true;
}

void assist_times_free(struct assist_times *a)
{
    mem_free(a->bytes);
    mem_free(a->list);
    *a = (struct assist_times){0};
}

struct assist_list assist_list(const struct assist_times *a, size_t i)
{
    const size_t end = i + 1 < a->nlists ? a->list[i + 1] : a->n;
    return (struct assist_list){a->bytes + a->list[i], a->bytes + end, 0};
}

bool assist_list_next(struct assist_list *l, struct assist_time *x)
{
    uint64_t from, ns, p;
    if (l->at == l->end)
        return false;
    l->at = bytes_varint(l->at, l->end, &from);
    l->at = bytes_varint(l->at, l->end, &ns);
    l->at = bytes_varint(l->at, l->end, &p);
    x->t0 = (int64_t)((uint64_t)l->t + from);
    x->t1 = l->t = (int64_t)((uint64_t)x->t0 + ns);
    x->p = (uint32_t)p - 1;
    return true;
}
