/*
 * rules_sched.c - rules about processors and the scheduler.
 */
#include "triage/findings/requests.h"
#include "triage/findings/rules.h"
#include "triage/findings/thresholds.h"

/* What waits in the histogram lasted beyond `ns`, to the histogram's accuracy. */
static int64_t beyond(const struct hist *h, int64_t ns)
{
    double sum = 0;
    for (uint32_t i = 64; i < HIST_BUCKETS; i++) {
        int64_t low = (int64_t)(i % 32 + 32) << (i / 32 - 1);
        if (h->count[i] && low >= ns) {
            sum += (double)h->count[i] * (double)(low - ns);
        }
    }
    return sum > (double)NS_MAX ? NS_MAX : (int64_t)sum;
}

static void program_times(const struct triage *tg, int64_t *exec, int64_t *sched)
{
    *exec = *sched = 0;
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        *exec = ns_add(*exec, tg->groups[i].is_system ? 0 : tg->groups[i].d[GM_EXEC].total);
        *sched = ns_add(*sched, tg->groups[i].is_system ? 0 : tg->groups[i].d[GM_SCHED].total);
    }
}

/* "Meanwhile the processors ran main.f 61.0 %, were in system calls 20.1 % and idle 12.0 %": what took a tenth. */
static void ran_text(struct text *t, const struct rules *rs, const struct sched_wait *w)
{
    const struct {
        const char *what;
        int64_t ns;
    } part[] = {{"idle", w->idle_ns}, {"stopped with the world", w->stopped_ns}, {"in system calls", w->syscall_ns}};
    bool first = true;
    if (w->all_ns <= 0) {
        return;
    }
    text_lit(t, " Meanwhile the processors ");
    for (uint32_t i = 0; i < w->nran && w->ran_ns[i] >= w->all_ns / 10; i++) {
        text_add(t, "%s", i ? ", " : "ran ");
        if (w->ran[i]) {
            text_say(t, rs->tr, t_func_cut(w->ran[i], 48), " ");
        } else {
            text_lit(t, "goroutines whose function is not recorded ");
        }
        text_share(t, (double)w->ran_ns[i], (double)w->all_ns);
        first = false;
    }
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (part[i].ns >= w->all_ns / 10) {
            text_say(t, rs->tr, first ? "were " : ", were ", part[i].what, " for ",
                     t_share((double)part[i].ns, (double)w->all_ns));
            first = false;
        }
    }
    text_add(t, "%s.", first ? "ran many short things" : "");
}

static const struct group *group_named(const struct triage *tg, uint32_t name)
{
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        if (tg->groups[i].name == name) {
            return &tg->groups[i];
        }
    }
    return NULL;
}

/* Work that comes in numbers and takes all processors while requests, which run shortly, wait for one: who, and whom it holds up. */
static bool fills_text(struct draft *d, const struct rules *rs, const struct sched_wait *w)
{
    const struct triage *tg = rs->tg;
    const struct group *by = w->nran && threshold_reached(TH_SCHED_FILLS, w->ran_ns[0], w->all_ns)
                                 ? group_named(tg, w->ran[0])
                                 : NULL,
                       *held = NULL;
    if (!by || by->is_system || by->count <= rules_procs(rs) || request_serves(rs->tr, by->name)) {
        return false;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        const struct group *g = &tg->groups[i];
        const bool waits = request_serves(rs->tr, g->name) && g->d[GM_EXEC].total > 0 &&
                           (double)g->d[GM_SCHED].total >= threshold(TH_SCHED_SHORT) * (double)g->d[GM_EXEC].total;
        held = waits && (!held || g->d[GM_SCHED].total > held->d[GM_SCHED].total) ? g : held;
    }
    if (!held) {
        return false;
    }
    text_say(&d->text, rs->tr, " So many of these at once fill the processors (", by->count, " began, ",
             t_dur(by->d[GM_EXEC].total / (int64_t)by->count), " of running each on average), while requests (",
             t_func(held->name), ") wait for one ",
             t_f1((double)held->d[GM_SCHED].total / (double)held->d[GM_EXEC].total), " times as long as they run.");
    text_say(&d->next, rs->tr, "Run fewer goroutines of ", t_func(by->name),
             " at once than there are processors (a limit, or one after the other), so that requests find one free.");
    return true;
}

