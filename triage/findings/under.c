/*
 * under.c - see under.h: what the rows of under.def ask of a finding, and of the other that it may go under.
 */
#include "triage/findings/under.h"
#include "triage/findings/asks.h"

#include <string.h>

#include "triage/findings/holder.h"
#include "triage/findings/requests.h"
#include "triage/findings/retell.h"
#include "triage/findings/story.h"
#include "triage/findings/thresholds.h"

struct two {
    struct rules *rs;
    struct finding *over;
    const struct finding *under;
};

/* WHEN - a condition in one line. */
#define WHEN(name, holds) \
    static bool name(const struct two *x) \
    { \
        return holds; \
    }

/* ---- when ------------------------------------------------------------------------------------------------------------ */

WHEN(always, x->over != x->under)
WHEN(costs_more, x->over->severity_ns > x->under->severity_ns)

static bool same_subject(const struct two *x)
{
    const char *a = strchr(x->over->key, ':'), *b = strchr(x->under->key, ':');
    return a && b && strcmp(a, b) == 0;
}

static bool same_place(const struct two *x)
{
    const uint32_t place = causes_place(x->rs->tr, x->over->stack);
    return place && place == causes_place(x->rs->tr, x->under->stack);
}

/* The start function of the goroutine that a finding is about, 0: none. */
static uint32_t whose(const struct two *x, const struct finding *f)
{
    return f->lane.kind == LANE_G && f->lane.i < x->rs->tg->ng ? trace_g_name(x->rs->tr, f->lane.i) : 0;
}

WHEN(same_group, whose(x, x->over) && whose(x, x->over) == whose(x, x->under))
/* Do both wait in the end for goroutines of one kind? */
WHEN(same_end, x->under->ends_with && x->over->ends_with == x->under->ends_with)
/* Do holders wait in the end for what the other is about? */
WHEN(ends_there, x->over->rule != RULE_HUB && whose(x, x->under) && x->over->ends_with == whose(x, x->under))
WHEN(waited_for, x->under->ends_with && x->under->ends_with == whose(x, x->over))
WHEN(line_of_it, !x->under->note && same_group(x))
/* Does most of the one's time lie within the other's? */
static bool at_one_time(const struct two *x)
{
    const struct finding *a = x->over, *b = x->under;
    const int64_t t0 = a->t0 > b->t0 ? a->t0 : b->t0, t1 = a->t1 < b->t1 ? a->t1 : b->t1;
    return t1 - t0 >= (b->t1 - b->t0) / 2;
}

/* Who waits for a limit meanwhile waits for what stands for good. */
WHEN(stood_before, x->under->t0 >= x->over->t0)
WHEN(says_blamed, x->under->blames != 0 && story_says(x->rs, x->over, x->under->blames))
WHEN(blamed_place, x->under->blames != 0 && causes_place(x->rs->tr, x->over->stack) == x->under->blames)
/* Do they ask this process, and is it what waits within its answers that the other tells? */
WHEN(requests_of_these, x->over->own_side &&request_serves(x->rs->tr, whose(x, x->under)))
/* Is it told whom the slow ones wait for, and what that one does meanwhile? Then it is exact about what they only suffer from. */
WHEN(waits_told,
     x->under->waits_at != 0 && causes_place(x->rs->tr, x->over->stack) == x->under->waits_at && says_blamed(x))

static bool says_place(const struct two *x)
{
    const uint32_t place = x->under->stack ? causes_place(x->rs->tr, x->under->stack) : 0;
    return place && story_says(x->rs, x->over, place);
}

/* Does the one name the function that the other is about? */
static bool said_there(const struct two *x)
{
    const uint32_t place = x->over->stack ? causes_place(x->rs->tr, x->over->stack) : 0;
    return place && story_says(x->rs, x->under, place);
}

/* Do connections stay behind answers to what is asked there? */
static bool unread_answers(const struct two *x)
{
    const struct rules *rs = x->rs;
    return str_starts(trace_str(rs->tr, whose(x, x->over)), "net/http.(*persistConn)") && says_place(x);
}

