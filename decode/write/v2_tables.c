/* v2_tables.c - see v2_tables.h. */
#include "decode/write/v2_tables.h"

#include "decode/base/mem.h"

static bool string_add(struct v2_tables *t, const struct v2_raw_string *s)
{
    if (!s->id || idmap_get(&t->strings, s->id) != IDMAP_NONE)
        return true;
    if (!mem_room(t->string, t->capstring, t->nstring + 1))
        return false;
    t->string[t->nstring] = (struct v2t_string){*s, false};
    t->max_string = s->id > t->max_string ? s->id : t->max_string;
    return idmap_put(&t->strings, s->id, (uint32_t)t->nstring++);
}

static bool stack_add(struct v2_tables *t, const struct v2_raw_stack *s, const uint8_t *end)
{
    if (!s->id || idmap_get(&t->stacks, s->id) != IDMAP_NONE)
        return true;
    if (!mem_room(t->stack, t->capstack, t->nstack + 1))
        return false;
    t->stack[t->nstack] = (struct v2t_stack){*s, end, false};
    return idmap_put(&t->stacks, s->id, (uint32_t)t->nstack++);
}

bool v2_tables_read(struct v2_tables *t, const struct v2_raw_gen *gen)
{
    t->nstring = t->nstack = 0;
    t->max_string = 0;
    idmap_clear(&t->strings);
    idmap_clear(&t->stacks);
    for (size_t i = 0; i < gen->n; i++) {
        const struct v2_raw_batch *b = &gen->batch[i];
        struct v2_raw_string s;
        struct v2_raw_stack k;
        if (b->lead != V2R_EVENTS)
            continue;
        if (b->first == V2R_STRINGS)
            for (const uint8_t *p = b->p + 1; (p = v2_raw_string(p, b->end, &s));)
                if (!string_add(t, &s))
                    return false;
        if (b->first == V2R_STACKS)
            for (const uint8_t *p = b->p + 1; (p = v2_raw_stack(p, b->end, &k));)
                if (!stack_add(t, &k, p))
                    return false;
    }
    return true;
}

uint64_t v2_tables_use_string(struct v2_tables *t, uint64_t id)
{
    uint32_t i = id ? idmap_get(&t->strings, id) : IDMAP_NONE;
    if (i == IDMAP_NONE)
        return 0;
    t->string[i].used = true;
    return id;
}

uint64_t v2_tables_use_stack(struct v2_tables *t, uint64_t id)
{
    uint32_t i = id ? idmap_get(&t->stacks, id) : IDMAP_NONE;
    if (i == IDMAP_NONE)
        return 0;
    t->stack[i].used = true;
    return id;
}

static void stack_put(struct v2_tables *t, struct v2_put *w, const struct v2t_stack *k)
{
    uint8_t buf[V2_RAW_FRAMES * 40];
    size_t n = 0;
    const uint8_t *p = k->s.frames;
    for (uint32_t i = 0; i < k->s.n; i++) {
        uint64_t v[4];
        p = v2_raw_frame(p, k->end, v);
        v[1] = v2_tables_use_string(t, v[1]);
        v[2] = v2_tables_use_string(t, v[2]);
        for (int f = 0; f < 4; f++)
            n += v2_put_varint(buf + n, v[f]);
    }
    v2_put_entry(w, V2R_STACK, (uint64_t[]){k->s.id, k->s.n}, 2, buf, n);
}

void v2_tables_put(struct v2_tables *t, struct v2_put *w, struct outlet *out, uint64_t gen, uint64_t time)
{
    v2_put_open(w, out, gen, V2_RAW_NO_THREAD, time, V2R_STACKS);
    for (size_t i = 0; i < t->nstack; i++)
        if (t->stack[i].used)
            stack_put(t, w, &t->stack[i]);
    v2_put_close(w);
    v2_put_open(w, out, gen, V2_RAW_NO_THREAD, time, V2R_STRINGS);
    for (size_t i = 0; i < t->nstring; i++)
        if (t->string[i].used)
            v2_put_entry(w, V2R_STRING, (uint64_t[]){t->string[i].s.id, t->string[i].s.len}, 2, t->string[i].s.p,
                         t->string[i].s.len);
}

void v2_tables_free(struct v2_tables *t)
{
    mem_free(t->string);
    mem_free(t->stack);
    idmap_free(&t->strings);
    idmap_free(&t->stacks);
    *t = (struct v2_tables){0};
}