static void rule_latency(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t exec, sched, p99 = hist_quantile(&tg->sched, 0.99);
    struct draft d;
    program_times(tg, &exec, &sched);
    int64_t lng = threshold_ns(TH_SCHED_LONG);
    if (p99 < lng || (double)hist_between(&tg->sched, lng, INT64_MAX) < threshold(TH_SCHED_WAITS) ||
        !threshold_reached(TH_SCHED_SHARE, sched, exec + sched) || tg->nworst == 0) {
        return;
    }
    draft_start(&d, RULE_SCHED, beyond(&tg->sched, lng) / rules_procs(rs));
    draft_at(&d, tg->worst[0].t0, tg->worst[0].t1, LANE_G, tg->worst[0].g);
    text_dur(&d.amount, p99);
    text_say(&d.text, rs->tr, "Of ", tg->sched.n, " waits for a processor half lasted ",
             t_dur(hist_quantile(&tg->sched, 0.5)), " or less, 1 % ", t_dur(p99), " or more; the longest, of ",
             t_who(tg->worst[0].g), ", ", t_dur(tg->worst[0].t1 - tg->worst[0].t0), ".");
    ran_text(&d.text, rs, &tg->worst[0]);
    if (!fills_text(&d, rs, &tg->worst[0])) {
        text_lit(&d.next, "See who had the processors during the worst waits: make that cheaper, start fewer "
                          "goroutines at once, or give the program more processors.");
    }
    draft_end(rs, &d);
}

static void rule_idle(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t missed = tg->idle[IDLE_MISSED];
    struct draft d;
    if (!threshold_reached(TH_IDLE_SHARE, missed, tg->capacity) || tg->missed_wall < threshold_ns(TH_IDLE_CLOCK)) {
        return;
    }
    draft_start(&d, RULE_IDLE, missed / rules_procs(rs));
    draft_at(&d, tg->idle_worst.t0, tg->idle_worst.t1, LANE_P, 0);
    text_share(&d.amount, (double)missed, (double)tg->capacity);
    text_say(&d.text, rs->tr, t_share((double)missed, (double)tg->capacity), " of the processor time (",
             t_dur(missed), ") was idle while goroutines had been runnable for over 50us; this adds up to ",
             t_dur(tg->missed_wall), " of wall time, the worst at ", t_dur(tg->idle_worst.t0), ".");
    text_lit(&d.next, "Waking a processor's thread took long: the host has fewer cores (or a smaller quota) than "
                      "GOMAXPROCS, or very short goroutines wake one another.");
    draft_end(rs, &d);
}

static void rule_above(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t p = rules_procs(rs), exec, sched;
    struct draft d;
    program_times(tg, &exec, &sched);
    if ((double)p < threshold(TH_ABOVE_PROCS) || tg->end < threshold_ns(TH_ABOVE_TRACE) ||
        tg->busy_p99 > threshold(TH_ABOVE_BUSY) * (double)p || !threshold_reached(TH_ABOVE_RAN, exec, tg->end)) {
        return;
    }
    draft_start(&d, RULE_PROCS_ABOVE, 0);
    d.f.note = true;
    draft_at(&d, 0, tg->end, LANE_P, 0);
    text_add(&d.amount, "%u of %lld", tg->busy_p99, (long long)p);
    text_add(&d.text, "For 99 %% of the time at most %u of %lld processors were busy at once.", tg->busy_p99,
             (long long)p);
    text_lit(&d.next, "A smaller GOMAXPROCS saves wake-ups and stealing; in a container set it to the CPU quota.");
    draft_end(rs, &d);
}

struct lowered { /* GOMAXPROCS, by the program, within the trace */
    uint64_t from, to;
    int64_t t;
    uint32_t stack; /* of who did, 0 not recorded */
};

