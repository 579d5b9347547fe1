/*
 * sim.c - the simulation: Ps that take goroutines from queues of their own and from each other, in order of
 * their clocks.
 *
 * A step takes the P with the smallest clock, lets it do one thing, and moves its clock. So events come in
 * order of time across all Ps, but for pairs written at once (assist, sweep), which move their P's clock
 * along. The mix of events is that of traces of a small HTTP server: mostly starts, blocks, unblocks and
 * short system calls (WEIGHT; bench/mix shows what comes of it).
 */
#include <stdlib.h>
#include <string.h>

#include "bench/gen/gen.h"

const struct emitter *emit;

#define LOCAL_MAX 256 /* goroutines in a P's queue; more go to the global one */
#define STARTS \
    40 /* of a thousand events are a P's start after having been idle, at any number of Ps and goroutines */

uint64_t sim_random(struct sim *s, uint64_t below) /* xorshift128+ */
{
    uint64_t a = s->rng[0], b = s->rng[1];
    s->rng[0] = b;
    a ^= a << 23;
    s->rng[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
    return below ? (s->rng[1] + b) % below : 0;
}

/* Mostly short, now and then long: units between two things on a P. */
static uint64_t pause_units(struct sim *s)
{
    uint64_t r = sim_random(s, 100);
    return 1 + sim_random(s, r < 70 ? 20 : r < 95 ? 160 : r < 99 ? 1600 : 12000);
}

static void *grown(void *p, uint32_t *cap, uint32_t need, size_t size)
{
    if (need <= *cap)
        return p;
    *cap = need * 2 + 64;
    p = realloc(p, *cap * size);
    if (!p) {
        fprintf(stderr, "gen-trace: out of memory\n");
        exit(1);
    }
    return p;
}

static void timer_add(struct sim *s, uint64_t t, uint32_t g)
{
    s->timer = grown(s->timer, &s->captimer, s->ntimer + 1, sizeof *s->timer);
    uint32_t i = s->ntimer++;
    for (; i && s->timer[(i - 1) / 2].t > t; i = (i - 1) / 2)
        s->timer[i] = s->timer[(i - 1) / 2];
    s->timer[i] = (struct timer){t, g, s->g[g].waits};
}

static struct timer timer_pop(struct sim *s)
{
    struct timer top = s->timer[0], last = s->timer[--s->ntimer];
    uint32_t i = 0;
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= s->ntimer)
            break;
        if (c + 1 < s->ntimer && s->timer[c + 1].t < s->timer[c].t)
            c++;
        if (s->timer[c].t >= last.t)
            break;
        s->timer[i] = s->timer[c];
        i = c;
    }
    s->timer[i] = last;
    return top;
}

static bool timer_stale(const struct sim *s, const struct timer *t)
{
    const struct gor *g = &s->g[t->g];
    return g->waits != t->waits || (g->status != G_WAITING && g->status != G_SYSCALL);
}

/* ---- Ps in order of their clocks; idle ones in order of when they became it ---------------------------- */

static void order_put(struct sim *s, uint32_t at, uint32_t i)
{
    s->order[at] = i;
    s->p[i].at = at;
}

/* order_moved - the clock of P i has changed. */
static void order_moved(struct sim *s, uint32_t i)
{
    uint32_t at = s->p[i].at;
    uint64_t clock = s->p[i].clock;
    for (; at && s->p[s->order[(at - 1) / 2]].clock > clock; at = (at - 1) / 2)
        order_put(s, at, s->order[(at - 1) / 2]);
    for (;;) {
        uint32_t c = 2 * at + 1;
        if (c >= s->np)
            break;
        if (c + 1 < s->np && s->p[s->order[c + 1]].clock < s->p[s->order[c]].clock)
            c++;
        if (s->p[s->order[c]].clock >= clock)
            break;
        order_put(s, at, s->order[c]);
        at = c;
    }
    order_put(s, at, i);
}

static void order_all(struct sim *s)
{
    for (uint32_t at = s->np; at--;)
        order_moved(s, s->order[at]);
}

static void idle_add(struct sim *s, uint32_t i)
{
    s->p[i].clock = UINT64_MAX;
    s->idle[(s->idle_head + s->nidle++) % s->np] = i;
}

static void idle_wake(struct sim *s, uint64_t t)
{
    uint32_t i = s->idle[s->idle_head];
    s->idle_head = (s->idle_head + 1) % s->np;
    s->nidle--;
    s->p[i].clock = t;
    order_moved(s, i);
}

