/*
 * rules_timers.c - rules about waits that a timer ends: a rate limit that lets goroutines through one by one, tries
 * that are repeated with longer and longer pauses, and a goroutine that waits out its time limit while others wait
 * for it.
 *
 * That a limit is too low or a pause too long no trace tells, so the first two are notes; the third has others that
 * wait.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <math.h>
#include <stdlib.h>

#include "decode/base/mem.h"

#define WALKED 32  /* goroutines of a group */
#define STEPS 8000 /* spans of each */
#define ENDS 4096

/* A place where timers end waits: one of the pairs. */
static bool timed_place(const struct causes *c, const struct pair_row *p)
{
    return p->from_scheduler && (p->kind == WK_SLEEP || p->kind == WK_RECV || p->kind == WK_SELECT) &&
           causes_place(c->tr, p->stack) != 0 && causes_group(c, p->waiter) != UINT32_MAX;
}

struct ends { /* waits at one stack that timers ended */
    int64_t at[ENDS];
    int64_t own[ENDS]; /* how long after the one before of the same goroutine; 0: its first */
    uint32_t n;
    uint64_t steps, grown; /* pauses; those that were longer by half than the one before */
    uint64_t again;        /* of these, behind another such one */
    double by[256];        /* so many times as long, of the first of these */
    uint64_t shorter;      /* pauses that were shorter than the one before by as much */
    uint64_t even;         /* pauses that end about as far behind the end of the one before as that did */
    uint64_t asked, gaps;  /* waits for the network at one stack between two pauses; so many times two */
    uint32_t asked_stack;  /* such a one, 0: none */
    int64_t slept, longest;
    uint32_t looked; /* goroutines */
    int64_t until;   /* the first moment that one was not looked at from on, 0: none */
};

static bool by_timer(const struct span *next)
{
    return next->state == ST_RUNNABLE && next->who == NO_LANE;
}

/* Behind a pause: so many waits for the network as at the first stack of them, *stack, with this one. */
static uint64_t asks_between(const struct causes *c, const struct span *s, bool behind, uint64_t asks,
                             uint32_t *stack)
{
    if (!behind || s->state != ST_WAITING || !s->stack || (asks && s->stack != *stack) ||
        stacks_wait_kind(c->tr, s->reason, s->stack) != WK_NET) {
        return asks;
    }
    *stack = s->stack;
    return asks + 1;
}

static void walk(const struct causes *c, struct walk *w, uint32_t stack, struct ends *e)
{
    uint64_t asks = 0;
    uint32_t asked = 0;
    int64_t before = 0, end = 0, apart = 0;
    bool grew = false;
    const struct span *next = walk_next(w);
    for (struct span s; walk_pair(w, &s, &next);) {
        if (s.state == ST_NONE) {
            before = end = apart = 0;
            asks = 0;
            grew = false;
        }
        if (s.state != ST_WAITING || s.stack != stack || !next || !by_timer(next)) {
            asks = asks_between(c, &s, before > 0, asks, &asked);
            continue;
        }
        int64_t ns = s.t1 - s.t0;
        if (e->n < ENDS) {
            e->own[e->n] = end ? s.t1 - end : 0;
            e->at[e->n++] = s.t1;
        }
        e->slept = ns_add(e->slept, ns);
        e->longest = ns > e->longest ? ns : e->longest;
        e->steps++;
        e->shorter += before && (double)before >= threshold(TH_RETRY_GROWS) * (double)ns;
        e->gaps += before > 0;
        e->asked += asks;
        e->asked_stack = asks ? asked : e->asked_stack;
        asks = 0;
        e->even += apart && s.t1 - end > apart - apart / 4 && s.t1 - end < apart + apart / 4;
        apart = end ? s.t1 - end : 0;
        end = s.t1;
        const bool grows = before && (double)ns >= threshold(TH_RETRY_GROWS) * (double)before;
        if (grows) {
            e->by[e->grown < 256 ? e->grown : 255] = (double)ns / (double)before;
            e->grown++;
            e->again += grew;
        }
        grew = grows;
        before = ns;
    }
    e->until = causes_until(e->until, walk_until(w));
}

