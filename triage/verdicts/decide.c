/*
 * decide.c - selects and orders verdicts; a verdict that another one explains becomes its symptom. See
 * verdict.h for the fields and level.c for the levels.
 */
#include "triage/verdicts/verdict.h"

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"

/* ---- which verdict explains another one ---------------------------------------------------------------- */

static bool same(uint32_t a, uint32_t b)
{
    return a && a == b;
}

/* Whether function `user` is one of those in which b's time is finally spent. */
static bool does(const struct verdict *b, uint32_t user)
{
    return user && any_of(i, b->ndoing, b->doing[i].at.user == user);
}

/* Whose time it is. */
static uint32_t whose(const struct verdict *v)
{
    return v->nlinks ? v->link[0].who : v->waiter.group;
}

/* Whether both explain busy processors, or both explain idle ones. */
static bool of_processors(const struct verdict *a, const struct verdict *b)
{
    return rule_row(a->rule)->of != EXPLAINS_NONE && rule_row(a->rule)->of == rule_row(b->rule)->of;
}

/* Whether both concern the same place, the same holder, the same use of processors, or what one runs. */
static bool about_same(const struct verdict *a, const struct verdict *b)
{
    const bool place = same(a->where.user, b->where.user) && a->region == b->region;
    const bool on_way = does(b, a->where.user) ||
                        ((family_contends(verdict_family(a)) || rule_row(a->rule)->tells == TELLS_WHY) &&
                         does(a, b->where.user));
    const bool holder = same(a->holder.at.user, b->holder.at.user) ||
                        same(a->holder.group, b->holder.group) || same(a->holder.group, b->culprit.user) ||
                        (b->holder.group && same(a->holder.group, b->waiter.group));
    const bool sign = rule_row(b->rule)->tells == TELLS_SIGN && rule_row(b->rule)->of == EXPLAINS_NONE;
    const bool work = sign && (a->harm.work == NO_LANE || same(whose(a), whose(b)));
    const bool runs = verdict_family(a) == FAM_ALONE && b->rule == RULE_HOT && a->g == b->g;
    const bool more = verdict_family(a) == FAM_UNEVEN && !family_contends(verdict_family(b)) &&
                      same(a->waiter.group, b->waiter.group); /* than the others have */
    return of_processors(a, b) ||
           (b->rule != RULE_SCHED && (place || on_way || holder || work || runs || more));
}

/* Whether a explains b. Of two about the same thing, the one that says more about the cause explains the
 * other: why, before who, before what, before a sign (families.def). Between two of one place that say
 * equally much, the one that sorts first does; and who keeps others explains what it does meanwhile. A note
 * explains nothing that sorts before it, and none of ten times its share; a cause has at least half of the
 * share of what sorts before it. */
static bool explained(const struct verdict *a, const struct verdict *b, bool before)
{
    const int more = (int)rule_row(a->rule)->tells - (int)rule_row(b->rule)->tells;
    const bool little = (a->harm.share * 2 < b->harm.share && !a->grows) || /* what grows has no share */
                        (a->level == LEVEL_NOTE && (b->level > LEVEL_NOTE || !of_processors(a, b)));
    const bool tiny = a->level == LEVEL_NOTE && a->harm.share < threshold(TH_SHARE) * b->harm.share;
    if (more != 0)
        return more > 0 && (before ? !tiny : !little) && about_same(a, b);
    const bool holder_does = family_contends(verdict_family(a)) && !family_contends(verdict_family(b)) &&
                             same(a->holder.group, b->waiter.group);
    return (holder_does && !little) ||
           (before && a->region == b->region &&
            (verdict_family(a) == FAM_LEAK) == (verdict_family(b) == FAM_LEAK) &&
            (same(a->where.user, b->where.user) || same(a->culprit.user, b->culprit.user)));
}

/* Order: severe ones, warnings; then goroutines that stay, and a host that is busy; what grows, a resource's
 * notes, contention that few pieces have, and what makes the slow ones slow; then by share what the work
 * does, and how processors and stops delay it. */
