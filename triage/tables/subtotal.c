/*
 * subtotal.c - counts runs of goroutines on several threads and adds them up in order: see tri.h.
 */
#include "triage/tri.h"

#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"

/* A trace is cut into so many runs, of at most so many goroutines. The first goroutines are one run each:
 * they existed before the trace and live long. */
enum { RUNS = 64, RUN_MOST = 4096, ALONE = LANES_PACK / 2 };

/* ---- the longest --------------------------------------------------------------------------------------- */

void longest_add(struct longest_few *l, const struct sched_wait *x)
{
    const int64_t ns = x->t1 - x->t0;
    if (l->n == WORST && ns <= l->least)
        return;
    uint32_t i = l->n < WORST ? l->n++ : WORST - 1;
    for (; i > 0 && ns > l->v[i - 1].t1 - l->v[i - 1].t0; i--)
        l->v[i] = l->v[i - 1];
    l->v[i] = *x;
    l->least = l->n < WORST ? -1 : l->v[WORST - 1].t1 - l->v[WORST - 1].t0;
}

/* ---- one subtotal behind another ----------------------------------------------------------------------- */

static uint64_t pair_wait(const struct pair_row *p)
{
    return (uint64_t)p->reason << 32 | p->stack;
}

static uint64_t pair_end(const struct pair_row *p)
{
    return (uint64_t)p->waker << 32 | p->waker_stack;
}

static void pair_place(struct pairs *y, uint32_t row)
{
    const uint32_t h = pair_hash(pair_wait(&y->v[row]), pair_end(&y->v[row]));
    uint32_t i = h & y->mask;
    while (y->at[i])
        i = (i + 1) & y->mask;
    y->at[i] = (h & ~y->mask) | (row + 1);
}

/* Doubles the number of places, of which at least half are free. */
static bool pairs_widen(struct pairs *y)
{
    enum { PLACES = 64 };
    const uint32_t cap = y->at ? 2 * (y->mask + 1) : PLACES;
    uint32_t *at = cap ? mem_zalloc(cap * sizeof *at) : NULL;
    if (!at)
        return false;
    mem_free(y->at);
    y->at = at;
    y->mask = cap - 1;
    for (uint32_t i = 0; i < y->n; i++)
        pair_place(y, i);
    return true;
}

struct pair_row *pairs_new(struct pairs *y, uint64_t wait, uint64_t end)
{
    if ((y->n > y->mask / 2 && !pairs_widen(y)) || !mem_room(y->v, y->cap, (size_t)y->n + 1))
        return NULL;
    struct pair_row *p = &y->v[y->n];
    *p = (struct pair_row){.reason = (uint32_t)(wait >> 32),
                           .stack = (uint32_t)wait,
                           .waker = (uint32_t)(end >> 32),
                           .waker_stack = (uint32_t)end};
    pair_place(y, y->n++);
    return p;
}

static void pairs_move(struct pairs *to, struct pairs *from)
{
    *to = *from;
    *from = (struct pairs){0};
}

/* Returns whether a lasted longer; of those alike the lower goroutine, then the earlier one comes first. */
static bool moment_before(const struct moment *a, const struct moment *b)
{
    const int64_t x = a->t1 - a->t0, y = b->t1 - b->t0;
    return x != y ? x > y : a->g != b->g ? a->g < b->g : a->t0 < b->t0;
}

enum { AHEAD = 32 };

/* Fetches the rows of AHEAD pairs side by side: in a large table each waits for memory. */
static void fetch_from(const struct pairs *to, const struct pairs *y, uint32_t from)
{
    const uint32_t n = y->n - from < AHEAD ? y->n - from : AHEAD;
    const uint32_t *at[AHEAD];
    for (uint32_t i = 0; i < n; i++) {
        const struct pair_row *s = &y->v[from + i];
        at[i] = &to->at[pair_hash(pair_wait(s), pair_end(s)) & to->mask];
    }
    pairs_fetch(to, at, n);
}

/* Adds what a pair has counted. Returns its row; NULL when out of memory. */
static struct pair_row *add_pair(struct pairs *to, const struct pair_row *s)
{
    struct pair_row *p = pairs_find(to, pair_wait(s), pair_end(s));
    if (!p) {
        p = pairs_new(to, pair_wait(s), pair_end(s));
        if (p)
            *p = *s;
        return p;
    }
    p->count += s->count;
    p->futile += s->futile;
    p->total = ns_add(p->total, s->total);
    if (s->longest.t1 - s->longest.t0 > p->longest.t1 - p->longest.t0) {
        p->longest = s->longest;
        p->longest_waker = s->longest_waker;
    }
    return p;
}

