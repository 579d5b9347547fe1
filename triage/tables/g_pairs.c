/*
 * g_pairs.c - counts a goroutine's waits by reason, place, and who ended them: see g_walk.h.
 *
 * With many pairs, no cache holds their rows. So waits whose pair was not used recently are put off until
 * there are PUT_OFF of them, and their rows are fetched side by side.
 *
 * Invariants. Rows are created in the order of the waits: code that creates one at once first counts those
 * put off. A pair with waits put off is in no `lately` cache, so that additions to a row keep their order,
 * too.
 */
#include "triage/tables/g_walk.h"

#include "decode/base/mem.h"

/* Returns the row of a wait's pair; NULL when out of memory. */
static struct pair_row *pair_row_of(struct g_walk *w, const struct ended_wait *v)
{
    struct subtotal *y = w->y;
    bool made;
    const struct pair_key *k = &v->k;
    struct pair_row *row = subtotal_pair(y, k, v->hash, &made);
    if (row && made) {
        row->waiter = v->waiter;
        row->kind = stacks_wait_kind(w->tg->tr, k->reason, k->stack);
    }
    if (row)
        lately_set(lately_of(y->lately_pair, k->reason, k->stack, k->waker, k->by), k->reason, k->stack,
                   k->waker, k->by, (uint32_t)(row - y->pairs));
    return row;
}

static inline void pair_add(struct pair_row *p, const struct ended_wait *v)
{
    p->count++;
    p->total = ns_more(p->total, v->t1 - v->t0);
    if (p->count == 1 || v->t1 - v->t0 > p->longest.t1 - p->longest.t0) {
        p->longest = (struct moment){v->t0, v->t1, v->g, NO_LANE};
        p->longest_waker = v->who;
    }
}

bool g_pairs_later(struct g_walk *w)
{
    struct subtotal *y = w->y;
    for (uint32_t i = 0; i < y->nlater; i++)
        subtotal_pair_ahead(y, y->later[i].hash);
    for (uint32_t i = 0; i < y->nlater; i++) {
        const struct ended_wait *v = &y->later[i];
        struct pair_row *p = pair_row_of(w, v);
        if (!p)
            return false;
        pair_add(p, v);
    }
    y->nlater = 0;
    return true;
}

/* A wait for a condition needs its row at once and sets *p; others are put off. */
static RARELY bool note_later(struct g_walk *w, struct ended_wait *v, struct pair_row **p)
{
    struct subtotal *y = w->y;
    v->waiter = w->name;
    v->hash = pair_hash(&v->k);
    w->kind = stacks_wait_kind(w->tg->tr, v->k.reason, v->k.stack);
    if (w->kind == WK_COND) {
        *p = g_pairs_later(w) ? pair_row_of(w, v) : NULL;
        return *p != NULL;
    }
    rowtab_ahead(&y->by_pair, v->hash);
    y->later[y->nlater++] = *v;
    return y->nlater < PUT_OFF || g_pairs_later(w);
}

/* Counts the last wait. Sets *p to its pair, or to NULL if it is put off. */
static inline bool pair_told(struct g_walk *w, uint32_t who, uint32_t by, uint32_t waker, struct pair_row **p)
{
    const struct pair_key k = {w->wait.reason, w->wait.stack, waker, by};
    struct ended_wait v = {.t0 = w->wait.t0, .t1 = w->wait.t1, .g = w->g, .who = who, .k = k};
    const struct lately *c = lately_of(w->y->lately_pair, k.reason, k.stack, k.waker, k.by);
    *p = NULL;
    if (lately_is(c, k.reason, k.stack, k.waker, k.by)) {
        *p = &w->y->pairs[c->row - 1];
        w->kind = (*p)->kind;
    } else if (!note_later(w, &v, p)) {
        return false;
    }
    if (*p)
        pair_add(*p, &v);
    return true;
}

/* Ends a wait; s: the span after it, with the waker. */
static inline bool note_pair(struct g_walk *w, struct at s, uint32_t who)
{
    const uint32_t waker = who == NO_LANE ? NOBODY : w->tg->groups[w->tg->group_of[who]].name;
    struct pair_row *p;
    if (!pair_told(w, who, stack_of(s), waker, &p))
        return false;
    if (p && w->kind == WK_COND) {
        w->cond_stack = w->wait.stack;
        w->cond_pair = (uint32_t)(p - w->y->pairs);
        w->cond_waker = who;
        w->cond_end = w->wait.t1;
        w->cond_run = 0;
    } else if (w->kind != WK_LOCK) {
        w->cond_pair = TAB_NONE; /* waiting for the condition's own lock in between is part of the wake-up */
    }
    return true;
}

bool note_wait(struct g_walk *w, uint32_t end)
{
    struct pair_row *p;
    const bool ok = pair_told(w, NO_LANE, 0, end, &p);
    w->cond_pair = w->kind == WK_LOCK ? w->cond_pair : TAB_NONE;
    return ok;
}

bool note_futile(struct g_walk *w, int64_t t0)
{
    struct subtotal *y = w->y;
    y->pairs[w->cond_pair].futile++;
    if (y->nwakes == WAKES_MAX)
        return true;
    if (!mem_room(y->wakes, y->cap_wakes, y->nwakes + 1))
        return false;
    y->wakes[y->nwakes++] = (struct wake){w->cond_end, t0 - w->cond_end, w->cond_pair, w->cond_waker, w->g};
    return true;
}

bool note_waited(struct g_walk *w, struct at s, uint8_t state)
{
    return state == ST_RUNNABLE ? note_pair(w, s, span_run_g(s.run, s.i))
                                : note_wait(w, state == ST_UNKNOWN ? WAIT_LOST : WAIT_OVER);
}
