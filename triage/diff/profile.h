/*
 * profile.h - what one run of a program spent its time on, as measures that `gotop diff` compares with
 * another run: how long a piece of its work takes, waiting at a place, running of a start function, the
 * collector, calls.
 *
 * Each measure has a count and a time in each of PROFILE_SLICES equal slices of the run, so that a lasting
 * change can be told from a single event. A measure's name is text, the same in every trace of the program,
 * since ids of goroutines and strings differ between traces. Sums go by goroutine group, never by
 * goroutine: the goroutines of one run are not independent samples.
 */
#ifndef GOTOP_TRIAGE_PROFILE_H
#define GOTOP_TRIAGE_PROFILE_H

#include "triage/load.h"

#define PROFILE_SLICES 64

/* What is worth reading first comes first; causes before their effects. */
enum measure_kind {
    MK_WORK, /* pieces of a work that counts (work.h), if they begin and end on their own */
    MK_GC,   /* the collector: cycles; processor time, including idle-time workers */
    MK_LOCK, /* waits for locks that a function asks for */
    MK_GIVE, /* waits in a function to send, for a condition or for a wait group */
    MK_STOP, /* stops of the world of one kind that the program asks for */
    MK_RUN,  /* goroutines of a start function: created; running */
    MK_CALL, /* system calls made in a function */
    MK_TAKE, /* all other waits in a function (receiving, network, sleep): often just idle */
    MK_KINDS
};

struct measure {
    enum measure_kind kind;
    uint32_t str; /* the name's string in its trace; the work's index */
    char *name;   /* clean UTF-8: the work, the function or the kind of stop; "" for the collector */
    double count[PROFILE_SLICES], ns[PROFILE_SLICES];
    double counted, spent; /* sums over the slices */
    char *held;            /* MK_LOCK: where it was held most, "main.f"; NULL: unknown */
};
struct profile {
    char *path;
    int64_t end;                         /* ns */
    double procs;                        /* average GOMAXPROCS */
    double busy[PROFILE_SLICES], in_use; /* processor time in use in ns: by slice; in all */
    double heap_live, heap_goal;         /* bytes at the end of the last cycle; 0 unknown */
    bool partial;
    struct measure *m; /* by kind, then name */
    uint32_t n;
};

/* profile_of - computes the profile of a trace loaded with its tables. Call profile_free() also after an
 * error. */
enum err_code profile_of(const struct loaded *l, struct profile *out, struct err *e);
void profile_free(struct profile *p);
/* profile_find - returns a measure by name; NULL if the run does not have it. */
const struct measure *profile_find(const struct profile *p, enum measure_kind k, const char *name);

#endif
