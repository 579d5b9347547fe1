/*
 * emit_v1.c - the first family, as Go 1.19 and 1.21 write it: batches per P, sequence numbers per goroutine
 * over the whole file, a listing of what exists first, and frequency, strings and stacks last.
 *
 * In struct gor, seq is the number that the next start or unblock carries and gen the P it was last seen on,
 * plus one.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/gen/gen.h"

static int version;
static struct obuf *buf; /* per P */

enum { S_LABEL = 2 * NFUNCS + 1 };

static void flush(struct obuf *o)
{
    uint8_t bytes[64];
    struct obuf head = {.b = bytes};
    if (!o->n)
        return;
    out_byte(&head, 1 | 1 << 6);
    out_varint(&head, o->key);
    out_varint(&head, o->base);
    out_write(head.b, head.n);
    out_write(o->b, o->n);
    out_flushed(o);
}

/* event - all values but the time step, which comes first: n of them, the stack included. */
static void event(struct sim *s, uint64_t t, uint32_t p, unsigned type, unsigned n, const uint64_t *v)
{
    uint8_t bytes[OUT_EVENT];
    struct obuf *o = &buf[p], body = {.b = bytes};
    if (o->n > 64000)
        flush(o);
    out_room(o, OUT_EVENT);
    if (!o->n)
        o->base = o->time = t > o->time ? t : o->time;
    if (t <= o->time)
        t = o->time + 1;
    out_varint(&body, t - o->time);
    for (unsigned i = 0; i < n; i++)
        out_varint(&body, v[i]);
    out_byte(o, type | (n > 3 ? 3 : n) << 6);
    if (n >= 3)
        out_byte(o, body.n);
    out_text(o, body.b, body.n);
    o->time = t;
    s->when = t;
    if (t > s->last)
        s->last = t;
    s->events++;
}

/* The table has the stacks that some event has: the runtime enters one as it writes the first of these. */
static bool told[NSTACKS + 1];

static uint32_t tell(uint32_t stack)
{
    told[stack <= NSTACKS ? stack : 0] = true;
    return stack;
}

#define EVENT(s, t, p, type, ...) \
    event(s, t, p, type, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
          (const uint64_t[]){__VA_ARGS__})

static void begin(struct sim *s, int v)
{
    char head[17] = "";
    version = v;
    snprintf(head, sizeof head, "go 1.%d trace", v % 1000);
    out_write(head, 16);
    buf = calloc(s->np, sizeof *buf);
    if (!buf)
        exit(1);
    for (uint32_t i = 0; i < s->np; i++)
        buf[i].key = i;
}

/* gen_start - once: the listing of all goroutines. */
static void gen_start(struct sim *s, uint64_t t)
{
    if (s->generation > 1)
        return;
    for (uint32_t i = 0; i < s->ng; i++) {
        EVENT(s, t, 0, 13, s->g[i].id, tell(1 + s->g[i].kind), tell(3));
        EVENT(s, t, 0, 31, s->g[i].id);
        s->g[i].seq = 2;
    }
    EVENT(s, t, 0, 4, s->np, tell(3));
}

static void gen_end(struct sim *s, uint64_t t)
{
    (void)s, (void)t;
}

static void proc_start(struct sim *s, uint64_t t, uint32_t p)
{
    EVENT(s, t, p, 5, THREAD_ID + s->p[p].thread);
}

static void proc_stop(struct sim *s, uint64_t t, uint32_t p)
{
    event(s, t, p, 6, 0, NULL);
}

static void create(struct sim *s, uint64_t t, uint32_t p, uint32_t g, uint32_t start_stack, uint32_t stack)
{
    s->g[g].seq = 1;
    s->g[g].gen = p + 1;
    EVENT(s, t, p, 13, s->g[g].id, tell(start_stack), tell(stack));
}

static void start(struct sim *s, uint64_t t, uint32_t p, uint32_t g, bool worker)
{
    struct gor *q = &s->g[g];
    if (worker)
        EVENT(s, t, p, 41, q->id, q->seq, S_LABEL);
    else if (q->gen == p + 1)
        EVENT(s, t, p, 38, q->id);
    else
        EVENT(s, t, p, 14, q->id, q->seq);
    q->seq++;
    q->gen = p + 1;
}

static void stop(struct sim *s, uint64_t t, uint32_t p, uint32_t stack)
{
    EVENT(s, t, p, 18, tell(stack));
}

static void block(struct sim *s, uint64_t t, uint32_t p, enum reason r, uint32_t stack)
{
    static const unsigned type[R_COUNT] = {27, 23, 24, 25, 26, 19, 20};
    EVENT(s, t, p, type[r], tell(stack));
}

static void end(struct sim *s, uint64_t t, uint32_t p)
{
    event(s, t, p, 15, 0, NULL);
}

