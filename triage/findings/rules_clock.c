/*
 * rules_clock.c - what goes on only because a clock runs: wake-ups on a condition that fail and are mended by a ticker, and the program's
 * last stretch in which nothing is done until a time limit is up.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include "decode/base/mem.h"

/* ---- wake-ups that are lost ---------------------------------------------------------------------------------------- */

#define PLACES 16

struct woken { /* at one place, on a condition */
    uint32_t place;
    uint64_t ticks, useful; /* by one that wakes all now and then, as a timer says; after which the woken went on */
    uint64_t others, vain;  /* by the others; after which the woken waited there again */
    const struct pair_row *tick, *other;
};

/* Is it one goroutine that waits for timers nearly all its life? */
static bool keeps_time(const struct causes *c, uint32_t group)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < c->tg->npairs && c->of[group].n == 1; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        ns = p->from_scheduler && p->waiter == c->tg->groups[group].name && p->kind != WK_NET ? ns_add(ns, p->total)
                                                                                              : ns;
    }
    return c->of[group].n == 1 && c->life[group].program &&
           threshold_reached(TH_LOST_TICKER, ns, c->life[group].life);
}

static void woken_add(const struct causes *c, struct woken *v, uint32_t *n, const struct pair_row *p)
{
    const uint32_t place = causes_place(c->tr, p->stack), by = causes_group(c, p->waker);
    uint32_t i = 0;
    while (i < *n && v[i].place != place) {
        i++;
    }
    if (!place || by == UINT32_MAX || i == PLACES) {
        return;
    }
    if (i == *n) {
        v[(*n)++] = (struct woken){.place = place};
    }
    if (keeps_time(c, by)) {
        v[i].ticks += p->count;
        v[i].useful += p->count - p->futile;
        v[i].tick = !v[i].tick || p->total > v[i].tick->total ? p : v[i].tick;
    } else {
        v[i].others += p->count;
        v[i].vain += p->futile;
        v[i].other = !v[i].other || p->count > v[i].other->count ? p : v[i].other;
    }
}

/* Of a way what is, in the end, that one's waiting for its time. */
static double waits_for_clock(const struct leaves *v, uint32_t clock)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        ns = v->v[i].cat == EX_TIMER && v->v[i].who == clock ? ns_add(ns, v->v[i].ns) : ns;
    }
    return v->all > 0 ? (double)ns / (double)v->all : 0;
}

static void lost_finding(struct causes *c, const struct woken *w, double share)
{
    struct draft d;
    draft_start(&d, RULE_LOST, (int64_t)(share * (double)c->tg->end));
    draft_about(&d, c->rs, w->place, w->tick->stack);
    draft_moment(&d, &w->tick->longest);
    d.f.inferred = true;
    text_add(&d.amount, "%llu lost", (unsigned long long)w->useful);
    text_say(&d.text, c->tr, t_place(w->tick->stack, 2),
             " continues only at a clock's next tick (inferred): ", w->useful, " times what one of ",
             t_func(w->tick->waiter), " waits for there was already true when ", t_place(w->tick->waker_stack, 1),
             " woke everyone (", w->ticks, " wake-ups). Of ", w->others, " wake-ups by others, most of all ",
             t_place(w->other->waker_stack, 1), ", ", w->vain,
             " woke a goroutine that could not continue and waited again. The main goroutine's critical path "
             "contains this waiting for the tick for ",
             t_share(share, 1), ".");
    text_lit(&d.next, "Wake the one that can continue: use a condition (or channel) per kind of waiter, or Broadcast "
                      "when it becomes true; a goroutine woken in vain should pass the wake-up on.");
    draft_end(c->rs, &d);
}

static bool is_lost(const struct woken *w)
{
    return w->tick && w->other && (double)w->useful >= threshold(TH_LOST_TIMES) && w->useful <= w->others - w->vain &&
           (double)w->vain >= threshold(TH_LOST_VAIN) * (double)w->useful;
}

static void rule_lost(struct causes *c)
{
    struct woken v[PLACES];
    struct leaves way;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->kind == WK_COND && !p->from_scheduler) {
            woken_add(c, v, &n, p);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct woken *w = &v[i];
        bool most = is_lost(w);
        for (uint32_t k = 0; k < n && most;
             k++) { /* of places that wait for one tick, which costs what it costs once */
            most = k == i || !is_lost(&v[k]) || v[k].tick->waker != w->tick->waker ||
                   w->useful * v[k].ticks + (i < k) > v[k].useful * w->ticks;
        }
        const double share = most && causes_main_way(c, &way, NULL) ? waits_for_clock(&way, w->tick->waker) : 0;
        if (most && share >= threshold(TH_LOST_SHARE)) {
            lost_finding(c, w, share);
        }
    }
}

