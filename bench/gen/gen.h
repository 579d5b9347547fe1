/*
 * gen.h - a program that never ran: scheduler simulation (sim.c) and the two families' writers (emit_v1.c,
 * emit_v2.c).
 *
 * The simulation decides what happens when; a writer turns that into its family's events, with the sequence
 * numbers, status events and tables that belong to them. Times are units of 64 ns. Goroutines and Ps are
 * indices into the arrays below; thread t has the id THREAD_ID + t. Nothing here costs more than the
 * logarithm of how many Ps, goroutines or threads there are, but for what the format itself asks of a
 * generation's end.
 */
#ifndef GOTOP_BENCH_GEN_H
#define GOTOP_BENCH_GEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define UNITS_PER_SECOND 15625000u
#define THREAD_ID 4100
#define NONE UINT32_MAX
#define NSTACKS 400
#define NFUNCS 600

enum gstatus { G_DEAD, G_RUNNABLE, G_RUNNING, G_SYSCALL, G_WAITING };
enum reason { R_NETWORK, R_RECV, R_SELECT, R_SYNC, R_COND, R_SLEEP, R_GCWORK, R_COUNT };

/*
 * What the program is: a small HTTP server; one goroutine on one P that makes system calls and yields;
 * goroutines that start others and end.
 */
enum shape { SHAPE_HTTP, SHAPE_ONE, SHAPE_CHURN };

struct gor {
    uint64_t id, seq; /* seq: the writer's */
    uint64_t since;   /* time of its last change of state; nothing may happen to it before that */
    uint32_t waits;   /* counts its waits, so that a timer of an earlier one is known as stale */
    uint32_t gen;     /* generation it was last mentioned in: the writer's */
    uint32_t steps;   /* left until a short-lived one ends; NONE = long-lived */
    uint32_t thread;  /* in a system call: whose */
    uint32_t next;    /* in a run queue: who runs after it */
    uint32_t last_p;  /* where it ran last */
    uint8_t status, kind;
};
struct runq {
    uint32_t head, tail, n;
};
struct proc {
    uint64_t clock, seq; /* clock: when it acts next, UINT64_MAX = idle until woken */
    uint32_t g, thread, gen;
    uint32_t at; /* place in sim.order */
    struct runq q;
    bool running, in_syscall;
};

struct sim {
    uint64_t rng[2], now;
    uint64_t last, when; /* the latest time any event has; that of the event written last */
    struct gor *g;
    uint32_t ng, capg, live, nlong;
    uint32_t *free_g; /* slots of ended goroutines */
    uint32_t nfree, capfree;
    uint64_t next_id;
    struct proc *p;
    uint32_t slow; /* the second family's clock is so many times slower: the same events, a longer time */
    uint32_t np;
    uint32_t *order; /* heap of Ps by clock */
    uint32_t *idle;  /* ring of np: idle Ps, the longest idle first, so that all of them get work */
    uint32_t idle_head, nidle;
    struct runq global; /* what a P with too much to do gave away */
    uint64_t wait;      /* units a wait lasts at most: so long that Ps run out of work now and then */
    uint64_t starts;    /* of Ps, so far */
    enum shape shape;
    struct timer {
        uint64_t t;
        uint32_t g, waits;
    } * timer; /* heap by t */
    uint32_t ntimer, captimer;
    uint32_t *waiter; /* goroutines that another one will wake */
    uint32_t nwaiter, capwaiter;
    uint32_t *spare; /* threads without a P */
    uint32_t nspare, nthread;
    uint64_t heap, goal, gc_seq, gc_until;
    bool gc, procs_known;
    uint32_t gc_worker0; /* index of the first of np worker goroutines */
    uint64_t events;
    uint32_t generation;
};

uint64_t sim_random(struct sim *s, uint64_t below);
void sim_run(struct sim *s, uint64_t bytes, uint64_t per_generation);

/* Stacks 1 .. NSTACKS of functions 1 .. NFUNCS: the same in all traces. Returns the depth. */
unsigned gen_stack(uint32_t id, uint32_t func[32]);
unsigned gen_func_name(uint32_t func, char *out, unsigned cap);
unsigned gen_file_name(uint32_t func, char *out, unsigned cap);

/* What a writer can be told. t is never below any earlier time of the same
 * thread or P. 0 as a stack: none. */
struct emitter {
    void (*begin)(struct sim *s, int version); /* header */
    void (*gen_start)(struct sim *s, uint64_t t);
    void (*gen_end)(struct sim *s, uint64_t t); /* statuses owed, tables */
    void (*proc_start)(struct sim *s, uint64_t t, uint32_t p);
    void (*proc_stop)(struct sim *s, uint64_t t, uint32_t p);
    void (*create)(struct sim *s, uint64_t t, uint32_t p, uint32_t g, uint32_t start, uint32_t stack);
    void (*start)(struct sim *s, uint64_t t, uint32_t p, uint32_t g, bool worker);
    void (*stop)(struct sim *s, uint64_t t, uint32_t p, uint32_t stack); /* preempted */
    void (*block)(struct sim *s, uint64_t t, uint32_t p, enum reason r, uint32_t stack);
    void (*end)(struct sim *s, uint64_t t, uint32_t p);
    void (*unblock)(struct sim *s, uint64_t t, uint32_t p, uint32_t g, uint32_t stack);
    void (*call)(struct sim *s, uint64_t t, uint32_t p, uint32_t stack); /* system call .. */
    void (*call_end)(struct sim *s, uint64_t t, uint32_t p);             /* .. with its P */
    bool (*steal)(struct sim *s, uint64_t t, uint32_t p,
                  uint32_t thread); /* .. its P taken by a thread; false: not now */
    void (*call_end_blocked)(struct sim *s, uint64_t t, uint32_t p, uint32_t g); /* p: who schedules it now */
    void (*heap)(struct sim *s, uint64_t t, uint32_t p, uint64_t bytes, bool goal);
    void (*gc)(struct sim *s, uint64_t t, uint32_t p, bool begin, uint32_t stack);
    void (*stw)(struct sim *s, uint64_t t, uint32_t p, int kind, uint32_t stack); /* kind 1, 2, or 0 = end */
    void (*sweep)(struct sim *s, uint64_t t, uint32_t p, bool begin, uint64_t bytes, uint32_t stack);
    void (*assist)(struct sim *s, uint64_t t, uint32_t p, bool begin, uint32_t stack);
    void (*procs)(struct sim *s, uint64_t t, uint32_t p, uint32_t stack); /* how many Ps there are, once */
    void (*finish)(struct sim *s);
};
extern const struct emitter emit_v1, emit_v2;
extern const struct emitter *emit;

/*
 * Output, shared by the writers. There is one buffer per P or thread, so they grow: ten thousand of them may
 * hold little each. out_bytes counts what is written, out_held what waits in buffers (up to each one's last
 * event).
 */
struct obuf {
    uint64_t key, base, time; /* v2: thread, v1: P; base: time of the batch */
    uint32_t n, cap, held;
    uint8_t *b;
};
#define OUT_EVENT 256 /* bytes no event exceeds */
extern FILE *out_file;
extern uint64_t out_bytes, out_held;
void out_write(const void *p, size_t n);
void out_room(struct obuf *o, uint32_t n); /* make room for n bytes more; all below need it */
void out_flushed(struct obuf *o);          /* empty it */
void out_byte(struct obuf *o, unsigned v);
void out_varint(struct obuf *o, uint64_t v);
void out_padded(struct obuf *o, uint64_t v); /* always 10 bytes */
void out_text(struct obuf *o, const void *p, uint32_t n);

#endif
