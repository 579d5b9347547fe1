/*
 * parts.h - a trace that is larger than the memory for its model: held part by part.
 *
 * While the model fits, all of it is kept, and a mark is set now and then: what decoding needs to go on from that
 * moment (source_ops.mark, fold_carry()). When live memory nears the limit the trace turns bounded: what was folded
 * since the last mark goes into the overview (decode/model/overview.h), a mark is set, and a fold that knows only what is
 * open takes the place of the old one. So the first pass goes through the file once. Afterwards trace_want() goes
 * back to a mark and folds again from there, until the window asked for is held.
 *
 *   file  |--------|--------|--------|--------|     marks: every 1/8 of the limit or so
 *                  [ detail       )                 what tr->fold holds: [t0,t1)
 *
 * Only readers that can stop and go on do this: the second family's. The first must be ordered as a whole; there the
 * limit ends the decoding, with a damage.
 */
#ifndef GOTOP_DECODE_PARTS_H
#define GOTOP_DECODE_PARTS_H

#include "decode/model/carry.h"
#include "decode/model/overview.h"
#include "decode/events/source.h"
#include "decode/trace.h"

struct part_sums { /* exact sums of each P, then each band, up to a moment */
    struct ov_sum *v;
    size_t np;
};

struct part_mark {
    int64_t t; /* everything before and at it is done */
    void *src; /* NULL with fold: the start of the file */
    struct fold *fold;
    struct part_sums sums;
    size_t cost;        /* bytes it takes */
    size_t model;       /* bytes the model took from here to the next mark */
    int64_t reach;      /* how far the memory went when decoding began here, for a window from */
    int64_t reach_from; /* this moment on; 0, 0 = it has been enough */
    uint32_t nstr;      /* strings, and the highest goroutine id, that can have been told of before it */
    uint64_t most_g;
};

struct parts {
    bool able;          /* the reader can do it */
    size_t limit, step; /* bytes; model between two marks */
    size_t next;        /* live memory at which to stop and look */
    size_t last;        /* ... that there was at the last mark */
    size_t fixed;       /* ... with nothing yet in the detail */
    struct part_mark *mark;
    size_t n, cap, cost;
    size_t need; /* live memory that the last step to the next part took, about */
    bool bounded;
    bool ready;     /* [t0,t1) is complete; the next step leaves it */
    int64_t t0, t1; /* the detail */
    struct part_sums s0, s1;
    struct overview ov;
    bool whole; /* the overview is complete */
    bool seeking;
    bool lost; /* there was no memory to go back to a part: no more tries */
    int64_t want0, want1, until;
    uint32_t carried;   /* goroutines that the detail's fold began with */
    uint64_t spans0;    /* spans that it began with */
    uint32_t counted;   /* goroutines of the detail's fold that most_g knows */
    uint64_t most_g;    /* the highest id of all so far */
    struct gbucket *gb; /* goroutines by state over the whole trace, once the first pass is over */
    size_t ngb;
    unsigned gb_shift;
};

struct trace;
void parts_init(struct trace *tr);
void parts_free(struct trace *tr);
/* parts_look - live memory is above parts.next, and the reader stands still. */
enum part { PART_ON, PART_READY, PART_STOP };
enum part parts_look(struct trace *tr);
/* parts_leave - give up the part that is ready, and go on behind it. false: no memory. */
bool parts_leave(struct trace *tr);
/* parts_end - the first pass is over. */
void parts_end(struct trace *tr);
/* parts_seek - the detail begins anew at a mark; the reader must not run. parts_found: this step was the last. */
bool parts_seek(struct trace *tr, size_t mark);
bool parts_found(const struct trace *tr);
void parts_seek_end(struct trace *tr);
/* parts_shown - bring trace_info up to date. */
void parts_shown(struct trace *tr);

/* parts_totals - as spans_totals(), of a P or a band at any time of the trace. */
void parts_totals(const struct trace *tr, struct lane l, const int64_t *t, uint32_t n, int64_t (*out)[SPAN_SLOTS],
                  uint64_t *count);

/* parts_minmax - as trace_minmax(); f answers for the detail. */
bool parts_minmax(const struct trace *tr, enum metric m, int64_t t0, int64_t t1,
                  bool (*f)(const struct trace *, enum metric, int64_t, int64_t, uint64_t *, uint64_t *),
                  uint64_t *min, uint64_t *max);

#endif
