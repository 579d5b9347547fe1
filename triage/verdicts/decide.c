/*
 * decide.c - from what a verdict's share is to whether it warns, where it stands, and what there is to win.
 * See verdict.h.
 *
 * A large share alone is what the work is. It warns where one of these holds:
 *   contention   others have what a piece waits for (a lock, one of a set, the one that serves all)
 *   lateness     it sleeps while what it waits for is there
 *   repetition   a piece does many times in a row what once would do
 *   variation    the slow pieces have it, the usual ones don't
 *   failure      it waits until a deadline or a timer is up, where others are answered
 *   failure      the one that all wait for waits itself, until a timer is up
 */
#include "triage/verdicts/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"

static bool contends(enum family f)
{
    return f == FAM_LOCK || f == FAM_SET || f == FAM_SERVER || f == FAM_SLOW_ONE;
}

#define VAGUE 0.7 /* that slow pieces do something else says less than what they wait for */

static double average(const struct work_tree *t, enum tree_set s)
{
    return t->pieces[s] ? (double)tree_ns(t, s) / t->pieces[s] : 0;
}

/* Of what the slow pieces take longer than the usual ones, the verdict's share; 0: they don't. */
static double excess(const struct works *all, const struct verdict *v)
{
    const struct work_tree *t = &all->v[v->harm.work].tree;
    const double slow = average(t, TREE_SLOW), usual = average(t, TREE_USUAL);
    if (slow < threshold(TH_TAIL) * usual || slow - usual < threshold(TH_FELT) || usual <= 0)
        return 0;
    return (v->harm.slow * slow - v->harm.usual * usual) / (slow - usual);
}

/* What it takes of the trace, by the clock, at most. */
static double of_clock(const struct causes *c, const struct works *all, const struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const double counted = (double)w->total * (double)tree_ns(&w->tree, TREE_ALL) /
                           (double)(w->tree.v[0].ns[TREE_ALL] > 0 ? w->tree.v[0].ns[TREE_ALL] : 1);
    const double clock = counted / (double)c->tg->end;
    return v->harm.all * (clock < 1 ? clock : 1);
}

/* Would more of it at once find processors? What runs needs them, what waits or sleeps does not. */
static bool room(const struct causes *c, const struct verdict *v)
{
    double runs = 0;
    for (unsigned i = 0; i < v->ndoing; i++) {
        const uint8_t cat = v->doing[i].cat;
        runs += cat == EX_RUN || cat == EX_SCHED || cat == EX_ASSIST ? v->doing[i].share : 0;
    }
    return runs < 0.5 || c->idle >= threshold(TH_ROOM) * c->procs;
}

/* Did what ran take longer than the runtime lets it before it preempts? Then the host had its thread
 * elsewhere. */
static bool held_by_host(const struct verdict *v)
{
    return v->ndoing && v->doing[0].cat == EX_RUN && v->ev[EV_LONGEST] >= (double)threshold_ns(TH_HOST_RUN);
}

/* Is it waited for once, by each of many, as the first thing that it does? That bounds how many work at once,
 * as meant. */
static bool bounds(const struct causes *c, const struct verdict *v)
{
    const struct lane_info li =
        v->g < c->tg->ng ? trace_lane(c->tr, (struct lane){LANE_G, v->g}) : (struct lane_info){0};
    return li.created && gstat_waits(c->tg->g, v->g) <= 2 && v->t0 - li.first < (li.last - li.first) / 10;
}

/* Does it mostly wait while a processor is idle? That is the host's or the runtime's. */
static bool comes_late(const struct verdict *v)
{
    return v->ndoing && v->doing[0].cat == EX_NOBODY;
}

/* Where a timer ends waits: do others end waits there, too? Then what was waited for did not come. */
static bool ended_by_others(const struct causes *c, const struct works *w, const struct verdict *v)
{
    uint64_t others = 0, timers = 0;
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool here =
            p->stack && p->waiter == v->waiter.group && verdict_place(w, p->stack).user == v->where.user;
        others += here && !p->from_scheduler ? p->count : 0;
        timers += here && p->from_scheduler ? p->count : 0;
    }
    return others > 0 && timers >= 3 && v->nlinks > 0;
}

/* Does the one that waits for room start those it waits for, and is there only one of them at a time? Then
 * the room is for one. */
static bool one_at_a_time(const struct causes *c, const struct verdict *v)
{
    return v->holder.g < c->tg->ng && v->holder.n <= 1 &&
           trace_lane_who(c->tr, (struct lane){LANE_G, v->holder.g}).creator == v->g;
}

