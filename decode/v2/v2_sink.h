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
    TURN_DONE  /* the heap is as it should be again, and there is something else to look at, or o->stopped */
};

struct v2_sink {
    struct v2_order *o; /* whose events; v2_order_run()'s to set */
    size_t n, others;   /* events that turns took since begin(), and that take() was given */
    size_t room;        /* how many more turns may take, at least one; counted down */
    /* begin, end - around any number of events. false: no memory, or there are to be no more. */
    bool (*begin)(struct v2_sink *k);
    void (*end)(struct v2_sink *k);
    /*
     * turns - threads' events, one thread's after another's, always the earliest ones: until one comes that is not for here, or
     * there is something else to look at. The answer is of the first cursor, whose time in the heap may be later now. What they
     * change of a thread, and what it runs, need not be written down before close(). *until: v2_alone_until() of the last turn.
     */
    enum turn_rc (*turns)(struct v2_sink *k, int64_t *until);
    void (*pause)(
        struct v2_sink
            *k); /* how far turns have come is in o->last, before an event that concerns its own thread only */
    void (*close)(struct v2_sink *k); /* and all else that they changed is in o, before one that may concern any */
    bool (*take)(struct v2_sink *k);  /* o->out[0 .. o->nout), which is empty then. false: no memory */
};

#endif
