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

static uint64_t wait_key(uint8_t what, uint64_t id, uint64_t seq)
{
    return hash_last(hash_next(hash_next(hash_first(what), id), seq));
}

/* What the cursor's event waits for, as a key. Returns false if that is nothing known. */
static bool wait_of(const struct v2_order *o, const struct v2_cursor *c, uint64_t *key)
{
    const uint32_t leaves = v2_leaves_first(o, c);
    const uint8_t after = v2_specs[c->type].after;
    *key = leaves != EV_NONE      ? wait_key(V2_AFTER_P_LEAVES, o->p[leaves].id, 0)
           : after == V2_AFTER_GC ? wait_key(after, 0, c->arg[0])
                                  : wait_key(after, c->arg[0], c->arg[1]);
    return leaves != EV_NONE || after == V2_AFTER_G_RUNS || after == V2_AFTER_G_WAKES ||
           after == V2_AFTER_P_IDLE || after == V2_AFTER_P_CALL || after == V2_AFTER_GC;
}

bool v2_park_begin(struct v2_order *o)
{
    struct v2_park *k = &o->park;
    k->n = k->nwoken = k->nfirst = 0;
    idmap_clear(&k->waits);
    if (!v2_room(o, k->at, k->capat, o->ncur + 1) || !v2_room(o, k->woken, k->capwoken, o->ncur + 1))
        return false;
    memset(k->at, 0, o->ncur * sizeof *k->at);
    return true;
}

bool v2_park(struct v2_order *o, uint32_t cursor)
{
    struct v2_park *k = &o->park;
    uint64_t key;
    if (!wait_of(o, &o->cur[cursor], &key) || !v2_room(o, k->first, k->capfirst, k->nfirst + 1))
        return false;
    const uint32_t next = idmap_get(&k->waits, key);
    if (!mem_noted(&o->oom, idmap_put(&k->waits, key, cursor)))
        return false;
    k->at[cursor] = (struct v2_parked){next, true};
    k->n++;
    heap_push(k->first, &k->nfirst, (struct heap){.t = o->cur[cursor].t, .cursor = cursor});
    return true;
}

static void unpark(struct v2_park *k, uint8_t what, uint64_t id, uint64_t seq)
{
    const uint64_t key = wait_key(what, id, seq);
    uint32_t cursor = idmap_get(&k->waits, key);
    if (cursor != IDMAP_NONE)
        idmap_del(&k->waits, key);
    for (; cursor != IDMAP_NONE; cursor = k->at[cursor].next) {
        k->at[cursor].in = false;
        k->woken[k->nwoken++] = cursor;
        k->n--;
    }
}

static void wake_p(struct v2_order *o, const struct v2_p *p)
{
    if (p->status == V2_PS_IDLE)
        unpark(&o->park, V2_AFTER_P_IDLE, p->id, p->seq + 1);
    if (p->status == V2_PS_SYSCALL || p->status == V2_PS_ABANDONED)
        unpark(&o->park, V2_AFTER_P_CALL, p->id, p->seq + 1);
    if (p->status != V2_PS_SYSCALL)
        unpark(&o->park, V2_AFTER_P_LEAVES, p->id, 0);
}

void v2_park_wake(struct v2_order *o, const struct v2_cursor *c, size_t at)
{
    struct v2_park *k = &o->park;
    for (; at < o->nout; at++) {
        const struct ev *e = &o->out[at];
        if (e->g != EV_NONE && v2_g_at(o, e->g)->status == ST_RUNNABLE)
            unpark(k, V2_AFTER_G_RUNS, v2_g_at(o, e->g)->id, v2_g_at(o, e->g)->seq + 1);
        if (e->g != EV_NONE && v2_g_at(o, e->g)->status == ST_WAITING)
            unpark(k, V2_AFTER_G_WAKES, v2_g_at(o, e->g)->id, v2_g_at(o, e->g)->seq + 1);
        if (e->p != EV_NONE)
            wake_p(o, &o->p[e->p]);
    }
    const enum v2_after after = v2_specs[c->type].after;
    if (after == V2_AFTER_P_NEW || after == V2_AFTER_P_CALL) { /* these may make no event of the P */
        uint32_t p = idmap_get(&o->ps, c->arg[0]);
        if (p != IDMAP_NONE)
            wake_p(o, &o->p[p]);
    } else if (after == V2_AFTER_GC) {
        unpark(k, V2_AFTER_GC, 0, o->gc_seq + 1);
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
    idmap_clear(&k->waits);
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
    idmap_free(&k->waits);
    mem_free(k->woken);
    mem_free(k->first);
    *k = (struct v2_park){0};
}