/* What is waited for at a place of a tree: how many were answered, how many ended at a deadline. */
static void count_reads(const struct work_tree *t, uint32_t user, uint32_t *answered, uint32_t *in_vain)
{
    for (uint32_t i = 1; i < t->n; i++) {
        const struct tree_node *n = &t->v[i];
        const uint32_t times = n->user == user ? n->n[TREE_ALL] + n->n[TREE_SLOW] : 0;
        *answered += n->cat == EX_NET ? times : 0;
        *in_vain += n->cat == EX_DEADLINE ? times : 0;
    }
}

/* Had it asked before it waited there at t: is what it did last a write, apart from a read that found
 * nothing? */
static bool asked_first(const struct trace *tr, uint32_t g, int64_t t)
{
    enum { BACK = 12 };
    struct span_iter it;
    bool more = g != NO_LANE && span_seek_at(&it, tr, (struct lane){LANE_G, g}, t) && span_prev(&it);
    for (int i = 0; i < BACK && more && span_get(&it)->state != ST_WAITING; i++) {
        const struct span *s = span_get(&it);
        if (s->state == ST_SYSCALL && causes_writes(tr, s->stack))
            return true;
        more = span_prev(&it);
    }
    return false;
}

/* Where a deadline ends reads: were others answered there, and does somebody wait for the piece, or had it
 * asked? */
static bool others_answered(const struct causes *c, const struct works *all, const struct verdict *v)
{
    enum { FEW = 3 };
    const struct work *w = &all->v[v->harm.work];
    const bool awaited = w->kind == WORK_TASKS || w->kind == WORK_REQUESTS;
    uint32_t answered = 0, in_vain = 0;
    count_reads(&w->tree, v->where.user, &answered, &in_vain);
    return answered >= FEW && in_vain >= FEW && (awaited || (w->asks && asked_first(c->tr, v->g, v->t0)));
}

/* varies: the slow pieces have it. */
static bool warns(const struct causes *c, const struct works *all, const struct verdict *v, bool varies)
{
    const double share = v->harm.share;
    const bool much = share >= threshold(TH_SHARE), most = share >= threshold(TH_SEVERE);
    const bool crowd = v->ev[EV_CROWD] >= threshold(TH_SEMAPHORE_CROWD);
    switch (verdict_family(v)) {
    case FAM_LOCK:
    case FAM_SERVER:
    case FAM_SLOW_ONE: return much && room(c, v) && (crowd || most || varies);
    case FAM_SET: return much && room(c, v) && !bounds(c, v) && (crowd || one_at_a_time(c, v));
    case FAM_POLLING: return v->ev[EV_SHARE] * share >= threshold(TH_SHARE);
    case FAM_LIMIT: return much && (ended_by_others(c, all, v) || others_answered(c, all, v));
    case FAM_SERIAL: return share >= threshold(TH_REPEATS) && !all->v[v->harm.work].standing;
    case FAM_SLOW: return !held_by_host(v);
    default: return false;
    }
}

static void level_of(const struct causes *c, const struct works *all, struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const double tail = excess(all, v), clock = of_clock(c, all, v);
    const bool varies = tail >= threshold(TH_VARIES);
    const double slow = varies ? v->harm.slow : 0;
    v->harm.share = v->harm.all > slow ? v->harm.all : slow;
    const bool awaited = w->kind == WORK_TASKS || w->kind == WORK_REQUESTS;
    const double polls = awaited && v->rule == RULE_SLEEP && v->harm.share >= threshold(TH_SHARE)
                             ? verdict_polls(c, all, v)
                             : 0;
    if (polls > 0)
        verdict_ev(v, EV_SHARE, polls);
    if (varies && awaited && v->harm.usual * 3 < v->harm.slow && verdict_family(v) != FAM_SLOW &&
        !contends(verdict_family(v)) && !comes_late(v))
        v->rule = RULE_SLOW;
    const bool matters = clock >= threshold(TH_CLOCK) || varies;
    v->level = !matters || !warns(c, all, v, varies)   ? LEVEL_NOTE
               : v->harm.share >= threshold(TH_SEVERE) ? LEVEL_SEVERE
                                                       : LEVEL_WARN;
    v->clock = clock;
    v->score =
        v->harm.share * (w->weight * 2 < 1 ? w->weight * 2 : 1) * (verdict_family(v) == FAM_SLOW ? VAGUE : 1);
    if (v->level != LEVEL_NOTE) {
        v->gain = (struct gain){.known = true};
        v->gain.piece_hi = v->harm.all;
        v->gain.piece_lo = threshold(TH_MEND) * v->harm.all;
        v->gain.p99_hi = v->harm.slow;
        v->gain.p99_lo = threshold(TH_MEND) * v->harm.slow;
        v->gain.trace_hi = clock;
        v->gain.trace_lo = threshold(TH_MEND) * clock;
    }
}

