/*
 * course.h - how long waits at one place are in the course of a trace, and since when longer (rules_since.c).
 */
#ifndef GOTOP_TRIAGE_COURSE_H
#define GOTOP_TRIAGE_COURSE_H

#include "triage/findings/causes.h"

#define COURSE_SLICES 32 /* of the trace */
struct course {          /* waits at one place, by slice */
    const struct pair_row *most;
    uint32_t place, group, looked;
    double ns[COURSE_SLICES], n[COURSE_SLICES];       /* of those that begin there */
    double there[COURSE_SLICES], seen[COURSE_SLICES]; /* waited so, of what is looked at there */
    double lives;                                     /* of the trace, on average */
};
struct change {
    int at; /* slice; 0: there is none */
    double before, since;
};
/* course_at - of the waits at that function. false: they are few, or short. */
bool course_at(const struct causes *c, uint32_t place, struct course *k);
/* course_longer - are they several times as long in nearly each slice from some moment on? course_moment - which one. */
bool course_longer(const struct course *k, struct change *out);
int64_t course_moment(const struct causes *c, const struct change *v);

#endif
