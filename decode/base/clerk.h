/*
 * clerk.h - the clerk: a small process, forked before the sandbox closes (viewer/command/sandbox.h), that
 * does the few things outside which this process then can't do: rename a file, start curl.
 *
 * What it may do is fixed before it starts: actions are registered with all that they may touch. A request
 * is then the number of an action and a text, which the action trusts no more than a trace. The clerk ends
 * when this process does, for whatever reason, and removes what was left unfinished.
 */
#ifndef GOTOP_DECODE_CLERK_H
#define GOTOP_DECODE_CLERK_H

#include <stdbool.h>
#include <stdint.h>

enum { CLERK_TEXT = 4096, CLERK_FDS = 2 };
struct clerk_said {
    int error;         /* an errno; 0: success */
    int code;          /* an enum err_code of the action, with `text` */
    int64_t value;     /* set by the action */
    int fd[CLERK_FDS]; /* owned by the caller of clerk_ask(); -1: none */
    char text[CLERK_TEXT];
};
/* An action, run in the clerk. The text is the request's, *said is empty. A descriptor in said->fd is
 * closed there afterwards. */
typedef void clerk_action(const char *text, struct clerk_said *said);
/* clerk_add - Register an action before clerk_begin(). Returns its number for clerk_ask(). end: called in
 * the clerk when it ends; may be NULL. */
int clerk_add(clerk_action *action, void (*end)(void));
/* clerk_begin - Fork the clerk, unless there is no action. Call it before there are threads. Returns false
 * on failure, with *said the reason, errno set. */
bool clerk_begin(void);
/* clerk_on - Whether there is a clerk and this process is not it. */
bool clerk_on(void);
int clerk_fd(void); /* the socket to the clerk, -1 = none; the only socket that the sandbox allows */
/* clerk_ask - Make a request; from any thread, one after the other. Returns false if it was refused or
 * failed; said->error says why. */
bool clerk_ask(int action, const char *text, struct clerk_said *said);
/* clerk_end - End the clerk. When this returns, unfinished files have been removed. May be called from a
 * signal handler, and more than once. */
void clerk_end(void);

#endif
