/*
 * stream.c - see stream.h.
 *
 * What arrives stands in the generation that is arriving, up to `at` understood. So a piece may end anywhere:
 * what is not understood yet is looked at once more when more has come. Where a generation ends, what stands
 * behind its end begins the next one.
 *
 * A batch that says another number than it should stays in the generation that is arriving, which is then
 * broken. A second one in a row that says the same begins a generation, which is broken, too.
 */
#include "decode/input/stream.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/v2/v2_raw.h"

enum { HEAD_MOST = 2 + 3 * 10 + 10 }; /* a batch's header, bytes */

static struct stream_gen *arriving(struct stream *st)
{
    return st->ngen && !st->gen[st->ngen - 1].whole ? &st->gen[st->ngen - 1] : NULL;
}

/* Note damage after which the input is still read, at the place up to which it is understood. */
static void note_damage(struct stream *st, enum err_code code, const char *what, uint64_t found)
{
    if (!st->ndamages++)
        err_set(&st->damage, code, st->bytes - (arriving(st)->n - st->at), what, found);
}

/* Set damage that ends the stream. */
static enum err_code damage(struct stream *st, enum err_code code, const char *what, uint64_t found,
                            struct err *e)
{
    err_set(&st->damage, code, st->bytes - (arriving(st)->n - st->at), what, found);
    st->over = true;
    if (e)
        *e = st->damage;
    return code;
}

/* Drop what is understood of a generation that is larger than the limit. */
static void gen_cut(struct stream *st)
{
    struct stream_gen *g = arriving(st);
    const size_t gone = st->at - STREAM_HEADER;
    if (!st->max || st->at <= st->max)
        return;
    if (!g->cut) {
        note_damage(st, ERR_NOMEM, "a generation is larger than %" PRIu64 " bytes: it is left out", st->max);
        st->ncut++;
    }
    memmove(g->p + STREAM_HEADER, g->p + st->at, g->n - st->at);
    st->at = STREAM_HEADER;
    g->n -= gone;
    g->cut += gone;
    st->left += gone;
}

static enum err_code gen_put(struct stream *st, const uint8_t *p, size_t n, struct err *e)
{
    struct stream_gen *g = arriving(st);
    if (!mem_room(g->p, g->cap, g->n + n))
        return err_nomem(e);
    memcpy(g->p + g->n, p, n);
    g->n += n;
    return ERR_OK;
}

/* The next n bytes, which are the last ones that came, are behind a generation's end: they begin the next
 * one, but for end marks of none. */
static enum err_code gen_begin(struct stream *st, const uint8_t *p, size_t n, struct err *e)
{
    for (; n && *p == V2R_END && st->dialect.version >= GO_126; n--)
        p++;
    if (!n)
        return ERR_OK;
    const struct stream_gen g = {.offset = st->bytes - n, .lost_before = st->losing};
    if (!mem_add(st->gen, st->cap, st->ngen, g))
        return err_nomem(e);
    st->losing = 0;
    st->at = STREAM_HEADER;
    const enum err_code rc = gen_put(st, st->header, STREAM_HEADER, e);
    return rc ? rc : gen_put(st, p, n, e);
}

/* Drop whole generation i; the one after it counts n bytes as lost. */
static void gen_lose(struct stream *st, size_t i, uint64_t n)
{
    const uint64_t lost = st->gen[i].lost_before + n;
    st->held -= stream_cost(&st->gen[i]);
    mem_free(st->gen[i].p);
    memmove(st->gen + i, st->gen + i + 1, (st->ngen - i - 1) * sizeof *st->gen);
    st->ngen--;
    if (i < st->ngen)
        st->gen[i].lost_before += lost;
    else
        st->losing += lost;
}

