/*
 * misuse.h - warnings about tasks and regions that a program ends in another way than runtime/trace asks
 * for. The trace is complete all the same: such an event is applied as far as it makes sense, and one
 * warning of each kind names the first event and counts all of them.
 *
 * There is no warning where events may be missing, because an end may lack its beginning there.
 */
#ifndef GOTOP_DECODE_MISUSE_H
#define GOTOP_DECODE_MISUSE_H

#include "decode/base/err.h"
#include "decode/events/names.h"

enum misuse_kind {
    MISUSE_REGION,  /* a region ends on a goroutine on which it is not open: the event is ignored */
    MISUSE_NESTING, /* a region ends before one that began within it: each lasts until its own end */
    MISUSE_TASK,    /* a task ends that has ended already: the first end counts */
    MISUSE_KINDS
};

struct misuse { /* The misuses of one kind. */
    uint64_t n; /* number of misuses; the other fields describe the first one */
    int64_t t;  /* ns */
    uint64_t g; /* the goroutine's id, 0 = none */
    uint64_t task;
    uint32_t name, inner; /* strings: of the region or task; of that within it (MISUSE_NESTING) */
    uint32_t stack;
};

/* misuse_say - set *e to the warning. m->n must not be 0. */
void misuse_say(const struct misuse *m, enum misuse_kind kind, const struct names *names, struct err *e);

#endif
