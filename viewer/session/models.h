/*
 * models.h - the bytes of a running program's trace, and models of them. follow.h has the drawing.
 *
 * A strip is bytes that grow at one address. Addresses are reserved for all of it; memory is added at the
 * end and given back at the beginning. So readers need not be told when it grows, and several models can
 * read the same bytes.
 *
 * A model decodes what stands in a strip from some generation on. A trace begins with a header, so the
 * header is written before that generation while the model is opened, and again for good by model_alone();
 * between the two, an older model still reads the bytes that the header covers.
 */
#ifndef GOTOP_VIEWER_MODELS_H
#define GOTOP_VIEWER_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/input/stream.h"
#include "decode/trace.h"

struct strip {
    uint8_t *p;
    size_t n, usable, cap;
    size_t gone; /* bytes at its beginning whose memory was given back */
    size_t *gap; /* ascending offsets: something is missing before each */
    size_t ngap, capgap;
    unsigned users;
};

/* strip_new - an empty strip with one user; NULL: no range of addresses is free. strip_use - one more user.
 * strip_leave - one less; the last one frees it. NULL is allowed. */
struct strip *strip_new(void);
void strip_use(struct strip *s);
void strip_leave(struct strip *s);
/* strip_put - append n bytes. Returns false when memory or addresses run out. */
bool strip_put(struct strip *s, const uint8_t *p, size_t n);
/* strip_gap - something is missing before the bytes that are appended next. Returns false: out of memory. */
bool strip_gap(struct strip *s);
/* strip_cut - drop all but the first n bytes. */
void strip_cut(struct strip *s, size_t n);
/* strip_held - bytes that have memory. */
size_t strip_held(const struct strip *s);
/* strip_is_long - half of its addresses are used: a new model should begin in a new strip. */
bool strip_is_long(const struct strip *s);

struct model {
    struct strip *strip; /* counted as a user */
    size_t from;         /* offset in the strip of its first generation */
    size_t len;          /* offset up to which the trace knows of bytes */
    size_t forget;       /* when the model is freed, memory before this offset goes, too */
    size_t gap;          /* number of the strip's gaps that the trace knows of */
    struct trace *tr;    /* owned; NULL: there is no model */
    bool waits;          /* all bytes that it knows of are decoded */
    bool over;           /* damage: no more can be decoded */
};

/* model_open - a model of the strip from `from` on, where there may be nothing yet. Returns false: *e says
 * why. */
bool model_open(struct model *m, struct strip *strip, size_t from, const uint8_t header[STREAM_HEADER],
                const struct trace_opts *o, struct err *e);
/*
 * model_whole - a model of the same bytes as `of`, to which none are added: they are read as a file. Returns
 * false: *e says why, or the bytes have a gap, which a file can't have.
 */
bool model_whole(struct model *m, const struct model *of, const uint8_t header[STREAM_HEADER],
                 const struct trace_opts *o, struct err *e);
/* model_alone - no other model reads the strip any more: the header may stand in it. */
void model_alone(struct model *m, const uint8_t header[STREAM_HEADER]);
/* model_grow - tell the trace of all bytes in the strip. Returns false: out of memory. */
bool model_grow(struct model *m);
void model_decode(struct model *m, int64_t budget_ns);
/* model_done - the offset in the strip up to which it is decoded. */
size_t model_done(const struct model *m);
void model_free(struct model *m);

#endif
