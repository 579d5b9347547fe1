/*
 * rules_fanout.c - one writes to several connections, one after the other, while it holds a lock that others wait for: the slowest reader
 * holds up all of them. That is told by how often each holder writes before it lets go (inferred: no connection is recorded). A lock around
 * one write keeps one connection in order, and there it is the other side that is slow: rules_calls.c tells that.
 */
#include "triage/findings/asks.h"
#include "triage/findings/holder.h"
#include "triage/findings/retell.h"
#include "triage/findings/thresholds.h"

#define HOLDS 256   /* looked at, dealt evenly over all */
#define SPANS 65536 /* of the holders, in all */
#define ROWS 4096   /* of waits, the largest */

struct fan {
    uint64_t holds, writes; /* writes: calls; who waits to write calls once more behind it */
    uint32_t left;          /* spans */
};

static uint32_t lock_of(const struct causes *c, const struct finding *f)
{
    return f->stack ? holder_lock(c->tg, holder_place(c->tr, f->stack)) : 0;
}

/* The writes at a place by goroutine g from t0 to t1. */
static uint64_t writes_in(const struct causes *c, struct fan *x, uint32_t g, int64_t t0, int64_t t1, uint32_t place)
{
    struct span_iter it;
    uint64_t calls = 0, waits = 0;
    bool more = span_seek(&it, c->tr, (struct lane){LANE_G, g}, t0);
    while (more && x->left) {
        const struct span *s = span_get(&it);
        if (s->t0 >= t1) {
            break;
        }
        const bool there =
            (s->state == ST_SYSCALL || s->state == ST_WAITING) && causes_place(c->tr, s->stack) == place;
        calls += there && s->state == ST_SYSCALL;
        waits += there && s->state == ST_WAITING;
        x->left--;
        more = span_next(&it);
    }
    return calls > waits ? calls - waits : 0;
}

static struct fan fan_of(const struct causes *c, uint32_t lock, uint32_t place)
{
    const struct triage *tg = c->tg;
    struct fan x = {.left = SPANS};
    uint32_t n = 0, seen = 0;
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        n += tg->lock_waits[i].lock == lock && tg->lock_waits[i].got != NO_LANE;
    }
    for (uint32_t i = 0; i < tg->nlock_waits && x.left; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        if (w->lock != lock || w->got == NO_LANE || w->waker >= tg->ng || seen++ % (n / HOLDS + 1)) {
            continue;
        }
        const int64_t got = tg->lock_waits[w->got].t1, from = w->elsewhere > got ? w->elsewhere : got;
        x.writes += writes_in(c, &x, w->waker, from, w->t1, place);
        x.holds++;
    }
    return x;
}

/* Where most waits to write are made that lie within the lock, if its holders wait for the network for most of the time that they have it. */
static const struct wait_row *written_at(const struct causes *c, const struct finding *f, uint32_t lock)
{
    const struct wait_row *most = NULL;
    struct holder_row h;
    if (f->rule != RULE_CONVOY || !lock || !holder_of_lock(c->tg, lock, &h) || h.wait_ns[WK_NET] <= h.told / 2) {
        return NULL;
    }
    for (uint32_t i = 0; i < c->tg->nwaits && i < ROWS; i++) {
        const struct wait_row *w = &c->tg->waits[i];
        if (w->kind == WK_NET && causes_writes(c->tr, w->stack) && stacks_passes(c->tr, w->stack, lock) &&
            (!most || w->total > most->total)) {
            most = w;
        }
    }
    return most;
}

static void fan_tell(struct causes *c, struct finding *f, uint32_t place, const struct fan *x)
{
    struct text t = {0};
    text_say(&t, c->tr, " The holder writes ", t_f1((double)x->writes / (double)x->holds),
             " times before unlocking (", x->holds, " cases examined), in ", t_func(place),
             ": if that is to several connections, the slowest reader holds up all the others, and everyone waiting "
             "for the lock (inferred).");
    retell_behind(c->rs, f, &t);
    retell_next(c->rs, f,
                "Don't write to a connection while holding the lock: give each connection a queue and its own writer "
                "goroutine, and drop messages or close the connection when it is too slow. If everything goes to one "
                "connection, its other side is what is slow.");
    f->also = place;
}

/* The lock around the waits to write that are told as the other side's. NULL: none is told to be. */
static struct finding *lock_around(const struct causes *c, const struct finding *w)
{
    struct findings *all = c->rs->out;
    const bool writes = w->rule == RULE_BACKEND && w->stack && causes_writes(c->tr, w->stack);
    for (uint32_t k = 0; writes && k < all->n; k++) {
        struct finding *f = &all->f[k];
        if (f->rule == RULE_CONVOY && f->also && f->also == causes_place(c->tr, w->stack) &&
            stacks_passes(c->tr, w->stack, lock_of(c, f))) {
            return f;
        }
    }
    return NULL;
}

void rules_fanout(struct causes *c)
{
    struct findings *all = c->rs->out;
    for (uint32_t i = 0; i < all->n; i++) {
        const uint32_t lock = lock_of(c, &all->f[i]);
        const struct wait_row *w = written_at(c, &all->f[i], lock);
        const uint32_t place = w ? causes_place(c->tr, w->stack) : 0;
        const struct fan x = place ? fan_of(c, lock, place) : (struct fan){0};
        if ((double)x.holds >= threshold(TH_FAN_HOLDS) &&
            (double)x.writes >= threshold(TH_FAN_WRITES) * (double)x.holds) {
            fan_tell(c, &all->f[i], place, &x);
        }
    }
    for (uint32_t i = all->n; i-- > 0;) {
        const struct finding *w = &all->f[i];
        struct finding *f = lock_around(c, w);
        if (f) {
            f->severity_ns = w->severity_ns > f->severity_ns ? w->severity_ns : f->severity_ns;
            f->note = f->note && w->note;
            findings_leave_out(all, i);
        }
    }
}
