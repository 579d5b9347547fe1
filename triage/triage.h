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
#include "triage/tables/gstats.h"
#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"

struct group_sum {
    int64_t total, max;
};
struct group {             /* goroutines with one start function */
    uint32_t name;         /* string, 0 = unknown */
    bool is_system, timed; /* timed: of its system calls at least one took more than 1 ns */
    uint32_t count, created, ended, first_member;
    uint64_t moves;               /* how often its goroutines ran on another processor than before */
    int64_t first, last;          /* from the first of their lives' beginnings to the last of their ends */
    struct group_sum d[GM_COUNT]; /* over its goroutines */
    uint32_t waits, nwaits;       /* group_waits[waits .. waits+nwaits): by reason, largest first */
};
static inline int64_t group_avg(const struct group *g, enum gmetric m)
{
    return g->count ? g->d[m].total / (int64_t)g->count : 0;
}
struct group_wait {
    uint32_t reason;
    uint64_t count;
    int64_t total, longest;
};

struct moment { /* where to look */
    int64_t t0, t1;
    uint32_t g, p; /* lanes, NO_LANE = none */
};

struct wait_row { /* waits by reason and stack */
    uint32_t reason, stack;
    enum wait_kind kind;
    uint64_t count, open;        /* open: not over when the trace ends */
    int64_t total, longest_done; /* longest_done: of those that are over */
    struct moment longest;
};
#define FUTILE_RUN \
    20000 /* ns: who runs for less between two waits on one condition may have been woken for nothing */
struct pair_row {                   /* contention: who waited where, ended by whom where */
    uint32_t reason, stack, waiter; /* waiter: start function's string */
    uint32_t waker,
        waker_stack;        /* waker: start function's string, 0 and from_scheduler: timer, network poller */
    uint32_t longest_waker; /* lane of who ended the longest, NO_LANE */
    enum wait_kind kind : 8;
    bool from_scheduler;
    uint64_t count;
    int64_t total;
    struct moment longest;
    uint64_t futile; /* the woken one ran for less than FUTILE_RUN, made no system call, and blocked again at
                        the same place */
};
struct syscall_row { /* system calls by stack */
    uint32_t stack;
    uint64_t count, blocking, open; /* blocking: it came back without a processor */
    int64_t total;
    struct moment longest;
};

/*
 * Before Go 1.22 a system call that kept its P has no end in the trace, and is an instant of the model: 1 ns
 * that tells nothing. TRI_NOT_TIMED - what is said where its time would stand, TRI_UNTIMED in a column.
 * tri_untimed - is a call of ns such a one? tri_none_timed - are all of some calls that took ns together?
 * tri_any_timed - is one of a lane's calls in an interval timed? tri_timed_ns - how long it was in those that
 * are (its share, if the trace has no others).
 */
int64_t tri_timed_ns(const struct trace *tr, struct lane l, int64_t t0, int64_t t1);
bool tri_any_timed(const struct trace *tr, struct lane l, int64_t t0, int64_t t1);
#define TRI_NOT_TIMED "not timed"
#define TRI_UNTIMED "untimed"
static inline bool tri_untimed(const struct trace *tr, int64_t ns)
{
    return ns <= 1 && !trace_info(tr)->second_family;
}
static inline bool tri_none_timed(const struct trace *tr, uint64_t calls, int64_t ns)
{
    return calls && ns <= (int64_t)calls && !trace_info(tr)->second_family;
}

/*
 * tri_by_timer - did a timer begin it (time.AfterFunc, a context's deadline)? Then no goroutine did, and
 * there is no stack. One that C calls has neither, too, but begins in a system call. li: what
 * trace_lane_who() tells of it.
 */
bool tri_by_timer(const struct trace *tr, struct lane l, const struct lane_info *li);
#define TRI_BY_TIMER "created by a timer"

