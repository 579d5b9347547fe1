/*
 * rules_locks.c - rules about goroutines waiting for one another.
 *
 * A trace does not say which lock a wait is for. Waits are put together by the function that asked for the lock, and
 * the holder is taken to be who did the waking, followed backwards while that one waited for a lock itself.
 */
#include "triage/rules.h"

#include <stdlib.h>

#include "decode/mem.h"

#define CONVOY_MIN 4
#define CALL_MIN 200000 /* ns */

struct edge { /* one end of a wait */
    int64_t t;
    uint32_t func; /* who asked for the lock */
    int32_t by;
    uint32_t wait; /* index in lock_waits */
};

struct stretch { /* while at least CONVOY_MIN waited */
    int64_t t0, t1, total;
    uint32_t most, first; /* most at once; index of the wait that began first in the longest stretch */
    uint64_t waits;
};

static int cmp_edge(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->func != y->func ? (x->func > y->func) - (x->func < y->func)
           : x->t != y->t     ? (x->t > y->t) - (x->t < y->t)
           : x->by != y->by   ? (x->by > y->by) - (x->by < y->by)
                              : (x->wait > y->wait) - (x->wait < y->wait);
}

static uint32_t caller_of(const struct trace *tr, uint32_t stack)
{
    return trace_frame(tr, stack, stacks_user_frame(tr, stack)).func;
}

static void stretches(const struct edge *e, size_t n, struct stretch *s)
{
    uint32_t now = 0, first = 0;
    int64_t since = 0;
    *s = (struct stretch){0};
    for (size_t i = 0; i < n; i++) {
        now = e[i].by > 0 ? now + 1 : now - 1;
        s->waits += e[i].by > 0;
        s->most = now > s->most ? now : s->most;
        if (e[i].by > 0 && now == 1) {
            first = e[i].wait;
        }
        if (e[i].by > 0 && now == CONVOY_MIN) {
            since = e[i].t;
        } else if (e[i].by < 0 && now == CONVOY_MIN - 1) {
            s->total = ns_add(s->total, e[i].t - since);
            if (e[i].t - since > s->t1 - s->t0) {
                s->t0 = since;
                s->t1 = e[i].t;
                s->first = first;
            }
        }
    }
}

/* The wait that covers t and began first: it was the next in the queue, and who ended it most likely held the lock.
 */
static uint32_t eldest_at(const struct triage *tg, uint32_t func, int64_t t, uint32_t fallback)
{
    for (uint32_t i = 0; i < tg->nlock_waits && tg->lock_waits[i].t0 <= t; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        if (w->t1 > t && caller_of(tg->tr, w->stack) == func) {
            return i;
        }
    }
    return fallback;
}

static void convoy(struct rules *rs, uint32_t func, const struct stretch *s)
{
    const struct lock_wait *w = &rs->tg->lock_waits[eldest_at(rs->tg, func, s->t0, s->first)];
    struct chain_link c[CHAIN_MAX];
    uint32_t n = chain_follow(rs->tr, w->g, w->t0, c);
    struct draft d;
    draft_start(&d, RULE_CONVOY, s->total);
    draft_subject(&d, rs, func);
    draft_at(&d, s->t0, s->t1, LANE_G, w->g);
    d.f.inferred = true;
    d.f.stack = w->stack;
    text_add(&d.text, "Up to %u goroutines at once waited for a lock in ", s->most);
    text_func(&d.text, rs->tr, func, 60);
    text_lit(&d.text, "; at least ");
    text_add(&d.text, "%d of them for ", CONVOY_MIN);
    text_dur(&d.text, s->total);
    text_lit(&d.text, " in all (longest stretch ");
    text_dur(&d.text, s->t1 - s->t0);
    text_lit(&d.text, ").");
    if (n > 1) {
        text_lit(&d.text, " Held most likely by ");
        text_who(&d.text, rs->tr, chain_root(c, n));
        text_lit(&d.text, " (inferred): ");
        chain_text(&d.text, rs->tr, c, n);
        text_lit(&d.text, ".");
    }
    text_add(&d.next, n > 1 && c[n - 1].state == ST_SYSCALL
                          ? "Do the system call outside the lock."
                          : "Hold the lock for less: see what its holder did meanwhile; or split the lock.");
    draft_end(rs, &d);
}

