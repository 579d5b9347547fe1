/*
 * serve.h - a text for anybody who asks by HTTP: what `gotop top --prometheus` offers.
 *
 * Its socket is opened before the sandbox closes; afterwards it can only accept (viewer/command/sandbox.c).
 * A thread answers one client after the other. Each has a second for its request and its answer, so a slow or
 * hostile one delays the next by no more.
 */
#ifndef GOTOP_TRIAGE_SERVE_H
#define GOTOP_TRIAGE_SERVE_H

#include "decode/base/err.h"
#include "triage/text.h"

enum { SERVE_ASKS = 4096, SERVE_MS = 1000 };

struct serve;
/* serve_open - listen at ":PORT" (on loopback), "ADDRESS:PORT" or "[ADDRESS]:PORT"; port 0: any free one. On
 * failure *out is NULL. serve_at - the address that is used: "127.0.0.1:9090". */
enum err_code serve_open(const char *at, struct serve **out, struct err *e);
const char *serve_at(const struct serve *s);
/* serve_listens - the listening socket, for the sandbox; -1: none. */
extern int serve_listens;
/* serve_begin - answer from now on. serve_put - the text to answer with; it is owned from now on, and *t is
 * empty afterwards. */
enum err_code serve_begin(struct serve *s, struct err *e);
void serve_put(struct serve *s, struct text *t);
void serve_close(struct serve *s); /* NULL is allowed */

#endif
