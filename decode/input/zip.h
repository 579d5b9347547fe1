/*
 * zip.h - members of a zip archive in memory. The directory at the archive's end lists them; nothing is
 * unpacked to find them.
 *
 * Everything in the archive is hostile: every offset and size is checked before use, and a recorded size is
 * never trusted to be the size after unpacking. Stored and deflated members are read, zip64 too; encrypted
 * ones aren't.
 */
#ifndef GOTOP_DECODE_ZIP_H
#define GOTOP_DECODE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/input/dialect.h"
#include "decode/base/err.h"

struct zip {
    const uint8_t *p;
    size_t n;
    uint64_t dir, end; /* its directory */
};
struct zip_member {
    const char *name; /* not NUL-terminated, hostile */
    uint32_t len;
    uint16_t method; /* ZIP_STORED, ZIP_DEFLATED; other methods can't be read */
    bool encrypted;
    uint32_t crc;
    uint64_t packed, size; /* size in the archive; recorded size after unpacking */
    uint64_t at;           /* offset of its own header */
};
enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

/* zip_is - whether these bytes begin like an archive. */
bool zip_is(const uint8_t *p, size_t n);
/* zip_open - find the directory. zip_next - the directory's next member; *pos is 0 at first. Returns false if
 * there is none, or damage. */
enum err_code zip_open(const uint8_t *p, size_t n, struct zip *z, struct err *e);
bool zip_next(const struct zip *z, uint64_t *pos, struct zip_member *m);
/* zip_bytes - the address of a member's m->packed bytes. NULL: e says why they can't be read. */
const uint8_t *zip_bytes(const struct zip *z, const struct zip_member *m, struct err *e);
/*
 * zip_apart - does this member, with those before it, stand in the archive without overlapping? *spent begins
 * with 0. Who looks into each member asks first: no program writes members that overlap, and a small archive
 * of them would be as much work as a large one.
 */
bool zip_apart(const struct zip *z, const struct zip_member *m, uint64_t *spent);
/* zip_trace - whether a member begins like a trace. Unpacks its first bytes. */
bool zip_trace(const struct zip *z, const struct zip_member *m, struct dialect *d);
/*
 * zip_find - the member of that name; NULL: the only one that is a trace. At most ZIP_LOOKED are looked into.
 * ERR_ARG: several are; ERR_NOT_TRACE: none is, and e says which can't be read; ERR_FORMAT: members overlap.
 */
#define ZIP_LOOKED 65536
enum err_code zip_find(const struct zip *z, const char *name, struct zip_member *m, struct err *e);

#endif
