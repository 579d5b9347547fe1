/*
 * models.h - a model of what a running program sends: the bytes of its trace, held in memory, and the trace
 * that decodes them as they come. follow.h has the drawing.
 *
 * The bytes grow at one address, so a trace that reads them need not be told where they are. Addresses are
 * reserved for as many as may come; memory is added as they do.
 */
#ifndef GOTOP_VIEWER_MODELS_H
#define GOTOP_VIEWER_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/input/stream.h"
#include "decode/trace.h"

struct model {
    uint8_t *p; /* the header, then generations */
    size_t n, usable, cap;
    size_t *gap; /* ascending offsets: something is missing before each */
    size_t ngap, capgap;
    size_t len, known; /* bytes and gaps that the trace knows of */
    struct trace *tr;  /* owned; NULL: there is no model */
    bool waits;        /* all bytes that it knows of are decoded */
    bool over;         /* damage: no more can be decoded */
};

/* model_open - a model that has a header and no generation yet. Returns false: *e says why. */
bool model_open(struct model *m, const uint8_t header[STREAM_HEADER], const struct trace_opts *o,
                struct err *e);
/* model_again - a model of the first n bytes of another one, which are decoded once more; more may be put.
 * whole: they are all there are, and are read as a file is, which can't have a gap. Returns false: *e says
 * why. */
bool model_again(struct model *m, const struct model *of, size_t n, bool whole, const struct trace_opts *o,
                 struct err *e);
/* model_put - append n bytes. Returns false when memory or addresses run out. */
bool model_put(struct model *m, const uint8_t *p, size_t n);
/* model_gap - something is missing before the bytes that are appended next. Returns false: out of memory. */
bool model_gap(struct model *m);
/* model_grow - tell the trace of all bytes. Returns false: out of memory. */
bool model_grow(struct model *m);
void model_decode(struct model *m, int64_t budget_ns);
/* model_left - bytes that are not decoded yet. */
size_t model_left(const struct model *m);
void model_free(struct model *m);

#endif
