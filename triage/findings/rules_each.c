/*
 * rules_each.c - system calls that hold up each request, or each piece of work, for most of what it takes: which calls, how often in each,
 * and what would let one stand for many. That it was in calls is told without (time-spent); not which, though the trace has it.
 */
#include "triage/findings/causes.h"
#include "triage/findings/commits.h"
#include "triage/findings/works.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"

#define CALLS 6

struct call {
    uint32_t name, stack;
    uint64_t n, blocked;
    int64_t ns;
    struct moment longest;
};
struct calls {
    struct call v[CALLS]; /* the longest together first */
    uint32_t n;
    int64_t ns, others; /* others: until somebody else is done */
};

/* "syscall.Fsync": what enters the kernel for it has no name of its own. */
static uint32_t name_of(const struct trace *tr, uint32_t stack)
{
    static const char *const raw[] = {
        "runtime.",        "internal/runtime", "syscall.Syscall", "syscall.RawSyscall",
        "syscall.syscall", "syscall.rawSys",   "syscall.runtime", "golang.org/x/sys/unix.Syscall"};
    const uint32_t n = stacks_user_frame(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t func = trace_frame(tr, stack, i).func;
        bool is = false;
        for (size_t k = 0; k < sizeof raw / sizeof *raw; k++) {
            is |= str_starts(trace_str(tr, func), raw[k]);
        }
        if (!is) {
            return func;
        }
    }
    return trace_frame(tr, stack, 0).func;
}

/* Is what is called, its package aside, one of these? */
static bool is_one(const struct trace *tr, uint32_t stack, const char *const *of, size_t n)
{
    const struct str s = trace_str(tr, name_of(tr, stack));
    size_t at = s.len;
    bool is = false;
    while (at > 0 && s.p[at - 1] != '.') {
        at--;
    }
    for (size_t i = 0; i < n; i++) {
        is |= str_is((struct str){s.p + at, s.len - at}, of[i]);
    }
    return is;
}
#define IS_ONE(tr, stack, of) is_one(tr, stack, of, sizeof(of) / sizeof *(of))

/* One of them does for all that was written before it. */
bool each_keeps(const struct trace *tr, uint32_t stack)
{
    static const char *const of[] = {"Fsync", "Fdatasync", "fdatasync", "SyncFileRange",
                                     "Sync",  "Syncfs",    "Msync",     "FlushFileBuffers"};
    return IS_ONE(tr, stack, of);
}

static bool of_names(const struct trace *tr, uint32_t stack)
{
    static const char *const of[] = {"Rename", "Renameat", "Renameat2", "rename", "renameat", "Unlink",  "Unlinkat",
                                     "unlink", "unlinkat", "Link",      "Linkat", "Mkdir",    "Mkdirat", "Rmdir"};
    return IS_ONE(tr, stack, of);
}

static bool of_opening(const struct trace *tr, uint32_t stack)
{
    static const char *const of[] = {"Open", "open", "Openat", "openat", "Openat2", "Creat"};
    return IS_ONE(tr, stack, of);
}

/* A child process, a lock of the system's, a clock: what is waited for in it is no work of the call's. */
static bool waits_inside(const struct trace *tr, uint32_t stack)
{
    static const char *const of[] = {"forkExec",   "Wait4",
                                     "wait4",      "waitid",
                                     "Waitid",     "blockUntilWaitable",
                                     "Flock",      "flock",
                                     "FcntlFlock", "fcntl",
                                     "Nanosleep",  "ClockNanosleep",
                                     "Poll",       "Ppoll",
                                     "Select",     "Pselect",
                                     "select",     "EpollWait",
                                     "Kevent",     "kevent",
                                     "Pause",      "WaitForSingleObject"};
    return IS_ONE(tr, stack, of) || stacks_has(tr, stack, "syscall.forkExec") ||
           stacks_has(tr, stack, "os.(*Process)");
}

static void call_add(struct calls *k, const struct trace *tr, const struct syscall_row *r)
{
    const uint32_t name = name_of(tr, r->stack);
    uint32_t i = 0;
    k->ns = ns_add(k->ns, r->total);
    k->others = waits_inside(tr, r->stack) ? ns_add(k->others, r->total) : k->others;
    while (i < k->n && k->v[i].name != name) {
        i++;
    }
    if (i == CALLS) {
        return;
    }
    if (i == k->n) {
        k->v[k->n++] = (struct call){.name = name, .stack = r->stack, .longest = r->longest};
    }
    k->v[i].n += r->count;
    k->v[i].blocked += r->blocking;
    k->v[i].ns = ns_add(k->v[i].ns, r->total);
    for (; i > 0 && k->v[i].ns > k->v[i - 1].ns; i--) {
        const struct call c = k->v[i];
        k->v[i] = k->v[i - 1];
        k->v[i - 1] = c;
    }
}

