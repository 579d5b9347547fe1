/*
 * triage.h - what a trace says, as tables. Built once per trace, read by findings, reports and the viewer.
 *
 * Use: triage_new() on a trace that is loaded to its end, triage_step() until TRIAGE_DONE, read the tables,
 * triage_free(). Steps go lane by lane, so a viewer may give each a few milliseconds. Before TRIAGE_DONE the
 * tables hold what was counted so far, unsorted, without the quantiles.
 *
 * Cost: one walk over all spans of all lanes; memory about 20 bytes per goroutine and 100 per distinct stack
 * that somebody waited at, and at most some megabytes beside that. Nothing grows with the number of spans.
 *
 * Units: nanoseconds; shares are computed by the reader. Ids: strings, stacks and lanes are those of the
 * trace. "Inferred" stands beside what a trace does not record (a lock's holder); all else is recorded.
 */
#ifndef GOTOP_TRIAGE_TRIAGE_H
#define GOTOP_TRIAGE_TRIAGE_H

#include "decode/trace.h"
#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"

/* The parts of a goroutine's life. The first six add up to GM_LIFE. */
enum gmetric {
    GM_EXEC,     /* running, including mark assist */
    GM_RUNNABLE, /* runnable: waiting for a processor */
    GM_WAIT,     /* blocked, for any reason */
    GM_SYSCALL,  /* in a system call, with its processor */
    /* in a system call that lost its processor (always 0 where threads and Ps don't record it) */
    GM_SYSBLOCK,
    GM_UNKNOWN, /* alive, but the dialect does not record its state */
    GM_ASSIST,  /* part of GM_EXEC: mark assist */
    GM_LIFE,    /* from its creation (or the trace's start) to its end (or the trace's end) */
    GM_COUNT
};

struct gstat { /* how long */
    int64_t ns[GM_COUNT];
};
struct gcounts { /* how often: spans in each state, runs without a break */
    uint64_t n[ST_COUNT], runs;
    uint8_t was;       /* the state of the last span */
    double most_waits; /* the walk ends there */
};

struct triage;
/* What one goroutine did is found when asked for: how long by the index of its spans, how often by a walk
 * over them. gstat_make - makes these of a goroutine's times by state, of what of its calls was without a
 * processor, and of its life; without GM_ASSIST. gstat_of - O(log spans). gstat_counts - O(spans). */
struct gstat gstat_make(const int64_t *ns, int64_t no_p_ns, int64_t life);
struct gstat gstat_of(const struct triage *tg, uint32_t g);
struct gcounts gstat_counts(const struct triage *tg, uint32_t g, double most_waits);
/* gstat_moves - how often it moved to another P, by a walk over its spans. */
uint32_t gstat_moves(const struct triage *tg, uint32_t g);
/* gstat_waits - whether the goroutine waited at least that often; its walk ends there. */
static inline bool gstat_waits(const struct triage *tg, uint32_t g, double least)
{
    return (double)gstat_counts(tg, g, least).n[ST_WAITING] >= least;
}

struct group {             /* goroutines with one start function */
    uint32_t name;         /* string, 0 = unknown */
    bool is_system, timed; /* timed: at least one of its system calls took more than 1 ns */
    uint32_t count, created, ended;
    int64_t first, last;    /* the earliest start and the latest end of their lives */
    int64_t ns[GM_COUNT];   /* sums over its goroutines */
    uint32_t waits, nwaits; /* group_waits[waits .. waits+nwaits): by reason, largest first */
};
struct group_wait { /* the waits for one reason of the goroutines of one group */
    uint32_t group, reason;
    uint64_t count;
    int64_t total, longest;
};

struct moment { /* an interval to show */
    int64_t t0, t1;
    uint32_t g, p; /* lanes, NO_LANE = none */
};