/* ---- run queues ---------------------------------------------------------------------------------------- */

static void runq_put(struct sim *s, struct runq *q, uint32_t g)
{
    s->g[g].next = NONE;
    if (q->n++)
        s->g[q->tail].next = g;
    else
        q->head = g;
    q->tail = g;
}

static uint32_t runq_get(struct sim *s, struct runq *q)
{
    uint32_t g = q->head;
    q->head = s->g[g].next;
    q->n--;
    return g;
}

static bool starts_enough(const struct sim *s)
{
    return s->starts * 1000 > s->events * STARTS;
}

/* ready - P i makes a goroutine runnable: its own, until it has too many. Now and then an idle P comes to
 * help. */
static void ready(struct sim *s, uint32_t i, uint32_t g)
{
    struct runq *q = &s->p[i].q;
    runq_put(s, q->n < LOCAL_MAX ? q : &s->global, g);
    s->g[g].status = G_RUNNABLE;
    s->g[g].since = s->when;
    if (s->nidle && q->n > 1 && !starts_enough(s) && sim_random(s, 100) < 30)
        idle_wake(s, s->now + 5 + sim_random(s, 60));
}

/* next_of - whom P i runs next: NONE = there is nobody it knows of. */
static uint32_t next_of(struct sim *s, uint32_t i)
{
    if (s->p[i].q.n)
        return runq_get(s, &s->p[i].q);
    if (s->global.n)
        return runq_get(s, &s->global);
    for (unsigned k = 0; k < 4; k++) {
        struct runq *q = &s->p[sim_random(s, s->np)].q;
        if (q->n > 1)
            return runq_get(s, q);
    }
    return NONE;
}

/* ---- goroutines and collections ------------------------------------------------------------------------ */

static uint32_t goroutine(struct sim *s)
{
    uint32_t i;
    if (s->nfree) {
        i = s->free_g[--s->nfree];
    } else {
        s->g = grown(s->g, &s->capg, s->ng + 1, sizeof *s->g);
        i = s->ng++;
        memset(&s->g[i], 0, sizeof *s->g);
    }
    uint32_t waits = s->g[i].waits + 1;
    s->g[i] = (struct gor){.id = s->next_id++, .waits = waits, .steps = NONE, .thread = NONE};
    s->live++;
    return i;
}

static void stop_world(struct sim *s, uint64_t until)
{
    for (uint32_t i = 0; i < s->np; i++)
        if (s->p[i].clock < until)
            s->p[i].clock = until;
    order_all(s);
}

static uint32_t stack_of(struct sim *s, unsigned group)
{
    return 1 + group * (NSTACKS / 8) + (uint32_t)sim_random(s, NSTACKS / 8);
}

static void gc_begin(struct sim *s, uint64_t t, uint32_t p)
{
    emit->stw(s, t, p, 2, stack_of(s, 7));
    emit->gc(s, t + 60, p, true, stack_of(s, 7));
    s->gc = true;
    s->gc_until = t + 6000 + sim_random(s, 60000);
    for (uint32_t i = 0; i < (s->np + 3) / 4; i++)
        if (s->g[s->gc_worker0 + i].status == G_WAITING) {
            emit->unblock(s, t + 70 + i, p, s->gc_worker0 + i, 0);
            ready(s, (p + i) % s->np, s->gc_worker0 + i);
        }
    emit->stw(s, s->last + 50, p, 0, 0);
    stop_world(s, s->last + 20 + sim_random(s, 200));
}

static void gc_end(struct sim *s, uint64_t t, uint32_t p)
{
    emit->stw(s, t, p, 1, stack_of(s, 7));
    emit->gc(s, t + 50, p, false, 0);
    s->heap = s->heap * 2 / 5;
    s->goal = s->heap * 2;
    emit->heap(s, t + 55, p, s->goal, true);
    emit->stw(s, t + 130, p, 0, 0);
    s->gc = false;
    stop_world(s, t + 150 + sim_random(s, 300));
}

static void idle(struct sim *s, struct proc *p, uint64_t t, uint32_t i)
{
    emit->proc_stop(s, t, i);
    p->running = false;
    idle_add(s, i);
}

static uint64_t after(const struct sim *s, uint32_t g, uint64_t t)
{
    return t > s->g[g].since ? t : s->g[g].since + 1;
}