/* ---- wake-ups that are never sent ----------------------------------------------------------------------------------- */

#define NEXTS 16
#define CLOCKS 32 /* places and who wakes there: each costs a walk over goroutines */

struct unsent {                  /* at one place, on a condition, by goroutines of one group */
    uint32_t place, group, tick; /* tick: start function of who wakes all, as a timer says */
    uint64_t ticks, vain;        /* what it ended; behind which the woken waited there again */
    int64_t late;                /* of the others the waiting */
    uint64_t others, others_vain;
    uint32_t next[NEXTS], n; /* stacks of what those do next whom others woke */
    uint64_t same;           /* whom the clock woke and who did the same */
    const struct pair_row *by_clock, *by_other;
};

static bool wakes_all(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 4; i++) {
        if (str_is(trace_str(tr, trace_frame(tr, stack, i).func), "sync.(*Cond).Broadcast")) {
            return true;
        }
    }
    return false;
}

static bool was_next(struct unsent *u, uint32_t stack, bool add)
{
    uint32_t i = 0;
    while (i < u->n && u->next[i] != stack) {
        i++;
    }
    if (i == u->n && add && u->n < NEXTS) {
        u->next[u->n++] = stack;
    }
    return i < u->n;
}

/* What a goroutine does behind its waits there: of those that others ended it is kept, of those that the clock ended compared with that. */
static void behind_waits(const struct causes *c, uint32_t g, struct unsent *u, bool clock)
{
    struct walk w;
    uint32_t by = 0; /* who ended the wait before; 0: it was another, or what is behind is known */
    int64_t waited = 0;
    bool at = false;
    walk_g(&w, c->tr, g, 20000);
    for (const struct span *s; (s = walk_next(&w));) {
        const bool waits = s->state == ST_WAITING && s->stack;
        const bool there = waits && causes_place(c->tr, s->stack) == u->place &&
                           stacks_wait_kind(c->tr, s->reason, s->stack) == WK_COND;
        if (by && !there && (waits || (s->state == ST_SYSCALL && s->stack)) &&
            stacks_wait_kind(c->tr, s->reason, s->stack) != WK_LOCK) {
            const bool ticked = by == u->tick;
            const bool same = ticked == clock && was_next(u, s->stack, !clock);
            u->same += clock && ticked && same;
            u->late = clock && ticked && same ? ns_add(u->late, waited) : u->late;
            by = 0;
        }
        by = there || s->state == ST_NONE                          ? 0
             : at && s->state == ST_RUNNABLE && s->who < c->tg->ng ? trace_g_name(c->tr, s->who)
                                                                   : by;
        waited = there ? s->t1 - s->t0 : waited;
        at = there;
    }
}

static void unsent_add(const struct causes *c, struct unsent *u, const struct pair_row *p)
{
    if (p->waker == u->tick && wakes_all(c->tr, p->waker_stack)) {
        u->ticks += p->count;
        u->vain += p->futile;
        u->by_clock = !u->by_clock || p->total > u->by_clock->total ? p : u->by_clock;
    } else {
        u->others += p->count;
        u->others_vain += p->futile;
        u->by_other = !u->by_other || p->count > u->by_other->count ? p : u->by_other;
    }
}

static void unsent_finding(struct causes *c, const struct unsent *u, double share)
{
    const struct group_life *l = &c->life[u->group];
    struct draft d;
    draft_start(&d, RULE_LOST, (int64_t)(share * (double)(l->last - l->first)));
    draft_about(&d, c->rs, u->place, u->by_clock->stack);
    draft_moment(&d, &u->by_clock->longest);
    d.f.inferred = true;
    text_add(&d.amount, "%llu lost", (unsigned long long)u->same);
    text_say(&d.text, c->tr, t_place(u->by_other->waker_stack, 3),
             " seems not to wake everyone who could continue: ", u->same, " times one of ",
             t_func(c->tg->groups[u->group].name), " found what it waited for at ", t_place(u->by_clock->stack, 2),
             " only when ", t_place(u->by_clock->waker_stack, 1),
             " woke everyone on a clock's tick, and then did what goroutines woken for it do (inferred): ",
             t_dur(u->late / (int64_t)u->same), " of waiting each, ", t_share(share, 1),
             " of their lives. The clock itself delivers nothing: ", u->vain, " of its ", u->ticks,
             " wake-ups were in vain; of the ", u->others, " by others ", u->others_vain, " were.");
    text_lit(&d.next, "Signal for each item added, not only when there was none before; or Broadcast. The clock "
                      "hides the missing wake-ups.");
    draft_end(c->rs, &d);
}

