/*
 * walk.h - what a fuzz entry does with bytes: open, load, and ask the model everything it answers.
 *
 * walk_bytes() never looks at what the answers are, only that asking is safe and that what must hold holds:
 * spans of a lane are contiguous, shares of an interval add up to it. A broken promise aborts.
 */
#ifndef GOTOP_TESTS_WALK_H
#define GOTOP_TESTS_WALK_H

#include <stddef.h>
#include <stdint.h>

void walk_bytes(const uint8_t *data, size_t n);
/* walk_as - the same, behind the header of a dialect; then slices of it, and it without its names
 * (decode/write/cut.h, anon.h). */
void walk_as(int version, const uint8_t *body, size_t n);

#endif