/* Is it about one of a chain that is told? */
WHEN(in_chain, whose(x, x->under) && story_says(x->rs, x->over, whose(x, x->under)))
WHEN(it_queues, x->under->queued)
WHEN(other_queues, x->over->queued)
WHEN(both_queue, x->under->queued && x->over->queued)
WHEN(by_quota, x->over->quota)

static bool held_by_those(const struct two *x)
{
    const struct holder_row *h =
        x->under->stack ? holder_at(x->rs->tg, holder_place(x->rs->tr, x->under->stack)) : NULL;
    return h && whose(x, x->over) && h->name == whose(x, x->over);
}

WHEN(small_beside, (double)x->under->severity_ns <= threshold(TH_HERD_CONVOY) * (double)x->over->severity_ns)
#define LOOKED 256 /* lock waits of which what came before is looked at */
#define BRIEFLY \
    20000 /* ns: a lock held for no longer, until the next one has it, is waited for only because all come at once */

/* Has goroutine g only run since a wait that was there, or was ended from there? */
static bool comes_from(const struct trace *tr, uint32_t g, int64_t t, uint32_t place)
{
    enum { BACK = 4 }; /* it ran, was ready, waited; or was stopped once more */
    struct span_iter it;
    uint32_t woken_at = 0;
    if (!span_seek(&it, tr, (struct lane){LANE_G, g}, t - 1)) {
        return false;
    }
    for (int i = 0; i < BACK && span_get(&it)->state != ST_WAITING; i++) {
        woken_at = span_get(&it)->state == ST_RUNNABLE ? span_get(&it)->stack : 0;
        if (!span_prev(&it)) {
            return false;
        }
    }
    return span_get(&it)->state == ST_WAITING &&
           (causes_place(tr, span_get(&it)->stack) == place || (woken_at && causes_place(tr, woken_at) == place));
}

/* Do nearly all that wait for the lock come from where the crowd was woken, and hold it briefly? Then they queue since all are woken at once. */
static bool woken_for_it(const struct two *x)
{
    const struct triage *tg = x->rs->tg;
    const uint32_t from = causes_place(tg->tr, x->over->stack);
    const uint32_t lock = x->under->stack ? holder_lock(tg, holder_place(tg->tr, x->under->stack)) : 0;
    uint32_t all = 0, looked = 0, woken = 0;
    for (uint32_t i = 0; i < tg->nlock_waits; i++) {
        all += tg->lock_waits[i].lock == lock;
    }
    if (!from || !lock || !all || x->under->severity_ns / all > BRIEFLY) {
        return false;
    }
    for (uint32_t i = 0, n = 0; i < tg->nlock_waits; i++) {
        const struct lock_wait *w = &tg->lock_waits[i];
        if (w->lock == lock && n++ % (all / LOOKED + 1) == 0) {
            looked++;
            woken += comes_from(tg->tr, w->g, w->t0, from);
        }
    }
    return woken * 10 >= looked * 9;
}

/* Are the wake-ups told as in vain those of the function that is said to wake a crowd? */
static bool in_vain_by(const struct two *x)
{
    const struct triage *tg = x->rs->tg;
    const uint32_t place = causes_place(tg->tr, x->under->stack);
    bool any = false;
    for (uint32_t i = 0; i < tg->nherds && place; i++) {
        const struct pair_row *p = &tg->pairs[tg->herds[i].pair];
        any |= p->stack == x->over->stack && p->stack != x->under->stack &&
               causes_place(tg->tr, p->waker_stack) == place;
    }
    return any;
}

