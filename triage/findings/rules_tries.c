/*
 * rules_tries.c - calls that are repeated behind a pause that does not grow: some of what is asked at one place over
 * the network is followed by a pause and asked again, all else there by the next question at once. Pauses that grow:
 * rules_timers.c.
 *
 * Who pauses behind each call, or behind each tenth, keeps a pace. Whether a call failed or had nothing no trace
 * tells.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define PLACES 8
#define WALKED 32   /* goroutines of a group */
#define STEPS 8000  /* spans of each */
#define PAUSES 1024 /* of which the lengths are kept */
#define COUNTS 32   /* so many calls between two pauses, told apart */
#define AROUND 4    /* functions from the pause on outwards, one of which calls again */

struct tries {
    const struct causes *c;
    uint32_t place, loop;        /* loop: is around the pause and around what is asked */
    uint64_t pauses, between;    /* between: with a call at one line before and after it */
    uint64_t asks, straight;     /* straight: with no pause before and none behind it */
    uint64_t gaps[COUNTS], ngap; /* between two pauses: so many calls there */
    int64_t ns[PAUSES], slept, asked;
    uint32_t n, looked;
    int64_t until;
};
struct one {                /* of one goroutine: since its last pause */
    uint32_t before, after; /* where it asked last before it, and first behind it */
    uint64_t asks;          /* there */
    bool paused;
};

static void one_pause(struct tries *k, struct one *o, int64_t ns)
{
    k->pauses++;
    k->slept = ns_add(k->slept, ns);
    if (k->n < PAUSES) {
        k->ns[k->n++] = ns;
    }
    if (o->paused && o->after) {
        k->gaps[o->asks < COUNTS ? o->asks : COUNTS - 1]++;
        k->ngap++;
        k->straight += o->asks > 2 ? o->asks - 2 : 0;
    }
    *o = (struct one){.before = o->after ? o->after : o->before, .paused = true};
}

static void one_ask(struct tries *k, struct one *o, const struct span *s)
{
    if (!o->after) {
        o->after = s->stack;
        k->between += o->paused && o->before == s->stack;
    }
    if (s->stack == o->after) {
        o->asks++;
        k->asks++;
        k->asked = ns_add(k->asked, s->t1 - s->t0);
    }
}

/*
 * Is that wait, ended by `who`, one for an answer? net/http's client waits twice for each, first until the question
 * is sent.
 */
static bool for_answer(const struct causes *c, const struct span *s, enum wait_kind kind, uint32_t who)
{
    static const char reader[] = "net/http.(*persistConn).readLoop";
    if (calls_over_http(c, kind, s)) {
        return who < c->tg->ng && str_is(trace_str(c->tr, trace_g_name(c->tr, who)), reader);
    }
    return kind == WK_NET && !calls_reading_on(c->tr, s->stack);
}

static void look_at(struct tries *k, uint32_t g)
{
    const struct trace *tr = k->c->tr;
    struct walk w;
    struct one o = {0};
    struct span at = {.state = ST_NONE}; /* the wait before, if there is one */
    walk_g(&w, tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        if (at.state == ST_WAITING && at.stack && s->state == ST_RUNNABLE) {
            const enum wait_kind kind = stacks_wait_kind(tr, at.reason, at.stack);
            if (for_answer(k->c, &at, kind, s->who)) {
                if (stacks_passes(tr, at.stack, k->loop)) {
                    one_ask(k, &o, &at);
                }
            } else if (s->who == NO_LANE && kind != WK_NET && causes_place(tr, at.stack) == k->place) {
                one_pause(k, &o, at.t1 - at.t0);
            }
        }
        if (s->state == ST_NONE) {
            o = (struct one){0};
        }
        at = *s;
    }
    k->until = causes_until(k->until, walk_until(&w));
}

/*
 * All pauses about as long: behind each call, or each tenth, they would be a pace; here now after one call and now
 * after several.
 */