static int cmp_double(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* A program's back-off grows by the same factor each time: how many did, give or take `about` of it, as a share. */
static double same_factor(struct ends *e, double about)
{
    uint32_t n = e->grown < 256 ? (uint32_t)e->grown : 256, near = 0;
    qsort(e->by, n, sizeof e->by[0], cmp_double);
    for (uint32_t i = 0; i < n; i++) {
        near += fabs(e->by[i] / e->by[n / 2] - 1) < about;
    }
    return n ? (double)near / n : 0;
}

/*
 * How each distance between the ends goes with the one before it, -1 to 1. A ticker that is late once is as much
 * earlier the next time; who sets a limit anew each time is not. Where the ends of another goroutine begin there is
 * no distance.
 */
static double goes_with_before(const struct ends *e)
{
    double sum = 0, mean, with = 0, all = 0, last = 0;
    uint32_t n = 0;
    for (uint32_t i = 1; i < e->n; i++) {
        const int64_t apart = e->at[i] - e->at[i - 1];
        sum += apart > 0 ? (double)apart : 0;
        n += apart > 0;
    }
    mean = n ? sum / n : 0;
    for (uint32_t i = 1; i < e->n; i++) {
        const int64_t apart = e->at[i] - e->at[i - 1];
        const double d = apart > 0 ? (double)apart - mean : 0;
        with += d * last;
        all += d * d;
        last = d;
    }
    return all > 0 ? with / all : 0;
}

/*
 * The same of distances as they mostly are: one that the host held up, or a tick that is left out, weighs no more
 * than three usual ones. The distances are of one goroutine.
 */
static double mostly_goes_with_before(const struct ends *e)
{
    struct ends *k = e->n > 2 ? mem_zalloc(sizeof *k) : NULL;
    double with = 0, all = 0, last = 0;
    for (uint32_t i = 1; k && i < e->n; i++) {
        k->at[k->n++] = e->at[i] - e->at[i - 1];
    }
    if (k) {
        qsort(k->at, k->n, sizeof k->at[0], cmp_ns);
        const int64_t usual = k->at[k->n / 2];
        for (uint32_t i = 0; i < k->n; i++) {
            k->at[i] = k->at[i] > usual ? k->at[i] - usual : usual - k->at[i];
        }
        qsort(k->at, k->n, sizeof k->at[0], cmp_ns);
        const int64_t off = k->at[k->n / 2];
        const double most = 3 * (double)off;
        for (uint32_t i = 1; i < e->n; i++) {
            const double d = (double)(e->at[i] - e->at[i - 1] - usual), cut = d > most ? most : d < -most ? -most : d;
            with += cut * last;
            all += cut * cut;
            last = cut;
        }
    }
    mem_free(k);
    return all > 0 ? with / all : 0;
}

/*
 * Pauses of any length go up and down; those of a back-off go up twice and more in a row, or by just the same factor
 * each time. Where they end at even distances it is a ticker that is waited for: the pauses are what is left of its
 * period behind what is done between. A host whose clock wakes at whole milliseconds makes of a ticker's some that
 * are twice as long as others: each late one is followed by a short one.
 */
static bool backs_off(struct ends *e, bool sleeps)
{
    const bool ticks = !sleeps && goes_with_before(e) <= -threshold(TH_LIMIT_TICKS);
    return (double)e->even < threshold(TH_RETRY_EVEN) * (double)e->gaps &&
           (double)e->grown >= threshold(TH_RETRY_ROWS) &&
           (double)e->grown >= threshold(TH_RETRY_SHARE) * (double)e->steps &&
           (((double)e->again >= threshold(TH_RETRY_AGAIN) * (double)e->grown &&
             same_factor(e, 0.15) >= threshold(TH_RETRY_ALIKE)) ||
            (!ticks && same_factor(e, 0.07) >= threshold(TH_RETRY_JUST)));
}

/*
 * Once at its longest, it stays there, though what it asks again and again between can't all have failed, it seems.
 */
static bool never_shorter(const struct ends *e)
{
    return e->shorter == 0 && e->gaps && (double)e->asked >= threshold(TH_RETRY_BETWEEN) * (double)e->gaps &&
           e->steps >= 2 * e->grown;
}

/* How far apart they end, sorted: the median; how many are about as far, as a share. */
static int64_t spacing(struct ends *e, double *alike)
{
    uint32_t n = 0, near = 0;
    qsort(e->at, e->n, sizeof e->at[0], cmp_ns);
    for (uint32_t i = 1; i < e->n; i++) {
        e->at[n++] = e->at[i] - e->at[i - 1];
    }
    qsort(e->at, n, sizeof e->at[0], cmp_ns);
    int64_t m = n ? e->at[n / 2] : 0;
    for (uint32_t i = 0; i < n; i++) {
        near += e->at[i] > m - m / 4 && e->at[i] < m + m / 4;
    }
    *alike = n ? (double)near / n : 0;
    return m;
}

/*
 * Where one is let through at a time, nobody is twice in a row while others wait. If most come again that soon, each
 * has a clock of its own, and that of the quickest is what stands out.
 */
static bool own_clocks(const struct ends *e, int64_t apart)
{
    uint32_t soon = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        soon += e->own[i] > 0 && e->own[i] < apart + apart / 2;
    }
    return soon * 2 > e->n;
}

