/*
 * claims.h - what changed between two sides, each some runs of a program, if anything did.
 *
 * Runs of an unchanged program differ, since the goroutines of one run share its conditions. So a change is
 * claimed only if it exceeds the difference between two runs of one side, exceeds a factor, and is large
 * enough to matter. The spread between runs is estimated from the runs of each side together with a prior;
 * a side with one run is resampled in blocks (moving blocks of an eighth of the run), so that a burst
 * counts once. Counts are compared for the same amount of work: as many pieces of the works that both have;
 * if they have none, at the pace of what is frequent, which a host that gives half of the processor halves. A
 * change that every single pair of an old and a new run shows is claimed of all of them, too.
 */
#ifndef GOTOP_TRIAGE_CLAIMS_H
#define GOTOP_TRIAGE_CLAIMS_H

#include "triage/load.h"
#include "triage/tables/metrics.h"

/* ---- profiles ------------------------------------------------------------------------------------------ */

/*
 * What one run of a program spent its time on, as measures that `gotop diff` compares with
 * another run: how long a piece of its work takes, waiting at a place, running of a start function, the
 * collector, calls.
 *
 * Each measure has a count and a time in each of PROFILE_SLICES equal slices of the run, so that a lasting
 * change can be told from a single event. A measure's name is text, the same in every trace of the program,
 * since ids of goroutines and strings differ between traces. Sums go by goroutine group, never by
 * goroutine: the goroutines of one run are not independent samples.
 */
enum { PROFILE_SLICES = 64, PROFILE_ALL = PROFILE_SLICES /* the sum over them stands behind them */ };

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
    char *held;   /* MK_LOCK: where it was held most, "main.f"; NULL: unknown */
    double count[PROFILE_ALL + 1], ns[PROFILE_ALL + 1];
};
struct profile {
    int64_t end;                  /* ns */
    double procs;                 /* average GOMAXPROCS */
    double busy[PROFILE_ALL + 1]; /* processor time in use in ns */
    double heap_live, heap_goal;  /* bytes at the end of the last cycle; 0 unknown */
    bool partial, has_clock;
    struct measure *m; /* by kind, then name */
    uint32_t n;
};

/* profile_of - computes the profile of a trace loaded with its tables. Call profile_free() also after an
 * error. */
enum err_code profile_of(const struct loaded *l, struct profile *out, struct err *e);
void profile_free(struct profile *p);
/* profile_find - returns a measure by name; NULL if the run does not have it. */
const struct measure *profile_find(const struct profile *p, enum measure_kind k, const char *name);

/* ---- what changed -------------------------------------------------------------------------------------- */

enum { RUNS_MAX = 64, MEASURES_MAX = 512 };
struct side { /* The runs of one version of a program, at most RUNS_MAX. */
    const struct profile *run;
    uint32_t n;
};

struct moved { /* One quantity on both sides: means over their runs. */
    double old, new;
    double factor, low, high; /* new / old, with its 99 % interval given the spread between runs */
    bool sure;                /* the change exceeds that interval, and by a factor that matters */
};
struct change {
    enum measure_kind kind;
    const char *name, *held; /* Borrowed from a profile; held: where a lock is held most, NULL if unknown. */
    const char *why;         /* the cause of a claimed MK_GC; NULL: unknown */
    struct moved count;      /* per second, at the pace of the first run */
    /* share of a second; MK_WORK: seconds a piece; MK_GC: share of the processor time in use; MK_RUN: of all
     * processor time */
    struct moved time;
    bool claimed; /* a meaningful change */
    int way;      /* 1 or -1: all pairs of runs looked at say more, or less; 0: they don't */
};
struct claim {
    /* Claimed changes come first, by their weight for the program, then the largest. */
    struct change c[MEASURES_MAX];
    uint32_t n, claimed;
    /* pace of the new side's runs relative to the old side's: how many pieces of work are done in a second;
     * how often everything happens, if no work is in all runs (by_work is false) */
    double pace;
    bool by_work;
};

/* verdict_of - compares two sides of at least one run each. *out borrows their names, so the profiles must
 * outlive it. */
void verdict_of(const struct side *old, const struct side *new, struct claim *out);

/* change_text - adds one sentence without its full stop: "lock in main.f: goroutines wait 1.9s a second,
 * before 3.1ms (..)". */
void change_text(struct text *t, const struct change *c);

/* ---- two runs side by side ----------------------------------------------------------------------------- */

/* diff_change - adds "1.2ms -> 1.4ms  +16.7%". */
void diff_change(struct text *t, const struct metric_value *a, const struct metric_value *b);
/* diff_tables - adds the works, findings and numbers of two runs. */
void diff_tables(struct text *t, const struct loaded *a, const struct loaded *b);
/* diff_works_each - calls fn for each work that counts in b and that a has, too, with the parts of a piece
 * whose time differs by a tenth of a piece or more; for none if times are ticks of unknown length. Returns
 * false when out of memory; *d is valid within fn only. */
enum { DIFF_PARTS = 128 };
struct diff_part {
    const char *what; /* node_word(): "lock", "running" .. */
    char *func;       /* where, as printed */
    int64_t ns[2];    /* in an average piece: old, new */
};
struct diff_work {
    uint32_t nth;                   /* 0: the first that fn is called for */
    const struct trace *tr;         /* of b */
    const struct works *all;        /* of b */
    const struct work *w[2];        /* old, new */
    struct diff_part v[DIFF_PARTS]; /* largest change first */
    uint32_t n;
};
typedef void diff_work_fn(void *arg, const struct diff_work *d);
bool diff_works_each(const struct loaded *a, const struct loaded *b, diff_work_fn *fn, void *arg);

#endif
