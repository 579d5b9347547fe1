/*
 * tasks.c - latency of tasks and regions by name, and what the slowest instances spent their time on.
 *
 * A task has no goroutine of its own, so its time is assembled: the goroutine that started it counts from
 * the task's start to its end; others count while they are in a region of the task, or work on a direct
 * child task they started. Overlapping intervals of one goroutine are united first, so that no time counts
 * twice. A region is its goroutine's time.
 */
#include "triage/tri.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

#define DETAILED 48 /* types whose slowest instances get a breakdown */
#define WALK_MAX 200000

struct item { /* a task or a region, so that one function sorts both */
    uint32_t name, index, g;
    int64_t t0, t1;
    bool open_start, open_end;
};

struct part { /* goroutine g worked on the slow instance `slot` from t0 to t1 */
    uint32_t slot, g;
    int64_t t0, t1;
};

struct parts {
    struct part *p;
    size_t n, cap;
};

static bool part_add(struct parts *ps, struct part x)
{
    if (x.t0 >= x.t1 || x.g == NO_LANE)
        return true;
    if (!mem_room(ps->p, ps->cap, ps->n + 1))
        return false;
    ps->p[ps->n++] = x;
    return true;
}

static int cmp_item(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int64_t p = x->t1 - x->t0, q = y->t1 - y->t0;
    bool ox = x->open_start || x->open_end, oy = y->open_start || y->open_end;
    if (x->name != y->name)
        return (x->name > y->name) - (x->name < y->name);
    if (ox != oy)
        return ox - oy; /* whole ones first */
    return p != q ? (p < q) - (p > q) : (x->index > y->index) - (x->index < y->index);
}

static uint32_t decade_of(int64_t ns)
{
    uint32_t d = 0;
    for (; ns >= 10 && d < 13; d++)
        ns /= 10;
    return d;
}

/* Turns one name's items, sorted as above, into a row. v has room for n durations, slow for the slowest of
 * them. */
static void type_of(struct span_type *t, const struct item *it, size_t n, int64_t *v, struct instance *slow,
                    bool region)
{
    size_t whole = 0;
    *t = (struct span_type){.name = it[0].name, .is_region = region, .count = n, .slow = slow};
    for (size_t i = 0; i < n; i++) {
        t->open_start += it[i].open_start;
        t->open_end += it[i].open_end;
        if (!it[i].open_start && !it[i].open_end) {
            v[whole++] = it[i].t1 - it[i].t0;
            t->decade[decade_of(it[i].t1 - it[i].t0)]++;
        }
    }
    dist_of(&t->d, v, whole);
    for (; t->nslow < SLOWEST && t->nslow < whole; t->nslow++) {
        const struct item *x = &it[t->nslow];
        t->slow[t->nslow] = (struct instance){.index = x->index, .t0 = x->t0, .t1 = x->t1, .g = x->g};
    }
}

static bool types_of(struct triage *tg, struct item *it, size_t n, bool region)
{
    if (n)
        qsort(it, n, sizeof *it, cmp_item);
    size_t types = 0, most = 0, left = 0; /* as many as there are: each name may be of one item */
    for (size_t i = 0; i < n; i++) {
        const bool first = !i || it[i].name != it[i - 1].name;
        left = first ? SLOWEST : left;
        types += first;
        most += left > 0;
        left -= left > 0;
    }
    int64_t *v = mem_alloc((n + 1) * sizeof *v);
    struct instance *slow = tg->slow[region] = mem_alloc((most + 1) * sizeof *slow);
    struct span_type *p = mem_resize(tg->types, (tg->ntypes + types + 1) * sizeof *p);
    tg->types = p ? p : tg->types;
    for (size_t i = 0, j; v && slow && p && i < n; i = j) {
        for (j = i; j < n && it[j].name == it[i].name; j++) {
        }
        type_of(&p[tg->ntypes], it + i, j - i, v, slow, region);
        slow += p[tg->ntypes++].nslow;
    }
    mem_free(v);
    return v && slow && p;
}

static int cmp_type(const void *a, const void *b)
{
    const struct span_type *x = a, *y = b;
    return x->is_region != y->is_region ? x->is_region - y->is_region
           : x->d.total != y->d.total   ? (x->d.total < y->d.total) - (x->d.total > y->d.total)
                                        : (x->name > y->name) - (x->name < y->name);
}

static int cmp_part(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    return x->slot != y->slot ? (x->slot > y->slot) - (x->slot < y->slot)
           : x->g != y->g     ? (x->g > y->g) - (x->g < y->g)
                              : (x->t0 > y->t0) - (x->t0 < y->t0);
}

