/*
 * findings.h - what a trace says is wrong, ranked, as screens, reports and diff read it: the verdicts
 * (verdict.h) with their words, and the works that they are about.
 */
#ifndef GOTOP_TRIAGE_FINDINGS_H
#define GOTOP_TRIAGE_FINDINGS_H

#include "triage/verdicts/verdict.h"

struct finding {
    struct verdict v;
    enum rule rule;          /* v.rule */
    bool note;               /* nothing lost, or what the work is */
    bool inferred;           /* rests on what the trace does not record (a lock's holder) */
    int64_t severity_ns;     /* what it takes of the trace, by the clock, at most */
    char *amount;            /* the share, or the count, that it is ranked by: "84.1%" */
    char *title;             /* short: "lock held over a sleep" */
    char *at;                /* the line to change: "store.go:57, called by .."; empty: not known */
    char *what, *why, *harm; /* one sentence or two each; empty: nothing is to be said */
    char *text;              /* these three in one */
    char *next;              /* what to do next */
    char *won;               /* what there is to win; NULL: nothing is told */
    int64_t t0, t1;          /* where to look; t0 = t1: a moment */
    struct lane lane;        /* which lane; .i = NO_LANE: none in particular */
    uint64_t lane_id;        /* the lane's id in the file, if it has one */
    uint32_t stack;          /* evidence, 0 = none */
    int view;                /* number of the view that shows more */
    /* rule and subject, the same in another trace of the program as far as possible: for diff */
    char key[128];
};
struct findings {
    struct finding *f; /* warnings by score, then notes */
    uint32_t n;
    struct works works;
};

/* findings_of - only after TRIAGE_DONE. All strings are clean UTF-8 without control characters. */
enum err_code findings_of(const struct triage *tg, struct findings *out, struct err *e);
void findings_free(struct findings *fs);
/*
 * The same in slices, for who has keys to answer meanwhile: findings_begin() after TRIAGE_DONE (NULL: out of
 * memory), findings_step() until it says true, findings_end() for what findings_of() would have given.
 * findings_drop(): instead, at any time; NULL is allowed.
 */
struct findings_job;
struct findings_job *findings_begin(const struct triage *tg);
bool findings_step(struct findings_job *j, int64_t budget_ns);
enum err_code findings_end(struct findings_job *j, struct findings *out, struct err *e);
void findings_drop(struct findings_job *j);
/* finding_lead - what stands before a title where findings are listed: its share or count; of what the work
 * is, too. */
void finding_lead(struct text *t, const struct finding *f);
/* findings_is_what - does it only say what the work mostly is?
 * findings_stand_out - is there more than that? */
bool findings_is_what(const struct finding *f);
bool findings_stand_out(const struct findings *fs);

#endif
