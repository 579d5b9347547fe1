/*
 * rules_gc.c - rules about the collector and about stopping the world.
 */
#include <stdio.h>

#include "triage/findings/rules.h"
#include "triage/findings/thresholds.h"

/* The stops that a trace's own beginning and end make; another kind may well speak of (stack) traces. */
static bool by_tracing(const struct trace *tr, uint32_t kind)
{
    struct str s = trace_str(tr, kind);
    return str_is(s, "start trace") || str_is(s, "stop trace");
}

static void stw_kind(struct text *t, const struct rules *rs, const struct stw_row *r)
{
    if (r->kind) {
        text_str(t, rs->tr, r->kind);
    } else {
        text_lit(t, "GC");
    }
}

static void stw_last(struct draft *d, const struct rules *rs, const struct stw_row *r)
{
    if (r->last_p != NO_LANE) {
        uint64_t id = trace_lane(rs->tr, (struct lane){LANE_P, r->last_p}).id;
        text_say(&d->text, rs->tr, " Last to stop: P", id, " after ", t_dur(r->last_ns));
        if (r->last_g != NO_LANE) {
            text_say(&d->text, rs->tr, ", which ran ", t_who(r->last_g));
        }
        const struct frame at =
            trace_stack(rs->tr, r->last_stack) ? trace_frame(rs->tr, r->last_stack, 0) : (struct frame){0};
        if (at.func || at.pc) {
            text_say(&d->text, rs->tr, " at ", t_where(r->last_stack, 60));
        }
        text_lit(&d->text, ".");
    }
}

static void stw_text(struct draft *d, const struct rules *rs, const struct stw_row *r)
{
    stw_kind(&d->text, rs, r);
    text_say(&d->text, rs->tr, " stopped the world ", r->count, " time", r->count == 1 ? "" : "s", ", longest ",
             t_dur(r->longest.t1 - r->longest.t0), ", in all ", t_dur(r->total), ".");
    stw_last(d, rs, r);
}

static bool many_short(const struct stw_row *r)
{
    return r->longest.t1 - r->longest.t0 < r->total / 8; /* none of them is what costs: their number is */
}

/* A stop that the program asked for once or twice, and that is no part of the trace to speak of: there is no less often. */
static bool once(const struct rules *rs, const struct stw_row *r)
{
    return !r->is_gc && r->count < 3 && !threshold_reached(TH_STW_SHARE, r->total, rs->tg->end);
}

static void stw_next(struct text *t, const struct rules *rs, const struct stw_row *r)
{
    int64_t longest = r->longest.t1 - r->longest.t0;
    if (many_short(r)) {
        text_say(t, rs->tr, "It is their number that costs, ", t_f0((double)r->count / ((double)rs->tg->end / 1e9)),
                 " a second of ", t_dur(r->total / (int64_t)r->count),
                 r->is_gc ? " each: collect less often (allocate less, a higher GOGC)."
                          : " each: find the caller (view 8) and call it less often.");
    } else if (r->last_p != NO_LANE && r->last_ns > longest / 2) {
        text_lit(t, "Most of the longest was waiting for one processor to stop: look for a loop without calls or a "
                    "page fault there, or for too little CPU given by the host.");
    } else if (r->is_gc) {
        text_lit(
            t,
            "Look at the lanes there; the host may have taken the CPU away (more processors than cores, a quota).");
    } else if (once(rs, r)) {
        text_lit(
            t,
            "The program asked for this stop, once: only another trace can show whether it always takes that long.");
    } else {
        text_lit(t, "The program asked for this stop: find the caller (view 8) and call it less often.");
    }
}

/* A kind that lost its name with a table ("#23") may be the collector's: no advice fits it. */
static bool stw_counts(const struct rules *rs, const struct stw_row *r)
{
    return r->count > 0 && !by_tracing(rs->tr, r->kind) && !(r->kind && str_starts(trace_str(rs->tr, r->kind), "#"));
}

static bool stw_speaks(const struct rules *rs, const struct stw_row *r)
{
    return r->longest.t1 - r->longest.t0 >= threshold_ns(TH_STW_LONGEST) ||
           (r->total >= threshold_ns(TH_STW_TOTAL) && threshold_reached(TH_STW_SHARE, r->total, rs->tg->end));
}

