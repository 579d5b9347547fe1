/*
 * misuse.h - tasks and regions that a program ends in another way than runtime/trace asks for. The trace is
 * whole all the same: what such an event tells is kept as far as it makes sense, and the first of each kind
 * is named in a warning that counts the others.
 *
 * Nothing is claimed where events may be missing: then an end without a beginning is no surprise.
 */
#ifndef GOTOP_DECODE_MISUSE_H
#define GOTOP_DECODE_MISUSE_H

#include "decode/base/err.h"
#include "decode/events/names.h"

enum misuse_kind {
    MISUSE_REGION,  /* a region ends on a goroutine on which it isn't open: left out */
    MISUSE_NESTING, /* a region ends before one that began within it: each lasts until its own end */
    MISUSE_TASK,    /* a task ends that has ended already: the first end counts */
    MISUSE_KINDS
};

struct misuse { /* of one kind */
    uint64_t n; /* how often; the rest is of the first time */
    int64_t t;  /* ns */
    uint64_t g; /* the goroutine's id, 0 = none */
    uint64_t task;
    uint32_t name,
        inner; /* strings: of the region or task; MISUSE_NESTING: of the region that is open within it */
    uint32_t stack;
};

/* misuse_say - fill *e with the warning. m->n must not be 0. */
void misuse_say(const struct misuse *m, enum misuse_kind kind, const struct names *names, struct err *e);

#endif
