/*
 * holder.c - see holder.h. Waits and holdings make chains: each wait of triage.lock_waits ends one holding,
 * which began when its holder got the lock, at the end of another of these waits. The link to that wait is
 * found once per wait.
 *
 * Invariants. A wait's holdings are adjacent and the last one ends with the wait; time before the first has
 * no holder. What holders did is summed over all waits, so a stretch counts once for each goroutine that
 * waited through it.
 */
#include "triage/findings/holder.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"
#include "triage/findings/same_lock.h"
#include "triage/findings/thresholds.h"
#include "triage/tri.h"
#include "triage/sentence.h"

#define BACK_MOST \
    32 /* waits of a holder that are looked at for one for the same lock; its spans, for one elsewhere */
#define ELSEWHERE 5000 /* ns: nobody waits elsewhere and is back sooner; most locks are held for less */

#define HOLDINGS_MAX 64 /* of one wait */

struct holding {
    uint32_t g;     /* lane */
    int64_t t0, t1; /* when it held, within the wait */
    uint32_t stack; /* where it released; 0: unknown */
};

struct doing { /* of a goroutine in an interval */
    int64_t ns[ST_COUNT], wait_ns[WK_KINDS];
};

struct weight { /* how long someone held in that place */
    uint32_t row, id;
    int64_t ns;
};
struct weights {
    struct tab by;
    struct weight *w;
    uint32_t n;
    size_t cap;
};

/* The whole holding that a wait ended: what was done in it, once `known`, and for how many waits of `row`
 * it is still to be added. Chains share their links, so a link is added once for many of them. */
struct whole {
    struct doing d;
    uint32_t g, stack, row, times;
    int64_t ns;
    bool known;
};

struct holders {
    struct triage *tg;
    struct tab by_place;
    size_t cap_rows;
    struct whole *whole; /* by wait */
    struct weights goroutines, names, stacks;
};

uint32_t holder_place(const struct trace *tr, uint32_t stack)
{
    return trace_frame(tr, stack, stacks_user_frame(tr, stack)).func;
}

const struct holder_row *holder_at(const struct triage *tg, uint32_t place)
{
    for (uint32_t i = 0; i < tg->nholders; i++)
        if (tg->holders[i].place == place)
            return &tg->holders[i];
    return NULL;
}

/* ---- chains -------------------------------------------------------------------------------------------- */

/* Returns the first of triage.lock_order (waits by goroutine, then time) at or after (g, t). */
static uint32_t order_at(const struct triage *tg, uint32_t g, int64_t t)
{
    const struct lock_wait *const w = tg->lock_waits;
    const uint32_t *const at = tg->lock_order;
    uint32_t lo = 0;
    bisect(lo, tg->nlock_waits, i, w[at[i]].g < g || (w[at[i]].g == g && w[at[i]].t0 < t));
    return lo;
}

/* Returns the last wait of g that ended by t, for the lock asked for in place a or b, or NO_LANE. */
static uint32_t wait_before(const struct triage *tg, uint32_t g, int64_t t, uint32_t a, uint32_t b)
{
    uint32_t at = order_at(tg, g, t);
    for (uint32_t i = 0; i < BACK_MOST && at-- > 0; i++) {
        uint32_t k = tg->lock_order[at];
        const struct lock_wait *w = &tg->lock_waits[k];
        if (w->g != g)
            return NO_LANE;
        if (w->t1 <= t && (w->place == a || (w->place == b && b)))
            return k;
    }
    return NO_LANE;
}

/* Find when the holder that ended wait w got the lock: when it was unblocked for it, but not before the
 * waiter itself was unblocked for it in vain, as the lock had been released then. Returns the wait whose
 * end is the holding's begin, or NO_LANE. */
static uint32_t got_with(const struct triage *tg, const struct lock_wait *w)
{
    uint32_t by_holder = wait_before(tg, w->waker, w->t1, w->place, w->let_go);
    uint32_t by_waiter = wait_before(tg, w->g, w->t0, w->place, 0);
    if (by_holder == NO_LANE || by_waiter == NO_LANE)
        return by_holder == NO_LANE ? by_waiter : by_holder;
    return tg->lock_waits[by_holder].t1 >= tg->lock_waits[by_waiter].t1 ? by_holder : by_waiter;
}

/* True for a wait that was in progress when the trace began and that another goroutine ended. It may have
 * been for the same lock. */
static bool began_waiting(const struct span *s, const struct span *next)
{
    return s->state == ST_WAITING && !s->stack && next->state == ST_RUNNABLE && next->who != NO_LANE;
}

