/* v1_put.c - see v1_put.h. */
#include "decode/write/v1_put.h"

#include <string.h>

#include "decode/base/mem.h"
#include "decode/write/v2_put.h"

#define BATCH_BYTES 60000 /* a writer's buffers hold 64 KB */
enum { EVENT_MAX = 2 + 10 * V1_VALUES };

bool v1_put_init(struct v1_put *w, struct outlet *out, const struct source *s, struct v1_index *ix)
{
    *w = (struct v1_put){.out = out, .s = s, .ix = ix};
    w->p = mem_zalloc((ix->nproc + 1) * sizeof *w->p);
    return w->p;
}

void v1_put_free(struct v1_put *w)
{
    for (size_t i = 0; w->p && i <= w->ix->nproc; i++)
        mem_free(w->p[i].buf);
    mem_free(w->p);
    idmap_free(&w->strings);
    idmap_free(&w->stacks);
}

/* encode - Encode one event with all its values. The count is in the first byte, or a length follows it. */
static size_t encode(const struct v1_put *w, uint8_t *to, unsigned type, const uint64_t *v, unsigned n)
{
    const unsigned more = n - w->ix->dialect.base;
    const size_t at = more < 3 ? 1 : 2;
    size_t k = at;
    for (unsigned i = 0; i < n; i++)
        k += bytes_put_varint(to + k, v[i]);
    to[0] = (uint8_t)(type | (more < 3 ? more : 3) << 6);
    if (more >= 3)
        to[1] = (uint8_t)(k - at);
    return k;
}

static void batch_close(struct v1_put *w, uint32_t p)
{
    struct v1_out *o = &w->p[p];
    uint8_t head[EVENT_MAX];
    bool seq = w->ix->dialect.version == 1005;
    uint64_t id = p < w->ix->nproc ? (uint64_t)w->ix->proc[p].id : UINT64_MAX;
    uint64_t v[3] = {id, seq ? o->first_seq : o->first, o->first};
    if (!o->n)
        return;
    outlet_put(w->out, head, encode(w, head, V1_BATCH, v, seq ? 3 : 2));
    outlet_put(w->out, o->buf, o->n);
    o->n = 0;
}

/* use - Note that an id is used and return it if the table has it; else return 0. */
static uint64_t use(struct v1_put *w, struct v1_ids *table, struct idmap *used, uint64_t id)
{
    if (!id || !v1_ids_find(table, id))
        return 0;
    w->oom |= !idmap_put(used, id, 1);
    return id;
}

static void use_ids(struct v1_put *w, unsigned type, uint64_t *v, unsigned n)
{
    const char *is = w->ix->dialect.shape[type].is;
    for (unsigned i = 0; i < n; i++)
        if (is[i] == 's')
            v[i] = use(w, &w->ix->strings, &w->strings, v[i]);
        else if (is[i] == 'k' || is[i] == 'f')
            v[i] = use(w, &w->ix->stacks, &w->stacks, v[i]);
}

