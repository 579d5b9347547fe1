/*
 * rules_blocking.c - system calls that block: each keeps a thread.
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
             " These ask for a file's lock (flock): they queue for whoever has it, in this process or another; "
             "who that is no trace tells.");
    text_lit(&d->next, "Hold the file's lock for less, lock a part of it or a file for each; within one process a "
                       "mutex before it costs no threads.");
}

void rule_blocking(struct causes *c)
{
    int64_t ns = 0, most = 0;
    uint32_t g = 0;
    const struct syscall_row *row = NULL;
    struct draft d;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        int64_t b = c->tg->groups[i].is_system ? 0 : c->tg->groups[i].d[GM_SYSBLOCK].total;
        ns = ns_add(ns, b);
        g = b > most ? i : g;
        most = b > most ? b : most;
    }
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        row = causes_place(c->tr, r->stack) && (double)(r->blocking + r->open) >= threshold(TH_BLOCKING_CALLS) &&
                      (!row || r->total > row->total)
                  ? r
                  : row;
    }
    double threads = (double)ns / (double)c->tg->end, at_once = row ? (double)row->total / (double)c->tg->end : 0;
    const struct group *of =
        row && row->longest.g < c->tg->ng ? &c->tg->groups[gstat_group(c->tg->g, row->longest.g)] : NULL;
    bool slow = row && at_once >= threshold(TH_BLOCKING_LIFE) &&
                row->total / (int64_t)row->count >= threshold_ns(TH_BACKEND_SLOW);
    bool place = of && (slow || at_once >= threshold(TH_BLOCKING_PLACE)) &&
                 c->idle + (double)c->tg->p_sum.ns[ST_SYSCALL] / (double)c->tg->end >= causes_idle_least(c) &&
                 (double)(of->d[GM_SYSBLOCK].total + of->d[GM_SYSCALL].total) >=
                     threshold(TH_BLOCKING_LIFE) * (double)of->d[GM_LIFE].total;
    if (!row ||
        (!place && (threads < threshold(TH_BLOCKING_PROCS) * c->procs || threads < threshold(TH_BLOCKING_THREADS)))) {
        return;
    }
    draft_start(&d, RULE_BLOCKING, 0);
    d.f.note = true;
    draft_about(&d, c->rs, causes_place(c->tr, row->stack), row->stack);
    draft_moment(&d, &row->longest);
    text_add(&d.amount, "%.0f threads", threads);
    text_say(&d.text, c->tr, t_place(row->stack, 3), " sits in system calls that block: ", row->count, " calls of ",
             t_dur(row->total / (int64_t)row->count), " on average; ", t_f1(place ? at_once : threads),
             " goroutines are in such calls at any time, each with a thread of its own (there are ", t_f0(c->procs),
             " processors).");
    const bool lock = place && locks_file(c->tr, row->stack);
    if (place) {
        d.f.won_hi = (int64_t)(at_once > of->count ? 1 : at_once / of->count * (double)c->tg->end);
        text_say(&d.text, c->tr, " Its goroutines spend ",
                 t_share((double)(of->d[GM_SYSBLOCK].total + of->d[GM_SYSCALL].total), (double)of->d[GM_LIFE].total),
                 lock ? " of their lives in calls."
                      : " of their lives in calls: whether they queue for one thing outside (a file's lock, a slow "
                        "device) no trace tells.");
    }
    if (lock) {
        locks_text(&d, c, d.f.won_hi);
        draft_titled(c->rs, &d, "waits for a file's lock");
        return;
    }
    text_add(&d.next, "%s",
             place
                 ? "If they queue for one thing outside, give each its own or let one goroutine do it for all; if "
                   "they only read and wait, read through the poller (os.File, net.Conn, a non-blocking descriptor)."
                 : "Read through the poller (os.File, net.Conn, a non-blocking descriptor), or let few goroutines "
                   "make these calls.");
    draft_end(c->rs, &d);
}