static void reason_add(struct breakdown *b, uint32_t reason, int64_t ns)
{
    uint32_t i = 0;
    while (i < b->nreasons && b->reason[i] != reason)
        i++;
    if (i == BREAK_REASONS)
        return; /* the rest is `waiting` less the listed reasons */
    b->nreasons += i == b->nreasons;
    b->reason[i] = reason;
    b->reason_ns[i] = ns_add(b->reason_ns[i], ns);
    for (; i > 0 && b->reason_ns[i] > b->reason_ns[i - 1]; i--) {
        uint32_t r = b->reason[i];
        int64_t x = b->reason_ns[i];
        b->reason[i] = b->reason[i - 1];
        b->reason_ns[i] = b->reason_ns[i - 1];
        b->reason[i - 1] = r;
        b->reason_ns[i - 1] = x;
    }
}

static void break_reasons(const struct trace *tr, struct breakdown *b, struct lane l, int64_t t0, int64_t t1)
{
    struct span_iter it;
    if (!span_seek(&it, tr, l, t0))
        return;
    for (uint32_t n = 0; n < WALK_MAX; n++) {
        const struct span *s = span_get(&it);
        int64_t a = s->t0 > t0 ? s->t0 : t0, z = s->t1 < t1 ? s->t1 : t1;
        if (s->t0 >= t1)
            break;
        if (s->state == ST_WAITING && z > a)
            reason_add(b, s->reason, z - a);
        if (!span_next(&it))
            break;
    }
}

/* Returns how long g ran within mark assists in [t0,t1). a[0..n) is sorted by goroutine and start. */
static int64_t assisted(const struct trace *tr, const struct part *a, size_t n, uint32_t g, int64_t t0,
                        int64_t t1)
{
    size_t lo = 0;
    int64_t sum = 0;
    bisect(lo, n, i,
           a[i].g < g || (a[i].g == g && a[i].t1 <= t0)); /* one goroutine's assists don't overlap */
    for (; lo < n && a[lo].g == g && a[lo].t0 < t1; lo++) {
        struct shares s;
        trace_shares(tr, (struct lane){LANE_G, g}, a[lo].t0 > t0 ? a[lo].t0 : t0,
                     a[lo].t1 < t1 ? a[lo].t1 : t1, &s);
        sum = ns_add(sum, s.ns[ST_RUNNING]);
    }
    return sum;
}

static void break_interval(const struct trace *tr, const struct parts *assists, struct breakdown *b,
                           uint32_t g, int64_t t0, int64_t t1)
{
    struct lane l = {LANE_G, g};
    struct shares s;
    int64_t assist = assisted(tr, assists->p, assists->n, g, t0, t1);
    trace_shares(tr, l, t0, t1, &s);
    b->running = ns_add(b->running, s.ns[ST_RUNNING] - assist);
    b->assist = ns_add(b->assist, assist);
    b->sched = ns_add(b->sched, s.ns[ST_RUNNABLE]);
    b->syscall = ns_add(b->syscall, s.ns[ST_SYSCALL]);
    b->waiting = ns_add(b->waiting, s.ns[ST_WAITING]);
    b->all = ns_add(b->all, t1 - t0 - s.ns[ST_NONE]);
    break_reasons(tr, b, l, t0, t1);
}

struct breakdown triage_breakdown(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    struct breakdown b = {.goroutines = 1};
    break_interval(tr, &(struct parts){0}, &b, g, t0, t1);
    return b;
}

static void break_own(const struct trace *tr, struct instance *x)
{
    struct shares s;
    trace_shares(tr, (struct lane){LANE_BAND, BAND_GC}, x->t0, x->t1, &s);
    x->b.gc = s.ns[ST_GC];
    trace_shares(tr, (struct lane){LANE_BAND, BAND_STW}, x->t0, x->t1, &s);
    x->b.stw = s.ns[ST_STW];
}

/* Parts are sorted: unites those that overlap on one goroutine, then counts. slot = type * SLOWEST + rank. */
static void break_parts(struct triage *tg, const struct parts *ps, const struct parts *assists)
{
    for (size_t i = 0, j; i < ps->n; i = j) {
        struct breakdown *b = &tg->types[ps->p[i].slot / SLOWEST].slow[ps->p[i].slot % SLOWEST].b;
        int64_t t0 = ps->p[i].t0, t1 = ps->p[i].t1;
        b->goroutines++;
        for (j = i + 1; j < ps->n && ps->p[j].slot == ps->p[i].slot && ps->p[j].g == ps->p[i].g; j++) {
            if (ps->p[j].t0 <= t1) {
                t1 = ps->p[j].t1 > t1 ? ps->p[j].t1 : t1;
                continue;
            }
            break_interval(tg->tr, assists, b, ps->p[i].g, t0, t1);
            t0 = ps->p[j].t0;
            t1 = ps->p[j].t1;
        }
        break_interval(tg->tr, assists, b, ps->p[i].g, t0, t1);
    }
}

