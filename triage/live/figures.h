/*
 * figures.h - the numbers of one picture of `gotop top`, from which its lines, its JSON and its metrics are
 * made; and what is summed up since it began.
 */
#ifndef GOTOP_TRIAGE_FIGURES_H
#define GOTOP_TRIAGE_FIGURES_H

#include "triage/load.h"
#include "triage/text.h"
#include "triage/work/pulse.h"

enum { FIG_SECOND, FIG_TEN, FIG_HELD, FIG_WINDOWS };
enum { FIG_RUNNING, FIG_RUNNABLE, FIG_WAITING, FIG_CALL, FIG_STATES };
enum { FIG_FINDINGS = 64, FIG_GROUPS = 50 };
#define FIG_HELD_NS INT64_C(60000000000) /* so much of the latencies is held */
extern const char *const fig_state[FIG_STATES];

struct fig_finding { /* one of the findings so far */
    char *rule, *key, *title, *amount, *text;
    char level[8];     /* "note", "warn", "severe" */
    uint64_t pictures; /* that had it */
    bool now;          /* the last one has */
};
struct fig_group { /* a start function's goroutines, since the beginning */
    char *name;
    int64_t ns[FIG_STATES], assist_ns;
    uint64_t created;
    uint32_t there;
};
struct fig_sums { /* since the beginning */
    uint64_t bytes, events, lost_bytes, created, gc_cycles;
    int64_t seen_ns, gc_ns, assist_ns, busy_ns, capacity_ns;
    struct hist sched, stw;
    struct fig_group group[FIG_GROUPS];
    uint32_t ngroups;
    struct fig_finding finding[FIG_FINDINGS];
    uint32_t nfindings;
};
struct figures {
    struct pulse *pulse;
    struct fig_sums sum;
    /* of the picture at hand */
    const struct loaded *l;
    const char *where;
    int64_t wall_ns, late_ns;
    uint64_t skipped, lost;                    /* before it: generations, bytes */
    int64_t window_ns[FIG_WINDOWS];            /* how long they are: at first less than they are to be */
    struct dist work[FIG_WINDOWS][PULSE_ROWS]; /* by row of the pulse */
    uint32_t order[PULSE_ROWS];                /* of the rows, those that somebody waits for first */
    uint32_t nwork;
};

/* fig_new - false: out of memory. fig_take - a picture's model, behind the one before (gap: not right behind
 * it). false: out of memory; the numbers hold until the next one, `l` as long as the model does. */
bool fig_new(struct figures *f);
void fig_free(struct figures *f);
bool fig_take(struct figures *f, const struct loaded *l, bool gap);
/* fig_ns - how long the group's goroutines were so, together; fig_all_ns - those of all groups. */
int64_t fig_ns(const struct group *g, int state);
int64_t fig_all_ns(const struct triage *tg, int state);

/* fig_json - one object without line breaks (docs/top.schema.json); NULL: out of memory. mem_free() it. */
char *fig_json(const struct figures *f);
#define TOP_SCHEMA "gotop.top/1"
/* fig_prometheus - all since the beginning in Prometheus' text format; up: the program is being watched. */
void fig_prometheus(struct text *t, const struct figures *f, bool up);

#endif
