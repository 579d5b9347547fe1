/*
 * rules_wakes.c - rules about who makes goroutines runnable: crowds that are woken or begun at once and queue for the
 * processors, timers that wake many for little, goroutines with timers that nobody ends, and loops that never block.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#include "decode/model/alive.h"
#include "decode/base/mem.h"

#define CROWD threshold(TH_CROWD_COUNT)
#define CROWD_PROCS threshold(TH_CROWD_TIMES)
#define CROWD_SHARE threshold(TH_CROWD_SHARE)
#define PEAKS 16 /* moments looked at */
#define ORIGINS 64
#define SWITCH 1000 /* ns: what beginning or waking a goroutine costs, about */
#define STORM threshold(TH_STORM_RATE)
#define STORM_RUN threshold_ns(TH_STORM_RUN)
#define CAUGHT 100000 /* moments of the allocator, of each kind, looked at */

enum origin { BEGUN, WOKEN, STOPPED, TIMED };

struct crowd { /* runnable at the moments looked at, by what made them so */
    enum origin how;
    uint32_t func, stack, who, g;
    uint64_t n;
};

struct crowds {
    struct causes *c;
    struct crowd v[ORIGINS];
    uint32_t n;
    uint64_t all, most;
    int64_t width, queued, at;
    struct alive alive;
};

/* The wait before the span that `it` stands at, that a timer ended: 0 if it was none, or not a timer's. */
static uint32_t timed_stack(const struct trace *tr, struct span_iter *it)
{
    const struct span *s = span_prev(it) ? span_get(it) : NULL;
    return s && s->state == ST_WAITING && stacks_wait_kind(tr, s->reason, s->stack) != WK_NET ? s->stack : 0;
}

static void crowd_add(struct crowds *k, uint32_t g, struct span_iter *it)
{
    const struct span at = *span_get(it), *s = &at;
    enum origin how = s->index == 0 && s->who != NO_LANE ? BEGUN
                      : s->who != NO_LANE                ? WOKEN
                      : s->reason                        ? STOPPED
                                                         : TIMED;
    uint32_t stack = how == TIMED ? timed_stack(k->c->tr, it) : s->stack, func = causes_place(k->c->tr, stack), i = 0;
    while (i < k->n && !(k->v[i].how == how && k->v[i].func == func)) {
        i++;
    }
    if (i == ORIGINS) {
        return;
    }
    if (i == k->n) {
        k->v[k->n++] = (struct crowd){.how = how, .func = func, .stack = stack, .who = s->who, .g = g};
    }
    k->v[i].n++;
}

static void crowd_at(struct crowds *k, int64_t t)
{
    const struct trace *tr = k->c->tr;
    uint64_t before = k->all;
    for (uint32_t g = 0; (g = alive_next(&k->alive, tr, LANE_G, t, t + 1, g, k->c->tg->ng)) != NO_LANE; g++) {
        struct span_iter it;
        if (span_seek(&it, tr, (struct lane){LANE_G, g}, t) && span_get(&it)->state == ST_RUNNABLE) {
            crowd_add(k, g, &it);
            k->all++;
        }
    }
    if (k->all - before > k->most) {
        k->most = k->all - before;
        k->at = t;
    }
}

static bool crowded(const struct crowds *k, const struct gbucket *b)
{
    double n = (double)b->ns[GC_RUNNABLE] / (double)k->width;
    return n >= CROWD && n >= CROWD_PROCS * k->c->procs;
}

/* Of the groups that a function begins the one with most goroutines. */
static uint32_t begun_most(const struct causes *c, const struct crowd *w)
{
    uint32_t best = gstat_group(c->tg->g, w->g);
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *grp = &c->tg->groups[i];
        if (grp->created > c->tg->groups[best].created && c->of[i].n) {
            struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, c->member[c->of[i].at + c->of[i].n / 2]});
            best = li.created && causes_place(c->tr, li.create_stack) == w->func ? i : best;
        }
    }
    return best;
}

/* Wake-ups by that function; of a crowd that timers wake, of those that waited there. */
static uint64_t crowd_wakes(const struct causes *c, const struct crowd *w)
{
    uint64_t count = 0;
    for (uint32_t i = 0; w->how != BEGUN && i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        bool its = w->how == TIMED ? p->from_scheduler && causes_place(c->tr, p->stack) == w->func
                                   : !p->from_scheduler && causes_place(c->tr, p->waker_stack) == w->func;
        count += its ? p->count : 0;
    }
    return count;
}

