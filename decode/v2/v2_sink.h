/*
 * v2_sink.h - where a generation's events go, in their order.
 *
 * v2_order.c decides whose event is next. Most events of a trace are of the few common kinds, come one after another from
 * one thread, and are what the state asks for: these the sink carries out itself, by the rules of v2_rules.h, for as long as
 * they are the earliest. All others are carried out by v2_adv() and given to the sink as struct ev.
 */
#ifndef GOTOP_DECODE_V2_SINK_H
#define GOTOP_DECODE_V2_SINK_H

#include "decode/v2/v2_order.h"

enum turn_rc {
    TURN_ON,   /* the next event's time is known, and it is later than `until`: it goes on later */
    TURN_OUT,  /* the next event is the cursor's again, untried */
    TURN_OVER, /* the cursor has no more */
    TURN_DONE  /* it was done, and the heap is as it should be again; of turn(): o->stopped, nothing was */
};

struct v2_sink {
    struct v2_order *o; /* whose events; v2_order_run()'s to set */
    size_t n, others;   /* events that turns took since begin(), and that take() was given */
    size_t room;        /* how many more turns may take; counted down */
    /* begin, end - around any number of events. false: no memory, or there are to be no more. */
    bool (*begin)(struct v2_sink *k);
    void (*end)(struct v2_sink *k);
    /*
     * turn - the cursor's events, as long as they are at most `until`. What they change of its thread, and what it runs, need
     * not be written down before close(). *t: the time of the next one.
     */
    enum turn_rc (*turn)(struct v2_sink *k, struct v2_cursor *c, int64_t until, int64_t *t);
    void (*pause)(
        struct v2_sink
            *k); /* how far turns have come is in o->last, before an event that concerns its own thread only */
    void (*close)(struct v2_sink *k); /* and all else that they changed is in o, before one that may concern any */
    bool (*take)(struct v2_sink *k);  /* o->out[0 .. o->nout), which is empty then. false: no memory */
};

#endif
