/*
 * claims.h - what changed from some runs of a program to others, if anything did.
 *
 * Runs of an unchanged program differ: goroutines of one run share its luck. So a change is claimed only if
 * it is larger than what two runs of one side differ by, larger than a factor, and large enough to matter.
 * How far runs differ is learned from the runs of each side, beside a prior for as many runs as nobody gave;
 * where a side has one run, its own time is resampled in blocks (moving blocks, of an eighth of the run), so
 * that a burst counts once. Counts are held against the program's pace: a host that gave it half of the
 * processor halves all of them, which is no change of it. What each single pair of an old and a new run shows
 * is claimed of all of them, too.
 */
#ifndef GOTOP_TRIAGE_CLAIMS_H
#define GOTOP_TRIAGE_CLAIMS_H

#include "triage/exports/profile.h"

struct side { /* runs of one program */
    const struct profile *run;
    uint32_t n;
};

struct moved { /* a quantity of both sides: means over their runs */
    double old, new;
    double factor, low, high; /* new against old, with what runs differ by anyway: 99 % of it */
    bool sure;                /* it moved: beyond that, and by a factor that matters */
};
struct change {
    enum measure_kind kind;
    const char *name, *held; /* of a profile; held: see there, NULL not known */
    struct moved count;      /* a second, at the pace of the first run; MK_TEAM: as many */
    struct moved time; /* share of a second; MK_GC: of the processor time in use; MK_RUN: of all there was */
    bool claimed;      /* a meaningful change */
};
struct claim {
    struct change
        *c; /* claimed ones first, by what they mean for the program; then the rest by how far they moved */
    uint32_t n, claimed;
    double pace;        /* of the new side's runs against the old side's: how often all things happen */
    const char *gc_why; /* where MK_GC is claimed: what drives it, NULL: can't be told */
};

/* verdict_of - both sides have at least one run. *out refers to their names. mem_free(out->c). */
enum err_code verdict_of(const struct side *old, const struct side *new, struct claim *out, struct err *e);

/* change_text - one sentence: "goroutines wait 1.9 s a second for the lock in main.f, before 3.1ms: ..". */
void change_text(struct text *t, const struct claim *v, const struct change *c);

#endif