/* All timers due at one moment: what waits then for a processor needn't, since processors idle at other moments. */
static void timed_finding(struct causes *c, const struct crowds *k, const struct crowd *w)
{
    struct draft d;
    draft_start(&d, RULE_HERD, (int64_t)((double)k->queued * c->idle / c->procs));
    draft_about(&d, c->rs, w->func, w->stack);
    draft_at(&d, k->at - k->width / 2, k->at + k->width / 2, LANE_G, w->g);
    text_add(&d.amount, "%llu at once", (unsigned long long)k->most);
    text_say(&d.text, c->tr, t_place(w->stack, 3), " waits for timers that are due at the same moments (",
             crowd_wakes(c, w), " wake-ups of ", t_func(c->tg->groups[gstat_group(c->tg->g, w->g)].name), "): up to ",
             k->most, " goroutines were runnable at once for ", t_f0(c->procs), " processors, for ",
             t_share((double)k->queued, (double)c->tg->end), " of the trace there was such a queue, and ",
             t_share(c->idle, c->procs), " of the processor time was idle. Half the waits for a processor lasted ",
             t_dur(hist_quantile(&c->tg->sched, 0.5)), " or less, 1 % ", t_dur(hist_quantile(&c->tg->sched, 0.99)),
             " or more.");
    text_lit(&d.next,
             "Spread them over the time between: begin each at another moment, or add a random part to each pause.");
    draft_end(c->rs, &d);
}

static void crowd_finding(struct causes *c, const struct crowds *k, const struct crowd *w)
{
    uint64_t count = crowd_wakes(c, w);
    struct draft d;
    uint32_t group = w->how == BEGUN ? begun_most(c, w) : gstat_group(c->tg->g, w->g);
    if (w->how == TIMED) {
        timed_finding(c, k, w);
        return;
    }
    if (w->how == BEGUN) { /* few, or long work for each: a batch that keeps its processors busy */
        const struct group *grp = &c->tg->groups[group];
        count = grp->created;
        if ((double)count < threshold(TH_CROWD_BEGUN) ||
            grp->d[GM_EXEC].total / grp->count > threshold_ns(TH_CROWD_RUN)) {
            return;
        }
    }
    /* each has something to do with what it is woken for: on processors that never idle that is just more work than they can do */
    const bool work = w->how == WOKEN && count &&
                      c->tg->groups[group].d[GM_EXEC].total / (int64_t)count > threshold_ns(TH_CROWD_WOKEN);
    if (work && c->idle < threshold(TH_CROWD_IDLE) * c->procs) {
        return;
    }
    int64_t cost = (int64_t)((double)count * SWITCH / c->procs), least = k->queued / 2;
    cost = cost < least ? least : cost < k->queued ? cost : k->queued;
    draft_start(&d, w->how == BEGUN ? RULE_EXPLOSION : RULE_HERD, cost);
    draft_about(&d, c->rs, w->func, w->stack);
    draft_at(&d, k->at - k->width / 2, k->at + k->width / 2, LANE_G, w->g);
    d.f.note = work;
    text_add(&d.amount, "%llu at once", (unsigned long long)k->most);
    text_place(&d.text, c->tr, w->stack, 3);
    text_add(&d.text,
             w->how == BEGUN ? " begins goroutines by the crowd (%llu of "
                             : " wakes goroutines by the crowd (%llu wake-ups of ",
             (unsigned long long)count);
    text_say(&d.text, c->tr, t_func(c->tg->groups[group].name), "): up to ", k->most, " were runnable at once for ",
             t_f0(c->procs), " processors, and for ", t_share((double)k->queued, (double)c->tg->end),
             " of the trace there was such a queue. Half the waits for a processor lasted ",
             t_dur(hist_quantile(&c->tg->sched, 0.5)), " or less, 1 % ", t_dur(hist_quantile(&c->tg->sched, 0.99)),
             " or more.");
    text_add(
        &d.next, "%s",
        w->how == BEGUN
            ? "Begin as many as there are processors and let them take the work from one queue, or do small "
              "pieces in place."
        : work ? "Each has work to do then, so they queue: if it need not all come at once, hand it over as it comes."
               : "Wake only those that have something to do, or let the others read the news when they need it.");
    draft_end(c->rs, &d);
}

/*
 * How long there is a queue without the longest fifth of the times that there is one, and one. Timers whose moments fall together make a crowd
 * each time; where the host took the processors, what came due meanwhile makes a few long ones.
 */
static int64_t queued_usually(const struct crowds *k, const struct gbucket *b, size_t n)
{
    int64_t *run = mem_alloc((n + 1) * sizeof *run), ns = 0;
    size_t runs = 0, now = 0;
    for (size_t i = 0; run && i <= n; i++) {
        if (i < n && (int64_t)i * k->width < k->c->tg->end && crowded(k, &b[i])) {
            now++;
        } else if (now) {
            run[runs++] = (int64_t)now * k->width;
            now = 0;
        }
    }
    k->c->rs->failed |= !run;
    if (runs) {
        qsort(run, runs, sizeof *run, cmp_ns);
    }
    for (size_t i = 0; i + runs / 5 + 1 < runs; i++) {
        ns = ns_add(ns, run[i]);
    }
    mem_free(run);
    return ns;
}

