/*
 * rules_accept.c - connections that wait to be accepted: the goroutine that accepts them does something long between
 * two of them.
 *
 * How many wait at a listener no trace tells. But who finds one there each time that it comes back, without waiting,
 * has let it wait.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define STEPS 20000 /* spans looked at */
#define AWAY 256    /* stretches explained */
#define MOST 8      /* goroutines that accept */

struct accepts { /* of one goroutine */
    uint32_t g;
    uint64_t taken, ready; /* connections; of these, there already when it came */
    int64_t away,
        limited; /* before those that were ready; of it, for channels and conditions: a limit that is meant */
    int64_t from[AWAY], to[AWAY];
    uint32_t n;
    int64_t first, last, longest_t0, longest_t1;
    int64_t until;         /* the rest was not looked at; 0: all was */
    uint32_t stack, limit; /* limit: where it waits for that one most */
    int64_t limit_longest;
};

static bool accepts_at(const struct causes *c, uint32_t stack, uint32_t *known, bool *yes)
{
    if (stack && stack != *known) {
        *known = stack;
        *yes = calls_accepting(c->tr, stack);
    }
    return stack && *yes;
}

static void came_back(struct accepts *a, int64_t left, int64_t t, int64_t limited)
{
    a->ready++;
    a->away = ns_add(a->away, t - left);
    a->limited = ns_add(a->limited, limited);
    if (a->n < AWAY) {
        a->from[a->n] = left;
        a->to[a->n++] = t;
    }
    if (t - left > a->longest_t1 - a->longest_t0) {
        a->longest_t0 = left;
        a->longest_t1 = t;
    }
}

/*
 * Accepting is a system call; that one fails where nobody is there, and a wait for the network with another call
 * follows.
 */
static void accepts_of(const struct causes *c, struct accepts *a)
{
    struct walk w;
    uint32_t known = 0;
    bool yes = false, waited = false;
    struct span call = {.t0 = NO_TIME}; /* the last one, until it is known what came of it */
    int64_t left = NO_TIME, limited = 0;
    a->first = NO_TIME;
    walk_g(&w, c->tr, a->g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        a->last = s->t1;
        if (s->state == ST_NONE) { /* what it was about is not known */
            waited = false;
            left = call.t0 = NO_TIME;
            limited = 0;
        }
        if (s->state != ST_SYSCALL && s->state != ST_WAITING) {
            continue;
        }
        const bool at = accepts_at(c, s->stack, &known, &yes), in_vain = at && s->state == ST_WAITING;
        if (call.t0 != NO_TIME && !in_vain) {
            a->taken++;
            if (!waited && left != NO_TIME) {
                came_back(a, left, call.t0, limited);
            }
            left = call.t1;
            limited = 0;
        }
        waited = in_vain || (waited && call.t0 == NO_TIME);
        call.t0 = NO_TIME;
        if (at && !in_vain) {
            call = *s;
            a->stack = s->stack;
            a->first = a->first == NO_TIME ? s->t0 : a->first;
        } else if (!at && s->state == ST_WAITING) {
            const enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
            const bool limit = wait_passes_on(k);
            limited += limit ? s->t1 - s->t0 : 0;
            if (limit && s->t1 - s->t0 > a->limit_longest) {
                a->limit_longest = s->t1 - s->t0;
                a->limit = s->stack;
            }
        }
    }
    a->until = walk_until(&w);
}

