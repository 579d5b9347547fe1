/*
 * strip.h - bytes that grow at one address: a range of addresses is kept for them, and memory comes behind
 * them as it is needed, and goes before them. So who reads them need not be told when they grow, and several
 * can read the same.
 *
 * Bytes are put by one thread; they may be given back by another.
 */
#ifndef GOTOP_VIEWER_STRIP_H
#define GOTOP_VIEWER_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strip {
    uint8_t *p;
    size_t n, usable, cap;
    size_t gone; /* bytes at its beginning that have no memory any more */
    size_t *gap; /* ascending: what stands from here on was recorded apart from what stands before it */
    size_t ngap, capgap;
    unsigned users;
};

struct strip *strip_new(void);     /* empty, with one user; NULL: no such range is free */
void strip_use(struct strip *s);   /* one more */
void strip_leave(struct strip *s); /* one less; with the last one it is gone. NULL is allowed */
bool strip_put(struct strip *s, const uint8_t *p, size_t n); /* false: out of memory, or of the range */
bool strip_gap(struct strip *s);               /* a gap, before what is put next. false: out of memory */
void strip_cut(struct strip *s, size_t n);     /* no more than n bytes are of use: others will be put there */
void strip_forget(struct strip *s, size_t to); /* nobody reads what stands before it any more */
size_t strip_held(const struct strip *s);      /* bytes that have memory */
bool strip_is_long(
    const struct strip *s); /* half of its range is used: what begins anew should do so in another one */

#endif
