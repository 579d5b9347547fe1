/*
 * sim.c - the simulation: Ps that take goroutines from one queue, in order of their clocks.
 *
 * A step takes the P with the smallest clock, lets it do one thing, and moves its clock. So events come in order of
 * time across all Ps, but for pairs written at once (assist, sweep), which move their P's clock along. The mix of
 * events is that of traces of a small HTTP server: mostly starts, blocks, unblocks and short system calls.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/gen/gen.h"

const struct emitter *emit;

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

static void ready(struct sim *s, uint32_t g)
{
    if (s->runq_n == s->runq_cap) {
        uint32_t cap = s->runq_cap * 2 + 1024, *q = malloc(cap * sizeof *q);
        if (!q)
            exit(1);
        for (uint32_t i = 0; i < s->runq_n; i++)
            q[i] = s->runq[(s->runq_head + i) % s->runq_cap];
        free(s->runq);
        s->runq = q;
        s->runq_head = 0;
        s->runq_cap = cap;
    }
    s->runq[(s->runq_head + s->runq_n++) % s->runq_cap] = g;
    s->g[g].status = G_RUNNABLE;
    s->g[g].since = s->when;
    for (uint32_t i = 0; i < s->np; i++)
        if (!s->p[i].running && s->p[i].clock == UINT64_MAX) {
            s->p[i].clock = s->now + 5 + sim_random(s, 60);
            return;
        }
}

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
    s->gc_workers = s->np > 3 ? s->np / 4 : 1;
    for (uint32_t i = 0; i < s->gc_workers; i++)
        if (s->g[s->gc_worker0 + i].status == G_WAITING) {
            emit->unblock(s, t + 70 + i, p, s->gc_worker0 + i, 0);
            ready(s, s->gc_worker0 + i);
        }
    emit->stw(s, t + 120, p, 0, 0);
    stop_world(s, t + 140 + sim_random(s, 200));
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
    p->clock = UINT64_MAX;
}

static uint64_t after(const struct sim *s, uint32_t g, uint64_t t)
{
    return t > s->g[g].since ? t : s->g[g].since + 1;
}

/* wake_due - what a P between two goroutines does first: timers, the network, calls that came back. */
static uint64_t wake_due(struct sim *s, uint64_t t, uint32_t i)
{
    for (unsigned k = 0; k < 8 && s->ntimer && s->timer[0].t <= t; k++) {
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
        ready(s, w.g);
        t += 2 + sim_random(s, 6);
    }
    return t;
}

static void schedule(struct sim *s, struct proc *p, uint32_t i)
{
    uint64_t t = wake_due(s, p->clock, i);
    if (!s->runq_n) {
        idle(s, p, t, i);
        return;
    }
    uint32_t g = s->runq[s->runq_head];
    s->runq_head = (s->runq_head + 1) % s->runq_cap;
    s->runq_n--;
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
    p->g = NONE;
    if (r == R_RECV || r == R_SELECT || r == R_SYNC) {
        s->waiter = grown(s->waiter, &s->capwaiter, s->nwaiter + 1, sizeof *s->waiter);
        s->waiter[s->nwaiter++] = g;
    }
    if (r != R_GCWORK) /* what nobody wakes wakes up by itself, late */
        timer_add(s, p->clock + 2000 + sim_random(s, r == R_NETWORK ? 40000 : 1500000), g);
    p->clock += 1 + sim_random(s, 8);
}

static bool wake_one(struct sim *s, struct proc *p, uint32_t i)
{
    for (unsigned k = 0; k < 20 && s->nwaiter; k++) {
        uint32_t at = (uint32_t)sim_random(s, s->nwaiter), g = s->waiter[at];
        s->waiter[at] = s->waiter[--s->nwaiter];
        if (s->g[g].status != G_WAITING || g == p->g)
            continue;
        p->clock = after(s, g, p->clock);
        emit->unblock(s, p->clock, i, g, stack_of(s, 6));
        s->g[g].waits++;
        ready(s, g);
        return true;
    }
    return false;
}

static void spawn(struct sim *s, struct proc *p, uint32_t i)
{
    uint32_t g = goroutine(s);
    s->g[g].steps = 3 + (uint32_t)sim_random(s, 12);
    s->g[g].kind = (uint8_t)sim_random(s, 6);
    emit->create(s, p->clock, i, g, 1 + s->g[g].kind, stack_of(s, 6));
    ready(s, g);
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
    ready(s, g);
    p->clock += 1 + sim_random(s, 8);
}

