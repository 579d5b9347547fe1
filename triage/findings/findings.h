/*
 * findings.h - the ranked problems of a trace for screens, reports and diff: the verdicts (verdict.h) with
 * their text, and the works they are about.
 */
#ifndef GOTOP_TRIAGE_FINDINGS_H
#define GOTOP_TRIAGE_FINDINGS_H

#include "triage/verdicts/verdict.h"

struct finding {
    struct verdict v;        /* where.stack: evidence; t0, t1: the interval to show; t0 = t1: a moment */
    bool note;               /* no problem, or only what the work is */
    bool inferred;           /* depends on what the trace does not record (a lock's holder) */
    int64_t severity_ns;     /* wall-clock time of the trace that it costs at most */
    char *amount;            /* the share or count that it is ranked by: "84.1%" */
    char *title;             /* short title: "lock held over a sleep" */
    char *at;                /* the line to change: "store.go:57, called by .."; empty: unknown */
    char *what, *why, *harm; /* one or two sentences each; may be empty */
    char *text;              /* these three joined */
    char *next;              /* the next step for the user */
    char *won;               /* what a fix can gain; NULL: unknown */
    struct lane lane;        /* the lane to show; .i = NO_LANE: none */
    uint64_t lane_id;        /* the lane's id in the file, if it has one */
    /* rule and subject; the same in other traces of the program as far as possible, for diff */
    char key[128];
};
struct findings {
    struct finding *f; /* warnings by score, then notes */
    uint32_t n;
    struct works works;
};

/* findings_of - Returns the findings. Valid after TRIAGE_DONE. All strings are clean UTF-8 without control
 * characters. */
enum err_code findings_of(const struct triage *tg, struct findings *out, struct err *e);
void findings_free(struct findings *fs);
void finding_free(struct finding *f); /* its strings; the rest stays */
/* The same in slices, so that the caller can handle keys between them: findings_begin() after TRIAGE_DONE
 * (NULL: out of memory), findings_step() until it returns true, then findings_end() returns what
 * findings_of() returns. findings_drop() cancels at any time; NULL is allowed. */
struct findings_job;
struct findings_job *findings_begin(const struct triage *tg);
bool findings_step(struct findings_job *j, int64_t budget_ns);
enum err_code findings_end(struct findings_job *j, struct findings *out, struct err *e);
void findings_drop(struct findings_job *j);
/* findings_notes - Returns how many only note something: they do not warn. */
uint32_t findings_notes(const struct findings *fs);
/* findings_is_what - True if the finding only says what the work mostly is. findings_stand_out - True if
 * there are findings beyond that, or one of these says who keeps the work waiting, or why. */
bool findings_is_what(const struct finding *f);
bool findings_stand_out(const struct findings *fs);

#endif