static void limit_finding(struct causes *c, const struct pair_row *p, int64_t apart, double waiting)
{
    struct draft d;
    double share = waiting < 1 ? waiting : 1;
    draft_start(&d, RULE_LIMIT, 0);
    d.f.note = true;
    d.f.inferred = true;
    d.f.won_hi = (int64_t)(share * (double)c->tg->end);
    draft_about(&d, c->rs, causes_place(c->tr, p->stack), p->stack);
    draft_moment(&d, &p->longest);
    text_add(&d.amount, "%.0f/s", 1e9 / (double)apart);
    text_say(&d.text, c->tr, t_place(p->stack, 3), " lets goroutines through one at a time, every ", t_dur(apart),
             " (", t_f0(1e9 / (double)apart), " a second): ", t_f1(waiting),
             " of them wait there for timers at any time, for ", t_dur(p->total / (int64_t)p->count), " on average (",
             p->count, " waits), while ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors are idle: a rate limit (inferred).");
    shared_limit(c, causes_place(c->tr, p->stack), &d);
    text_lit(&d.next, "If this limit is not intended, raise it, or let it take several at once; a trace cannot tell "
                      "whether it is.");
    draft_end(c->rs, &d);
}

/*
 * Of the lives of those that pause there: waits for the network of the tries behind a pause, if each pause has one.
 */
static double asked_again(const struct causes *c, const struct pair_row *p)
{
    const struct group_life *l = &c->life[causes_group(c, p->waiter)];
    uint64_t asks = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        asks += q->waiter == p->waiter && q->kind == WK_NET ? q->count : 0;
    }
    const double part = asks > p->count ? (double)p->count / (double)asks : 1;
    return l->life > 0 ? part * (double)l->by[WK_NET] / (double)l->life : 0;
}

static void retry_finding(struct causes *c, const struct pair_row *p, const struct ends *e, double share)
{
    struct draft d;
    draft_start(&d, RULE_RETRY, 0);
    d.f.note = true;
    d.f.inferred = true;
    const double again = share + asked_again(c, p);
    d.f.won_hi = (int64_t)((again < 1 ? again : 1) * (double)c->tg->end);
    draft_about(&d, c->rs, causes_place(c->tr, p->stack), p->stack);
    draft_moment(&d, &p->longest);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(p->stack, 3), " pauses longer and longer: ", e->grown,
             " times a pause was half as long again as the one before or more (", e->steps, " pauses, ",
             t_dur(e->slept / (int64_t)(e->steps ? e->steps : 1)),
             " on average): something is retried with a back-off (inferred). The goroutines there spend ",
             t_share(share, 1), " of their lives in these pauses.");
    causes_counted(&d.text, e->looked, c->of[causes_group(c, p->waiter)].n, e->until);
    const bool stays = never_shorter(e);
    if (stays) {
        text_say(&d.text, c->tr, " They never get shorter again (the longest: ", t_dur(e->longest),
                 "), though in between it asks ", t_f1((double)e->asked / (double)e->gaps), " times on average at ",
                 t_where(e->asked_stack, 0), ": if those calls succeed, the back-off is not reset after a success.");
    }
    text_add(&d.next, "%s",
             stays ? "Go back to the shortest pause when a try succeeds; and find out why others fail."
                   : "Find out why the first try fails: don't retry what is refused for good; wait for what it needs "
                     "(a channel, a condition), or start with a shorter pause.");
    draft_end(c->rs, &d);
}

/* How far apart they end, and in which order, is told by one stretch, of all at the same time, only. */
static void ends_around(const struct causes *c, const struct pair_row *p, uint32_t group, struct ends *e)
{
    const int64_t from = walk_around(c->tr, p->longest.g, p->longest.t0, STEPS);
    *e = (struct ends){.looked = c->of[group].n};
    for (uint32_t k = 0; k < c->of[group].n; k++) {
        struct walk w;
        walk_at(&w, c->tr, causes_nth(c, group, k), from, STEPS);
        walk(c, &w, p->stack, e);
    }
}

static void rule_pauses(struct causes *c)
{
    struct ends *e = mem_alloc(sizeof *e);
    c->rs->failed |= !e;
    for (uint32_t i = 0, looked = 0; e && i < c->tg->npairs && looked < 16; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!timed_place(c, p) || (double)p->count < threshold(TH_LIMIT_WAITS)) {
            continue;
        }
        uint32_t g = causes_group(c, p->waiter), n = c->of[g].n < WALKED ? c->of[g].n : WALKED;
        double alike, waiting = (double)p->total / (double)c->tg->end;
        double share = c->life[g].life > 0 ? (double)p->total / (double)c->life[g].life : 0;
        *e = (struct ends){.n = 0};
        looked++;
        const bool all = n == c->of[g].n, sleeps = p->kind == WK_SLEEP;
        for (uint32_t k = 0; k < n; k++) {
            struct walk w;
            walk_g(&w, c->tr, causes_member(c, g, k, WALKED), STEPS * WALKED / n);
            walk(c, &w, p->stack, e);
        }
        e->looked = n;
        if (!sleeps && all && e->until) {
            ends_around(c, p, g, e);
        }
        const bool retries = share >= threshold(TH_RETRY_LIFE) && backs_off(e, sleeps);
        if (sleeps && all && e->until && !retries) {
            ends_around(c, p, g, e);
        }
        int64_t apart = all ? spacing(e, &alike) : 0;
        if (retries) {
            retry_finding(c, p, e, share);
        } else if (apart > 0 && waiting >= threshold(TH_LIMIT_WAITING) && alike >= threshold(TH_LIMIT_ALIKE) &&
                   share >= threshold(TH_LIMIT_LIFE) && c->idle >= threshold(TH_BOTTLE_IDLE) &&
                   p->total / (int64_t)p->count > apart && !own_clocks(e, apart)) {
            limit_finding(c, p, apart, waiting);
        }
    }
    mem_free(e);
}

