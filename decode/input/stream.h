/*
 * stream.h - a second-family trace that is still arriving, cut into whole generations.
 *
 * Bytes go in as they come (stream_put), in pieces of any size. A generation is whole once its end is known:
 * from 1.26 on by its end mark, before by the first batch of the next one, at the end of the input by
 * stream_end(). Only batch headers are looked at, so this keeps up with memory speed and holds nothing but
 * the bytes.
 *
 * Damage doesn't end it, not even in the first batch: where no batch begins the next one is looked for
 * (v2_raw_likely()), and the bytes in between stay in their generation, which is then `broken`. What they
 * mean is left to the reader (decode/v2).
 *
 * A generation that is larger than `max` is left out, as stream_lose() leaves out whole ones: what of it
 * arrives is let go, and the one behind it tells of it. So what is held is bounded whatever arrives.
 *
 * A whole generation is kept with the trace's header in front of it: its bytes are a trace file of their own,
 * because a generation refers to nothing outside itself. Several in a row behind one header are one, too.
 *
 * Ownership: generations belong to the stream until stream_drop(); pointers stay valid until then. One
 * thread.
 */
#ifndef GOTOP_DECODE_STREAM_H
#define GOTOP_DECODE_STREAM_H

#include "decode/input/dialect.h"

enum { STREAM_HEADER = 16 }; /* the file's own header, which is copied to the front of every generation */

struct stream_gen {
    uint64_t number; /* the generation's number in its batches; 0: no batch was understood yet */
    size_t batches;  /* headers that were */
    uint8_t *p;      /* bytes with headers, batches and the end mark */
    size_t n, cap;
    uint64_t offset;      /* offset of its first batch in the stream */
    uint64_t lost_before; /* bytes of the generations that were left out just before it */
    uint64_t cut;         /* bytes already dropped of one larger than `max`; the rest is dropped, too */
    bool whole;           /* it has ended */
    bool broken;          /* not all in it are batches of its own, or its end is missing */
    /* The caller's: */
    int64_t t0, t1;   /* its first and last moment on the trace's clock, ns */
    int64_t came_ns;  /* when it became whole, ns since 1970 */
    int64_t heard_ns; /* the same by the host's monotonic clock */
};

struct stream {
    struct dialect dialect; /* valid once `known` */
    bool known;             /* the header has come and is one that we read */
    uint8_t header[STREAM_HEADER];
    size_t nheader;         /* bytes of it so far */
    struct stream_gen *gen; /* oldest first; the last one may be incomplete */
    size_t ngen, cap;
    uint64_t bytes; /* bytes put in so far */
    uint64_t max;   /* maximum bytes of one generation; 0 = no limit */
    uint64_t held;  /* memory that the whole ones take: each its bytes and STREAM_COST */
    uint64_t left;  /* bytes that were left out so far, of generations that were too large or that
                       stream_lose() took */
    uint64_t ncut;  /* number of generations that were too large */
    bool torn;      /* the input ended within the last generation */
    bool over;      /* nothing more is taken: see damage */
    uint32_t ndamages;
    struct err damage; /* the first, or what ended it */
    /* state of the parser */
    size_t at;        /* up to where the arriving generation is understood */
    uint64_t payload; /* bytes of the batch's payload behind that */
    uint64_t last;    /* number of the generation that began last, 0 = none yet */
    uint64_t stray;   /* of the last batch, if that is not its generation's number; else 0 */
    size_t lost;      /* bytes since the place where a batch was expected; 0 = batches are understood */
    uint64_t losing;  /* the next generation's lost_before */
};

/*
 * stream_put - n more bytes. ERR_NOT_TRACE, ERR_VERSION: what arrives is no trace (e->what). ERR_ARG: a
 * first-family trace, which can only be ordered when it is complete. ERR_FORMAT: no batch in STREAM_LOST
 * bytes; what was whole stays. ERR_NOMEM. Every error but ERR_NOMEM is final.
 */
enum err_code stream_put(struct stream *st, const uint8_t *p, size_t n, struct err *e);
enum { STREAM_LOST = 1 << 20 };
/* Charged per generation besides its bytes, so that a flood of tiny ones is bounded. */
enum { STREAM_COST = 1024 };
static inline uint64_t stream_cost(const struct stream_gen *g)
{
    return g->n + STREAM_COST;
}
/* stream_end - end the input: the last generation becomes whole if it is complete. Before 1.26 it is if it
 * ends with a whole batch. */
void stream_end(struct stream *st);
/* stream_whole - the number of whole generations, which are the first ones. */
size_t stream_whole(const struct stream *st);
/* stream_rest - behind stream_end(): the generation that it ended within; NULL: none, or its beginning is
 * gone. */
const struct stream_gen *stream_rest(const struct stream *st);
/* stream_drop - forget the n oldest generations. */
void stream_drop(struct stream *st, size_t n);
/* stream_lose - forget the newest whole generation; the one behind it tells of it (lost_before). Returns how
 * many bytes it had, 0: there is none. */
size_t stream_lose(struct stream *st);
/* stream_hand - move the whole generations of `from` to the end of `to`; false: out of memory, nothing was
 * moved. */
bool stream_hand(struct stream *from, struct stream *to);
/* stream_join - copy generations [i, i+n) into one trace of *len bytes; the caller frees it (mem_free). NULL:
 * out of memory. */
uint8_t *stream_join(const struct stream *st, size_t i, size_t n, size_t *len);
void stream_free(struct stream *st);

#endif
