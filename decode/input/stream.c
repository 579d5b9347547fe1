/*
 * stream.c - see stream.h.
 *
 * Invariants: what of a batch header has come stands in head[] and nowhere else; once the header is complete it goes
 * to its generation, and `payload` counts what still belongs to it. So a piece may end anywhere.
 */
#include "decode/input/stream.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/base/mem.h"

enum { B_EVENTS = 1, B_EXPERIMENTAL = 49, B_END = 52, BATCH_MAX = 65536, END_MARK_SINCE = 1026 };

static enum err_code no_memory(struct err *e)
{
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the generations that are held");
}

static enum err_code gen_put(struct stream *st, const uint8_t *p, size_t n, struct err *e)
{
    struct stream_gen *g = &st->gen[st->ngen - 1];
    if (st->max && g->n + n > st->max)
        return err_set(e, ERR_NOMEM, st->bytes, "generation %" PRIu64 " is larger than %" PRIu64 " bytes", g->number,
                       st->max);
    uint8_t *q = mem_grow(g->p, &g->cap, g->n + n, 1);
    if (!q)
        return no_memory(e);
    memcpy(q + g->n, p, n);
    g->p = q;
    g->n += n;
    return ERR_OK;
}

static enum err_code gen_begin(struct stream *st, uint64_t number, struct err *e)
{
    struct stream_gen *g = mem_grow(st->gen, &st->cap, st->ngen + 1, sizeof *g);
    if (!g)
        return no_memory(e);
    st->gen = g;
    st->gen[st->ngen++] = (struct stream_gen){.number = number, .offset = st->bytes - st->nhead};
    return gen_put(st, st->header, STREAM_HEADER, e);
}

static struct stream_gen *arriving(struct stream *st)
{
    return st->ngen && !st->gen[st->ngen - 1].whole ? &st->gen[st->ngen - 1] : NULL;
}

static enum err_code damage(struct stream *st, enum err_code code, const char *what, uint64_t found, struct err *e)
{
    err_set(&st->damage, code, st->bytes - st->nhead, what, found);
    st->torn = true;
    if (e)
        *e = st->damage;
    return code;
}

/* What of a batch header stands in head[]: 1 it is complete, 0 more is needed, -1 it is none. */
static int head_parse(const struct stream *st, uint64_t *gen, uint64_t *size)
{
    const uint8_t *p = st->head, *end = p + st->nhead;
    uint64_t v[4];
    if (*p != B_EVENTS && *p != B_EXPERIMENTAL)
        return -1;
    p += *p == B_EXPERIMENTAL ? 2 : 1;
    for (int i = 0; i < 4; i++) {
        const uint8_t *q = p < end ? bytes_varint(p, end, &v[i]) : NULL;
        if (!q)
            return p < end && end - p >= 10 ? -1 : 0;
        p = q;
    }
    *gen = v[0];
    *size = v[3];
    return v[3] <= BATCH_MAX ? 1 : -1;
}

/* A batch begins: of the generation that is arriving, or of the next one. */
static enum err_code batch_begin(struct stream *st, uint64_t number, uint64_t size, struct err *e)
{
    struct stream_gen *g = arriving(st);
    if (number == 0)
        return damage(st, ERR_FORMAT, "a batch of generation %" PRIu64, number, e);
    if (g && g->number != number) {
        if (st->dialect.version >= END_MARK_SINCE)
            return damage(st, ERR_FORMAT,
                          "a batch of generation %" PRIu64 " before the end mark of the one that is arriving", number,
                          e);
        g->whole = true;
        g = NULL;
    }
    enum err_code rc = g ? ERR_OK : gen_begin(st, number, e);
    if (!rc)
        rc = gen_put(st, st->head, st->nhead, e);
    st->payload = size;
    st->nhead = 0;
    return rc;
}

