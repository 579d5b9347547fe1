/* unpack.c - see unpack.h. */
#include "decode/input/unpack.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

static const uint8_t zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd}, zstd_skip[3] = {0x2a, 0x4d, 0x18};

static bool is_gzip(const uint8_t *p, size_t n)
{
    return n >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

/* A skippable frame may come first: pzstd writes one before each frame, with that frame's length. */
static bool is_zstd(const uint8_t *p, size_t n)
{
    return n >= 4 && (!memcmp(p, zstd_magic, 4) || ((p[0] & 0xf0) == 0x50 && !memcmp(p + 1, zstd_skip, 3)));
}

const char *unpack_packed(const uint8_t *p, size_t n)
{
    return is_gzip(p, n) ? "gzip" : is_zstd(p, n) ? "zstd" : NULL;
}

bool unpack_sure(const uint8_t *p, size_t n)
{
    return n >= 4 || (n && p[0] != 0x1f && p[0] != zstd_magic[0] && (p[0] & 0xf0) != 0x50);
}

static enum unpack_state no_memory(struct err *e)
{
    err_nomem(e);
    return UNPACK_FAILED;
}

/* zstd's maximum window, as a power of two: it holds a window twice. Its own default is 27. */
static int window_max(uint64_t limit)
{
    int log = 27;
    while (limit && log > 10 && (uint64_t)1 << log > limit / 2)
        log--;
    return log;
}

enum err_code unpacker_begin(struct unpacker *u, const uint8_t *p, size_t n, bool deflated, uint64_t limit,
                             struct err *e)
{
    const bool gzip = !deflated && is_gzip(p, n);
    *u = (struct unpacker){.within = true, .gzip = gzip};
    if (gzip || deflated)
        return inflateInit2(&u->z, gzip ? 15 + 16 : -15) == Z_OK ? ERR_OK : err_nomem(e);
    u->zstd = ZSTD_createDStream();
    if (u->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, window_max(limit))))
        return ERR_OK;
    return err_nomem(e);
}

void unpacker_end(struct unpacker *u)
{
    ZSTD_freeDStream(u->zstd);
    if (!u->zstd && u->z.state)
        inflateEnd(&u->z);
    *u = (struct unpacker){0};
}

static enum unpack_state gzip_some(struct unpacker *u, struct unpack_piece *io, struct err *e)
{
    enum { MOST = 1 << 30 };
    if (!u->within) { /* another member may follow, or padding, which is the end */
        if (!io->n || io->p[0] != 0x1f || !u->gzip)
            return io->n ? UNPACK_OVER : UNPACK_MORE;
        if (inflateReset(&u->z) != Z_OK)
            return no_memory(e);
        u->within = true;
    }
    u->z.next_in = (Bytef *)(uintptr_t)io->p;
    u->z.avail_in = io->n > MOST ? MOST : (uInt)io->n;
    u->z.next_out = io->to;
    u->z.avail_out = io->room > MOST ? MOST : (uInt)io->room;
    const int r = inflate(&u->z, Z_NO_FLUSH);
    io->n -= (size_t)(u->z.next_in - io->p);
    io->p = u->z.next_in;
    io->room -= (size_t)(u->z.next_out - io->to);
    io->to = u->z.next_out;
    u->within = r != Z_STREAM_END;
    if (r == Z_MEM_ERROR)
        return no_memory(e);
    if (r == Z_OK || r == Z_BUF_ERROR || r == Z_STREAM_END)
        return UNPACK_MORE;
    err_set(e, ERR_FORMAT, u->out, "the gzip data is damaged here");
    return UNPACK_DAMAGED;
}

static enum unpack_state zstd_some(struct unpacker *u, struct unpack_piece *io, struct err *e)
{
    ZSTD_inBuffer in = {io->p, io->n, 0};
    ZSTD_outBuffer out = {io->to, io->room, 0};
    const size_t r = ZSTD_decompressStream(u->zstd, &out, &in);
    if (in.pos || out.pos)
        u->within = r;
    io->p += in.pos;
    io->n -= in.pos;
    io->to += out.pos;
    io->room -= out.pos;
    if (!ZSTD_isError(r))
        return UNPACK_MORE;
    if (ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation)
        return no_memory(e);
    if (ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge) {
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET,
                "its zstd window is larger than the limit on memory allows (--max-memory): zstd -d first");
        return UNPACK_FAILED;
    }
    err_set(e, ERR_FORMAT, u->out, "the zstd data is damaged here: %s", ZSTD_getErrorName(r));
    return UNPACK_DAMAGED;
}

enum unpack_state unpacker_step(struct unpacker *u, struct unpack_piece *io, struct err *e)
{
    const size_t n = io->n, room = io->room;
    const enum unpack_state s = u->zstd ? zstd_some(u, io, e) : gzip_some(u, io, e);
    u->in += n - io->n;
    u->out += room - io->room;
    if (s == UNPACK_DAMAGED)
        e->offset = u->out;
    if (s != UNPACK_MORE || u->out <= UNPACK_FREE || u->out / UNPACK_RATIO <= u->in)
        return s;
    err_set(e, ERR_FORMAT, u->out,
            "compressed bytes become more than %d times as many, which no trace does: read up to here",
            UNPACK_RATIO);
    return UNPACK_DAMAGED;
}

bool unpacker_torn(const struct unpacker *u, struct err *e)
{
    return u->within &&
           err_set(e, ERR_TRUNCATED, u->out, "the %s ends early", u->zstd ? "zstd file" : "gzip file");
}

size_t unpacker_held(const struct unpacker *u)
{
    return u->zstd ? ZSTD_sizeof_DStream(u->zstd) : 0;
}
