/*
 * unpack.h - decompresses gzip, zstd and what zip archives hold.
 *
 * How many times its own size a compressed file may become is bounded (UNPACK_RATIO); who takes the bytes
 * bounds the rest (input.c).
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

/* unpack_packed - the compression whose data begins with these bytes: "gzip", "zstd"; NULL: neither.
 * unpack_sure - whether the bytes suffice to decide. */
const char *unpack_packed(const uint8_t *p, size_t n);
bool unpack_sure(const uint8_t *p, size_t n);

/* It takes bytes as they come, in pieces. Members or frames follow each other; behind gzip, padding may. */
struct unpacker {
    z_stream z;
    struct ZSTD_DCtx_s *zstd; /* NULL: it is zlib's */
    bool within;              /* within a member or a frame */
    bool gzip;                /* another member may follow */
    uint64_t in, out;         /* bytes so far */
};
struct unpack_piece {
    const uint8_t *p; /* bytes to unpack; those that were used are removed */
    size_t n;
    uint8_t *to; /* room for the output; bytes that were written are removed */
    size_t room;
};
enum unpack_state {
    UNPACK_MORE, /* it goes on, if there is more: ends it here (u->within), it is truncated */
    UNPACK_OVER, /* that was all, whatever follows */
    UNPACK_DAMAGED,
    UNPACK_FAILED
};
/* unpacker_begin - begin by the format of the first bytes (unpack_packed()), or (deflated) for bytes without
 * a header of their own, as in a zip archive; with a zstd window of at most half the limit (0 = no limit).
 * ERR_NOMEM. */
enum err_code unpacker_begin(struct unpacker *u, const uint8_t *p, size_t n, bool deflated, uint64_t limit,
                             struct err *e);
/* unpacker_step - unpack some of it. DAMAGED: *e says what is wrong, which may be that no trace becomes so
 * large. FAILED: out of memory. */
enum unpack_state unpacker_step(struct unpacker *u, struct unpack_piece *io, struct err *e);
/* unpacker_torn - no more follows: whether it ends early, which *e says. unpacker_held - the bytes that it
 * holds. */
bool unpacker_torn(const struct unpacker *u, struct err *e);
size_t unpacker_held(const struct unpacker *u);
void unpacker_end(struct unpacker *u); /* also of one that is all zero */

#endif
