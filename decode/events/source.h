/*
 * source.h - what a format family's reader is to all other code: a stream of neutral events in final order.
 *
 * trace.c opens the input, tells the dialect, and calls source_v1() or source_v2(), which set `ops` and
 * `self`. It then calls ops->stream() or ops->run() until that returns 0. Where generations can be decoded
 * one by one loader.c reads them instead, each with a source of its own. stream() may be called by a thread
 * of its own: a reader shares nothing with fold but the names, which are made for that, and copies of its
 * status.
 *
 * A reader never fails. Damage is noted with source_damage(), and is skipped or ends the stream; what was
 * read before it stands. If nothing could be read it sets `fatal`, and the stream is empty.
 */
#ifndef GOTOP_DECODE_SOURCE_H
#define GOTOP_DECODE_SOURCE_H

#include "decode/events/ev.h"
#include "decode/events/names.h"
#include "decode/input/input.h"
#include "decode/trace.h"

#define SOURCE_NOTES 64 /* how many damages and how many warnings are kept; more are only counted */
struct source_notes {   /* both grow on demand, because there are as many sources as generations */
    struct err *v;
    size_t cap;
};

/*
 * ns. A clock counts from when the host was started, or from 1970 (up to 2043) where a program has no better
 * one. A time at or beyond this is damage; so no sum of two times can overflow.
 */
#define SOURCE_TIME_MAX ((int64_t)1 << 61)

struct source_status {   /* copied to the model with every chunk of events */
    uint64_t bytes_done; /* offset up to which the input is decoded */
    uint64_t batches, experimental_batches;
    uint32_t generations;
    uint32_t ndamages, nwarnings;
    uint64_t lacks; /* uses of names that no table has, where nothing else says that something is missing */
    uint32_t nstrs, nstacks; /* number of names that may be looked up; set by trace.c */
    bool has_clock, clock_assumed;
    double tick_ns; /* first family: ns per tick, set at the first event; 0: not known */
    bool has_wall;
    int64_t first_ns; /* trace clock at t = 0 */
    int64_t lead_ns;  /* how much earlier Go's reader lets the trace begin (its first Sync event) */
    int64_t wall_sec; /* wall clock at t = 0 */
    int32_t wall_nsec;
};

struct source;
struct v2_sink;
struct source_ops {
    /* stream - write up to cap (>= 64) halves of events, in order; returns their number. 0: the trace has
     * ended or (source.waiting) no more has arrived yet. */
    size_t (*stream)(struct source *s, struct ev_half *out, size_t cap);
    /* run - put about cap events into the sink, or take another step (a generation's end), so that no call
     * takes long even without events. Returns their number, 0 as above. A reader has either stream() or
     * run(). */
    size_t (*run)(struct source *s, struct v2_sink *k, size_t cap);
    void (*close)(struct source *s);
};

struct source {
    const struct source_ops *ops;
    void *self;
    const uint8_t *data; /* the decompressed input, header included */
    size_t len;
    const size_t *gap; /* offsets of generations with a gap before them (decode/input/joint.h) */
    uint32_t ngap;
    bool grows;   /* more will be added behind len; up to there generations are whole */
    bool waiting; /* all bytes up to len are read, and more will arrive */
    uint32_t bad; /* a generation (1 = the first) of which a segment found that events are missing; 0: none */
    struct err why_bad;
    int version;   /* 0 = prototype, else major*1000+minor */
    size_t header; /* size of the header in bytes: 8 or 16 */
    const struct trace_opts *opts;
    struct names *names;
    struct source_status st;
    struct source_notes damage, warning;
    struct err fatal; /* code != ERR_OK: nothing could be read */
};

enum err_code source_v1(struct source *s, struct err *e); /* prototype .. 1.21: decode/v1/v1_source.c */
enum err_code source_v2(struct source *s, struct err *e); /* 1.22 ..: decode/v2/v2_source.c */

/* source_of - a source of these bytes, by the rules of this version, for what reads them without a model. */
static inline struct source source_of(const struct input *in, int version, size_t header, struct names *nm)
{
    return (struct source){.data = in->data,
                           .len = in->len,
                           .gap = in->gap,
                           .ngap = in->ngap,
                           .version = version,
                           .header = header,
                           .names = nm};
}

/* source_close - free the reader, if there is one; what it noted stays. */
static inline void source_close(struct source *s)
{
    if (s->ops)
        s->ops->close(s);
}

/* source_left - whether nobody needs the rest any more (trace_opts.leave). Reading then ends as if out of
 * memory. */
static inline bool source_left(const struct source *s)
{
    return s->opts && s->opts->leave && s->opts->leave();
}

/* source_gap - whether there is a gap right before this offset (source.gap). */
bool source_gap(const struct source *s, size_t at);
/* source_off - the offset of an address within the input. */
static inline size_t source_off(const struct source *s, const uint8_t *p)
{
    return (size_t)(p - s->data);
}

/* source_damage, source_warn - note damage, a warning: generation (0: none), offset or ERR_NO_OFFSET, one
 * line. */
#define source_damage(s, ...) source_tell(s, true, __VA_ARGS__)
#define source_warn(s, ...) source_tell(s, false, __VA_ARGS__)
void source_tell(struct source *s, bool damage, enum err_code code, uint32_t gen, uint64_t off,
                 const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* source_lacks - warn of n uses of names that no table has. */
void source_lacks(struct source *s, uint64_t n, uint32_t gen, uint64_t off);

/* source_starved - whether the reader ran out of memory. */
bool source_starved(const struct source *s);
/* source_note - the i-th note, from 0. Never NULL: a note that was not kept is replaced by one that says
 * so. */
const struct err *source_note(const struct source_notes *l, uint32_t i);
/* source_note_put - make the i-th note a copy of *e. Out of memory: does nothing. */
void source_note_put(struct source_notes *l, uint32_t i, const struct err *e);
/* source_notes_room - allocate room for all notes at once: they never move after that, and another thread
 * may read them. */
bool source_notes_room(struct source *s);
void source_notes_free(struct source *s);

#endif
