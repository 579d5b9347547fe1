/*
 * rules_looks.c - who looks whether something has come, pauses, and looks again: what it waits for is taken at the
 * next look only.
 *
 * A loop that looks is a function of the program in which a timer is waited for, and which calls, before the pause
 * and behind it, what a trace records: a question over the network, a system call. Once it has come, the goroutine
 * goes on outside of that function. When it came no trace tells, so what is told is a note: within the last pause, at
 * a moment that nobody waited for.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define PLACES 8
#define WALKED 32   /* goroutines of a group */
#define STEPS 8000  /* spans of each */
#define PAUSES 1024 /* of which the lengths are kept */
#define SEEN 64     /* stacks that are known to be in the loop, or not */

struct looks {
    const struct causes *c;
    uint32_t place;
    uint32_t looked; /* goroutines */
    int64_t until;
    uint64_t pauses, between; /* between: of these with a look on both sides */
    uint64_t rounds, first;   /* times that it went on elsewhere; behind the first pause */
    int64_t last, life;       /* time in the last pauses of these; all lives looked at */
    int64_t ns[PAUSES];
    uint32_t n;
    struct {
        uint32_t stack;
        bool in;
    } seen[SEEN];
};

/* Is that stack in the loop, or in what it calls? */
static bool in_loop(struct looks *k, uint32_t stack)
{
    const uint32_t i = stack % SEEN;
    if (k->seen[i].stack != stack) {
        k->seen[i].stack = stack;
        k->seen[i].in = stacks_passes(k->c->tr, stack, k->place);
    }
    return k->seen[i].in;
}

struct round { /* of one goroutine: since it came to the loop */
    uint32_t pauses;
    int64_t pause;
    bool looked, open; /* since the last pause; that pause had a look before it */
};

static void pause_of(struct looks *k, struct round *r, int64_t ns)
{
    k->pauses++;
    if (k->n < PAUSES) {
        k->ns[k->n++] = ns;
    }
    *r = (struct round){.pauses = r->pauses + 1, .pause = ns, .open = r->looked};
}

static void went_on(struct looks *k, struct round *r)
{
    if (r->pauses && r->looked) {
        k->rounds++;
        k->first += r->pauses == 1;
        k->last = ns_add(k->last, r->pause);
    }
    *r = (struct round){0};
}

static void look_at(struct looks *k, uint32_t g)
{
    const struct trace *tr = k->c->tr;
    struct round r = {0};
    struct walk w;
    struct span at = {0}; /* a wait in the loop */
    walk_g(&w, tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        const enum wait_kind kind = at.state == ST_WAITING ? stacks_wait_kind(tr, at.reason, at.stack) : WK_NET;
        const bool timed =
            s->state == ST_RUNNABLE && s->who == NO_LANE && kind != WK_NET && causes_place(tr, at.stack) == k->place;
        if (timed) {
            pause_of(k, &r, at.t1 - at.t0);
        }
        at.state = ST_NONE;
        if (s->state == ST_NONE) {
            r = (struct round){0};
        }
        if ((s->state != ST_WAITING && s->state != ST_SYSCALL) || !s->stack) {
            continue;
        }
        if (!in_loop(k, s->stack)) {
            went_on(k, &r);
        } else if (s->state == ST_WAITING && causes_place(tr, s->stack) == k->place) {
            at = *s;
        } else if (!r.looked) {
            r.looked = true;
            k->between += r.open;
        }
    }
    k->until = causes_until(k->until, walk_until(&w));
}

/* How many of the pauses are about as long as most of them, as a share. */
static double alike(struct looks *k, int64_t *usual)
{
    uint32_t near = 0;
    qsort(k->ns, k->n, sizeof *k->ns, cmp_ns);
    *usual = k->ns[k->n / 2];
    for (uint32_t i = 0; i < k->n; i++) {
        near += ns_mul(k->ns[i], 4) >= ns_mul(*usual, 3) && ns_mul(k->ns[i], 4) <= ns_mul(*usual, 5);
    }
    return (double)near / (double)k->n;
}

static void finding(const struct looks *k, const struct waits_at *p, int64_t usual, double share)
{
    const struct causes *c = k->c;
    const uint32_t group = causes_group(c, p->most->waiter);
    const double last = (double)k->last / (double)k->life;
    struct draft d;
    draft_start(&d, RULE_POLL, 0);
    d.f.note = true;
    d.f.looks = true;
    d.f.inferred = true;
    d.f.won_hi = (int64_t)(last * (double)c->tg->end);
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    text_share(&d.amount, share, 1);
    waits_at_text(&d.text, c, p);
    text_say(&d.text, c->tr, " checks, pauses for ", t_dur(usual), " and checks again: ", k->pauses, " pauses, ",
             t_share(share, 1), " of the lives of goroutines of ", t_func(p->most->waiter), ". ", k->rounds,
             " times it moved on after a check, ", k->first,
             " of them after the first pause: what it waits for had come during the last pause (inferred). ",
             t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    causes_counted(&d.text, k->looked, c->of[group].n, k->until);
    text_lit(&d.next, "Let the producer signal when it is ready: a delayed answer, a channel, a notification. "
                      "Otherwise check sooner, with pauses that start short and grow: on average half of the last "
                      "pause is lost, and nearly all of it if everything is ready by the first check.");
    draft_titled(c->rs, &d, "polls, with pauses in between");
}

static void looks_at(struct causes *c, const struct waits_at *p, double share)
{
    const uint32_t group = causes_group(c, p->most->waiter), n = c->of[group].n < WALKED ? c->of[group].n : WALKED;
    struct looks *k = mem_zalloc(sizeof *k);
    int64_t usual;
    if (!k) {
        c->rs->failed = true;
        return;
    }
    k->c = c;
    k->place = p->place;
    for (k->looked = 0; k->looked < n; k->looked++) {
        const uint32_t g = causes_member(c, group, k->looked, WALKED);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        k->life = ns_add(k->life, li.last - li.first);
        look_at(k, g);
    }
    if ((double)k->rounds >= threshold(TH_POLL_SLEEPS) &&
        threshold_reached(TH_POLL_LOOKS, (int64_t)k->between, (int64_t)k->pauses) &&
        alike(k, &usual) >= threshold(TH_POLL_ALIKE) && threshold_reached(TH_POLL_LIFE, k->last, k->life)) {
        finding(k, p, usual, share);
    }
    mem_free(k);
}

void rules_looks(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = c->idle >= causes_idle_least(c) ? waits_at_rows(c, v, PLACES, PAIRS_ASKED, waits_timed) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t g = causes_group(c, v[i].most->waiter);
        const double share = g != UINT32_MAX && c->life[g].program ? waits_at_share(c, &v[i]) : 0;
        if (share >= threshold(TH_POLL_LIFE) && (double)v[i].count >= threshold(TH_POLL_SLEEPS) &&
            v[i].place != v[i].most->waiter) {
            looks_at(c, &v[i], share < 1 ? share : 1);
        }
    }
}