static int rank_of(const struct verdict *v)
{
    const bool little = v->clock > 0 && v->clock < threshold(TH_NOTED);
    const bool contention = family_contends(verdict_family(v)) && v->harm.share >= threshold(TH_SHARE);
    const bool host = v->rule == RULE_HOST && v->harm.share >= threshold(TH_HOST_SHARE);
    const bool machine = verdict_family(v) == FAM_PROCS || verdict_family(v) == FAM_STOP;
    const bool resource = v->harm.work == NO_LANE && !little && !machine;
    const bool stands = verdict_family(v) == FAM_STUCK && v->level == LEVEL_SEVERE;
    const bool tail = verdict_family(v) == FAM_SLOW, stay = v->grows && v->creator.at.user;
    return stands                                                    ? -2
           : v->level > LEVEL_NOTE                                   ? LEVEL_WARN - (int)v->level
           : stay || host                                            ? 1
           : (v->grows && !little) || resource || contention || tail ? 2
                                                                     : 3;
}

ORDER(cmp_verdict, struct verdict,
      LEAST(rank_of(r)) MOST(r->score) LEAST(r->rule) LEAST(r->where.user) LEAST(r->t0))

/* Is what a work, or its slow pieces, do a wait for a processor? That is no function's: fam_procs.c tells
 * it, with its numbers. */
static bool told_of_processors(const struct verdict *v)
{
    return (v->rule == RULE_HOT || v->rule == RULE_SLOW) && v->ndoing &&
           (v->doing[0].cat == EX_RUNNABLE || v->doing[0].cat == EX_NOBODY);
}

enum { WHAT_IT_IS = 2 }; /* notes of what the work is: the tree shows the rest */

static void symptom_add(struct verdict *a, const struct verdict *b)
{
    if (a->nsymptoms < SYMPTOMS)
        a->symptom[a->nsymptoms++] =
            (struct symptom){b->rule, b->where.user, b->harm.share, b->level > LEVEL_NOTE};
}

/* Whether the verdict only says what a work mostly does. */
static bool is_what(const struct verdict *v)
{
    return rank_of(v) == 3 && v->harm.work != NO_LANE;
}

/* Whether a verdict about a work is too small to report, by its share or by wall-clock time. What makes the
 * slow ones slow matters to few. */
static bool is_little(const struct works *all, const struct verdict *v)
{
    if (is_what(v) && verdict_is_chance(all, v))
        return true;
    const double least = threshold(is_what(v) ? TH_NOTED : TH_CLOCK);
    return v->level == LEVEL_NOTE && !v->grows && verdict_family(v) != FAM_SLOW &&
           (v->harm.work == NO_LANE ? v->clock > 0 && v->clock < threshold(TH_LITTLE)
                                    : (is_what(v) && v->score < threshold(TH_NOTED)) || v->clock < least);
}

/* What the jobs share: each is a family, or the level of a verdict. */
struct judging {
    struct causes *c;
    const struct works *all;
    struct verdicts *out;
    bool *says;            /* of each verdict: it says something */
    struct verdict asleep; /* of those that only sleep, the one that matters most; score 0: none */
};

static bool level_work(void *arg, size_t i, void **kept)
{
    const struct judging *j = arg;
    struct verdict *v = &j->out->v[i];
    *kept = NULL;
    j->says[i] = v->harm.work == NO_LANE || verdict_level(j->c, j->all, v);
    return slices_tick();
}

static void verdicts_drop(void *kept)
{
    if (kept)
        verdicts_free(kept);
    mem_free(kept);
}

/* Keeps the verdicts that are large enough, sets their levels and sorts them. */
static bool decide_each(struct judging *j)
{
    struct verdicts *out = j->out;
    uint32_t kept = 0;
    j->says = mem_zalloc(((size_t)out->n + 1) * sizeof *j->says);
    if (!j->says || !slices_each(trace_threads(j->c->tr), out->n, &(struct slices_job){level_work, .arg = j}))
        return false;
    for (uint32_t i = 0; i < out->n; i++) {
        struct verdict *v = &out->v[i];
        if (v->harm.work == NO_LANE && !v->grows && v->clock > 0 &&
            v->clock * (double)j->c->tg->end < (double)threshold_ns(TH_FELT))
            v->level = LEVEL_NOTE; /* nobody feels it */
        if (v->level == LEVEL_WARN && v->score >= threshold(TH_SEVERE))
            v->level = LEVEL_SEVERE;
        v->cause = NO_LANE;
        if (!j->says[i] || told_of_processors(v) || is_little(j->all, v))
            continue;
        if (!verdict_only_sleeps(v))
            out->v[kept++] = *v;
        else if (v->score > j->asleep.score)
            j->asleep = *v;
    }
    out->n = kept;
    sort(out->v, kept, cmp_verdict);
    return true;
}

