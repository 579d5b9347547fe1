/*
 * v2_put.c - see v2_put.h. Sizes are padded to ten bytes, as the runtime does: readers find batches by
 * that.
 */
#include "decode/write/v2_put.h"

#include <string.h>

#include "decode/base/bytes.h"

size_t v2_put_numbers(uint8_t *p, const uint64_t *v, unsigned n)
{
    size_t k = 0;
    for (unsigned i = 0; i < n; i++)
        k += bytes_put_varint(p + k, v[i]);
    return k;
}

void v2_put_batch(struct outlet *out, const struct v2_raw_batch *b)
{
    uint8_t head[1 + 4 * 10] = {V2R_EVENTS};
    const uint64_t n = (uint64_t)(b->end - b->p);
    size_t k = 1 + v2_put_numbers(head + 1, (uint64_t[]){b->gen, b->m, b->time}, 3);
    for (int i = 0; i < 9; i++)
        head[k++] = (uint8_t)(n >> (7 * i) | 0x80);
    head[k++] = 0;
    outlet_put(out, head, k);
    outlet_put(out, b->p, (size_t)n);
}

void v2_put_open(struct v2_put *w, uint64_t m, uint64_t time, uint8_t first)
{
    w->m = m;
    w->time = time;
    w->n = 0;
    w->first = first;
}

void v2_put_close(struct v2_put *w)
{
    if (w->n)
        v2_put_batch(w->out,
                     &(struct v2_raw_batch){
                         .gen = w->gen, .m = w->m, .time = w->time, .p = w->buf, .end = w->buf + w->n});
    w->n = 0;
}

void v2_put_entry(struct v2_put *w, uint8_t type, const uint64_t *v, unsigned n, const void *p, size_t len)
{
    if (w->n + V2_EVENT_MAX + len > sizeof w->buf)
        v2_put_close(w);
    if (!w->n)
        w->buf[w->n++] = w->first;
    w->buf[w->n++] = type;
    w->n += v2_put_numbers(w->buf + w->n, v, n);
    if (len)
        memcpy(w->buf + w->n, p, len);
    w->n += len;
}