/* wake_due - what a P between two goroutines does first: timers, the network, calls that came back; until
 * `until`. */
static uint64_t wake_due(struct sim *s, uint64_t t, uint32_t i, uint64_t until)
{
    for (unsigned k = 0; k < 8 && s->ntimer && s->timer[0].t <= until; k++) {
        struct timer w = timer_pop(s);
        if (timer_stale(s, &w))
            continue;
        t = after(s, w.g, t);
        if (s->g[w.g].status == G_SYSCALL) {
            emit->call_end_blocked(s, t, i, w.g);
            s->spare[s->nspare++] = s->g[w.g].thread;
            s->g[w.g].thread = NONE;
        } else {
            emit->unblock(s, t, i, w.g, 0);
        }
        ready(s, i, w.g);
        t += 2 + sim_random(s, 6);
    }
    return t;
}

static void schedule(struct sim *s, struct proc *p, uint32_t i)
{
    uint64_t t = wake_due(s, p->clock, i, p->clock);
    uint32_t g = next_of(s, i);
    /* Out of work, but Ps are not to go idle more often than this: what would have come later comes now. */
    if (g == NONE && starts_enough(s) && s->ntimer) {
        t = wake_due(s, t, i, s->timer[0].t);
        g = next_of(s, i);
    }
    if (g == NONE) {
        idle(s, p, t, i);
        return;
    }
    t = after(s, g, t);
    bool worker = s->gc && g >= s->gc_worker0 && g < s->gc_worker0 + s->np;
    emit->start(s, t, i, g, worker);
    s->g[g].status = G_RUNNING;
    p->g = g;
    p->clock = t + (worker ? 1000 + sim_random(s, 9000) : pause_units(s));
}

static void block(struct sim *s, struct proc *p, uint32_t i, enum reason r)
{
    uint32_t g = p->g;
    emit->block(s, p->clock, i, r, stack_of(s, (unsigned)r));
    s->g[g].status = G_WAITING;
    s->g[g].waits++;
    s->g[g].since = s->when;
    s->g[g].last_p = i;
    p->g = NONE;
    if (r == R_RECV || r == R_SELECT || r == R_SYNC || r == R_COND) {
        s->waiter = grown(s->waiter, &s->capwaiter, s->nwaiter + 1, sizeof *s->waiter);
        s->waiter[s->nwaiter++] = g;
    }
    if (r != R_GCWORK) /* what nobody wakes wakes up by itself, late */
        timer_add(s, p->clock + 2000 + sim_random(s, r == R_NETWORK || r == R_SLEEP ? s->wait : 8 * s->wait),
                  g);
    p->clock += 1 + sim_random(s, 8);
}

/* wake_one - mostly one that ran on the same P before: who works together is started together. */
static bool wake_one(struct sim *s, struct proc *p, uint32_t i)
{
    for (unsigned k = 0; k < 20 && s->nwaiter; k++) {
        uint32_t at = (uint32_t)sim_random(s, s->nwaiter);
        for (unsigned near = 0; near < 6 && s->g[s->waiter[at]].last_p != i; near++)
            at = (uint32_t)sim_random(s, s->nwaiter);
        uint32_t g = s->waiter[at];
        s->waiter[at] = s->waiter[--s->nwaiter];
        if (s->g[g].status != G_WAITING || g == p->g)
            continue;
        p->clock = after(s, g, p->clock);
        emit->unblock(s, p->clock, i, g, stack_of(s, 6));
        s->g[g].waits++;
        ready(s, i, g);
        return true;
    }
    return false;
}

static void spawn(struct sim *s, struct proc *p, uint32_t i)
{
    uint32_t g = goroutine(s);
    s->g[g].steps = s->shape == SHAPE_CHURN ? (uint32_t)sim_random(s, 3) : 3 + (uint32_t)sim_random(s, 12);
    s->g[g].kind = (uint8_t)sim_random(s, 6);
    emit->create(s, p->clock, i, g, 1 + s->g[g].kind, stack_of(s, 6));
    ready(s, i, g);
}

static void end_call(struct sim *s, struct proc *p, uint32_t i)
{
    emit->call_end(s, p->clock, i);
    s->g[p->g].status = G_RUNNING;
    p->in_syscall = false;
    p->clock += pause_units(s);
}