/* Those at one function of the program, of goroutines of a group. */
static void calls_of(const struct causes *c, uint32_t group, uint32_t func, struct calls *k)
{
    *k = (struct calls){.n = 0};
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        if (r->count && r->longest.g < c->tg->ng && gstat_group(c->tg->g, r->longest.g) == group &&
            causes_place(c->tr, r->stack) == func) {
            call_add(k, c->tr, r);
        }
    }
}

/* Short calls that give no processor up may only copy; what a device is waited for in is long by itself. */
static bool is_long(const struct trace *tr, const struct call *v)
{
    return v->ns / (int64_t)v->n >= threshold_ns(TH_EACH_CALL) &&
           (each_keeps(tr, v->stack) || (double)v->blocked >= threshold(TH_EACH_BLOCKED) * (double)v->n);
}

/* What of them is long, and gives processors up: beside them may be many short ones. */
static struct call long_ones(const struct trace *tr, const struct calls *k)
{
    struct call all = {0};
    for (uint32_t i = 0; i < k->n; i++) {
        const struct call *v = &k->v[i];
        if (is_long(tr, v)) {
            all.n += v->n;
            all.blocked += v->blocked;
            all.ns = ns_add(all.ns, v->ns);
        }
    }
    return all;
}

static bool most_of_it(const struct causes *c, const struct calls *k, int64_t of)
{
    const struct call all = long_ones(c->tr, k);
    return c->tg->end > 0 && k->others * 4 < k->ns && (double)all.n >= threshold(TH_TIME_PIECES) &&
           threshold_reached(TH_EACH_SHARE, all.ns, of);
}

static void calls_text(struct text *t, const struct causes *c, const struct calls *k, double pieces)
{
    uint32_t said = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct call *v = &k->v[i];
        if (!is_long(c->tr, v)) {
            continue;
        }
        text_raw(t, ", ", said++ ? 2 : 0);
        text_func(t, c->tr, v->name, 0);
        if (pieces > 0) {
            text_add(t, " %.1f times, ", (double)v->n / pieces);
        } else {
            text_add(t, " %llu times, ", (unsigned long long)v->n);
        }
        text_dur(t, v->ns / (int64_t)v->n);
    }
    const struct call all = long_ones(c->tr, k);
    text_lit(t, ", each on average");
    if (all.blocked) {
        text_add(t, "; %llu of these %llu gave their processor up", (unsigned long long)all.blocked,
                 (unsigned long long)all.n);
    }
    text_lit(t, ".");
}

static int64_t kept_ns(const struct causes *c, const struct calls *k)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        ns = each_keeps(c->tr, k->v[i].stack) ? ns_add(ns, k->v[i].ns) : ns;
    }
    return ns;
}

static void advice(struct text *t, const struct causes *c, const struct calls *k, uint32_t group, bool kept)
{
    bool opens = false, names = false;
    uint64_t opened = 0, synced = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        const bool much = is_long(c->tr, &k->v[i]) && k->v[i].ns > k->ns / 5;
        opens |= much && of_opening(c->tr, k->v[i].stack);
        names |= much && of_names(c->tr, k->v[i].stack);
        opened += of_opening(c->tr, k->v[i].stack) ? k->v[i].n : 0;
        synced += each_keeps(c->tr, k->v[i].stack) ? k->v[i].n : 0;
    }
    if (kept && commits_of(c, group)) {
        text_lit(t, COMMITS_ADVICE);
    } else if (kept && opened * 2 >= synced) {
        text_lit(t,
                 "Each syncs a file that it opens: append several to one file, so that one sync serves many (a group "
                 "commit); or sync where nobody waits for it, if losing the last ones is acceptable.");
    } else if (kept) {
        text_lit(t, "Let one sync serve many: one goroutine writes everything queued, syncs once and answers all "
                    "waiters (a group commit).");
    }
    if (names) {
        text_add(t, "%sA file is created or renamed for each: several in one file need fewer calls.",
                 kept ? " " : "");
    } else if (opens) {
        text_add(t, "%sKeep files open instead of reopening them, or put several things in one file.",
                 kept ? " " : "");
    } else if (!kept) {
        text_lit(t, "Make one call do more (a buffer, several at once), or make it where nobody waits for it.");
    }
}

static void head_text(struct draft *d, const struct causes *c, const struct calls *k, double share)
{
    const struct call *v = &k->v[0];
    draft_moment(d, &v->longest);
    d->f.stack = v->stack;
    text_share(&d->amount, share, 1);
    text_say(&d->text, c->tr, t_place(v->stack, 3), " is in system calls for ", t_share(share, 1), " of what ");
}