static void rule_convoy(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    size_t n = 0;
    struct edge *e = mem_alloc(((size_t)tg->nlock_waits * 2 + 1) * sizeof *e);
    if (!e) {
        rs->failed = true;
        return;
    }
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        uint32_t f = caller_of(rs->tr, w->stack);
        e[n++] = (struct edge){w->t0, f, 1, i};
        e[n++] = (struct edge){w->t1, f, -1, i};
    }
    if (n) {
        qsort(e, n, sizeof *e, cmp_edge);
    }
    for (size_t i = 0, j; i < n; i = j) {
        struct stretch s;
        for (j = i; j < n && e[j].func == e[i].func; j++) {
        }
        stretches(e + i, j - i, &s);
        if (s.total >= 1000000 && s.total >= tg->end / 100) {
            convoy(rs, e[i].func, &s);
        }
    }
    mem_free(e);
}

static void rule_bottleneck(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t all = 0, severity;
    uint32_t best = 0;
    const struct gstat *b;
    struct draft d;
    for (uint32_t g = 0; g < tg->ng; g++) {
        all = ns_add(all, tg->g[g].ended_ns);
        best = tg->g[g].ended_ns > tg->g[best].ended_ns ? g : best;
    }
    if (tg->ng == 0) {
        return;
    }
    b = &tg->g[best];
    if (b->waiters < 4 || b->ended < 16 || b->ended_ns < all / 2 || b->ended_ns < tg->end / 10) {
        return;
    }
    severity = b->ended_ns / b->waiters;
    draft_start(&d, RULE_BOTTLENECK, severity < tg->end ? severity : tg->end);
    draft_subject(&d, rs, tg->groups[tg->g[best].group].name);
    draft_at(&d, trace_lane(rs->tr, (struct lane){LANE_G, best}).first, tg->t1, LANE_G, best);
    text_add(&d.amount, "%u wait", b->waiters);
    text_who(&d.text, rs->tr, best);
    text_add(&d.text, " ended %u waits (locks, channel sends) of %u goroutines, ", b->ended, b->waiters);
    text_dur(&d.text, b->ended_ns);
    text_lit(&d.text, " of their time and ");
    text_share(&d.text, (double)b->ended_ns, (double)all);
    text_lit(&d.text, " of all such waiting. It ran for ");
    text_dur(&d.text, b->ns[GM_EXEC]);
    text_lit(&d.text, " and waited itself for ");
    text_dur(&d.text, b->ns[GM_WAIT]);
    text_lit(&d.text, ".");
    text_add(&d.next,
             "Its lane shows what it does between two wake-ups. Give the work to several goroutines, or buffer it.");
    draft_end(rs, &d);
}

static void rule_stuck(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t min = tg->end / 2 < 1000000000 ? tg->end / 2 : 1000000000, longest = 0;
    uint32_t n = 0, who = 0;
    struct draft d;
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        if (tg->last && w->t1 >= tg->t1 && w->waker == NO_LANE && w->t1 - w->t0 >= min) {
            n++;
            if (w->t1 - w->t0 > longest) {
                longest = w->t1 - w->t0;
                who = i;
            }
        }
    }
    if (n < 2) {
        return;
    }
    draft_start(&d, RULE_STUCK, longest);
    draft_at(&d, tg->lock_waits[who].t0, tg->t1, LANE_G, tg->lock_waits[who].g);
    d.f.stack = tg->lock_waits[who].stack;
    draft_subject(&d, rs, caller_of(rs->tr, d.f.stack));
    text_add(&d.amount, "%u stuck", n);
    text_add(&d.text, "%u goroutines wait for a lock when the trace ends and were not woken, the longest for ", n);
    text_dur(&d.text, longest);
    text_lit(&d.text, ": ");
    text_who(&d.text, rs->tr, tg->lock_waits[who].g);
    text_lit(&d.text, " at ");
    text_where(&d.text, rs->tr, d.f.stack, 60);
    text_lit(&d.text, ".");
    text_add(&d.next,
             "Compare the stacks of the stuck ones (view 6): locks taken in different orders, or one never let go.");
    draft_end(rs, &d);
}

/* ---- system calls that others wait for --------------------------------------------------------------------- */

struct calls {
    struct rules *rs;
    struct tab seen; /* (goroutine, span): a call counts once, however many wait */
    const struct lock_wait *w;
    int64_t *overlap; /* by row of `seen` */
    size_t cap;
    uint32_t n;
    int64_t total, worst;
    uint32_t waker; /* the only one so far, NO_LANE: none */
    bool several;
    struct span worst_span;
    const struct lock_wait *worst_wait;
    uint64_t waits;
};

