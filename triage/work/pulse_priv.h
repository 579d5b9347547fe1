/*
 * pulse_priv.h - a pulse from within: for pulse.c, which follows goroutines from model to model, and
 * pulse_pieces.c, which holds the pieces that are over. Nobody else includes it.
 */
#ifndef GOTOP_TRIAGE_PULSE_PRIV_H
#define GOTOP_TRIAGE_PULSE_PRIV_H

#include "triage/findings/requests.h"
#include "triage/tables/tab.h"
#include "triage/work/pulse.h"

enum { NAMES = 256 }; /* start functions that are known */

struct piece { /* 16 bytes: there are many */
    int64_t t1;
    uint64_t row_dur; /* its row above DUR_BITS */
};

struct named { /* a start function that does work */
    char *name;
    char *place; /* where it waits for questions; NULL: net/http's, or it is asked none */
    enum work_kind_id kind;
    bool lives;   /* pieces are whole goroutines */
    uint32_t row; /* NO_LANE: none yet */
};

struct under_way { /* what a goroutine is in the middle of; or a task */
    uint64_t id;
    int64_t since, answered;
    bool wrote, calls;
    bool idle; /* it waits for more */
    bool task, over;
};

struct pulse {
    struct pulse_row row[PULSE_ROWS];
    uint32_t nrows;
    struct named named[NAMES];
    uint32_t nnamed;
    struct piece *piece;
    size_t n, cap;
    bool any;
    int64_t end, since;
    /* what goes on: looked up in `was`, written down in `is` */
    struct under_way *was, *is;
    uint32_t nwas, nis;
    size_t cap_was, cap_is;
    struct tab by_id; /* id, is it a task: in `was` */
    /* of a model that grows: goroutines that had not ended, and those behind them */
    uint32_t *alive, *alive_then;
    uint32_t nalive, nalive_then, lanes_then;
    size_t cap_alive, cap_alive_then;
    /* the model at hand */
    const struct trace *tr;
    uint32_t epoch;
    int64_t from, to, zero; /* the trace's clock; zero: the model's 0 */
    uint32_t next, lanes;
    struct tab of_name; /* string: 1 + its struct named, 0 none */
    struct tab more;    /* (reason, stack), named: does it wait for more there? */
    struct request_cut cut;
    bool done, failed, gap;
};

/* pulse_add - a piece of a row is over. Out of memory: p->failed. */
void pulse_add(struct pulse *p, uint32_t row, int64_t t0, int64_t t1);

#endif
