/*
 * rules_left.c - work that goes on though nobody waits for it any more: who began a goroutine for an answer gave up
 * when its time was up, and the goroutine goes on all the same.
 *
 * It is for an answer if others of its kind end the waits of those that begin them. Who is told of the limit ends
 * soon behind it; what it does after that nobody takes. But where the answer ends the next wait there, it was not
 * given up: who waits has only begun another one, and takes whichever comes first.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define PLACES 8
#define ASKERS 256
#define STEPS 60000 /* spans of all askers */
#define ASKED 65536
#define MADE 65536 /* goroutines looked at */

struct asked { /* a wait for an answer */
    uint32_t g;
    int64_t t0, t1;
    bool up;     /* its time was up */
    uint32_t by; /* else the goroutine that ended it, or NO_LANE */
};
struct left {
    struct causes *c;
    uint32_t place, asker, worker; /* groups */
    const struct pair_row *limit;
    struct asked *v;
    uint32_t n;
    size_t cap;
    /* told */
    uint64_t given_up, on; /* waits that were given up; goroutines that went on after these */
    uint64_t taken;        /* of those that went on: whose answer ended the next wait there */
    uint64_t again;        /* goroutines begun there behind a wait that was given up */
    int64_t ran, stayed;   /* of those that went on, after: running; altogether */
    int64_t allowed, longest, t0, t1;
    uint32_t g;
};

#define TIMEOUT_HANDLER "net/http.(*timeoutHandler).ServeHTTP"

/*
 * The function of the program, or the library's handler that gives up for the program's (http.TimeoutHandler): that
 * begins it and waits.
 */
static uint32_t place_of(const struct trace *tr, uint32_t stack)
{
    const uint32_t place = causes_place(tr, stack), n = place || !stack ? 0 : trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 4; i++) {
        const uint32_t func = trace_frame(tr, stack, i).func;
        if (str_is(trace_str(tr, func), TIMEOUT_HANDLER)) {
            return func;
        }
    }
    return place;
}

static bool of_program(const struct causes *c, uint32_t group)
{
    return c->life[group].program || str_starts(trace_str(c->tr, c->tg->groups[group].name), TIMEOUT_HANDLER);
}

static bool gives_up(const struct causes *c, const struct pair_row *p)
{
    return (p->kind == WK_SELECT || p->kind == WK_RECV) &&
           (p->from_scheduler ? p->kind == WK_SELECT
                              : str_starts(trace_str(c->tr, p->waker), "context.WithDeadline"));
}

/* Does one of the kind that answers there begin where it is waited for? */
static bool begun_there(const struct causes *c, uint32_t group, uint32_t place)
{
    const uint32_t g = causes_member(c, group, c->of[group].n / 2, UINT32_MAX);
    return place_of(c->tr, trace_lane_who(c->tr, (struct lane){LANE_G, g}).create_stack) == place;
}

/* Who answers the waits at the place of p, being begun there: a pair, NULL nobody. */
static const struct pair_row *answers(const struct causes *c, const struct pair_row *p)
{
    const uint32_t place = place_of(c->tr, p->stack);
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        const uint32_t by = !q->from_scheduler && q->waiter == p->waiter && q->waker != p->waiter &&
                                    place_of(c->tr, q->stack) == place
                                ? causes_group(c, q->waker)
                                : UINT32_MAX;
        if (by != UINT32_MAX && of_program(c, by) && q->count >= 2 && c->of[by].n >= q->count / 2 &&
            begun_there(c, by, place)) {
            return q;
        }
    }
    return NULL;
}

/*
 * None of them has ever answered in time: those that begin where a context's limit ends the waits, one for each wait
 * or more, are for these all the same. (A timer's or a ticker's end may be a pace, at which work is begun.)
 */
static uint32_t begun_for(const struct causes *c, const struct pair_row *p)
{
    const uint32_t place = place_of(c->tr, p->stack);
    for (uint32_t i = 0; i < c->tg->ngroups && !p->from_scheduler; i++) {
        if (of_program(c, i) && c->of[i].n >= p->count && c->of[i].n <= 2 * p->count &&
            c->tg->groups[i].name != p->waiter && begun_there(c, i, place)) {
            return i;
        }
    }
    return UINT32_MAX;
}

