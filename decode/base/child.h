/*
 * child.h - what another program gets from us: how it takes signals, and names as its arguments.
 *
 * gotop ignores SIGPIPE and SIGXFSZ, since a closed pipe and a limit on files are errors to be told. A
 * program that it starts takes them as gotop itself was started with: what is ignored stays ignored across
 * exec.
 */
#ifndef GOTOP_DECODE_CHILD_H
#define GOTOP_DECODE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * child_ignore - from now on this process ignores sig; children will take it as it was. Once for each, before
 * there are threads.
 */
void child_ignore(int sig);
/*
 * child_signals - in a child before exec: as it was. Makes no calls but those a child of several threads may
 * make.
 */
void child_signals(void);
/* child_defaults - the signals of these that were not ignored: for POSIX_SPAWN_SETSIGDEF. */
void child_defaults(sigset_t *set);

/*
 * child_name - a file's name as an argument that no program takes for anything else: one from the root, or
 * with "./" before it. Neither an option (-x) nor a command (+x), a descriptor (@x) or a scheme (x:) begins
 * so. false: it doesn't fit, is empty, or holds control bytes. child_takes - is it such a name?
 */
bool child_name(const char *path, char *out, size_t size);
bool child_takes(const char *path);

#endif
