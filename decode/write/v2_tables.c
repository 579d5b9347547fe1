/* v2_tables.c - see v2_tables.h. */
#include "decode/write/v2_tables.h"

static bool add(struct v2_table *t, struct v2_entry x)
{
    if (!x.id || idmap_get(&t->at, x.id) != IDMAP_NONE)
        return true;
    if (!mem_room(t->e, t->cap, t->n + 1))
        return false;
    t->e[t->n] = x;
    return idmap_put(&t->at, x.id, (uint32_t)t->n++);
}

bool v2_tables_read(struct v2_tables *t, const struct v2_raw_gen *gen)
{
    struct v2_raw_string s;
    struct v2_raw_stack k;
    for (size_t i = 0; i < gen->n; i++) {
        const struct v2_raw_batch *b = &gen->batch[i];
        const uint8_t *p = b->p;
        if (v2_raw_holds(b, V2R_STRINGS))
            for (p++; (p = v2_raw_string(p, b->end, &s)); t->max_string = s.id > t->max_string ? s.id : t->max_string)
                if (!add(&t->strings, (struct v2_entry){s.id, s.p, s.p + s.len, s.len, false}))
                    return false;
        if (v2_raw_holds(b, V2R_STACKS))
            for (p++; (p = v2_raw_stack(p, b->end, &k));)
                if (!add(&t->stacks, (struct v2_entry){k.id, k.frames, b->end, k.n, false}))
                    return false;
    }
    return true;
}

uint64_t v2_table_use(struct v2_table *t, uint64_t id)
{
    const uint32_t i = id ? idmap_get(&t->at, id) : IDMAP_NONE;
    if (i == IDMAP_NONE)
        return 0;
    t->e[i].used = true;
    return id;
}

static void stack_put(struct v2_tables *t, struct v2_put *w, const struct v2_entry *k)
{
    uint8_t buf[V2_RAW_FRAMES * 40];
    size_t n = 0;
    const uint8_t *p = k->p;
    for (uint32_t i = 0; i < k->n; i++) {
        uint64_t v[4];
        p = v2_raw_frame(p, k->end, v);
        v[1] = v2_table_use(&t->strings, v[1]);
        v[2] = v2_table_use(&t->strings, v[2]);
        for (int f = 0; f < 4; f++)
            n += bytes_put_varint(buf + n, v[f]);
    }
    v2_put_stack(w, k->id, k->n, buf, n);
}

void v2_tables_put(struct v2_tables *t, struct v2_put *w, uint64_t time)
{
    v2_put_open(w, V2_NO_THREAD, time, V2R_STACKS);
    for (size_t i = 0; i < t->stacks.n; i++)
        if (t->stacks.e[i].used)
            stack_put(t, w, &t->stacks.e[i]);
    v2_put_close(w);
    v2_put_open(w, V2_NO_THREAD, time, V2R_STRINGS);
    for (size_t i = 0; i < t->strings.n; i++) {
        const struct v2_entry *s = &t->strings.e[i];
        if (s->used)
            v2_put_string(w, s->id, s->p, s->n);
    }
}

void v2_tables_free(struct v2_tables *t)
{
    mem_free(t->strings.e);
    mem_free(t->stacks.e);
    idmap_free(&t->strings.at);
    idmap_free(&t->stacks.at);
    *t = (struct v2_tables){0};
}