static void stw_finding(struct rules *rs, const struct stw_row *r)
{
    struct draft d;
    draft_start(&d, RULE_STW, r->total);
    draft_subject(&d, rs, r->kind);
    draft_at(&d, r->longest.t0, r->longest.t1, LANE_BAND, BAND_STW);
    if (!many_short(r)) {
        text_dur(&d.amount, r->longest.t1 - r->longest.t0);
    } else {
        text_add(&d.amount, "%llu x", (unsigned long long)r->count);
    }
    d.f.note = once(rs, r);
    stw_text(&d, rs, r);
    stw_next(&d.next, rs, r);
    draft_end(rs, &d);
}

/* The collector's stops, all kinds together: each is short, and what they are of is how often it runs. */
struct gc_stops {
    const struct stw_row *most; /* the kind with the longest */
    int64_t total;
    uint64_t count;
    bool speak; /* for themselves */
};

static struct gc_stops gc_stops_of(const struct rules *rs)
{
    struct gc_stops s = {0};
    for (uint32_t i = 0; i < rs->tg->nstw; i++) {
        const struct stw_row *r = &rs->tg->stw[i];
        if (r->is_gc && r->kind && r->count) {
            s.total = ns_add(s.total, r->total);
            s.count += r->count;
            s.most = !s.most || r->longest.t1 - r->longest.t0 > s.most->longest.t1 - s.most->longest.t0 ? r : s.most;
        }
    }
    s.speak =
        s.most && (s.most->longest.t1 - s.most->longest.t0 >= threshold_ns(TH_STW_LONGEST) ||
                   (s.total >= threshold_ns(TH_STW_TOTAL) && threshold_reached(TH_STW_SHARE, s.total, rs->tg->end)));
    return s;
}

static void stw_gc(struct rules *rs)
{
    struct gc_stops s = gc_stops_of(rs);
    const struct stw_row *most = s.most;
    int64_t total = s.total;
    uint64_t count = s.count;
    struct draft d;
    if (!s.speak) {
        return;
    }
    draft_start(&d, RULE_STW, total);
    snprintf(d.f.key, sizeof d.f.key, "%s:GC stops", rule_id(RULE_STW));
    draft_at(&d, most->longest.t0, most->longest.t1, LANE_BAND, BAND_STW);
    text_share(&d.amount, (double)total, (double)rs->tg->end);
    text_say(&d.text, rs->tr, rs->tg->gc_cycles, " cycles of the collector stopped the world ", count, " times, ",
             t_share((double)total, (double)rs->tg->end), " of the trace in all (", t_dur(total), "), ",
             t_dur(total / (int64_t)count), " each on average, longest ", t_dur(most->longest.t1 - most->longest.t0),
             ".");
    stw_last(&d, rs, most);
    text_lit(&d.next, "Collect less often: allocate less, or give the heap more room (a higher GOGC, GOMEMLIMIT). If "
                      "each takes long, processors stop late: the host provides fewer CPUs than GOMAXPROCS, or there "
                      "are loops without calls.");
    draft_end(rs, &d);
}

/* The kinds of which none is told for itself, all together. */
static void stw_rest(struct rules *rs)
{
    const struct stw_row *most = NULL;
    int64_t total = 0;
    uint64_t count = 0;
    uint32_t kinds = 0;
    bool gc_speaks = gc_stops_of(rs).speak;
    struct draft d;
    for (uint32_t i = 0; i < rs->tg->nstw; i++) {
        const struct stw_row *r = &rs->tg->stw[i];
        if (stw_counts(rs, r) && !stw_speaks(rs, r) && !(r->is_gc && gc_speaks)) {
            total = ns_add(total, r->total);
            count += r->count;
            kinds++;
            most = !most || r->total > most->total ? r : most;
        }
    }
    if (!most || total < threshold_ns(TH_STW_TOTAL) || !threshold_reached(TH_STW_SHARE, total, rs->tg->end)) {
        return;
    }
    draft_start(&d, RULE_STW, total);
    draft_at(&d, most->longest.t0, most->longest.t1, LANE_BAND, BAND_STW);
    text_share(&d.amount, (double)total, (double)rs->tg->end);
    text_say(&d.text, rs->tr, count, " short stops of the world of ", kinds, " kinds took ", t_dur(total),
             " together: ");
    for (uint32_t i = 0, n = 0; i < rs->tg->nstw && n < 4; i++) {
        const struct stw_row *r = &rs->tg->stw[i];
        if (stw_counts(rs, r) && !stw_speaks(rs, r) && !(r->is_gc && gc_speaks)) {
            text_raw(&d.text, ", ", n++ ? 2 : 0);
            stw_kind(&d.text, rs, r);
            text_say(&d.text, rs->tr, " ", r->count, " x ", t_dur(r->total));
        }
    }
    text_add(&d.text, "%s.", kinds > 4 ? ", .." : "");
    text_say(&d.next, rs->tr, "It is their number that costs, ", t_f0((double)count / ((double)rs->tg->end / 1e9)),
             " a second: ",
             most->is_gc ? "collect less often (allocate less, a higher GOGC)."
                         : "find who asks for them (view 8) and ask less often.");
    draft_end(rs, &d);
}

