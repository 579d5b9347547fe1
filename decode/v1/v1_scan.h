/*
 * v1_scan.h - skip events that only have to be counted. Finds their ends without decoding their values.
 */
#ifndef GOTOP_DECODE_V1_SCAN_H
#define GOTOP_DECODE_V1_SCAN_H

#include "decode/v1/v1_wire.h"

struct v1_scan {
    uint8_t values[256]; /* by first byte: number of values behind it; 4 = a length is before them; 0 = needs
                            a closer look */
};

/* v1_scan_init - kept: the types that must not be skipped. */
void v1_scan_init(struct v1_scan *sc, const struct v1_dialect *d, const bool kept[V1_TYPES]);
/*
 * v1_scan_over - pass over events from p on. Returns where the first one begins that needs a closer look, is
 * not before `stop`, or may end behind `end`, beyond which nothing is read. *n is increased by the number of
 * events passed.
 */
const uint8_t *v1_scan_over(const struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *p,
                            const uint8_t *stop, const uint8_t *end, uint64_t *n);

#endif
