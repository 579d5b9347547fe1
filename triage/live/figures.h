/*
 * figures.h - the numbers of one picture of `gotop top`, and sums since it began. Its lines, its JSON and
 * its metrics are all made from them.
 */
#ifndef GOTOP_TRIAGE_FIGURES_H
#define GOTOP_TRIAGE_FIGURES_H

#include "triage/load.h"
#include "triage/text.h"
#include "triage/work/pulse.h"

enum { FIG_SECOND, FIG_TEN, FIG_HELD, FIG_WINDOWS };
/* The states are the first of enum gmetric; calls that lost their P count with the others. */
enum { FIG_STATES = GM_SYSCALL + 1, FIG_FINDINGS = 64, FIG_GROUPS = 50 };
#define FIG_HELD_NS INT64_C(60000000000) /* latencies of that long are held */
extern const char *const fig_state[FIG_STATES];

struct fig_finding {   /* a finding that some picture had */
    struct finding f;  /* as the last one had it */
    uint64_t pictures; /* pictures that had it */
    bool now;          /* the last picture has it */
};
struct fig_group { /* the goroutines of a start function, since the beginning */
    char *name;
    int64_t ns[FIG_STATES];
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
    /* of the current picture */
    const struct loaded *l;
    const char *where;
    int64_t wall_ns, late_ns;
    uint64_t skipped, lost; /* left out before it: generations, bytes */
    /* the length of each window, which is shorter at the beginning */
    int64_t window_ns[FIG_WINDOWS];
    struct dist work[FIG_WINDOWS][PULSE_ROWS]; /* by row of the pulse */
    /* rows of the pulse; first those that somebody outside waits for */
    uint32_t order[PULSE_ROWS];
    uint32_t nwork;
};

/* fig_new - returns false when out of memory. fig_take - count a picture's model, which follows the one
 * before (gap: something is missing between them), and take its findings. Returns false when out of
 * memory. The numbers are valid until the next call, `l` as long as its model. */
bool fig_new(struct figures *f);
void fig_free(struct figures *f);
bool fig_take(struct figures *f, struct loaded *l, bool gap);
/* fig_ns - how long the goroutines of a group were in a state, ns, added up. fig_all_ns - of all groups. */
int64_t fig_ns(const struct group *g, int state);
int64_t fig_all_ns(const struct triage *tg, int state);

/* fig_json - one JSON object without line breaks (docs/top.schema.json), for mem_free(). NULL: out of
 * memory. */
char *fig_json(const struct figures *f);
#define TOP_SCHEMA "gotop.top/1"
/* fig_prometheus - all sums in Prometheus' text format. up: the program is being watched. */
void fig_prometheus(struct text *t, const struct figures *f, bool up);

#endif