/* Whether a cause of v[k], or of its cause, is v[i]. Two that explain each other make no ring: the first one
 * that is asked about has the other as its cause. */
static bool comes_from(const struct verdicts *out, uint32_t k, uint32_t i)
{
    while (k != NO_LANE && k != i)
        k = out->v[k].cause;
    return k == i;
}

bool verdicts_decide(struct causes *c, const struct works *all, struct verdicts *out)
{
    uint32_t kept = 0, is = 0;
    struct judging j = {.c = c, .all = all, .out = out};
    const bool ok = decide_each(&j) && verdicts_culprits(all, out);
    mem_free(j.says);
    if (!ok)
        return false;
    for (uint32_t i = 0; i < out->n; i++) {
        for (uint32_t k = 0; k < out->n && out->v[i].cause == NO_LANE; k++)
            if (k != i && explained(&out->v[k], &out->v[i], k < i) && !comes_from(out, k, i))
                out->v[i].cause = k;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        uint32_t cause = out->v[i].cause;
        while (cause != NO_LANE && out->v[cause].cause != NO_LANE)
            cause = out->v[cause].cause;
        if (cause != NO_LANE)
            symptom_add(&out->v[cause], &out->v[i]);
    }
    for (uint32_t i = 0; i < out->n; i++) {
        const bool what = is_what(&out->v[i]),
                   said = out->v[i].cause == NO_LANE && (!what || is < WHAT_IT_IS);
        is += what && said;
        if (said)
            out->v[kept++] = out->v[i];
    }
    out->n = kept;
    return kept || j.asleep.harm.share < threshold(TH_MOST) ||
           (verdict_add(out, &j.asleep) && verdicts_culprits(all, out));
}

/* ---- all of them --------------------------------------------------------------------------------------- */

bool verdict_add(struct verdicts *to, const struct verdict *v)
{
    const bool ok = mem_room(to->v, to->cap, (size_t)to->n + 1);
    if (ok)
        to->v[to->n++] = *v;
    return ok;
}

struct verdict verdict_new(enum rule r, double share, struct site where)
{
    return (struct verdict){.rule = r,
                            .where = where,
                            .clock = share,
                            .score = share,
                            .g = NO_LANE,
                            .lane = LANE_G,
                            .waiter = {.g = NO_LANE},
                            .holder = {.g = NO_LANE},
                            .creator = {.g = NO_LANE},
                            .harm = {.work = NO_LANE, .share = share, .of_work = NO_LANE}};
}

