/*
 * decide.c - from what a verdict's share is to whether it warns, where it stands, and what there is to win. See verdict.h.
 *
 * A large share alone is what the work is. It warns where one of these holds:
 *   contention   others have what a piece waits for (a lock, one of a set, the one that serves all)
 *   repetition   a piece does many times in a row what once would do
 *   variation    the slow pieces have it, the usual ones don't
 */
#include "triage/verdicts/verdict.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define WARNS 0.10     /* of a work's time */
#define REPEATS 0.20   /* the same, for what is only done again and again */
#define SEVERE 0.50
#define VARIES 0.40    /* of what the slow pieces take longer */
#define TAIL 3         /* the slowest tenth is so many times the usual ones */
#define FELT 1000000   /* ns: a piece that takes less longer is not slow */
#define CLOCK 0.02     /* of the trace: what all of it takes; less is nothing */
#define CROWD 3        /* goroutines at once that wait for one of a set: fewer take turns */
#define MEND 0.7       /* of what is mended goes at least */

static const struct {
    const char *id, *title, *advice;
    enum rule rule;
} families[FAM_COUNT] = {
#define X(ID, id, RULE, title, advice) {id, title, advice, RULE_##RULE},
#include "triage/verdicts/families.def"
#undef X
};

const char *family_id(enum family f)
{
    return (unsigned)f < FAM_COUNT ? families[f].id : "";
}

const char *family_title(enum family f)
{
    return (unsigned)f < FAM_COUNT ? families[f].title : "";
}

enum rule family_rule(enum family f)
{
    return (unsigned)f < FAM_COUNT ? families[f].rule : RULE_TIME;
}

static bool contends(enum family f)
{
    return f == FAM_LOCK || f == FAM_SET || f == FAM_SERVER;
}

static double average(const struct work_tree *t, enum tree_set s)
{
    return t->pieces[s] ? (double)tree_ns(t, s) / t->pieces[s] : 0;
}

/* Of what the slow pieces take longer than the usual ones, the verdict's share; 0: they don't. */
static double excess(const struct works *all, const struct verdict *v)
{
    const struct work_tree *t = &all->v[v->harm.work].tree;
    const double slow = average(t, TREE_SLOW), usual = average(t, TREE_USUAL);
    if (slow < TAIL * usual || slow - usual < FELT || usual <= 0) {
        return 0;
    }
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
#define ROOM 0.2 /* of the processors idle */
static bool room(const struct causes *c, const struct verdict *v)
{
    double runs = 0;
    for (unsigned i = 0; i < v->ndeeds; i++) {
        const uint8_t cat = v->deed[i].cat;
        runs += cat == EX_RUN || cat == EX_SCHED || cat == EX_ASSIST ? v->deed[i].share : 0;
    }
    return runs < 0.5 || c->idle >= ROOM * c->procs;
}

static void level_of(const struct causes *c, const struct works *all, struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const double tail = excess(all, v), clock = of_clock(c, all, v);
    const bool varies = tail >= VARIES;
    const double slow = varies ? v->harm.slow : 0;
    v->harm.share = v->harm.all > slow ? v->harm.all : slow;
    const bool awaited = w->kind == WORK_TASKS || w->kind == WORK_REQUESTS;
    if (varies && awaited && v->harm.usual * 3 < v->harm.slow && !contends(v->family) && v->family != FAM_PROCS) {
        v->family = FAM_SLOW;
        v->rule = family_rule(FAM_SLOW);
    }
    const bool matters = clock >= CLOCK || varies;
    const bool warns = v->family == FAM_SET      ? v->harm.share >= WARNS && room(c, v) && v->crowd >= CROWD
                       : contends(v->family)     ? v->harm.share >= WARNS && room(c, v)
                       : v->family == FAM_SERIAL ? v->harm.share >= REPEATS
                                                 : v->family == FAM_SLOW;
    v->level = !matters || !warns ? LEVEL_NOTE : v->harm.share >= SEVERE ? LEVEL_SEVERE : LEVEL_WARN;
    v->score = v->harm.share * (w->weight * 2 < 1 ? w->weight * 2 : 1);
    if (v->level != LEVEL_NOTE) {
        v->gain = (struct gain){.known = true};
        v->gain.piece_hi = v->harm.all;
        v->gain.piece_lo = MEND * v->harm.all;
        v->gain.p99_hi = v->harm.slow;
        v->gain.p99_lo = MEND * v->harm.slow;
        v->gain.trace_hi = clock;
        v->gain.trace_lo = MEND * clock;
    }
}

/* Is b told by a? The same cause of another work; or what a's holder does meanwhile. */
static bool covers(const struct verdict *a, const struct verdict *b)
{
    if (a->family == b->family &&
        (a->where.user == b->where.user || (contends(a->family) && a->holder.at.user && a->holder.at.user == b->holder.at.user))) {
        return true;
    }
    if (contends(a->family) && !contends(b->family)) {
        for (unsigned i = 0; i < a->ndeeds; i++) {
            if (a->deed[i].at.user == b->where.user) {
                return true;
            }
        }
    }
    return a->where.user && a->where.user == b->where.user && a->level >= b->level && b->level == LEVEL_NOTE;
}

static int cmp_verdict(const void *a, const void *b)
{
    const struct verdict *x = a, *y = b;
    const int p = x->level > LEVEL_NOTE, q = y->level > LEVEL_NOTE;
    return p != q                           ? q - p
           : x->score != y->score           ? (x->score < y->score ? 1 : -1)
           : x->family != y->family         ? (int)x->family - (int)y->family
           : x->where.user != y->where.user ? (x->where.user > y->where.user) - (x->where.user < y->where.user)
                                            : (x->t0 > y->t0) - (x->t0 < y->t0);
}

void verdicts_decide(struct causes *c, const struct works *all, struct verdicts *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->n; i++) {
        if (!out->v[i].legacy) {
            level_of(c, all, &out->v[i]);
        }
    }
    if (out->n) {
        qsort(out->v, out->n, sizeof *out->v, cmp_verdict);
    }
    for (uint32_t i = 0; i < out->n; i++) {
        uint32_t k = 0;
        while (k < kept && !covers(&out->v[k], &out->v[i])) {
            k++;
        }
        if (k == kept && (out->v[i].legacy || out->v[i].score >= WARNS / 2)) {
            out->v[kept++] = out->v[i];
        }
    }
    out->n = kept;
}

void verdicts_free(struct verdicts *v)
{
    mem_free(v->v);
    *v = (struct verdicts){0};
}