/* End the generation where it is understood up to. It goes if it was too large. */
static enum err_code gen_over(struct stream *st, struct err *e)
{
    struct stream_gen *g = arriving(st);
    uint8_t tail[2 * HEAD_MOST];
    gen_cut(st);
    const size_t n = g->n - st->at, rest = st->at - STREAM_HEADER;
    memcpy(tail, g->p + st->at, n);
    g->n = st->at;
    g->whole = true;
    st->held += stream_cost(g);
    if (g->cut) {
        st->left += rest;
        gen_lose(st, st->ngen - 1, g->cut + rest);
    }
    return gen_begin(st, tail, n, e);
}

/* Whether a batch of this generation begins the arriving one, or belongs to it; else that, or the next one,
 * is broken. */
static enum err_code batch_of(struct stream *st, uint64_t number, struct err *e)
{
    struct stream_gen *g = arriving(st);
    const bool fresh = st->at == STREAM_HEADER && !g->cut;
    /* No batch of it was understood before, or its first one has another number than the two behind it. */
    if (!fresh && (!g->number || (g->batches == 2 && number && number == st->stray)))
        g->number = st->last = number;
    const bool first = fresh && number && (!st->last || number == st->last + 1);
    const bool other = !fresh && g->number != number, next = other && number == g->number + 1;
    const bool again = other && number && number == st->stray;
    enum err_code rc = ERR_OK;
    st->stray = other ? number : 0;
    if (next && st->dialect.version >= GO_126) {
        note_damage(st, ERR_FORMAT, "generation %" PRIu64 " has no end", g->number);
        g->broken = true;
    } else if ((other && !next) || (fresh && !first)) {
        note_damage(st, ERR_FORMAT, "a batch of generation %" PRIu64 " out of its place", number);
    }
    if (next || again)
        rc = gen_over(st, e);
    if (rc)
        return rc;
    g = arriving(st);
    if (fresh || next || again)
        g->number = st->last = fresh && !first ? 0 : number;
    g->broken |= again || (fresh && !first) || (other && !next);
    g->batches++;
    return ERR_OK;
}

/* Look for the next batch, since none begins here. */
static void lose_place(struct stream *st)
{
    struct stream_gen *g = arriving(st);
    note_damage(st, ERR_FORMAT, "expected a batch here, found a byte %" PRIu64, g->p[st->at]);
    if (st->at == STREAM_HEADER && !g->cut)
        g->number = st->last = st->last ? st->last + 1 : 0;
    g->broken = true;
    st->lost = 1;
    st->at++;
}

/* Understand the next batch's header or end mark, or pass over a byte where none is. *more: nothing can be
 * said before more has come. */
static enum err_code batch_step(struct stream *st, bool *more, struct err *e)
{
    const struct stream_gen *g = arriving(st);
    const uint8_t *const p = g->p + st->at, *const end = g->p + g->n, *next, *bad = p;
    struct v2_raw_batch b = {0};
    const bool head = *p == V2R_EVENTS || *p == V2R_EXPERIMENTAL;
    if (*p == V2R_END && st->dialect.version >= GO_126 && !st->lost) {
        st->at++;
        return gen_over(st, e);
    }
    next = head ? v2_raw_head(p, end, &b, &bad) : NULL;
    *more = head && !next && end - bad < 10;
    if (*more)
        return ERR_OK;
    if (next && (st->lost ? v2_raw_likely(p, end, st->last, &b) && b.size : b.size <= V2_RAW_BATCH)) {
        const enum err_code rc = batch_of(st, b.gen, e);
        st->lost = 0;
        st->at += (size_t)(next - p);
        st->payload = b.size;
        return rc;
    }
    if (!st->lost) {
        lose_place(st);
        return ERR_OK;
    }
    st->at++;
    return ++st->lost > STREAM_LOST
               ? damage(st, ERR_FORMAT, "no batch in the last %" PRIu64 " bytes", st->lost, e)
               : ERR_OK;
}