void rule_crowds(struct causes *c)
{
    struct crowds k = {.c = c};
    const struct gbucket *b;
    size_t n = trace_gcounts(c->tr, &k.width, &b), found = 0;
    int64_t t0 = 0, t1 = c->tg->end;
    if (k.width <= 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if ((int64_t)i * k.width >= t0 && (int64_t)i * k.width < t1 && crowded(&k, &b[i])) {
            found++;
            k.queued = ns_add(k.queued, k.width);
        }
    }
    if ((double)k.queued < CROWD_SHARE * (double)c->tg->end) {
        return;
    }
    for (size_t i = 0, seen = 0; i < n; i++) {
        if ((int64_t)i * k.width >= t0 && (int64_t)i * k.width < t1 && crowded(&k, &b[i]) &&
            seen++ % (found / PEAKS + 1) == 0) {
            crowd_at(&k, (int64_t)i * k.width + k.width / 2);
        }
    }
    alive_free(&k.alive);
    const bool may_be_timed = c->idle >= threshold(TH_CROWD_IDLE) * c->procs &&
                              (double)queued_usually(&k, b, n) >= CROWD_SHARE * (double)c->tg->end;
    for (uint32_t i = 0; i < k.n; i++) {
        const bool timed = k.v[i].how == TIMED && may_be_timed;
        if (k.v[i].n * 2 > k.all && k.v[i].func && (k.v[i].how == BEGUN || k.v[i].how == WOKEN || timed)) {
            crowd_finding(c, &k, &k.v[i]);
        }
    }
}

/* ---- timers ---------------------------------------------------------------------------------------------------------- */

static bool is_timed(const struct pair_row *p)
{
    return p->from_scheduler && (p->kind == WK_SLEEP || p->kind == WK_RECV || p->kind == WK_SELECT);
}

void rule_storm(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        uint32_t g = is_timed(p) && causes_place(c->tr, p->stack) ? causes_group(c, p->waiter) : UINT32_MAX;
        double rate = (double)p->count / (double)c->tg->end * 1e9;
        if (g == UINT32_MAX || rate < STORM || (double)p->count < threshold(TH_STORM_WAKES)) {
            continue;
        }
        const struct group *grp = &c->tg->groups[g];
        struct draft d;
        const int64_t run = grp->d[GM_EXEC].total / (int64_t)p->count;
        if (run > STORM_RUN) {
            continue;
        }
        int64_t cost =
            (int64_t)((double)grp->d[GM_EXEC].total / c->procs); /* they queue side by side, not one by one: */
        cost = ns_add(cost, grp->d[GM_SCHED].total / (int64_t)grp->count);
        draft_start(&d, RULE_STORM, cost < c->tg->end ? cost : c->tg->end);
        draft_about(&d, c->rs, causes_place(c->tr, p->stack), p->stack);
        draft_moment(&d, &p->longest);
        d.f.note = run > threshold_ns(TH_STORM_LITTLE);
        text_add(&d.amount, "%.0f/s", rate);
        text_say(&d.text, c->tr, t_place(p->stack, 3), ": timers end ", t_f0(rate), " waits there a second (",
                 p->count, " in all, of ", grp->count, " goroutines, ", t_dur(p->total / (int64_t)p->count),
                 " each); after each the goroutine runs for ", t_dur(run), " on average and waits again.",
                 d.f.note ? " Whether that is work to be done then, or a look that finds nothing, a trace can't tell."
                          : "");
        text_lit(&d.next, "Let one timer serve many, wait longer, or wait for the event instead of looking for it.");
        draft_end(c->rs, &d);
    }
}

/* ---- goroutines that come all the time and don't end -------------------------------------------------------------------- */

struct growth {
    uint32_t quarter[4], begun, ended;
    uint32_t
        still; /* at the end they have waited for ten times as long as they did there before, and a 20th of the trace */
};

static void growth_of(const struct causes *c, const struct leak_row *r, uint32_t group, int64_t usual,
                      struct growth *w)
{
    *w = (struct growth){0};
    for (uint32_t i = 0; i < c->of[group].n; i++) {
        struct lane l = {LANE_G, c->member[c->of[group].at + i]};
        struct lane_info li = trace_lane(c->tr, l);
        struct span s;
        if (!li.created || li.create_stack != r->create_stack) {
            continue;
        }
        int64_t q = (int64_t)((double)li.first / (double)c->tg->end * 4);
        w->begun++;
        w->ended += li.ended;
        w->quarter[q < 0 ? 0 : q > 3 ? 3 : q]++;
        if (!li.ended && trace_span_at(c->tr, l, li.last - 1, &s) && s.state == ST_WAITING && s.stack == r->stack) {
            int64_t ns = s.t1 - s.t0;
            w->still += ns / 10 >= usual && ns >= c->tg->end / 20;
        }
    }
}

/* Coroutines that wait to be pulled from. */
static bool left_to_pull(const struct causes *c, const struct leak_row *r)
{
    return !r->stack && grain_coroutine(c->tr, r->create_stack);
}