#define LOCK_WAITS 16384 /* the longest waits for locks are kept one by one */
struct lock_wait {
    int64_t t0, t1;
    uint32_t g, waker, reason, stack, waker_stack;
    uint32_t place, let_go; /* functions, strings: who asked for the lock; where the waker let go of it */
    uint32_t
        lock;     /* of the functions that ask for the same one, the one in which most is waited (holder.h) */
    uint32_t got; /* row of the wait with whose end the waker had got it, NO_LANE unknown (holder.h) */
    int64_t elsewhere; /* until then the waker was, and had not got it: 0 not known to be */
};
struct holder_row {   /* locks by the place that asked for them: who held meanwhile, over all waits; inferred
                         (holder.h) */
    uint32_t place;   /* function, string */
    uint32_t lock;    /* of the functions that ask for the same one, the one in which most is waited: its own,
                         mostly */
    uint32_t holders; /* how many different goroutines */
    uint64_t waits;
    int64_t waited, told;      /* goroutine time; of it with a known holder */
    int64_t ns[ST_COUNT];      /* `told` by what the holders did */
    int64_t wait_ns[WK_KINDS]; /* ns[ST_WAITING] by what they waited for */
    uint32_t g, name,
        stack; /* what has most of it: a goroutine (lane), a start function, a stack that let go */
    int64_t g_ns, name_ns, stack_ns;
    struct moment longest; /* the longest holding that somebody waited through */
};
#define WORST 16
struct sched_wait { /* one of the worst scheduler latencies */
    int64_t t0, t1;
    uint32_t g, waker;
    bool preempted;  /* it had been running and was stopped */
    uint32_t nran;   /* what the processors did meanwhile: start functions by time, largest first */
    uint32_t ran[3]; /* strings */
    int64_t ran_ns[3];
    /* processor time: all of it; of that idle (the world not stopped), idle while the world was stopped, for
       the collector, held by a system call. `ran` is of what runs alone. */
    int64_t all_ns, idle_ns, stopped_ns, gc_ns, syscall_ns;
};

/* ---- processors ---------------------------------------------------------------------------------------- */

struct pstat {
    struct shares s; /* over the trace */
    uint64_t spans;
};
enum idle_why {
    IDLE_STW,     /* the world was stopped */
    IDLE_MISSED,  /* a goroutine had been runnable for more than 50 us: work not stolen or not woken for */
    IDLE_SYSCALL, /* nothing runnable, and goroutines sat in system calls without a processor */
    IDLE_NOWORK,  /* nothing runnable: all wait */
    IDLE_SHORT,   /* gaps of less than 10 us */
    IDLE_WHYS
};
const char *idle_why_name(enum idle_why w);
#define IDLE_NOTICE 10000     /* ns: a P's shorter gaps are ordinary hand-over */
#define RUNNABLE_NOTICE 50000 /* ns: so long it may take to wake a processor's thread */

/* ---- collector ----------------------------------------------------------------------------------------- */

enum gc_mode { GC_DEDICATED, GC_FRACTIONAL, GC_IDLE, GC_UNLABELLED, GC_MODES };
const char *gc_mode_name(enum gc_mode m); /* "dedicated" */
struct stw_row {                          /* stop-the-world by kind */
    uint32_t kind;                        /* string */
    bool is_gc;
    uint64_t count;
    int64_t total;
    struct moment longest; /* g: who stopped the world */
    uint32_t last_p, last_g,
        last_stack;  /* of the longest: last P to stop, what it ran, where; NO_LANE/0 unknown */
    int64_t last_ns; /* how long after the stop began it stopped */
};
struct mmu_point {
    int64_t window; /* ns */
    double mmu;     /* 0..1 */
    int64_t at;     /* start of (one of) the worst windows */
};
#define MMU_POINTS 40
struct heap_stat {
    bool known;
    uint64_t first, last, max, max_goal; /* bytes */
    int64_t max_at;
    double over;                  /* most the heap was above its goal, as a share of the goal; 0 = never */
    uint64_t low_first, low_last; /* heap when the first and the last cycle ended: what stayed alive */
    uint64_t off_set;  /* times it was recorded that there is no goal: the collector is switched off */
    int64_t off_since; /* since when there is none, to the trace's end; INT64_MAX: there is one, or none is
                          recorded */
};

/* ---- tasks, regions ------------------------------------------------------------------------------------ */

#define SLOWEST 8
#define BREAK_REASONS 4
struct breakdown { /* of one instance, over the goroutines that worked for it */
    int64_t running, assist, sched, syscall, waiting, all; /* running: without assist */
    int64_t gc, stw; /* of its own time: overlap with a mark phase, with a stop-the-world */
    uint32_t goroutines;
    uint32_t nreasons, reason[BREAK_REASONS]; /* waits by reason, largest first */
    int64_t reason_ns[BREAK_REASONS];
};
static inline int64_t breakdown_unknown(const struct breakdown *b) /* what the trace does not tell */
{
    return b->all - ns_add(ns_add(ns_add(b->running, b->assist), ns_add(b->sched, b->syscall)), b->waiting);
}
/* triage_breakdown - of goroutine g in [t0,t1) alone; running is with assists, gc and stw are 0. */
struct breakdown triage_breakdown(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1);
struct instance {   /* a slow task or region */
    uint32_t index; /* in trace_tasks() or trace_regions() */
    int64_t t0, t1;
    uint32_t g;
    struct breakdown b; /* set for the slowest of each type */
};
struct span_type { /* tasks or regions of one name */
    uint32_t name;
    bool is_region;
    uint64_t count, open_start, open_end; /* d counts only instances with both ends */
    struct dist d;
    uint64_t decade[14]; /* latency histogram: [i] counts 10^i <= ns < 10^(i+1); [0] also what is less */
    uint32_t nslow;
    struct instance *slow; /* longest first, up to SLOWEST; in triage.slow */
};