/* Is the other side waited for by those that have what more wait for, and longer? Then they have it for too long, or there is too little of it. */
static bool held_meanwhile(const struct two *x)
{
    const struct triage *tg = x->rs->tg;
    const uint32_t held = x->under->stack ? causes_place(tg->tr, x->under->stack) : 0,
                   set = x->over->stack ? causes_place(tg->tr, x->over->stack) : 0;
    int64_t answers = 0, turns = 0;
    if (!held || !set || !story_says(x->rs, x->over, held)) {
        return false;
    }
    for (uint32_t i = 0; i < tg->npairs; i++) {
        const struct pair_row *p = &tg->pairs[i];
        const uint32_t place = causes_place(tg->tr, p->stack);
        answers = place == held && p->kind == WK_NET ? ns_add(answers, p->total) : answers;
        turns = place == set && p->kind != WK_NET && !p->from_scheduler ? ns_add(turns, p->total) : turns;
    }
    return turns > answers;
}

/* With a lock; who waits to write waits for one that takes it as slowly without. */
WHEN(lock_meanwhile, !causes_writes(x->rs->tr, x->under->stack) && held_meanwhile(x))
/* Are the answers this process's own? Then what holds up those that write them is told. */
WHEN(own_answers, x->under->own_side)
/* Who brings more than one takes off waits for the network: quicker answers would bring more still. */
WHEN(brings_more, x->over->ends_with && x->over->ends_with == whose(x, x->under))
/* Is it the one goroutine that others queue for that waits for these answers? Then that they come one by one is why it is slow. */
WHEN(keeper_asks, same_group(x) && x->over->lane.i == x->under->lane.i)
/* That it asks one thing after the other holds up those less for whom it asks together. */
WHEN(keeper_lots, x->over->together &&keeper_asks(x))
WHEN(keeper_writes, same_group(x) && causes_writes(x->rs->tr, x->under->stack))
WHEN(sql_question, sql_covers(x->rs->tr, x->over, x->under))
WHEN(of_one_question, same_subject(x) || sql_question(x))
/* A test's calls are what it is to do: that they are one after the other is the tests that wait for each other. */
WHEN(runs_tests, limits_test_slot(x->rs->tr, x->over->stack) && same_group(x))
/* A loop that looks whether there is something to do, and has so much of the processors that the work would have had them else. */
WHEN(fills, x->over->looks == true && threshold_reached(TH_BELOW_SPINS, x->over->severity_ns, x->rs->tg->end))
/* Who waits for something else uses no processor. */
WHEN(waits_elsewhere, threshold_reached(TH_ABOVE_CAUSE, x->over->severity_ns, x->rs->tg->end))
/* Whose work it waits for is told, and nothing else. */
WHEN(nothing_worse, x->over->queued && !story_worst(x->rs))

static bool tells_of_more(const struct two *x)
{
    const enum rule r = x->over->rule;
    return !x->under->looks && r != RULE_POLL && r != RULE_TIME && r != RULE_HOT && r != RULE_PROCS_ABOVE &&
           !story_is_sign_rule(r);
}

/* Is that where it looks and pauses? Then what most of the time went into is told. */
WHEN(looks_there, x->over->looks &&same_place(x))
/* What looks for nothing computes, where most of the work is. */
WHEN(computes_there, !x->under->looks && !x->under->unstopped && (same_group(x) || same_place(x)))
WHEN(no_sign, !story_is_sign(x->rs, x->over))

/* ---- what is kept ------------------------------------------------------------------------------------------------------ */

static void nothing(struct two *x)
{
    (void)x;
}

static void slow_words(struct two *x)
{
    struct text t = {0}, next = {0};
    text_add(&t, " This is what makes tasks slow (slowest: %s).", x->under->amount);
    if (logged_text(&t, &next, x->rs, x->under)) {
        retell_advice(x->rs, x->over, &next);
    }
    text_free(&next);
    retell_behind(x->rs, x->over, &t);
}

static void conns_words(struct two *x)
{
    struct text t = {0};
    text_say(&t, x->rs->tr,
             " A connection whose response is not read to the end is not reused: each request opens a new one first, "
             "at a cost of ",
             t_dur(x->under->severity_ns), ".");
    retell_behind(x->rs, x->over, &t);
}

static void heap_words(struct two *x)
{
    struct text t = {0};
    text_add(&t, " Meanwhile the live heap grows (%s): what is not released yet is kept.", x->under->amount);
    retell_behind(x->rs, x->over, &t);
}