/* ---- relations of two verdicts
 * ---------------------------------------------------------------------------------------- */

static bool same_cause(const struct verdict *a, const struct verdict *b)
{
    return verdict_family(a) == verdict_family(b) && b->where.user && a->where.user == b->where.user &&
           a->region == b->region;
}

static bool same_holder(const struct verdict *a, const struct verdict *b)
{
    return verdict_family(a) == verdict_family(b) && contends(verdict_family(a)) && a->holder.at.user &&
           a->holder.at.user == b->holder.at.user;
}

/* b is what a's holder does meanwhile. */
static bool is_done(const struct verdict *a, const struct verdict *b)
{
    bool is = false;
    for (unsigned i = 0; i < a->ndoing; i++)
        is |= a->doing[i].at.user == b->where.user;
    return is && b->harm.work != NO_LANE && contends(verdict_family(a)) && !contends(verdict_family(b));
}

/* b only says what the work is at a place, of which a says what is wrong there. */
static bool is_there(const struct verdict *a, const struct verdict *b)
{
    return a->where.user && a->where.user == b->where.user &&
           (a->grows ||
            (b->harm.work != NO_LANE && b->level == LEVEL_NOTE && b->harm.share <= a->harm.share));
}

/* Who b says wait for each other is whom all wait for in a. */
static bool is_side(const struct verdict *a, const struct verdict *b)
{
    return contends(verdict_family(a)) && b->harm.work == NO_LANE && a->holder.group && b->waiter.group &&
           b->holder.group && (a->holder.group == b->holder.group || a->holder.group == b->waiter.group);
}

/* Both explain the same of the processors, and a names the cause. */
static bool is_deeper(const struct verdict *a, const struct verdict *b)
{
    int x, y;
    const enum explains p = rule_explains(a->rule, &x), q = rule_explains(b->rule, &y);
    return p == q && p != EXPLAINS_NONE && x > y;
}

/* Does a explain b? Fields say so, in whatever order verdicts were found. `any`: even where b is larger. */
static const struct {
    bool (*holds)(const struct verdict *a, const struct verdict *b);
    bool any;
} relations[] = {{same_cause, false}, {same_holder, false}, {is_done, false},
                 {is_there, false},   {is_side, true},      {is_deeper, true}};

static bool explained(const struct verdict *a, const struct verdict *b, bool larger)
{
    larger &= !is_deeper(b, a);
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if ((larger || relations[i].any) && relations[i].holds(a, b))
            return true;
    return false;
}

/* Warnings first, then what grows, a resource's notes and contention that few feel, then what the work is. */
static int rank_of(const struct verdict *v)
{
    const bool little = v->clock > 0 && v->clock < threshold(TH_NOTED);
    const bool contention = contends(verdict_family(v)) && v->harm.share >= threshold(TH_SHARE);
    return v->level > LEVEL_NOTE ? 0 : v->grows || (v->harm.work == NO_LANE && !little) || contention ? 1 : 2;
}

static int cmp_verdict(const void *a, const void *b)
{
    const struct verdict *x = a, *y = b;
    const int p = rank_of(x), q = rank_of(y);
    return p != q                 ? p - q
           : x->score != y->score ? (x->score < y->score ? 1 : -1)
           : x->rule != y->rule   ? (int)x->rule - (int)y->rule
           : x->where.user != y->where.user
               ? (x->where.user > y->where.user) - (x->where.user < y->where.user)
               : (x->t0 > y->t0) - (x->t0 < y->t0);
}

/* Is what a work is a wait for a processor? That is no function's: fam_procs.c tells it, with its numbers. */
static bool told_of_processors(const struct verdict *v)
{
    return v->rule == RULE_HOT && v->ndoing && (v->doing[0].cat == EX_SCHED || v->doing[0].cat == EX_NOBODY);
}

enum { WHAT_IT_IS = 2 }; /* notes of what the work is: the tree shows the rest */

static void symptom_add(struct verdict *a, const struct verdict *b)
{
    if (a->nsymptoms < SYMPTOMS)
        a->symptom[a->nsymptoms++] = (struct symptom){b->rule, b->where.user, b->harm.share};
}

/* Does it only say what a work mostly is? */
static bool is_what(const struct verdict *v)
{
    return rank_of(v) == 2 && v->harm.work != NO_LANE;
}

/* Those that are large enough, decided each for itself, in order. */
static void decide_each(struct causes *c, const struct works *all, struct verdicts *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->n; i++) {
        struct verdict *v = &out->v[i];
        if (v->harm.work != NO_LANE)
            level_of(c, all, v);
        else if (!v->grows && v->clock > 0 && v->clock * (double)c->tg->end < (double)threshold_ns(TH_FELT))
            v->level = LEVEL_NOTE; /* nobody feels it */
        v->cause = NO_LANE;
        if (!told_of_processors(v) && (!is_what(v) || v->score >= threshold(TH_NOTED)))
            out->v[kept++] = *v;
    }
    out->n = kept;
    if (kept)
        qsort(out->v, kept, sizeof *out->v, cmp_verdict);
}

