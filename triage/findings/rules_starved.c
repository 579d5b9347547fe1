/*
 * rules_starved.c - a pool that waits for itself: its goroutines wait, within a piece of work, for what only others
 * of the same pool do. Who waits so does none of it meanwhile: the more of them wait, the fewer are left to end that.
 *
 * It is one pool if the same goroutines do both: wait there, and end such waits of others. That it lacks them is told
 * by moments in which none waits for more work while processors have nothing to do.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define PLACES 16
#define MEMBERS 64  /* goroutines of a pool: where there are more, it is none */
#define STEPS 20000 /* spans of each */

struct turn { /* one begins (+1) or ends (-1) to wait */
    int64_t t;
    int8_t within, idle; /* for its own pool; for more work */
};
struct pool {
    const struct causes *c;
    const struct waits_at *p;
    uint32_t group;
    struct turn *v;
    size_t n, cap;
    int64_t waited[MEMBERS]; /* by member: so */
    bool ends[MEMBERS];      /* ends such waits of others */
    int64_t from, until;     /* what is looked at */
    /* while none waits for more work and one at least waits so */
    int64_t clock, stood; /* by the clock; of all of them together */
};

/* ---- one pool? ------------------------------------------------------------------------------------------------- */

/* A goroutine's wait for what one of its kind does: for several to be done, or for an answer. */
static bool for_own_kind(const struct pair_row *p)
{
    return !p->from_scheduler && p->waiter == p->waker &&
           (p->kind == WK_WAITGROUP || p->kind == WK_RECV || p->kind == WK_SELECT);
}

static bool for_more(enum wait_kind k)
{
    return k == WK_RECV || k == WK_SELECT || k == WK_COND;
}

/*
 * Is that answer sent where the group takes its work, as one does that is done with a piece of it? Else it may be a
 * thing that is passed round.
 */
static bool answers(const struct causes *c, const struct pair_row *p)
{
    const uint32_t loop = causes_place(c->tr, p->waker_stack);
    if (p->kind == WK_WAITGROUP) {
        return true;
    }
    if (!loop || loop == causes_place(c->tr, p->stack) || !stacks_passes(c->tr, p->stack, loop)) {
        return false;
    }
    for (uint32_t i = 0; i < c->tg->nwaits; i++) {
        const struct wait_row *w = &c->tg->waits[i];
        if (for_more(w->kind) && causes_place(c->tr, w->stack) == loop) {
            return true;
        }
    }
    return false;
}

/* Are they few, there for good, and not begun by those that wait for them? */
static bool is_pool(const struct causes *c, const struct pair_row *p, uint32_t group)
{
    const struct group_life *l = &c->life[group];
    const uint32_t n = c->of[group].n, by = p->longest_waker;
    return l->program && n >= 2 && n <= MEMBERS && l->life >= ns_mul((l->last - l->first) / 2, n) && by < c->tg->ng &&
           trace_lane(c->tr, (struct lane){LANE_G, by}).creator != p->longest.g;
}

/* ---- when its goroutines wait ---------------------------------------------------------------------------------- */

static bool turn_add(struct pool *o, int64_t t0, int64_t t1, bool within)
{
    struct turn *v = mem_grow(o->v, &o->cap, o->n + 2, sizeof *v);
    if (!v) {
        return false;
    }
    o->v = v;
    v[o->n++] = (struct turn){t0, within, !within};
    v[o->n++] = (struct turn){t1, (int8_t)-within, (int8_t) - !within};
    return true;
}

static void ended_by(struct pool *o, uint32_t g)
{
    for (uint32_t i = 0; i < o->c->of[o->group].n && g < o->c->tg->ng; i++) {
        o->ends[i] |= causes_nth(o->c, o->group, i) == g;
    }
}

static bool member(struct pool *o, uint32_t i)
{
    const struct causes *c = o->c;
    struct walk w;
    bool within = false, ok = true;
    walk_at(&w, c->tr, causes_nth(c, o->group, i), o->from, STEPS);
    for (const struct span *s; ok && (s = walk_next(&w));) {
        if (within && s->state == ST_RUNNABLE) {
            ended_by(o, s->who);
        }
        const enum wait_kind k = s->state == ST_WAITING ? stacks_wait_kind(c->tr, s->reason, s->stack) : WK_OTHER;
        within = wait_on_channel(k) || k == WK_WAITGROUP ? causes_place(c->tr, s->stack) == o->p->place : false;
        if (within) {
            o->waited[i] = ns_add(o->waited[i], s->t1 - s->t0);
        }
        if (within || for_more(k)) {
            ok = turn_add(o, s->t0, s->t1, within);
        }
    }
    o->until = causes_until(o->until, walk_until(&w));
    return ok;
}

