/*
 * source.h - what a format family's reader is to the rest: a stream of neutral events in final order.
 *
 * trace.c opens the input, tells the dialect, and calls source_v1() or source_v2() to fill in `ops` and `self`.
 * It then calls ops->stream() or ops->run() until that returns 0; where generations can be decoded one by one, loader.c reads
 * them instead, each with a source of its own. stream() may be called from a thread of its own: a reader shares nothing with
 * fold but the names, which are made for that, and what it hands over in the status.
 *
 * A reader never fails: damage is noted with source_damage() and ends the stream (or is skipped); what could be
 * read stands. If nothing at all could be read, it sets `fatal` and its stream is empty.
 */
#ifndef GOTOP_DECODE_SOURCE_H
#define GOTOP_DECODE_SOURCE_H

#include "decode/events/ev.h"
#include "decode/events/names.h"
#include "decode/trace.h"

#define SOURCE_NOTES 64 /* damages and warnings kept, each; more are only counted */
struct source_notes {   /* grow with what is noted: there are as many sources as generations */
    struct err *v;
    size_t cap;
};

/*
 * What a clock can mean, in ns: since the host was started, or since 1970 (up to 2043) where a program has no better one.
 * A time at or beyond this is damage, so that no sum of two times, nor a step beyond one, overflows anywhere.
 */
#define SOURCE_TIME_MAX ((int64_t)1 << 61)

struct source_status {   /* copied to the model with every chunk of events */
    uint64_t bytes_done; /* how far in the input everything is decoded */
    uint64_t batches, experimental_batches;
    uint32_t generations;
    uint32_t ndamages, nwarnings;
    uint32_t nstrs, nstacks; /* names that may be looked up; trace.c fills them in */
    bool has_clock, clock_assumed;
    double tick_ns; /* the first family's, with the first event: what a tick takes; 0: not known */
    bool has_wall;
    int64_t first_ns; /* trace clock at t = 0 */
    int64_t lead_ns;  /* how much earlier Go's reader lets the trace begin (its first Sync event) */
    int64_t wall_sec; /* wall clock at t = 0 */
    int32_t wall_nsec;
};

struct source;
struct v2_sink;
struct source_ops {
    /* stream - up to cap (>= 64) halves of events, in order; 0 = the end, or (source.waiting) all that has come so far. */
    size_t (*stream)(struct source *s, struct ev_half *out, size_t cap);
    /* run - about cap events right into the sink; how many, 0 likewise. A reader has the one or the other. */
    size_t (*run)(struct source *s, struct v2_sink *k, size_t cap);
    void (*close)(struct source *s);
};

struct source {
    const struct source_ops *ops;
    void *self;
    const uint8_t *data; /* the decompressed input, header included */
    size_t len;
    const size_t *gap; /* offsets of generations that don't follow the one before (decode/input/joint.h) */
    uint32_t ngap;
    bool grows;   /* len will be more; up to there all generations have come */
    bool waiting; /* the stream stands at len, and more will come: it isn't over (source_ops) */
    bool glance;  /* only the beginning, as far as it is known before all of it is looked at; else fatal */
    uint32_t bad; /* the generation (1 = the first) that strict order was tried with in vain, 0: none; and why */
    struct err why_bad;
    int version;   /* 0 = prototype, else major*1000+minor */
    size_t header; /* bytes of the header: 8 or 16 */
    const struct trace_opts *opts;
    struct names *names;
    struct source_status st;
    struct source_notes damage, warning;
    struct err fatal; /* code != ERR_OK: nothing to show */
};

enum err_code source_v1(struct source *s, struct err *e); /* prototype .. 1.21: decode/v1/v1_source.c */
enum err_code source_v2(struct source *s, struct err *e); /* 1.22 ..: decode/v2/v2_source.c */

/* source_gap - does what begins at this offset not follow what is before it? */
bool source_gap(const struct source *s, size_t at);
/* source_off - the offset of a place in the input. */
static inline size_t source_off(const struct source *s, const uint8_t *p)
{
    return (size_t)(p - s->data);
}

void source_damage(struct source *s, enum err_code code, uint32_t gen, uint64_t off, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void source_warn(struct source *s, enum err_code code, uint32_t gen, uint64_t off, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* source_note - the i-th, from 0, of those that were counted; never NULL, for one that isn't kept says that. */
const struct err *source_note(const struct source_notes *l, uint32_t i);
/* source_note_put - the i-th becomes a copy of *e; nothing where there is no memory. */
void source_note_put(struct source_notes *l, uint32_t i, const struct err *e);
/* source_notes_room - for all that may be kept, so that notes don't move any more: another thread may read them. */
bool source_notes_room(struct source *s);
void source_notes_free(struct source *s);

#endif
