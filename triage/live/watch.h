/*
 * watch.h - what the files of `gotop watch` share: the recorder, the programs that it watches (targets),
 * and what it keeps of each.
 *
 * Each target has a connection (live.h) and a thread that reads it; one thread does everything else. What
 * is kept of all targets together is bounded. A target's clock runs with its trace, so --cooldown, --per
 * and --after count the program's time. It never goes back, even when another process answers.
 */
#ifndef GOTOP_TRIAGE_WATCH_H
#define GOTOP_TRIAGE_WATCH_H

#include <sys/types.h>

#include "triage/live/live.h"
#include "triage/tables/metrics.h"
#include "triage/text.h"

enum {
    UNTIL_MAX = 64,
    TARGETS_MAX = FEED_LIST,
    REASON_MAX = 300,
    CAPTURES = 10 /* per hour, for one target */
};

struct until {
    const char *text;
    int rule; /* the number of a finding; -1: cond */
    bool end; /* the end of the connection */
    struct condition cond;
};

struct edge {         /* the state of a condition for one target */
    bool on;          /* it held at the last check */
    bool fired;       /* it has held at least once, */
    int64_t fired_ns; /* ... last at this time */
};

struct target {
    char where[FEED_WHERE];
    struct live line;
    bool open;   /* connected, or connecting */
    bool over;   /* ended for good */
    bool given;  /* named by the command line, not by the list */
    bool wanted; /* named, or in the list; else it is ended */
    bool looked, told_late;
    int64_t again_ns, wait_ns; /* host_now(): when to connect; the pause after the next failure */
    uint64_t failures;         /* failures in a row */
    size_t asked, written;     /* of the whole generations, the first ones: checked; written to a file; */
    size_t alone;              /* ... the last that was checked alone */
    int64_t clock_ns;          /* the target's clock (see above) at the end of the newest generation */
    int64_t base_ns, first_ns; /* at the start of this connection: the target's clock and the trace's; */
    bool based;                /* ... once its first generation was checked, at */
    int64_t seen_ns;           /* host_now() */
    struct edge edge[UNTIL_MAX];
    int64_t per_ns;     /* captures are counted from this time on, */
    uint64_t per_count; /* this many */
    bool pending;       /* a capture waits for --after, */
    int64_t due_ns;     /* until this time */
    int64_t wall_ns;    /* when it was decided */
    char reason[REASON_MAX];
    struct text values; /* all the reasons for it */
};

struct watch {
    struct live_opts live;
    struct until until[UNTIL_MAX];
    uint32_t n;
    int64_t keep_ns, after_ns, window_ns, cooldown_ns, per_ns;
    uint64_t keep_bytes; /* memory for all targets: --keep as a size, or a bound for --keep as a time */
    bool by_bytes;
    uint64_t max;       /* captures: of one target in per_ns, */
    bool ends;          /* ... or in all, after which it ends */
    uint64_t files_max; /* bytes in the folder; 0: no limit */
    int64_t files_ns;   /* the age at which files there are removed; 0: never */
    const char *dir, *list;
    const char *exec; /* --exec: words, apart by blanks; NULL: none */
    /* the current state */
    struct target *target[TARGETS_MAX];
    uint32_t ntargets;
    uint64_t captured;
    uint64_t missed;  /* captures since the last one that could be written */
    int failed;       /* the exit status once something has failed */
    int64_t until_ns; /* when --seconds are over; 0: never */
    uint32_t runs;    /* commands that were started and have not ended */
    bool tells;       /* standard error is a terminal, so progress is shown there */
};

/* ---- targets (watch_targets.c) ------------------------------------------------------------------------- */

/* watch_add - add a target; given: by the command line. Returns 0, or the exit status after an error was
 * printed. */
int watch_add(struct watch *w, const char *where, bool given);
/* watch_list - add the targets in the text of a list. Targets from an earlier list that it lacks are
 * ended. */
int watch_list(struct watch *w, const char *text);
/* watch_step - take what has come of one target, waiting at most so long. Returns false when nothing came. */
bool watch_step(struct watch *w, struct target *t, int timeout_ms);
void watch_free(struct watch *w);
/* watch_note - write a line of the log to standard output, with the time (UTC) before it. Frees the text. */
void watch_note(struct watch *w, int64_t wall_ns, struct text *t);

/* ---- conditions (watch_ask.c) -------------------------------------------------------------------------- */

/* watch_ask - check the conditions on a window that ends with the target's newest generation. It may make a
 * capture pending. */
void watch_ask(struct watch *w, struct target *t, const struct loaded *in);
/* watch_end - the connection has ended. If a condition asks for its last moments, a capture is pending. */
void watch_end(struct watch *w, struct target *t, const char *why);

/* ---- files (watch_files.c) ----------------------------------------------------------------------------- */

/* watch_capture - write the pending capture: the generations that were checked and are in no file yet.
 * at_end: and the one that the connection cut. A failure is reported. */
void watch_capture(struct watch *w, struct target *t, bool at_end);

/* ---- what is done in the clerk (watch_deeds.c) --------------------------------------------------------- */

/* watch_command - whether --exec has words, and not too many. watch_deeds - settle before the sandbox closes
 * what it may do: run --exec, remove old files. */
bool watch_command(const struct watch *w);
void watch_deeds(struct watch *w);
void watch_run(struct watch *w, const char *file, const char *reason);
/* watch_reap - see which commands have ended, and how, waiting for all of them at most patience_ms. */
void watch_reap(struct watch *w, int patience_ms);
/* watch_tidy - remove captures that are too old or too many. */
void watch_tidy(struct watch *w);

#endif