/* ---- who waits out its time limit ------------------------------------------------------------------------------ */

/* What of the lives of goroutines that wait for the group is in the end its waiting for timers, there. */
static double timer_share(struct causes *c, uint32_t waiter, uint32_t server, uint32_t place)
{
    const struct member_of *m = &c->of[waiter];
    struct explain_tree t;
    struct leaves v = {0};
    int64_t ns = 0;
    bool ok = explain_tree_init(&t, c->tr);
    for (uint32_t i = 0; i < m->n && i < 4 && ok; i++) {
        uint32_t g = causes_member(c, waiter, i, 4);
        struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        ok = explain_add(c->x, &t, g, li.first, li.last);
    }
    c->rs->failed |= !ok;
    if (ok) {
        causes_leaves(&t, &v);
    }
    for (uint32_t i = 0; i < v.n; i++) {
        bool there = v.v[i].cat == EX_TIMER && v.v[i].func == place && v.v[i].who == c->tg->groups[server].name;
        ns = there ? ns_add(ns, v.v[i].ns) : ns;
    }
    explain_tree_free(&t);
    return v.all > 0 ? (double)ns / (double)v.all : 0;
}

static void linger_finding(struct causes *c, const struct pair_row *p, const struct pair_row *others, double share)
{
    struct draft d;
    draft_start(&d, RULE_LINGER, (int64_t)(share * (double)c->tg->end));
    draft_about(&d, c->rs, causes_place(c->tr, p->stack), p->stack);
    draft_moment(&d, &p->longest);
    d.f.inferred = true;
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(p->stack, 3), " waits until its timeout while others wait for it: ", p->count,
             " times a timer ended its wait, after ", t_dur(p->total / (int64_t)p->count), " on average; that is ",
             t_share(share, 1), " of the lives of goroutines of ", t_func(others->waiter), ", which wait at ",
             t_where(others->stack, 0), "; ", t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    text_lit(&d.next,
             "Continue when there is something to do, not at the timeout: a shorter limit, a batch that ends when "
             "nothing more is queued, a signal that can't be missed (a channel with a buffer of one).");
    draft_end(c->rs, &d);
}

/* A ticker that nothing else ever ends: whether something was there before the tick only its author knows. */
static void ticks_finding(struct causes *c, const struct pair_row *p, const struct pair_row *others, double share)
{
    struct draft d;
    draft_start(&d, RULE_LINGER, 0);
    d.f.note = d.f.inferred = true;
    d.f.won_hi = (int64_t)(share * (double)c->tg->end);
    draft_about(&d, c->rs, causes_place(c->tr, p->stack), p->stack);
    draft_moment(&d, &p->longest);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(p->stack, 3), " goes on at the ticks of a timer only: ", p->count,
             " times, after ", t_dur(p->total / (int64_t)p->count), " on average; nothing else ends its wait. For ",
             t_share(share, 1), " of their lives goroutines of ", t_func(others->waiter), " wait for that at ",
             t_where(others->stack, 0), "; ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors were idle. A trace cannot tell whether that is how often there is something to do, or "
             "news, or how often it looks for what was there before.");
    text_lit(&d.next, "If it looks for what others have put there: let them signal it (a channel with a buffer of "
                      "one), and continue then, not at the next tick.");
    draft_titled(c->rs, &d, "others wait for its ticks");
}

/* How many waits of others it ends for each of its own that a timer ends. */
static double gives_each(const struct causes *c, const struct pair_row *p)
{
    uint64_t given = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        given += !q->from_scheduler && q->waker == p->waiter && q->waiter != p->waiter ? q->count : 0;
    }
    return (double)given / (double)(p->count ? p->count : 1);
}

/*
 * Does who waits there wait for something else half as often, outside that function? Then it passes there on its way;
 * whose whole loop is in there waits for work.
 */
