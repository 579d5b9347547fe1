/*
 * unpack.h - read and decompress a stream into one block of private memory: pipes, gzip, zstd.
 *
 * The trace's header is checked as soon as it is there, so what is no trace is refused after its first bytes.
 * Three things bound what follows: the limit, which includes what the decompressor needs (if there is a
 * temporary file, what is more goes there, decode/base/mem.h); how many times its own size a compressed file
 * may become (UNPACK_RATIO); and growth by an eighth, so that the block is never much larger than its
 * contents.
 */
#ifndef GOTOP_DECODE_UNPACK_H
#define GOTOP_DECODE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zlib.h>

#include "decode/base/err.h"

/* Real traces shrink to a third, at best to a seventh. A file that becomes more than UNPACK_RATIO times as
   large, and more than UNPACK_FREE bytes, is taken as damaged there; what came before is kept. */
#define UNPACK_RATIO 200
#define UNPACK_FREE ((uint64_t)16 << 20)

struct intake {       /* where compressed bytes come from */
    const uint8_t *p; /* read and not used yet */
    size_t n;
    int fd;         /* where to read more, -1 = there is no more */
    uint8_t *buf;   /* INTAKE_BYTES, needed if there is an fd */
    uint64_t taken; /* read so far, p's included */
};
#define INTAKE_BYTES ((size_t)1 << 17)

struct sink { /* what came out; p is to be freed with mem_free(), after an error as well */
    uint8_t *p;
    size_t n, cap;
    uint64_t limit; /* 0 = none */
    uint64_t apart; /* bytes that the decompressor holds, within the limit */
    bool known;     /* the header is a trace's */
};

/*
 * unpack - all of f, decompressed as its first bytes tell. What is wrong with the compression after some
 * bytes is `damage`. Returns ERR_NOMEM beyond the limit, ERR_IO, or what dialect_tell() says of the first
 * bytes.
 */
enum err_code unpack(struct intake *f, struct sink *b, struct err *damage, struct err *e);
/* unpack_deflated - the same, of bytes that are deflated without a header of
 * their own, as in a zip archive. */
enum err_code unpack_deflated(struct intake *f, struct sink *b, struct err *damage, struct err *e);
/* unpack_packed - what do these bytes begin? "gzip", "zstd"; NULL: neither. unpack_told - are they enough to
 * tell? */
const char *unpack_packed(const uint8_t *p, size_t n);
bool unpack_told(const uint8_t *p, size_t n);

/*
 * The same by pieces, for bytes that come one after another. Members or frames follow each other; behind
 * gzip, padding may.
 */
struct unpacker {
    z_stream z;
    struct ZSTD_DCtx_s *zstd; /* NULL: it is zlib's */
    bool within;              /* a member or a frame, which isn't over */
    bool gzip;                /* another member may follow */
    uint64_t in, out;         /* bytes so far */
};
struct unpack_piece {
    const uint8_t *p; /* to be unpacked; what was taken is left out */
    size_t n;
    uint8_t *to; /* there is room for so many bytes; those that came are left out */
    size_t room;
};
enum unpack_state {
    UNPACK_MORE, /* it goes on, if there is more: ends it here (u->within), it is truncated */
    UNPACK_OVER, /* that was all, whatever follows */
    UNPACK_DAMAGED,
    UNPACK_FAILED
};
/* unpacker_begin - as the first bytes tell (unpack_packed()), with a window for zstd of at most half the
 * limit (0 = none). ERR_NOMEM. */
enum err_code unpacker_begin(struct unpacker *u, const uint8_t *p, size_t n, uint64_t limit, struct err *e);
/* unpacker_step - some of it. DAMAGED: *e says what is wrong with it, perhaps that no trace becomes so large.
 * FAILED: no memory. */
enum unpack_state unpacker_step(struct unpacker *u, struct unpack_piece *io, struct err *e);
void unpacker_end(struct unpacker *u); /* also of one that is all zero */

#endif
