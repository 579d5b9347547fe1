/*
 * emit_v2.c - the second family: batches per thread, generations, a status event before the first mention.
 *
 * String and stack ids move with every generation, as they do in real traces: a reader that does not intern
 * by content is found out. The runtime's own strings, reasons above all, are the first in each: it writes
 * them down before any other. A thread's times rise by at least one unit an event.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/gen/gen.h"

enum {
    S_REASON,
    S_PREEMPTED = S_REASON + R_COUNT,
    S_STW1,
    S_STW2,
    S_LABEL,
    S_FUNC,
    S_FILE = S_FUNC + NFUNCS,
    S_COUNT = S_FILE + NFUNCS
};

static int version;
static struct obuf *buf; /* per thread; the one behind them is for m = -1 */
static struct obuf table;

static uint64_t string_id(const struct sim *s, uint32_t i)
{
    return 1 + (i < S_FUNC ? i : S_FUNC + (i - S_FUNC + s->generation * 17u) % (S_COUNT - S_FUNC));
}

static uint64_t stack_id(const struct sim *s, uint32_t stack)
{
    return stack ? 1 + (stack - 1 + s->generation * 7u) % NSTACKS : 0;
}

static void batch(const struct sim *s, struct obuf *o)
{
    uint8_t bytes[64];
    struct obuf head = {.b = bytes};
    if (!o->n)
        return;
    out_byte(&head, 1);
    out_varint(&head, s->generation);
    out_varint(&head, o->key);
    out_varint(&head, o->base);
    out_padded(&head, o->n);
    out_write(head.b, head.n);
    out_write(o->b, o->n);
    out_flushed(o);
}

/* event - type and time; statuses have been written before it. */
static struct obuf *event(struct sim *s, struct obuf *o, uint64_t t, unsigned type)
{
    if (o->n > 65400 - 200)
        batch(s, o);
    out_room(o, OUT_EVENT);
    if (!o->n)
        o->base = o->time = t > o->time ? t : o->time;
    if (t <= o->time)
        t = o->time + 1;
    out_byte(o, type);
    out_varint(o, t - o->time);
    o->time = t;
    s->when = t;
    if (t > s->last)
        s->last = t;
    s->events++;
    return o;
}

static void mention_p(struct sim *s, struct obuf *o, uint64_t t, uint32_t p)
{
    struct proc *q = &s->p[p];
    if (q->gen == s->generation)
        return;
    q->gen = s->generation;
    q->seq = 0;
    event(s, o, t, 13);
    out_varint(o, p);
    out_varint(o, q->in_syscall ? 3 : q->running ? 1 : 2);
}

static void mention_g(struct sim *s, struct obuf *o, uint64_t t, uint32_t g, uint32_t thread)
{
    struct gor *q = &s->g[g];
    if (q->gen == s->generation)
        return;
    q->gen = s->generation;
    q->seq = 0;
    event(s, o, t, 25);
    out_varint(o, q->id);
    out_varint(o, q->status == G_RUNNING || q->status == G_SYSCALL ? THREAD_ID + thread : UINT64_MAX);
    out_varint(o, q->status);
}

/* on - an event of what runs on a P, its P and goroutine mentioned. */
static struct obuf *on(struct sim *s, uint64_t t, uint32_t p, unsigned type)
{
    struct obuf *o = &buf[s->p[p].thread];
    mention_p(s, o, t, p);
    if (s->p[p].g != NONE)
        mention_g(s, o, t, s->p[p].g, s->p[p].thread);
    return event(s, o, t, type);
}

static void clock_batch(struct sim *s, uint64_t t)
{
    struct obuf *o = &buf[s->nthread];
    o->base = o->time = t;
    out_room(o, OUT_EVENT);
    if (version >= 1025)
        out_byte(o, 50);
    out_byte(o, 8);
    out_varint(o, UNITS_PER_SECOND / s->slow);
    if (version >= 1025) {
        out_byte(o, 51);
        out_varint(o, 1);
        out_varint(o, (t + 1) * 64 * s->slow);
        out_varint(o, 1700000000 + t * s->slow / UNITS_PER_SECOND);
        out_varint(o, t * s->slow % UNITS_PER_SECOND * 64);
    }
    batch(s, o);
}

static void begin(struct sim *s, int v)
{
    char head[17] = "";
    version = v;
    snprintf(head, sizeof head, "go 1.%d trace", v % 1000);
    out_write(head, 16);
    buf = calloc(s->np * 2 + 1, sizeof *buf);
    if (!buf)
        exit(1);
    for (uint32_t i = 0; i <= s->np * 2; i++)
        buf[i].key = i == s->np * 2 ? UINT64_MAX : THREAD_ID + i;
}