/* True if the lock is asked for in the place where the holder released it: if waits there were ended by a
 * release here too. */
static bool takes_itself(const struct tab *passed, const struct lock_wait *w)
{
    return w->let_go && (w->let_go == w->place || tab_get(passed, w->let_go, w->place) != TAB_NONE);
}

/* If a function takes and releases the lock itself, its holder is in that function. Returns when the holder
 * that ended wait w was last seen elsewhere, waiting or in a system call, before which it cannot have held;
 * 0 if it was not since it got the lock, as far as is known. */
static int64_t elsewhere_until(const struct triage *tg, const struct tab *passed, const struct lock_wait *w)
{
    const int64_t from = w->got == NO_LANE ? w->t0 : tg->lock_waits[w->got].t1;
    const bool within = takes_itself(passed, w);
    struct span_iter it;
    struct span next = {.state = ST_RUNNING};
    if (w->waker >= tg->ng || w->t1 - from < ELSEWHERE ||
        !span_seek(&it, tg->tr, (struct lane){LANE_G, w->waker}, w->t1 - 1))
        return 0;
    for (uint32_t i = 0; i < BACK_MOST && span_get(&it)->t1 > from; i++) {
        const struct span *s = span_get(&it);
        const bool stands = (s->state == ST_WAITING || s->state == ST_SYSCALL) && s->t1 <= w->t1;
        if (stands &&
            ((within && s->stack && !stacks_passes(tg->tr, s->stack, w->let_go)) || began_waiting(s, &next)))
            return s->t1;
        next = *s;
        if (!span_prev(&it))
            break;
    }
    return 0;
}

/* Call f for each holding in wait i, last first, with the wait it ended; f returns false to stop. */
static bool chain(const struct triage *tg, uint32_t i,
                  bool (*f)(void *arg, uint32_t k, const struct holding *h, bool all), void *arg)
{
    int64_t t0 = tg->lock_waits[i].t0;
    for (uint32_t hops = 0; hops < HOLDINGS_MAX; hops++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        const int64_t known = w->got == NO_LANE ? t0 : tg->lock_waits[w->got].t1;
        const int64_t got = w->elsewhere > known ? w->elsewhere : known;
        struct holding h = {w->waker, got > t0 ? got : t0, w->t1, w->waker_stack};
        if (w->waker >= tg->ng ||
            (h.t1 > h.t0 && !f(arg, i, &h, got >= t0 && (w->got != NO_LANE || got > known))))
            return w->waker >= tg->ng;
        if (got <= t0 || got > known || w->got == i)
            break;
        i = w->got;
    }
    return true;
}

/* ---- what a holder does -------------------------------------------------------------------------------- */

struct kinds {
    const struct trace *tr;
    int64_t t0, t1;
    struct doing *d;
};

static bool wait_kind_of(void *arg, const struct span *s)
{
    struct kinds *k = arg;
    int64_t a = s->t0 > k->t0 ? s->t0 : k->t0, z = s->t1 < k->t1 ? s->t1 : k->t1;
    if (s->state == ST_WAITING && z > a) {
        const enum wait_kind kind = stacks_wait_kind(k->tr, s->reason, s->stack);
        k->d->wait_ns[stacks_for_collector(k->tr, kind, s->stack) ? WK_GC : kind] += z - a;
    }
    return true;
}

static void doing_of(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1, struct doing *d)
{
    struct lane l = {LANE_G, g};
    struct shares s;
    struct kinds k = {tr, t0, t1, d};
    int64_t told = 0;
    *d = (struct doing){0};
    trace_shares(tr, l, t0, t1, &s);
    memcpy(d->ns, s.ns, sizeof d->ns);
    if (s.ns[ST_WAITING] > (t1 - t0) / 16) /* waits shorter than a 64th of it get no name */
        trace_wide(tr, l, &(struct wide_ask){t0, t1, (t1 - t0) / 64 + 1, wait_kind_of, &k, 1u << ST_WAITING});
    for (int i = 0; i < WK_KINDS; i++)
        told += d->wait_ns[i];
    d->wait_ns[WK_OTHER] += s.ns[ST_WAITING] - told;
}

/* ---- sums over all waits ------------------------------------------------------------------------------- */

static bool weigh(struct weights *ws, uint32_t row, uint32_t id, int64_t ns)
{
    uint32_t i = tab_put(&ws->by, row, id, ws->n);
    if (i == TAB_NONE)
        return false;
    if (i == ws->n) {
        struct weight *p = mem_grow(ws->w, &ws->cap, (size_t)i + 1, sizeof *p);
        if (!p)
            return false;
        ws->w = p;
        p[ws->n++] = (struct weight){row, id, 0};
    }
    ws->w[i].ns = ns_add(ws->w[i].ns, ns);
    return true;
}