static void growth_finding(struct causes *c, const struct leak_row *r, const struct growth *w, bool timed,
                           uint64_t wakes)
{
    uint32_t g = causes_group(c, r->name);
    struct draft d;
    const int64_t spent_on = ns_add(c->tg->groups[g].d[GM_EXEC].total, c->tg->groups[g].d[GM_SCHED].total),
                  cost = timed ? (int64_t)((double)spent_on / c->procs) : 0;
    const bool dear = threshold_reached(TH_TICKERS_COST, cost, c->tg->end);
    draft_start(&d, timed ? RULE_TICKERS : RULE_LEAK, dear ? cost : 0);
    d.f.note = !dear; /* it grows in any case; so much of it is a cost by now */
    draft_about(&d, c->rs, r->name, r->stack);
    draft_at(&d, c->tg->end - r->oldest, c->tg->end, LANE_G, r->example);
    text_add(&d.amount, "+%u", w->begun - w->ended);
    text_say(&d.text, c->tr, t_place(r->create_stack, 3), " begins goroutines of ", t_func(r->name),
             " that nobody ends: ", w->begun, " begun (", w->quarter[0], ", ", w->quarter[1], ", ", w->quarter[2],
             ", ", w->quarter[3], " in the quarters of the trace), ", w->ended, " ended. ");
    if (timed) {
        text_say(&d.text, c->tr, "Timers alone wake them, ", wakes,
                 " times so far; what they ran and waited for processors was ", t_dur(spent_on), ".");
        text_lit(&d.next,
                 "End the loop with what it is for: a context, a channel that is closed; and stop its ticker.");
    } else if (left_to_pull(c, r)) {
        text_say(&d.text, c->tr, "They are coroutines (iter.Pull), and ", w->still,
                 " of them stand at the end since they were last pulled from, ten times as long as they used to "
                 "between two pulls, up to ",
                 t_dur(r->oldest), ".");
        text_lit(&d.next, "Who does not pull to the end has to call stop, the second function that iter.Pull returns "
                          "(defer stop()): a coroutine that is left keeps its stack and all that it holds.");
    } else {
        text_say(&d.text, c->tr, w->still, " of them wait at the end (", t_str(r->reason), " in ",
                 t_where(r->stack, 0), ") ten times as long as they used to there, up to ", t_dur(r->oldest), ".");
        text_lit(&d.next,
                 "Who was to wake or end them? Close the channel, or end them with what they are for (a context).");
    }
    draft_end(c->rs, &d);
}

static bool told_already(const struct causes *c, const struct leak_row *r)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if (f->rule == RULE_LEAK && f->stack == r->stack) {
            return true;
        }
    }
    return false;
}

void rule_growth(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->nleaks && i < 64; i++) {
        const struct leak_row *r = &c->tg->leaks[i];
        uint32_t g = causes_group(c, r->name), quarters = 0;
        uint64_t timed = 0, other = 0;
        int64_t total = 0;
        struct growth w;
        if (r->count < threshold(TH_TICKERS_LEFT) || r->ended > threshold(TH_TICKERS_ENDED) * r->created ||
            g == UINT32_MAX || !c->life[g].program || told_already(c, r)) {
            continue;
        }
        for (uint32_t k = 0; k < c->tg->npairs; k++) {
            const struct pair_row *p = &c->tg->pairs[k];
            if (p->stack == r->stack && p->waiter == r->name) {
                *(is_timed(p) ? &timed : &other) += p->count;
                total = ns_add(total, p->total);
            }
        }
        if ((double)(timed + other) < threshold(TH_TICKERS_WOKEN) * r->count) {
            continue; /* woken hardly ever: goroutine-leak's own */
        }
        growth_of(c, r, g, total / (int64_t)(timed + other), &w);
        for (int q = 0; q < 4; q++) {
            quarters += w.quarter[q] > threshold(TH_TICKERS_QUARTER) * w.begun;
        }
        bool ticks = (double)other <= threshold(TH_TICKERS_OTHERS) * (double)timed,
             lives = r->kind == WK_NET || r->kind == WK_SYSTEM || r->kind == WK_GC;
        const uint32_t enough = left_to_pull(c, r) ? 3 : 4; /* these don't wait for work */
        if (quarters >= enough &&
            (ticks || (!lives && w.still >= threshold(TH_LEAK_COUNT) && w.still * 2 > r->count))) {
            growth_finding(c, r, &w, ticks, timed);
        }
    }
}

/* ---- loops that never block -------------------------------------------------------------------------------------------- */

struct spin {
    uint32_t stops, yields,
        looks;       /* preempted; gave the processor up itself; preempted within a look at a channel, a lock */
    uint32_t allocs; /* stopped in the allocator */
    uint32_t same, line_stack; /* at one line, innermost of the program */
    uint32_t func, within; /* in one function of the program, that of most: where a call is inlined lines differ */
    int64_t run, life;
    uint32_t look_stack; /* of a look, 0: none */
    uint32_t
        onward; /* looks behind which it went on into a call or a wait at once: one of each round, no loop of them */
    int64_t rounds,
        alike; /* of its running, in what ended as it called or waited itself; about as long as until it was stopped at a look */
    int64_t till_stopped; /* of its running, in what ended as it was stopped */
    int64_t since;        /* it looks by selects that never wait, from here to its end; 0: not asked of that */
};
/* Where it was stopped. */
struct spin_lines {
    struct {
        uint32_t stack, n;
        struct frame f;
    } v[16];
    uint32_t n;
};

