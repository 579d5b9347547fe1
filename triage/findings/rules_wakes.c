/*
 * rules_wakes.c - rules about who makes goroutines runnable: crowds that are woken or begun at once and queue for the
 * processors, timers that wake many for little, and goroutines with timers that nobody ends.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/growth.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/slices.h"

#include <stdlib.h>

#include "decode/model/alive.h"
#include "decode/base/mem.h"

#define CROWD threshold(TH_CROWD_COUNT)
#define CROWD_PROCS threshold(TH_CROWD_TIMES)
#define CROWD_SHARE threshold(TH_CROWD_SHARE)
#define PEAKS 16 /* moments looked at */
#define ORIGINS 64
#define BRIEF 4000  /* ns: who runs for longer mostly works: what beginning and ending it costs is the smaller part */
#define SWITCH 1000 /* ns: what beginning or waking a goroutine costs, about */
#define QUEUE 256   /* of those that queue at a moment so many are looked at for who woke them with which others */
#define BURSTS 3    /* crowds woken, at least */
#define STORM threshold(TH_STORM_RATE)
#define STORM_RUN threshold_ns(TH_STORM_RUN)

enum origin { BEGUN, WOKEN, STOPPED, TIMED };

struct crowd { /* runnable at the moments looked at, by what made them so */
    enum origin how;
    uint32_t func, stack, who, g;
    uint64_t n, looked, with; /* with: of those looked at, woken with another one in one go */
};

struct crowds {
    struct causes *c;
    struct crowd v[ORIGINS];
    uint32_t n;
    uint64_t all, most;
    int64_t width, queued, at;
    struct alive alive;
    struct made { /* who queues at a moment: which of v[] made it so, by whom, in which span of that one's */
        uint64_t span;
        uint32_t of, who;
    } * made;
    uint32_t nmade;
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
    if (how == WOKEN && k->nmade < QUEUE) {
        struct span_iter by;
        const bool known = span_seek(&by, k->c->tr, (struct lane){LANE_G, s->who}, s->t0);
        k->made[k->nmade++] = (struct made){known ? span_get(&by)->index : 0, i, s->who};
    }
}

static int cmp_made(const void *a, const void *b)
{
    const struct made *x = a, *y = b;
    return x->of != y->of     ? (x->of > y->of) - (x->of < y->of)
           : x->who != y->who ? (x->who > y->who) - (x->who < y->who)
                              : (x->span > y->span) - (x->span < y->span);
}

static bool in_one_go(const struct made *a, const struct made *b)
{
    return cmp_made(a, b) == 0;
}

/* Who wakes a crowd wakes one after the other; who waits in between hands something on each time. */
static void count_with(struct crowds *k)
{
    const struct made *m = k->made;
    qsort(k->made, k->nmade, sizeof *m, cmp_made);
    for (uint32_t i = 0; i < k->nmade; i++) {
        struct crowd *v = &k->v[m[i].of];
        v->looked++;
        v->with += (i && in_one_go(&m[i - 1], &m[i])) || (i + 1 < k->nmade && in_one_go(&m[i], &m[i + 1]));
    }
    k->nmade = 0;
}

static void crowd_at(struct crowds *k, int64_t t)
{
    const struct trace *tr = k->c->tr;
    const struct alive_ask in = {tr, LANE_G, t, t + 1, k->c->tg->ng};
    uint64_t before = k->all;
    for (uint32_t g = 0; (g = alive_next(&k->alive, &in, g)) != NO_LANE; g++) {
        struct span_iter it;
        if (span_seek(&it, tr, (struct lane){LANE_G, g}, t) && span_get(&it)->state == ST_RUNNABLE) {
            crowd_add(k, g, &it);
            k->all++;
        }
    }
    count_with(k);
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
            struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, causes_nth(c, i, c->of[i].n / 2)});
            best = li.created && causes_place(c->tr, li.create_stack) == w->func ? i : best;
        }
    }
    return best;
}