static void weights_free(struct weights *ws)
{
    tab_free(&ws->by);
    mem_free(ws->w);
}

static uint32_t row_of(struct holders *h, uint32_t place)
{
    uint32_t i = tab_put(&h->by_place, place, 0, h->tg->nholders);
    if (i == h->tg->nholders && i != TAB_NONE) {
        struct holder_row *p = mem_grow(h->tg->holders, &h->cap_rows, (size_t)i + 1, sizeof *p);
        if (!p)
            return TAB_NONE;
        h->tg->holders = p;
        p[h->tg->nholders++] = (struct holder_row){.place = place, .g = NO_LANE};
    }
    return i;
}

/* Add what was done for ns in a holding, for so many waits of a row. */
static void add_doing(struct holder_row *r, const struct doing *d, int64_t ns, uint32_t times)
{
    for (int i = 0; i < ST_COUNT; i++)
        r->ns[i] = ns_add(r->ns[i], ns_times(d->ns[i], times));
    for (int i = 0; i < WK_KINDS; i++)
        r->wait_ns[i] = ns_add(r->wait_ns[i], ns_times(d->wait_ns[i], times));
    r->told = ns_add(r->told, ns_times(ns, times));
}

static bool weigh_all(struct holders *h, uint32_t row, uint32_t g, uint32_t stack, int64_t ns)
{
    return weigh(&h->goroutines, row, g, ns) && weigh(&h->names, row, tri_name(h->tg->tr, g), ns) &&
           weigh(&h->stacks, row, stack, ns);
}

/* Add what was deferred for a whole holding. */
static bool whole_add(struct holders *h, struct whole *w)
{
    const uint32_t times = w->times;
    w->times = 0;
    if (!times)
        return true;
    add_doing(&h->tg->holders[w->row], &w->d, w->ns, times);
    return weigh_all(h, w->row, w->g, w->stack, ns_times(w->ns, times));
}

/* Count one more wait of the row through it. Its weights exist from the first wait on: of equal ones the
 * first counts. */
static bool whole_count(struct holders *h, struct whole *w, uint32_t row, const struct holding *p)
{
    if (!w->known) {
        doing_of(h->tg->tr, p->g, p->t0, p->t1, &w->d);
        w->known = true;
        w->g = p->g;
        w->stack = p->stack;
        w->ns = p->t1 - p->t0;
    }
    if (!w->times || w->row != row) {
        if (!whole_add(h, w) || !weigh_all(h, row, p->g, p->stack, 0))
            return false;
        w->row = row;
    }
    w->times++;
    return true;
}

struct one { /* wait being summed up */
    struct holders *h;
    uint32_t row;
};

static bool add_part(void *arg, uint32_t k, const struct holding *p, bool all)
{
    struct one *o = arg;
    struct holders *h = o->h;
    struct holder_row *r = &h->tg->holders[o->row];
    const int64_t ns = p->t1 - p->t0;
    if (ns > r->longest.t1 - r->longest.t0)
        r->longest = (struct moment){p->t0, p->t1, p->g, NO_LANE};
    if (all)
        return whole_count(h, &h->whole[k], o->row, p);
    struct doing part = {0};
    doing_of(h->tg->tr, p->g, p->t0, p->t1, &part);
    add_doing(r, &part, ns, 1);
    return weigh_all(h, o->row, p->g, p->stack, ns);
}

static bool add_wait(struct holders *h, uint32_t i)
{
    struct triage *tg = h->tg;
    const struct lock_wait *w = &tg->lock_waits[i];
    struct one o = {.h = h};
    if (w->waker >= tg->ng)
        return true; /* no goroutine ended it, or the trace names none */
    o.row = row_of(h, w->place);
    if (o.row == TAB_NONE)
        return false;
    tg->holders[o.row].waits++;
    tg->holders[o.row].waited = ns_add(tg->holders[o.row].waited, w->t1 - w->t0);
    return chain(tg, i, add_part, &o);
}

static void heaviest(struct triage *tg, const struct weights *ws, size_t id, size_t ns, bool count)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        char *row = (char *)&tg->holders[ws->w[i].row];
        int64_t *best = (int64_t *)(void *)(row + ns);
        if (ws->w[i].ns > *best) {
            *best = ws->w[i].ns;
            *(uint32_t *)(void *)(row + id) = ws->w[i].id;
        }
        tg->holders[ws->w[i].row].holders += count;
    }
}

