/*
 * leaks.c - goroutines that may never end, and wake-ups in vain.
 *
 * Leaks: goroutines that the trace saw created and not ended, and that are blocked at its end, by creation
 * stack and by where they are blocked. Herds: bursts of wake-ups from one waker after which the woken
 * goroutines soon blocked again on the same condition.
 */
#include "triage/tri.h"

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/thresholds.h"

#define BURST 100000 /* ns: wake-ups by one waker within this time are one burst */

struct leaks {
    struct triage *tg;
    struct tab by_birth, by_row, by_wait; /* by_birth, by_wait: rows of triage_work.births, triage.waits */
};

static struct leak_row *leak_of(struct leaks *k, const struct lane_info *li, const struct span *s)
{
    struct triage *tg = k->tg;
    const uint32_t birth = tab_get(&k->by_birth, li->create_stack, li->name);
    bool made;
    struct leak_row *r =
        tab_row(&k->by_row, tg->leaks, tg->nleaks, (uint64_t)birth << 32 | s->reason, s->stack, &made);
    if (made)
        *r = (struct leak_row){.name = li->name,
                               .create_stack = li->create_stack,
                               .created = tg->work->births[birth].created,
                               .ended = tg->work->births[birth].ended,
                               .reason = s->reason,
                               .stack = s->stack,
                               .kind = stacks_wait_kind(tg->tr, s->reason, s->stack),
                               .youngest = INT64_MAX};
    return r;
}

#define BACK_MOST 4096 /* spans of a goroutine's past that are read */

/* True if the goroutine had waited at this place before its last wait and continued. Then it is idle there,
 * not leaked. */
static bool been_here(struct span_iter *it, uint32_t reason, uint32_t stack)
{
    for (int i = 0; i < BACK_MOST && span_prev(it); i++) {
        const struct span *s = span_get(it);
        if (s->state == ST_WAITING && s->reason == reason && s->stack == stack)
            return true;
    }
    return false;
}

/* Returns the longest time of the waits at this place that ended. */
static int64_t usual(const struct leaks *k, const struct span *s)
{
    const uint32_t i = tab_get(&k->by_wait, s->reason, s->stack);
    return i != TAB_NONE ? k->tg->waits[i].longest_done : 0;
}

/* Add a goroutine that has not ended. */
static bool leak_lane(struct leaks *k, uint32_t g)
{
    struct triage *tg = k->tg;
    const struct lane l = lane_g(g);
    const struct lane_info li = trace_lane(tg->tr, l);
    struct span_iter it;
    if (li.nspans == 0 || !span_seek_index(&it, tg->tr, l, li.nspans - 1))
        return true;
    if (span_get(&it)->state == ST_UNKNOWN) /* the trace was cut: so it was when its record ended */
        (void)span_prev(&it);
    const struct span s = *span_get(&it);
    if (s.state != ST_WAITING)
        return true;
    struct leak_row *r = leak_of(k, &li, &s);
    if (!r)
        return false;
    r->count++;
    r->once += !gstat_waits(tg, g, 2);
    const int64_t ns = s.t1 - s.t0;
    /* it waits there for much longer than others did, and did not go on from there before */
    if ((double)ns >= threshold(TH_DOUBLE) * (double)usual(k, &s) && !been_here(&it, s.reason, s.stack)) {
        const int64_t q = tg->end > 0 ? (int64_t)((double)li.first / (double)tg->end * 4) : 0;
        r->lost++;
        r->quarter[q < 0 ? 0 : q > 3 ? 3 : q]++;
    }
    if (ns > r->oldest || r->count == 1) {
        r->oldest = ns;
        r->since = s.t0;
        r->example = g;
    }
    r->youngest = ns < r->youngest ? ns : r->youngest;
    return true;
}

ORDER(cmp_leak, struct leak_row, MOST(r->count) LEAST(r->example))

bool triage_leaks(struct triage *tg)
{
    struct leaks k = {.tg = tg};
    const struct triage_work *w = tg->work;
    bool ok = true;
    for (uint32_t i = 0; i < tg->nwaits && w->nalive && ok; i++)
        ok = tab_put(&k.by_wait, tg->waits[i].reason, tg->waits[i].stack, i) != TAB_NONE;
    for (uint32_t i = 0; i < w->nbirths && ok; i++)
        ok = tab_put(&k.by_birth, w->births[i].create_stack, w->births[i].name, i) != TAB_NONE;
    for (size_t i = 0; i < w->nalive && ok; i++)
        ok = leak_lane(&k, w->alive[i]) && (i % 256 != 0 || slices_tick());
    if (ok && tg->nleaks)
        sort(tg->leaks, tg->nleaks, cmp_leak);
    tab_free(&k.by_birth);
    tab_free(&k.by_row);
    tab_free(&k.by_wait);
    return ok;
}

/* ---- herds --------------------------------------------------------------------------------------------- */

ORDER(cmp_wake, struct wake, LEAST(r->pair) LEAST(r->waker) LEAST(r->t))

ORDER(cmp_herd, struct herd_row, MOST(r->lost) LEAST(r->pair))

/* True if the goroutine of w[j] is among w[i..j) already. Then a new burst begins, with one wake-up each. */
static bool woken_before(const struct wake *w, size_t i, size_t j)
{
    return any_of(k, j - i < 4096 ? j - i : 4096, w[i + k].g == w[j].g);
}

ORDER(cmp_wake_time, struct wake, LEAST(r->t))

/* Returns the time in which any of w[0..n), sorted by time, ran or was runnable. */
static int64_t wakes_clock(const struct wake *w, size_t n)
{
    int64_t ns = 0, till = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t from = w[i].t > till ? w[i].t : till, to = ns_add(w[i].t, w[i].lost);
        ns = to > from ? ns_add(ns, to - from) : ns;
        till = to > till ? to : till;
    }
    return ns;
}

/* The wake-ups w[0..n) of one pair, sorted by waker and time. */
static void herd_of(struct herd_row *h, const struct wake *w, size_t n)
{
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && w[j].waker == w[i].waker && w[j].t - w[i].t <= BURST && !woken_before(w, i, j);
             j++)
            h->lost = ns_add(h->lost, w[j].lost);
        if (j - i >= HERD_MIN) {
            h->bursts++;
            if (j - i > h->largest) {
                h->largest = (uint32_t)(j - i);
                h->at = (struct moment){w[i].t, w[j - 1].t + w[j - 1].lost, w[i].waker, NO_LANE};
            }
        }
    }
}

/* Runs before the pairs are sorted, as wake-ups name them by row. */
bool triage_herds(struct triage *tg)
{
    struct triage_work *wk = tg->work;
    size_t cap = 0;
    sort(wk->wakes, wk->nwakes, cmp_wake);
    for (size_t i = 0, j; i < wk->nwakes; i = j) {
        if (!mem_room(tg->herds, cap, (size_t)tg->nherds + 1))
            return false;
        for (j = i; j < wk->nwakes && wk->wakes[j].pair == wk->wakes[i].pair; j++) {
        }
        struct herd_row *h = &tg->herds[tg->nherds++];
        *h = (struct herd_row){
            .pair = wk->wakes[i].pair, .futile = j - i, .wakes = tg->pairs[wk->wakes[i].pair].count};
        herd_of(h, wk->wakes + i, j - i);
        sort(wk->wakes + i, j - i, cmp_wake_time);
        h->clock = wakes_clock(wk->wakes + i, j - i);
    }
    sort(tg->herds, tg->nherds, cmp_herd);
    return true;
}