static void unsent_at(struct causes *c, const struct pair_row *clock)
{
    struct unsent u = {
        .place = causes_place(c->tr, clock->stack), .group = causes_group(c, clock->waiter), .tick = clock->waker};
    if (!u.place || u.group == UINT32_MAX || c->life[u.group].life <= 0) {
        return;
    }
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->kind == WK_COND && !p->from_scheduler && p->waiter == clock->waiter &&
            causes_place(c->tr, p->stack) == u.place) {
            unsent_add(c, &u, p);
        }
    }
    const uint64_t found = u.ticks - u.vain;
    if ((double)found < threshold(TH_LOST_TIMES) || (double)u.vain < threshold(TH_LOST_LOOKS) * (double)u.ticks ||
        (double)(u.others - u.others_vain) < threshold(TH_LOST_TIMES) ||
        (double)u.others_vain > threshold(TH_LOST_FITS) * (double)u.others) {
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < c->of[u.group].n && i < 64; i++) {
            behind_waits(c, causes_member(c, u.group, i, 64), &u, pass);
        }
    }
    const double share = (double)u.late / (double)c->life[u.group].life;
    if ((double)u.same >= threshold(TH_LOST_TIMES) && share >= threshold(TH_LOST_SHARE) &&
        !causes_told_at(c, RULE_LOST, u.place)) {
        unsent_finding(c, &u, share < 1 ? share : 1);
    }
}

static bool wakes_alike(const struct causes *c, const struct pair_row *p, const struct pair_row *q)
{
    return p->waiter == q->waiter && p->waker == q->waker &&
           causes_place(c->tr, p->stack) == causes_place(c->tr, q->stack);
}

static void rule_unsent(struct causes *c)
{
    const struct pair_row *seen[CLOCKS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED && n < CLOCKS; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t by = p->kind == WK_COND && !p->from_scheduler ? causes_group(c, p->waker) : UINT32_MAX;
        uint32_t k = 0;
        if (by == UINT32_MAX || !p->futile || p->waker == p->waiter || !wakes_all(c->tr, p->waker_stack)) {
            continue;
        }
        while (k < n && !wakes_alike(c, seen[k], p)) {
            k++;
        }
        if (k == n && keeps_time(c, by)) {
            seen[n++] = p;
            unsent_at(c, p);
        }
    }
}

/* ---- the last stretch -------------------------------------------------------------------------------------------------- */

#define BACK 4096 /* spans of the main goroutine */
#define ALIVE 8192
#define WAITED 64

struct stretch {
    uint32_t g, place, stack;
    int64_t t0, t1;
    uint64_t waits, again; /* again: before the stretch: a clock that it works by, late for once */
};

static bool by_time(const struct causes *c, const struct span *wait, const struct span *next)
{
    const enum wait_kind k = stacks_wait_kind(c->tr, wait->reason, wait->stack);
    const bool timed =
        next->who == NO_LANE || str_starts(trace_str(c->tr, trace_g_name(c->tr, next->who)), "context.WithDeadline");
    return (k == WK_SELECT || k == WK_RECV) && next->state == ST_RUNNABLE && timed;
}

/* The waits of the main goroutine, one behind the other at one function, that timers end, before its last piece of work. */
static bool last_stretch(const struct causes *c, struct stretch *s)
{
    struct span_iter it;
    int64_t after = 0; /* what it does behind */
    bool over = false; /* the stretch, seen from its end */
    struct span next;
    const struct lane l = {LANE_G, s->g};
    bool more = span_seek(&it, c->tr, l, c->tg->end - 1);
    next = more ? *span_get(&it) : (struct span){0};
    for (int i = 0; more && i < BACK && (more = span_prev(&it)); i++) {
        const struct span *p = span_get(&it);
        if (p->state == ST_WAITING) {
            const uint32_t place = causes_place(c->tr, p->stack);
            const bool of = place && by_time(c, p, &next) && (!s->place || place == s->place);
            if (of && !s->place) {
                s->place = place;
                s->stack = p->stack;
                s->t1 = p->t1;
                after = c->tg->end - p->t1;
            }
            over |= !of && s->place;
            s->waits += of && !over;
            s->t0 = of && !over ? p->t0 : s->t0;
            s->again += of && over;
        }
        next = *p;
    }
    return s->place && s->again < 3 && threshold_reached(TH_LAST_SHARE, s->t1 - s->t0, c->tg->end) &&
           (double)after <= threshold(TH_LAST_AFTER) * (double)(s->t1 - s->t0) &&
           (double)(s->t1 - s->t0) <= threshold(TH_LAST_MOST) * (double)c->tg->end;
}