static void gen_start(struct sim *s, uint64_t t)
{
    if (version >= 1025)
        clock_batch(s, t);
}

static void strings(struct sim *s)
{
    static const char *const extra[] = {"network",
                                        "chan receive",
                                        "select",
                                        "sync",
                                        "sync.(*Cond).Wait",
                                        "sleep",
                                        "system goroutine wait",
                                        "preempted",
                                        "GC mark termination",
                                        "GC sweep termination",
                                        "GC (dedicated)"};
    struct obuf *o = &table;
    for (uint32_t i = 0; i < S_COUNT; i++) {
        char name[200];
        unsigned n;
        if (i < S_FUNC)
            n = (unsigned)snprintf(name, sizeof name, "%s", extra[i - S_REASON]);
        else if (i < S_FILE)
            n = gen_func_name(i - S_FUNC + 1, name, sizeof name);
        else
            n = gen_file_name(i - S_FILE + 1, name, sizeof name);
        if (o->n > 65000)
            batch(s, o);
        out_room(o, OUT_EVENT);
        if (!o->n)
            out_byte(o, 4);
        out_byte(o, 5);
        out_varint(o, string_id(s, i));
        out_varint(o, n);
        out_text(o, name, n);
    }
    batch(s, o);
}

static void stacks(struct sim *s)
{
    struct obuf *o = &table;
    for (uint32_t id = 1; id <= NSTACKS; id++) {
        uint32_t func[32];
        unsigned n = gen_stack(id, func);
        if (o->n > 64000)
            batch(s, o);
        out_room(o, 2048);
        if (!o->n)
            out_byte(o, 2);
        out_byte(o, 3);
        out_varint(o, stack_id(s, id));
        out_varint(o, n);
        for (unsigned k = 0; k < n; k++) {
            out_varint(o, 0x400000 + func[k] * 512u + id % 64);
            out_varint(o, string_id(s, S_FUNC + func[k] - 1));
            out_varint(o, string_id(s, S_FILE + func[k] - 1));
            out_varint(o, 10 + func[k] % 700 + id % 64 % 20);
        }
    }
    batch(s, o);
}

/* statuses - what nobody mentioned in this generation. */
static void statuses(struct sim *s, uint64_t t)
{
    struct obuf *o = &buf[s->nthread];
    for (uint32_t p = 0; p < s->np; p++)
        if (s->p[p].running) {
            mention_p(s, &buf[s->p[p].thread], t, p);
            if (s->p[p].g != NONE)
                mention_g(s, &buf[s->p[p].thread], t, s->p[p].g, s->p[p].thread);
        }
    for (uint32_t i = 0; i < s->ng; i++) {
        struct gor *g = &s->g[i];
        if (g->status == G_DEAD || g->gen == s->generation)
            continue;
        if (version < 1023 || g->status != G_WAITING) {
            mention_g(s, o, t, i, g->thread);
            continue;
        }
        g->gen = s->generation;
        g->seq = 0;
        event(s, o, t, 48);
        out_varint(o, g->id);
        out_varint(o, UINT64_MAX);
        out_varint(o, 4);
        out_varint(o, stack_id(s, 1 + g->kind));
    }
}

static void gen_end(struct sim *s, uint64_t t)
{
    statuses(s, t);
    if (version < 1025) {
        struct obuf *o = &buf[s->nthread];
        batch(s, o);
        clock_batch(s, t);
    }
    for (uint32_t i = 0; i <= s->nthread; i++)
        batch(s, &buf[i]);
    table.key = UINT64_MAX;
    table.base = t;
    stacks(s);
    strings(s);
    if (version >= 1026)
        out_write("\x34", 1);
}

static void proc_start(struct sim *s, uint64_t t, uint32_t p)
{
    struct obuf *o = on(s, t, p, 10);
    out_varint(o, p);
    out_varint(o, ++s->p[p].seq);
}

static void proc_stop(struct sim *s, uint64_t t, uint32_t p)
{
    on(s, t, p, 11);
}

static void create(struct sim *s, uint64_t t, uint32_t p, uint32_t g, uint32_t start_stack, uint32_t stack)
{
    struct obuf *o = on(s, t, p, 14);
    s->g[g].gen = s->generation;
    s->g[g].seq = 0;
    out_varint(o, s->g[g].id);
    out_varint(o, stack_id(s, start_stack));
    out_varint(o, stack_id(s, stack));
}

