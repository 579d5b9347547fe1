/*
 * taken.c - the pieces of workers that never wait for more: what one does from taking a thing, from another
 * goroutine that waits to send it, to taking the next one. See work.h.
 */

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/work/work.h"

enum { SENDERS = 64, SPANS = 200000 /* of all of them */, STEPS = 4000 /* of a piece */ };

struct take {
    uint32_t g;
    int64_t t;
};

ORDER(cmp_take, struct take, LEAST(r->g) LEAST(r->t))

/* Where they take most; NULL: nowhere. */
static const struct pair_row *taken_at(const struct causes *c, uint32_t name)
{
    return largest_of(p, c->tg->pairs, works_pairs(c),
                      p->waker == name && p->waiter != name && p->kind == WK_SEND && p->waker_stack ? p->count
                                                                                                    : 0);
}

/* What one does from one taking to the next; its waits for more, between bursts, are no piece's. */
static void taken_add(const struct causes *c, const struct take *from, const struct take *to, piece_fn *add,
                      void *arg)
{
    const uint32_t name = trace_g_name(c->tr, from->g);
    int64_t t0 = from->t;
    each_between(s, c->tr, from->g, t0, to->t, STEPS) {
        if (s->state != ST_WAITING || !waits_for_more(c->tr, name, s->reason, s->stack))
            continue;
        if (s->t0 > t0)
            add(arg, workpiece_of_g(from->g, t0, s->t0));
        t0 = s->t1;
    }
    if (t0 < to->t)
        add(arg, workpiece_of_g(from->g, t0, to->t));
}

bool pieces_taken(const struct causes *c, uint32_t group, piece_fn *add, void *arg)
{
    const struct pair_row *p = taken_at(c, c->tg->groups[group].name);
    const uint32_t from = p ? causes_group(c, p->waiter) : UINT32_MAX;
    struct take *v = NULL;
    size_t n = 0, cap = 0;
    int64_t all = 0;
    bool ok = true;
    each_member(g, c, from, SENDERS) {
        each_walked(s, c->tr, g, SPANS / causes_look(c, from, SENDERS)) {
            if (!ok || s->state != ST_RUNNABLE || s->stack != p->waker_stack ||
                causes_group_of(c, s->who) != group)
                continue;
            ok = mem_room(v, cap, n + 1);
            if (ok)
                v[n++] = (struct take){s->who, s->t0};
        }
    }
    sort(v, n, cmp_take);
    for (size_t i = 1; i < n; i++)
        all = ns_add(all, v[i].g == v[i - 1].g ? v[i].t - v[i - 1].t : 0);
    const bool most = (double)all >= threshold(TH_MOST) * (double)c->tg->groups[group].ns[GM_LIFE];
    for (size_t i = 1; ok && most && i < n; i++)
        if (v[i].g == v[i - 1].g)
            taken_add(c, &v[i - 1], &v[i], add, arg);
    mem_free(v);
    return ok;
}
