/*
 * rules_blocking.c - system calls that block: each keeps a thread, and its processor until the runtime takes that away.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

/* Does it ask for a file's lock? Then what it waits for is no device: somebody has that. */
static bool locks_file(const struct trace *tr, uint32_t stack)
{
    return stacks_has(tr, stack, "syscall.Flock") || stacks_has(tr, stack, "syscall.FcntlFlock") ||
           stacks_has(tr, stack, "unix.Flock") || stacks_has(tr, stack, "unix.FcntlFlock");
}

static void locks_text(struct draft *d, const struct causes *c, int64_t cost)
{
    d->f.note = false;
    d->f.severity_ns = cost;
    text_say(&d->text, c->tr,
             " These wait for a file lock (flock) held in this process or another; a trace does not show by whom.");
    text_lit(&d->next, "Hold the file lock more briefly, or lock a range or one file each; within one process take a "
                       "mutex first, which blocks no thread.");
}

struct blocked {                   /* goroutines in such calls */
    const struct syscall_row *row; /* the place where most of it is: of its lines that with most */
    struct syscall_row all;        /* the same call in that function, at all its lines together */
    bool several;                  /* whose callers differ */
    double threads;                /* without a processor, on average */
    double held;                   /* of processor time is in calls */
    double ready;                  /* goroutines of the program that wait for a processor, on average */
};

/* The same call is made in the same function, for others or at another line: what is said of it is of all of them. */
static void all_lines(const struct trace *tr, const struct triage *tg, struct blocked *b)
{
    const uint32_t place = causes_place(tr, b->row->stack), call = trace_frame(tr, b->row->stack, 0).func,
                   user = stacks_user_frame(tr, b->row->stack);
    b->all = (struct syscall_row){.stack = b->row->stack, .longest = b->row->longest};
    for (uint32_t i = 0; i < tg->nsyscalls; i++) {
        const struct syscall_row *r = &tg->syscalls[i];
        if (r != b->row && (causes_place(tr, r->stack) != place || trace_frame(tr, r->stack, 0).func != call)) {
            continue;
        }
        const uint32_t frame = stacks_user_frame(tr, r->stack);
        for (uint32_t k = 1; k < 3; k++) {
            b->several |= text_caller(tr, r->stack, frame, k) != text_caller(tr, b->row->stack, user, k);
        }
        b->all.count += r->count;
        b->all.blocking += r->blocking;
        b->all.open += r->open;
        b->all.total = ns_add(b->all.total, r->total);
    }
}

static struct blocked blocked_of(const struct causes *c)
{
    struct blocked b = {.row = NULL};
    int64_t ns = 0, ready = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *g = &c->tg->groups[i];
        ns = ns_add(ns, g->is_system ? 0 : g->d[GM_SYSBLOCK].total);
        ready = ns_add(ready, g->is_system ? 0 : g->d[GM_SCHED].total);
    }
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        if (causes_place(c->tr, r->stack) && (double)(r->blocking + r->open) >= threshold(TH_BLOCKING_CALLS) &&
            (!b.row || r->total > b.row->total)) {
            b.row = r;
        }
    }
    if (b.row) {
        all_lines(c->tr, c->tg, &b);
    }
    b.threads = (double)ns / (double)c->tg->end;
    b.ready = (double)ready / (double)c->tg->end;
    b.held = c->tg->capacity > 0 ? (double)c->tg->p_sum.ns[ST_SYSCALL] / (double)c->tg->capacity : 0;
    return b;
}

/* A call keeps its processor until the runtime takes it away: do others wait meanwhile for those that these keep? */
static bool keeps_processors(const struct causes *c, const struct blocked *b)
{
    int64_t all = 0;
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        all = ns_add(all, c->tg->syscalls[i].total);
    }
    return b->held >= threshold(TH_BLOCKING_HELD) && b->ready >= threshold(TH_BLOCKING_READY) * c->procs &&
           (double)b->all.count >= threshold(TH_BLOCKING_MANY) &&
           (double)b->all.blocking >= threshold(TH_BLOCKING_TAKEN) * (double)b->all.count &&
           (double)b->all.total >= threshold(TH_BLOCKING_MOST) * (double)all;
}