static int64_t clip(int64_t t, const struct instance *x)
{
    return t < x->t0 ? x->t0 : t > x->t1 ? x->t1 : t;
}

static bool slow_parts(struct triage *tg, struct parts *ps, struct tab *by_task, const struct task *task)
{
    for (uint32_t i = 0; i < tg->ntypes; i++) {
        bool detailed = tg->types[i].is_region ? i - tg->ntask_types < DETAILED : i < DETAILED;
        for (uint32_t k = 0; detailed && k < tg->types[i].nslow; k++) {
            struct instance *x = &tg->types[i].slow[k];
            uint32_t slot = i * SLOWEST + k;
            break_own(tg->tr, x);
            if (!part_add(ps, (struct part){slot, x->g, x->t0, x->t1}) ||
                (!tg->types[i].is_region && tab_put(by_task, task[x->index].id, 0, slot) == TAB_NONE))
                return false;
        }
    }
    return true;
}

static bool assist_parts(const struct triage *tg, struct parts *a)
{
    const struct range *r;
    size_t n = trace_ranges(tg->tr, RANGE_ASSIST, &r);
    for (size_t i = 0; i < n; i++)
        if (!part_add(a, (struct part){0, r[i].owner, r[i].t0, r[i].t1}))
            return false;
    if (a->n)
        qsort(a->p, a->n, sizeof *a->p, cmp_part);
    return true;
}

static bool break_down(struct triage *tg, const struct task *task, size_t nt, const struct region *reg,
                       size_t nr)
{
    struct parts ps = {0}, assists = {0};
    struct tab by_task = {0};
    bool ok = slow_parts(tg, &ps, &by_task, task) && (!ps.n || assist_parts(tg, &assists));
    for (size_t i = 0; i < nr && ok && by_task.used; i++) {
        uint32_t slot = reg[i].task ? tab_get(&by_task, reg[i].task, 0) : TAB_NONE;
        if (slot != TAB_NONE) {
            const struct instance *x = &tg->types[slot / SLOWEST].slow[slot % SLOWEST];
            ok = part_add(&ps, (struct part){slot, reg[i].g, clip(reg[i].t0, x), clip(reg[i].t1, x)});
        }
    }
    for (size_t i = 0; i < nt && ok && by_task.used; i++) {
        uint32_t slot = task[i].parent ? tab_get(&by_task, task[i].parent, 0) : TAB_NONE;
        if (slot != TAB_NONE) {
            const struct instance *x = &tg->types[slot / SLOWEST].slow[slot % SLOWEST];
            ok = part_add(&ps, (struct part){slot, task[i].g, clip(task[i].t0, x), clip(task[i].t1, x)});
        }
    }
    if (ok && ps.n) {
        qsort(ps.p, ps.n, sizeof *ps.p, cmp_part);
        break_parts(tg, &ps, &assists);
    }
    mem_free(ps.p);
    mem_free(assists.p);
    tab_free(&by_task);
    return ok;
}

bool triage_tasks(struct triage *tg)
{
    const struct task *task;
    const struct region *reg;
    size_t nt = trace_tasks(tg->tr, &task), nr = trace_regions(tg->tr, &reg), m = nt > nr ? nt : nr;
    struct item *it = mem_alloc((m + 1) * sizeof *it);
    bool ok;
    if (!it)
        return false;
    for (size_t i = 0; i < nt; i++) {
        it[i] = (struct item){task[i].name, (uint32_t)i,        task[i].g,       task[i].t0,
                              task[i].t1,   task[i].open_start, task[i].open_end};
    }
    ok = types_of(tg, it, nt, false);
    tg->ntask_types = tg->ntypes;
    for (size_t i = 0; i < nr && ok; i++) {
        it[i] = (struct item){reg[i].name, (uint32_t)i,       reg[i].g,       reg[i].t0,
                              reg[i].t1,   reg[i].open_start, reg[i].open_end};
    }
    ok = ok && types_of(tg, it, nr, true);
    mem_free(it);
    if (ok && tg->ntypes) {
        qsort(tg->types, tg->ntypes, sizeof *tg->types, cmp_type);
        ok = break_down(tg, task, nt, reg, nr);
    }
    return ok;
}
