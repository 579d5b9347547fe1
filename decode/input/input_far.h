/*
 * input_far.h - a URL in place of a file's name: some seconds of trace are fetched from the program and
 * read like a pipe.
 */
#ifndef GOTOP_DECODE_INPUT_FAR_H
#define GOTOP_DECODE_INPUT_FAR_H

#include <pthread.h>

#include "decode/input/feed.h"

enum { INPUT_FAR_S = 5 }; /* default number of seconds */

/* input_far_opts - set how URLs are fetched from now on. seconds 0: INPUT_FAR_S. The options are borrowed. */
void input_far_opts(const struct feed_opts *o);
/*
 * input_far_add - a name from the command line: the one by which it goes from now on, in texts and for
 * input_open(): of a URL without user and password. Kept for good, at most INPUT_FARS of them; NULL: there
 * are more. input_far_url - as it was given.
 */
enum { INPUT_FARS = 64 };
const char *input_far_add(const char *name);
const char *input_far_url(const char *name);
/* input_is_far - whether the name is a URL and not a file. */
bool input_is_far(const char *path);

/* input_far_begin - open a pipe that brings the trace, in *fd. input_far_end - close the pipe, read to its
 * end or not. Returns what was wrong with the input; code ERR_OK: nothing. */
struct input_far {
    struct feed *feed;
    pthread_t thread;
    int to;
    struct err why;
};
enum err_code input_far_begin(struct input_far *f, const char *url, int *fd, struct err *e);
struct err input_far_end(struct input_far *f, int fd);

#endif
