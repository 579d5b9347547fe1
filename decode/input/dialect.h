/*
 * dialect.h - the format version of a trace file, found by its header (docs/DIALECTS.md lists them).
 */
#ifndef GOTOP_DECODE_DIALECT_H
#define GOTOP_DECODE_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"

struct dialect {
    int version; /* 0 for the 2014 prototype, else the header's major*1000+minor */
    /* the version whose rules apply; it differs if the header is newer than any known version */
    int read_as;
    const char *name; /* what writes read_as: "gotrace", "go 1.5 or 1.6" .. */
    size_t header;    /* header size in bytes: 8 or 16 */
    bool second_family;
    bool newer; /* the header is newer than the last known version, by whose rules the trace is read */
};

/* dialect_tell - find the version by the first bytes. ERR_NOT_TRACE, ERR_VERSION with what was found, or
 * ERR_EMPTY. */
enum err_code dialect_tell(const uint8_t *p, size_t len, struct dialect *d, struct err *e);

#endif