static void line_add(struct spin_lines *l, struct frame f, uint32_t stack, uint32_t times)
{
    uint32_t k = 0;
    while (k < l->n && !(l->v[k].f.func == f.func && l->v[k].f.line == f.line)) {
        k++;
    }
    if (k < 16) {
        if (k == l->n) {
            l->v[l->n].stack = stack;
            l->v[l->n].f = f;
            l->v[l->n++].n = 0;
        }
        l->v[k].n += times;
    }
}

static void lines_end(const struct spin_lines *l, struct spin *s)
{
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t within = 0;
        if (l->v[i].n > s->same) {
            s->same = l->v[i].n;
            s->line_stack = l->v[i].stack;
        }
        for (uint32_t k = 0; k < l->n; k++) {
            within += l->v[k].f.func == l->v[i].f.func ? l->v[k].n : 0;
        }
        if (within > s->within) {
            s->within = within;
            s->func = l->v[i].f.func;
        }
    }
}

static bool looks_only(const struct trace *tr, uint32_t stack)
{
    static const char *const f[] = {"runtime.selectnb", "runtime.chanrecv",        "runtime.chansend",
                                    "runtime.Gosched",  "sync.(*Mutex).TryLock",   "internal/sync.(*Mutex).TryLock",
                                    "sync/atomic.",     "internal/runtime/atomic."};
    uint32_t n = stacks_user_frame(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof f / sizeof *f; k++) {
            if (str_starts(trace_str(tr, trace_frame(tr, stack, i).func), f[k])) {
                return true;
            }
        }
    }
    return false;
}

/* Was it stopped within the allocator? What only waits for something makes nothing. */
static bool in_allocator(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = stacks_user_frame(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        const struct str f = trace_str(tr, trace_frame(tr, stack, i).func);
        if (str_starts(f, "runtime.malloc") || str_starts(f, "runtime.newobject") ||
            str_starts(f, "runtime.makeslice") || str_starts(f, "runtime.growslice") ||
            str_starts(f, "runtime.makemap") || str_starts(f, "runtime.rawstring")) {
            return true;
        }
    }
    return false;
}

/* Did the runtime give the processor up, in something that the program called (runtime.GC waits so for the sweepers)? */
static bool runtime_yields(const struct trace *tr, uint32_t stack)
{
    const uint32_t at =
        str_is(trace_str(tr, trace_frame(tr, stack, 0).func), "runtime.Gosched"); /* not in all dialects */
    return trace_stack(tr, stack) > at && str_starts(trace_str(tr, trace_frame(tr, stack, at).func), "runtime.");
}

/* It calls or waits, having run for so long: behind a look at which it was stopped, having run for `late`, or by itself. */
static void round_ends(struct spin *s, int64_t ran, int64_t late, int64_t look)
{
    if (late) {
        s->onward += (double)ran * threshold(TH_BUSY_ONWARD) < (double)late;
    } else if (look) {
        s->rounds = ns_add(s->rounds, ran);
        s->alike = ran >= look / 2 && ran / 2 <= look ? ns_add(s->alike, ran) : s->alike;
    }
}

static void stops_of(const struct causes *c, uint32_t g, struct spin *s, struct spin_lines *lines)
{
    struct span_iter it;
    int64_t ran = 0, late = 0,
            look = 0; /* just before; before it was stopped at a look, if just now, and at the last one */
    if (!span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0)) {
        return;
    }
    for (int i = 0; i == 0 || (i < 20000 && span_next(&it)); i++) {
        const struct span *p = span_get(&it);
        if (p->state == ST_SYSCALL || p->state == ST_WAITING) {
            round_ends(s, ran, late, look);
            late = 0;
        }
        if (p->state == ST_RUNNABLE && p->who == NO_LANE && p->stack && p->reason) {
            late = 0;
            bool yield = str_is(trace_str(c->tr, p->reason), "runtime.Gosched") ||
                         str_is(trace_str(c->tr, p->reason), "yield");
            if (yield && runtime_yields(c->tr, p->stack)) {
                continue;
            }
            s->yields += yield;
            s->stops++;
            s->till_stopped = ns_add(s->till_stopped, ran);
            s->allocs += !yield && in_allocator(c->tr, p->stack);
            if (!yield && looks_only(c->tr, p->stack)) {
                s->looks++;
                s->look_stack = p->stack;
                look = late = ran;
            }
            line_add(lines, trace_frame(c->tr, p->stack, stacks_user_frame(c->tr, p->stack)), p->stack, 1);
        }
        ran = p->state == ST_RUNNING ? p->t1 - p->t0 : 0;
    }
}

static int64_t own_run(const struct causes *c, uint32_t g)
{
    return gstat_ns(c->tg->g, g, GM_EXEC) - gstat_ns(c->tg->g, g, GM_ASSIST);
}

