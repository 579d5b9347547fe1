/*
 * strip.h - bytes that grow at one address: a range of addresses is kept for them, and memory comes behind them as it is
 * needed. So who reads them need not be told when they grow.
 */
#ifndef GOTOP_VIEWER_STRIP_H
#define GOTOP_VIEWER_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strip {
    uint8_t *p;
    size_t n, usable, cap;
};

bool strip_make(struct strip *s);                            /* empty; false: no such range is free */
bool strip_put(struct strip *s, const uint8_t *p, size_t n); /* false: out of memory, or of the range */
void strip_free(struct strip *s);

#endif
