/*
 * anon_v2.c - see anon.h: the second family.
 *
 * The same batches are written, except for those of strings. Bytes that can't be read could
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
    struct v2_put *put;
    const uint8_t *at; /* what comes before it in the file is written */
};

/* readable - Returns up to where a batch follows the format. A torn one may end within an event. */
static const uint8_t *readable(const struct v2_raw_batch *b)
{
    const uint8_t *p = b->p, *q = p;
    struct v2_raw_ev e;
    struct v2_raw_stack k;
    struct v2_raw_clock c;
    struct err unheard;
    uint64_t v[5];
    if (p == b->end)
        return p;
    switch (b->first) {
    case V2R_FREQ:
    case V2R_SYNC: return v2_raw_clock(b, &c, &unheard) && c.freq ? b->end : p;
    case V2R_STACKS:
        for (p++; p < b->end && (q = v2_raw_stack(p, b->end, &k)); p = q) {
        }
        return p;
    case V2R_SAMPLES:
        for (p++; p < b->end && (q = v2_raw_sample(p, b->end, v)); p = q) {
        }
        return p;
    default:
        for (; p < b->end && (q = v2_raw_ev(p, b->end, &e)); p = q) {
        }
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

static void put_batch(struct gen_anon *w, const struct v2_raw_batch *b)
{
    const uint8_t *good = b->lead == V2R_EVENTS ? readable(b) : NULL;
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

static void put_generation(struct gen_anon *w, struct source *s, const struct v2_gen *gen)
{
    v2_clock_notes(s, gen);
    if (s->st.ndamages && !w->res->damage.code)
        w->res->damage = *source_note(&s->damage, 0);
    w->at = s->data + gen->start;
    for (size_t i = 0; i < gen->nall; i++)
        put_batch(w, &gen->all[i]);
    put_unread(w, s->data + gen->end - gen->marked);
    if (gen->marked)
        outlet_put(w->out, &(uint8_t){V2R_END}, 1);
}

enum err_code anon_v2(const struct rewrite *r, struct anon *a, struct anon_result *res)
{
    struct gen_anon w = {.a = a, .out = r->out, .res = res, .data = r->in->data};
    struct source s = source_of(r->in, r->d.read_as, r->d.header, NULL);
    struct v2_gen gen = {.lists = true};
    size_t pos = r->d.header;
    enum v2_gen_rc rc = V2_GEN;
    if (!(w.put = mem_alloc(sizeof *w.put)))
        return ERR_NOMEM;
    s.grows = true;
    w.put->out = r->out;
    outlet_put(r->out, r->in->data, r->d.header);
    while (rc == V2_GEN && !a->oom && !r->out->broken) {
        const uint32_t known = s.st.ndamages;
        rc = v2_gen_scan(&s, &gen, &pos);
        if (rc == V2_GEN || rc == V2_GEN_LAST)
            put_generation(&w, &s, &gen);
        res->ended = rc == V2_GEN_NONE && s.st.ndamages > known;
    }
    if (res->ended && !res->damage.code)
        res->damage = *source_note(&s.damage, 0);
    v2_gen_free(&gen);
    source_notes_free(&s);
    mem_free(w.put);
    return rc == V2_GEN_OOM ? ERR_NOMEM : ERR_OK;
}