/* The largest table is freed as it is added, before the next one is read. */
static bool add_pairs(struct pairs *to, struct pairs *y)
{
    uint32_t *at = mem_alloc(((size_t)y->n + 1) * sizeof *at);
    bool ok = at;
    for (uint32_t i = 0; ok && i < y->n; i++) {
        if (i % AHEAD == 0)
            fetch_from(to, y, i);
        const struct pair_row *p = add_pair(to, &y->v[i]);
        if (!(ok = p))
            break;
        at[i] = (uint32_t)(p - to->v);
    }
    for (size_t i = 0; ok && i < y->nwakes && to->nwakes < WAKES_MAX; i++) {
        y->wakes[i].pair = at[y->wakes[i].pair];
        ok = mem_add(to->wakes, to->cap_wakes, to->nwakes, y->wakes[i]);
    }
    mem_free(at);
    mem_free(y->v);
    y->v = NULL;
    return ok;
}

struct group_wait *subtotal_wait_of(struct subtotal *y, uint32_t group, uint32_t reason)
{
    return tab_row_with(&y->by_wait_of, y->wait_of, y->nwait_of, group, reason, .group = group,
                        .reason = reason);
}

static bool add_wait_ofs(struct subtotal *to, const struct subtotal *y)
{
    each_of(s, y->wait_of, y->nwait_of) {
        struct group_wait *p = subtotal_wait_of(to, s->group, s->reason);
        if (!p)
            return false;
        p->count += s->count;
        p->total = ns_add(p->total, s->total);
        p->longest = s->longest > p->longest ? s->longest : p->longest;
    }
    return true;
}

static bool subtotal_add(struct triage *tg, struct subtotal *to, struct subtotal *y)
{
    const bool lent = !to->pairs.at;
    if (lent)
        pairs_move(&to->pairs, &y->pairs);
    const bool ok = (lent || add_pairs(&to->pairs, &y->pairs)) && add_wait_ofs(to, y);
    each_of(s, y->groups, y->ngroups) {
        struct group *p = &tg->groups[s->group];
        p->timed |= s->timed;
        p->first = s->first < p->first ? s->first : p->first;
        p->last = s->last > p->last ? s->last : p->last;
        ns_sum(p->ns, s->ns, GM_COUNT);
    }
    each_of(w, y->longest_runnable.v, y->longest_runnable.n)
        longest_add(&tg->longest_runnable, w);
    each_of(w, y->busiest.v, y->busiest.n)
        longest_add(&tg->busiest, w);
    ns_sum(tg->label_ns, y->label_ns, GC_MODES);
    hist_sum(&tg->sched, &y->sched);
    struct long_runs *all = &tg->long_runs;
    const struct long_runs *l = &y->long_runs;
    all->longest = l->n && (!all->n || moment_before(&l->longest, &all->longest)) ? l->longest : all->longest;
    all->n += l->n;
    all->total = ns_add(all->total, l->total);
    return ok;
}

static void subtotal_tabs_free(struct subtotal *y)
{
    tab_free(&y->by_group);
    tab_free(&y->by_wait_of);
    mem_free(y->pairs.at);
    y->pairs.at = NULL;
}

