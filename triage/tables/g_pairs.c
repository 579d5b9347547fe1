/*
 * g_pairs.c - counts a goroutine's waits by reason, place, and who ended them: see g_walk.h.
 */
#include "triage/tables/g_walk.h"

#include "decode/base/mem.h"

/* Counts the last wait. Returns its pair; NULL when out of memory. */
static struct pair_row *pair_told(struct g_walk *w, uint32_t who, uint32_t by, uint32_t waker)
{
    const struct waited *v = &w->wait;
    const uint64_t wait = (uint64_t)v->reason << 32 | v->stack, end = (uint64_t)waker << 32 | by;
    struct lately_pair *l =
        &w->y->lately_pair[(wait * 0x9e3779b97f4a7c15u ^ end * 0xc2b2ae3d27d4eb4fu) >> 56];
    const bool known = l->row && l->wait == wait && l->end == end;
    bool made = false;
    struct pair_row *p =
        known ? &w->y->pairs[l->row - 1] : subtotal_pair(w->y, v->reason, v->stack, waker, by, &made);
    if (!p)
        return NULL;
    *l = (struct lately_pair){wait, end, (uint32_t)(p - w->y->pairs) + 1};
    if (made) {
        p->waiter = w->name;
        p->kind = stacks_wait_kind(w->tg->tr, v->reason, v->stack);
    }
    w->kind = p->kind;
    p->count++;
    p->total = ns_more(p->total, v->t1 - v->t0);
    if (p->count == 1 || v->t1 - v->t0 > p->longest.t1 - p->longest.t0) {
        p->longest = (struct moment){v->t0, v->t1, w->g, NO_LANE};
        p->longest_waker = who;
    }
    return p;
}

/* Ends a wait; s: the span after it, with the waker. */
static inline bool note_pair(struct g_walk *w, struct at s, uint32_t who)
{
    const uint32_t waker = who == NO_LANE ? NOBODY : w->tg->groups[w->tg->group_of[who]].name;
    const struct pair_row *p = pair_told(w, who, stack_of(s), waker);
    if (!p)
        return false;
    if (w->kind == WK_COND) {
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
    const bool ok = pair_told(w, NO_LANE, 0, end);
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