static void keeps_text(struct draft *d, const struct causes *c, const struct blocked *b)
{
    const struct syscall_row *row = &b->all;
    const int64_t held = (int64_t)(b->held * (double)c->tg->end);
    d->f.queued = true;
    d->f.severity_ns = held / 2; /* what of it the system works in these calls isn't recorded */
    d->f.won_hi = held;
    text_add(&d->amount, "%.0f %% of them", b->held * 100);
    text_say(&d->text, c->tr, t_place(row->stack, b->several ? 1 : 3),
             " sits in system calls that block: ", row->count, " calls of ", t_dur(row->total / (int64_t)row->count),
             " on average; after ", t_share((double)row->blocking, (double)row->count),
             " of them the processor had been taken away. Until the runtime takes it (after 20us to 10ms) a call "
             "keeps its processor and nothing else runs on it: the processors spent ",
             t_share((double)c->tg->p_sum.ns[ST_SYSCALL], (double)c->tg->capacity), " of their time in calls, while ",
             t_f1(b->ready), " goroutines waited for one on average.");
    text_lit(&d->next, "Read through the poller (os.File, net.Conn, a non-blocking descriptor), which blocks neither "
                       "thread nor processor; or let few goroutines make these calls. A higher GOMAXPROCS does not "
                       "help: those processors would be blocked, too.");
}

/* Goroutines that spend their lives so, while processors idle; or NULL. */
static const struct group *spends_its_life(const struct causes *c, const struct blocked *b)
{
    const struct syscall_row *row = &b->all;
    const double at_once = (double)row->total / (double)c->tg->end;
    const struct group *of =
        row->longest.g < c->tg->ng ? &c->tg->groups[gstat_group(c->tg->g, row->longest.g)] : NULL;
    const bool slow =
        at_once >= threshold(TH_BLOCKING_LIFE) && row->total / (int64_t)row->count >= threshold_ns(TH_BACKEND_SLOW);
    const bool is = of && (slow || at_once >= threshold(TH_BLOCKING_PLACE)) &&
                    c->idle + (double)c->tg->p_sum.ns[ST_SYSCALL] / (double)c->tg->end >= causes_idle_least(c) &&
                    (double)(of->d[GM_SYSBLOCK].total + of->d[GM_SYSCALL].total) >=
                        threshold(TH_BLOCKING_LIFE) * (double)of->d[GM_LIFE].total;
    return is ? of : NULL;
}

/* Returns whether it is a file's lock that they ask for. */
static bool threads_text(struct draft *d, const struct causes *c, const struct blocked *b, const struct group *of)
{
    const struct syscall_row *row = &b->all;
    const double at_once = (double)row->total / (double)c->tg->end;
    const bool lock = of && locks_file(c->tr, row->stack);
    d->f.note = true;
    text_add(&d->amount, "%.0f threads", of ? at_once : b->threads);
    text_say(&d->text, c->tr, t_place(row->stack, b->several ? 1 : 3),
             " sits in system calls that block: ", row->count, " calls of ", t_dur(row->total / (int64_t)row->count),
             " on average; ", t_f1(of ? at_once : b->threads),
             " goroutines are in such calls at any time, each with a thread of its own (there are ", t_f0(c->procs),
             " processors).");
    if (of) {
        d->f.won_hi = (int64_t)(at_once > of->count ? 1 : at_once / of->count * (double)c->tg->end);
        text_say(&d->text, c->tr, " Its goroutines spend ",
                 t_share((double)(of->d[GM_SYSBLOCK].total + of->d[GM_SYSCALL].total), (double)of->d[GM_LIFE].total),
                 lock ? " of their lives in calls."
                      : " of their lives in calls; a trace does not show whether they queue for one thing outside (a "
                        "file lock, a slow device).");
    }
    if (lock) {
        locks_text(d, c, d->f.won_hi);
        return true;
    }
    text_add(&d->next, "%s",
             of ? "If they queue for one thing outside, give each its own or let one goroutine do it for all; if "
                  "they only read and wait, read through the poller (os.File, net.Conn, a non-blocking descriptor)."
                : "Read through the poller (os.File, net.Conn, a non-blocking descriptor), or let few goroutines "
                  "make these calls.");
    return false;
}

void rule_blocking(struct causes *c)
{
    const struct blocked b = blocked_of(c);
    const bool keeps = b.row && keeps_processors(c, &b);
    const struct group *of = b.row ? spends_its_life(c, &b) : NULL;
    struct draft d;
    if (!b.row ||
        (!keeps && !of &&
         (b.threads < threshold(TH_BLOCKING_PROCS) * c->procs || b.threads < threshold(TH_BLOCKING_THREADS)))) {
        return;
    }
    draft_start(&d, RULE_BLOCKING, 0);
    draft_about(&d, c->rs, causes_place(c->tr, b.row->stack), b.row->stack);
    draft_moment(&d, &b.row->longest);
    if (keeps && !(of && locks_file(c->tr, b.row->stack))) {
        keeps_text(&d, c, &b);
        draft_titled(c->rs, &d, "system calls that keep processors");
    } else if (threads_text(&d, c, &b, of)) {
        draft_titled(c->rs, &d, "waits for a file lock");
    } else {
        draft_end(c->rs, &d);
    }
}
