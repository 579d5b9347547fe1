/*
 * anon_v2.c - see anon.h: the second family.
 *
 * Two passes over all generations: the first finds the use of each string, by stacks and events, in any of
 * them; the second writes the same batches, except for those of strings. Bytes that can't be read could
 * hold anything, so zeros replace them: what follows is where a reader expects it, and what is missing is
 * missing in the copy too. Batches of experiments are left out.
 */
#include <string.h>

#include "decode/write/anon.h"
#include "decode/base/mem.h"
#include "decode/write/v2_put.h"

struct gen_anon {
    struct anon *a;
    struct outlet *out;
    struct anon_result *res;
    const uint8_t *data;
    struct anon_table t; /* of this generation */
    struct v2_put *put;
    const uint8_t *at; /* what comes before it in the file is written */
};

static void event_roles(struct gen_anon *w, const struct v2_raw_ev *e)
{
    switch (v2_means(e->type)) {
    case V2_MEANS_go_stop:
    case V2_MEANS_go_block:
    case V2_MEANS_stw_begin: anon_role(&w->t, e->arg[0], ANON_REASON); break;
    case V2_MEANS_go_label: anon_role(&w->t, e->arg[0], ANON_LABEL); break;
    case V2_MEANS_task_begin: anon_role(&w->t, e->arg[2], ANON_TASK); break;
    case V2_MEANS_region_begin:
    case V2_MEANS_region_end: anon_role(&w->t, e->arg[1], ANON_REGION); break;
    case V2_MEANS_user_log:
        anon_role(&w->t, e->arg[1], ANON_KEY);
        anon_role(&w->t, e->arg[2], ANON_LOG);
        break;
    default: break;
    }
}

/* ---- what may be written ------------------------------------------------------------------------------- */

static void stack_roles(struct gen_anon *w, const struct v2_raw_stack *k, const uint8_t *end)
{
    const uint8_t *p = k->frames;
    uint64_t v[4];
    for (uint32_t i = 0; i < k->n; i++) {
        p = v2_raw_frame(p, end, v);
        anon_frame(&w->t, v);
    }
}

/* readable - Returns up to where a batch follows the format; notes the uses of strings. A torn one may end
 * within an event. */
static const uint8_t *readable(struct gen_anon *w, const struct v2_raw_batch *b)
{
    const uint8_t *p = b->p, *q = p;
    struct v2_raw_ev e;
    struct v2_raw_string s;
    struct v2_raw_stack k;
    struct v2_raw_clock c;
    struct err unheard;
    uint64_t v[5];
    if (p == b->end)
        return p;
    switch (b->first) {
    case V2R_FREQ:
    case V2R_SYNC: return v2_raw_clock(b, &c, &unheard) && c.freq ? b->end : p;
    case V2R_STRINGS:
        for (p++; p < b->end && (q = v2_raw_string(p, b->end, &s)); p = q)
            anon_text(&w->t, s.id, s.p, s.len);
        return p;
    case V2R_STACKS:
        for (p++; p < b->end && (q = v2_raw_stack(p, b->end, &k)); p = q)
            stack_roles(w, &k, q);
        return p;
    case V2R_SAMPLES:
        for (p++; p < b->end && (q = v2_raw_sample(p, b->end, v)); p = q) {
        }
        return p;
    default:
        for (; p < b->end && (q = v2_raw_ev(p, b->end, &e)); p = q)
            event_roles(w, &e);
        return p;
    }
}

static bool put_strings(struct gen_anon *w, const struct v2_raw_batch *b)
{
    struct v2_raw_string s;
    const uint8_t *p = b->p + 1, *q;
    char name[ANON_MAX];
    w->put->gen = b->gen;
    v2_put_open(w->put, b->m, b->time, V2R_STRINGS);
    for (; p < b->end && (q = v2_raw_string(p, b->end, &s)); p = q) {
        size_t n = anon_name(w->a, s.p, s.len, name);
        v2_put_string(w->put, s.id, name, n > V2_RAW_STRING ? V2_RAW_STRING : n);
    }
    v2_put_close(w->put);
    return p == b->end;
}

static void damaged(struct gen_anon *w, const uint8_t *at)
{
    if (!w->res->damage.code)
        err_set(&w->res->damage, ERR_FORMAT, (uint64_t)(at - w->data), "this can't be read");
}