static void late_words(struct two *x)
{
    struct text t = {0};
    text_add(&t, " 1 %% of the waits for a processor lasted %s or more.", x->under->amount);
    retell_behind(x->rs, x->over, &t);
}

static void its_cost(struct two *x)
{
    if (x->under->severity_ns > x->over->severity_ns) {
        x->over->severity_ns = x->under->severity_ns;
    }
}

/* The crowd waits for a lock, too; what that costs is part of what the crowd does. */
static void queue_words(struct two *x)
{
    struct text t = {0};
    const uint32_t place = holder_place(x->rs->tr, x->under->stack);
    text_say(&t, x->rs->tr, " They wait for a lock in ", t_func(place), " as well, 4 of them or more for ");
    text_add(&t, "%s in all: a crowd of them holds it one after the other.", x->under->amount);
    retell_behind(x->rs, x->over, &t);
}

/* The same, where it may cost more. */
static void lock_words(struct two *x)
{
    its_cost(x);
    queue_words(x);
}

static void crowd_words(struct two *x)
{
    struct text t = {0};
    text_add(&t, " They are woken in crowds of up to %s.", x->under->amount);
    retell_behind(x->rs, x->over, &t);
}

/* Whether it waits no trace tells: the advice stands, behind the other one. */
static void loop_words(struct two *x)
{
    struct text t = {0}, next = {0};
    text_add(&t, " %s", x->under->text);
    retell_behind(x->rs, x->over, &t);
    text_add(&next, "%s If it waits for something, block instead.", x->over->next ? x->over->next : "");
    retell_advice(x->rs, x->over, &next);
    text_free(&next);
}

/* Another kind of stop, asked for by the same function. */
static void stop_words(struct two *x)
{
    struct text t = {0};
    const char *kind = strchr(x->under->key, ':');
    text_say(&t, x->rs->tr, " The same function causes another kind of stop, too");
    text_add(&t, "%s%s%s: ", kind && kind[1] ? " (" : "", kind ? kind + 1 : "", kind && kind[1] ? ")" : "");
    text_say(&t, x->rs->tr, t_dur(x->under->severity_ns), " in all.");
    x->over->severity_ns = ns_add(x->over->severity_ns, x->under->severity_ns);
    retell_behind(x->rs, x->over, &t);
}

static void its_text(struct two *x)
{
    struct text t = {0};
    text_add(&t, " %s", x->under->text);
    its_cost(x);
    retell_behind(x->rs, x->over, &t);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------------- */

enum { TOLD = 0, WARNS = 1, NOTE = 2 }; /* under.def */
enum { RULE_ANY = RULE_COUNT };
static const struct row {
    unsigned under, over, how, part;
    bool (*when)(const struct two *x);
    void (*kept)(struct two *x);
} rows[] = {
#define X(UNDER, OVER, HOW, PART, WHEN, KEPT) {RULE_##UNDER, RULE_##OVER, HOW, PART, WHEN, KEPT},
#include "triage/findings/under.def"
#undef X
};

static bool holds(const struct row *r, const struct two *x)
{
    return r->under == x->under->rule && (r->over == x->over->rule || r->over == RULE_ANY) &&
           !((r->how & WARNS) && x->over->note) && !((r->how & NOTE) && !x->under->note) &&
           (!r->part || x->over->severity_ns >= x->under->severity_ns / r->part) && r->when(x);
}

static const struct row *row_of(const struct two *x)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (holds(&rows[i], x)) {
            return &rows[i];
        }
    }
    return NULL;
}

void under_all(struct rules *rs)
{
    struct findings *all = rs->out;
    for (uint32_t i = all->n; i-- > 0;) {
        for (uint32_t k = 0; k < all->n; k++) {
            struct two x = {rs, &all->f[k], &all->f[i]};
            const struct row *r = k != i ? row_of(&x) : NULL;
            if (r) {
                r->kept(&x);
                findings_leave_out(all, i);
                break;
            }
        }
    }
}