/* How many goroutines run on average in [t0,t1). */
static double runs_in(const struct causes *c, int64_t t0, int64_t t1)
{
    const struct gbucket *b;
    int64_t width, all = 0;
    const size_t n = trace_gcounts(c->tr, &width, &b);
    double ran = 0;
    for (size_t i = 0; i < n && width > 0; i++) {
        const int64_t a = (int64_t)i * width, e = a + width;
        if (a >= t0 && e <= t1) {
            ran += (double)b[i].ns[GC_RUNNING] + (double)b[i].ns[GC_SYSCALL];
            all = ns_add(all, width);
        }
    }
    return all > 0 ? ran / (double)all : 1;
}

/* How likely is it what is waited for: not one who waits for others itself, or for more work, or the other side of a connection. */
static int likely(const struct causes *c, uint32_t name, const struct span *p)
{
    const enum wait_kind k = stacks_wait_kind(c->tr, p->reason, p->stack);
    const bool rests = instance_wants_more(c->tr, name, p->reason, p->stack);
    return k == WK_WAITGROUP ? 0 : k == WK_NET ? 1 : rests ? 2 : 3;
}

/* Who waits at a function of the program all through the stretch, and goes on once its time is up. */
static uint32_t waited_for(const struct causes *c, const struct stretch *s, uint32_t *stack, uint32_t *of)
{
    struct {
        uint32_t place, stack, n, group;
        int likely;
    } v[WAITED];
    uint32_t n = 0, best = 0;
    for (uint32_t g = 0; g < c->tg->ng && g < ALIVE; g++) {
        struct lifetime l;
        struct span p;
        trace_lives(c->tr, LANE_G, g, 1, &l);
        if (g == s->g || !l.begun || l.first > s->t0 || l.last < s->t1 ||
            !trace_span_at(c->tr, (struct lane){LANE_G, g}, s->t1 - 1, &p) || p.state != ST_WAITING || p.open_end ||
            p.t0 > s->t0 + (s->t1 - s->t0) / 20 || p.t1 < s->t1) {
            continue;
        }
        const uint32_t place = causes_place(c->tr, p.stack);
        uint32_t i = 0;
        while (i < n && v[i].place != place) {
            i++;
        }
        if (!place || i == WAITED) {
            continue;
        }
        if (i == n) {
            v[n].stack = p.stack;
            v[n].group = trace_g_name(c->tr, g);
            v[n].likely = likely(c, v[n].group, &p);
            v[n].n = 0;
            v[n++].place = place;
        }
        v[i].n++;
        best = v[i].likely > v[best].likely || (v[i].likely == v[best].likely && v[i].n > v[best].n) ? i : best;
    }
    *stack = n ? v[best].stack : 0;
    *of = n ? v[best].group : 0;
    return n ? v[best].n : 0;
}

static void last_finding(struct causes *c, const struct stretch *s, double before)
{
    uint32_t stack, of;
    const uint32_t n = waited_for(c, s, &stack, &of);
    struct draft d;
    draft_start(&d, RULE_LAST, s->t1 - s->t0);
    d.f.note = n == 0;
    d.f.inferred = true;
    draft_about(&d, c->rs, s->place, s->stack);
    draft_at(&d, s->t0, s->t1, LANE_G, s->g);
    text_share(&d.amount, (double)(s->t1 - s->t0), (double)c->tg->end);
    text_say(&d.text, c->tr, t_place(s->stack, 3),
             ": the main goroutine waits there until a timeout, at the end of the trace, for ", t_dur(s->t1 - s->t0),
             ", ", t_share((double)(s->t1 - s->t0), (double)c->tg->end),
             " of it, and nothing runs meanwhile (before, ", t_f1(before), " goroutines did on average).");
    if (n) {
        text_say(&d.text, c->tr, " What it waits for (inferred): ", n, " goroutine", n == 1 ? "" : "s", " of ",
                 t_func(of), " wait", n == 1 ? "s" : "", " all the while in ", t_place(stack, 2), " and go",
                 n == 1 ? "es" : "", " on only then.");
    }
    text_lit(&d.next, "Tell the goroutines it waits for to stop (a context, a closed channel, RegisterOnShutdown), "
                      "so that the timeout is not needed; or shorten the timeout.");
    draft_end(c->rs, &d);
}

static void rule_last(struct causes *c)
{
    struct stretch s = {.g = trace_find_lane(c->tr, LANE_G, 1)};
    if (s.g == NO_LANE || s.g >= c->tg->ng || !last_stretch(c, &s)) {
        return;
    }
    const double before = runs_in(c, 0, s.t0), meanwhile = runs_in(c, s.t0, s.t1);
    if (meanwhile <= threshold(TH_LAST_RUNS) * before) {
        last_finding(c, &s, before);
    }
}

void rules_clock(struct causes *c)
{
    rule_lost(c);
    rule_unsent(c);
    rule_last(c);
}
