/*
 * trails.h - the evidence of a trace's tasks: which goroutine worked for which task, and when. Evidence is
 * begins and ends of tasks and of their regions, and log messages.
 *
 * Memory: 40 bytes for each. legs.c walks it backwards.
 */
#ifndef GOTOP_TRIAGE_TRAILS_H
#define GOTOP_TRIAGE_TRAILS_H

#include "triage/findings/legs.h"

struct evidence { /* goroutine g had the task at t */
    int64_t t;
    uint32_t g, task; /* task: its place */
};
struct trails {
    const struct trace *tr;
    const struct task *task;
    uint32_t ntasks;
    struct evidence *by_g; /* by goroutine, then by time */
    uint32_t *by_task;     /* the same by task, then by time: indices into by_g */
    size_t n, cap;
    /* By task: its place in an order in which its subtasks follow it and come before all others. By place:
     * how many it and its subtasks are, so these are the places from one on. */
    uint32_t *place, *size;
    uint32_t asked;       /* the place of the selected one */
    struct evidence *own; /* of the selected task and its subtasks, by time */
    size_t nown, cap_own;
    struct span_iter it;
};

struct trails *trails_new(const struct trace *tr); /* NULL: out of memory or cancelled (slices.h) */
void trails_free(struct trails *x);                /* NULL is allowed */

#endif