/* ---- leaks --------------------------------------------------------------------------------------------- */

/* goroutines created in the trace, not ended, blocked when last seen: by creation and wait */
struct leak_row {
    uint32_t name, create_stack, reason, stack;
    enum wait_kind kind;
    uint32_t count; /* so blocked at the end */
    uint32_t once;  /* of these: blocked once in their life and never woken */
    uint32_t lost;  /* of these: never here before, for much longer than any wait here that ended took; all,
                     * where nobody is left to receive what they send */
    uint32_t created, ended; /* all goroutines of this creation stack */
    uint32_t quarter[4];     /* of `lost`: created in each quarter of the trace */
    struct leak_part {
        uint32_t count, quarter[4]; /* created in each quarter of the trace */
    } vain,                         /* of `lost`: woken here, but in vain (conditions, where others ended) */
        again; /* of `lost`: gone on from here before, and now for very much longer (where others ended) */
    int64_t oldest, youngest; /* how long they have been blocked */
    int64_t since;    /* when the oldest began; it ends before the trace where what follows is not recorded */
    uint32_t example; /* its lane */
    bool no_receiver; /* who received what they send had ended before the eldest stayed (leak_why.h) */
};

struct sample_row { /* CPU samples by function */
    uint32_t func;
    uint64_t flat, cum; /* samples with it innermost; anywhere on the stack */
};
struct sample_group {
    uint32_t group;
    uint64_t count;
};

struct herd_row {                   /* wake-ups for nothing: many woken at once, most go back to wait */
    uint32_t pair;                  /* index of the pair_row */
    uint64_t wakes, futile, bursts; /* bursts: times that at least HERD_MIN were woken within 100 us */
    uint32_t largest;
    int64_t lost;     /* what the woken ones ran for nothing, and their scheduler wait, of all together */
    int64_t ran;      /* what they ran */
    int64_t clock;    /* by the clock: while any of them did */
    struct moment at; /* the largest burst */
};
#define HERD_MIN 8

struct triage {
    const struct trace *tr;
    int64_t end; /* its length: from 0 */

    struct gstats *g; /* trace_nlanes(tr, LANE_G) of them */
    uint32_t ng;
    struct group *groups; /* by total execution, largest first */
    uint32_t ngroups;
    struct group_wait *group_waits;
    struct wait_row *waits; /* by total, largest first */
    uint32_t nwaits;
    struct pair_row *pairs; /* by total, largest first */
    uint32_t npairs;
    struct syscall_row *syscalls; /* by total, largest first */
    uint32_t nsyscalls;
    struct lock_wait *lock_waits; /* by t0 */
    uint32_t nlock_waits;
    uint64_t lock_waits_all;    /* how many there were */
    uint32_t *lock_order;       /* rows of lock_waits by goroutine, then t0 */
    struct holder_row *holders; /* by waited, largest first */
    uint32_t nholders;
    /*
     * Waits for a processor: from when a goroutine may run to when it runs. One definition for all that is
     * said of them: `sched` and `worst` are of the program's goroutines, sched_system is of the runtime's
     * own, and those that began before the trace are in neither.
     */
    struct hist sched, sched_system;
    struct sched_wait worst[WORST]; /* longest first */
    uint32_t nworst;
    int64_t label_ns[GC_MODES]; /* mark workers by mode */

    struct pstat *p;
    uint32_t np;
    struct shares p_sum; /* over all Ps */
    int64_t capacity;    /* processor time there was: GOMAXPROCS over time */
    int64_t unused;      /* part of it: Ps before the trace first tells of them, or that it never does */
    int64_t lost; /* part of that: of a damaged trace, in which nobody knows what they did; else they had
                     nothing to do */
    int64_t idle[IDLE_WHYS];
    struct moment idle_worst; /* the 256th of the trace in which most was missed */
    int64_t missed_wall;      /* time during which at least one P idled with work at hand */
    uint32_t busy_p99;        /* Ps busy at once, not exceeded for 99 % of the time */

