/*
 * order.h - sorting by a list of keys.
 *
 *     ORDER(by_share, struct row, MOST(r->share) LEAST(r->func))
 *     sort(row, n, by_share);
 *
 * defines by_share() as qsort() wants it, and sorts by it: the largest share first, of those alike the
 * smallest func. LEAST, MOST - a number of row r; ALPHA - a text of it. ORDER_AT and sort_at(at, n, row, by)
 * do so for the places (uint32_t) of rows: of those alike the first place comes first.
 */
#ifndef GOTOP_DECODE_ORDER_H
#define GOTOP_DECODE_ORDER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/host.h"

#define ORDER(NAME, TYPE, KEYS) \
    static int NAME(const void *row_a, const void *row_b) \
    { \
        const TYPE *r; \
        KEYS return 0; \
    }
#define ORDER_AT(NAME, TYPE, KEYS) \
    static int NAME(const void *a, const void *b, void *rows) \
    { \
        const TYPE *const row_a = (TYPE *)rows + *(const uint32_t *)a, *r; \
        const TYPE *const row_b = (TYPE *)rows + *(const uint32_t *)b; \
        KEYS return (row_a > row_b) - (row_a < row_b); \
    }
#define ORDER_KEY(KEY, FIRST) \
    { \
        r = row_a; \
        const __auto_type key_a = (KEY); \
        r = row_b; \
        const __auto_type key_b = (KEY); \
        if (key_a < key_b) \
            return FIRST; \
        if (key_a > key_b) \
            return -(FIRST); \
    }
#define LEAST(KEY) ORDER_KEY(KEY, -1)
#define MOST(KEY) ORDER_KEY(KEY, 1)
#define ALPHA(KEY) \
    { \
        r = row_a; \
        const char *const key_a = (KEY); \
        r = row_b; \
        const int way = strcmp(key_a, (KEY)); \
        if (way) \
            return way; \
    }

/* sort - sorts n rows, which may be none at all (NULL). */
#define sort(rows, n, by) ((n) > 0 ? qsort(rows, n, sizeof *(rows), by) : (void)0)

#define sort_at(at, n, rows, by) host_sort(at, n, sizeof *(at), by, (void *)(uintptr_t)(rows))

#endif