/* all: those of its group together, to which it is added. */
static void spin_of(const struct causes *c, uint32_t g, struct spin *s, struct spin *all,
                    struct spin_lines *all_lines)
{
    struct spin_lines lines = {.n = 0};
    *s = (struct spin){.life = gstat_ns(c->tg->g, g, GM_LIFE), .run = own_run(c, g)};
    stops_of(c, g, s, &lines);
    lines_end(&lines, s);
    if (s->within < threshold(TH_BUSY_SAME) * s->stops && s->look_stack) {
        s->line_stack = s->look_stack; /* no function is that of most: where it looks */
    }
    all->stops += s->stops;
    all->yields += s->yields;
    all->looks += s->looks;
    all->onward += s->onward;
    all->rounds = ns_add(all->rounds, s->rounds);
    all->alike = ns_add(all->alike, s->alike);
    all->allocs += s->allocs;
    all->run = ns_add(all->run, s->run);
    all->till_stopped = ns_add(all->till_stopped, s->till_stopped);
    for (uint32_t i = 0; i < lines.n; i++) {
        line_add(all_lines, lines.v[i].f, lines.v[i].stack, lines.v[i].n);
    }
}

/* Who gives the processor up after a piece of work, to be fair, does not spin. */
static bool yields_at_once(const struct spin *s)
{
    return s->yields > s->stops / 2 && s->run / s->yields < threshold_ns(TH_BUSY_TURN);
}

/*
 * Is a look but where it can be stopped? Behind it, it goes on to something else, and where it is not stopped it runs as long: what takes so
 * long is before it, and can't be stopped. Who looks again and again is at times done at once.
 */
static bool looks_in_passing(const struct spin *s)
{
    return s->looks && !yields_at_once(s) && s->onward >= threshold(TH_BUSY_SAME) * s->looks &&
           s->rounds > s->till_stopped / 2 && (double)s->alike >= threshold(TH_BUSY_SAME) * (double)s->rounds;
}

static bool spins_for_sure(const struct spin *s)
{
    return yields_at_once(s) || (s->looks > threshold(TH_BUSY_LOOKS) * s->stops && !looks_in_passing(s));
}

static void stopped_text(struct text *t, const struct spin *s, uint64_t line)
{
    const double alike = threshold(TH_BUSY_SAME) * s->stops;
    const bool one_line = s->same >= alike, one_func = s->within >= alike;
    text_add(t, "%u of %u times that one of them was stopped it was ",
             one_line   ? s->same
             : one_func ? s->within
                        : s->looks,
             s->stops);
    if (one_line) {
        text_add(t, "at line %llu", (unsigned long long)line);
    } else if (one_func) {
        text_lit(t, "there");
    }
    if (s->looks) {
        text_add(t, "%slooking whether there is something to do", one_line || one_func ? ", " : "");
    }
    text_lit(t, ".");
}

/* Was the allocator caught working for the collector there, too, a tenth as often? What only looks again and again does not allocate. */
static bool allocates(const struct causes *c, const struct spin *s)
{
    static const enum range_kind kind[] = {RANGE_ASSIST, RANGE_SWEEP};
    const uint32_t place = causes_place(c->tr, s->line_stack);
    uint64_t times = 0;
    uint32_t last = 0;
    bool there = false;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const struct range *r;
        const size_t n = trace_ranges(c->tr, kind[k], &r), step = n / CAUGHT + 1;
        for (size_t i = 0; i < n; i += step) {
            there = r[i].stack == last ? there : causes_place(c->tr, r[i].stack) == place;
            last = r[i].stack;
            times += last && there ? step : 0;
        }
    }
    return (double)times + s->allocs >= threshold(TH_BUSY_SOME) * s->stops;
}

/* It calculates, then, and is what keeps the collector busy. */
static void makes_text(struct draft *d, const struct causes *c)
{
    text_say(
        &d->text, c->tr, " It allocates there, so it makes something and waits for nothing. The collector marks for ",
        t_share((double)c->tg->gc_mark_ns, (double)c->tg->end), " of the trace (", c->tg->gc_cycles, " cycles).");
    text_lit(
        &d->next,
        "Make less of it, or less often: change what has changed instead of making all anew, and keep what can be "
        "used again.");
}

/* What it runs in keeps its processor, whether it works there or waits. */
static void passing_text(struct draft *d, const struct spin *s)
{
    text_add(&d->text,
             " But behind %u of the %u looks it went on into a system call or a wait at once, and where it was not "
             "stopped it ran as long: "
             "it looks in passing, and what it runs before, for ",
             s->onward, s->looks);
    text_dur(&d->text, s->till_stopped / (int64_t)s->stops);
    text_lit(&d->text, " on average, can't be stopped (inferred).");
    d->f.inferred = d->f.unstopped = true;
    text_lit(&d->next, "Look at what it calls between two looks: a system call made past the scheduler "
                       "(syscall.RawSyscall) keeps the "
                       "processor while it waits: make it through syscall.Syscall, or read through the poller "
                       "(os.File, net.Conn). If it is "
                       "long work in assembly, do it in pieces.");
}

/* What several ran together is no share of the trace. */
static void ran_for_text(struct text *t, const struct causes *c, int64_t run, uint32_t n)
{
    const double end = (double)c->tg->end;
    text_say(t, c->tr, " running for ", t_dur(run));
    if (n == 1) {
        text_say(t, c->tr, " (", t_share((double)run, end), " of the trace)");
    } else {
        text_add(t, " together (%.1f of %.0f processors all the time)", (double)run / end, c->procs);
    }
}