/* long_call - a call that keeps its thread so long that another one takes the P. */
static void long_call(struct sim *s, struct proc *p, uint32_t i)
{
    uint32_t g = p->g;
    p->clock += 300 + sim_random(s, 900);
    if (!s->nspare || !emit->steal(s, p->clock, i, s->spare[s->nspare - 1])) {
        end_call(s, p, i);
        return;
    }
    s->g[g].thread = p->thread;
    s->g[g].since = s->when;
    s->g[g].waits++;
    p->thread = s->spare[--s->nspare];
    p->in_syscall = false;
    p->g = NONE;
    timer_add(s, p->clock + 3000 + sim_random(s, 200000), g);
    p->running = false; /* stolen, hence idle; its new thread starts it at once */
    p->clock += 3;
}

static void preempt(struct sim *s, struct proc *p, uint32_t i)
{
    uint32_t g = p->g;
    emit->stop(s, p->clock, i, stack_of(s, 4));
    p->g = NONE;
    ready(s, i, g);
    p->clock += 1 + sim_random(s, 8);
}

static void end(struct sim *s, struct proc *p, uint32_t i)
{
    emit->end(s, p->clock, i);
    s->g[p->g].status = G_DEAD;
    s->free_g = grown(s->free_g, &s->capfree, s->nfree + 1, sizeof *s->free_g);
    s->free_g[s->nfree++] = p->g;
    s->live--;
    p->g = NONE;
    p->clock += 1 + sim_random(s, 8);
}

static void call(struct sim *s, struct proc *p, uint32_t i)
{
    emit->call(s, p->clock, i, stack_of(s, 5));
    s->g[p->g].status = G_SYSCALL;
    p->in_syscall = true;
    if (sim_random(s, 1000) < 8)
        long_call(s, p, i);
    else
        p->clock += 2 + sim_random(s, 120);
}

static void allocate(struct sim *s, struct proc *p, uint32_t i)
{
    s->heap += 8192 + sim_random(s, 60000);
    emit->heap(s, p->clock, i, s->heap, false);
    if (s->heap > s->goal && !s->gc && s->generation)
        gc_begin(s, p->clock + 20, i);
    p->clock += pause_units(s);
}

/* assist_or_sweep - a pair of events, written at once. */
static void assist_or_sweep(struct sim *s, struct proc *p, uint32_t i)
{
    if (s->gc) {
        emit->assist(s, p->clock, i, true, stack_of(s, 7));
        p->clock += 40 + sim_random(s, 2000);
        emit->assist(s, p->clock, i, false, 0);
    } else {
        emit->sweep(s, p->clock, i, true, 0, stack_of(s, 7));
        p->clock += 10 + sim_random(s, 300);
        emit->sweep(s, p->clock, i, false, 8192 * (1 + sim_random(s, 40)), 0);
    }
    p->clock += pause_units(s);
}

static void run_worker(struct sim *s, struct proc *p, uint32_t i)
{
    if (s->gc && p->clock < s->gc_until) {
        preempt(s, p, i);
        return;
    }
    if (s->gc) {
        uint64_t t = p->clock;
        gc_end(s, t, i);
        p->clock = t + 160;
    }
    block(s, p, i, R_GCWORK);
}

/* What a running goroutine does next, by weight; the rest of the thousand blocks. */
enum { DO_CALL, DO_ALLOCATE, DO_PAIR, DO_SPAWN, DO_PREEMPT, DO_WAKE, DO_COUNT };
static const uint16_t WEIGHT[][DO_COUNT] = {
    [SHAPE_HTTP] = {272, 122, 14, 64, 4, 190},
    [SHAPE_ONE] = {600, 0, 0, 0, 400, 0},
    [SHAPE_CHURN] = {50, 50, 5, 800, 5, 30},
};