static bool asked_add(struct left *l, const struct asked *a)
{
    struct asked *v = l->n < ASKED ? mem_grow(l->v, &l->cap, (size_t)l->n + 1, sizeof *v) : NULL;
    if (!v) {
        l->c->rs->failed |= l->n < ASKED;
        return false;
    }
    l->v = v;
    l->v[l->n++] = *a;
    return true;
}

static bool time_is_up(const struct causes *c, const struct span *next)
{
    return next->state == ST_RUNNABLE &&
           (next->who == NO_LANE ||
            str_starts(trace_str(c->tr, trace_g_name(c->tr, next->who)), "context.WithDeadline"));
}

/* The waits there of all askers, by goroutine and time. */
static bool asks(struct left *l)
{
    const struct causes *c = l->c;
    uint32_t steps = STEPS;
    bool ok = true;
    for (uint32_t i = 0; i < c->of[l->asker].n && i < ASKERS && ok; i++) {
        const uint32_t g = causes_member(c, l->asker, i, ASKERS);
        struct span_iter it;
        bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
        while (more && ok && steps) {
            const struct span s = *span_get(&it);
            more = span_next(&it);
            steps--;
            if (s.state == ST_WAITING && more && place_of(c->tr, s.stack) == l->place) {
                const struct span *next = span_get(&it);
                ok = asked_add(l, &(struct asked){g, s.t0, s.t1, time_is_up(c, next),
                                                  next->state == ST_RUNNABLE ? next->who : NO_LANE});
            }
        }
    }
    return ok && steps;
}

static int cmp_asked(const void *a, const void *b)
{
    const struct asked *x = a, *y = b;
    return x->g != y->g ? (x->g > y->g) - (x->g < y->g) : (x->t0 > y->t0) - (x->t0 < y->t0);
}

/* The first wait of g there that begins at t or later: what was begun at t is for that one. NULL: none. */
static const struct asked *wait_for(const struct left *l, uint32_t g, int64_t t)
{
    uint32_t a = 0, b = l->n;
    while (a < b) {
        const uint32_t m = a + (b - a) / 2;
        if (l->v[m].g < g || (l->v[m].g == g && l->v[m].t0 < t)) {
            a = m + 1;
        } else {
            b = m;
        }
    }
    return a < l->n && l->v[a].g == g ? &l->v[a] : NULL;
}

/* Has it done nothing since t? */
static bool stands(const struct causes *c, uint32_t g, int64_t t)
{
    struct span s;
    return trace_span_at(c->tr, (struct lane){LANE_G, g}, c->tg->end - 1, &s) && s.state == ST_WAITING && s.t0 <= t;
}

static void look_at(struct left *l, uint32_t g)
{
    const struct causes *c = l->c;
    const struct lane_info who = trace_lane_who(c->tr, (struct lane){LANE_G, g});
    struct lifetime life;
    struct shares s;
    trace_lives(c->tr, LANE_G, g, 1, &life);
    const struct asked *a = life.begun && who.created ? wait_for(l, who.creator, life.first) : NULL;
    const int64_t after = a ? (int64_t)(threshold(TH_LEFT_AFTER) * (double)(a->t1 - a->t0)) : 0;
    if (!a || !a->up || (!life.over && stands(c, g, a->t1 + after))) {
        return; /* (who stands at one place for ever is a leak) */
    }
    l->given_up++;
    l->allowed = ns_add(l->allowed, a->t1 - a->t0);
    if (life.last - a->t1 < after) {
        return; /* it heeds the limit, or was about to end */
    }
    trace_shares(c->tr, (struct lane){LANE_G, g}, a->t1, life.last, &s);
    l->on++;
    l->taken += a + 1 < l->v + l->n && a[1].g == a->g && a[1].by == g;
    l->ran = ns_add(l->ran, ns_add(s.ns[ST_RUNNING], s.ns[ST_ASSIST]));
    l->stayed = ns_add(l->stayed, life.last - a->t1);
    if (life.last - a->t1 > l->longest) {
        l->longest = life.last - a->t1;
        l->t0 = a->t1;
        l->t1 = life.last;
        l->g = g;
    }
}