/* put_unread - Write bytes up to `end` that no reader accepts: an end mark among batches, or bytes that are
 * no batch. */
static void put_unread(struct gen_anon *w, const uint8_t *end)
{
    static const uint8_t zeros[4096];
    if (end > w->at)
        damaged(w, w->at);
    if (end == w->at + 1 && *w->at == V2R_END)
        outlet_put(w->out, w->at++, 1);
    for (size_t n; w->at < end; w->at += n) {
        n = (size_t)(end - w->at) < sizeof zeros ? (size_t)(end - w->at) : sizeof zeros;
        outlet_put(w->out, zeros, n);
    }
}

static void put_batch(struct gen_anon *w, const struct v2_raw_batch *b, const uint8_t *good)
{
    put_unread(w, b->at);
    w->at = b->end;
    if (b->lead == V2R_EXPERIMENTAL) {
        w->res->dropped++;
    } else if (b->first == V2R_STRINGS) {
        if (!put_strings(w, b) && !b->torn)
            damaged(w, b->p);
    } else if (good == b->end || !b->torn) {
        outlet_put(w->out, b->at, (size_t)(good - b->at));
        w->at = good;
        put_unread(w, b->end);
    } else {
        struct v2_raw_batch part = *b;
        part.end = good;
        v2_put_batch(w->out, &part);
    }
}

/* Note the uses of its strings. Returns false if out of memory. */
static bool note_uses(struct gen_anon *w, const struct v2_raw_gen *gen)
{
    anon_table_clear(&w->t);
    for (size_t i = 0; i < gen->n; i++)
        if (gen->batch[i].lead == V2R_EVENTS)
            (void)readable(w, &gen->batch[i]);
    anon_note(w->a, &w->t);
    return !w->t.oom && !w->a->oom;
}

static bool put_generation(struct gen_anon *w, const struct v2_raw_gen *gen)
{
    const uint8_t **good = mem_alloc((gen->n + 1) * sizeof *good);
    if (!good)
        return false;
    anon_table_clear(&w->t);
    for (size_t i = 0; i < gen->n; i++)
        good[i] = gen->batch[i].lead == V2R_EVENTS ? readable(w, &gen->batch[i]) : NULL;
    if (w->t.oom) {
        mem_free(good);
        return false;
    }
    if (gen->damage.code && !w->res->damage.code)
        w->res->damage = gen->damage;
    w->at = gen->start;
    for (size_t i = 0; i < gen->n; i++)
        put_batch(w, &gen->batch[i], good[i]);
    put_unread(w, gen->end - gen->marked);
    if (gen->marked)
        outlet_put(w->out, &(uint8_t){V2R_END}, 1);
    mem_free(good);
    return true;
}

/* Call fn for each generation. Returns false if out of memory. *e says why there is no further one. */
static bool each(struct gen_anon *w, const struct rewrite *r, struct err *e,
                 bool (*fn)(struct gen_anon *, const struct v2_raw_gen *))
{
    struct v2_raw_gen gen = {0};
    const struct v2_file file = {r->in->data, r->in->len, r->d.read_as};
    size_t pos = r->d.header;
    bool ok = true;
    *e = (struct err){0};
    while (ok && !w->a->oom && !r->out->broken && v2_raw_gen(&file, &pos, &gen, e))
        ok = fn(w, &gen);
    v2_raw_gen_free(&gen);
    return ok && e->code != ERR_NOMEM;
}

enum err_code anon_v2(const struct rewrite *r, struct anon *a, struct anon_result *res, struct err *e)
{
    struct gen_anon w = {.a = a, .out = r->out, .res = res, .data = r->in->data};
    bool ok = (w.put = mem_alloc(sizeof *w.put)) != NULL;
    if (ok)
        w.put->out = r->out;
    ok = ok && each(&w, r, e, note_uses);
    outlet_put(r->out, r->in->data, r->d.header);
    ok = ok && each(&w, r, e, put_generation);
    res->ended = ok && e->code;
    if (res->ended && !res->damage.code)
        res->damage = *e;
    anon_table_free(&w.t);
    mem_free(w.put);
    return ok ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for a generation");
}