struct wait_row { /* waits by reason and stack; system calls by stack, of reason 0 */
    uint32_t reason, stack;
    enum wait_kind kind;
    uint64_t count, open, blocking; /* open: waits not over when the trace ends; blocking: calls that returned
                                       without a P */
    int64_t total, longest_done;    /* longest_done: the longest finished one */
    struct moment longest;
};
/* A goroutine that runs for less (ns) between two waits on one condition may have been woken in vain. */
#define FUTILE_RUN 20000
/* Contention is a waiter at one place whose wait a waker ended at another. */
struct pair_row {
    uint32_t reason, stack;
    /* waker: start function's string; 0 and from_scheduler for the timer and the network poller */
    uint32_t waker, waker_stack;
    uint32_t waiter;        /* start function's string */
    uint32_t longest_waker; /* lane of the goroutine that ended the longest wait, or NO_LANE */
    enum wait_kind kind : 8;
    bool from_scheduler;
    uint64_t count;
    int64_t total;
    struct moment longest;
    /* the woken goroutine ran for less than FUTILE_RUN, made no system call, and blocked again at the same
     * place */
    uint64_t futile;
};

/* Before Go 1.22 a system call that kept its P has no end in the trace; the model gives it 1 ns, which says
 * nothing about its length. TRI_NOT_TIMED is printed instead of its time, TRI_UNTIMED in a column.
 * tri_untimed - whether ns is the length of such a call. tri_any_timed - whether calls that took ns of the
 * lane's [t0,t1) are not all such. */
#define TRI_NOT_TIMED "not timed"
#define TRI_UNTIMED "untimed"
static inline bool tri_untimed(const struct trace *tr, int64_t ns)
{
    return ns <= 1 && !trace_info(tr)->second_family;
}
static inline bool tri_any_timed(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, int64_t ns)
{
    return ns && (trace_info(tr)->second_family ||
                  ns > (int64_t)trace_count(tr, l, t0, t1)); /* spans, of which calls are some */
}

/* tri_in_band - returns the ns of [t0,t1) in which the band is on: a mark phase, a stop of the world .. */
int64_t tri_in_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1);

/* tri_by_timer - whether a timer created the goroutine (time.AfterFunc, a context's deadline). Then it has
 * no creator and no stack. Neither has one called from C, but that starts in a system call. li: the result
 * of trace_lane_who(). */
bool tri_by_timer(const struct trace *tr, struct lane l, const struct lane_info *li);
#define TRI_BY_TIMER "created by a timer"

struct sched_wait { /* one of the longest waits for a processor */
    int64_t t0, t1;
    uint32_t g;
    bool preempted; /* it had been running and was preempted */
};
enum { WORST = 16 };
struct longest_few { /* the longest first */
    struct sched_wait v[WORST];
    uint32_t n;
    int64_t least; /* longer ones are added; -1 until the array is full */
};
/* triage_meanwhile - what the processors did during such a wait: it reads the Ps' spans of that time. */
struct meanwhile {
    uint32_t nran, ran[3]; /* what they ran: start functions (strings) by time, largest first */
    int64_t ran_ns[3];
    /* Processor time is split into: all; idle while the world ran; idle while the world was stopped; the
     * collector's; held by a system call. `ran` covers only the running part. */
    int64_t all_ns, idle_ns, stopped_ns, gc_ns, syscall_ns;
};
struct meanwhile triage_meanwhile(const struct triage *tg, const struct sched_wait *w);

/* ---- collector ----------------------------------------------------------------------------------------- */

enum gc_mode { GC_DEDICATED, GC_FRACTIONAL, GC_IDLE, GC_UNLABELLED, GC_MODES };
const char *gc_mode_name(enum gc_mode m); /* "dedicated" */
struct stw_row {                          /* stop-the-world by kind */
    uint32_t kind;                        /* string */
    bool is_gc;
    uint64_t count;
    int64_t total;
    struct moment longest; /* g: the goroutine that stopped the world */
};
struct mmu_point {
    int64_t window; /* ns */
    double mmu;     /* 0..1 */
    int64_t at;     /* start of (one of) the worst windows */
};
#define MMU_POINTS 40
struct heap_stat {
    bool known;
    uint64_t last, max, max_goal; /* bytes */
    int64_t max_at;
    /* the most by which the heap exceeded its goal, as a share of the goal; 0 = never */
    double over;
    uint64_t low_first, low_last; /* live heap after the first and the last cycle */
};