/*
 * What goroutines of that kind wait for each other: they share something, and there is too little of it. *most:
 * where.
 */
static int64_t queued(const struct left *l, const struct pair_row **most)
{
    const uint32_t name = l->c->tg->groups[l->worker].name;
    int64_t ns = 0;
    *most = NULL;
    for (uint32_t i = 0; i < l->c->tg->npairs; i++) {
        const struct pair_row *p = &l->c->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == name && p->waker == name) {
            ns = ns_add(ns, p->total);
            *most = *most && (*most)->total >= p->total ? *most : p;
        }
    }
    return ns;
}

/* What it takes from the processors where these are short, or of what others of them queue for. */
static int64_t cost_of(const struct left *l)
{
    const struct causes *c = l->c;
    const struct pair_row *most;
    const double life = (double)c->life[l->worker].life, end = (double)c->tg->end,
                 waits = (double)queued(l, &most) / end;
    const double queue = life > 0 ? (double)l->stayed / life * (waits < 1 ? waits : 1) * end : 0;
    const double procs = c->idle < causes_idle_least(c) ? (double)l->ran / c->procs : 0;
    return (int64_t)(queue > procs ? queue : procs);
}

/* Where they are when they go on: what they run or wait for, followed. */
static void what_text(struct left *l, struct draft *d)
{
    struct causes *c = l->c;
    struct leaves v;
    leaves_between(c, l->g, l->t0, l->t1, &v);
    text_add(&d->text, "%s", v.n ? " The one that goes on longest is " : "");
    leaves_text(&d->text, c->tr, &v, 2, 10);
    text_raw(&d->text, ".", v.n ? 1 : 0);
}

static void meanwhile_text(struct text *t, const struct left *l)
{
    const struct causes *c = l->c;
    const struct pair_row *most;
    const double waits = (double)queued(l, &most) / (double)c->tg->end;
    if (most && waits >= threshold(TH_LEFT_QUEUE)) {
        text_say(t, c->tr, " Meanwhile ", t_f1(waits), " of them wait for each other on average, most of all at ",
                 t_where(most->stack, 0), ".");
    }
}

static void draft_left(struct draft *d, const struct left *l)
{
    draft_start(d, RULE_LEFT, cost_of(l));
    draft_about(d, l->c->rs, l->place, l->limit->stack);
    draft_at(d, l->t0, l->t1, LANE_G, l->g);
    d->f.inferred = true;
    d->f.ends_with = l->c->tg->groups[l->worker].name;
}

static void left_finding(struct left *l)
{
    struct causes *c = l->c;
    struct draft d;
    draft_left(&d, l);
    text_add(&d.amount, "%llu left", (unsigned long long)l->on);
    text_say(&d.text, c->tr, t_place(l->limit->stack, 2), " gives up at its timeout, after ",
             t_dur(l->allowed / (int64_t)l->given_up), " on average, but the work it started goes on: ", l->on,
             " of ", l->given_up, " goroutines of ", t_func(c->tg->groups[l->worker].name), " for ",
             t_dur(l->stayed / (int64_t)l->on), " on average, up to ", t_dur(l->longest),
             ", though nobody receives the answer any more (inferred). They run for ", t_dur(l->ran), " that way, ",
             t_share((double)l->ran, (double)c->tg->groups[l->worker].d[GM_EXEC].total),
             " of all that these goroutines run.");
    what_text(l, &d);
    meanwhile_text(&d.text, l);
    text_lit(&d.next, "Pass the context down to the code that does the work, and stop there when it is done (check "
                      "ctx.Err between two steps, select at each wait).");
    draft_end(c->rs, &d);
}

