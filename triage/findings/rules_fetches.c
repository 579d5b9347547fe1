/*
 * rules_fetches.c - one goroutine that asks over the network, works on the answer, and only then asks for the next: while it works nothing
 * is asked for, while it waits nothing is worked on. A note, since the next question may depend on that work.
 *
 * What both would take side by side is known for each turn: the shorter of the work and the wait behind it goes.
 */
#include "triage/findings/asks.h"
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define STEPS 20000 /* spans looked at */

struct turns {
    uint32_t g, stack;
    uint64_t answers;
    int64_t waited, ran, other; /* other: waits for something else, and sleep */
    int64_t both;               /* what would go side by side */
    int64_t longest, t0, t1;    /* of the waits */
};

static void answer(struct turns *v, const struct span *s, int64_t piece)
{
    const int64_t ns = s->t1 - s->t0;
    v->both = ns_add(v->both, !v->answers ? 0 : piece < ns ? piece : ns);
    v->waited = ns_add(v->waited, ns);
    v->answers++;
    if (ns > v->longest) {
        v->longest = ns;
        v->stack = s->stack;
        v->t0 = s->t0;
        v->t1 = s->t1;
    }
}

/* Of its life as far as it is looked at. */
static struct turns turns_of(const struct causes *c, uint32_t g)
{
    struct turns v = {.g = g};
    struct walk w;
    int64_t piece = 0; /* run since the last answer */
    bool asked = false;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        const int64_t ns = s->t1 - s->t0;
        if (s->state == ST_SYSCALL) {
            asked = asked || (s->stack && causes_sends(c->tr, s->stack));
        }
        if (s->state == ST_RUNNING || s->state == ST_SYSCALL || s->state == ST_ASSIST) {
            piece = ns_add(piece, ns);
            v.ran = ns_add(v.ran, ns);
        } else if (s->state == ST_NONE) { /* not looked at */
            asked = false;
            piece = 0;
        } else if (s->state == ST_WAITING) {
            const enum wait_kind kind = stacks_wait_kind(c->tr, s->reason, s->stack);
            const bool net = kind == WK_NET && asked && !causes_writes(c->tr, s->stack);
            if (net || calls_over_http(c, kind, s)) {
                answer(&v, s, piece);
                asked = false;
                piece = 0;
            } else {
                v.other = ns_add(v.other, ns);
            }
        }
    }
    v.both = (int64_t)((double)v.both * walk_times(&w));
    return v;
}

static void finding(struct causes *c, const struct turns *v)
{
    const int64_t n = (int64_t)v->answers;
    struct draft d;
    draft_start(&d, RULE_PHASES, v->both);
    d.f.note = true;
    d.f.won_hi = v->both;
    draft_about(&d, c->rs, causes_place(c->tr, v->stack), v->stack);
    draft_at(&d, v->t0, v->t1, LANE_G, v->g);
    text_add(&d.amount, "%llu turns", (unsigned long long)v->answers);
    text_say(&d.text, c->tr, t_place(v->stack, 4), ": ", t_who(v->g),
             " asks over the network and works by turns: it waits for ", v->answers, " answers, ",
             t_dur(v->waited / n), " each on average, and runs for ", t_dur(v->ran / n),
             " before it asks again; while it works it asks for nothing.");
    text_lit(&d.next, "Unless the next question depends on that work: ask for the next while working on the last "
                      "(a second goroutine that fetches ahead, over a channel with room for one or two).");
    draft_titled(c->rs, &d, "asks and works by turns");
}

/* The main goroutine alone: as long as it is there nothing else goes on. */
void rules_fetches(struct causes *c)
{
    const uint32_t g = trace_find_lane(c->tr, LANE_G, 1);
    if (g == NO_LANE || g >= c->tg->ng || calls_accept(c) || rule_is_off(RULE_PHASES) ||
        c->idle < causes_idle_least(c)) {
        return;
    }
    const struct turns v = turns_of(c, g);
    const int64_t all = ns_add(ns_add(v.waited, v.ran), v.other);
    const uint32_t place = v.stack ? causes_place(c->tr, v.stack) : 0;
    if (place && (double)v.answers >= threshold(TH_PHASES_FETCHES) &&
        threshold_reached(TH_PHASES_FETCHED, v.both, c->tg->end) &&
        !threshold_reached(TH_PHASES_APART, v.other, all) && !causes_told_at(c, RULE_SERIAL_CALLS, place) &&
        !causes_told_at(c, RULE_PHASES, place)) {
        finding(c, &v);
    }
}