struct verdict verdict_standing(const struct causes *c, const struct works *w, enum rule r,
                                const struct stand *s, uint32_t n)
{
    struct verdict v =
        verdict_new(r, (double)(c->tg->end - s->since) / (double)c->tg->end, verdict_place(w, s->stack));
    v.waiter.group = trace_g_name(c->tr, s->g);
    verdict_shows(&v, s->g, s->since, c->tg->end);
    v.level = LEVEL_SEVERE;
    verdict_ev(&v, EV_COUNT, n);
    verdict_ev(&v, EV_SINCE, (double)s->since);
    return v;
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

void verdict_share_at(const struct work_tree *t, uint32_t user, unsigned cats, struct harm *out)
{
    out->all = share_at(t, 0, user, cats, TREE_ALL);
    out->slow = share_at(t, 0, user, cats, TREE_SLOW);
    out->usual = share_at(t, 0, user, cats, TREE_USUAL);
    out->share = out->all > out->slow ? out->all : out->slow;
}

void verdict_raise(struct harm *h, uint32_t work, double all, double slow)
{
    const double more = all > slow ? all : slow;
    if (more <= h->share)
        return;
    h->share = more;
    h->of_work = work;
    h->of_slow = slow > all;
}

void verdict_in_works(const struct works *w, struct verdict *v, unsigned cats)
{
    for (uint32_t i = 0; v->where.user && i < w->n; i++) {
        struct harm h = {0};
        if (!work_counts(&w->v[i]) || !w->v[i].tree.n)
            continue;
        verdict_share_at(&w->v[i].tree, v->where.user, cats, &h);
        verdict_raise(&v->harm, i, h.all, w->v[i].standing ? 0 : h.slow);
    }
}

struct site verdict_place_of(const struct works *w, uint32_t stack, uint32_t g)
{
    const struct site p = verdict_place(w, stack);
    const struct lane_info li = trace_lane(w->tr, lane_g(g));
    if (!p.user || verdict_own(w, p) || !li.created || !li.create_stack)
        return p;
    struct site at = verdict_place(w, li.create_stack);
    at.leaf = p.leaf;
    return verdict_own(w, at) ? at : p;
}

struct site verdict_slow_place(const struct work *k, struct did *does)
{
    const struct tree_node *v = k->tree.v;
    uint32_t end = 0, at;
    for (uint32_t i = 1; i < k->tree.n; i++)
        end = v[i].first == NO_LANE && v[i].ns[TREE_SLOW] > (end ? v[end].ns[TREE_SLOW] : 0) ? i : end;
    const struct tree_node *n = &v[end];
    if (!end || n->cat == EX_RUNNABLE || n->cat == EX_NOBODY || n->cat == EX_STOPPED ||
        (n->cat == EX_RUN && n->t1 - n->t0 >= threshold_ns(TH_HOST_RUN)))
        return (struct site){0};
    for (at = end; at && v[at].owner != OWNER_PROGRAM;)
        at = v[at].up;
    at = at ? at : end;
    *does = verdict_did(n, &v[at], tree_share(&k->tree, end, TREE_SLOW));
    return does->at;
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

uint32_t verdict_handler(const struct works *w, uint32_t group)
{
    const uint32_t at = find_first(i, w->n, w->v[i].group == group && w->v[i].user);
    return at < w->n ? w->v[at].user : 0;
}

bool verdict_own(const struct works *w, struct site p)
{
    return p.stack && owner_at(w->own, p.stack, p.frame) == OWNER_PROGRAM;
}

uint32_t verdict_lines(const struct works *w, uint32_t stack)
{
    uint32_t sum = 2166136261u;
    for (uint32_t i = owner_user(w->own, stack), n = trace_stack(w->tr, stack); i < n; i++) {
        const struct frame at = trace_frame(w->tr, stack, i);
        if (owner_of(w->own, &at) == OWNER_PROGRAM)
            sum = ((sum ^ at.func) * 16777619u ^ (uint32_t)at.line) * 16777619u;
    }
    return sum;
}

void verdicts_free(struct verdicts *v)
{
    mem_free(v->v);
    *v = (struct verdicts){0};
}

static const struct {
    family_fn *all;
    family_work_fn *each;
    family_node_fn *node;
} family[] = {
#define L(name) {.all = fam_##name},
#define W(name) {.each = fam_##name},
#define N(name) {.node = fam_##name},
#include "triage/verdicts/families.def"
};

static bool family_work(void *arg, size_t i, void **kept)
{
    const struct judging *j = arg;
    struct verdicts *own = mem_zalloc(sizeof *own);
    bool ok = own && (!family[i].all || family[i].all(j->c, j->all, own));
    for (uint32_t k = 0; ok && k < j->all->n; k++) {
        ok = !family[i].each || family[i].each(j->c, j->all, k, own);
        for (uint32_t n = 1; ok && family[i].node && n < j->all->v[k].tree.n; n++)
            ok = family[i].node(j->c, j->all, k, n, own);
    }
    *kept = own;
    return ok && slices_tick();
}

static bool family_add(void *arg, size_t i, void *kept)
{
    const struct judging *j = arg;
    const struct verdicts *own = kept;
    bool ok = true;
    (void)i;
    for (uint32_t k = 0; ok && k < own->n; k++)
        ok = verdict_add(j->out, &own->v[k]);
    verdicts_drop(kept);
    return ok;
}

bool verdicts_of(struct causes *c, const struct works *w, struct verdicts *out)
{
    struct judging j = {.c = c, .all = w, .out = out};
    return slices_each(trace_threads(c->tr), sizeof family / sizeof *family,
                       &(struct slices_job){family_work, family_add, verdicts_drop, &j}) &&
           verdicts_decide(c, w, out);
}