static void accept_finding(struct causes *c, const struct accepts *a)
{
    struct explain_tree t;
    struct leaves v = {0};
    struct draft d;
    bool ok = explain_tree_init(&t, c->tr);
    for (uint32_t i = 0; ok && i < a->n; i++) {
        ok = explain_add(c->x, &t, a->g, a->from[i], a->to[i]);
    }
    if (ok) {
        causes_leaves(&t, &v);
    }
    c->rs->failed |= !ok;
    explain_tree_free(&t);
    draft_start(&d, RULE_ACCEPT,
                a->away / 2); /* one that comes while it is away waits for half of that, on average */
    d.f.won_hi = a->away;
    const uint32_t place = causes_place(c->tr, a->stack);
    draft_about(&d, c->rs, place ? place : trace_g_name(c->tr, a->g), v.n && v.v[0].stack ? v.v[0].stack : a->stack);
    draft_at(&d, a->longest_t0, a->longest_t1, LANE_G, a->g);
    d.f.inferred = true;
    text_add(&d.amount, "%llu late", (unsigned long long)a->ready);
    text_say(&d.text, c->tr, t_place(a->stack, 3), " accepts connections and does other work between two of them, ",
             t_dur(a->away / (int64_t)a->ready), " on average");
    text_add(&d.text, "%s", v.n ? ": " : "");
    leaves_text(&d.text, c->tr, &v, 2, 5);
    text_say(&d.text, c->tr, ". When it came back, ", a->ready, " of ", a->taken,
             " connections were already waiting (inferred): ", t_who(a->g), " was away for ",
             t_share((double)a->away, (double)(a->last - a->first)), " of the time.");
    causes_counted(&d.text, 1, 1, a->until);
    text_lit(&d.next, "Start the connection's goroutine right after Accept and do this work there: one slow client "
                      "holds up all that come after it.");
    draft_end(c->rs, &d);
}

/* A limit may be meant; that it is reached all the time while processors idle is worth a look. */
static void limit_finding(struct causes *c, const struct accepts *a)
{
    struct draft d;
    draft_start(&d, RULE_ACCEPT, a->away / 2);
    d.f.won_hi = a->away;
    draft_about(&d, c->rs, causes_place(c->tr, a->limit), a->limit);
    draft_at(&d, a->longest_t0, a->longest_t1, LANE_G, a->g);
    d.f.note = d.f.inferred = true;
    text_add(&d.amount, "%llu late", (unsigned long long)a->ready);
    text_say(&d.text, c->tr, t_place(a->limit, 3), " waits between two connections until another one is closed, ",
             t_dur(a->away / (int64_t)a->ready), " on average, ",
             t_share((double)a->away, (double)(a->last - a->first)),
             " of the time: a limit on open connections. When it came back, ", a->ready, " of ", a->taken,
             " connections were already waiting (inferred); ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors were idle.");
    causes_counted(&d.text, 1, 1, a->until);
    text_lit(&d.next,
             "Raise the limit, if what connections need has room for more; or close those sooner that do nothing "
             "(the server's IdleTimeout).");
    draft_titled(c->rs, &d, "connections wait for a limit");
}

static bool has_lane(const uint32_t *v, uint32_t n, uint32_t g)
{
    for (uint32_t i = 0; i < n; i++) {
        if (v[i] == g) {
            return true;
        }
    }
    return false;
}

void rules_accept(struct causes *c)
{
    uint32_t v[MOST], n = 0, known = 0;
    bool yes = false;
    for (uint32_t i = 0; i < c->tg->nsyscalls && n < MOST; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        const uint32_t g = r->longest.g;
        if ((double)r->count >= threshold(TH_ACCEPT_COUNT) && g < c->tg->ng &&
            accepts_at(c, r->stack, &known, &yes) && !has_lane(v, n, g)) {
            v[n++] = g;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        struct accepts a = {.g = v[i]};
        accepts_of(c, &a);
        if ((double)a.ready < threshold(TH_ACCEPT_COUNT) ||
            (double)a.ready < threshold(TH_ACCEPT_READY) * (double)a.taken ||
            a.away / (int64_t)a.ready < threshold_ns(TH_ACCEPT_AWAY) ||
            !threshold_reached(TH_ACCEPT_TIME, a.away, c->tg->end)) {
            continue;
        }
        if (a.limited * 2 <= a.away) {
            accept_finding(c, &a);
        } else if (a.limited * 5 >= a.away * 4 && causes_place(c->tr, a.limit) &&
                   c->idle >= threshold(TH_OWN_IDLE) * c->procs) {
            limit_finding(c, &a);
        }
    }
}
