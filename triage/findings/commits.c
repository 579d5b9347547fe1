/* commits.c - see commits.h. */
#include "triage/findings/commits.h"

#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"
#include "triage/findings/works.h"

enum { MEMBERS = 8, STEPS = 256, WITHIN = 64 };

struct looked_at {
    uint32_t waits, kept; /* kept: whoever ended it made such a call meanwhile */
};

/* Before Go 1.22 a call that ends soon is an instant, and counts as well. */
static bool kept_in(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    struct span_iter it;
    bool more = span_seek(&it, tr, (struct lane){LANE_G, g}, t0);
    for (uint32_t i = 0; more && i < WITHIN && span_get(&it)->t0 < t1; i++) {
        const struct span *s = span_get(&it);
        if (s->state == ST_SYSCALL && each_keeps(tr, s->stack)) {
            return true;
        }
        more = span_next(&it);
    }
    return false;
}

static void look_at(const struct causes *c, uint32_t group, uint32_t g, uint32_t place, struct looked_at *k)
{
    struct walk w;
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    for (struct span s; walk_pair(&w, &s, &next);) {
        if (s.state == ST_WAITING && next && next->state == ST_RUNNABLE && next->who < c->tg->ng &&
            gstat_group(c->tg->g, next->who) == group && causes_place(c->tr, s.stack) == place) {
            k->waits++;
            k->kept += kept_in(c->tr, next->who, s.t0, s.t1);
        }
    }
}

/* How many waits goroutines of a group have for each other at a place (0: anywhere); most: the row of most of their time. */
static uint64_t own_waits(const struct causes *c, uint32_t group, uint32_t place, const struct pair_row **most)
{
    uint64_t waits = 0;
    *most = NULL;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool own = !p->from_scheduler && p->waker == p->waiter && p->waiter == c->tg->groups[group].name;
        const uint32_t at = own && wait_passes_on(p->kind) ? causes_place(c->tr, p->stack) : 0;
        if (at && (!place || at == place)) {
            waits += p->count;
            *most = !*most || p->total > (*most)->total ? p : *most;
        }
    }
    return waits;
}

uint64_t commits_at(const struct causes *c, uint32_t group, uint32_t place)
{
    const struct pair_row *most;
    struct looked_at k = {0};
    uint64_t calls = 0;
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        calls += each_keeps(c->tr, c->tg->syscalls[i].stack) ? c->tg->syscalls[i].count : 0;
    }
    if (!calls || calls * 2 > own_waits(c, group, place, &most)) {
        return 0;
    }
    for (uint32_t i = 0; i < c->of[group].n && i < MEMBERS; i++) {
        look_at(c, group, causes_member(c, group, i, MEMBERS), place, &k);
    }
    return k.waits && (double)k.kept >= threshold(TH_OWN_KEEPS) * (double)k.waits ? calls : 0;
}

uint64_t commits_of(const struct causes *c, uint32_t group)
{
    const struct pair_row *most;
    (void)own_waits(c, group, 0, &most);
    return most ? commits_at(c, group, causes_place(c->tr, most->stack)) : 0;
}