/* ---- leaks --------------------------------------------------------------------------------------------- */

/* Goroutines that were created in the trace and are blocked at its end, by creation and wait. */
struct leak_row {
    uint32_t name, create_stack, reason, stack;
    enum wait_kind kind;
    uint32_t count; /* blocked there at the end */
    uint32_t once;  /* of these: blocked once in their life and never woken */
    /* of these: blocked here for the first time, and for much longer than any wait here that ended */
    uint32_t lost;
    uint32_t created, ended;  /* all goroutines of this creation stack */
    uint32_t quarter[4];      /* of `lost`: created in each quarter of the trace */
    int64_t oldest, youngest; /* how long they have been blocked */
    int64_t since;            /* start of the oldest; it ends before the trace if the rest is not recorded */
    uint32_t example;         /* lane of one of them */
};

/* In wake-ups in vain, many are woken at once, and most wait again. Each pair with a futile wake-up has a
 * row; bursts may be 0. */
struct herd_row {
    uint32_t pair;                  /* index of the pair_row */
    uint64_t wakes, futile, bursts; /* bursts: how often at least HERD_MIN were woken within 100 us */
    uint32_t largest;
    int64_t lost;     /* sum of the time the woken ones ran in vain and their scheduler wait */
    int64_t clock;    /* wall-clock time during which any of them did either */
    struct moment at; /* the largest burst */
};
#define HERD_MIN 8

struct triage {
    const struct trace *tr;
    int64_t end; /* length of the trace, which starts at 0 */

    uint32_t ng;
    uint32_t *group_of; /* by goroutine: its group */
    uint32_t *workers;  /* the goroutines that are mark workers */
    size_t nworkers;
    int64_t *assist;            /* by goroutine: time in mark assist; NULL: there is none in the trace */
    struct longest_few busiest; /* the program's goroutines that ran most: for [0, t1) in all */
    struct group *groups;       /* by total execution, largest first */
    uint32_t ngroups;
    struct group_wait *group_waits;
    struct wait_row *waits; /* by total, largest first */
    uint32_t nwaits;
    struct pair_row *pairs; /* by total, largest first */
    uint32_t npairs;
    struct wait_row *syscalls; /* by total, largest first */
    uint32_t nsyscalls;
    /* Scheduler latency is from when a goroutine becomes runnable until it runs. All views use this one
     * definition. They cover the program's goroutines, and no waits that started before the trace. */
    struct hist sched;
    struct longest_few longest_runnable;
    int64_t label_ns[GC_MODES]; /* mark workers by mode */
    struct long_runs {          /* of the program's goroutines, each without a stop */
        int64_t least;          /* so long each of them is */
        uint64_t n;
        int64_t total;
        struct moment longest;
    } long_runs;

    uint32_t np;
    struct shares p_sum; /* over all Ps */
    int64_t capacity;    /* available processor time: GOMAXPROCS over time */
    int64_t unused;      /* part of it: Ps before their first record, or without any */
    /* part of that, in a damaged trace: Ps whose state is unknown; the others had nothing to do */
    int64_t lost;

    struct stw_row *stw; /* by longest, largest first */
    uint32_t nstw;
    struct hist stw_all, stw_gc;
    uint64_t gc_cycles;
    int64_t gc_mark_ns; /* time during which a mark phase was running */
    struct mmu_point mmu[MMU_POINTS];
    uint32_t nmmu;
    struct heap_stat heap;

    struct leak_row *leaks; /* by count, largest first */
    uint32_t nleaks;
    uint32_t g_at_end, g_created, g_ended;

    struct herd_row *herds; /* by lost, largest first */
    uint32_t nherds;

    struct triage_work *work; /* state between steps; NULL when done */
};

