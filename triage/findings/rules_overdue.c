/*
 * rules_overdue.c - answers that do not come: most waits at a place are over soon, ended by those that are asked, and
 * some last until a timer of their own is up. What is asked there is lost now and then, or stuck.
 *
 * Who waits for more work with a timer beside it is no asker: its wait is in its own loop. rules_timers.c tells of
 * contexts that expire, and of who waits out a limit while others wait for it.
 */
#include "triage/findings/causes.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"

#define PLACES 16
#define SOONER 5 /* times as soon an answer comes, on average */

struct overdue {                    /* waits at a place */
    const struct waits_at *up;      /* until a timer */
    const struct pair_row *answers; /* most of the others */
    uint64_t answered;
    int64_t ns; /* of these */
};

/* Does a goroutine that waits there let those go on that end its waits? Then it asks them. */
static bool asks_them(const struct causes *c, const struct overdue *o)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool asked = p->kind == WK_RECV || p->kind == WK_SELECT || p->kind == WK_COND;
        n += asked && !p->from_scheduler && p->waiter == o->answers->waker && p->waker == o->answers->waiter
                 ? p->count
                 : 0;
    }
    return n * 4 >= o->answered;
}

static bool is_overdue(const struct causes *c, struct overdue *o)
{
    const struct pair_row *most = o->up->most;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == most->waiter && p->kind == most->kind && p->waker != p->waiter &&
            causes_place(c->tr, p->stack) == o->up->place) {
            o->answers = !o->answers || p->count > o->answers->count ? p : o->answers;
            o->answered += p->count;
            o->ns = ns_add(o->ns, p->total);
        }
    }
    return o->answers && o->answered >= 2 * o->up->count &&
           (double)o->up->total / (double)o->up->count >= SOONER * ((double)o->ns / (double)o->answered) &&
           o->up->place != most->waiter && !instance_wants_more(c->tr, most->waiter, most->reason, most->stack) &&
           asks_them(c, o);
}

static void finding(struct causes *c, const struct overdue *o, double share)
{
    const struct waits_at *k = o->up;
    struct draft d;
    draft_start(&d, RULE_LINGER, (int64_t)(share * (double)c->tg->end));
    d.f.note = d.f.inferred = true;
    d.f.won_hi = d.f.severity_ns;
    draft_about(&d, c->rs, k->place, k->most->stack);
    draft_moment(&d, &k->most->longest);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(k->most->stack, 3), " waits until a timer is up, ", k->count, " of ",
             k->count + o->answered, " times, ", t_dur(k->total / (int64_t)k->count), " on average; that is ",
             t_share(share, 1), " of the lives of goroutines of ", t_func(k->most->waiter),
             ". The others of these waits ", t_func(o->answers->waker), " ended, after ",
             t_dur(o->ns / (int64_t)o->answered),
             " on average: the timer seems to be a timeout for an answer that does not come (inferred). ",
             t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    text_say(
        &d.next, c->tr, "See what becomes of those questions: ", t_func(o->answers->waker),
        " may drop some, or not answer on some path (an error, a full queue). A shorter timeout only hides that.");
    draft_titled(c->rs, &d, "waits for answers that do not come");
}

static bool by_timer(const struct causes *c, const struct pair_row *p)
{
    (void)c;
    return p->from_scheduler && p->kind == WK_SELECT;
}

void rules_overdue(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = waits_at_rows(c, v, PLACES, PAIRS_ALL, by_timer);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t g = causes_group(c, v[k].most->waiter);
        const double share = waits_at_share(c, &v[k]);
        struct overdue o = {.up = &v[k]};
        if (g != UINT32_MAX && c->life[g].program && share >= threshold(TH_LINGER_SHARE) &&
            (double)v[k].count >= threshold(TH_LINGER_TIMES) && c->idle >= threshold(TH_BOTTLE_IDLE) &&
            !causes_told_at(c, RULE_LINGER, v[k].place) && is_overdue(c, &o)) {
            finding(c, &o, share < 1 ? share : 1);
        }
    }
}
