/*
 * anon_v2.c - see anon.h: the second family.
 *
 * Generation by generation: first what each string is used as, by stacks and events, then the same batches again, of
 * which only those of strings are others. A batch is only written if all of it is what the format says: bytes that can't
 * be read could hold anything. Batches of experiments are such and are left out.
 */
#include <string.h>

#include "decode/write/anon.h"
#include "decode/base/mem.h"
#include "decode/write/v2_tables.h"

struct gen_anon {
    struct anon *a;
    struct outlet *out;
    struct anon_result *res;
    const uint8_t *data;
    struct v2_tables t;
    struct anon_str *s; /* by index of the table */
    size_t cap;
    struct v2_put *put;
};

static void role(struct gen_anon *w, uint64_t id, enum anon_role r, uint64_t function)
{
    uint32_t i = id ? idmap_get(&w->t.strings, id) : IDMAP_NONE,
             f = function ? idmap_get(&w->t.strings, function) : IDMAP_NONE;
    if (i == IDMAP_NONE)
        return;
    if (r < w->s[i].role)
        w->s[i].role = (uint8_t)r;
    if (r == ANON_FILE && f != IDMAP_NONE && !w->s[i].of)
        w->s[i].of = &w->s[f];
}

static void stack_roles(struct gen_anon *w)
{
    for (size_t i = 0; i < w->t.nstack; i++) {
        const uint8_t *p = w->t.stack[i].s.frames;
        uint64_t v[4];
        for (uint32_t k = 0; k < w->t.stack[i].s.n; k++) {
            p = v2_raw_frame(p, w->t.stack[i].end, v);
            role(w, v[1], ANON_FUNC, 0);
            role(w, v[2], ANON_FILE, v[1]);
        }
    }
}

static void event_roles(struct gen_anon *w, const struct v2_raw_ev *e)
{
    switch (v2_means(e->type)) {
    case V2_MEANS_go_stop:
    case V2_MEANS_go_block:
    case V2_MEANS_stw_begin: role(w, e->arg[0], ANON_REASON, 0); break;
    case V2_MEANS_go_label: role(w, e->arg[0], ANON_LABEL, 0); break;
    case V2_MEANS_task_begin: role(w, e->arg[2], ANON_TASK, 0); break;
    case V2_MEANS_region_begin:
    case V2_MEANS_region_end: role(w, e->arg[1], ANON_REGION, 0); break;
    case V2_MEANS_user_log:
        role(w, e->arg[1], ANON_KEY, 0);
        role(w, e->arg[2], ANON_LOG, 0);
        break;
    default: break;
    }
}

/* ---- what may be written ---------------------------------------------------------------------------------- */

/* readable - up to where a batch is what the format says. A torn one may end within an event. */
static const uint8_t *readable(struct gen_anon *w, const struct v2_raw_batch *b)
{
    const uint8_t *p = b->p, *q = p;
    struct v2_raw_ev e;
    struct v2_raw_stack k;
    struct v2_raw_clock c;
    uint64_t v[5];
    if (p == b->end)
        return p;
    switch (b->first) {
    case V2R_FREQ:
    case V2R_SYNC: return v2_raw_clock(b, &c) ? b->end : p;
    case V2R_STACKS:
        for (q = ++p; q && q < b->end; p = q ? q : p)
            q = v2_raw_stack(q, b->end, &k);
        return p;
    case V2R_SAMPLES:
        for (q = ++p; q && q < b->end; p = q ? q : p)
            q = v2_raw_sample(q, b->end, v);
        return p;
    default:
        while (q && q < b->end) {
            if ((q = v2_raw_ev(q, b->end, &e))) {
                event_roles(w, &e);
                p = q;
            }
        }
        return p;
    }
}

