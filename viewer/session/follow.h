/*
 * follow.h - the trace of a running program, held for the screen: what came last, in bounded memory.
 *
 * A model (models.h) decodes new generations without reading the old ones again, but it cannot forget its
 * beginning. So before more is held than --keep allows, a second model, `next`, is started, of the
 * generations that come from then on. When `next` holds enough it replaces the model on the screen, and its
 * time 0 is a later moment. At least the time asked for is held, at most twice as much, and each generation
 * is decoded twice. A --keep in bytes bounds all memory, both models': `next` begins at half of it and
 * replaces the other at four fifths.
 *
 *    reader's thread           caller's thread
 *    triage/live/live.c        follow.c, app_live.c
 *
 *    bytes -> generations  ->  now   |header|g1|g2|g3|g4|g5|..   <- appended to, decoded by follow_step()
 *                              next  |header|g4|g5|..            <- as well
 *
 *    FOLLOW_MOVED: `next` is now the model shown. The old one stays until follow_release(), for who still
 *    reads it.
 *
 * Generations that come faster than they can be decoded, or that memory has no room for, are left out before
 * they are decoded. The trace has a gap there, as where nothing was recorded.
 */
#ifndef GOTOP_VIEWER_FOLLOW_H
#define GOTOP_VIEWER_FOLLOW_H

#include "triage/live/live.h"

struct follow;

/*
 * follow_open - connect, and wait for the first whole generation. SIGINT ends the wait with ERR_IO. On
 * failure *out is NULL and *e says why. The caller owns *out. Of the options: o->keep, trace time to hold (0:
 * 30 s), or memory to use (0: as that needs, at most half of what is free); o->out: save every byte in this
 * file (the Nth connection in FILE.N).
 */
enum err_code follow_open(const struct options *o, struct follow **out, struct err *e);
void follow_close(struct follow *f); /* NULL is allowed; its trace is closed, too */

/* follow_now - how it is. Texts are safe on a terminal and stand until the next call with *f. */
struct follow_now {
    struct trace *trace; /* the model to show; another one only after FOLLOW_MOVED */
    bool ended;          /* no more comes; why: "": the program just ended its trace */
    bool replaced;       /* the file that was followed is another trace now: follow_reconnect() opens that */
    bool connecting;     /* follow_reconnect() is under way */
    bool joined;         /* the last connection's trace was appended to what is held */
    bool lacks; /* what has come is not all shown yet: some is to be decoded, or a second model is about to
                 * replace this one */
    bool saves; /* what comes is saved in the file of `raw`, or none was asked for */
    int64_t late_ns;     /* how late what came last was (live_late()) */
    uint64_t left_out;   /* bytes that came and were left out */
    const char *why;     /* it ended */
    const char *refused; /* why the last connection failed */
    const char *unsaved; /* why the file of `raw` lacks what came last; "": it lacks nothing */
};
struct follow_now follow_now(const struct follow *f);

enum follow_news {
    FOLLOW_GREW = 1,         /* the model has more */
    FOLLOW_MOVED = 2,        /* another model is shown; see follow_step() */
    FOLLOW_ENDED = 4,        /* no more comes: see follow_now() */
    FOLLOW_BUSY = 8,         /* there is more to decode: call again soon */
    FOLLOW_LEFT_OUT = 16,    /* more generations were left out */
    FOLLOW_RECONNECTED = 32, /* with FOLLOW_MOVED: the new connection's trace is shown */
    FOLLOW_REFUSED = 64,     /* the new connection failed */
    FOLLOW_UNSAVED = 128     /* the file of `raw` gets no more */
};
/*
 * follow_step - take what has come and decode for about budget_ns; with 0 nothing is decoded, and the model
 * does not change. Returns enum follow_news. With FOLLOW_MOVED, the new model's time 0 is *by ns later than
 * the old one's, which lives until follow_release().
 */
unsigned follow_step(struct follow *f, int64_t budget_ns, int64_t *by);
void follow_release(struct follow *f);

/*
 * follow_reconnect - after the end, connect once more. If the same process made both traces
 * (joint_follows()), the new one is appended behind a gap; if not, it replaces the old one. follow_step()
 * then returns FOLLOW_RECONNECTED or FOLLOW_REFUSED.
 */
enum err_code follow_reconnect(struct follow *f, struct err *e);
/* follow_stop - let the program go: it stops tracing. What is held stays. */
void follow_stop(struct follow *f);

#endif
