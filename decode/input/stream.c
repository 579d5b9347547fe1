/*
 * stream.c - see stream.h.
 *
 * Invariants: what of a batch header has come stands in head[] and nowhere else; once the header is complete
 * it goes to its generation, and `payload` counts what still belongs to it. So a piece may end anywhere.
 *
 * A batch that says another number than it should stays in the generation that is arriving, which is then
 * broken. A second one in a row that says the same begins a generation, which is broken, too.
 */
#include "decode/input/stream.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/v2/v2_raw.h"

enum {
    HEAD_SIZE = 10,
    HEAD_LEAST = 1 + 3 + HEAD_SIZE,
    LOOKED_AT = 1 + 3 * 10 + HEAD_SIZE
}; /* a batch's header, bytes */

/* Note damage after which the input is still read. */
static void note(struct stream *st, enum err_code code, const char *what, uint64_t found)
{
    if (!st->ndamages++)
        err_set(&st->damage, code, st->bytes - st->nhead, what, found);
}

static enum err_code no_memory(struct err *e)
{
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the generations that are held");
}

/* Drop what has arrived of a generation that is larger than the limit, but for the bytes in which a batch
 * is looked for. */
static void gen_cut(struct stream *st, struct stream_gen *g)
{
    const size_t had = g->n - STREAM_HEADER, lost = had < LOOKED_AT ? had : LOOKED_AT;
    const size_t keep = st->lost ? lost : 0;
    if (!g->cut) {
        note(st, ERR_NOMEM, "a generation is larger than %" PRIu64 " bytes: it is left out", st->max);
        st->ncut++;
    }
    memmove(g->p + STREAM_HEADER, g->p + g->n - keep, keep);
    g->n = STREAM_HEADER + keep;
    g->cut += had - keep;
    st->left += had - keep;
}

static enum err_code gen_put(struct stream *st, const uint8_t *p, size_t n, struct err *e)
{
    struct stream_gen *g = &st->gen[st->ngen - 1];
    if (st->max && g->n + n > st->max && g->n > STREAM_HEADER)
        gen_cut(st, g);
    if (!mem_room(g->p, g->cap, g->n + n))
        return no_memory(e);
    memcpy(g->p + g->n, p, n);
    g->n += n;
    return ERR_OK;
}

static enum err_code gen_begin(struct stream *st, uint64_t number, struct err *e)
{
    if (!mem_room(st->gen, st->cap, st->ngen + 1))
        return no_memory(e);
    st->last = number;
    st->gen[st->ngen++] =
        (struct stream_gen){.number = number, .offset = st->bytes - st->nhead, .lost_before = st->losing};
    st->losing = 0;
    return gen_put(st, st->header, STREAM_HEADER, e);
}

