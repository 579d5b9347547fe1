/*
 * input_far.h - a URL in place of a file's name: some seconds of trace are fetched from the program.
 */
#ifndef GOTOP_DECODE_INPUT_FAR_H
#define GOTOP_DECODE_INPUT_FAR_H

#include "decode/input/feed.h"

enum { INPUT_FAR_S = 5 }; /* default number of seconds */

/* input_far_opts - set how URLs are fetched from now on. seconds 0: INPUT_FAR_S. The options are borrowed.
 * input_far_by - how they are. */
void input_far_opts(const struct feed_opts *o);
const struct feed_opts *input_far_by(void);
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

#endif
