/*
 * g_pairs.c - counts a goroutine's waits by reason and place and by the goroutine that ended them: see
 * g_walk.h.
 *
 * With many pairs, no cache holds their rows. So waits whose pair was not used recently are put off until
 * there are PUT_OFF of them, and their rows are fetched side by side.
 *
 * Invariants. Rows are created in the order of the waits: code that creates one at once calls tell_later()
 * first. A pair with waits put off is in no `lately` cache, so that additions to a row keep their order
 * too.
 */
#include "triage/tables/g_walk.h"

#include "decode/base/mem.h"

static bool moment_before(const struct moment *a, const struct moment *b)
{
    return a->g != b->g ? a->g < b->g : a->t0 < b->t0;
}

/* Returns the row of waits for a reason at a place; NULL when out of memory. */
static struct wait_row *wait_row_of(struct g_walk *w, uint32_t reason, uint32_t stack)
{
    bool made;
    struct wait_row *row = subtotal_wait(w->y, reason, stack, &made);
    if (row && made)
        row->kind = stacks_wait_kind(w->tg->tr, reason, stack);
    return row;
}

/* Returns the row of a finished wait's pair; NULL when out of memory. */
static struct pair_row *pair_row_of(struct g_walk *w, const struct ended_wait *v)
{
    struct subtotal *y = w->y;
    bool made;
    struct pair_row *row = subtotal_pair(y,
                                         &(struct pair_row){.reason = v->reason,
                                                            .stack = v->stack,
                                                            .waker_stack = v->by,
                                                            .waker = v->waker == NOBODY ? 0 : v->waker,
                                                            .from_scheduler = v->waker == NOBODY},
                                         v->hash, &made);
    if (row && made) { /* the first of these waits there: or their row is there already */
        const struct wait_row *waits = wait_row_of(w, v->reason, v->stack);
        if (!waits)
            return NULL;
        row->waiter = v->waiter;
        row->kind = waits->kind;
    }
    if (row)
        lately_set(lately_of(y->lately_pair, v->reason, v->stack, v->waker, v->by), v->reason, v->stack,
                   v->waker, v->by, (uint32_t)(row - y->pairs));
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

/* Counts the waits that were put off. */
static RARELY bool tell_later(struct g_walk *w)
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
    v->hash = pair_hash(v->reason, v->stack, v->waker, v->by);
    w->kind = stacks_wait_kind(w->tg->tr, v->reason, v->stack);
    if (w->kind == WK_COND) {
        *p = tell_later(w) ? pair_row_of(w, v) : NULL;
        return *p != NULL;
    }
    rowtab_ahead(&y->by_pair, v->hash);
    y->later[y->nlater++] = *v;
    return y->nlater < PUT_OFF || tell_later(w);
}

/* Counts a finished wait. Its own row is updated with the whole pair: see
 * waits_of_pairs(). Sets *p to its pair, or to NULL if it is put off. */
static inline bool pair_told(struct g_walk *w, struct ended_wait *v, struct pair_row **p)
{
    const struct lately *c = lately_of(w->y->lately_pair, v->reason, v->stack, v->waker, v->by);
    *p = NULL;
    if (lately_is(c, v->reason, v->stack, v->waker, v->by)) {
        *p = &w->y->pairs[c->row - 1];
        w->kind = (*p)->kind;
    } else if (!note_later(w, v, p)) {
        return false;
    }
    if (*p)
        pair_add(*p, v);
    return true;
}

/* Ends a wait; s: the span after it, with the waker. */
static inline bool note_pair(struct g_walk *w, struct at s, uint32_t who)
{
    const struct waited *v = &w->wait;
    struct ended_wait x = {.t0 = v->t0,
                           .t1 = v->t1,
                           .g = w->g,
                           .who = who,
                           .reason = v->reason,
                           .stack = v->stack,
                           .by = stack_of(s),
                           .waker = who == NO_LANE ? NOBODY : w->tg->groups[w->tg->group_of[who]].name};
    struct pair_row *p;
    if (!pair_told(w, &x, &p))
        return false;
    if (p && w->kind == WK_COND) {
        w->cond_stack = v->stack;
        w->cond_pair = (uint32_t)(p - w->y->pairs);
        w->cond_waker = who;
        w->cond_end = v->t1;
        w->cond_run = 0;
    } else if (w->kind != WK_LOCK) {
        w->cond_pair = TAB_NONE; /* waiting for the condition's own lock in between is part of the wake-up */
    }
    return true;
}

bool note_wait(struct g_walk *w, enum wait_end end)
{
    const struct waited *v = &w->wait;
    struct wait_row *row = tell_later(w) ? wait_row_of(w, v->reason, v->stack) : NULL;
    if (!row)
        return false;
    const int64_t ns = v->t1 - v->t0;
    row->count++;
    row->open += end == WAIT_OPEN;
    row->longest_done = end == WAIT_OVER && ns > row->longest_done ? ns : row->longest_done;
    row->total = ns_more(row->total, ns);
    longer(&row->longest, v->t0, v->t1, w->g, row->count);
    w->kind = row->kind;
    w->cond_pair = w->kind == WK_LOCK ? w->cond_pair : TAB_NONE;
    return true;
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

bool waits_of_pairs(struct g_walk *w)
{
    struct subtotal *y = w->y;
    if (!tell_later(w))
        return false;
    for (uint32_t i = 0; i < y->npairs; i++) {
        const struct pair_row *p = &y->pairs[i];
        const int64_t ns = p->longest.t1 - p->longest.t0;
        bool made;
        struct wait_row *row = subtotal_wait(y, p->reason, p->stack, &made);
        if (!row)
            return false;
        const int64_t longest = row->longest.t1 - row->longest.t0;
        if (!row->count || ns > longest || (ns == longest && moment_before(&p->longest, &row->longest)))
            row->longest = p->longest;
        row->longest_done = ns > row->longest_done ? ns : row->longest_done;
        row->count += p->count;
        row->total = ns_more(row->total, p->total);
    }
    return true;
}
