/*
 * follow.h - a program that is running as a trace that grows: what the screen shows of it.
 *
 * The generations that are held lie one behind the other in one range of addresses, behind the trace's
 * header, so that the model decodes what is new without reading the rest again. Before more is held than
 * --keep says, a second model is begun, of what comes from then on; it is made beside the first by a thread
 * of its own, and takes its place once it holds enough: its time 0 is a later moment then. So of a time at
 * least that is held and at most twice as much, and each generation is decoded twice. A size is of all the
 * memory that what is held takes, the bytes and both models: from half of it on there is a second one, at
 * four fifths it takes over; of the trace that is a third to a tenth of the size, and half of it is decoded
 * twice.
 *
 *    reader's thread           caller's thread                        maker's thread
 *    triage/live/live.c        follow.c, app_live.c                   models.c
 *
 *    bytes -> generations  ->  strip  |g1|g2|g3|g4|g5|..|  <- put behind
 *                                     |        `--- `next`, from g4 on <- decodes what is put
 *                                     `------------ the model shown: decoded by follow_step()
 *
 *    FOLLOW_MOVED: `next` is the model shown from now on; the old one stays for who still looks at it, until
 *    follow_release(); then the maker's thread frees it, and what stands before g4 in the strip.
 *
 * What comes faster than it can be decoded, or when memory is short, is left out, whole generations before
 * they are decoded: what is behind them stands behind a gap, as what was never recorded.
 */
#ifndef GOTOP_VIEWER_FOLLOW_H
#define GOTOP_VIEWER_FOLLOW_H

#include "triage/live/live.h"

struct follow_opts {
    struct live_opts live;
    int64_t keep_ns;     /* 0 = 30 s */
    uint64_t keep_bytes; /* of memory; 0 = by time alone, and half of what is free */
    const char *raw;     /* file for every byte as sent, NULL = none; of the Nth connection FILE.N */
};

struct follow;

/*
 * follow_open - connect, and wait until the first generation is whole (SIGINT ends the wait: ERR_IO). On
 * failure *out is NULL and *e says why.
 */
enum err_code follow_open(const struct follow_opts *o, struct follow **out, struct err *e);
void follow_close(struct follow *f); /* NULL is allowed; its trace goes with it */
/*
 * follow_reconnect - after the end: connect once more. What comes is put behind what is held, with a gap
 * between, if one process made both (joint_follows()); else it takes its place. follow_step() says
 * FOLLOW_RECONNECTED when it did, FOLLOW_REFUSED when there is no connection. follow_connecting - neither
 * yet.
 */
enum err_code follow_reconnect(struct follow *f, struct err *e);
bool follow_connecting(const struct follow *f);
/* follow_late - how late what came last was, ns (live_late()). */
int64_t follow_late(const struct follow *f);
/* follow_left_out - bytes that came and were not taken. */
uint64_t follow_left_out(const struct follow *f);
/* follow_lacks - what is shown isn't yet what came will be: some is to be decoded, or a second model is (to
 * be) made that takes over. */
bool follow_lacks(const struct follow *f);

/* follow_trace - the model to show. It changes only when follow_step() says FOLLOW_MOVED. */
struct trace *follow_trace(const struct follow *f);

enum follow_news {
    FOLLOW_GREW = 1, /* the model has more */
    FOLLOW_MOVED =
        2, /* it is another one, that begins *by ns later; the old one lives until follow_release() */
    FOLLOW_ENDED = 4,        /* no more comes: see follow_why() */
    FOLLOW_BUSY = 8,         /* there is more to decode: call again soon */
    FOLLOW_LEFT_OUT = 16,    /* decoding can't keep up, or memory is short: more was left out */
    FOLLOW_RECONNECTED = 32, /* with MOVED: the program was connected to once more */
    FOLLOW_REFUSED = 64,     /* that failed: see follow_refused() */
    FOLLOW_UNSAVED = 256,    /* what comes is shown, but saved no more: see follow_unsaved() */
    FOLLOW_SHORT = 128       /* memory is needed: follow_forget() */
};
/* follow_step - take what has come and decode for about budget_ns; 0: only take, the model stands still. */
unsigned follow_step(struct follow *f, int64_t budget_ns, int64_t *by);
void follow_release(struct follow *f);
/* follow_keep - instead: the old one lives on, another process's trace, until follow_forget(), the next
 * follow_keep() or the end. */
void follow_keep(struct follow *f);
void follow_forget(struct follow *f);
/* follow_why - why it ended, safe text; "" while it goes on, or if the program just ended its trace. */
const char *follow_why(const struct follow *f);
const char *follow_refused(const struct follow *f);
/* follow_unsaved - why the file of -o lacks what came last, safe text; "" while it doesn't. */
const char *follow_unsaved(const struct follow *f);
/* follow_saves - goes what comes now into its file? true, too, if none was asked for. */
bool follow_saves(const struct follow *f);
/* follow_replaced - it ended because another file has the name, or another trace is in the file:
 * follow_reconnect() goes on there. */
bool follow_replaced(const struct follow *f);
bool follow_joined(
    const struct follow *f); /* what came of the last connection stands behind what was before it */
bool follow_ended(const struct follow *f);
/* follow_stop - let the program go, to be suspended: it stops tracing. What is held stays. */
void follow_stop(struct follow *f);

#endif