    struct stw_row *stw; /* by longest, largest first */
    uint32_t nstw;
    struct hist stw_all, stw_gc;
    uint64_t gc_cycles;
    int64_t gc_mark_ns; /* time during which a mark phase was under way */
    struct mmu_point mmu[MMU_POINTS];
    uint32_t nmmu;
    struct heap_stat heap;
    int64_t assist_ns, sweep_ns;
    uint64_t assists, sweeps;

    struct span_type *types; /* tasks by total time, then regions */
    uint32_t ntypes, ntask_types;
    struct instance *slow[2]; /* of these, by is_region */

    struct leak_row *leaks; /* by count, largest first */
    uint32_t nleaks;
    uint32_t g_at_end, g_created, g_ended;

    struct sample_row *samples; /* by flat, largest first */
    uint32_t nsamples;
    struct sample_group *sample_groups; /* by count */
    uint32_t nsample_groups;
    uint64_t sample_count, sample_states[ST_COUNT];

    struct herd_row *herds; /* by lost, largest first */
    uint32_t nherds;

    struct triage_work *work; /* between steps; NULL when done */
};

/* triage_part_missing - of a damaged trace: is any of what it shows not all there was? Damage behind the last
 * generation that is shown takes nothing away: the trace ends there. */
bool triage_part_missing(const struct trace *tr);
/* triage_knows_workers, triage_knows_assists - does the dialect record that the collector's mark workers ran
 * (they are known by their names or labels), that goroutines assisted it? Else a time of 0 says nothing. */
static inline bool triage_knows_workers(const struct trace *tr)
{
    return trace_info(tr)->has_names || trace_info(tr)->version >= 1008;
}
static inline bool triage_knows_assists(const struct trace *tr)
{
    return trace_info(tr)->version >= 1009;
}
/* triage_idle_known - processor time that is known to have been idle. */
static inline int64_t triage_idle_known(const struct triage *tg)
{
    return ns_add(tg->p_sum.ns[ST_IDLE], tg->unused - tg->lost);
}

/* triage_busy - processor time that was not idle, looking for work included. */
static inline int64_t triage_busy(const struct triage *tg)
{
    int64_t ns = 0;
    for (int st = ST_SCHED; st <= ST_SYSCALL; st++)
        ns = ns_add(ns, tg->p_sum.ns[st]);
    return ns;
}

/* triage_new - all-zero tables for a loaded trace, which must outlive them. */
enum err_code triage_new(const struct trace *tr, struct triage **out, struct err *e);
enum triage_state { TRIAGE_MORE, TRIAGE_DONE, TRIAGE_NOMEM };
/* triage_step - work for about budget_ns (INT64_MAX = all). After TRIAGE_NOMEM
 * only triage_free() is allowed. */
enum triage_state triage_step(struct triage *tg, int64_t budget_ns);
double triage_progress(const struct triage *tg); /* 0..1 */
void triage_free(struct triage *tg);             /* NULL is allowed */

/*
 * triage_group_dists - what the groups have of a metric, with quantiles: exact, by group, to be freed with
 * mem_free(). Only after TRIAGE_DONE: they are looked at less often than they cost. NULL: out of memory (or
 * no longer wanted, slices.h).
 */
struct dist *triage_group_dists(const struct triage *tg, enum gmetric m);

/* triage_last_to_stop - which P stopped last in the stop-the-world m (its times, g: who stopped the world, p:
 * its P or NO_LANE): the P's index, NO_LANE if none stopped in it. *what: what it ran; *after: ns after the
 * stop began. */
uint32_t triage_last_to_stop(const struct trace *tr, const struct moment *m, struct span *what,
                             int64_t *after);

/* triage_mmu - minimum mutator utilisation for one window, as triage->mmu holds it for some; only after
 * TRIAGE_DONE.
 */
enum mmu_flags {
    MMU_STW = 1,
    MMU_WORKERS = 2,
    MMU_ASSIST = 4,
    MMU_SWEEP = 8,
    MMU_DEFAULT = 7 /* the others are for comparison with Go's tool */
};
enum err_code triage_mmu(const struct trace *tr, unsigned flags, const int64_t *windows, uint32_t n,
                         struct mmu_point *out, struct err *e);

#endif
