/*
 * clerk.h - a small process, forked before the sandbox closes (viewer/command/sandbox.h), that does outside
 * the few things which this process then can't: give a file its name, start curl.
 *
 * What it may do is settled before it begins: deeds are added, with all that they may touch. A request is
 * then the number of a deed and a text, which a deed trusts no more than a trace. It ends when this process
 * does, however that ends, and puts away what was left unfinished.
 */
#ifndef GOTOP_DECODE_CLERK_H
#define GOTOP_DECODE_CLERK_H

#include <stdbool.h>
#include <stdint.h>

enum { CLERK_TEXT = 4096, CLERK_FDS = 2 };
struct clerk_said {
    int error;         /* an errno; 0: done */
    int code;          /* an enum err_code of the deed's, with `text` */
    int64_t value;     /* the deed's */
    int fd[CLERK_FDS]; /* the asker's from now on; -1: none */
    char text[CLERK_TEXT];
};
/* A deed, in the clerk: the text is the request's, *said is empty. What it puts into said->fd is closed
 * there. */
typedef void clerk_deed(const char *text, struct clerk_said *said);
/* clerk_add - its number, for clerk_ask(). end: is called in the clerk when it ends; NULL: nothing. Before
 * clerk_begin(). */
int clerk_add(clerk_deed *deed, void (*end)(void));
/* clerk_begin - fork it, unless there is no deed. Call it before there are
 * threads. false: *said why, errno. */
bool clerk_begin(void);
/* clerk_on - there is one, and this is not it. */
bool clerk_on(void);
int clerk_fd(void); /* what leads to it, -1 = nothing; of all sockets the sandbox leaves that one */
/* clerk_ask - from any thread, one after the other. false: it was refused or failed, said->error says why. */
bool clerk_ask(int deed, const char *text, struct clerk_said *said);
/* clerk_end - what is unfinished has been put away when this returns. Also from a signal's handler, and more
 * than once. */
void clerk_end(void);

#endif