static bool passes_there(const struct causes *c, const struct pair_row *wait)
{
    const uint32_t place = causes_place(c->tr, wait->stack);
    uint64_t elsewhere = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        elsewhere += p->waiter == wait->waiter && !stacks_passes(c->tr, p->stack, place) ? p->count : 0;
    }
    return place && elsewhere * 2 >= wait->count;
}

/* Does one that sleeps wait for what others ask, too? Then it answers them, and sleeps over that. */
static bool is_asked(const struct causes *c, const struct pair_row *tick)
{
    bool asked = false;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        asked |= p->waiter == tick->waiter && !p->from_scheduler && wait_on_channel(p->kind);
    }
    return asked && tick->kind == WK_SLEEP;
}

/* Of a group of one: in one stretch, since how far apart they end is asked. */
static void walk_whole(const struct causes *c, uint32_t group, uint32_t stack, struct ends *e)
{
    struct walk w;
    walk_from(&w, c->tr, causes_nth(c, group, 0), 0, STEPS);
    walk(c, &w, stack, e);
}

/*
 * Does a ticker give one at a time to several that want more, or so few that most of them are left over? Then what it
 * waits for is the pace that it keeps. Who brings news gives each of them some, or none for many ticks.
 */
static bool gives_few(struct causes *c, const struct pair_row *p, uint32_t g, const struct pair_row *most)
{
    struct ends *e = mem_zalloc(sizeof *e);
    const double each = gives_each(c, p), waiting = (double)most->total / (double)c->tg->end;
    const bool one = each <= threshold(TH_LIMIT_GIVEN), select = p->kind == WK_SELECT,
               asks = most->kind != WK_SEND && passes_there(c, most) && !is_asked(c, p);
    c->rs->failed |= !e;
    if (e && c->of[g].n == 1) {
        walk_whole(c, g, p->stack, e);
    }
    const bool ticks = e && (!select || goes_with_before(e) <= -threshold(TH_LIMIT_TICKS));
    double alike = 0;
    const bool even = select || (e && e->n > 1 && spacing(e, &alike) > 0 && alike >= threshold(TH_LIMIT_ALIKE));
    const bool pace = e && each * threshold(TH_LIMIT_GIVEN) >= 1 && (double)e->n >= threshold(TH_LIMIT_WAITS) &&
                      ((select && one) || (asks && each <= threshold(TH_LIMIT_LEFT) * waiting)) && ticks && even &&
                      waiting >= threshold(TH_LIMIT_WAITING);
    mem_free(e);
    return pace;
}

static void pace_finding(struct causes *c, const struct pair_row *p, const struct pair_row *others, double share)
{
    const double waiting = (double)others->total / (double)c->tg->end,
                 rate = (double)p->count / (double)c->tg->end * 1e9;
    struct draft d;
    draft_start(&d, RULE_LIMIT, 0);
    d.f.note = true;
    d.f.inferred = true;
    d.f.won_hi = (int64_t)(share * (double)c->tg->end);
    draft_about(&d, c->rs, causes_place(c->tr, p->stack), p->stack);
    draft_moment(&d, &p->longest);
    text_add(&d.amount, "%.0f/s", rate);
    const double each = gives_each(c, p);
    const bool one = each <= threshold(TH_LIMIT_GIVEN);
    text_say(&d.text, c->tr, t_place(p->stack, 3), " gives ");
    text_add(&d.text, one ? "one at a time, %.0f" : "%.1f at a time, %.0f", one ? rate : each, rate);
    text_say(&d.text, c->tr, one ? " a second" : " times a second", ", paced by a timer, to goroutines of ",
             t_func(others->waiter), ": ", t_f1(waiting), " of them wait for it at any time in ",
             t_place(others->stack, 3), ", ", t_dur(others->total / (int64_t)others->count), " on average, ",
             t_share(share, 1), " of their lives, while ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors are idle: ",
             p->kind == WK_SELECT && one ? "a rate limit of the program's own (inferred)."
                                         : "its clock sets their pace: a rate limit of the program's own, or how "
                                           "often there is something to do (inferred).");
    text_lit(&d.next, "If this limit is not intended, raise it, or let it give out more at once; a trace cannot tell "
                      "whether it is.");
    draft_titled(c->rs, &d, one ? rule_title(RULE_LIMIT) : "let through a few at a time");
}

/* Who waits through many of its ticks waits for something else that it brings now and then: news. */
static bool within(const struct pair_row *wait, const struct pair_row *tick)
{
    return wait->count && tick->count &&
           (double)wait->total / (double)wait->count <=
               threshold(TH_LINGER_WITHIN) * (double)tick->total / (double)tick->count;
}

/*
 * Is hardly any of the time waited at that place for anybody else? Who waits for news of several is not held up by
 * one that has none.
 */