/* Who ends several waits with each of them has one stand for many already. */
static bool stands_for_many(const struct causes *c, const struct calls *k, uint32_t group)
{
    const uint32_t name = c->tg->groups[group].name;
    uint64_t ended = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        ended += !p->from_scheduler && p->waker == name && p->waiter != name ? p->count : 0;
    }
    return (double)ended >= threshold(TH_BOTTLE_TOGETHER) * (double)k->v[0].n;
}

/* Of calls that keep threads. As a note it says less than this where they make a device keep what was written: those are no waits. */
static bool blocks(const struct causes *c, const struct calls *k, uint32_t func)
{
    const bool kept = threshold_reached(TH_EACH_KEPT, kept_ns(c, k), k->ns);
    bool told = false;
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        told |= f->rule == RULE_BLOCKING && !(f->note && kept) && f->stack && causes_place(c->tr, f->stack) == func;
    }
    return told;
}

static bool told_otherwise(const struct causes *c, const struct calls *k, uint32_t group, uint32_t func)
{
    return causes_told_at(c, RULE_CHILDREN, func) || blocks(c, k, func) || stands_for_many(c, k, group);
}

bool each_finding(struct causes *c, const struct work_kind *w)
{
    const struct leaf *l = &w->v.v[0];
    struct calls k;
    struct draft d;
    if (w->v.n == 0 || l->cat != EX_SYSCALL || w->merged || w->n == 0 || w->v.all <= 0) {
        return false;
    }
    calls_of(c, w->group, l->func, &k);
    const double share = (double)l->ns / (double)w->v.all, at_once = (double)w->ns / (double)c->tg->end;
    const int64_t kept = kept_ns(c, &k);
    if (!most_of_it(c, &k, w->ns) || !threshold_reached(TH_EACH_SHARE, l->ns, w->v.all) ||
        told_otherwise(c, &k, w->group, l->func)) {
        return false;
    }
    const bool side = at_once >= threshold(TH_EACH_SIDE) && threshold_reached(TH_EACH_KEPT, kept, w->ns);
    draft_start(&d, RULE_EACH, side ? (int64_t)((double)kept / (double)w->ns * work_in_flight(w)) : 0);
    d.f.note = !side;
    d.f.won_hi = (int64_t)(share * work_in_flight(w));
    draft_subject(&d, c->rs, l->func);
    head_text(&d, c, &k, share);
    text_add(&d.text, "%s%llu ", w->about ? "about " : "", (unsigned long long)w->n);
    works_name(&d.text, c, w);
    text_say(&d.text, c->tr, " take (", t_dur(w->ns / (int64_t)w->n), " on average, ", t_f1(at_once),
             " at a time). In each", w->fed ? " (as far as one can be told from the next)" : "", ": ");
    calls_text(&d.text, c, &k, (double)w->n);
    advice(&d.next, c, &k, w->group, threshold_reached(TH_EACH_KEPT, kept, k.ns));
    draft_end(c->rs, &d);
    return true;
}

/* A call that lasts gives its processor up, and who comes back or is woken behind it waits for one: with fewer calls that goes, too. */
static int64_t for_processors(const struct leaves *way)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < way->n; i++) {
        ns = way->v[i].cat == EX_SCHED || way->v[i].cat == EX_NOBODY ? ns_add(ns, way->v[i].ns) : ns;
    }
    return ns;
}

bool each_on_way(struct causes *c, const struct leaves *way)
{
    const struct leaf *l = &way->v[0];
    const int64_t all = way->all;
    const uint32_t group = l->g < c->tg->ng ? gstat_group(c->tg->g, l->g) : UINT32_MAX;
    struct calls k;
    struct draft d;
    if (l->cat != EX_SYSCALL || group == UINT32_MAX || all <= 0 || !threshold_reached(TH_EACH_SHARE, l->ns, all)) {
        return false;
    }
    calls_of(c, group, l->func, &k);
    if (!most_of_it(c, &k, all) || told_otherwise(c, &k, group, l->func)) {
        return false;
    }
    draft_start(&d, RULE_EACH, 0);
    d.f.note = true;
    d.f.won_hi = ns_add(l->ns, for_processors(way));
    draft_subject(&d, c->rs, l->func);
    head_text(&d, c, &k, (double)l->ns / (double)all);
    text_lit(&d.text, "the main goroutine does and waits for (its critical path): ");
    calls_text(&d.text, c, &k, 0);
    advice(&d.next, c, &k, group, threshold_reached(TH_EACH_KEPT, kept_ns(c, &k), k.ns));
    draft_titled(c->rs, &d, "most of it is system calls");
    return true;
}
