/*
 * rules_hold.c - hold and wait: all goroutines that share something wait for it at one moment. Nobody else has any,
 * so those that wait hold what the others of them wait for, and it goes on only once the time of one is up, or never.
 *
 * What is shared is told by who gives back: waits that are ended by others of the same start function. Who waits for
 * more work holds nothing; all others of that function must wait there, or somebody at work may be the holder.
 */
#include "triage/findings/causes.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define GROUPS 4
#define MEMBERS 1024 /* goroutines of a group */
#define STEPS 100000 /* spans of all of them */
#define PLACES 8     /* where they wait for it */
#define LINE 64      /* of those that wait at a moment, looked at in their order */

enum turn {
    TURN_COMES,
    TURN_GOES,
    TURN_RESTS,
    TURN_WORKS,
    TURN_WAITS,
    TURN_GETS,
    TURN_GIVES_UP,
    TURN_AT_END
}; /* the begin and end of a life, a rest, a wait */

struct step {
    int64_t t;
    uint8_t turn, place;
    uint32_t g, stack;
};
struct hold {
    struct causes *c;
    uint32_t group;
    struct {
        uint32_t place, stack, up_stack;
        int64_t up_longest;
        uint64_t up; /* times all stood until the time of one there was up */
    } at[PLACES];
    uint32_t n;
    uint64_t own, outside; /* waits ended by their own kind; by others of the program */
    struct step *v;
    size_t nv, cap;
    uint64_t left;
    /* told */
    uint64_t times, most, freed; /* freed: times behind which one of them got some before all stood again */
    uint64_t chosen,
        passed; /* that one got some while others waited there; that some of these had waited for longer */
    bool up;    /* one gave up while all stood, and none has got any since */
    int64_t ns, longest, t0, t1;
    bool for_good;
};

struct line { /* those that wait, in the order in which they began to */
    struct {
        uint32_t g;
        uint8_t place;
    } v[LINE];
    uint32_t n;
};

static bool by_limit(const struct causes *c, const struct span *next)
{
    return next->who == NO_LANE ||
           str_starts(trace_str(c->tr, trace_g_name(c->tr, next->who)), "context.WithDeadline");
}

static void place_of(struct hold *h, const struct pair_row *p)
{
    const uint32_t place = causes_place(h->c->tr, p->stack);
    uint32_t i = 0;
    while (i < h->n && h->at[i].place != place) {
        i++;
    }
    if (i == h->n && i < PLACES && place) {
        h->at[i].place = place;
        h->at[h->n++].stack = p->stack;
    }
}

/*
 * Where goroutines of the group wait for what others of them give back. false: it is others that give, or hardly any.
 */
static bool places_of(struct hold *h)
{
    const struct causes *c = h->c;
    const uint32_t name = c->tg->groups[h->group].name;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->waiter == name && wait_passes_on(p->kind) && !p->from_scheduler && p->waker == name &&
            !instance_wants_more(c->tr, name, p->reason, p->stack)) {
            place_of(h, p);
            h->own += p->count;
        }
    }
    for (uint32_t i = 0; i < c->tg->npairs && h->n; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t place = p->waiter == name && wait_passes_on(p->kind) ? causes_place(c->tr, p->stack) : 0;
        for (uint32_t k = 0; k < h->n; k++) {
            if (h->at[k].place == place && !p->from_scheduler && p->waker != name) {
                h->outside += stacks_is_program(c->tr, p->waker) ? p->count : 0;
            }
        }
    }
    return (double)h->own >= threshold(TH_HOLD_GIVEN) &&
           (double)h->outside <= threshold(TH_HOLD_OUTSIDE) * (double)h->own;
}

static bool step_add(struct hold *h, int64_t t, enum turn turn, uint32_t place, uint32_t g, uint32_t stack)
{
    struct step *v = mem_grow(h->v, &h->cap, h->nv + 1, sizeof *v);
    if (!v) {
        h->c->rs->failed = true;
        return false;
    }
    h->v = v;
    h->v[h->nv++] = (struct step){t, (uint8_t)turn, (uint8_t)place, g, stack};
    return true;
}

static uint32_t at_place(const struct hold *h, const struct span *s)
{
    const uint32_t place =
        wait_passes_on(stacks_wait_kind(h->c->tr, s->reason, s->stack)) ? causes_place(h->c->tr, s->stack) : 0;
    uint32_t i = 0;
    while (i < h->n && h->at[i].place != place) {
        i++;
    }
    return i;
}