void verdicts_decide(struct causes *c, const struct works *all, struct verdicts *out)
{
    uint32_t kept = 0, is = 0;
    decide_each(c, all, out);
    for (uint32_t i = 0; i < out->n; i++) {
        for (uint32_t k = 0; k < out->n && out->v[i].cause == NO_LANE; k++)
            if (k != i && explained(&out->v[k], &out->v[i], k < i))
                out->v[i].cause = k;
    }
    for (uint32_t i = 0; i < out->n; i++)
        if (out->v[i].cause != NO_LANE)
            symptom_add(&out->v[out->v[i].cause], &out->v[i]);
    for (uint32_t i = 0; i < out->n; i++) {
        const bool what = is_what(&out->v[i]),
                   said = out->v[i].cause == NO_LANE && (!what || is < WHAT_IT_IS);
        is += what && said;
        if (said)
            out->v[kept++] = out->v[i];
    }
    out->n = kept;
}

/* ---- all of them
 * ----------------------------------------------------------------------------------------------- */

bool verdict_add(struct verdicts *to, const struct verdict *v)
{
    struct verdict *p = mem_grow(to->v, &to->cap, (size_t)to->n + 1, sizeof *p);
    if (p) {
        to->v = p;
        p[to->n++] = *v;
    }
    return p != NULL;
}

struct verdict verdict_new(enum rule r, double share)
{
    return (struct verdict){.rule = r,
                            .clock = share,
                            .score = share,
                            .g = NO_LANE,
                            .lane = LANE_G,
                            .waiter = {.g = NO_LANE},
                            .holder = {.g = NO_LANE},
                            .creator = {.g = NO_LANE},
                            .harm = {.work = NO_LANE, .share = share}};
}

static double share_at(const struct work_tree *t, uint32_t node, uint32_t user, unsigned cats,
                       enum tree_set s)
{
    double sum = 0;
    for (uint32_t k = t->v[node].first; k != NO_LANE; k = t->v[k].next) {
        const bool here =
            (t->v[k].user == user || t->v[k].let_go == user) && (cats == 0 || cats >> t->v[k].cat & 1);
        sum += here ? tree_share(t, k, s) : share_at(t, k, user, cats, s);
    }
    return sum;
}

void verdict_in_works(const struct works *w, struct verdict *v, uint32_t user, unsigned cats)
{
    for (uint32_t i = 0; user && i < w->n; i++) {
        const struct work *k = &w->v[i];
        if (k->background || k->inner || !k->tree.n)
            continue;
        const double all = share_at(&k->tree, 0, user, cats, TREE_ALL),
                     slow = k->standing ? 0 : share_at(&k->tree, 0, user, cats, TREE_SLOW);
        const double more = all > slow ? all : slow;
        v->harm.share = more > v->harm.share ? more : v->harm.share;
    }
}

struct site verdict_place_of(const struct works *w, uint32_t stack, uint32_t g)
{
    const struct site p = verdict_place(w, stack);
    const struct frame f = stack ? trace_frame(w->tr, stack, p.frame) : (struct frame){0};
    const struct lane_info li = trace_lane(w->tr, (struct lane){LANE_G, g});
    if (!p.user || owner_of(w->own, &f) == OWNER_PROGRAM || !li.created || !li.create_stack)
        return p;
    struct site at = verdict_place(w, li.create_stack);
    const struct frame user = trace_frame(w->tr, at.stack, at.frame);
    at.leaf = p.leaf;
    return owner_of(w->own, &user) == OWNER_PROGRAM ? at : p;
}

struct site verdict_place(const struct works *w, uint32_t stack)
{
    struct site p = {.stack = stack};
    if (stack) {
        p.frame = owner_user(w->own, stack);
        p.user = trace_frame(w->tr, stack, p.frame).func;
        p.leaf = trace_frame(w->tr, stack, owner_leaf(w->own, stack)).func;
    }
    return p;
}

void verdicts_free(struct verdicts *v)
{
    mem_free(v->v);
    *v = (struct verdicts){0};
}

bool verdicts_of(struct causes *c, const struct works *w, struct verdicts *out)
{
    static family_fn *const family[] = {
#define L(name) fam_##name,
#include "triage/verdicts/families.def"
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof family / sizeof *family && slices_tick_now(); i++)
        ok = family[i](c, w, out);
    if (ok)
        verdicts_decide(c, w, out);
    return ok && verdicts_culprits(w, out);
}