/* triage_part_missing - whether a damaged trace lacks part of the time it shows. Damage after the last
 * shown generation does not count: the trace ends there. */
bool triage_part_missing(const struct trace *tr);
/* known_torn - returns when a damaged trace first stops recording a processor; INT64_MAX if it never does.
 * known_until - returns until when a lane is recorded; torn: the result of known_torn(). Threads are stored
 * as the processors they hold, so one whose record has ended looks like an idle one: from then on nothing is
 * known of a thread that is idle at its end. Otherwise INT64_MAX: unrecorded time is a state of its own. */
int64_t known_torn(const struct trace *tr);
int64_t known_until(const struct trace *tr, int64_t torn, struct lane l);
/* triage_knows_workers, triage_knows_assists - whether the dialect records the runs of mark workers (known
 * by name or label) and mark assists. If not, a time of 0 says nothing. */
static inline bool triage_knows_workers(const struct trace *tr)
{
    return trace_info(tr)->has_names || trace_info(tr)->version >= 1008;
}
static inline bool triage_knows_assists(const struct trace *tr)
{
    return trace_info(tr)->version >= 1009;
}
/* triage_gc_work - returns the processor time of the collector: its workers, assists and sweeping. */
static inline int64_t triage_gc_work(const struct triage *tg)
{
    const int64_t *ns = tg->p_sum.ns;
    return ns_add(ns_add(ns[ST_GCWORK], ns[ST_ASSIST]), ns[ST_SWEEP]);
}
/* triage_busy - returns the processor time that was not idle, including the search for work. */
static inline int64_t triage_busy(const struct triage *tg)
{
    int64_t ns = 0;
    for (int st = ST_SCHED; st <= ST_SYSCALL; st++)
        ns = ns_add(ns, tg->p_sum.ns[st]);
    return ns;
}

/* triage_mean_procs - returns how many Ps there were on average. */
static inline double triage_mean_procs(const struct triage *tg)
{
    return ns_share(tg->capacity, tg->end);
}

/* triage_new - makes all-zero tables for a loaded trace, which must outlive them. */
enum err_code triage_new(const struct trace *tr, struct triage **out, struct err *e);
enum triage_state { TRIAGE_MORE, TRIAGE_DONE, TRIAGE_NOMEM };
/* triage_step - works for about budget_ns (INT64_MAX = to the end). After TRIAGE_NOMEM only triage_free()
 * is allowed. */
enum triage_state triage_step(struct triage *tg, int64_t budget_ns);
double triage_progress(const struct triage *tg); /* 0..1 */
void triage_free(struct triage *tg);             /* NULL is allowed */

/* triage_group_dists - returns the exact distribution of a metric for each group; free with mem_free().
 * Computed on demand, since it is costly and rarely needed; only after TRIAGE_DONE. Returns NULL when out
 * of memory or no longer wanted (slices.h). */
struct dist *triage_group_dists(const struct triage *tg, enum gmetric m);

/* stop_moment - returns a stop-the-world with the goroutine, or before Go 1.10 the P, that began it. */
static inline struct moment stop_moment(const struct range *r)
{
    return (struct moment){r->t0, r->t1, r->scope_p ? NO_LANE : r->owner, r->scope_p ? r->owner : NO_LANE};
}
/* triage_last_to_stop - returns the index of the P that stopped last in the stop-the-world m (its times; g:
 * the goroutine that stopped the world; p: its P or NO_LANE); NO_LANE if none stopped in it. *what: what
 * the P ran; *after: its delay in ns after the start of the stop. */
uint32_t triage_last_to_stop(const struct trace *tr, const struct moment *m, struct span *what,
                             int64_t *after);

/* triage_mmu - computes the minimum mutator utilisation for given windows, as in triage->mmu; only after
 * TRIAGE_DONE. */
enum err_code triage_mmu(const struct triage *tg, const int64_t *windows, uint32_t n, struct mmu_point *out,
                         struct err *e);

#endif