static void run(struct sim *s, struct proc *p, uint32_t i)
{
    struct gor *g = &s->g[p->g];
    uint64_t r = sim_random(s, 1000);
    if (p->g >= s->gc_worker0 && p->g < s->gc_worker0 + s->np) {
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
    } else if (g->steps != NONE && g->steps-- == 0) {
        emit->end(s, p->clock, i);
        g->status = G_DEAD;
        s->free_g = grown(s->free_g, &s->capfree, s->nfree + 1, sizeof *s->free_g);
        s->free_g[s->nfree++] = p->g;
        s->live--;
        p->g = NONE;
        p->clock += 1 + sim_random(s, 8);
    } else if (r < 270) {
        emit->call(s, p->clock, i, stack_of(s, 5));
        g->status = G_SYSCALL;
        p->in_syscall = true;
        if (r < 4)
            long_call(s, p, i);
        else
            p->clock += 2 + sim_random(s, 120);
    } else if (r < 350) {
        s->heap += 8192 + sim_random(s, 60000);
        emit->heap(s, p->clock, i, s->heap, false);
        if (s->heap > s->goal && !s->gc && s->generation)
            gc_begin(s, p->clock + 20, i);
        p->clock += pause_units(s);
    } else if (r < 365 && s->gc) {
        emit->assist(s, p->clock, i, true, stack_of(s, 7));
        p->clock += 40 + sim_random(s, 2000);
        emit->assist(s, p->clock, i, false, 0);
        p->clock += pause_units(s);
    } else if (r < 372 && !s->gc) {
        emit->sweep(s, p->clock, i, true, 0, stack_of(s, 7));
        p->clock += 10 + sim_random(s, 300);
        emit->sweep(s, p->clock, i, false, 8192 * (1 + sim_random(s, 40)), 0);
        p->clock += pause_units(s);
    } else if (r < 415 && s->live < s->nlong * 2 + 64) {
        spawn(s, p, i);
        p->clock += pause_units(s);
    } else if (r < 425) {
        preempt(s, p, i);
    } else if (r < 720) {
        if (!wake_one(s, p, i))
            block(s, p, i, R_NETWORK);
        else
            p->clock += pause_units(s);
    } else {
        static const enum reason mix[] = {R_NETWORK, R_NETWORK, R_RECV, R_RECV, R_SELECT, R_SELECT, R_SYNC, R_SLEEP};
        block(s, p, i, mix[sim_random(s, 8)]);
    }
}

static void step(struct sim *s)
{
    uint32_t best = 0, first_idle = NONE;
    for (uint32_t i = 0; i < s->np; i++) {
        if (s->p[i].clock < s->p[best].clock)
            best = i;
        if (!s->p[i].running && s->p[i].clock == UINT64_MAX && first_idle == NONE)
            first_idle = i;
    }
    /* A timer that nobody would see in time wakes an idle P. */
    if (first_idle != NONE && s->ntimer && s->timer[0].t < s->p[best].clock) {
        best = first_idle;
        s->p[best].clock = s->timer[0].t > s->now ? s->timer[0].t : s->now + 1;
    }
    struct proc *p = &s->p[best];
    s->now = p->clock;
    if (!p->running) {
        emit->proc_start(s, p->clock, best);
        p->running = true;
        p->clock += 2 + sim_random(s, 20);
    } else if (p->in_syscall) {
        end_call(s, p, best);
    } else if (p->g == NONE) {
        schedule(s, p, best);
    } else {
        run(s, p, best);
    }
}

/* next_generation - everything stands still for a moment: no event of the old one is later than any of the new. */
static void next_generation(struct sim *s)
{
    emit->gen_end(s, s->last);
    s->generation++;
    for (uint32_t i = 0; i < s->np; i++)
        if (s->p[i].clock <= s->last)
            s->p[i].clock = s->last + 1 + i;
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
    if (!s->spare || !s->p)
        exit(1);
    for (uint32_t i = 0; i < s->np; i++) {
        s->p[i] = (struct proc){.clock = UINT64_MAX, .g = NONE, .thread = i};
        s->spare[s->nspare++] = s->np + i;
    }
    for (uint32_t i = 0; i < s->nlong; i++) {
        uint32_t g = goroutine(s);
        s->g[g].status = G_WAITING;
        s->g[g].kind = (uint8_t)(i % 6);
    }
    s->gc_worker0 = s->ng;
    for (uint32_t i = 0; i < s->np; i++)
        s->g[goroutine(s)].status = G_WAITING;
    emit->gen_start(s, s->now);
    for (uint32_t i = 0; i < s->nlong; i++)
        timer_add(s, s->last + 1 + sim_random(s, 200000), i);
    while (out_bytes < bytes) {
        step(s);
        if (out_bytes - mark > per_generation && !s->gc && out_bytes < bytes) {
            next_generation(s);
            mark = out_bytes;
        }
    }
    emit->gen_end(s, s->last);
    emit->finish(s);
    free(s->g);
    free(s->p);
    free(s->spare);
    free(s->runq);
    free(s->timer);
    free(s->waiter);
    free(s->free_g);
}
