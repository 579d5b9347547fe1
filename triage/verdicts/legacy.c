/*
 * legacy.c - what rules said that no family has replaced yet, as verdicts: their words stay, their place in the order comes from the works'
 * trees as everybody's does.
 */
#include "triage/verdicts/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

enum how { GONE, GATED, FREE };
static const struct {
    enum family family;
    enum how how;
} known[RULE_COUNT] = {
#define X(RULE, FAMILY, HOW) [RULE_##RULE] = {FAM_##FAMILY, HOW},
#include "triage/verdicts/legacy.def"
#undef X
};

enum family rule_family(enum rule r)
{
    return (unsigned)r < RULE_COUNT ? known[r].family : FAM_NONE;
}

static bool at_place(const struct tree_node *n, const struct place *p)
{
    return p->user && (n->user == p->user || n->let_go == p->user || n->leaf == p->user);
}

/* Of a work, what lies under nodes at that place, outermost ones: its share. */
static double share_under(const struct work_tree *t, uint32_t node, const struct place *p, enum tree_set s)
{
    double sum = 0;
    for (uint32_t k = t->v[node].first; k != NO_LANE; k = t->v[k].next) {
        sum += at_place(&t->v[k], p) ? tree_share(t, k, s) : share_under(t, k, p, s);
    }
    return sum;
}

static void harm_of(const struct works *all, struct verdict *v)
{
    for (uint32_t i = 0; i < all->n; i++) {
        const struct work *w = &all->v[i];
        const double a = w->background || !w->tree.n ? 0 : share_under(&w->tree, 0, &v->where, TREE_ALL);
        const double s = w->background || w->standing || !w->tree.n ? 0 : share_under(&w->tree, 0, &v->where, TREE_SLOW);
        const double more = a > s ? a : s;
        if (more > v->harm.share) {
            v->harm = (struct harm){.work = i, .all = a, .slow = s, .share = more};
        }
    }
}

bool verdicts_legacy(struct causes *c, const struct works *all, struct verdicts *out)
{
    struct findings *fs = c->rs->out;
    for (uint32_t i = 0; i < fs->n; i++) {
        const struct finding *f = &fs->f[i];
        const enum how how = known[f->rule].how;
        if (how == GONE) {
            continue;
        }
        struct verdict *v = mem_grow(out->v, &out->cap, (size_t)out->n + 1, sizeof *v);
        if (!v) {
            return false;
        }
        out->v = v;
        v += out->n++;
        *v = (struct verdict){.family = known[f->rule].family, .rule = f->rule, .legacy = i + 1, .t0 = f->t0, .t1 = f->t1};
        v->where.stack = f->stack;
        if (f->stack) {
            v->where.frame = owner_user(all->own, f->stack);
            v->where.user = trace_frame(all->tr, f->stack, v->where.frame).func;
        }
        v->g = f->lane.kind == LANE_G ? f->lane.i : NO_LANE;
        v->sure = f->inferred ? SURE_INFERRED : SURE_RECORDED;
        v->harm.work = NO_LANE;
        harm_of(all, v);
        const double own = c->tg->end > 0 ? (double)f->severity_ns / (double)c->tg->end : 0;
        if (how == FREE) {
            v->harm.share = own;
        } else {
            v->harm.share = own < v->harm.share ? own : v->harm.share;
        }
        v->score = v->harm.share;
        v->level = f->note || (how == GATED && v->harm.share < 0.1) ? LEVEL_NOTE : LEVEL_WARN;
    }
    return true;
}
