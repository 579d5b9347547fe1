/*
 * watch.h - what the files of `gotop watch` share: the recorder, the programs it watches, and what it makes
 * of each.
 *
 * Each program (a target) has a connection of its own (live.h) and a thread that reads it; all else is one
 * thread's. What is kept of all of them together is bounded. A target's clock runs with its trace, so that
 * all that is counted in time (--cooldown, --per, --after) is the program's time; it never goes back, also
 * where another process answers.
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
    WATCH_WORDS = 64, /* of --exec */
    CAPTURES = 10     /* per hour, of one target */
};

struct until {
    const char *text;
    int rule; /* a finding's; -1: cond */
    bool end; /* the connection ends */
    struct condition cond;
};

struct edge {         /* of a condition, in one target */
    bool on;          /* it held when it was last asked */
    bool fired;       /* once at least, */
    int64_t fired_ns; /* ... last then */
};

struct target {
    char where[FEED_WHERE];
    struct live line;
    bool open;   /* connected, or on its way there */
    bool over;   /* never again */
    bool given;  /* by the command line, not by the list */
    bool wanted; /* or it stands in the list; else it ends */
    bool looked, told_late;
    int64_t again_ns, wait_ns; /* host_now(): when to connect; how long to wait after the next failure */
    uint64_t failures;         /* in a row */
    size_t asked, written;     /* of the whole generations, the first ones: asked of; in a file; */
    size_t alone;              /* ... up to the last that was looked at alone */
    int64_t clock_ns;          /* see above: the newest generation's end */
    int64_t base_ns, first_ns; /* this connection: its clock then, and the trace's; */
    bool based;                /* ... once its first generation was looked at, at */
    int64_t seen_ns;           /* host_now() */
    struct edge edge[UNTIL_MAX];
    int64_t per_ns;     /* captures are counted from here on, */
    uint64_t per_count; /* these */
    bool pending;       /* a capture waits for --after, */
    int64_t due_ns;     /* until then */
    int64_t wall_ns;    /* when it was asked for */
    char reason[REASON_MAX];
    struct text values; /* of all conditions then */
};

struct watch {
    struct live_opts live;
    struct until until[UNTIL_MAX];
    uint32_t n;
    int64_t keep_ns, after_ns, window_ns, cooldown_ns, per_ns;
    uint64_t keep_bytes; /* memory of all targets; what --keep says, or a bound for what its time says */
    bool by_bytes;
    uint64_t max;       /* captures: of one target in per_ns, */
    bool ends;          /* ... or of all, and then it ends */
    uint64_t files_max; /* bytes in the folder; 0: no limit */
    int64_t files_ns;   /* how old a file becomes there; 0: any age */
    const char *dir, *list;
    char **words; /* --exec's; NULL: none */
    /* what is going on */
    struct target *target[TARGETS_MAX];
    uint32_t ntargets;
    uint64_t captured;
    uint64_t missed;  /* captures since the last one that could be written */
    int failed;       /* the exit status, once something could not be done */
    int64_t until_ns; /* --seconds are over; 0: never */
    uint32_t runs;    /* commands that have been started and not been heard of */
    bool tells;       /* standard error is a terminal: how far it is stands there */
};

/* ---- targets (watch_targets.c) ------------------------------------------------------------------------- */

/* watch_add - one more; given: by the command line. 0; or the exit status, said. */
int watch_add(struct watch *w, const char *where, bool given);
/* watch_list - the targets that the list names: its text. Others that came from it are no longer wanted. */
int watch_list(struct watch *w, const char *text);
/* watch_step - see what came of one target, waiting at most so long. false: nothing. */
bool watch_step(struct watch *w, struct target *t, int timeout_ms);
void watch_free(struct watch *w);
/* watch_note - a line of the log on standard output: it begins with the moment, UTC. Frees the text. */
void watch_note(struct watch *w, int64_t wall_ns, struct text *t);

/* ---- conditions (watch_ask.c) -------------------------------------------------------------------------- */

/* watch_ask - of a window that ends with the target's newest moment: which conditions began to hold? A
 * capture may be pending then. */
void watch_ask(struct watch *w, struct target *t, const struct loaded *in);
/* watch_end - the connection ended: does somebody want its last moments? Then a capture is pending. */
void watch_end(struct watch *w, struct target *t, const char *why);

/* ---- files (watch_files.c) ----------------------------------------------------------------------------- */

/* watch_capture - write what is pending: the generations that were asked of and are in no file. `at_end`: and
 * what came of the one that the connection ended within. What can't be written is said. */
void watch_capture(struct watch *w, struct target *t, bool at_end);

/* ---- what is done in the clerk (watch_deeds.c) --------------------------------------------------------- */

/* watch_deeds - what it may do: run --exec, remove old files. Before it begins. */
void watch_deeds(struct watch *w);
void watch_run(struct watch *w, const char *file, const char *reason);
/* watch_reap - which commands have ended, and how; patience_ms: wait so long for all of them. */
void watch_reap(struct watch *w, int patience_ms);
/* watch_tidy - remove captures that are too old or too many. */
void watch_tidy(struct watch *w);

#endif