/* Wake-ups by that function; of a crowd that timers wake, of those that waited there. */
static uint64_t crowd_wakes(const struct causes *c, const struct crowd *w)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
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
    const struct group *of = &c->tg->groups[gstat_group(c->tg->g, w->g)];
    const uint64_t count = crowd_wakes(c, w);
    struct draft d;
    draft_start(&d, RULE_HERD, (int64_t)((double)k->queued * c->idle / c->procs));
    draft_about(&d, c->rs, w->func, w->stack);
    draft_at(&d, k->at - k->width / 2, k->at + k->width / 2, LANE_G, w->g);
    d.f.note = count < 2 * (uint64_t)of->count; /* each once: that is all there is */
    text_add(&d.amount, "%llu at once", (unsigned long long)k->most);
    text_say(&d.text, c->tr, t_place(w->stack, 3), " waits for timers that fire at the same moments (", count,
             " wake-ups of ", t_func(of->name), "): up to ", k->most, " goroutines were runnable at once for ",
             t_f0(c->procs), " processors, for ", t_share((double)k->queued, (double)c->tg->end),
             " of the trace there was such a queue, and ", t_share(c->idle, c->procs),
             " of the processor time was idle. Half the waits for a processor lasted ",
             t_dur(hist_quantile(&c->tg->sched, 0.5)), " or less, 1 % ", t_dur(hist_quantile(&c->tg->sched, 0.99)),
             " or more.");
    text_lit(&d.next, "Spread them out: start each at a different moment, or add a random part to each pause.");
    draft_end(c->rs, &d);
}

#define WALKED 16  /* goroutines of a crowd */
#define STEPS 2000 /* spans of each */

/* Do those that are woken make a system call (a write) before they wait again, three of four times? They have something to do, then. */
static bool calls_when_woken(const struct causes *c, uint32_t group)
{
    uint64_t waits = 0, calls = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
        struct walk w;
        bool woken = false;
        walk_g(&w, c->tr, causes_member(c, group, i, WALKED), STEPS);
        for (const struct span *s; (s = walk_next(&w));) {
            if (s->state == ST_WAITING) {
                waits++;
                woken = true;
            } else if (s->state == ST_SYSCALL) {
                calls += woken;
                woken = false;
            }
        }
    }
    return waits && (double)calls >= threshold(TH_CROWD_CALLS) * (double)waits;
}

/* Is an item handed over with each wake-up? Closing a channel, or a broadcast, only tells that there may be something. */
static bool hands_over(const struct trace *tr, uint32_t stack)
{
    static const char *const ways[] = {"runtime.chansend1", "runtime.chanrecv1", "runtime.chanrecv2",
                                       "runtime.selectgo", "runtime.selectnbsend"};
    bool is = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        is |= stacks_has(tr, stack, ways[i]);
    }
    return is;
}

