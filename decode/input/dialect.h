/*
 * dialect.h - which of the trace formats a file is in, by its header (FORMAT.md 0.1).
 */
#ifndef GOTOP_DECODE_DIALECT_H
#define GOTOP_DECODE_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"

struct dialect {
    int version;      /* 0 = the 2014 prototype, else major*1000+minor of the header */
    int read_as;      /* the dialect whose rules apply: differs for headers newer than what is known */
    const char *name; /* of read_as: "gotrace", "go 1.5 or 1.6" ..: who writes it */
    size_t header;    /* bytes: 8 or 16 */
    bool second_family;
    bool newer; /* the header is newer than the last dialect's: read as that */
    bool has_m, has_regions, has_samples, has_names;
};

/* dialect_tell - from the first bytes. ERR_NOT_TRACE, ERR_VERSION with what was found, or ERR_EMPTY. */
enum err_code dialect_tell(const uint8_t *p, size_t len, struct dialect *d, struct err *e);

#endif