/* Take n more bytes: some of the batch's payload, or at most HEAD_MOST. */
static enum err_code piece_put(struct stream *st, const uint8_t *p, size_t n, struct err *e)
{
    st->bytes += n;
    enum err_code rc = arriving(st) ? gen_put(st, p, n, e) : gen_begin(st, p, n, e);
    const struct stream_gen *g;
    for (bool more = false; !rc && !more && (g = arriving(st)) && st->at < g->n;) {
        const size_t left = g->n - st->at, take = st->payload < left ? (size_t)st->payload : left;
        st->at += take;
        st->payload -= take;
        if (!take)
            rc = batch_step(st, &more, e);
    }
    if (!rc && arriving(st))
        gen_cut(st);
    return rc;
}

/* Take the file's header: 16 bytes that name the dialect. */
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
        return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                       "a trace of %s can only be put in order when it is complete: `gotop record` it first, "
                       "then open the file",
                       st->dialect.name);
    st->known = true;
    return ERR_OK;
}

enum err_code stream_put(struct stream *st, const uint8_t *p, size_t n, struct err *e)
{
    enum err_code rc = ERR_OK;
    if (st->over) {
        if (e)
            *e = st->damage;
        return st->damage.code;
    }
    if (!st->known)
        rc = file_header(st, &p, &n, e);
    for (size_t some; !rc && n && st->known; p += some, n -= some) {
        const uint64_t most = st->payload ? st->payload : HEAD_MOST;
        some = n < most ? n : (size_t)most;
        rc = piece_put(st, p, some, e);
    }
    return rc;
}

void stream_end(struct stream *st)
{
    struct stream_gen *g = arriving(st);
    struct err was = st->damage;
    if (!g || st->torn)
        return;
    if (!st->over && !st->payload && st->at == g->n && !st->lost && st->dialect.version < GO_126) {
        (void)gen_over(st, NULL); /* nothing stands behind it */
        return;
    }
    st->torn = g->broken = true;
    st->left += g->cut ? g->n - STREAM_HEADER : 0;
    if (!st->over)
        (void)damage(st, ERR_TRUNCATED,
                     g->number ? "the stream ended within generation %" PRIu64
                               : "the stream ended before a first batch (generation %" PRIu64 ")",
                     g->number, NULL);
    if (st->ndamages)
        st->damage = was;
}

const struct stream_gen *stream_rest(const struct stream *st)
{
    const struct stream_gen *g = st->torn && st->ngen ? &st->gen[st->ngen - 1] : NULL;
    return g && !g->whole && !g->cut ? g : NULL;
}

size_t stream_whole(const struct stream *st)
{
    return st->ngen && !st->gen[st->ngen - 1].whole ? st->ngen - 1 : st->ngen;
}

void stream_drop(struct stream *st, size_t n)
{
    if (n > st->ngen)
        n = st->ngen;
    for (size_t i = 0; i < n; i++) {
        st->held -= st->gen[i].whole ? stream_cost(&st->gen[i]) : 0;
        mem_free(st->gen[i].p);
    }
    if (n)
        memmove(st->gen, st->gen + n, (st->ngen - n) * sizeof *st->gen);
    st->ngen -= n;
}

size_t stream_lose(struct stream *st)
{
    const size_t i = stream_whole(st), n = i ? st->gen[i - 1].n - STREAM_HEADER : 0;
    if (!i)
        return 0;
    st->left += n;
    gen_lose(st, i - 1, n);
    return n;
}

bool stream_hand(struct stream *from, struct stream *to)
{
    const size_t n = stream_whole(from);
    if (n && !mem_room(to->gen, to->cap, to->ngen + n))
        return false;
    if (n) {
        memcpy(to->gen + to->ngen, from->gen, n * sizeof *to->gen);
        to->ngen += n;
        memmove(from->gen, from->gen + n, (from->ngen - n) * sizeof *from->gen);
        from->ngen -= n;
        to->held += from->held;
        from->held = 0;
    }
    to->dialect = from->dialect;
    to->known = from->known;
    to->nheader = from->nheader;
    memcpy(to->header, from->header, sizeof to->header);
    return true;
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