/* The generation has ended. */
static void gen_over(struct stream *st, struct stream_gen *g)
{
    g->whole = true;
    st->held += stream_cost(g);
    st->cuts |= g->cut > 0;
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

/* Drop the generations that were too large and have ended. There is seldom one. */
static void cut_away(struct stream *st)
{
    for (size_t i = st->cuts ? stream_whole(st) : 0; i-- > 0;) {
        const uint64_t rest = st->gen[i].n - STREAM_HEADER;
        if (!st->gen[i].cut)
            continue;
        st->left += rest;
        gen_lose(st, i, st->gen[i].cut + rest);
    }
    st->cuts = false;
}

static struct stream_gen *arriving(struct stream *st)
{
    return st->ngen && !st->gen[st->ngen - 1].whole ? &st->gen[st->ngen - 1] : NULL;
}

/* Set damage that ends the stream. */
static enum err_code damage(struct stream *st, enum err_code code, const char *what, uint64_t found,
                            struct err *e)
{
    err_set(&st->damage, code, st->bytes - st->nhead, what, found);
    st->over = true;
    if (e)
        *e = st->damage;
    return code;
}

/* Parse the batch header in head[]: 1 it is complete, 0 more bytes are needed, -1 it is not a header. */
static int head_parse(const struct stream *st, struct v2_raw_batch *b)
{
    const uint8_t *p = st->head, *end = p + st->nhead, *bad;
    if (*p != V2R_EVENTS && *p != V2R_EXPERIMENTAL)
        return -1;
    if (!v2_raw_head(p, end, b, &bad))
        return end - bad >= 10 ? -1 : 0;
    return b->size <= V2_RAW_BATCH ? 1 : -1;
}

/* Append the bytes in head[] to the arriving generation, whatever they are. */
static enum err_code head_keep(struct stream *st, struct err *e)
{
    enum err_code rc = gen_put(st, st->head, st->nhead, e);
    st->nhead = 0;
    return rc;
}

/* Mark the generation for bytes that can't be understood as broken: the arriving one, or the next if none
 * is arriving. */
static enum err_code broken_begin(struct stream *st, uint64_t number, struct err *e)
{
    enum err_code rc = arriving(st) ? ERR_OK : gen_begin(st, number, e);
    if (!rc)
        arriving(st)->broken = true;
    return rc;
}

/* A batch begins, of the arriving generation or the next one. */
static enum err_code batch_begin(struct stream *st, uint64_t number, uint64_t size, struct err *e)
{
    enum err_code rc = ERR_OK;
    struct stream_gen *g = arriving(st);
    st->payload = size;
    st->lost = 0;
    /* before any batch of it was understood; or its first one has another number than the two behind it */
    if (g && (!g->number || (g->batches == 2 && number && number == st->stray)))
        g->number = st->last = number;
    const bool first = !g && number && (!st->last || number == st->last + 1);
    const bool other = g && g->number != number, next = other && number == g->number + 1;
    const bool again = other && number && number == st->stray;
    st->stray = other ? number : 0;
    if (next && st->dialect.version >= GO_126) {
        note(st, ERR_FORMAT, "generation %" PRIu64 " has no end", g->number);
        g->broken = true;
    } else if ((other && !next) || (!g && !first)) {
        note(st, ERR_FORMAT, "a batch of generation %" PRIu64 " out of its place", number);
    }
    if (next || again)
        gen_over(st, g);
    if (next || again || first)
        rc = gen_begin(st, number, e);
    else if (!g || other)
        rc = broken_begin(st, 0, e);
    if (!rc && again)
        arriving(st)->broken = true;
    if (rc)
        return rc;
    arriving(st)->batches++;
    return head_keep(st, e);
}

/* An end mark. */
static enum err_code mark_put(struct stream *st, struct err *e)
{
    const uint8_t byte = V2R_END;
    struct stream_gen *g = arriving(st);
    enum err_code rc = g ? gen_put(st, &byte, 1, e) : ERR_OK;
    if (g && !rc)
        gen_over(st, g);
    st->bytes++;
    return rc;
}

/* No batch begins here: keep the bytes and look for the next batch in them. */
static enum err_code lose(struct stream *st, struct err *e)
{
    note(st, ERR_FORMAT, "expected a batch here, found a byte %" PRIu64, st->head[0]);
    st->lost = st->nhead;
    enum err_code rc = broken_begin(st, st->last ? st->last + 1 : 0, e);
    return rc ? rc : head_keep(st, e);
}

/* Take one byte of a batch header or an end mark. */
static enum err_code head_put(struct stream *st, uint8_t byte, struct err *e)
{
    struct v2_raw_batch b;
    if (st->nhead == 0 && byte == V2R_END && st->dialect.version >= GO_126)
        return mark_put(st, e);
    st->head[st->nhead++] = byte;
    st->bytes++;
    int is = head_parse(st, &b);
    if (is < 0)
        return lose(st, e);
    return is ? batch_begin(st, b.gen, b.size, e) : ERR_OK;
}

/* The length of a likely batch header (v2_raw_likely()) that ends with the last byte of n, 0 if there is
 * none. */
static size_t header_behind(const uint8_t *p, size_t n, uint64_t last, struct v2_raw_batch *b)
{
    const uint8_t *const end = p + n;
    if (n < HEAD_LEAST || end[-1] >= 0x80 || end[-2] < 0x80) /* the most common case */
        return 0;
    for (size_t len = HEAD_LEAST; len <= LOOKED_AT && len <= n; len++)
        if (v2_raw_likely(end - len, end, last, b) == end && b->size)
            return len;
    return 0;
}

/* Take a byte where none was understood. */
static enum err_code lost_put(struct stream *st, uint8_t byte, struct err *e)
{
    struct stream_gen *g = arriving(st);
    struct v2_raw_batch b;
    enum err_code rc = gen_put(st, &byte, 1, e);
    if (rc)
        return rc;
    st->bytes++;
    size_t len = header_behind(g->p + STREAM_HEADER, g->n - STREAM_HEADER, st->last, &b);
    if (len) {
        memcpy(st->head, g->p + g->n - len, len);
        st->nhead = len;
        g->n -= len;
        return batch_begin(st, b.gen, b.size, e);
    }
    if (++st->lost > STREAM_LOST)
        return damage(st, ERR_FORMAT, "no batch in the last %" PRIu64 " bytes", st->lost, e);
    return ERR_OK;
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
    while (!rc && n && st->known) {
        if (!st->payload) {
            rc = st->lost ? lost_put(st, *p++, e) : head_put(st, *p++, e);
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
    cut_away(st);
    return rc;
}

void stream_end(struct stream *st)
{
    struct stream_gen *g = arriving(st);
    struct err was = st->damage;
    if (!g || st->torn)
        return;
    if (!st->over && !st->payload && !st->nhead && !st->lost && st->dialect.version < GO_126) {
        gen_over(st, g);
        cut_away(st);
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
    (void)head_keep(st, NULL);
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
