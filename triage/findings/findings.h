/*
 * findings.h - rules over the tables: what stands out, ranked, with evidence and a next step.
 */
#ifndef GOTOP_TRIAGE_FINDINGS_H
#define GOTOP_TRIAGE_FINDINGS_H

#include "triage/text.h"
#include "triage/triage.h"

enum rule {
#define X(ID, id, view, title, help) RULE_##ID,
#include "triage/findings/rules.def"
#undef X
    RULE_COUNT
};

struct finding {
    enum rule rule;
    bool note;           /* nothing lost, but worth a look */
    bool inferred;       /* rests on what the trace does not record (a lock's holder) */
    int family;          /* enum family (verdict.h) */
    double score;        /* what it is sorted by */
    int64_t severity_ns; /* clock time lost, by the rule's own measure; findings are sorted by it */
    char *amount;        /* by the rule's own measure, short: "84.3ms", "6.1%", "+38" */
    char *title;         /* short: "lock convoy" */
    char *text;          /* one or two sentences with the numbers */
    char *next;          /* what to do next */
    bool queued;         /* slow tasks, long work: it is the processors that are waited for */
    bool own_side;       /* goroutines of this process write the answers that are waited for (inferred) */
    bool looks;          /* busy loops, polls: it was seen to look whether there is something to do */
    bool unstopped;      /* busy loops: it does not spin, but runs in what can't be stopped (inferred) */
    bool at_device;      /* locks, sets: who has it waits for a device (fsync), where others would queue without it */
    bool together;       /* one that others wait for: it does for several at a time what it does */
    bool at_work; /* sets: who is waited for is at work all the time: the critical path is that work, not the waits */
    bool for_good;          /* it grows: no note, whatever it costs so far */
    bool later;             /* answers: its text says since when they take longer */
    bool quota;             /* the host's doing: by a CPU quota */
    bool has_won;           /* what mending it would win is told: */
    int64_t won_lo, won_hi; /* by the clock, from .. to (won.h) */
    bool won_more;          /* won_hi is what the trace shows: it may be more */
    char *won;              /* the same in words, with what it takes for granted; NULL: nothing is told */
    int64_t t0, t1;         /* where to look; t0 = t1: a moment */
    struct lane lane;       /* which lane; .i = NO_LANE: none in particular */
    uint32_t stack;         /* evidence, 0 = none */
    int view;               /* number of the view that shows more */
    uint64_t lane_id;       /* the lane's id in the file, if it has one */
    uint32_t
        waits_at; /* of slow tasks: the function (a string) where they wait for most of their time, 0: there is none */
    uint32_t also;      /* of a lock: the function (a string) in which its holders wait to write, 0: not told */
    uint32_t blames;    /* and the function that they are said to spend more time on */
    uint32_t ends_with; /* start function (a string) of who is waited for in the end, 0: not told */
    char key[128];      /* rule and subject, the same in another trace of the program as far as possible: for diff */
};
struct findings {
    struct finding *f; /* warnings by severity, then notes */
    uint32_t n;
};

/* findings_of - only after TRIAGE_DONE. All strings are clean UTF-8 without control characters. */
enum err_code findings_of(const struct triage *tg, struct findings *out, struct err *e);
void findings_free(struct findings *fs);
/*
 * The same in slices, for who has keys to answer meanwhile: findings_begin() after TRIAGE_DONE (NULL: out of memory), findings_step()
 * until it says true, findings_end() for what findings_of() would have given. findings_drop(): instead, at any time; NULL is allowed.
 */
struct findings_job;
struct findings_job *findings_begin(const struct triage *tg);
bool findings_step(struct findings_job *j, int64_t budget_ns);
enum err_code findings_end(struct findings_job *j, struct findings *out, struct err *e);
void findings_drop(struct findings_job *j);
void findings_sort(struct findings *fs);
/*
 * finding_lead - what stands before a title where findings are listed: the share of the trace that it costs ("12.7%"), so that the list
 * can be read down; of a note nothing, but of what grows by how much ("+38").
 */
void finding_lead(struct text *t, const struct finding *f, const struct triage *tg);
/* finding_won_short - what is to be won of a trace that lasts end ns, without what that takes for granted: "nothing to 15.1%". */
void finding_won_short(struct text *t, const struct finding *f, int64_t end);
/* findings_stand_out - is there more than where the time went? */
bool findings_stand_out(const struct findings *fs);

const char *rule_id(enum rule r);
const char *rule_title(enum rule r);
const char *rule_help(enum rule r); /* when it speaks, with its thresholds */
int rule_view(enum rule r);

#endif