static void run(struct sim *s, struct proc *p, uint32_t i)
{
    static const enum reason mix[] = {R_NETWORK, R_NETWORK, R_NETWORK, R_NETWORK, R_RECV, R_SELECT,
                                      R_SELECT,  R_SELECT,  R_SELECT,  R_SYNC,    R_COND, R_SLEEP};
    struct gor *g = &s->g[p->g];
    uint64_t r = sim_random(s, 1000);
    unsigned what = 0;
    if (!s->procs_known) {
        s->procs_known = true;
        emit->procs(s, p->clock++, i, stack_of(s, 7));
    }
    if (p->g >= s->gc_worker0 && p->g < s->gc_worker0 + s->np) {
        run_worker(s, p, i);
        return;
    }
    if (g->steps != NONE && g->steps-- == 0) {
        end(s, p, i);
        return;
    }
    while (what < DO_COUNT && r >= WEIGHT[s->shape][what])
        r -= WEIGHT[s->shape][what++];
    if (what == DO_CALL) {
        call(s, p, i);
    } else if (what == DO_ALLOCATE) {
        allocate(s, p, i);
    } else if (what == DO_PAIR) {
        assist_or_sweep(s, p, i);
    } else if (what == DO_SPAWN && g->steps == NONE && s->live < s->nlong * 2 + 64) {
        spawn(s, p, i);
        p->clock += pause_units(s);
    } else if (what == DO_PREEMPT) {
        preempt(s, p, i);
    } else if (what == DO_WAKE && wake_one(s, p, i)) {
        p->clock += pause_units(s);
    } else {
        block(s, p, i, mix[sim_random(s, 12)]);
    }
}

static void step(struct sim *s)
{
    /* A timer that nobody would see in time wakes an idle P. */
    if (s->nidle && s->ntimer && s->timer[0].t < s->p[s->order[0]].clock)
        idle_wake(s, s->timer[0].t > s->now ? s->timer[0].t : s->now + 1);
    uint32_t i = s->order[0];
    struct proc *p = &s->p[i];
    s->now = p->clock;
    if (!p->running) {
        s->starts++;
        emit->proc_start(s, p->clock, i);
        p->running = true;
        p->clock += 2 + sim_random(s, 20);
    } else if (p->in_syscall) {
        end_call(s, p, i);
    } else if (p->g == NONE) {
        schedule(s, p, i);
    } else {
        run(s, p, i);
    }
    order_moved(s, i);
}

/* next_generation - everything stands still for a moment: no event of the old one is later than any of the
 * new. */
static void next_generation(struct sim *s)
{
    emit->gen_end(s, s->last);
    s->generation++;
    for (uint32_t i = 0; i < s->np; i++)
        if (s->p[i].clock <= s->last)
            s->p[i].clock = s->last + 1 + i;
    order_all(s);
    s->now = s->last + 1;
    emit->gen_start(s, s->now);
}

void sim_run(struct sim *s, uint64_t bytes, uint64_t per_generation)
{
    uint64_t mark = 0;
    s->generation = 1;
    s->heap = 3u << 20;
    s->goal = 8u << 20;
    s->next_id = 1;
    s->now = s->last = (uint64_t)UNITS_PER_SECOND * 3600;
    s->nthread = s->np * 2;
    s->spare = calloc(s->nthread, sizeof *s->spare);
    s->p = calloc(s->np, sizeof *s->p);
    s->order = calloc(s->np, sizeof *s->order);
    s->idle = calloc(s->np, sizeof *s->idle);
    if (!s->spare || !s->p || !s->order || !s->idle)
        exit(1);
    s->wait = 400 + s->nlong * UINT64_C(1200) / s->np;
    for (uint32_t i = 0; i < s->np; i++) {
        s->p[i] = (struct proc){.g = NONE, .thread = i, .at = i};
        s->order[i] = i;
        idle_add(s, i);
        s->spare[s->nspare++] = s->np + i;
    }
    for (uint32_t i = 0; i < s->nlong; i++) {
        uint32_t g = goroutine(s);
        s->g[g].status = G_WAITING;
        s->g[g].kind = (uint8_t)(i % 6);
    }
    s->gc_worker0 = s->ng;
    for (uint32_t i = 0; i < s->np; i++) {
        uint32_t g = goroutine(s); /* moves s->g */
        s->g[g].status = G_WAITING;
    }
    emit->gen_start(s, s->now);
    for (uint32_t i = 0; i < s->nlong; i++)
        timer_add(s, s->last + 1 + sim_random(s, s->wait), i);
    while (out_bytes + out_held < bytes) {
        step(s);
        if (out_bytes + out_held - mark > per_generation && !s->gc && out_bytes + out_held < bytes) {
            next_generation(s);
            mark = out_bytes + out_held;
        }
    }
    emit->gen_end(s, s->last);
    emit->finish(s);
    free(s->g);
    free(s->p);
    free(s->spare);
    free(s->order);
    free(s->idle);
    free(s->timer);
    free(s->waiter);
    free(s->free_g);
}