static void subtotal_free(void *arg)
{
    struct subtotal *y = arg;
    if (!y)
        return;
    subtotal_tabs_free(y);
    mem_free(y->groups);
    mem_free(y->pairs.v);
    mem_free(y->pairs.wakes);
    mem_free(y->wait_of);
    mem_free(y);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

struct runs {
    struct triage *tg;
    struct subtotal *sum;
    bool lends;    /* one run after another counts in the pairs of the sum */
    uint32_t size; /* goroutines in a run */
    size_t n;
};

static uint32_t run_start(const struct runs *r, size_t i)
{
    const uint64_t g = i <= ALONE ? i : ALONE + (uint64_t)(i - ALONE) * r->size;
    return g < r->tg->ng ? (uint32_t)g : r->tg->ng;
}

static bool run_count(void *arg, size_t i, void **kept)
{
    const struct runs *r = arg;
    const struct triage *tg = r->tg;
    struct subtotal *y = *kept = mem_zalloc(sizeof *y);
    if (y && r->lends)
        pairs_move(&y->pairs, &r->sum->pairs);
    const bool ok = y && (r->lends || pairs_widen(&y->pairs)) &&
                    subtotal_goroutines(tg, y, run_start(r, i), run_start(r, i + 1));
    if (ok && !r->lends) { /* it may have to wait for many earlier runs */
        mem_fit(y->pairs.v, y->pairs.cap, y->pairs.n);
        subtotal_tabs_free(y);
    }
    return ok;
}

static bool run_add(void *arg, size_t i, void *kept)
{
    struct runs *r = arg;
    struct triage *tg = r->tg;
    const bool ok = kept && subtotal_add(tg, r->sum, kept);
    subtotal_free(kept);
    tg->work->next = run_start(r, i + 1);
    return ok;
}

static bool sum_row(struct tab *by_wait, struct wait_row **rows, uint32_t *n, const struct pair_row *p)
{
    const int64_t ns = p->longest.t1 - p->longest.t0;
    const bool done = p->waker != WAIT_OPEN && p->waker != WAIT_LOST;
    struct wait_row *w = tab_row_with(by_wait, *rows, *n, p->reason, p->stack, .reason = p->reason,
                                      .stack = p->stack, .kind = p->kind, .longest = p->longest);
    if (!w)
        return false;
    w->longest = moment_before(&p->longest, &w->longest) ? p->longest : w->longest;
    w->longest_done = done && ns > w->longest_done ? ns : w->longest_done;
    w->count += p->count;
    w->open += p->waker == WAIT_OPEN ? p->count : 0;
    w->blocking += p->waker == CALL_BLOCKED ? p->count : 0;
    w->total = ns_more(w->total, p->total);
    return true;
}

/* Sums up the waits for each reason at each place and the system calls, and keeps only the pairs of waits
 * that somebody ended. */
static bool tell_pairs(struct triage *tg, struct subtotal *y)
{
    struct tab waits = {0}, calls = {0};
    subtotal_tabs_free(y);
    uint32_t *at = mem_alloc(((size_t)y->pairs.n + 1) * sizeof *at), n = 0;
    bool ok = at;
    for (uint32_t i = 0; ok && i < y->pairs.n; i++) {
        struct pair_row *p = &y->pairs.v[i];
        const bool call = p->waker == CALL_OVER || p->waker == CALL_BLOCKED;
        ok = (call ? sum_row(&calls, &tg->syscalls, &tg->nsyscalls, p)
                   : sum_row(&waits, &tg->waits, &tg->nwaits, p)) &&
             (i % 256 || slices_tick());
        at[i] = n;
        p->from_scheduler = p->waker == NOBODY;
        if (p->waker >= NO_WAKER && !p->from_scheduler)
            continue;
        p->waker = p->from_scheduler ? 0 : tg->groups[p->waker].name;
        y->pairs.v[n++] = *p;
    }
    for (size_t i = 0; ok && i < y->pairs.nwakes; i++)
        y->pairs.wakes[i].pair = at[y->pairs.wakes[i].pair];
    y->pairs.n = n;
    mem_fit(y->pairs.v, y->pairs.cap, n);
    mem_fit(tg->waits, waits.room, tg->nwaits);
    tab_free(&waits);
    tab_free(&calls);
    mem_free(at);
    return ok;
}

static bool assists_add(struct triage *tg)
{
    const struct range *r;
    const size_t n = trace_ranges(tg->tr, RANGE_ASSIST, &r);
    tg->assist = n ? mem_zalloc(((size_t)tg->ng + 1) * sizeof *tg->assist) : NULL;
    bool ok = tg->assist || !n;
    for (size_t i = 0; i < n && ok; i++) {
        const uint32_t g = r[i].owner;
        const int64_t t0 = r[i].t0 > 0 ? r[i].t0 : 0,
                      ns = g >= tg->ng ? 0
                           : r[i].a    ? ns_clamp((int64_t)(r[i].a - 1)) /* how long it ran meanwhile */
                                       : ns_clamp(trace_ns(tg->tr, lane_g(g), ST_RUNNING, t0, r[i].t1));
        if (ns <= 0)
            continue;
        int64_t *sum = &tg->groups[tg->group_of[g]].ns[GM_ASSIST];
        tg->assist[g] = ns_add(tg->assist[g], ns);
        *sum = ns_add(*sum, ns);
        ok = i % 1024 || slices_tick();
    }
    return ok;
}

bool triage_goroutines(struct triage *tg)
{
    struct triage_work *wk = tg->work;
    struct runs r = {.tg = tg, .sum = mem_zalloc(sizeof *r.sum), .lends = trace_threads(tg->tr) == 1};
    const size_t rest = tg->ng > ALONE ? tg->ng - ALONE : 0;
    r.size = tg->ng / RUNS + 1 < RUN_MOST ? tg->ng / RUNS + 1 : RUN_MOST;
    r.size = (r.size / LANES_PACK + (r.size % LANES_PACK > 0)) * LANES_PACK;
    r.n = tg->ng - rest + (rest + r.size - 1) / r.size;
    tg->long_runs.least = threshold_ns(TH_HOST_RUN);
    struct subtotal *y = r.sum;
    if (!y || !pairs_widen(&y->pairs) || !triage_groups(tg) ||
        !slices_each(trace_threads(tg->tr), r.n,
                     &(struct slices_job){run_count, run_add, subtotal_free, &r}) ||
        !tell_pairs(tg, y)) {
        subtotal_free(y);
        return false;
    }
    tg->pairs = y->pairs.v;
    tg->npairs = y->pairs.n;
    tg->group_waits = y->wait_of;
    wk->ngroup_waits = y->nwait_of;
    wk->wakes = y->pairs.wakes;
    wk->nwakes = y->pairs.nwakes;
    mem_free(y->groups);
    mem_free(y);
    return assists_add(tg);
}