static void start(struct sim *s, uint64_t t, uint32_t p, uint32_t g, bool worker)
{
    struct obuf *o = &buf[s->p[p].thread];
    mention_p(s, o, t, p);
    mention_g(s, o, t, g, NONE);
    event(s, o, t, 16);
    out_varint(o, s->g[g].id);
    out_varint(o, ++s->g[g].seq);
    if (worker) {
        event(s, o, t, 39);
        out_varint(o, string_id(s, S_LABEL));
    }
}

static void stop(struct sim *s, uint64_t t, uint32_t p, uint32_t stack)
{
    struct obuf *o = on(s, t, p, 19);
    out_varint(o, string_id(s, S_PREEMPTED));
    out_varint(o, stack_id(s, stack));
}

static void block(struct sim *s, uint64_t t, uint32_t p, enum reason r, uint32_t stack)
{
    struct obuf *o = on(s, t, p, 20);
    out_varint(o, string_id(s, S_REASON + (uint32_t)r));
    out_varint(o, stack_id(s, stack));
}

static void end(struct sim *s, uint64_t t, uint32_t p)
{
    on(s, t, p, 17);
}

static void unblock(struct sim *s, uint64_t t, uint32_t p, uint32_t g, uint32_t stack)
{
    struct obuf *o = &buf[s->p[p].thread];
    mention_p(s, o, t, p);
    if (s->p[p].g != NONE)
        mention_g(s, o, t, s->p[p].g, s->p[p].thread);
    mention_g(s, o, t, g, NONE);
    event(s, o, t, 21);
    out_varint(o, s->g[g].id);
    out_varint(o, ++s->g[g].seq);
    out_varint(o, stack_id(s, stack));
}

static void call(struct sim *s, uint64_t t, uint32_t p, uint32_t stack)
{
    struct obuf *o = on(s, t, p, 22);
    out_varint(o, ++s->p[p].seq);
    out_varint(o, stack_id(s, stack));
}

static void call_end(struct sim *s, uint64_t t, uint32_t p)
{
    on(s, t, p, 23);
}

static bool steal(struct sim *s, uint64_t t, uint32_t p, uint32_t thread)
{
    if (s->p[p].gen != s->generation)
        return false;
    struct obuf *o = event(s, &buf[thread], t, 12);
    out_varint(o, p);
    out_varint(o, ++s->p[p].seq);
    out_varint(o, THREAD_ID + s->p[p].thread);
    return true;
}

static void call_end_blocked(struct sim *s, uint64_t t, uint32_t p, uint32_t g)
{
    (void)p;
    struct obuf *o = &buf[s->g[g].thread];
    mention_g(s, o, t, g, s->g[g].thread);
    event(s, o, t, 24);
}

static void heap(struct sim *s, uint64_t t, uint32_t p, uint64_t bytes, bool goal)
{
    struct obuf *o = on(s, t, p, goal ? 38 : 37);
    out_varint(o, bytes);
}

static void gc(struct sim *s, uint64_t t, uint32_t p, bool begins, uint32_t stack)
{
    struct obuf *o = on(s, t, p, begins ? 29 : 30);
    out_varint(o, ++s->gc_seq);
    if (begins)
        out_varint(o, stack_id(s, stack));
}

static void stw(struct sim *s, uint64_t t, uint32_t p, int kind, uint32_t stack)
{
    struct obuf *o = on(s, t, p, kind ? 26 : 27);
    if (kind) {
        out_varint(o, string_id(s, kind == 1 ? S_STW1 : S_STW2));
        out_varint(o, stack_id(s, stack));
    }
}

static void sweep(struct sim *s, uint64_t t, uint32_t p, bool begins, uint64_t bytes, uint32_t stack)
{
    struct obuf *o = on(s, t, p, begins ? 32 : 33);
    if (begins) {
        out_varint(o, stack_id(s, stack));
    } else {
        out_varint(o, bytes);
        out_varint(o, bytes / 3);
    }
}

static void assist(struct sim *s, uint64_t t, uint32_t p, bool begins, uint32_t stack)
{
    struct obuf *o = on(s, t, p, begins ? 35 : 36);
    if (begins)
        out_varint(o, stack_id(s, stack));
}

static void procs(struct sim *s, uint64_t t, uint32_t p, uint32_t stack)
{
    struct obuf *o = on(s, t, p, 9);
    out_varint(o, s->np);
    out_varint(o, stack_id(s, stack));
}

static void finish(struct sim *s)
{
    for (uint32_t i = 0; i <= s->nthread; i++)
        free(buf[i].b);
    free(buf);
    free(table.b);
}

const struct emitter emit_v2 = {
    begin, gen_start, gen_end, proc_start,       proc_stop, create, start, stop,  block,  end,   unblock,
    call,  call_end,  steal,   call_end_blocked, heap,      gc,     stw,   sweep, assist, procs, finish};
