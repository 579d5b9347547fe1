/*
 * serve.h - a text for whoever asks by HTTP: what `gotop top --prometheus` offers.
 *
 * Its socket is opened before the sandbox closes, of which the only thing that it leaves to do is to accept
 * (viewer/command/sandbox.c). A thread of its own answers: no client, however slow or hostile, holds the
 * others up or what makes the text. A few at once, each with a time in which it must have asked and taken its
 * answer.
 */
#ifndef GOTOP_TRIAGE_SERVE_H
#define GOTOP_TRIAGE_SERVE_H

#include "decode/base/err.h"
#include "triage/text.h"

enum { SERVE_CLIENTS = 8, SERVE_ASKS = 4096, SERVE_MS = 5000 };

struct serve;
/*
 * serve_open - listen at ":PORT" (on loopback), "ADDRESS:PORT" or "[ADDRESS]:PORT"; port 0: any that is free.
 * On failure *out is NULL. serve_at - where that is: "127.0.0.1:9090".
 */
enum err_code serve_open(const char *at, struct serve **out, struct err *e);
const char *serve_at(const struct serve *s);
/* serve_listens - the socket that clients are accepted from, -1 none: for the sandbox. */
extern int serve_listens;
/* serve_begin - answer from now on. serve_put - the text from now on (taken over, t is empty behind it). */
enum err_code serve_begin(struct serve *s, struct err *e);
void serve_put(struct serve *s, struct text *t);
void serve_close(struct serve *s); /* NULL is allowed */

#endif