static void spin_finding(struct causes *c, uint32_t group, uint32_t g, const struct spin *s, uint32_t n, int64_t run)
{
    bool sure = spins_for_sure(s);
    struct frame f = trace_frame(c->tr, s->line_stack, stacks_user_frame(c->tr, s->line_stack));
    struct draft d;
    draft_start(&d, RULE_BUSY_LOOP, sure ? (int64_t)((double)run / c->procs) : 0);
    d.f.note = !sure;
    d.f.severity_ns = d.f.severity_ns ? d.f.severity_ns : (int64_t)((double)run / c->procs);
    draft_about(&d, c->rs, f.func, s->line_stack);
    draft_at(&d, c->life[group].first, c->life[group].last, LANE_G, g);
    text_share(&d.amount, (double)run, c->procs * (double)c->tg->end);
    text_say(&d.text, c->tr, t_place(s->line_stack, 3), " kept ", n, " goroutine", n == 1 ? "" : "s", " of ",
             t_func(c->tg->groups[group].name));
    ran_for_text(&d.text, c, run, n);
    text_add(&d.text, "%s: ", gstat_waits(c->tg->g, g) ? "" : " without ever blocking");
    if (yields_at_once(s)) {
        text_add(&d.text, "one of them gave its processor up %u times and went on at once.", s->yields);
    } else {
        stopped_text(&d.text, s, f.line);
    }
    if (looks_in_passing(s)) {
        passing_text(&d, s);
        d.f.note = c->idle >= causes_idle_least(c);
        draft_titled(c->rs, &d, "runs where it can't be stopped");
        return;
    }
    if (!sure && allocates(c, s)) {
        makes_text(&d, c);
        draft_titled(c->rs, &d, "makes much at one place all the time");
        return;
    }
    d.f.looks = s->looks > 0;
    text_add(
        &d.next, "%s",
        sure ? "Block instead of looking again and again: a select without default, a condition, Lock for TryLock, a "
               "longer pause."
        : d.f.looks && !gstat_waits(c->tg->g, g)
            ? "Let it wait for what it looks for (a select without default), unless it calculates between two looks, "
              "which a trace can't tell."
            : "If this is a loop that waits for something, block instead; whether it calculates a trace can't tell.");
    draft_titled(c->rs, &d, sure ? rule_title(RULE_BUSY_LOOP) : "runs at one place all the time");
}

/* Running and, for one that gives its processor up and is at once in the queue again, that, too. */
static int64_t spent(const struct causes *c, uint32_t g)
{
    return ns_add(gstat_ns(c->tg->g, g, GM_EXEC), gstat_ns(c->tg->g, g, GM_SCHED));
}

/* Is that within a select? One that waits is no place to be stopped in: it was to go on at once. */
static bool in_select(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = stacks_user_frame(tr, stack);
    for (uint32_t i = 0; i < n; i++) {
        if (str_is(trace_str(tr, trace_frame(tr, stack, i).func), "runtime.selectgo")) {
            return true;
        }
    }
    return false;
}

/*
 * What it does from its last wait on, if that is long: where it runs all the time, and is stopped within a select often enough, that
 * never waits any more, for one of its cases is always ready.
 */
static bool spins_at_last(const struct causes *c, uint32_t g, struct spin *s)
{
    enum { MOST = 20000 };
    const struct lane l = {LANE_G, g};
    const struct lane_info li = trace_lane(c->tr, l);
    struct span_iter it;
    if (!span_seek_index(&it, c->tr, l, li.nspans > MOST ? li.nspans - MOST : 0)) {
        return false;
    }
    *s = (struct spin){.since = li.first};
    do {
        const struct span *p = span_get(&it);
        if (p->state == ST_WAITING || p->state == ST_SYSCALL) {
            *s = (struct spin){.since = p->t1};
        } else if (p->state == ST_RUNNING) {
            s->run = ns_add(s->run, p->t1 - p->t0);
        } else if (p->state == ST_RUNNABLE && p->who == NO_LANE && p->stack && p->reason) {
            s->stops++;
            if (in_select(c->tr, p->stack)) {
                s->looks++;
                s->line_stack = s->look_stack = p->stack;
            }
        }
    } while (span_next(&it));
    s->life = li.last - s->since;
    return s->stops >= threshold(TH_BUSY_STOPS) && threshold_reached(TH_BUSY_GROUP, s->run, c->tg->end) &&
           (double)s->run > threshold(TH_BUSY_LIFE) * (double)s->life &&
           s->looks > threshold(TH_BUSY_LOOKS) * s->stops;
}

/* Is there always more for it? To send takes as long as a select that receives, so whoever does runs for part of the time. */
static bool fed(const struct causes *c, const struct spin *s)
{
    return c->running * (double)c->tg->end - (double)s->run > threshold(TH_BUSY_FED) * (double)s->run;
}

