/*
 * v1_scan.h - the ends of events, looked for at several places of the file at once.
 *
 * Where an event ends is known when it was looked at, so finding all events of a file is one long chain of loads and
 * the processor waits for each. The index goes by windows; of each this looks ahead from a few places that seem to
 * begin a batch, in turns, and notes runs: from here to there are so many events that need nothing but counting. That
 * is true whether or not an event begins at `from`, so a place that was guessed wrong costs time and nothing else.
 */
#ifndef GOTOP_DECODE_V1_SCAN_H
#define GOTOP_DECODE_V1_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/v1/v1_wire.h"

#define V1_SCAN_LANES 4   /* places at once */
#define V1_SCAN_RUNS 8192 /* runs noted from one of them */

struct v1_scan_run {
    uint32_t from, to; /* behind `base` */
    uint32_t events;
};

struct v1_scan {
    uint64_t base, end;      /* the window */
    const uint8_t *data;     /* the file's bytes, */
    const uint8_t *stop;     /* and where they end */
    struct v1_scan_run *run; /* V1_SCAN_LANES * V1_SCAN_RUNS; ascending within a lane */
    size_t n[V1_SCAN_LANES], lane, at;
    uint8_t values[256]; /* by first byte: values behind it, 4 = behind a length, 0 = not to be passed over */
    uint64_t last[256];  /* by first byte: 1 << (values - 1); 0 = none, or behind a length */
    bool deposit;        /* there is an instruction that finds the n-th bit that is set */
};

/* v1_scan_init - `kept` are the types that need more than to be counted. The runs take memory at the first window. */
void v1_scan_init(struct v1_scan *sc, const struct v1_dialect *d, const bool kept[V1_TYPES]);
void v1_scan_free(struct v1_scan *sc);
/*
 * v1_scan_window - look ahead in a window, [at[0], end), from its n ascending places `at`. end - at[0] is at most 4 GB; nothing is
 * read behind data + len. Without memory there are no runs.
 */
struct v1_window {
    uint64_t at[V1_SCAN_LANES], end;
    size_t n;
};
void v1_scan_window(struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *data, uint64_t len,
                    const struct v1_window *w);
/* v1_scan_take - the run from `at`, if one was noted. Places must be asked for in ascending order. */
bool v1_scan_take(struct v1_scan *sc, uint64_t at, uint64_t *to, uint32_t *events);
/* v1_scan_pass - over one event at p, if 16 bytes can be read there; NULL: it needs a closer look. */
const uint8_t *v1_scan_pass(const struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *p,
                            const uint8_t *end);

#endif