static int cmp_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    return (x->t > y->t) - (x->t < y->t);
}

static void sweep(struct pool *o)
{
    int64_t since = 0;
    int within = 0, idle = 0;
    qsort(o->v, o->n, sizeof *o->v, cmp_turn);
    for (size_t i = 0; i < o->n; i++) {
        const int64_t ns = within > 0 && idle == 0 ? o->v[i].t - since : 0;
        o->clock = ns_add(o->clock, ns);
        o->stood = ns_add(o->stood, ns_mul(ns, within));
        within += o->v[i].within;
        idle += o->v[i].idle;
        since = o->v[i].t;
    }
}

/* Is most of that waiting of goroutines that end such waits themselves? */
static bool same_ones(const struct pool *o)
{
    int64_t both = 0, all = 0;
    for (uint32_t i = 0; i < o->c->of[o->group].n; i++) {
        all = ns_add(all, o->waited[i]);
        both = ns_add(both, o->ends[i] ? o->waited[i] : 0);
    }
    return threshold_reached(TH_STARVED_BOTH, both, all);
}

/* ---- told ------------------------------------------------------------------------------------------------------ */

/* With as many more at work as stand, or as there are processors for, all is done so much sooner. */
static int64_t cost(const struct pool *o)
{
    const double stand = (double)o->stood / (double)o->clock, more = stand < o->c->idle ? stand : o->c->idle;
    return (int64_t)((double)o->clock * more / (o->c->busy + more));
}

static void finding(const struct pool *o)
{
    const struct causes *c = o->c;
    const struct waits_at *p = o->p;
    struct draft d;
    draft_start(&d, RULE_STARVED, cost(o));
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    text_share(&d.amount, (double)o->clock, (double)c->tg->end);
    waits_at_text(&d.text, c, p);
    text_say(&d.text, c->tr, " waits, inside a pool's work, for what only the same pool does: of ", c->of[o->group].n,
             " goroutines of ", t_func(p->most->waiter), " ", t_f1((double)o->stood / (double)o->clock),
             " were waiting there on average for ", t_dur(o->clock), ", while none was free for more work (",
             p->count, " waits, ", t_dur(p->total / (int64_t)p->count),
             " on average); others of them ended these waits. ", t_f1(c->idle), " of ", t_f0(c->procs),
             " processors were idle.");
    causes_counted_in(&d.text, o->from, o->until);
    text_lit(&d.next, "A worker that waits for its own pool keeps a slot occupied, and when all of them wait nothing "
                      "proceeds at all. Run the outer work outside the pool (a goroutine each, limited separately), "
                      "give the inner work its own pool, or let the waiting worker do some of it itself.");
    draft_end(c->rs, &d);
}

static bool starves(const struct pool *o)
{
    return o->clock > 0 && same_ones(o) && threshold_reached(TH_STARVED_SHARE, cost(o), o->c->tg->end);
}

static void pool_at(struct causes *c, const struct waits_at *p, uint32_t group)
{
    const struct moment *m = &p->most->longest;
    struct pool o = {
        .c = c, .p = p, .group = group, .from = walk_around(c->tr, m->g, m->t0 + (m->t1 - m->t0) / 2, STEPS)};
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->of[group].n; i++) {
        ok = member(&o, i);
    }
    if (!ok) {
        c->rs->failed = true;
    } else if (o.n) {
        sweep(&o);
        if (starves(&o)) {
            finding(&o);
        }
    }
    mem_free(o.v);
}

static bool own_answer(const struct causes *c, const struct pair_row *p)
{
    return for_own_kind(p) && answers(c, p);
}

void rules_starved(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = c->idle >= causes_idle_least(c) ? waits_at_rows(c, v, PLACES, PAIRS_ASKED, own_answer) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t g = causes_group(c, v[i].most->waiter);
        if (g != UINT32_MAX && (double)v[i].count >= threshold(TH_STARVED_WAITS) && is_pool(c, v[i].most, g) &&
            threshold_reached(TH_STARVED_LIFE, v[i].total, c->life[g].life) && !causes_all_at_once(c, v[i].most, g)) {
            pool_at(c, &v[i], g);
        }
    }
}
