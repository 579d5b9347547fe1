/* v2_put.c - see v2_put.h. Sizes are padded to ten bytes, as the runtime has it: a reader finds batches by that. */
#include "decode/write/v2_put.h"

#include <string.h>

size_t v2_put_encode(uint8_t *p, uint8_t type, uint64_t dt, const uint64_t *arg, unsigned n)
{
    size_t k = 0;
    p[k++] = type;
    k += bytes_put_varint(p + k, dt);
    for (unsigned i = 0; i < n; i++)
        k += bytes_put_varint(p + k, arg[i]);
    return k;
}

void v2_put_batch(struct outlet *out, uint64_t gen, uint64_t m, uint64_t time, const uint8_t *p, size_t n)
{
    uint8_t head[1 + 4 * 10];
    size_t k = 1;
    head[0] = V2R_EVENTS;
    k += bytes_put_varint(head + k, gen);
    k += bytes_put_varint(head + k, m);
    k += bytes_put_varint(head + k, time);
    for (int i = 0; i < 9; i++)
        head[k++] = (uint8_t)((uint64_t)n >> (7 * i) | 0x80);
    head[k++] = 0;
    outlet_put(out, head, k);
    outlet_put(out, p, n);
}

void v2_put_open(struct v2_put *w, struct outlet *out, uint64_t gen, uint64_t m, uint64_t time, uint8_t first)
{
    w->out = out;
    w->gen = gen;
    w->m = m;
    w->time = w->base = time;
    w->n = 0;
    w->first = first;
}

void v2_put_close(struct v2_put *w)
{
    if (w->n)
        v2_put_batch(w->out, w->gen, w->m, w->base, w->buf, w->n);
    w->n = 0;
    w->base = w->time;
}

static void room(struct v2_put *w, size_t n)
{
    if (w->n + n > sizeof w->buf)
        v2_put_close(w);
    if (!w->n && w->first)
        w->buf[w->n++] = w->first;
}

void v2_put_event(struct v2_put *w, uint8_t type, uint64_t time, const uint64_t *arg, unsigned n)
{
    room(w, V2_PUT_EVENT);
    w->n += v2_put_encode(w->buf + w->n, type, time > w->time ? time - w->time : 0, arg, n);
    w->time = time > w->time ? time : w->time;
}

void v2_put_entry(struct v2_put *w, uint8_t type, const uint64_t *arg, unsigned n, const void *p, size_t len)
{
    room(w, V2_PUT_EVENT + len);
    w->buf[w->n++] = type;
    for (unsigned i = 0; i < n; i++)
        w->n += bytes_put_varint(w->buf + w->n, arg[i]);
    if (len)
        memcpy(w->buf + w->n, p, len);
    w->n += len;
}
