/*
 * decide.c - which verdicts are told, and in what order; what another one explains is its symptom. See
 * verdict.h, and level.c for what warns.
 */
#include "triage/verdicts/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"

/* ---- relations of two verdicts ------------------------------------------------------------------------- */

static bool same_cause(const struct verdict *a, const struct verdict *b)
{
    return verdict_family(a) == verdict_family(b) && b->where.user && a->where.user == b->where.user &&
           a->region == b->region;
}

static bool same_holder(const struct verdict *a, const struct verdict *b)
{
    return verdict_family(a) == verdict_family(b) &&
           (family_contends(verdict_family(a)) || a->rule == RULE_STUCK) && a->holder.at.user &&
           a->holder.at.user == b->holder.at.user;
}

/* b says that one waits for the slowest part of a work, and a what is wrong with that part. */
static bool is_part(const struct verdict *a, const struct verdict *b)
{
    return b->rule == RULE_SLOWEST && b->ndoing && a->level > LEVEL_NOTE && a->harm.work != NO_LANE &&
           !family_contends(verdict_family(a)) && a->where.user == b->doing[0].at.user;
}

/* b is what a's holder does meanwhile: of most of it, or it is more than what others wait for. */
static bool is_done(const struct verdict *a, const struct verdict *b)
{
    bool is = false;
    if (b->score > a->score && (a->level == LEVEL_NOTE || a->harm.share * 2 < b->harm.share))
        return false;
    for (unsigned i = 0; i < a->ndoing; i++)
        is |= a->doing[i].at.user == b->where.user;
    return is && b->harm.work != NO_LANE && family_contends(verdict_family(a)) &&
           !family_contends(verdict_family(b)) && !is_part(b, a);
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
    return family_contends(verdict_family(a)) && b->harm.work == NO_LANE && a->holder.group &&
           b->waiter.group && b->holder.group &&
           (a->holder.group == b->holder.group || a->holder.group == b->waiter.group);
}

/* b only says that pieces take longer and longer, and a what most of their time is. */
static bool is_when(const struct verdict *a, const struct verdict *b)
{
    const uint32_t whose = a->nlinks ? a->link[0].who : a->waiter.group;
    return b->rule == RULE_TREND && a->rule != RULE_TREND && a->level > LEVEL_NOTE &&
           a->harm.share >= threshold(TH_SEVERE) && (a->harm.work == NO_LANE || whose == b->waiter.group);
}

/* Does a say why so much is done at a place, or why it keeps others? */
static bool is_why(const struct verdict *a)
{
    return a->harm.work != NO_LANE && (a->rule == RULE_STAMPEDE || a->rule == RULE_LINE);
}

/* Then what is said of that place, of who works there, and of the queue before it comes from that. */
static bool is_from(const struct verdict *a, const struct verdict *b)
{
    bool there = b->where.user == a->where.user || (b->holder.group && b->holder.group == a->holder.group);
    for (unsigned i = 0; i < b->nlinks; i++)
        there |= b->link[i].at.user == a->where.user;
    return is_why(a) && !is_why(b) && b->harm.work != NO_LANE && a->level >= b->level && there;
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
} relations[] = {{same_cause, false}, {same_holder, false}, {is_done, true},
                 {is_there, false},   {is_side, true},      {is_deeper, true},
                 {is_from, true},     {is_when, true},      {is_part, true}};

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
    const bool contention = family_contends(verdict_family(v)) && v->harm.share >= threshold(TH_SHARE);
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

/* Of a work: is it too little to be told, by its share, or by the clock? */
static bool is_little(const struct verdict *v)
{
    const double least = threshold(is_what(v) ? TH_NOTED : TH_CLOCK);
    return v->level == LEVEL_NOTE && v->harm.work != NO_LANE && !v->grows &&
           ((is_what(v) && v->score < threshold(TH_NOTED)) || v->clock < least);
}

/* Those that are large enough, decided each for itself, in order. */
static void decide_each(struct causes *c, const struct works *all, struct verdicts *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->n; i++) {
        struct verdict *v = &out->v[i];
        if (v->harm.work != NO_LANE)
            verdict_level(c, all, v);
        else if (!v->grows && v->clock > 0 && v->clock * (double)c->tg->end < (double)threshold_ns(TH_FELT))
            v->level = LEVEL_NOTE; /* nobody feels it */
        v->cause = NO_LANE;
        if (!told_of_processors(v) && !is_little(v))
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

/* ---- all of them --------------------------------------------------------------------------------------- */

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

void verdict_share_at(const struct work_tree *t, uint32_t user, struct harm *out)
{
    out->all = share_at(t, 0, user, 0, TREE_ALL);
    out->slow = share_at(t, 0, user, 0, TREE_SLOW);
    out->usual = share_at(t, 0, user, 0, TREE_USUAL);
    out->share = out->all > out->slow ? out->all : out->slow;
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
