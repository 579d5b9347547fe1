/* unpack.c - see unpack.h. */
#include "decode/input/unpack.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "decode/input/dialect.h"
#include "decode/base/mem.h"
#include "decode/base/spill.h"
#include "decode/v1/v1_wire.h"
#include "decode/v2/v2_raw.h"

#define STEP ((size_t)1 << 18) /* at most so much comes out before we look */
#define REST ((size_t)4 << 20) /* after so much pages of the temporary file may go */
#define HEADER 16

static const uint8_t zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd}, zstd_skip[3] = {0x2a, 0x4d, 0x18};

static bool is_gzip(const uint8_t *p, size_t n)
{
    return n >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

/* A frame to skip may come first: pzstd writes one before each frame, to say how long that is. */
static bool is_zstd(const uint8_t *p, size_t n)
{
    return n >= 4 && (!memcmp(p, zstd_magic, 4) || ((p[0] & 0xf0) == 0x50 && !memcmp(p + 1, zstd_skip, 3)));
}

bool unpack_packed(const uint8_t *p, size_t n)
{
    return is_gzip(p, n) || is_zstd(p, n);
}

/* ---- in -------------------------------------------------------------------------------------------------- */

/* Behind what is at hand, which then stands at the buffer's beginning. */
static ssize_t intake_append(struct intake *f)
{
    if (f->n)
        memmove(f->buf, f->p, f->n);
    f->p = f->buf;
    ssize_t got;
    do
        got = read(f->fd, f->buf + f->n, INTAKE_BYTES - f->n);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        f->n += (size_t)got;
        f->taken += (uint64_t)got;
    }
    return got;
}

static bool intake_append_or_end(struct intake *f, struct err *e)
{
    ssize_t got = f->fd < 0 ? 0 : intake_append(f);
    if (got < 0)
        err_set(e, ERR_IO, f->taken, "can't read: %s", strerror(errno));
    if (got <= 0)
        f->fd = -1;
    return got > 0;
}

/* If nothing is at hand, get some. false: the end, or e says why not. */
static bool intake_more(struct intake *f, struct err *e)
{
    return f->n || intake_append_or_end(f, e);
}

/* ---- out ------------------------------------------------------------------------------------------------- */

static enum err_code beyond(const struct sink *b, struct err *e)
{
    return err_set(e, ERR_NOMEM, ERR_NO_OFFSET,
                   "a pipe or compressed, it needs more than the limit of %" PRIu64
                   " bytes (--max-memory)%s%s; a plain file doesn't",
                   b->limit, *spill_why() ? ", and " : "", spill_why());
}

/* Of what has no end, or unpacks to zeros, no disk is to be filled: behind the header a batch begins, in either family. */
static bool goes_on(const struct sink *b)
{
    struct dialect d;
    struct err e;
    if (dialect_tell(b->p, b->n, &d, &e) || b->n <= d.header)
        return false;
    const uint8_t first = b->p[d.header];
    return d.second_family ? first == V2R_EVENTS || first == V2R_EXPERIMENTAL : (first & (V1_TYPES - 1)) == V1_BATCH;
}

/* Room for the next bytes: *room of them at b->p + b->n. */
static enum err_code sink_room(struct sink *b, size_t *room, struct err *e)
{
    const bool bound = b->limit && (!mem_spills() || (b->n >= b->limit && !goes_on(b)));
    const uint64_t most = bound ? b->limit > b->apart ? b->limit - b->apart : 0 : SIZE_MAX / 2;
    if (b->n >= most)
        return beyond(b, e);
    *room = most - b->n < STEP ? (size_t)(most - b->n) : STEP;
    if (b->cap - b->n >= *room)
        return ERR_OK;
    size_t cap = b->n + *room > b->cap + b->cap / 8 ? b->n + *room : b->cap + b->cap / 8;
    cap = cap > most ? (size_t)most : cap;
    uint8_t *p = mem_resize(b->p, cap);
    if (!p && b->limit && cap > b->limit && !mem_spills())
        return beyond(b, e);
    if (!p)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory after %zu bytes of input", b->n);
    b->p = p;
    b->cap = cap;
    return ERR_OK;
}

/* n more bytes are there. A trace says so in its first ones: what doesn't is read no further. */
static enum err_code sink_got(struct sink *b, size_t n, struct err *e)
{
    struct dialect d;
    if ((b->n + n) / REST != b->n / REST)
        mem_rest();
    b->n += n;
    if (b->known || b->n < HEADER)
        return ERR_OK;
    b->known = true;
    return dialect_tell(b->p, b->n, &d, e);
}

/* Has it become larger than any trace would? */
static bool bomb(const struct intake *f, const struct sink *b, struct err *damage)
{
    uint64_t in = f->taken - f->n;
    if (b->n <= UNPACK_FREE || b->n / UNPACK_RATIO <= in)
        return false;
    err_set(damage, ERR_FORMAT, b->n,
            "compressed bytes become more than %d times as many, which no trace does: read up to here", UNPACK_RATIO);
    return true;
}

static enum err_code copy(struct intake *f, struct sink *b, struct err *e)
{
    enum err_code rc = ERR_OK;
    size_t room;
    while (!rc && intake_more(f, e)) {
        if ((rc = sink_room(b, &room, e)))
            return rc;
        size_t n = f->n < room ? f->n : room;
        memcpy(b->p + b->n, f->p, n);
        f->p += n;
        f->n -= n;
        rc = sink_got(b, n, e);
    }
    return rc ? rc : e->code;
}

