/*
 * pulse_priv.h - a pulse's internals, for pulse.c (follows goroutines from model to model) and
 * pulse_pieces.c (holds the finished pieces) only.
 */
#ifndef GOTOP_TRIAGE_PULSE_PRIV_H
#define GOTOP_TRIAGE_PULSE_PRIV_H

#include "triage/findings/requests.h"
#include "triage/tables/tab.h"
#include "triage/work/pulse.h"

enum { DUR_BITS = 48 };
struct piece { /* 16 bytes, as there are many */
    int64_t t1;
    uint64_t row : 64 - DUR_BITS, dur : DUR_BITS;
};

struct known { /* a work: a type of task, or a start function that does it */
    struct pulse_row row;
    char *place;        /* where it waits for requests, or pauses; NULL: net/http's, or it has none */
    bool lives;         /* pieces are whole goroutines */
    bool paced;         /* they are what it does between two pauses */
    struct parts parts; /* in the current model; .tr NULL: not set yet */
};

struct under_way { /* the current state of a goroutine, or of a task */
    uint64_t id;
    struct parting p; /* on the trace's clock */
    bool task, over;
};

struct pulse {
    struct known row[PULSE_ROWS];
    uint32_t nrows;
    struct piece *piece;
    size_t n, cap;
    bool any;
    int64_t end, since;
    /* what goes on: the first `was` of them when the last model ended, the others when this one does */
    struct under_way *on;
    uint32_t was, non;
    size_t cap_on;
    struct tab by_id; /* id and whether it is a task: which of the first ones */
    /* of a growing model: the goroutines that had not ended, `alive_then` of them and nalive so far, for a
     * goroutine is read before another one takes its place; and those after them */
    uint32_t *alive, alive_then, nalive;
    size_t cap_alive;
    uint32_t lanes_then;
    /* the current model */
    const struct trace *tr;
    uint32_t epoch;
    int64_t from, to, zero; /* the trace's clock at the model's time 0 */
    uint32_t next, lanes;
    struct tab of_name; /* by string: 1 + its row; 0: none */
    bool done, failed, gap;
};

/* pulse_add - Add a finished piece to a row (NULL: there was no room for it). Sets p->failed if out of
 * memory. */
void pulse_add(struct pulse *p, struct known *k, int64_t t0, int64_t t1);

#endif
