/*
 * v1_scan.h - over events that need nothing but counting: where one ends its first bytes tell, so it is not taken apart.
 */
#ifndef GOTOP_DECODE_V1_SCAN_H
#define GOTOP_DECODE_V1_SCAN_H

#include "decode/v1/v1_wire.h"

struct v1_scan {
    uint8_t values[256]; /* by first byte: values behind it, 4 = behind a length, 0 = not to be passed over */
    bool deposit;        /* there is an instruction that finds the n-th bit that is set */
};

/* v1_scan_init - `kept` are the types that need more than to be counted. */
void v1_scan_init(struct v1_scan *sc, const struct v1_dialect *d, const bool kept[V1_TYPES]);
/*
 * v1_scan_over - from p on, up to the first that needs a closer look, begins at `stop` or behind it, or may end behind `end`, which
 * bounds what is read. Returns where that is; *n goes up by how many there were.
 */
const uint8_t *v1_scan_over(const struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *p,
                            const uint8_t *stop, const uint8_t *end, uint64_t *n);

#endif
