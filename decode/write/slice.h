/*
 * slice.h - writes neutral events as one generation of the second family.
 *
 * All events of a trace are given to slice_take(), from before the range on. Until slice_begin() only the
 * states of goroutines, Ps and threads are followed; then they are written as statuses, and each event
 * after that as an event of the thread that it happened on. An event that contradicts these states is left
 * out, so Go's reader takes what is written.
 */
#ifndef GOTOP_DECODE_SLICE_H
#define GOTOP_DECODE_SLICE_H

#include "decode/events/ev.h"
#include "decode/v2/v2_gen.h"
#include "decode/write/cut.h"

struct slice_g {
    uint64_t id, seq;
    uint32_t m; /* its thread; 0: none */
    uint32_t stack, label, kind, kind_stack;
    uint8_t state; /* ST_NONE: not known, or it has ended */
    bool assist, stw;
    bool later; /* created after the range */
};
struct slice_p {
    uint64_t id, seq;
    uint32_t m;     /* its thread; 0: none */
    uint8_t status; /* V2_PS_..; 0: not known */
    bool sweep;
};
/* This is a thread and its open batch. 0: no thread; odd numbers: the reader's; others: made up. */
struct slice_m {
    uint64_t id;
    uint32_t g, p; /* + 1; 0: none */
    uint8_t *buf;
    size_t n, cap;
    uint64_t first, last; /* times of the batch */
};
struct slice {
    const struct names *names;
    int version;         /* of the slice */
    bool on, over, oom;  /* over: only what existed in the range and wasn't written before is still taken */
    bool lost;           /* the last event says that events are missing */
    uint64_t freq, unit; /* its clock: units per second; ns per unit, a whole number */
    int64_t now;         /* time to write for the next event, ns */
    struct slice_g *g;
    struct slice_p *p;
    struct slice_m *m;
    size_t capg, capp, capm;
    uint32_t made;   /* number of threads that were made up */
    bool gc, gc_due; /* gc_due: it began or ended, which isn't written yet */
    uint64_t gc_seq;
    uint32_t stops; /* goroutine that stops the world */
    struct {
        uint64_t value;
        bool known;
    } metric[METRIC_COUNT];
    struct slice_sample {
        uint64_t v[5];
    } * sample;
    size_t nsample, capsample;
    bool *str, *stack; /* whether these names are used */
    size_t capstr, capstack;
    struct slice_held { /* the batches that are written */
        uint8_t *p;
        size_t n, cap;
    } held;
};

/* slice_take - Take the next event, which is at s->now. */
void slice_take(struct slice *s, const struct ev *e);
/* slice_begin - The range begins at `from`: write the states. Returns how many ns earlier the statuses
 * begin. */
int64_t slice_begin(struct slice *s, int64_t from);
/* slice_pin - Write an event at s->now that changes nothing. slice_keep - Move all batches to the outlet.
 * slice_drop - Forget those that aren't there yet. */
void slice_pin(struct slice *s);
void slice_keep(struct slice *s, struct outlet *out);
void slice_drop(struct slice *s, size_t nsample);
/* slice_head - Write the clock. snap: what the other clocks show, NULL: not known. slice_tail - Write the
 * tables. */
void slice_head(struct slice *s, struct outlet *out, const struct v2_raw_clock *snap);
void slice_tail(struct slice *s, struct outlet *out);
void slice_free(struct slice *s);

#endif