static bool repeats(struct tries *k, int64_t *usual)
{
    uint64_t most = 0;
    uint32_t near = 0;
    for (uint32_t i = 0; i < COUNTS; i++) {
        most = k->gaps[i] > most ? k->gaps[i] : most;
    }
    if (!k->n || (double)k->pauses < threshold(TH_LIMIT_WAITS) ||
        !threshold_reached(TH_RETRY_BOTH, (int64_t)k->between, (int64_t)k->pauses) ||
        (double)most > threshold(TH_RETRY_UNEVEN) * (double)k->ngap ||
        (double)k->straight < threshold(TH_RETRY_ROWS) ||
        !threshold_reached(TH_RETRY_STRAIGHT, (int64_t)k->straight, (int64_t)k->asks)) {
        return false;
    }
    qsort(k->ns, k->n, sizeof *k->ns, cmp_ns);
    *usual = k->ns[k->n / 2];
    for (uint32_t i = 0; i < k->n; i++) {
        near += ns_mul(k->ns[i], 4) >= ns_mul(*usual, 3) && ns_mul(k->ns[i], 4) <= ns_mul(*usual, 5);
    }
    return (double)near >= threshold(TH_RETRY_ALIKE) * (double)k->n;
}

static void finding(const struct tries *k, const struct waits_at *p, int64_t usual, double share)
{
    const struct causes *c = k->c;
    const uint32_t group = causes_group(c, p->most->waiter);
    const double again = k->slept > 0
                             ? share * (1 + (double)k->asked / (double)k->asks * (double)k->pauses / (double)k->slept)
                             : share;
    struct draft d;
    draft_start(&d, RULE_RETRY, 0);
    d.f.note = d.f.inferred = true;
    d.f.won_hi = (int64_t)((again < 1 ? again : 1) * (double)c->tg->end);
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    text_share(&d.amount, share, 1);
    waits_at_text(&d.text, c, p);
    text_say(&d.text, c->tr, " pauses for ", t_dur(usual), " after some of the calls over the network in ",
             t_func(k->loop), ", and then calls there again: ", k->pauses, " pauses, ", k->asks, " calls, of which ",
             k->straight,
             " at least had no pause before or after them. It repeats what failed, or had nothing for it "
             "yet, and its pauses do not depend on how often (inferred). They are ",
             t_share(share, 1), " of the lives of goroutines of ", t_func(p->most->waiter), "; ", t_f1(c->idle),
             " of ", t_f0(c->procs), " processors were idle.");
    causes_counted(&d.text, k->looked, c->of[group].n, k->until);
    text_lit(&d.next, "Find out why those calls have to be repeated: ask for less at once if the other side refuses, "
                      "or let it say when it is ready. Otherwise start with a short pause that grows with each try.");
    draft_titled(c->rs, &d, "repeated after a fixed pause");
}

static bool tell(struct causes *c, const struct waits_at *p, uint32_t loop, double share)
{
    const uint32_t group = causes_group(c, p->most->waiter), n = c->of[group].n < WALKED ? c->of[group].n : WALKED;
    struct tries *k = mem_zalloc(sizeof *k);
    int64_t usual;
    c->rs->failed |= !k;
    if (!k) {
        return true;
    }
    k->c = c;
    k->place = p->place;
    k->loop = loop;
    for (; k->looked < n; k->looked++) {
        look_at(k, causes_member(c, group, k->looked, WALKED));
    }
    const bool any = k->asks > 0, told = any && repeats(k, &usual);
    if (told) {
        finding(k, p, usual, share);
    }
    mem_free(k);
    return any; /* who is further out is around no less */
}

static void around(struct causes *c, const struct waits_at *p, double share)
{
    const uint32_t n = trace_stack(c->tr, p->most->stack);
    for (uint32_t i = 0, k = 0; i < n && k < AROUND; i++) {
        const uint32_t func = trace_frame(c->tr, p->most->stack, i).func;
        if (stacks_is_program(c->tr, func)) {
            k++;
            if (tell(c, p, func, share)) {
                return;
            }
        }
    }
}

void rules_tries(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = c->idle >= causes_idle_least(c) ? waits_at_rows(c, v, PLACES, PAIRS_ASKED, waits_timed) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t g = causes_group(c, v[i].most->waiter);
        const double share = g != UINT32_MAX && c->life[g].program ? waits_at_share(c, &v[i]) : 0;
        if (share >= threshold(TH_RETRY_LIFE) && (double)v[i].count >= threshold(TH_LIMIT_WAITS) &&
            !causes_told_at(c, RULE_POLL, v[i].place) && !causes_told_at(c, RULE_RETRY, v[i].place) &&
            timers_delay(c, v[i].place, v[i].most->waiter)) {
            around(c, &v[i], share < 1 ? share : 1);
        }
    }
}