static int cmp_row(const void *a, const void *b)
{
    const struct holder_row *x = a, *y = b;
    return x->waited != y->waited ? (x->waited < y->waited) - (x->waited > y->waited)
                                  : (x->place > y->place) - (x->place < y->place);
}

/* Find the place of each wait, where its waker released, the waits by goroutine, and the wait with which
 * each holder got the lock. */
static bool links(struct triage *tg)
{
    struct tab by_stack = {0}, passed = {0}; /* passed: from which place to which */
    struct keyed_row *k = mem_alloc(((size_t)tg->nlock_waits + 1) * sizeof *k);
    bool ok = k != NULL;
    tg->lock_order = mem_alloc(((size_t)tg->nlock_waits + 1) * sizeof *tg->lock_order);
    ok = ok && tg->lock_order;
    for (uint32_t i = 0; i < tg->nlock_waits && ok; i++) {
        struct lock_wait *w = &tg->lock_waits[i];
        uint32_t place = tab_get(&by_stack, w->stack, 0), go = tab_get(&by_stack, w->waker_stack, 0);
        w->place = place != TAB_NONE ? place : holder_place(tg->tr, w->stack);
        w->let_go = go != TAB_NONE ? go : holder_place(tg->tr, w->waker_stack);
        ok = tab_put(&by_stack, w->stack, 0, w->place) != TAB_NONE &&
             tab_put(&by_stack, w->waker_stack, 0, w->let_go) != TAB_NONE &&
             tab_put(&passed, w->place, w->let_go, 0) != TAB_NONE;
        k[i] = (struct keyed_row){w->g, i};
    }
    ok = ok && rows_sort(k, tg->nlock_waits);
    for (uint32_t i = 0; i < tg->nlock_waits && ok; i++)
        tg->lock_order[i] = k[i].row;
    for (uint32_t i = 0; i < tg->nlock_waits && ok; i++) {
        struct lock_wait *w = &tg->lock_waits[i];
        w->got = w->waker < tg->ng ? got_with(tg, w) : NO_LANE;
        w->elsewhere = elsewhere_until(tg, &passed, w);
        ok = i % 256 || slices_tick();
    }
    tab_free(&by_stack);
    tab_free(&passed);
    mem_free(k);
    return ok;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

bool triage_holders(struct triage *tg)
{
    struct holders h = {.tg = tg};
    bool ok = links(tg);
    h.whole = mem_zalloc(((size_t)tg->nlock_waits + 1) * sizeof *h.whole);
    ok = ok && h.whole;
    for (uint32_t i = 0; i < tg->nlock_waits && ok; i++)
        ok = add_wait(&h, tg->lock_order[i]) && slices_tick();
    for (uint32_t i = 0; i < tg->nlock_waits && ok; i++)
        ok = whole_add(&h, &h.whole[i]) && (i % 256 || slices_tick());
    if (ok && tg->nholders) {
        heaviest(tg, &h.goroutines, offsetof(struct holder_row, g), offsetof(struct holder_row, g_ns), true);
        heaviest(tg, &h.names, offsetof(struct holder_row, name), offsetof(struct holder_row, name_ns),
                 false);
        heaviest(tg, &h.stacks, offsetof(struct holder_row, stack), offsetof(struct holder_row, stack_ns),
                 false);
        qsort(tg->holders, tg->nholders, sizeof *tg->holders, cmp_row);
    }
    ok = ok && same_locks(tg);
    tab_free(&h.by_place);
    weights_free(&h.goroutines);
    weights_free(&h.names);
    weights_free(&h.stacks);
    mem_free(h.whole);
    return ok;
}

/* ---- in words ------------------------------------------------------------------------------------------ */

void holder_text(struct text *t, const struct trace *tr, const struct holder_row *h)
{
    bool one = h->g_ns >= h->told / 2 && h->g != NO_LANE;
    if (one)
        text_who(t, tr, h->g);
    else
        text_say(t, tr, h->holders, " goroutines, most by ", t_func_cut(h->name, 60));
    if (h->stack)
        text_say(t, tr, " in ", t_func_cut(holder_place(tr, h->stack), 60));
    text_lit(t, " (likely)");
    const int64_t ns = one ? h->g_ns : h->name_ns;
    if (ns < h->waited - h->waited / 1000) /* else it is all of it */
        text_say(t, tr, ", ", t_share((double)ns, (double)h->waited), " of the waiting");
}