static bool put_strings(struct gen_anon *w, const struct v2_raw_batch *b)
{
    struct v2_raw_string s;
    const uint8_t *p = b->p + 1, *q;
    char name[ANON_MAX];
    v2_put_open(w->put, w->out, b->gen, b->m, b->time, V2R_STRINGS);
    for (; p < b->end && (q = v2_raw_string(p, b->end, &s)); p = q) {
        uint32_t i = idmap_get(&w->t.strings, s.id);
        struct anon_str none = {s.p, s.len, ANON_OTHER, NULL};
        size_t n = anon_name(w->a, i == IDMAP_NONE ? &none : &w->s[i], name);
        n = n > V2_RAW_STRING ? V2_RAW_STRING : n;
        v2_put_entry(w->put, V2R_STRING, (uint64_t[]){s.id, n}, 2, name, n);
    }
    v2_put_close(w->put);
    return p == b->end;
}

static void damaged(struct gen_anon *w, const uint8_t *at)
{
    if (!w->res->damage.code)
        err_set(&w->res->damage, ERR_FORMAT, (uint64_t)(at - w->data), "this can't be read");
}

/* put_batch - false: nothing behind it is to be written. */
static bool put_batch(struct gen_anon *w, const struct v2_raw_batch *b, const uint8_t *good)
{
    if (b->lead == V2R_EXPERIMENTAL) {
        w->res->dropped++;
        return true;
    }
    if (b->first == V2R_STRINGS) {
        bool whole = put_strings(w, b);
        if (!whole && !b->torn)
            damaged(w, b->p);
        return whole;
    }
    if (good == b->end) {
        outlet_put(w->out, b->at, (size_t)(b->end - b->at));
        return true;
    }
    if (!b->torn)
        damaged(w, good);
    v2_put_batch(w->out, b->gen, b->m, b->time, b->p, (size_t)(good - b->p));
    return false;
}

static bool generation(struct gen_anon *w, const struct v2_raw_gen *gen, bool *over)
{
    const uint8_t **good = mem_alloc((gen->n + 1) * sizeof *good);
    if (!good || !v2_tables_read(&w->t, gen) || !mem_room(w->s, w->cap, w->t.nstring + 1)) {
        mem_free(good);
        return false;
    }
    for (size_t i = 0; i < w->t.nstring; i++)
        w->s[i] = (struct anon_str){w->t.string[i].s.p, w->t.string[i].s.len, ANON_OTHER, NULL};
    for (size_t i = 0; i < gen->n; i++)
        good[i] = gen->batch[i].lead == V2R_EVENTS && gen->batch[i].first != V2R_STRINGS ? readable(w, &gen->batch[i])
                                                                                         : NULL;
    stack_roles(w);
    for (size_t i = 0; i < gen->n && !*over; i++)
        *over = !put_batch(w, &gen->batch[i], good[i]);
    if (gen->marked && !*over)
        outlet_put(w->out, &(uint8_t){V2R_END}, 1);
    mem_free(good);
    if (gen->damage.code && !w->res->damage.code)
        w->res->damage = gen->damage;
    *over |= gen->damage.code != 0;
    return true;
}

enum err_code anon_v2(const struct input *in, const struct dialect *d, struct anon *a, struct outlet *out,
                      struct anon_result *res, struct err *e)
{
    struct gen_anon w = {.a = a, .out = out, .res = res, .data = in->data};
    struct v2_raw_gen gen = {0};
    size_t pos = d->header;
    bool over = false, ok = true;
    w.put = mem_alloc(sizeof *w.put);
    outlet_put(out, in->data, d->header);
    ok = w.put;
    while (ok && !over && !a->oom && !out->broken && v2_raw_gen(in->data, in->len, d->read_as, &pos, &gen, e))
        ok = generation(&w, &gen, &over);
    if (ok && !over && e->code && e->code != ERR_NOMEM && !res->damage.code)
        res->damage = *e;
    ok = ok && e->code != ERR_NOMEM;
    v2_raw_gen_free(&gen);
    v2_tables_free(&w.t);
    mem_free(w.s);
    mem_free(w.put);
    return ok ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for a generation");
}
