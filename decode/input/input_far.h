/*
 * input_far.h - a URL where a file's name goes: the program behind it is asked for some seconds of trace, and
 * what comes is read as a pipe is.
 */
#ifndef GOTOP_DECODE_INPUT_FAR_H
#define GOTOP_DECODE_INPUT_FAR_H

#include <pthread.h>

#include "decode/input/feed.h"

enum { INPUT_FAR_S = 5 }; /* if nobody says how many */

/* input_far_opts - how URLs are asked, from now on; seconds 0: INPUT_FAR_S. Borrowed. */
void input_far_opts(const struct feed_opts *o);
/*
 * input_far_add - a name from the command line: the one by which it goes from now on, in texts and for
 * input_open(): of a URL without user and password. Kept for good, at most INPUT_FARS of them; NULL: there
 * are more. input_far_url - as it was given.
 */
enum { INPUT_FARS = 64 };
const char *input_far_add(const char *name);
const char *input_far_url(const char *name);
/* input_is_far - is that a URL, and no file's name? */
bool input_is_far(const char *path);

/*
 * input_far_begin - a pipe that the trace comes from, in *fd. input_far_end - the pipe was read to its end,
 * or is read no further: what was wrong with what came, code ERR_OK: nothing. The pipe is closed.
 */
struct input_far {
    struct feed *feed;
    pthread_t thread;
    int to;
    struct err why;
};
enum err_code input_far_begin(struct input_far *f, const char *url, int *fd, struct err *e);
struct err input_far_end(struct input_far *f, int fd);

#endif