/* ---- gzip ------------------------------------------------------------------------------------------------ */

/* After a member: another one may follow, or padding, which is the end. */
static bool gzip_again(z_stream *z, struct intake *f, struct err *e)
{
    return intake_more(f, e) && f->p[0] == 0x1f && inflateReset(z) == Z_OK;
}

/* One step; false: this was the last, e or damage say why if it isn't the end. */
static bool gunzip_step(z_stream *z, struct intake *f, struct sink *b, struct err *damage, struct err *e)
{
    size_t room;
    bool more = intake_more(f, e);
    if (e->code || sink_room(b, &room, e))
        return false;
    z->next_in = (Bytef *)(uintptr_t)f->p;
    z->avail_in = f->n > 1u << 30 ? 1u << 30 : (uInt)f->n;
    uInt had = z->avail_in;
    z->next_out = b->p + b->n;
    z->avail_out = (uInt)room;
    int r = inflate(z, Z_NO_FLUSH);
    f->p += had - z->avail_in;
    f->n -= had - z->avail_in;
    size_t got = room - z->avail_out;
    if (sink_got(b, got, e))
        return false;
    if (r == Z_STREAM_END)
        return gzip_again(z, f, e) && !bomb(f, b, damage);
    if (r == Z_MEM_ERROR)
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    else if (r != Z_OK && r != Z_BUF_ERROR)
        err_set(damage, ERR_FORMAT, b->n, "the gzip data is damaged here");
    else if (!more && !got)
        err_set(damage, ERR_TRUNCATED, b->n, "the gzip file ends early");
    else
        return !bomb(f, b, damage);
    return false;
}

static enum err_code inflate_all(struct intake *f, struct sink *b, int bits, struct err *damage, struct err *e)
{
    z_stream z = {0};
    if (inflateInit2(&z, bits) != Z_OK)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    while (gunzip_step(&z, f, b, damage, e))
        ;
    inflateEnd(&z);
    return e->code;
}

static enum err_code gunzip(struct intake *f, struct sink *b, struct err *damage, struct err *e)
{
    return inflate_all(f, b, 15 + 16, damage, e);
}

enum err_code unpack_deflated(struct intake *f, struct sink *b, struct err *damage, struct err *e)
{
    *e = (struct err){0};
    enum err_code rc = inflate_all(f, b, -15, damage, e);
    struct dialect d;
    return rc || b->known || !b->n ? rc : dialect_tell(b->p, b->n, &d, e);
}

/* ---- zstd ------------------------------------------------------------------------------------------------ */

/* How far back zstd may refer, as a power of two: it keeps so many bytes twice. Its own default is 27. */
static int window_max(uint64_t limit)
{
    int log = 27;
    while (limit && log > 10 && (uint64_t)1 << log > limit / 2)
        log--;
    return log;
}

struct zstd {
    ZSTD_DStream *z;
    bool within; /* a frame, which isn't over */
};

static bool unzstd_step(struct zstd *z, struct intake *f, struct sink *b, struct err *damage, struct err *e)
{
    size_t room;
    bool more = intake_more(f, e);
    if (e->code || sink_room(b, &room, e))
        return false;
    ZSTD_inBuffer in = {f->p, f->n, 0};
    ZSTD_outBuffer out = {b->p + b->n, room, 0};
    const bool was = z->within;
    const size_t r = ZSTD_decompressStream(z->z, &out, &in);
    f->p += in.pos;
    f->n -= in.pos;
    b->apart = ZSTD_sizeof_DStream(z->z);
    if (sink_got(b, out.pos, e))
        return false;
    z->within = r;
    if (ZSTD_isError(r) && ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge)
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET,
                "its zstd window is larger than the limit on memory allows (--max-memory): zstd -d first");
    else if (ZSTD_isError(r) && ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation)
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    else if (ZSTD_isError(r))
        err_set(damage, ERR_FORMAT, b->n, "the zstd data is damaged here: %s", ZSTD_getErrorName(r));
    else if (more || in.pos || out.pos)
        return !bomb(f, b, damage);
    else if (was)
        err_set(damage, ERR_TRUNCATED, b->n, "the zstd file ends early");
    return false;
}

static enum err_code unzstd(struct intake *f, struct sink *b, struct err *damage, struct err *e)
{
    struct zstd z = {.z = ZSTD_createDStream(), .within = true};
    if (!z.z || ZSTD_isError(ZSTD_DCtx_setParameter(z.z, ZSTD_d_windowLogMax, window_max(b->limit))))
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    while (!e->code && unzstd_step(&z, f, b, damage, e))
        ;
    ZSTD_freeDStream(z.z);
    b->apart = 0;
    return e->code;
}

enum err_code unpack(struct intake *f, struct sink *b, struct err *damage, struct err *e)
{
    *e = (struct err){0};
    while (f->n < 4 && intake_append_or_end(f, e)) /* a pipe may give them one by one */
        ;
    if (e->code)
        return e->code;
    return is_gzip(f->p, f->n)   ? gunzip(f, b, damage, e)
           : is_zstd(f->p, f->n) ? unzstd(f, b, damage, e)
                                 : copy(f, b, e);
}