static bool life_of_one(struct hold *h, uint32_t g)
{
    const struct causes *c = h->c;
    const uint32_t name = c->tg->groups[h->group].name;
    struct span_iter it;
    struct lifetime l;
    trace_lives(c->tr, LANE_G, g, 1, &l);
    bool ok =
        l.begun && step_add(h, l.first, TURN_COMES, 0, g, 0) && (!l.over || step_add(h, l.last, TURN_GOES, 0, g, 0));
    bool more = ok && span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0);
    while (more && ok && h->left) {
        const struct span s = *span_get(&it);
        h->left--;
        more = span_next(&it);
        if (s.state != ST_WAITING) {
            continue;
        }
        const uint32_t at = at_place(h, &s);
        if (at < h->n) {
            const enum turn end = !more ? TURN_AT_END : by_limit(c, span_get(&it)) ? TURN_GIVES_UP : TURN_GETS;
            ok = step_add(h, s.t0, TURN_WAITS, at, g, s.stack) && step_add(h, s.t1, end, at, g, s.stack);
        } else if (instance_wants_more(c->tr, name, s.reason, s.stack)) {
            ok = step_add(h, s.t0, TURN_RESTS, 0, g, 0) && (!more || step_add(h, s.t1, TURN_WORKS, 0, g, 0));
        }
    }
    return ok;
}

static int cmp_step(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return x->t != y->t         ? (x->t > y->t) - (x->t < y->t)
           : x->turn != y->turn ? (x->turn > y->turn) - (x->turn < y->turn)
                                : (x->g > y->g) - (x->g < y->g);
}

/* All waited from since on, `waiting` of them, until this step. */
static void stood(struct hold *h, int64_t since, uint32_t waiting, const struct step *s)
{
    const int64_t ns = s->t - since;
    if (s->turn != TURN_GIVES_UP && s->turn != TURN_AT_END) {
        return; /* one got some: it was on its way */
    }
    h->times++;
    h->ns = ns_add(h->ns, ns);
    h->most = waiting > h->most ? waiting : h->most;
    h->for_good |= s->turn == TURN_AT_END;
    h->up = true;
    h->at[s->place].up++;
    if (ns > h->at[s->place].up_longest) {
        h->at[s->place].up_longest = ns;
        h->at[s->place].up_stack = s->stack;
    }
    if (ns > h->longest) {
        h->longest = ns;
        h->t0 = since;
        h->t1 = s->t;
    }
}

/*
 * What is given back goes to who has waited for it longest. Where others are passed over, each waits for something of
 * its own: a letter, not one of a set.
 */
static void in_line(struct hold *h, struct line *l, const struct step *s)
{
    if (s->turn == TURN_WAITS && l->n < LINE) {
        l->v[l->n].g = s->g;
        l->v[l->n++].place = s->place;
        return;
    }
    if (s->turn != TURN_GETS && s->turn != TURN_GIVES_UP) {
        return;
    }
    uint32_t at = 0, before = 0, behind = 0;
    while (at < l->n && l->v[at].g != s->g) {
        before += l->v[at].place == s->place;
        at++;
    }
    for (uint32_t i = at + 1; i < l->n; i++) {
        behind += l->v[i].place == s->place;
    }
    const bool got = at < l->n && s->turn == TURN_GETS && before + behind > 0;
    h->chosen += got;
    h->passed += got && before > 0;
    for (; at + 1 < l->n; at++) {
        l->v[at] = l->v[at + 1];
    }
    l->n -= l->n > 0 && at < l->n;
}

static void sweep(struct hold *h)
{
    struct line line = {.n = 0};
    int64_t busy = 0, waiting = 0, since = -1;
    qsort(h->v, h->nv, sizeof h->v[0], cmp_step);
    for (size_t i = 0; i < h->nv; i++) {
        const struct step *s = &h->v[i];
        const bool end = s->turn == TURN_GETS || s->turn == TURN_GIVES_UP || s->turn == TURN_AT_END;
        if (end && since >= 0) {
            stood(h, since, (uint32_t)waiting, s);
        }
        if (s->turn == TURN_AT_END) {
            return;
        }
        in_line(h, &line, s);
        h->freed += h->up && s->turn == TURN_GETS;
        h->up &= s->turn != TURN_GETS;
        busy += s->turn == TURN_COMES || s->turn == TURN_WORKS || end;
        busy -= s->turn == TURN_GOES || s->turn == TURN_RESTS || s->turn == TURN_WAITS;
        waiting += (s->turn == TURN_WAITS) - end;
        since = busy == 0 && waiting >= 2 ? (since >= 0 && !end ? since : s->t) : -1;
    }
}

/* Begins a finding about where most of those gave up, and says which of the places that is. */
static uint32_t draft_here(struct draft *d, const struct hold *h, enum rule rule)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < h->n; i++) {
        best = h->at[i].up > h->at[best].up ? i : best;
    }
    draft_start(d, rule, h->ns);
    draft_about(d, h->c->rs, h->at[best].place, h->at[best].up_stack ? h->at[best].up_stack : h->at[best].stack);
    draft_at(d, h->t0, h->t1, LANE_G, causes_nth(h->c, h->group, 0));
    d->f.inferred = true;
    return best;
}