static bool call_span(void *arg, const struct span *s)
{
    struct calls *c = arg;
    int64_t a = s->t0 > c->w->t0 ? s->t0 : c->w->t0, z = s->t1 < c->w->t1 ? s->t1 : c->w->t1, *p;
    uint32_t i;
    if (s->state != ST_SYSCALL || z - a < CALL_MIN) {
        return true;
    }
    i = tab_put(&c->seen, c->w->waker, s->index, c->n);
    if (i == TAB_NONE || !(p = mem_grow(c->overlap, &c->cap, (size_t)c->n + 1, sizeof *p))) {
        c->rs->failed = true;
        return false;
    }
    c->overlap = p;
    if (i == c->n) {
        p[c->n++] = 0;
    }
    c->waits++;
    c->several |= c->waker != NO_LANE && c->waker != c->w->waker;
    c->waker = c->w->waker;
    if (z - a > p[i]) {
        c->total = ns_add(c->total, z - a - p[i]);
        p[i] = z - a;
    }
    if (z - a > c->worst) {
        c->worst = z - a;
        c->worst_span = *s;
        c->worst_wait = c->w;
    }
    return true;
}

static void syscall_finding(struct rules *rs, const struct calls *c)
{
    struct chain_link link[CHAIN_MAX];
    uint32_t n = chain_follow(rs->tr, c->worst_wait->g, c->worst_wait->t0, link);
    struct draft d;
    draft_start(&d, RULE_SYSCALL, c->total);
    draft_subject(&d, rs, caller_of(rs->tr, c->worst_span.stack));
    draft_at(&d, c->worst_span.t0, c->worst_span.t1, LANE_G, c->worst_wait->waker);
    d.f.stack = c->worst_span.stack;
    d.f.inferred = true;
    text_add(&d.text, "%u system call%s of ", c->n, c->n == 1 ? "" : "s");
    text_who(&d.text, rs->tr, c->worst_wait->waker);
    text_add(&d.text, "%s", c->several ? " and others" : "");
    text_lit(&d.text, " took ");
    text_dur(&d.text, c->total);
    text_add(&d.text, " while others waited for a lock that the caller then let go (inferred); %llu waits.",
             (unsigned long long)c->waits);
    if (n > 1) {
        text_lit(&d.text, " The longest: ");
        chain_text(&d.text, rs->tr, link, n);
        text_lit(&d.text, ".");
    }
    text_add(&d.next, "Do the call outside the lock, or hand it to a goroutine that nobody waits for.");
    draft_end(rs, &d);
}

static void rule_syscall(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    struct calls c = {.rs = rs, .waker = NO_LANE};
    for (uint32_t i = 0; i < tg->nlock_waits && !rs->failed; i++) {
        c.w = &tg->lock_waits[i];
        if (c.w->waker != NO_LANE && c.w->t1 - c.w->t0 >= CALL_MIN) {
            trace_wide(rs->tr, (struct lane){LANE_G, c.w->waker}, c.w->t0, c.w->t1, CALL_MIN, call_span, &c);
        }
    }
    if (!rs->failed && c.worst_wait && c.total >= 1000000 && c.total >= tg->end / 100) {
        syscall_finding(rs, &c);
    }
    tab_free(&c.seen);
    mem_free(c.overlap);
}

static void rule_herd(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    for (uint32_t i = 0; i < tg->nherds; i++) {
        const struct herd_row *h = &tg->herds[i];
        const struct pair_row *p = &tg->pairs[h->pair];
        struct draft d;
        if (h->bursts < 3 || h->futile * 2 < h->wakes || h->lost < tg->end / 100) {
            continue;
        }
        draft_start(&d, RULE_HERD, h->lost / rules_procs(rs));
        draft_subject(&d, rs, caller_of(rs->tr, p->stack));
        draft_at(&d, h->at.t0, h->at.t1, LANE_G, h->at.g);
        d.f.stack = p->stack;
        text_add(&d.amount, "%u woken", h->largest);
        text_add(&d.text, "%llu of %llu wake-ups at ", (unsigned long long)h->futile, (unsigned long long)h->wakes);
        text_where(&d.text, rs->tr, p->stack, 60);
        text_lit(&d.text, " were for nothing (soon waiting there again), up to ");
        text_add(&d.text, "%u at once, by ", h->largest);
        text_func(&d.text, rs->tr, p->waker, 48);
        text_lit(&d.text, "; they cost ");
        text_dur(&d.text, h->lost);
        text_lit(&d.text, ".");
        text_add(&d.next, "Wake one instead of all (Signal for Broadcast), or give each its own channel.");
        draft_end(rs, &d);
    }
}

void rules_locks(struct rules *rs)
{
    rule_convoy(rs);
    rule_bottleneck(rs);
    rule_stuck(rs);
    rule_syscall(rs);
    rule_herd(rs);
}
