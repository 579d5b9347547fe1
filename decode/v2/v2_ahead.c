/*
 * v2_ahead.c - what is cheap to know of a generation before its events are put in order: see v2_gen_late() and v2_gen_workers()
 * in v2_gen.h.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_raw.h"
#include "decode/v2/v2_state.h"

/* ---- its last event --------------------------------------------------------------------------------------- */

/* How often an event makes time go on: a switch is three things at once. */
static unsigned times_of(uint8_t type)
{
    return v2_means(type) == V2_MEANS_go_switch || v2_means(type) == V2_MEANS_go_switch_destroy ? 3 : 1;
}

static void late_add(struct v2_late *l, int64_t t, unsigned times)
{
    for (; times && !l->oom; times--) {
        l->oom = !mem_room(l->t, l->cap, l->n + 1);
        if (!l->oom)
            l->t[l->n++] = t;
    }
}

/* A batch up to its last event: where one stands that is some time before it. */
struct end_of {
    const struct v2_batch *b;
    struct {
        const uint8_t *p;
        int64_t t;
    } mark[2]; /* older, newer */
};

/* When a batch's last event is, from a mark on; those from `from` on go to l, if there is one, else marks are set. */
static int64_t batch_last(struct end_of *e, double unit, int64_t from, struct v2_late *l)
{
    const struct v2_batch *b = e->b;
    uint64_t unit64 = unit == (double)(uint64_t)unit && unit < 1e6 ? (uint64_t)unit : 0;
    const unsigned k = l && e->mark[1].t < from;
    int64_t t = l && e->mark[0].t < from ? e->mark[k].t : v2_ns(b->time, unit), now = t;
    const uint8_t *p = l && e->mark[0].t < from ? e->mark[k].p : b->p;
    for (const uint8_t *next = p + 4096; p < b->end;) {
        if (!l && p >= next) {
            e->mark[0] = e->mark[1];
            e->mark[1].p = p;
            e->mark[1].t = now;
            next = p + 4096;
        }
        uint8_t type = *p++;
        uint64_t v = 0;
        if (!v2_specs[type].nargs || !(p = bytes_varint(p, b->end, &v)))
            break;
        now += unit64 && v < (uint64_t)1 << 40 ? (int64_t)(v * unit64) : v2_ns(v, unit);
        if (now >= SOURCE_TIME_MAX)
            break;
        t = now;
        for (int i = 1; i < v2_specs[type].nargs && p; i++)
            while (p < b->end && *p++ >= 0x80) {
            }
        if (l && t >= from)
            late_add(l, t, times_of(type));
    }
    return t;
}

static int by_time(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

enum { WINDOW_NS = 100000 };

/* Each thread's last batch; how many. */
static size_t last_batches(const struct v2_gen *g, struct end_of **at)
{
    const double unit = v2_gen_unit(g);
    struct idmap seen = {0};
    size_t n = 0, cap = 0;
    for (size_t i = g->nbatch; i-- > 0;) {
        if (idmap_get(&seen, g->batch[i].m) != IDMAP_NONE)
            continue;
        if (!mem_room(*at, cap, n + 1) || !idmap_put(&seen, g->batch[i].m, 0))
            break;
        const int64_t t0 = v2_ns(g->batch[i].time, unit);
        (*at)[n++] = (struct end_of){&g->batch[i], {{g->batch[i].p, t0}, {g->batch[i].p, t0}}};
    }
    idmap_free(&seen);
    return n;
}

void v2_gen_late(const struct v2_gen *g, struct v2_late *late)
{
    const double unit = v2_gen_unit(g);
    struct end_of *at = NULL;
    const size_t n = last_batches(g, &at);
    late->least = late->most = v2_ns(g->min_time, unit);
    for (size_t i = 0; i < n; i++) {
        const int64_t t = batch_last(&at[i], unit, 0, NULL);
        late->most = t > late->most ? t : late->most;
    }
    if (g->nsample && g->sample[g->nsample - 1].ns > late->most)
        late->most = g->sample[g->nsample - 1].ns;
    const int64_t from = late->most - WINDOW_NS;
    for (size_t i = 0; i < n; i++)
        (void)batch_last(&at[i], unit, from, late);
    for (size_t i = g->nsample; i-- > 0 && g->sample[i].ns >= from;)
        late_add(late, g->sample[i].ns, 1);
    if (late->n)
        qsort(late->t, late->n, sizeof *late->t, by_time);
    mem_free(at);
}

int64_t v2_late_last(const struct v2_late *late, int64_t last)
{
    last = last >= late->least ? last + 1 : late->least;
    const int64_t from = (late->most > last ? late->most : last) - WINDOW_NS;
    for (size_t i = 0; i < late->n; i++)
        if (late->t[i] >= from)
            last = late->t[i] > last ? late->t[i] : last + 1;
    return last;
}

/* ---- its mark workers ------------------------------------------------------------------------------------- */

struct workers {
    const struct v2_gen *g;
    const struct names *nm;
    v2_worker_fn *told;
    void *arg;
    struct idmap is; /* by stack, twice its id and 1 for its top, else its root: the workers' function there, or 0 */
};

static uint32_t worker_func(struct workers *w, uint64_t stack, bool start)
{
    static const char want[] = "runtime.gcBgMarkWorker";
    const uint64_t key = stack << 1 | start;
    uint32_t func = idmap_get(&w->is, key);
    if (func != IDMAP_NONE)
        return func;
    const uint32_t id = idmap_get(&w->g->stacks, stack);
    func = id == IDMAP_NONE ? 0 : start ? names_frame(w->nm, id, 0).func : names_root_func(w->nm, id);
    const struct str s = names_get(w->nm, func);
    if (s.len != sizeof want - 1 || memcmp(s.p, want, s.len) != 0)
        func = 0;
    return idmap_put(&w->is, key, func) ? func : 0;
}

static void batch_workers(struct workers *w, const struct v2_batch *b)
{
    uint64_t runs = 0; /* 0: not known */
    struct v2_raw_ev e;
    for (const uint8_t *p = b->p; (p = v2_raw_ev(p, b->end, &e));) {
        const enum v2_means is = v2_means(e.type);
        const uint64_t *const v = e.arg;
        uint32_t func = 0;
        if (is == V2_MEANS_go_start)
            runs = v[0];
        else if (is == V2_MEANS_go_create && v[1] && (func = worker_func(w, v[1], true)))
            w->told(w->arg, v[0], func, false);
        else if (is == V2_MEANS_go_status_stack && v[3] && (func = worker_func(w, v[3], false)))
            w->told(w->arg, v[0], func, true);
        else if ((is == V2_MEANS_go_block || is == V2_MEANS_go_stop) && runs && v[1] &&
                 (func = worker_func(w, v[1], false)))
            w->told(w->arg, runs, func, true);
    }
}

void v2_gen_workers(const struct v2_gen *g, const struct names *nm, v2_worker_fn *told, void *arg)
{
    enum { BYTES_MOST = 16 << 20 };
    struct workers w = {g, nm, told, arg, {0}};
    size_t bytes = 0;
    for (size_t i = 0; i < g->nbatch && bytes < BYTES_MOST; i++) {
        bytes += (size_t)(g->batch[i].end - g->batch[i].p);
        batch_workers(&w, &g->batch[i]);
    }
    idmap_free(&w.is);
}
