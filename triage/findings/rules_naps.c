/*
 * rules_naps.c - rows of short sleeps at one place, as often as it takes, with nothing between them that shows, and then it goes on: whoever
 * does that looks again and again whether it may (TryLock, a flag). A pause that is meant takes the same number each time.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#define MEMBERS 16  /* goroutines of a group that are looked at */
#define STEPS 20000 /* spans of each */
#define ROWS 1024   /* whose lengths are kept */
#define NAP 5000000 /* ns: longer sleeps are no looking */
#define LOOK 50000  /* ns of running between two of a row, at most: more is work */

struct naps {
    const struct pair_row *p;
    uint32_t place, group, sleepers; /* sleepers: of those looked at */
    uint32_t length[ROWS], n;        /* sleeps of each row */
    uint64_t sleeps;
    int64_t slept, life; /* of those looked at */
};

/* It went on, if what it does next is outside of the function in which it slept: there the row may be part of a longer one. */
static void row_ends(const struct causes *c, struct naps *k, const struct span *s, uint32_t *length)
{
    if (*length && k->n < ROWS && s->stack && !stacks_passes(c->tr, s->stack, k->place)) {
        k->length[k->n++] = *length;
        k->sleeps += *length;
    }
    *length = 0;
}

/* What makes no row end: it waits for the collector, or for a lock in passing. */
static bool in_passing(const struct causes *c, const struct span *s, enum wait_kind kind)
{
    return kind == WK_GC || kind == WK_LOCK || stacks_for_collector(c->tr, kind, s->stack);
}

static void walk(const struct causes *c, struct naps *k, uint32_t g)
{
    const uint32_t before = k->n;
    uint32_t length = 0;
    int64_t ran = 0;
    bool worked = false; /* since its last sleep there, for longer than a look takes */
    struct walk w;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        const int64_t ns = s->t1 - s->t0;
        const bool waits = s->state == ST_WAITING;
        const enum wait_kind kind = waits ? stacks_wait_kind(c->tr, s->reason, s->stack) : WK_OTHER;
        k->life = ns_add(k->life, ns);
        ran = s->state == ST_RUNNING ? ran + ns : ran;
        worked |= ran > LOOK;
        if (kind == WK_SLEEP && causes_place(c->tr, s->stack) == k->place) {
            length = worked ? 1 : length + 1; /* it works between two sleeps: no row */
            k->slept = ns_add(k->slept, ns);
            ran = 0;
            worked = false;
        } else if (s->state == ST_NONE) {
            length = 0; /* cut off: nobody knows how long the row is */
        } else if ((waits && !in_passing(c, s, kind)) || s->state == ST_SYSCALL) {
            row_ends(c, k, s, &length);
        }
    }
    k->sleepers += k->n > before; /* the last row may not be over */
}

static int cmp_length(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Are there rows enough, and are they long, as long as it takes? */
static bool polls(struct naps *k)
{
    qsort(k->length, k->n, sizeof *k->length, cmp_length);
    return k->sleepers >= 2 && (double)k->n >= 2 * threshold(TH_POLL_SLEEPS) && k->sleeps >= (uint64_t)k->n * 4 &&
           k->length[k->n / 4] * 2 <= k->length[k->n - 1 - k->n / 4] &&
           threshold_reached(TH_POLL_LIFE, k->slept, k->life);
}

static void finding(struct causes *c, const struct naps *k)
{
    const struct pair_row *p = k->p;
    struct draft d;
    draft_start(&d, RULE_POLL, 0);
    d.f.note = d.f.inferred = d.f.looks = true;
    d.f.won_hi = (int64_t)((double)k->slept / (double)k->life * (double)c->tg->end);
    draft_about(&d, c->rs, k->place, p->stack);
    draft_moment(&d, &p->longest);
    text_share(&d.amount, (double)k->slept, (double)k->life);
    text_say(&d.text, c->tr, t_place(p->stack, 3), ": goroutines of ", t_func(p->waiter), " sleep there for ",
             t_share((double)k->slept, (double)k->life), " of their lives, ", t_dur(p->total / (int64_t)p->count),
             " each time, ", t_f1((double)k->sleeps / (double)k->n), " times in a row on average (");
    text_say(&d.text, c->tr, (uint64_t)k->length[k->n / 4], " or fewer in a quarter of the rows, ",
             (uint64_t)k->length[k->n - 1 - k->n / 4],
             " or more in another), with next to nothing in between, and then go on: they look again and again "
             "whether they may (inferred).");
    text_lit(&d.next, "Wait for the event itself: Lock instead of TryLock, a channel, a condition. And look at what "
                      "they wait for: whoever has it meanwhile, or brings it, makes these rows as long as they are.");
    draft_titled(c->rs, &d, "polls in short sleeps");
}

void rules_naps(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool naps =
            p->from_scheduler && p->kind == WK_SLEEP && p->count > 0 && p->total / (int64_t)p->count < NAP;
        struct naps k = {.p = p, .group = naps ? causes_group(c, p->waiter) : UINT32_MAX};
        if (k.group == UINT32_MAX || !c->life[k.group].program || c->of[k.group].n < 2) {
            continue;
        }
        k.place = causes_place(c->tr, p->stack);
        if (!k.place || causes_told_at(c, RULE_POLL, k.place) ||
            !threshold_reached(TH_POLL_LIFE, p->total, c->life[k.group].life)) {
            continue;
        }
        for (uint32_t m = 0; m < c->of[k.group].n && m < MEMBERS; m++) {
            walk(c, &k, causes_member(c, k.group, m, MEMBERS));
        }
        if (polls(&k)) {
            finding(c, &k);
        }
    }
}
