/*
 * v2_park.c - see v2_park.h.
 *
 * An event waits for one thing at a time, the first that it lacks. When that has happened it is retried,
 * and may then wait for something else. No cursor that could go on stays parked, because v2_park_wake()
 * knows every event that changes a state or a sequence number; should it miss one, v2_order.c tries all
 * parked cursors before it gives up.
 */
#include "decode/v2/v2_park.h"

#include <string.h>

#include "decode/base/hash.h"
#include "decode/v2/v2_state.h"

static bool wait_of(const struct v2_order *o, const struct v2_cursor *c, struct v2_wait *w)
{
    const uint32_t leaves = v2_leaves_first(o, c);
    const uint8_t after = v2_specs[c->type].after;
    *w = (struct v2_wait){.id = c->arg[0], .seq = c->arg[1], .what = after};
    if (leaves != EV_NONE)
        *w = (struct v2_wait){.id = o->p[leaves].id, .what = V2_AFTER_P_LEAVES};
    else if (after == V2_AFTER_GC)
        *w = (struct v2_wait){.seq = c->arg[0], .what = after};
    return leaves != EV_NONE || after == V2_AFTER_G_RUNS || after == V2_AFTER_G_WAKES ||
           after == V2_AFTER_P_IDLE || after == V2_AFTER_P_CALL || after == V2_AFTER_GC;
}

static uint32_t *list_of(const struct v2_park *k, const struct v2_wait *w)
{
    return &k->list[hash_last(hash_next(hash_next(hash_first(w->what), w->id), w->seq)) & k->mask];
}

static bool room(struct v2_order *o)
{
    struct v2_park *k = &o->park;
    if (!k->mask) { /* the first park of a generation: as many lists as cursors */
        size_t lists = 64;
        while (lists < o->ncur)
            lists *= 2;
        if (!v2_room(o, k->at, k->capat, o->ncur) || !v2_room(o, k->list, k->caplist, lists) ||
            !v2_room(o, k->woken, k->capwoken, o->ncur))
            return false;
        memset(k->at, 0, o->ncur * sizeof *k->at);
        memset(k->list, 0, lists * sizeof *k->list);
        k->mask = (uint32_t)lists - 1;
        k->nfirst = 0;
    }
    return v2_room(o, k->first, k->capfirst, k->nfirst + 1);
}

bool v2_park(struct v2_order *o, uint32_t cursor)
{
    struct v2_park *k = &o->park;
    struct v2_wait w;
    if (!wait_of(o, &o->cur[cursor], &w) || !room(o))
        return false;
    uint32_t *list = list_of(k, &w);
    k->at[cursor] = (struct v2_parked){w, *list, true};
    *list = cursor + 1;
    k->n++;
    heap_push(k->first, &k->nfirst, (struct heap){.t = o->cur[cursor].t, .cursor = cursor});
    return true;
}

static void wake(struct v2_park *k, uint8_t what, uint64_t id, uint64_t seq)
{
    const struct v2_wait w = {.id = id, .seq = seq, .what = what};
    for (uint32_t *at = list_of(k, &w); *at;) {
        const uint32_t cursor = *at - 1;
        struct v2_parked *x = &k->at[cursor];
        if (x->w.what != what || x->w.id != id || x->w.seq != seq) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        x->in = false;
        k->woken[k->nwoken++] = cursor;
        k->n--;
    }
}

static void wake_p(struct v2_order *o, const struct v2_p *p)
{
    if (p->status == V2_PS_IDLE)
        wake(&o->park, V2_AFTER_P_IDLE, p->id, p->seq + 1);
    if (p->status == V2_PS_SYSCALL || p->status == V2_PS_ABANDONED)
        wake(&o->park, V2_AFTER_P_CALL, p->id, p->seq + 1);
    if (p->status != V2_PS_SYSCALL)
        wake(&o->park, V2_AFTER_P_LEAVES, p->id, 0);
}

void v2_park_wake(struct v2_order *o, const struct v2_cursor *c, size_t at)
{
    struct v2_park *k = &o->park;
    for (; at < o->nout; at++) {
        const struct ev *e = &o->out[at];
        if (e->g != EV_NONE && v2_g_at(o, e->g)->status == ST_RUNNABLE)
            wake(k, V2_AFTER_G_RUNS, v2_g_at(o, e->g)->id, v2_g_at(o, e->g)->seq + 1);
        if (e->g != EV_NONE && v2_g_at(o, e->g)->status == ST_WAITING)
            wake(k, V2_AFTER_G_WAKES, v2_g_at(o, e->g)->id, v2_g_at(o, e->g)->seq + 1);
        if (e->p != EV_NONE)
            wake_p(o, &o->p[e->p]);
    }
    const enum v2_after after = v2_specs[c->type].after;
    if (after == V2_AFTER_P_NEW || after == V2_AFTER_P_CALL) { /* these may make no event of the P */
        uint32_t p = idmap_get(&o->ps, c->arg[0]);
        if (p != IDMAP_NONE)
            wake_p(o, &o->p[p]);
    } else if (after == V2_AFTER_GC) {
        wake(k, V2_AFTER_GC, 0, o->gc_seq + 1);
    }
}

void v2_park_all(struct v2_order *o)
{
    struct v2_park *k = &o->park;
    for (uint32_t i = 0; k->n && i < o->ncur; i++) {
        if (!k->at[i].in)
            continue;
        k->at[i].in = false;
        k->woken[k->nwoken++] = i;
        k->n--;
    }
    if (k->list)
        memset(k->list, 0, ((size_t)k->mask + 1) * sizeof *k->list);
    k->nfirst = 0;
}

int64_t v2_park_first(struct v2_order *o)
{
    struct v2_park *k = &o->park;
    struct heap *h = k->first;
    while (k->n && k->nfirst && (!k->at[h[0].cursor].in || o->cur[h[0].cursor].t != h[0].t)) /* it is gone */
        heap_drop(h, &k->nfirst);
    return k->n && k->nfirst ? h[0].t : INT64_MAX;
}

void v2_park_free(struct v2_park *k)
{
    mem_free(k->at);
    mem_free(k->list);
    mem_free(k->woken);
    mem_free(k->first);
    *k = (struct v2_park){0};
}
