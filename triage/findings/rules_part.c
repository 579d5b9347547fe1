/*
 * rules_part.c - a set that is too small for a part of the trace: what queues there counts against that part, not
 * against all of the goroutines' lives (rules_pools.c asks for these).
 *
 * The time is cut into equal slices. The part is the longest row of slices in which enough goroutines of one kind
 * wait at one function for what their own kind gives back.
 */
#include "triage/findings/causes.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/let_go.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <string.h>

#define PLACES 16
#define SLICES 40
#define WALKED 64
#define STEPS 20000

struct part {
    int64_t waited[SLICES];
    int64_t t0, t1; /* the part, once found */
    double waiting, idle;
    uint64_t count; /* waits in it */
};

static int64_t edge(const struct causes *c, int i)
{
    return c->tg->end / SLICES * i + (i == SLICES ? c->tg->end % SLICES : 0);
}

static void walk(const struct causes *c, uint32_t g, const struct pair_row *p, uint32_t place, struct part *v,
                 bool count)
{
    struct walk w;
    struct part here = {.t0 = v->t0, .t1 = v->t1};
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        if (s->state != ST_WAITING || stacks_wait_kind(c->tr, s->reason, s->stack) != p->kind ||
            causes_place(c->tr, s->stack) != place) {
            continue;
        }
        here.count += count && s->t0 < v->t1 && s->t1 > v->t0;
        for (int k = 0; k < SLICES && !count; k++) {
            const int64_t a = edge(c, k), b = edge(c, k + 1);
            const int64_t t0 = s->t0 > a ? s->t0 : a, t1 = s->t1 < b ? s->t1 : b;
            here.waited[k] = t1 > t0 ? ns_add(here.waited[k], t1 - t0) : here.waited[k];
        }
    }
    const double times = walk_times(&w); /* of stretches of its life: about */
    v->count += (uint64_t)((double)here.count * times + 0.5);
    for (int k = 0; k < SLICES; k++) {
        v->waited[k] = ns_add(v->waited[k], (int64_t)((double)here.waited[k] * times));
    }
}

static void walk_all(const struct causes *c, uint32_t group, const struct pair_row *p, uint32_t place, struct part *v,
                     bool count)
{
    for (uint32_t i = 0; i < c->of[group].n; i++) {
        walk(c, causes_nth(c, group, i), p, place, v, count);
    }
}

static void longest_row(const struct causes *c, struct part *v)
{
    for (int i = 0; i < SLICES; i++) {
        int64_t ns = 0;
        for (int k = i; k < SLICES; k++) {
            const int64_t a = edge(c, k), b = edge(c, k + 1);
            if ((double)v->waited[k] < threshold(TH_POOL_WAITING) * (double)(b - a)) {
                break;
            }
            ns = ns_add(ns, v->waited[k]);
            if (b - edge(c, i) > v->t1 - v->t0) {
                v->t0 = edge(c, i);
                v->t1 = b;
                v->waiting = (double)ns / (double)(b - v->t0);
            }
        }
    }
}

static double idle_in(const struct causes *c, const struct part *v)
{
    double busy = 0;
    for (uint32_t p = 0; p < c->tg->np; p++) {
        struct shares s;
        trace_shares(c->tr, (struct lane){LANE_P, p}, v->t0, v->t1, &s);
        for (int k = ST_SCHED; k <= ST_SYSCALL; k++) {
            busy += (double)s.ns[k];
        }
    }
    const double idle = c->procs - busy / (double)(v->t1 - v->t0);
    return idle > 0 ? idle : 0;
}

static void finding(struct causes *c, const struct waits_at *w, const struct part *v)
{
    const struct pair_row *p = w->most;
    const double part = (double)(v->t1 - v->t0), working = c->procs - v->idle + 1;
    const double share = v->waiting / (v->waiting + working) * v->idle / (v->idle + working);
    struct draft d;
    draft_start(&d, RULE_POOL, (int64_t)(part * share));
    draft_about(&d, c->rs, w->place, p->stack);
    draft_at(&d, v->t0, v->t1, LANE_G, p->longest.g);
    d.f.inferred = true;
    text_add(&d.amount, "%.0f wait", v->waiting);
    text_say(&d.text, c->tr, t_place(p->stack, 3), ": for ", t_share(part, (double)c->tg->end), " of the trace ",
             t_f1(v->waiting), " goroutines of ", t_func(p->waiter),
             " waited there on average for what others of them released in ",
             t_func(trace_frame(c->tr, p->waker_stack, stacks_user_frame(c->tr, p->waker_stack)).func), " (",
             v->count, " waits); ", t_f1(v->idle), " of ", t_f0(c->procs), " processors were idle meanwhile.");
    text_lit(&d.next, "Make the pool larger, or hold what comes from it more briefly.");
    draft_end(c->rs, &d);
}

/* Who wakes one at a time wakes it in vain where who gives back takes it again first; who wakes all makes a herd. */
static bool wakes_one(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 4; i++) {
        if (str_is(trace_str(tr, trace_frame(tr, stack, i).func), "sync.(*Cond).Signal")) {
            return true;
        }
    }
    return false;
}

static bool of_a_set(const struct causes *c, const struct pair_row *p)
{
    const bool set = p->kind == WK_COND ? p->futile * 4 <= p->count || wakes_one(c->tr, p->waker_stack)
                                        : p->kind == WK_RECV || p->kind == WK_SEND;
    return !p->from_scheduler && p->waker == p->waiter && set;
}

/* Few places are looked at: of conditions and channels, where the waits of one kind add up to a part at least. */
void rules_part(struct causes *c)
{
    struct waits_at at[PLACES];
    const uint32_t n = waits_at_rows(c, at, PLACES, PAIRS_ALL, of_a_set);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t g = causes_group(c, at[k].most->waiter);
        const struct group_life *l = g == UINT32_MAX ? NULL : &c->life[g];
        const double least = threshold(TH_POOL_SPAN) * threshold(TH_POOL_WAITING) * (double)c->tg->end;
        struct part v;
        if (!l || !l->program || c->of[g].n > WALKED || (double)at[k].count < threshold(TH_BOTTLE_WAITS) ||
            (double)at[k].total < least || causes_told_there(c, at[k].place) ||
            causes_all_at_once(c, at[k].most, g) || waits_at_brought(c, at[k].most->waiter, at[k].place) ||
            waits_at_parts(c, g, at[k].place)) {
            continue;
        }
        memset(&v, 0, sizeof v);
        walk_all(c, g, at[k].most, at[k].place, &v, false);
        longest_row(c, &v);
        if (!threshold_reached(TH_POOL_SPAN, v.t1 - v.t0, c->tg->end)) {
            continue;
        }
        v.idle = idle_in(c, &v);
        walk_all(c, g, at[k].most, at[k].place, &v, true);
        if (v.waiting >= threshold(TH_POOL_PART) * (double)c->of[g].n &&
            v.idle >= threshold(TH_POOL_IDLE) * c->procs && (double)v.count >= threshold(TH_BOTTLE_WAITS)) {
            struct let_go go;
            (void)let_go_together(c, g, at[k].place, &go);
            if (!go.for_all) {
                finding(c, &at[k], &v);
            }
        }
    }
}