/* One byte of a batch header, or an end mark. */
static enum err_code head_put(struct stream *st, uint8_t byte, struct err *e)
{
    uint64_t gen, size;
    if (st->nhead == 0 && byte == B_END && st->dialect.version >= END_MARK_SINCE) {
        struct stream_gen *g = arriving(st);
        enum err_code rc = g ? gen_put(st, &byte, 1, e) : ERR_OK;
        if (g && !rc)
            g->whole = true;
        st->bytes++;
        return rc;
    }
    st->head[st->nhead++] = byte;
    st->bytes++;
    int is = head_parse(st, &gen, &size);
    if (is < 0)
        return damage(st, ERR_FORMAT, "expected a batch here, found a byte %" PRIu64, st->head[0], e);
    return is ? batch_begin(st, gen, size, e) : ERR_OK;
}

/* The file's header: 16 bytes that name the dialect. */
static enum err_code file_header(struct stream *st, const uint8_t **p, size_t *n, struct err *e)
{
    size_t take = STREAM_HEADER - st->nheader < *n ? STREAM_HEADER - st->nheader : *n;
    memcpy(st->header + st->nheader, *p, take);
    st->nheader += take;
    st->bytes += take;
    *p += take;
    *n -= take;
    if (st->nheader < STREAM_HEADER)
        return ERR_OK;
    enum err_code rc = dialect_tell(st->header, STREAM_HEADER, &st->dialect, e);
    if (rc)
        return rc;
    if (!st->dialect.second_family)
        return err_set(e, ERR_ARG, 0,
                       "a trace of %s can only be put in order when it is complete: record it first, then open it",
                       st->dialect.name);
    st->known = true;
    return ERR_OK;
}

enum err_code stream_put(struct stream *st, const uint8_t *p, size_t n, struct err *e)
{
    enum err_code rc = ERR_OK;
    if (st->torn) {
        if (e)
            *e = st->damage;
        return st->damage.code;
    }
    if (!st->known)
        rc = file_header(st, &p, &n, e);
    while (!rc && n && st->known) {
        if (!st->payload) {
            rc = head_put(st, *p++, e);
            n--;
            continue;
        }
        size_t take = st->payload < n ? (size_t)st->payload : n;
        if ((rc = gen_put(st, p, take, e)))
            break;
        st->payload -= take;
        st->bytes += take;
        p += take;
        n -= take;
    }
    return rc;
}

void stream_end(struct stream *st)
{
    struct stream_gen *g = arriving(st);
    if (!g || st->torn)
        return;
    if (!st->payload && !st->nhead && st->dialect.version < END_MARK_SINCE)
        g->whole = true;
    else
        (void)damage(st, ERR_TRUNCATED, "the stream ended within generation %" PRIu64, g->number, NULL);
}

size_t stream_whole(const struct stream *st)
{
    return st->ngen && !st->gen[st->ngen - 1].whole ? st->ngen - 1 : st->ngen;
}

void stream_drop(struct stream *st, size_t n)
{
    if (n > st->ngen)
        n = st->ngen;
    for (size_t i = 0; i < n; i++)
        mem_free(st->gen[i].p);
    if (n)
        memmove(st->gen, st->gen + n, (st->ngen - n) * sizeof *st->gen);
    st->ngen -= n;
}

uint8_t *stream_join(const struct stream *st, size_t i, size_t n, size_t *len)
{
    size_t all = STREAM_HEADER;
    for (size_t k = i; k < i + n; k++)
        all += st->gen[k].n - STREAM_HEADER;
    uint8_t *out = mem_alloc(all), *q = out;
    if (!out)
        return NULL;
    memcpy(q, st->header, STREAM_HEADER);
    q += STREAM_HEADER;
    for (size_t k = i; k < i + n; k++) {
        memcpy(q, st->gen[k].p + STREAM_HEADER, st->gen[k].n - STREAM_HEADER);
        q += st->gen[k].n - STREAM_HEADER;
    }
    *len = all;
    return out;
}

void stream_free(struct stream *st)
{
    stream_drop(st, st->ngen);
    mem_free(st->gen);
    *st = (struct stream){0};
}