static bool for_it_alone(const struct causes *c, const struct pair_row *wait)
{
    const uint32_t place = causes_place(c->tr, wait->stack);
    int64_t its = 0, all = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waiter == wait->waiter && causes_place(c->tr, p->stack) == place) {
            all = ns_add(all, p->total);
            its = !p->from_scheduler && p->waker == wait->waker ? ns_add(its, p->total) : its;
        }
    }
    return threshold_reached(TH_LINGER_ALONE, its, all);
}

static bool ticks(const struct ends *e)
{
    const double least = -threshold(TH_LIMIT_TICKS);
    return goes_with_before(e) <= least || mostly_goes_with_before(e) <= least;
}

/*
 * Does a ticker, at even intervals, give something to goroutines that wait nowhere else, and give nobody anything
 * themselves?
 */
static bool only_take(const struct causes *c, const struct pair_row *tick, uint32_t g, const struct pair_row *wait)
{
    const uint32_t place = causes_place(c->tr, wait->stack);
    struct ends *e = c->of[g].n == 1 ? mem_zalloc(sizeof *e) : NULL;
    c->rs->failed |= c->of[g].n == 1 && !e;
    bool alone = e != NULL;
    for (uint32_t i = 0; i < c->tg->npairs && alone; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool end = p->kind == WK_WAITGROUP; /* who waits for them to end, gets nothing */
        alone = (p->waiter != wait->waiter || causes_place(c->tr, p->stack) == place) &&
                (p->waker != wait->waiter || p->from_scheduler || end);
    }
    if (alone) {
        walk_whole(c, g, tick->stack, e);
        alone = (double)e->n >= threshold(TH_LIMIT_WAITS) && ticks(e);
    }
    mem_free(e);
    return alone;
}

/*
 * Does a ticker bring news to goroutines that do nothing but take them? Their loop is at that wait, and they wait
 * nowhere else. Who waits within what it asks, or has handed something on before, waits for its answer.
 */
static bool brings_news(const struct causes *c, const struct pair_row *tick, uint32_t g, const struct pair_row *wait)
{
    return causes_place(c->tr, wait->stack) == wait->waiter && gives_each(c, tick) > threshold(TH_LIMIT_GIVEN) &&
           only_take(c, tick, g, wait);
}

/*
 * Does nobody but a ticker ever end its waits there, nor those that wait for it any wait of its? Then it may be a
 * source that has something at each tick (a sample, news), as well as one that looks at each tick only.
 */
static bool may_be_source(const struct causes *c, const struct pair_row *tick, uint32_t g,
                          const struct pair_row *wait)
{
    struct ends *e = c->of[g].n == 1 ? mem_zalloc(sizeof *e) : NULL;
    c->rs->failed |= c->of[g].n == 1 && !e;
    bool may = e != NULL;
    for (uint32_t i = 0; i < c->tg->npairs && may; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool its = p->waiter == tick->waiter && !p->from_scheduler;
        may = !its || (p->waker != wait->waiter && (p->stack != tick->stack || p->count == 1));
    }
    if (may) {
        walk_whole(c, g, tick->stack, e);
        may = (double)e->n >= threshold(TH_LINGER_TIMES) && ticks(e);
    }
    mem_free(e);
    return may;
}

bool timers_delay(struct causes *c, uint32_t place, uint32_t who)
{
    const uint32_t group = causes_group(c, who);
    struct leaves way;
    int64_t ns = 0;
    if ((group != UINT32_MAX && calls_group_serves(c, group)) || !causes_main_way(c, &way, NULL)) {
        return true;
    }
    for (uint32_t i = 0; i < way.n; i++) {
        const struct leaf *l = &way.v[i];
        ns = l->cat == EX_TIMER && l->func == place && l->who == who ? ns_add(ns, l->ns) : ns;
    }
    return threshold_reached(TH_LINGER_DELAYS, ns, way.all);
}

/*
 * Is it the program's, or one that serves a connection for it? The library's others wait for work (net/http's
 * writeLoop).
 */
static bool may_lose(const struct causes *c, uint32_t name)
{
    const uint32_t g = causes_group(c, name);
    return g != UINT32_MAX && (c->life[g].program || calls_group_serves(c, g));
}