static void hold_finding(struct hold *h)
{
    const struct causes *c = h->c;
    struct draft d;
    const uint32_t best = draft_here(&d, h, RULE_HOLD);
    text_share(&d.amount, (double)h->ns, (double)c->tg->end);
    text_say(&d.text, c->tr, t_place(d.f.stack, 3),
             " waits for one more of what the waiters hold themselves (inferred): ");
    if (h->for_good && h->times == 1) {
        text_say(&d.text, c->tr, "all ", h->most, " goroutines of ", t_func(c->tg->groups[h->group].name),
                 " wait at the end for what only they can release, for ", t_dur(h->ns),
                 " so far, and will not continue.");
    } else {
        text_say(&d.text, c->tr, h->times, " times all goroutines of ", t_func(c->tg->groups[h->group].name),
                 " that are not at rest, up to ", h->most,
                 ", wait at the same moment for what only they can release, until one of them times out; that is ",
                 t_dur(h->ns), ", ", t_share((double)h->ns, (double)c->tg->end), " of the trace.");
    }
    for (uint32_t i = 0, n = 0; i < h->n; i++) {
        if (i != best) {
            text_say(&d.text, c->tr, n++ ? ", " : " Others of them wait in ", t_func(h->at[i].place));
        }
    }
    text_raw(&d.text, ".", h->n > 1 ? 1 : 0);
    text_lit(&d.next, "A goroutine that already has one should use it (in a transaction, the transaction's "
                      "connection), or release it before it waits for another. A larger pool only makes this rarer; "
                      "a longer timeout makes each stall longer.");
    draft_end(c->rs, &d);
}

/* Nobody can hold any while all wait, and who gave up lets nobody in: there are none left. */
static void lost_finding(struct hold *h)
{
    const struct causes *c = h->c;
    struct draft d;
    draft_here(&d, h, RULE_SLOTS);
    text_add(&d.amount, "%llu times", (unsigned long long)h->times);
    text_say(&d.text, c->tr, t_place(d.f.stack, 3),
             " waits for what others release, and nobody has any left (inferred): ", h->times,
             " times all goroutines of ", t_func(c->tg->groups[h->group].name), " that are not at rest, up to ",
             h->most, ", wait at the same moment, until one of them times out");
    if (h->freed) {
        text_say(&d.text, c->tr, "; only ", h->freed, " times did another one get some after that");
    } else {
        text_lit(&d.text, ", and none gets any after that");
    }
    text_say(&d.text, c->tr, ". It is ", t_dur(h->ns), ", ", t_share((double)h->ns, (double)c->tg->end),
             " of the trace. ", h->own, " other waits there ended because one of them released some.");
    text_lit(&d.next,
             "Find out where it is taken and not given back: on an error, at an early return, in a panic. Give "
             "it back with defer, right after taking it.");
    draft_end(c->rs, &d);
}

static void of_group(struct causes *c, uint32_t group)
{
    struct hold h = {.c = c, .group = group, .left = STEPS};
    if (!places_of(&h)) {
        return;
    }
    bool ok = true;
    for (uint32_t i = 0; i < c->of[group].n && ok; i++) {
        ok = life_of_one(&h, causes_nth(c, group, i));
    }
    if (ok && h.left) {
        sweep(&h);
    }
    mem_free(h.v);
    const bool again = (double)h.times >= threshold(TH_HOLD_TIMES);
    if (!ok || !h.left || !threshold_reached(TH_HOLD_SHARE, h.ns, c->tg->end) || (!again && !h.for_good) ||
        (double)(h.chosen - h.passed) < threshold(TH_OWN_IN_ORDER) * (double)h.chosen) {
        return;
    }
    /* who holds some and gives up lets others in */
    if (h.for_good || threshold_reached(TH_HOLD_FREED, (int64_t)h.freed, (int64_t)h.times)) {
        hold_finding(&h);
    } else {
        lost_finding(&h);
    }
}

void rules_hold(struct causes *c)
{
    uint32_t looked[GROUPS], n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && n < GROUPS; i++) { /* largest first */
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t g =
            !p->from_scheduler && p->waker == p->waiter && wait_passes_on(p->kind) && causes_place(c->tr, p->stack)
                ? causes_group(c, p->waiter)
                : UINT32_MAX;
        bool seen = g == UINT32_MAX || c->of[g].n > MEMBERS || c->of[g].n < 2;
        for (uint32_t k = 0; k < n; k++) {
            seen |= looked[k] == g;
        }
        if (!seen) {
            looked[n++] = g;
            of_group(c, g);
        }
    }
}
