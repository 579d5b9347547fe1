/*
 * models.h - the bytes of a program that runs, as they come, models of them, and the thread that makes the
 * next model beside the one that is shown. follow.h has the drawing.
 *
 * A strip is bytes that grow at one address: a range of addresses is kept for them, memory comes behind them
 * as it is needed, and goes before them. So who reads them need not be told when they grow, and several can
 * read the same. Bytes are put by one thread; they may be given back by another.
 *
 * A model is of what stands in a strip from some generation on. Where it doesn't begin with the strip, the
 * trace's header is put in front of it only while it is opened, and for good by model_alone(): until then
 * another one reads what stands there.
 */
#ifndef GOTOP_VIEWER_MODELS_H
#define GOTOP_VIEWER_MODELS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/input/stream.h"
#include "decode/trace.h"

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
bool strip_gap(struct strip *s);           /* a gap, before what is put next. false: out of memory */
void strip_cut(struct strip *s, size_t n); /* no more than n bytes are of use: others will be put there */
size_t strip_held(const struct strip *s);  /* bytes that have memory */
bool strip_is_long(
    const struct strip *s); /* half of its range is used: what begins anew should do so in another one */

struct model {
    struct strip *strip; /* it is a user of it */
    size_t from,
        len; /* its generations: where they begin in the strip, up to where the trace was told of them */
    size_t forget;    /* when it is given back, nobody reads what stands before that */
    size_t gap;       /* of the strip's gaps it was told of so many */
    struct trace *tr; /* NULL: there is no model */
    bool waits;       /* all that it was told of is decoded */
    bool over;        /* and no more can be: damage */
};

/* model_open - of what stands in the strip from `from` on, which may still be nothing. false: *e says why. */
bool model_open(struct model *m, struct strip *strip, size_t from, const uint8_t header[STREAM_HEADER],
                const struct trace_opts *o, struct err *e);
/*
 * model_whole - of the same bytes as another one, of which no more come: it is read as a file is. false: *e
 * says why, or something is missing among them, which no file tells.
 */
bool model_whole(struct model *m, const struct model *of, const uint8_t header[STREAM_HEADER],
                 const struct trace_opts *o, struct err *e);
void model_alone(struct model *m,
                 const uint8_t header[STREAM_HEADER]); /* nobody else reads the strip any more */
/* model_grow - the trace is told of all that stands in the strip. false: out of memory. */
bool model_grow(struct model *m);
void model_decode(struct model *m, int64_t budget_ns);
/* model_done - up to where in the strip it is decoded. */
size_t model_done(const struct model *m);
void model_free(struct model *m);

/* Under its lock, but for `next` while it is busy: that is the thread's then. */
struct maker {
    pthread_t thread;
    pthread_mutex_t mu;
    pthread_cond_t work;
    bool on, quit, busy, hold; /* the thread runs, shall end, decodes; it must not begin to */
    struct model next;         /* what it makes; next.tr NULL: nothing */
    int64_t end;               /* next's, ns */
    size_t done;               /* model_done(next) */
    struct model gone;         /* to be given back */
};

enum err_code maker_start(struct maker *k, struct err *e);
void maker_stop(struct maker *k); /* what it made and what it was to give back is gone */
void maker_put(struct maker *k, const struct model *m); /* it is made from now on */
/* maker_drop - what it makes is given back. false: not now, it is busy. */
bool maker_drop(struct maker *k);
void maker_give_back(struct maker *k, struct model *m); /* gone.tr must be NULL; *m is empty then */

#endif