static void rule_linger(struct causes *c)
{
    for (uint32_t i = 0, looked = 0; i < c->tg->npairs && looked < 8; i++) {
        const struct pair_row *p = &c->tg->pairs[i], *most = NULL;
        uint32_t g = timed_place(c, p) ? causes_group(c, p->waiter) : UINT32_MAX;
        if (g == UINT32_MAX || !c->life[g].program || c->life[g].n > threshold(TH_LINGER_MEMBERS) ||
            (double)p->count < threshold(TH_LINGER_TIMES) ||
            !threshold_reached(TH_LINGER_SHARE, p->total, c->tg->end) || c->idle < threshold(TH_BOTTLE_IDLE)) {
            continue;
        }
        for (uint32_t k = 0; k < c->tg->npairs; k++) {
            const struct pair_row *q = &c->tg->pairs[k];
            bool served = !q->from_scheduler && q->waker == p->waiter && q->waiter != p->waiter &&
                          wait_on_channel(q->kind) && (double)q->count >= threshold(TH_LINGER_TIMES) &&
                          may_lose(c, q->waiter);
            most = served && (!most || q->total > most->total) ? q : most;
        }
        uint32_t w = most ? causes_group(c, most->waiter) : UINT32_MAX;
        looked++;
        double share = w != UINT32_MAX ? timer_share(c, w, g, causes_place(c->tr, p->stack)) : 0;
        if (share >= threshold(TH_LINGER_LIFE) && gives_few(c, p, g, most)) {
            pace_finding(c, p, most, share);
        } else if (p->kind == WK_SELECT && share >= threshold(TH_LINGER_LIFE) && within(most, p) &&
                   for_it_alone(c, most) && !brings_news(c, p, g, most)) {
            const bool source = may_be_source(c, p, g, most);
            if ((!source && !only_take(c, p, g, most)) || calls_group_serves(c, w) ||
                timers_delay(c, causes_place(c->tr, p->stack), p->waiter)) {
                (source ? ticks_finding : linger_finding)(c, p, most, share);
            }
        }
    }
}

/* ---- deadlines of contexts ------------------------------------------------------------------------------------- */

#define DEADLINES 32

static bool by_deadline(const struct causes *c, const struct pair_row *p)
{
    return !p->from_scheduler && str_starts(trace_str(c->tr, p->waker), "context.WithDeadline");
}

/* Most waits there last until the limit, each goroutine comes back, and nobody waits for it: a pace, maybe. */
static bool may_be_pace(const struct causes *c, const struct waits_at *k, uint64_t all, uint32_t group)
{
    int64_t others = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool its = !p->from_scheduler && p->waker == c->tg->groups[group].name && p->waiter != p->waker &&
                         p->kind != WK_WAITGROUP; /* who waits for all to end waits for no answer */
        others = its ? ns_add(others, p->total) : others;
    }
    return (double)k->count >= threshold(TH_LINGER_PACE) * (double)all &&
           (double)k->count >= threshold(TH_LINGER_ANEW) * c->of[group].n &&
           !threshold_reached(TH_CALLS_FOR, others, c->tg->end);
}

/* Did a context's deadline end the wait before this span? */
static bool timed_out(const struct causes *c, const struct span *next)
{
    return next->state == ST_RUNNABLE && next->who != NO_LANE &&
           str_starts(trace_str(c->tr, trace_g_name(c->tr, next->who)), "context.WithDeadline");
}

#define ENDERS 8
struct again { /* what runs between a wait there and the next one, by who ended it: */
    struct {
        uint32_t by; /* start function */
        uint64_t n;
        int64_t ran;
    } v[ENDERS]; /* v[0]: the waits whose time was up */
    uint32_t n;
    uint64_t own; /* that one of their own kind ended: it gave back what they share */
    uint64_t up;  /* waits whose time was up, whether or not another one there follows */
};

static int64_t ran_behind(const struct again *a, uint32_t i)
{
    return a->v[i].n ? a->v[i].ran / (int64_t)a->v[i].n : 0;
}

/*
 * Of those whose time was not up, the ones behind which it runs longest: the library may end several waits for one
 * answer.
 */
static int64_t ran_behind_answers(const struct again *a)
{
    int64_t most = 0;
    for (uint32_t i = 1; i < a->n; i++) {
        const bool some = (double)a->v[i].n >= threshold(TH_LINGER_TIMES);
        most = some && ran_behind(a, i) > most ? ran_behind(a, i) : most;
    }
    return most;
}

static uint32_t ender(const struct causes *c, const struct span *next, struct again *a)
{
    const uint32_t by = next->state == ST_RUNNABLE && next->who != NO_LANE ? trace_g_name(c->tr, next->who) : 0;
    uint32_t i = 1;
    if (timed_out(c, next)) {
        a->up++;
        return 0;
    }
    a->own += by && by == a->v[0].by;
    while (i < a->n && a->v[i].by != by) {
        i++;
    }
    if (i == a->n && i < ENDERS) {
        a->v[a->n++].by = by;
    }
    return i;
}

static void asks_anew(const struct causes *c, uint32_t g, uint32_t stack, struct again *a)
{
    struct walk w;
    int64_t ran = 0;
    uint32_t end = ENDERS; /* of the wait before */
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    for (struct span s; walk_pair(&w, &s, &next);) {
        end = s.state == ST_NONE ? ENDERS : end;
        ran = s.state == ST_RUNNING ? ns_add(ran, s.t1 - s.t0) : ran;
        if (s.state != ST_WAITING || s.stack != stack) {
            continue;
        }
        if (end < ENDERS) {
            a->v[end].n++;
            a->v[end].ran = ns_add(a->v[end].ran, ran);
        }
        end = next ? ender(c, next, a) : ENDERS;
        ran = 0;
    }
}