static void crowd_finding(struct causes *c, const struct crowds *k, const struct crowd *w)
{
    uint64_t count = w->how == BEGUN ? 0 : crowd_wakes(c, w);
    struct draft d;
    uint32_t group = w->how == BEGUN ? begun_most(c, w) : gstat_group(c->tg->g, w->g);
    if (w->how == BEGUN) { /* few, or long work for each: a batch that keeps its processors busy */
        const struct group *grp = &c->tg->groups[group];
        count = grp->created;
        if ((double)count < threshold(TH_CROWD_BEGUN) ||
            grp->d[GM_EXEC].total / grp->count > threshold_ns(TH_CROWD_RUN)) {
            return;
        }
    }
    if (w->how == WOKEN && count < BURSTS * k->most) { /* once, as it ends for example */
        return;
    }
    /* each has something to do with what it is woken for: on processors that never idle that is just more work than they can do */
    const bool work = w->how == WOKEN && count &&
                      (c->tg->groups[group].d[GM_EXEC].total / (int64_t)count > threshold_ns(TH_CROWD_WOKEN) ||
                       calls_when_woken(c, group) || hands_over(c->tr, w->stack));
    if (work && c->idle < threshold(TH_CROWD_IDLE) * c->procs) {
        return;
    }
    int64_t cost = (int64_t)((double)count * SWITCH / c->procs), least = k->queued / 2;
    const int64_t each =
        c->tg->groups[group].count ? c->tg->groups[group].d[GM_EXEC].total / c->tg->groups[group].count : 0;
    if (w->how == BEGUN &&
        each > BRIEF) { /* the work itself stays, and queues for the processors however few do it */
        least = (int64_t)((double)least * BRIEF / (double)each);
    }
    cost = cost < least ? least : cost < k->queued ? cost : k->queued;
    draft_start(&d, w->how == BEGUN ? RULE_EXPLOSION : RULE_HERD, cost);
    draft_about(&d, c->rs, w->func, w->stack);
    draft_at(&d, k->at - k->width / 2, k->at + k->width / 2, LANE_G, w->g);
    d.f.note = work;
    text_add(&d.amount, "%llu at once", (unsigned long long)k->most);
    text_place(&d.text, c->tr, w->stack, 3);
    text_add(&d.text,
             w->how == BEGUN ? " starts goroutines in crowds (%llu of "
                             : " wakes goroutines in crowds (%llu wake-ups of ",
             (unsigned long long)count);
    text_say(&d.text, c->tr, t_func(c->tg->groups[group].name), "): up to ", k->most, " were runnable at once for ",
             t_f0(c->procs), " processors, and for ", t_share((double)k->queued, (double)c->tg->end),
             " of the trace there was such a queue. Half the waits for a processor lasted ",
             t_dur(hist_quantile(&c->tg->sched, 0.5)), " or less, 1 % ", t_dur(hist_quantile(&c->tg->sched, 0.99)),
             " or more.");
    text_add(
        &d.next, "%s",
        w->how == BEGUN ? "Start as many as there are processors and let them take the work from one queue, or do "
                          "small pieces in place."
        : work
            ? "Each has work to do then, so they queue: if it need not all come at once, pass it on as it arrives."
            : "Wake only those that have something to do, or let the others read the new value when they need it.");
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
    k.made = mem_alloc(QUEUE * sizeof *k.made);
    c->rs->failed |= !k.made;
    for (size_t i = 0, seen = 0; k.made && i < n; i++) {
        if ((int64_t)i * k.width >= t0 && (int64_t)i * k.width < t1 && crowded(&k, &b[i]) &&
            seen++ % (found / PEAKS + 1) == 0) {
            crowd_at(&k, (int64_t)i * k.width + k.width / 2);
        }
    }
    alive_free(&k.alive);
    mem_free(k.made);
    const bool may_be_timed = c->idle >= threshold(TH_CROWD_IDLE) * c->procs &&
                              (double)queued_usually(&k, b, n) >= CROWD_SHARE * (double)c->tg->end;
    for (uint32_t i = 0; i < k.n; i++) {
        const bool timed = k.v[i].how == TIMED && may_be_timed,
                   woken = k.v[i].how == WOKEN && k.v[i].with * 2 > k.v[i].looked;
        if (k.v[i].n * 2 <= k.all || !k.v[i].func) {
            continue;
        }
        if (timed) {
            timed_finding(c, &k, &k.v[i]);
        } else if (woken || k.v[i].how == BEGUN) {
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
        const bool work = run > threshold_ns(TH_STORM_LITTLE),
                   little = c->idle >= threshold(TH_POOL_IDLE) * c->procs && /* what they take nobody else wants */
                            !threshold_reached(TH_STORM_ALARM, cost, c->tg->end);
        const bool once =
            p->count < 2 * (uint64_t)grp->count; /* who waits for one timer in its life polls for nothing */
        d.f.note = work || little || once;
        text_add(&d.amount, "%.0f/s", rate);
        text_say(
            &d.text, c->tr, t_place(p->stack, 3), ": timers end ", t_f0(rate), " waits there a second (", p->count,
            " in all, of ", grp->count, " goroutines, ", t_dur(p->total / (int64_t)p->count),
            " each); after each the goroutine runs for ", t_dur(run), " on average", once ? "." : " and waits again.",
            work || once ? " A trace cannot tell whether that is scheduled work or a check that finds nothing." : "");
        text_lit(&d.next, "Let one timer serve many, wait longer, or wait for the event instead of polling for it.");
        draft_end(c->rs, &d);
    }
}

/* ---- goroutines that come all the time and don't end -------------------------------------------------------------------- */

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
    d.f.for_good = growth_for_good(w);
    d.f.note = !dear && !d.f.for_good; /* it grows in any case; so much of it is a cost by now */
    draft_about(&d, c->rs, r->name, r->stack);
    draft_at(&d, r->since, r->since + r->oldest, LANE_G, r->example);
    text_add(&d.amount, "+%u", w->begun - w->ended);
    text_say(&d.text, c->tr, t_place(r->create_stack, 3), " starts goroutines of ", t_func(r->name),
             " that nobody ends: ");
    growth_begun(&d, c, w);
    if (d.f.for_good) {
        text_say(&d.text, c->tr, w->alone, " outlive the goroutines that started them. ");
    }
    if (timed) {
        text_say(&d.text, c->tr, "Only timers wake them, ", wakes,
                 " times so far; running and waiting for processors took them ", t_dur(spent_on), ".");
        text_lit(&d.next,
                 "End the loop together with what it serves: a context, a closed channel; and stop its ticker.");
    } else if (left_to_pull(c, r)) {
        text_say(&d.text, c->tr, "They are coroutines (iter.Pull), and ", w->still,
                 " of them are idle at the end since they were last pulled from, ten times as long as they used to "
                 "be between two pulls, up to ",
                 t_dur(r->oldest), ".");
        text_lit(&d.next,
                 "Code that does not pull to the end must call stop, the second function that iter.Pull returns "
                 "(defer stop()): an abandoned coroutine keeps its stack and all that it refers to.");
    } else {
        text_say(&d.text, c->tr, w->still, " of them wait at the end (", t_str(r->reason), " in ",
                 t_where(r->stack, 0), ") ten times as long as they used to there, up to ", t_dur(r->oldest), ".");
        text_add(&d.next, "Who should wake or end them? %s",
                 r->kind == WK_COND ? "What ends them must become true under the lock, followed by a Broadcast."
                                    : "Close the channel, or end them together with what they serve (a context).");
    }
    draft_end(c->rs, &d);
}

