/*
 * watch.h - the recorder of `gotop watch`: watch.c has its connection and conditions, watch_files.c its
 * files.
 *
 * A thread reads the connection (live.h); one thread does everything else. The recorder's clock runs with the
 * trace, so --cooldown and --after count the program's time. It never goes back, even when another process
 * answers.
 */
#ifndef GOTOP_TRIAGE_WATCH_H
#define GOTOP_TRIAGE_WATCH_H

#include "triage/live/live.h"
#include "triage/tables/metrics.h"
#include "triage/text.h"

enum { UNTIL_MAX = 64, REASON_MAX = 300 };
#define NEVER (INT64_MIN / 2)

struct until {
    const char *text;
    enum rule rule; /* of a finding; RULE_COUNT: cond */
    bool end;       /* the end of the connection */
    struct condition cond;
    /* its state */
    bool on;          /* it held at the last check */
    int64_t fired_ns; /* when it last began to hold; NEVER */
};

struct watch {
    struct until until[UNTIL_MAX];
    uint32_t n;
    struct options o; /* with what they are if they were not given */
    /* the connection */
    struct live line;
    bool open; /* connected, or connecting */
    bool over; /* ended for good */
    bool looked, reported_late;
    int64_t again_ns;      /* host_now(): when to connect */
    uint64_t failures;     /* failures in a row */
    size_t asked, written; /* of the whole generations, the first ones: checked; written to a file; */
    size_t alone;          /* ... the last that was checked alone */
    int64_t clock_ns;      /* the recorder's clock (see above) at the end of the newest generation */
    int64_t ahead_ns;      /* how far it is ahead of this connection's trace; */
    bool based;            /* ... once the first generation of that was checked, at */
    int64_t seen_ns;       /* host_now() */
    /* captures */
    bool pending;    /* one waits for --after, */
    int64_t due_ns;  /* until this time */
    int64_t wall_ns; /* when it was decided */
    char reason[REASON_MAX];
    struct text values; /* all the reasons for it */
    uint64_t captured;
    uint64_t missed;  /* captures since the last one that could be written */
    int failed;       /* the exit status once something has failed */
    int64_t until_ns; /* when --seconds are over; 0: never */
    bool tells;       /* standard error is a terminal, so progress is shown there */
};

/* watch_note - write a line of the log to standard output, with the time (UTC) before it. Frees the text. */
void watch_note(struct watch *w, int64_t wall_ns, struct text *t);

/* watch_capture - write the pending capture: the generations that were checked and are in no file yet.
 * at_end: and the one that the connection cut. A failure is reported. */
void watch_capture(struct watch *w, bool at_end);
/* watch_tidy_asked - settle, before the sandbox closes, which old files the clerk may remove. watch_tidy -
 * remove those of --keep-files, and say so. */
void watch_tidy_asked(struct watch *w);
void watch_tidy(struct watch *w);

#endif