static void select_finding(struct causes *c, uint32_t group, uint32_t g, const struct spin *s)
{
    const bool sure = !fed(c, s);
    struct draft d;
    draft_start(&d, RULE_BUSY_LOOP, (int64_t)((double)s->run / c->procs));
    d.f.note = !sure;
    d.f.inferred = true;
    draft_subject(&d, c->rs, trace_frame(c->tr, s->line_stack, stacks_user_frame(c->tr, s->line_stack)).func);
    draft_at(&d, s->since, s->since + s->life, LANE_G, g);
    d.f.stack = s->line_stack;
    d.f.looks = sure;
    text_share(&d.amount, (double)s->run, c->procs * (double)c->tg->end);
    text_say(&d.text, c->tr, t_place(s->line_stack, 3), " has kept a goroutine of ",
             t_func(c->tg->groups[group].name), " running since ", t_dur(s->since), ", for ", t_dur(s->run),
             ", and never waits any more: ", s->looks, " of ", s->stops,
             " times that it was stopped it was in a select, of which a case must have been ready each "
             "time (inferred).",
             sure ? " Hardly anything else runs, so nobody is sending to it all the time." : "");
    text_add(&d.next, "%s",
             sure ? "A channel that is closed is always ready: set it to nil there, or end the loop; so is a default."
                  : "A channel that is closed is always ready, and so is a default; or there is always more for it: "
                    "then this is its work.");
    draft_titled(c->rs, &d, sure ? rule_title(RULE_BUSY_LOOP) : "always finds something in its select");
}

static bool spins(const struct causes *c, uint32_t g, const struct spin *s)
{
    const bool deals = (double)(gstat_ended(c->tg->g, g) + gstat_waits(c->tg->g, g)) * threshold(TH_BUSY_DEALS) >
                       (double)s->life; /* with others, each 10 ms or oftener */
    const bool yields = yields_at_once(s) && s->yields > threshold(TH_BUSY_ROW) * (1.0 + gstat_waits(c->tg->g, g));
    return s->stops >= threshold(TH_BUSY_STOPS) &&
           (yields || threshold_reached(TH_BUSY_RAN, gstat_ns(c->tg->g, g, GM_EXEC), c->tg->end)) &&
           (double)(s->run + gstat_ns(c->tg->g, g, GM_SCHED)) > threshold(TH_BUSY_LIFE) * (double)s->life &&
           (yields || (double)gstat_ns(c->tg->g, g, GM_WAIT) < threshold(TH_BUSY_WAITS) * (double)s->life) &&
           ((s->within >= threshold(TH_BUSY_SAME) * s->stops && !deals) ||
            s->looks >= threshold(TH_BUSY_SOME) * s->stops || spins_for_sure(s));
}

/*
 * Now and then each of them spins, and waits between: most of what they run ends as they are stopped, late, in one function, and often
 * enough while they only look: a quarter of the times for sure.
 */
static bool spin_in_turn(const struct spin *all)
{
    return all->stops >= 2 * threshold(TH_BUSY_STOPS) && all->yields == 0 &&
           all->looks >= threshold(TH_BUSY_SOME) * all->stops &&
           all->within >= threshold(TH_BUSY_SAME) * all->stops &&
           (double)all->till_stopped > threshold(TH_BUSY_LIFE) * (double)all->run &&
           all->till_stopped / all->stops >= threshold_ns(TH_BUSY_LONG);
}

static void busy_group(struct causes *c, uint32_t i)
{
    struct spin best = {0}, all = {0};
    struct spin_lines lines = {.n = 0};
    uint32_t n = 0, at = 0, most = NO_LANE, members = 0;
    int64_t run = 0;
    for (uint32_t k = 0; k < c->of[i].n && k < 64; k++) {
        uint32_t g = c->member[c->of[i].at + k];
        struct spin s;
        if (!threshold_reached(TH_BUSY_RAN, spent(c, g), c->tg->end)) {
            continue;
        }
        spin_of(c, g, &s, &all, &lines);
        members += s.stops > 0;
        most = most == NO_LANE || own_run(c, g) > own_run(c, most) ? g : most;
        struct spin last;
        if (spins_at_last(c, g, &last)) {
            select_finding(c, i, g, &last);
            return;
        }
        if (spins(c, g, &s)) {
            n++;
            run = ns_add(run, s.run);
            if (s.stops > best.stops) {
                best = s;
                at = g;
            }
        }
    }
    if (n &&
        (spins_for_sure(&best) || looks_in_passing(&best) ||
         (n < c->procs && (!allocates(c, &best) ||
                           threshold_reached(TH_BUSY_MARKS, c->tg->gc_mark_ns,
                                             c->tg->end))))) { /* all processors' worth of them are a calculation's */
        spin_finding(c, i, at, &best, n, run);
        return;
    }
    lines_end(&lines, &all);
    if (!n && spin_in_turn(&all) && threshold_reached(TH_BUSY_GROUP, all.till_stopped, c->tg->end)) {
        spin_finding(c, i, most, &all, members, all.till_stopped);
    }
}

void rule_busy(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups && i < 32; i++) {
        const struct group *g = &c->tg->groups[i];
        if (c->life[i].program &&
            threshold_reached(TH_BUSY_GROUP, ns_add(g->d[GM_EXEC].total, g->d[GM_SCHED].total), c->tg->end)) {
            busy_group(c, i);
        }
    }
}