static void rule_stw(struct rules *rs)
{
    for (uint32_t i = 0; i < rs->tg->nstw; i++) {
        const struct stw_row *r = &rs->tg->stw[i];
        if (stw_counts(rs, r) && !(r->is_gc && r->kind) && stw_speaks(rs, r)) {
            stw_finding(rs, &rs->tg->stw[i]);
        }
    }
    stw_gc(rs);
    stw_rest(rs);
}

/* The cycle during which a band was on for longest: there one looks first. Without any: the whole trace. */
static void draft_at_worst(struct rules *rs, struct draft *d, enum band b)
{
    const struct range *r;
    const size_t n = trace_ranges(rs->tr, RANGE_GC, &r);
    const enum state on = b == BAND_ASSIST ? ST_ASSIST : ST_GC;
    int64_t most = 0;
    draft_at(d, 0, rs->tg->end, LANE_BAND, b);
    for (size_t i = 0; i < n; i++) {
        struct shares sh;
        if (r[i].t1 - r[i].t0 <= most) { /* it can't have been on for longer than that */
            continue;
        }
        trace_shares(rs->tr, (struct lane){LANE_BAND, b}, r[i].t0, r[i].t1, &sh);
        if (sh.ns[on] > most) {
            most = sh.ns[on];
            draft_at(d, r[i].t0, r[i].t1, LANE_BAND, b);
        }
    }
}

/* Workers on processors that had nothing to do hold nobody up: where half of them idle and nobody assists, it is a note. */
static bool processors_to_spare(const struct rules *rs)
{
    const struct triage *tg = rs->tg;
    return threshold_reached(TH_GCS_IDLE, triage_idle_known(tg), tg->capacity - tg->lost) &&
           !threshold_reached(TH_GCA_SHARE, tg->p_sum.ns[ST_ASSIST],
                              ns_add(tg->p_sum.ns[ST_RUNNING], tg->p_sum.ns[ST_ASSIST]));
}

/*
 * A small heap is marked soon, and its collections are many: what each takes of all is its stops, for which no processor works, as much as
 * its marking. 0: they are too few, or mark too little of the time, for the two to be one cost.
 */
static int64_t stopped_often(const struct rules *rs, int64_t gc, int64_t busy)
{
    const struct triage *tg = rs->tg;
    const bool often = (double)tg->gc_cycles >= threshold(TH_GCS_OFTEN) &&
                       threshold_reached(TH_GCS_MARKS, tg->gc_mark_ns, tg->end) &&
                       threshold_reached(TH_GCS_ITSELF, gc, busy);
    const struct gc_stops s = gc_stops_of(rs); /* where they are long they wait for somebody, which stw-long says */
    return often && s.count && s.total / (int64_t)s.count < threshold_ns(TH_STW_LONGEST) ? s.total : 0;
}

static void stopped_text(struct text *t, const struct rules *rs, int64_t stopped)
{
    text_say(t, rs->tr, "; its stops of the world ", t_dur(stopped), " (",
             t_share((double)stopped, (double)rs->tg->end), " of the trace); it marks ",
             t_share((double)rs->tg->gc_mark_ns, (double)rs->tg->end), " of the time");
}

/* A time, if the dialect could tell that there was none. */
static struct say_part known(int64_t ns, bool told)
{
    return ns || told ? t_dur(ns) : say_words("not recorded");
}