/* They come, none ends, and all have something to do now and then: only their author knows whether they should end. */
static void crowd_grows(struct causes *c, const struct leak_row *r, const struct growth *w, uint64_t wakes)
{
    struct draft d;
    draft_start(&d, RULE_LEAK, 0);
    d.f.note = true;
    draft_about(&d, c->rs, r->name, r->stack);
    draft_at(&d, r->since, r->since + r->oldest, LANE_G, r->example);
    text_add(&d.amount, "+%u", w->begun - w->ended);
    text_say(&d.text, c->tr, t_place(r->create_stack, 3), " starts goroutines of ", t_func(r->name),
             " that do not end: ");
    growth_begun(&d, c, w);
    text_say(&d.text, c->tr, "They are woken at ", t_where(r->stack, 0), " again and again (", wakes,
             " times in all), so each new one adds work for those that wake them. A trace cannot tell whether they "
             "should have ended by now.");
    text_lit(&d.next, "Check that they are unsubscribed: whoever leaves should say so (close the channel, cancel the "
                      "context), and whoever wakes them should forget those.");
    draft_titled(c->rs, &d, "more and more of them");
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
    struct growths known = {0};
    for (uint32_t i = 0; i < c->tg->nleaks && i < GROWTH_ROWS; i++) {
        const struct leak_row *r = &c->tg->leaks[i];
        uint32_t g = causes_group(c, r->name), quarters = 0;
        uint64_t timed = 0, other = 0;
        int64_t total = 0;
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
        const struct growth w = growth_of(&known, c, r, g, 10 * (double)total / (double)(timed + other));
        for (int q = 0; q < 4; q++) {
            quarters += w.quarter[q] > threshold(TH_TICKERS_QUARTER) * w.begun;
        }
        bool ticks = (double)other <= threshold(TH_TICKERS_OTHERS) * (double)timed,
             lives = r->kind == WK_NET || r->kind == WK_SYSTEM || r->kind == WK_GC;
        const uint32_t enough = left_to_pull(c, r) ? 3 : 4; /* these don't wait for work */
        if (quarters >= enough &&
            (ticks || (!lives && w.still >= threshold(TH_LEAK_COUNT) && w.still * 2 > r->count))) {
            growth_finding(c, r, &w, ticks, timed);
        } else if (quarters >= enough && !lives && !left_to_pull(c, r) && growth_all_along(&w)) {
            crowd_grows(c, r, &w, timed + other);
        }
    }
    growths_free(&known);
}