static void unblock(struct sim *s, uint64_t t, uint32_t p, uint32_t g, uint32_t stack)
{
    struct gor *q = &s->g[g];
    if (q->gen == p + 1)
        EVENT(s, t, p, 39, q->id, tell(stack));
    else
        EVENT(s, t, p, 21, q->id, q->seq, tell(stack));
    q->seq++;
    q->gen = p + 1;
}

static void call(struct sim *s, uint64_t t, uint32_t p, uint32_t stack)
{
    EVENT(s, t, p, 28, tell(stack));
}

static void call_end(struct sim *s, uint64_t t, uint32_t p) /* not recorded */
{
    (void)s, (void)t, (void)p;
}

static bool steal(struct sim *s, uint64_t t, uint32_t p, uint32_t thread)
{
    (void)thread;
    event(s, t, p, 30, 0, NULL);
    event(s, t, p, 6, 0, NULL);
    return true;
}

static void call_end_blocked(struct sim *s, uint64_t t, uint32_t p, uint32_t g)
{
    struct gor *q = &s->g[g];
    EVENT(s, t, p, 29, q->id, q->seq, t - 1);
    q->seq++;
    q->gen = p + 1;
}

static void heap(struct sim *s, uint64_t t, uint32_t p, uint64_t bytes, bool goal)
{
    EVENT(s, t, p, goal ? 34 : 33, bytes);
}

static void gc(struct sim *s, uint64_t t, uint32_t p, bool begins, uint32_t stack)
{
    if (begins)
        EVENT(s, t, p, 7, s->gc_seq++, tell(stack));
    else
        event(s, t, p, 8, 0, NULL);
}

static void stw(struct sim *s, uint64_t t, uint32_t p, int kind, uint32_t stack)
{
    (void)stack;
    if (kind)
        EVENT(s, t, p, 9, (uint64_t)(version >= 1021 ? kind : kind - 1));
    else
        event(s, t, p, 10, 0, NULL);
}

static void sweep(struct sim *s, uint64_t t, uint32_t p, bool begins, uint64_t bytes, uint32_t stack)
{
    if (begins)
        EVENT(s, t, p, 11, tell(stack));
    else
        EVENT(s, t, p, 12, bytes, bytes / 3);
}

static void assist(struct sim *s, uint64_t t, uint32_t p, bool begins, uint32_t stack)
{
    if (begins)
        EVENT(s, t, p, 43, tell(stack));
    else
        event(s, t, p, 44, 0, NULL);
}

static void procs(struct sim *s, uint64_t t, uint32_t p, uint32_t stack) /* in the listing */
{
    (void)s, (void)t, (void)p, (void)stack;
}

static void string(struct obuf *o, uint64_t id, const char *text, unsigned n)
{
    if (o->n > 64000)
        flush(o);
    out_room(o, n + 32);
    out_byte(o, 37);
    out_varint(o, id);
    out_varint(o, n);
    out_text(o, text, n);
}

static void finish(struct sim *s)
{
    struct obuf *o = &buf[0];
    char name[200];
    for (uint32_t i = 0; i < s->np; i++)
        flush(&buf[i]);
    o->base = s->last;
    out_room(o, 32);
    out_byte(o, 2);
    out_varint(o, UNITS_PER_SECOND);
    for (uint32_t f = 1; f <= NFUNCS; f++) {
        string(o, f, name, gen_func_name(f, name, sizeof name));
        string(o, NFUNCS + f, name, gen_file_name(f, name, sizeof name));
    }
    string(o, S_LABEL, "GC (dedicated)", 14);
    for (uint32_t id = 1; id <= NSTACKS; id++) {
        uint8_t bytes[2048];
        struct obuf body = {.b = bytes};
        uint32_t func[32];
        if (!told[id])
            continue;
        unsigned n = gen_stack(id, func);
        out_varint(&body, id);
        out_varint(&body, n);
        for (unsigned k = 0; k < n; k++) {
            out_varint(&body, 0x400000 + func[k] * 512u + id % 64);
            out_varint(&body, func[k]);
            out_varint(&body, NFUNCS + func[k]);
            out_varint(&body, 10 + func[k] % 700 + id % 64 % 20);
        }
        if (o->n > 62000)
            flush(o);
        out_room(o, body.n + 32);
        out_byte(o, 3 | 3 << 6);
        out_padded(o, body.n);
        memcpy(o->b + o->n, body.b, body.n);
        o->n += body.n;
    }
    flush(o);
    for (uint32_t i = 0; i < s->np; i++)
        free(buf[i].b);
    free(buf);
}

const struct emitter emit_v1 = {
    begin, gen_start, gen_end, proc_start,       proc_stop, create, start, stop,  block,  end,   unblock,
    call,  call_end,  steal,   call_end_blocked, heap,      gc,     stw,   sweep, assist, procs, finish};