static void rule_share(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t workers = tg->p_sum.ns[ST_GCWORK] - tg->label_ns[GC_IDLE];
    int64_t gc = workers + tg->p_sum.ns[ST_ASSIST] + tg->p_sum.ns[ST_SWEEP], busy = 0;
    struct draft d;
    for (int i = ST_SCHED; i <= ST_SYSCALL; i++) {
        busy = ns_add(busy, tg->p_sum.ns[i]);
    }
    busy = ns_add(busy - tg->label_ns[GC_IDLE], tg->lost); /* what is not known may all have been the program's */
    const bool alone = threshold_reached(TH_GCS_SHARE, gc, busy);
    const int64_t stopped = alone ? 0 : stopped_often(rs, gc, busy), held = stopped * rules_procs(rs);
    if (gc < threshold_ns(TH_GCS_TOTAL) ||
        !(alone || threshold_reached(TH_GCS_SHARE, ns_add(gc, held), ns_add(busy, tg->idle[IDLE_STW])))) {
        return;
    }
    draft_start(&d, RULE_GC_SHARE, ns_add(gc / rules_procs(rs), stopped));
    d.f.note = (double)tg->gc_cycles < threshold(TH_GCS_CYCLES) || processors_to_spare(rs); /* too few for a rate */
    draft_at_worst(rs, &d, BAND_GC);
    text_share(&d.amount, (double)gc, (double)busy);
    text_say(&d.text, rs->tr, tg->gc_cycles, " cycle", tg->gc_cycles == 1 ? "" : "s", " took ",
             t_share((double)gc, (double)busy), tg->lost ? " or more" : "", " of the processor time in use (",
             t_dur(gc), "): mark workers ", known(workers, triage_knows_workers(rs->tr)), ", assists ",
             known(tg->p_sum.ns[ST_ASSIST], triage_knows_assists(rs->tr)), ", sweeping ",
             t_dur(tg->p_sum.ns[ST_SWEEP]));
    if (stopped) {
        stopped_text(&d.text, rs, stopped);
    }
    text_lit(&d.text, ".");
    text_lit(&d.next,
             "Allocate less, or give the heap more room: a higher GOGC, or GOMEMLIMIT where memory is bounded.");
    draft_end(rs, &d);
}

/* The group whose goroutines assisted most. */
static uint32_t most_assisting(const struct triage *tg)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < tg->ngroups; i++) {
        best = tg->groups[i].d[GM_ASSIST].total > tg->groups[best].d[GM_ASSIST].total ? i : best;
    }
    return best;
}

/* Did half of the processors idle, and did those who assist lose hardly any of their lives by it? Then it is a note. */
static bool assists_little(const struct rules *rs, const struct group *most)
{
    const struct triage *tg = rs->tg;
    return threshold_reached(TH_GCS_IDLE, triage_idle_known(tg), tg->capacity - tg->lost) &&
           !threshold_reached(TH_GCA_LIFE, most->d[GM_ASSIST].total, most->d[GM_LIFE].total);
}

static void rule_assist(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t exec = 0, assist = 0;
    uint32_t most;
    struct draft d;
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        exec = ns_add(exec, tg->groups[i].is_system ? 0 : tg->groups[i].d[GM_EXEC].total);
        assist = ns_add(assist, tg->groups[i].is_system ? 0 : tg->groups[i].d[GM_ASSIST].total);
    }
    if (assist < threshold_ns(TH_GCA_TOTAL) || !threshold_reached(TH_GCA_SHARE, assist, exec) ||
        (double)tg->gc_cycles < threshold(TH_GCA_CYCLES)) {
        return;
    }
    most = most_assisting(tg);
    draft_start(&d, RULE_GC_ASSIST, assist / rules_procs(rs));
    d.f.note = assists_little(rs, &tg->groups[most]);
    draft_at_worst(rs, &d, BAND_ASSIST);
    text_share(&d.amount, (double)assist, (double)exec);
    text_say(&d.text, rs->tr, "Goroutines assisted the collector for ", t_dur(assist), ", ",
             t_share((double)assist, (double)exec), " of their running time (", tg->assists, " assists)");
    if (tg->groups[most].name) { /* else nobody knows who they are */
        text_say(&d.text, rs->tr, ", most of all ", t_func_cut(tg->groups[most].name, 60), " with ",
                 t_dur(tg->groups[most].d[GM_ASSIST].total));
    }
    text_lit(&d.text, ".");
    text_lit(&d.next,
             "During marking they allocate faster than the workers mark: allocate less there, or raise GOGC.");
    draft_end(rs, &d);
}

static void rule_mmu(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    for (uint32_t i = 0; i < tg->nmmu && tg->end >= threshold_ns(TH_MMU_TRACE); i++) {
        const struct mmu_point *m = &tg->mmu[i];
        struct draft d;
        if (m->window != 10000000 || m->mmu >= threshold(TH_MMU_LEAST)) {
            continue;
        }
        draft_start(&d, RULE_MMU, (int64_t)((1 - m->mmu) * (double)m->window));
        draft_at(&d, m->at, m->at + m->window, LANE_BAND, BAND_GC);
        text_add(&d.amount, "MMU %.0f%%", m->mmu * 100); /* "0% starved" would say the opposite */
        if (m->mmu * 1000 < 0.5) {
            text_lit(&d.text,
                     "In the worst 10 ms window the program had no processor at all: the collector had them.");
        } else {
            text_add(
                &d.text,
                "In the worst 10 ms window the program had only %.1f%% of the processors, the collector the rest.",
                m->mmu * 100);
        }
        text_lit(&d.next,
                 "See the MMU curve (view 8) and the lanes there: stops of the world, or assists and workers?");
        draft_end(rs, &d);
    }
}