/* Goroutines that were begun there behind a wait whose time was up. */
static uint64_t begun_again(const struct left *l)
{
    const struct causes *c = l->c;
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const bool there = of_program(c, i) && c->of[i].n && begun_there(c, i, l->place);
        for (uint32_t k = 0; there && k < c->of[i].n && k < MADE; k++) {
            const uint32_t g = causes_nth(c, i, k);
            const struct lane_info who = trace_lane_who(c->tr, (struct lane){LANE_G, g});
            struct lifetime life;
            trace_lives(c->tr, LANE_G, g, 1, &life);
            const struct asked *a = life.begun && who.created ? wait_for(l, who.creator, life.first) : NULL;
            n += a && a > l->v && a[-1].g == a->g && a[-1].up;
        }
    }
    return n;
}

static bool takes_the_first(const struct left *l)
{
    return (double)l->taken >= threshold(TH_LEFT_TIMES) &&
           threshold_reached(TH_LEFT_TAKEN, (int64_t)l->taken, (int64_t)l->on) &&
           threshold_reached(TH_LEFT_SHARE, (int64_t)l->again, (int64_t)l->given_up);
}

/* It asks a second time, and waits on for both. */
static void twice_finding(struct left *l)
{
    struct causes *c = l->c;
    struct draft d;
    draft_left(&d, l);
    text_add(&d.amount, "%llu again", (unsigned long long)l->again);
    text_say(&d.text, c->tr, t_place(l->limit->stack, 2), " starts another goroutine at its timeout, after ",
             t_dur(l->allowed / (int64_t)l->given_up), " on average (", l->again,
             " times), and then waits for whichever answers first: ", l->on, " of ", l->given_up, " goroutines of ",
             t_func(c->tg->groups[l->worker].name), " go on after that for ", t_dur(l->stayed / (int64_t)l->on),
             " on average, and ", l->taken, " of them (", t_share((double)l->taken, (double)l->on),
             ") still answer first. The other result of each pair is thrown away (inferred).");
    meanwhile_text(&d.text, l);
    text_lit(&d.next, "Ask again only when an answer takes longer than nearly all do, so that few are asked twice; "
                      "and cancel the other one when the first has answered (a context).");
    draft_titled(c->rs, &d, "asks again before answers come");
}

static void left_at(struct causes *c, const struct pair_row *limit, uint32_t worker)
{
    struct left l = {.c = c,
                     .place = place_of(c->tr, limit->stack),
                     .asker = causes_group(c, limit->waiter),
                     .worker = worker,
                     .limit = limit};
    const bool ok = l.asker != UINT32_MAX && asks(&l);
    if (ok && l.n) {
        qsort(l.v, l.n, sizeof l.v[0], cmp_asked);
        for (uint32_t i = 0; i < c->of[l.worker].n && i < MADE; i++) {
            look_at(&l, causes_nth(c, l.worker, i));
        }
    }
    if (ok && l.on && (double)l.on >= threshold(TH_LEFT_TIMES) &&
        threshold_reached(TH_LEFT_SHARE, (int64_t)l.on, (int64_t)l.given_up) &&
        threshold_reached(TH_LEFT_COST, cost_of(&l), c->tg->end)) {
        l.again = begun_again(&l);
        (takes_the_first(&l) ? twice_finding : left_finding)(&l);
    }
    mem_free(l.v);
}

void rules_left(struct causes *c)
{
    uint32_t seen[PLACES], n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && n < PLACES; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t place =
            gives_up(c, p) && (double)p->count >= threshold(TH_LEFT_TIMES) ? place_of(c->tr, p->stack) : 0;
        bool known = !place;
        for (uint32_t k = 0; k < n; k++) {
            known |= seen[k] == place;
        }
        const struct pair_row *q = known ? NULL : answers(c, p);
        if (!known) {
            seen[n++] = place;
        }
        const uint32_t worker = known ? UINT32_MAX : q ? causes_group(c, q->waker) : begun_for(c, p);
        if (worker != UINT32_MAX) {
            left_at(c, p, worker);
        }
    }
}
