/*
 * profile.h - what one run of a program spent its time on, as measures that another run can be held against:
 * so much waiting at a place, so much running of a start function, of the collector, so many calls. For
 * `gotop diff`.
 *
 * Each measure has a count and a time in each of PROFILE_SLICES equal slices of the run, so that what changed
 * for all of it can be told from what happened once. A measure's name is text, the same for every trace of
 * the program: goroutines' and strings' ids of two traces have nothing to do with each other. Sums go by
 * goroutine group, never by goroutine: goroutines of one run are no independent samples.
 */
#ifndef GOTOP_TRIAGE_PROFILE_H
#define GOTOP_TRIAGE_PROFILE_H

#include "triage/load.h"
#include "triage/text.h"

#define PROFILE_SLICES 64

enum measure_kind {
    MK_LOCK, /* waiting for locks asked for in a function */
    MK_GIVE, /* waiting to send, for a condition, for a wait group, in a function */
    MK_GC,   /* the collector: cycles; processor time, idle-time workers included */
    MK_STOP, /* stops of the world that the program asks for, of one kind */
    MK_RUN,  /* goroutines of a start function: created; running */
    MK_CALL, /* system calls made in a function */
    MK_TAKE, /* any other waiting in a function (receiving, network, sleep): often just rest */
    MK_TEAM, /* goroutines of a start function of the program's: how many are there for a tenth of the run or
                more; as "time" how many are not */
    MK_KINDS
};
const char *measure_kind_name(enum measure_kind k);

struct measure {
    enum measure_kind kind;
    char *name; /* clean UTF-8; what it is of: function, kind of stop; "" of the collector */
    double count[PROFILE_SLICES], ns[PROFILE_SLICES];
    double counted, spent; /* sums over the slices */
    char *held;            /* MK_LOCK: where it was held most, "main.f"; NULL: not known */
};
struct profile {
    char *path;
    int64_t end;                         /* ns */
    double procs;                        /* GOMAXPROCS, on average */
    double busy[PROFILE_SLICES], in_use; /* processor time in use, ns, by slice and in all */
    double heap_live, heap_goal;         /* bytes, at the last cycle's end; 0 unknown */
    bool partial;
    struct measure *m; /* by kind, then name */
    uint32_t n;
    char **told; /* keys of its findings (findings.h), notes included */
    uint32_t ntold;
};

/* profile_of - of a trace that is loaded with its tables. Free it with profile_free() whatever comes back. */
enum err_code profile_of(const struct loaded *l, struct profile *out, struct err *e);
void profile_free(struct profile *p);
/* profile_find - NULL: this run had no such thing. */
const struct measure *profile_find(const struct profile *p, enum measure_kind k, const char *name);

#endif