/*
 * Behind an answer it does something with it before it asks there again, behind a time that is up it asks at once:
 * the same once more. Who gave up sooner would only ask more often.
 */
static void give_up_text(struct causes *c, const struct waits_at *k, uint32_t group, struct draft *d)
{
    struct again a = {.n = 1};
    a.v[0].by = c->tg->groups[group].name;
    for (uint32_t i = 0; i < c->of[group].n && i < WALKED; i++) {
        asks_anew(c, causes_member(c, group, i, WALKED), k->most->stack, &a);
    }
    const int64_t answered = ran_behind_answers(&a), up = ran_behind(&a, 0);
    if ((double)a.own >= threshold(TH_LINGER_TIMES)) {
        text_add(&d->text, " %llu of the other waits end when one of their own kind releases what they share.",
                 (unsigned long long)a.own);
        text_lit(&d->next, "See who holds it meanwhile, and for how long; if a waiter already has one, let it use "
                           "that one; otherwise hold them more briefly or have more of them.");
        return;
    }
    if ((double)answered < threshold(TH_LINGER_WORKS) * (double)up || (double)a.v[0].n < threshold(TH_LINGER_TIMES) ||
        !threshold_reached(TH_LINGER_AGAIN, (int64_t)a.v[0].n, (int64_t)a.up)) {
        text_lit(&d->next, "What it waits for does not come in time: see what ends the other waits, ask less of it "
                           "or go on with what has come; or give up sooner.");
        return;
    }
    text_say(&d->text, c->tr, " What is given up seems to be retried: after ",
             t_share((double)a.v[0].n, (double)a.up), " of those waits the same goroutine runs for ", t_dur(up),
             " on average and waits there again; after an answer it runs for ", t_dur(answered), ".");
    text_lit(&d->next, "Allow it more time: giving up sooner would only mean asking more often. Or see why the "
                       "answer takes longer than the limit, and ask less.");
}

/* all: waits there, those that something else ended with them */
static void deadline_finding(struct causes *c, const struct waits_at *k, uint64_t all, uint32_t group, double share)
{
    const struct group_life *l = &c->life[group];
    struct draft d;
    draft_start(&d, RULE_LINGER, (int64_t)(share * (double)(l->last - l->first)));
    /* nothing else ever ends it: it may be a pace; less than half of their lives: the limit may be meant */
    d.f.note = k->count * 10 > all * 9 || share < threshold(TH_LINGER_ALARM) || may_be_pace(c, k, all, group);
    draft_about(&d, c->rs, k->place, k->most->stack);
    draft_moment(&d, &k->most->longest);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(k->most->stack, 3), " waits until its context expires: ", k->count, " of ", all,
             " waits there, ", t_dur(k->total / (int64_t)k->count), " on average; that is ", t_share(share, 1),
             " of the lives of goroutines of ", t_func(k->most->waiter), "; ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors were idle.");
    give_up_text(c, k, group, &d);
    draft_end(c->rs, &d);
}

/*
 * Is what ends the other waits there, if anything does, news for many at once, and does each go there again and
 * again? Then they ask for news (long polling), and that there mostly are none is what the limit is for.
 */
static bool asks_for_news(const struct causes *c, const struct waits_at *k, uint32_t group)
{
    uint64_t for_many = 0, others = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (causes_place(c->tr, p->stack) == k->place && !by_deadline(c, p)) {
            *(!p->from_scheduler && causes_all_at_once(c, p, group) ? &for_many : &others) += p->count;
        }
    }
    return for_many > 4 * others && (double)k->count >= threshold(TH_LINGER_ANEW) * c->of[group].n;
}

static void rule_deadline(struct causes *c)
{
    struct waits_at v[DEADLINES];
    uint64_t all[DEADLINES] = {0};
    const uint32_t n = waits_at_rows(c, v, DEADLINES, PAIRS_ALL, by_deadline);
    for (uint32_t i = 0; i < c->tg->npairs && n; i++) {
        const uint32_t place = causes_place(c->tr, c->tg->pairs[i].stack);
        for (uint32_t k = 0; k < n; k++) {
            all[k] += v[k].place == place ? c->tg->pairs[i].count : 0;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t g = causes_group(c, v[k].most->waiter);
        const double share = waits_at_share(c, &v[k]);
        if (share >= threshold(TH_LINGER_SHARE) && (double)v[k].count >= threshold(TH_LINGER_TIMES) &&
            c->idle >= threshold(TH_BOTTLE_IDLE) && !asks_for_news(c, &v[k], g)) {
            deadline_finding(c, &v[k], all[k], g, share < 1 ? share : 1);
        }
    }
}

void rules_timers(struct causes *c)
{
    rule_pauses(c);
    rule_linger(c);
    rule_deadline(c);
}
