/*
 * follow.h - a program that is running as a trace that grows: what the screen shows of it.
 *
 * The generations that are held lie one behind the other in one range of addresses, behind the trace's header, so that the
 * model decodes what is new without reading the rest again. When more is held than --keep says, a second model of the
 * newer part is made beside the first, a slice at a time, and takes its place once it has caught up: its time 0 is a later
 * moment then. So at most two and a half times --keep is in memory.
 */
#ifndef GOTOP_VIEWER_FOLLOW_H
#define GOTOP_VIEWER_FOLLOW_H

#include "triage/live/live.h"

struct follow_opts {
    struct live_opts live;
    int64_t keep_ns;     /* 0 = 30 s */
    uint64_t keep_bytes; /* 0 = by time alone */
    const char *raw;     /* file for every byte as sent, NULL = none */
};

struct follow;

/*
 * follow_open - connect, and wait until the first generation is whole (SIGINT ends the wait: ERR_IO). On failure *out is
 * NULL and *e says why.
 */
enum err_code follow_open(const struct follow_opts *o, struct follow **out, struct err *e);
void follow_close(struct follow *f); /* NULL is allowed; its trace goes with it */

/* follow_trace - the model to show. It changes only when follow_step() says FOLLOW_MOVED. */
struct trace *follow_trace(const struct follow *f);

enum follow_news {
    FOLLOW_GREW = 1,  /* the model has more */
    FOLLOW_MOVED = 2, /* it is another one, that begins *by ns later; the old one lives until follow_let_go() */
    FOLLOW_ENDED = 4, /* no more comes: see follow_why() */
    FOLLOW_BUSY = 8   /* there is more to decode: call again soon */
};
/* follow_step - read what has come and decode for about budget_ns; 0: only read, the model stands still. */
unsigned follow_step(struct follow *f, int64_t budget_ns, int64_t *by);
void follow_let_go(struct follow *f);
/* follow_why - why it ended, safe text; "" while it goes on, or if the program just ended its trace. */
const char *follow_why(const struct follow *f);
bool follow_ended(const struct follow *f);
/* follow_stop - let the program go: it stops tracing. What is held stays. */
void follow_stop(struct follow *f);

#endif
