/*
 * child.h - how a program that gotop starts handles signals, and safe file names for its arguments.
 *
 * gotop ignores SIGPIPE and SIGXFSZ, as a closed pipe and a file size limit are errors to report. A child
 * process handles them as gotop itself did when it was started: what is ignored stays ignored across exec.
 */
#ifndef GOTOP_DECODE_CHILD_H
#define GOTOP_DECODE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* child_ignore - Ignore sig in this process from now on; children handle it as before. Call once for each
 * signal, before there are threads. */
void child_ignore(int sig);
/* child_signals - Undo child_ignore(), in a child before exec. Makes only calls that are allowed in a child
 * of a process with threads. */
void child_signals(void);
/* child_name - Make a file name an argument that no program takes for anything else: an absolute path, or
 * one with "./" before it. That is no option (-x), command (+x), descriptor (@x) or scheme (x:). Returns
 * false if it doesn't fit, is empty, or holds control bytes. */
bool child_name(const char *path, char *out, size_t size);

#endif