void v1_put_event(struct v1_put *w, uint32_t p, uint64_t ticks, const struct v1_raw *e)
{
    const struct v1_shape *shape = &w->ix->dialect.shape[e->type];
    if (!shape->name || p > w->ix->nproc)
        return;
    struct v1_out *o = &w->p[p];
    if (o->n + EVENT_MAX + 10 + e->len > BATCH_BYTES)
        batch_close(w, p);
    if (!mem_room(o->buf, o->cap, o->n + EVENT_MAX + 10 + e->len)) {
        w->oom = true;
        return;
    }
    uint64_t seq = w->next_seq++, all[V1_VALUES] = {0};
    if (!o->n) {
        o->first = o->ticks = ticks;
        o->first_seq = o->seq = seq;
    }
    unsigned t = shape->timed;
    all[0] = seq - o->seq;
    all[t - 1] = ticks - o->ticks;
    memcpy(all + t, e->v, (shape->n - t) * sizeof *e->v);
    use_ids(w, e->type, all + t, shape->n - t);
    o->n += encode(w, o->buf + o->n, e->type, all, shape->n);
    if (e->type == V1_LOG) {
        o->n += bytes_put_varint(o->buf + o->n, e->len);
        if (e->len)
            memcpy(o->buf + o->n, e->text, e->len);
        o->n += e->len;
    }
    o->ticks = ticks;
    o->seq = seq;
    w->last = ticks;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static void put_stack(struct v1_put *w, const struct v1_raw *r, const uint8_t *end, uint8_t *buf)
{
    unsigned per = w->ix->dialect.names ? 4 : 1;
    size_t n = bytes_put_varint(buf, r->v[0]);
    n += bytes_put_varint(buf + n, r->len);
    const uint8_t *p = r->text;
    for (uint32_t i = 0; i < r->len * per; i++) {
        uint64_t v = 0;
        p = bytes_varint(p, end, &v);
        if (i % per == 1 || i % per == 2)
            v = use(w, &w->ix->strings, &w->strings, v);
        n += bytes_put_varint(buf + n, v);
    }
    uint8_t head[11] = {V1_STACK | 3 << 6};
    outlet_put(w->out, head, 1 + bytes_put_varint(head + 1, n));
    outlet_put(w->out, buf, n);
}

void v1_put_string(struct outlet *out, uint64_t id, const void *p, size_t len)
{
    uint8_t head[21] = {V1_STRING};
    size_t n = 1 + bytes_put_varint(head + 1, id);
    n += bytes_put_varint(head + n, len);
    outlet_put(out, head, n);
    outlet_put(out, p, len);
}

static void put_frequency(struct v1_put *w, uint64_t ticks_per_second)
{
    uint8_t buf[EVENT_MAX];
    outlet_put(w->out, buf,
               encode(w, buf, V1_FREQUENCY, (uint64_t[]){ticks_per_second, 0},
                      w->ix->dialect.shape[V1_FREQUENCY].n));
}

/* From 1.11 on tables have their own batch; from 1.21 on it has the tick rate too. */
static void put_table_batch(struct v1_put *w)
{
    uint8_t buf[EVENT_MAX];
    outlet_put(w->out, buf, encode(w, buf, V1_BATCH, (uint64_t[]){0, w->last}, 2));
}

/* put_used - Write the used entries of a table, by id. Stacks need a buffer. */
static void put_used(struct v1_put *w, struct v1_ids *table, const struct idmap *used, uint8_t *buf)
{
    const uint8_t *const data = w->s->data;
    for (uint64_t i = 0; i < (table->dense ? table->ndense : table->n); i++) {
        const uint64_t id = table->dense ? i : table->e[i].id;
        const uint64_t *off = idmap_get(used, id) == IDMAP_NONE ? NULL : v1_ids_find(table, id);
        const uint8_t *end = off ? data + *off : NULL;
        const char *why;
        struct v1_raw r;
        if (!off || v1_read(&w->ix->dialect, &end, data + w->s->len, &r, &why) != V1_READ_OK)
            continue;
        if (buf)
            put_stack(w, &r, end, buf);
        else
            v1_put_string(w->out, id, r.text, r.len);
    }
}

void v1_put_tables(struct v1_put *w, uint64_t ticks_per_second)
{
    int version = w->ix->dialect.version;
    for (uint32_t i = 0; i <= w->ix->nproc; i++)
        batch_close(w, i);
    if (version >= 1021)
        put_table_batch(w);
    if (version >= 1007)
        put_frequency(w, ticks_per_second);
    if (version >= 1011 && version < 1021)
        put_table_batch(w);
    uint8_t *buf = mem_alloc(20 + V1_FRAMES_MAX * 40);
    w->oom |= !buf;
    if (buf)
        put_used(w, &w->ix->stacks, &w->stacks, buf);
    put_used(w, &w->ix->strings, &w->strings, NULL);
    if (version < 1007)
        put_frequency(w, ticks_per_second);
    mem_free(buf);
}