static void rule_heap(struct rules *rs)
{
    const struct heap_stat *h = &rs->tg->heap;
    struct draft d;
    if ((double)rs->tg->gc_cycles < threshold(TH_HEAP_CYCLES) || h->low_last < h->low_first ||
        (double)h->low_last < threshold(TH_HEAP_TIMES) * (double)h->low_first ||
        (double)(h->low_last - h->low_first) < threshold(TH_HEAP_GROWN)) {
        return;
    }
    draft_start(&d, RULE_HEAP, 0);
    d.f.note = true;
    draft_at(&d, 0, rs->tg->end, LANE_BAND, BAND_GC);
    text_say(&d.amount, rs->tr, "+", t_bytes(h->low_last - h->low_first));
    text_say(&d.text, rs->tr, "The heap at the end of a cycle grew from ", t_bytes(h->low_first), " to ",
             t_bytes(h->low_last), " over ", rs->tg->gc_cycles, " cycles.");
    text_lit(&d.next, "Fine while the program fills its caches; otherwise compare two heap profiles.");
    draft_end(rs, &d);
}

/* Since when the heap has no goal and nothing is collected any more, to the end of the trace; INT64_MAX: it has, or is. */
static int64_t off_since(const struct rules *rs)
{
    const struct range *gc;
    const size_t ngc = trace_ranges(rs->tr, RANGE_GC, &gc);
    int64_t since = rs->tg->heap.off_since;
    for (size_t i = 0; i < ngc && since < INT64_MAX; i++) {
        since = gc[i].open_end ? INT64_MAX : gc[i].t1 > since ? gc[i].t1 : since;
    }
    return since;
}

/* What is never collected grows by all that is allocated. That the collector is off is recorded: there is no goal to begin at. */
static void rule_off(struct rules *rs)
{
    const struct heap_stat *h = &rs->tg->heap;
    const int64_t since = off_since(rs), off = since < rs->tg->end ? rs->tg->end - since : 0;
    uint64_t least, was = h->first;
    struct draft d;
    if (!off || !threshold_reached(TH_HEAP_OFF, off, rs->tg->end)) {
        return;
    }
    trace_minmax(rs->tr, METRIC_HEAP, since, since + 1, &least, &was);
    if ((double)h->last < threshold(TH_HEAP_TIMES) * (double)was ||
        (double)(h->last - was) < threshold(TH_HEAP_GROWN)) {
        return;
    }
    draft_start(&d, RULE_HEAP, 0);
    d.f.note = true;
    draft_at(&d, since, rs->tg->end, LANE_BAND, BAND_GC);
    text_say(&d.amount, rs->tr, "+", t_bytes(h->last - was));
    text_say(&d.text, rs->tr, "The heap grew from ", t_bytes(was), " to ", t_bytes(h->last), " in the last ",
             t_dur(off),
             " without a single collection: the runtime has no heap goal then, so the collector is switched off "
             "(GOGC=off, or debug.SetGCPercent(-1)).");
    if ((double)h->off_set >= threshold(TH_HEAP_SET)) {
        text_add(&d.text, " That was set %llu times, so the program does it itself, repeatedly (inferred).",
                 (unsigned long long)h->off_set);
    }
    text_add(&d.next, "%s",
             (double)h->off_set >= threshold(TH_HEAP_SET)
                 ? "Don't switch it off around a piece of work: the setting is process-wide, and when several "
                   "goroutines save and restore it, one may restore the switched-off value of another. Set a higher "
                   "GOGC once, or GOMEMLIMIT."
                 : "Switch it on again, or bound the heap (GOMEMLIMIT), unless the process ends before it runs out "
                   "of memory.");
    draft_titled(rs, &d, "the heap grows, the collector is off");
}

void rules_gc(struct rules *rs)
{
    rule_stw(rs);
    rule_share(rs);
    rule_assist(rs);
    rule_mmu(rs);
    rule_heap(rs);
    rule_off(rs);
}