/* For most of the trace it was as it was set last, and never so little before: else it was put back. The stop for that tells who did. */
static bool lowered(const struct rules *rs, struct lowered *out)
{
    const struct range *r;
    const size_t n = trace_npoints(rs->tr, METRIC_PROCS), stops = trace_ranges(rs->tr, RANGE_STW, &r);
    bool any = false;
    uint64_t least = n ? trace_point(rs->tr, METRIC_PROCS, 0).v : 0;
    for (size_t i = 1, j; i < n && !any; i = j) {
        const struct point was = trace_point(rs->tr, METRIC_PROCS, i - 1), p = trace_point(rs->tr, METRIC_PROCS, i);
        for (j = i + 1; j < n && trace_point(rs->tr, METRIC_PROCS, j).v == p.v; j++) { /* said again */
        }
        const int64_t until = j < n ? trace_point(rs->tr, METRIC_PROCS, j).t : rs->tg->end;
        any = p.v < least && threshold_reached(TH_BELOW_LOWERED, until - p.t, rs->tg->end);
        *out = (struct lowered){.from = was.v, .to = p.v, .t = p.t};
        least = p.v < least ? p.v : least;
    }
    if (!any) {
        return false;
    }
    for (size_t i = 0; i < stops; i++) { /* the metric follows while the world stands still, or right behind */
        if (str_starts(trace_str(rs->tr, r[i].name), "GOMAXPROCS") && r[i].t0 <= out->t) {
            out->stack = r[i].stack;
        }
    }
    return true;
}

/* Does the trace tell of several values of GOMAXPROCS? */
static bool procs_change(const struct trace *tr)
{
    const size_t n = trace_npoints(tr, METRIC_PROCS);
    for (size_t i = 1; i < n; i++) {
        if (trace_point(tr, METRIC_PROCS, i).v != trace_point(tr, METRIC_PROCS, 0).v) {
            return true;
        }
    }
    return false;
}

/* Work that Ps had no time for: with more of them it would have been done beside, in p/(p+queued) of the time. */
static void rule_below(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t idle = triage_idle_known(tg), exec, sched, procs = rules_procs(rs);
    const int64_t busy = tg->capacity - tg->lost - idle;
    double queued, end = (double)tg->end;
    struct draft d;
    program_times(tg, &exec, &sched);
    queued = (double)sched / end;
    bool much =
        threshold_reached(TH_BELOW_BUSY, busy, tg->capacity) && queued >= threshold(TH_BELOW_QUEUE) * (double)procs;
    bool full =
        threshold_reached(TH_BELOW_FULL, busy, tg->capacity) && queued >= threshold(TH_BELOW_ANY) * (double)procs;
    if (tg->capacity <= 0 || !(much || full) || tg->end < threshold_ns(TH_BELOW_TRACE)) {
        return;
    }
    struct lowered low;
    const bool set = lowered(rs, &low);
    draft_start(&d, RULE_PROCS_BELOW, (int64_t)(end * queued / (queued + (double)procs)));
    d.f.note = !set; /* work for all processors there are is what a batch job wants */
    draft_at(&d, set ? low.t : 0, tg->end, LANE_P, 0);
    text_add(&d.amount, "%.1f wait", queued);
    if (set) {
        d.f.stack = low.stack;
        if (low.stack) {
            text_place(&d.text, rs->tr, low.stack, 3);
        } else {
            text_lit(&d.text, "The program");
        }
        text_say(&d.text, rs->tr, " set GOMAXPROCS from ", low.from, " to ", low.to, " (at ", t_dur(low.t), "). ");
    }
    if (procs == 1) {
        text_lit(&d.text, "The only processor was in use (");
    } else {
        text_add(&d.text, "All %lld processors were in use (", (long long)procs);
    }
    text_say(&d.text, rs->tr, t_share((double)idle, (double)tg->capacity), " idle");
    if (threshold_reached(TH_BELOW_CALLS, tg->p_sum.ns[ST_SYSCALL], tg->capacity)) {
        text_say(&d.text, rs->tr, ", ", t_share((double)tg->p_sum.ns[ST_SYSCALL], (double)tg->capacity),
                 " in system calls");
    }
    text_say(&d.text, rs->tr, ") while ", t_f1(queued), " goroutines were runnable on average.");
    text_add(&d.next, "%s",
             set ? "Leave GOMAXPROCS as the runtime sets it, or set it to what the host provides."
             : procs_change(rs->tr)
                 ? "GOMAXPROCS changes within the trace, so this may be the program's own doing: leave it as the "
                   "runtime sets it, or set it to what the host provides, and see then whether work still queues."
                 : "If the host has more CPUs than GOMAXPROCS, raise it (a trace doesn't show that); if not, "
                   "only cheaper work helps, of what runs most first: running less at once only shortens the queue.");
    draft_end(rs, &d);
}

void rules_sched(struct rules *rs)
{
    rule_latency(rs);
    rule_idle(rs);
    rule_above(rs);
    rule_below(rs);
}
