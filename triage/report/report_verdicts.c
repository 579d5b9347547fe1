/* report_verdicts.c - what a program does again and again, with the trees of its time, and a verdict's typed
 * fields, as JSON. */
#include "triage/findings/explain.h"
#include "triage/report/json_out.h"

#define LEAST 0.005 /* of a work's time, of all pieces or of the slow ones: smaller branches are left out */
enum { DEEP = 32 };

static void real(struct out *o, json_t *obj, const char *key, double v)
{
    put(o, obj, key, json_real(v));
}

static void said(struct out *o, json_t *obj, const char *key, const char *s)
{
    words(o, obj, key, s, strlen(s));
}

/* A string of the trace, if it is one. */
static void func(struct out *o, json_t *obj, const char *key, uint32_t str)
{
    if (str)
        name(o, obj, key, str);
}

/* ---- works --------------------------------------------------------------------------------------------- */

static void out_shares(struct out *o, json_t *obj, const struct work *w, uint32_t node)
{
    json_t *s = object(o, obj, "share");
    real(o, s, "all", tree_share(&w->tree, node, TREE_ALL));
    if (!w->standing) {
        real(o, s, "usual", tree_share(&w->tree, node, TREE_USUAL));
        real(o, s, "slow", tree_share(&w->tree, node, TREE_SLOW));
    }
}

static void out_branches(struct out *o, json_t *parent, const struct work *w, uint32_t node, int depth)
{
    const struct work_tree *t = &w->tree;
    json_t *arr = array(o, parent, depth ? "children" : "tree");
    for (uint32_t k = t->n ? t->v[node].first : NO_LANE; k != NO_LANE; k = t->v[k].next) {
        const struct tree_node *n = &t->v[k];
        if (depth == DEEP || (tree_share(t, k, TREE_ALL) < LEAST && tree_share(t, k, TREE_SLOW) < LEAST))
            continue;
        const enum tree_set set = n->pieces[TREE_ALL] ? TREE_ALL : TREE_SLOW;
        json_t *r = row(o, arr);
        said(o, r, "what", explain_cat_id((enum explain_cat)n->cat));
        if (n->cat == EX_WAIT)
            said(o, r, "wait", wait_kind_name((enum wait_kind)n->kind));
        func(o, r, "leaf", n->leaf);
        func(o, r, "user", n->user);
        said(o, r, "owner", owner_id((enum owner)n->owner));
        func(o, r, "who", n->who);
        func(o, r, "let_go", n->let_go);
        out_shares(o, r, w, k);
        real(o, r, "times", n->pieces[set] ? (double)n->n[set] / n->pieces[set] : 0);
        num(o, r, "pieces", n->pieces[set]);
        if (n->first != NO_LANE)
            out_branches(o, r, w, k, depth + 1);
    }
}

void out_works(struct out *o, json_t *root)
{
    const struct works *all = &o->l->fs.works;
    json_t *arr = array(o, root, "works");
    for (uint32_t i = 0; i < all->n; i++) {
        const struct work *w = &all->v[i];
        json_t *r = row(o, arr);
        said(o, r, "kind", work_kind_name(w->kind));
        name(o, r, "name", w->name);
        name(o, r, "handler", w->user ? w->user : w->name);
        big(o, r, "count", w->n);
        big(o, r, "open", w->open);
        num(o, r, "p50", w->d.p50);
        num(o, r, "p90", w->d.p90);
        num(o, r, "p95", w->d.p95);
        num(o, r, "p99", w->d.p99);
        num(o, r, "p99_9", w->d.p999);
        num(o, r, "max", w->d.max);
        num(o, r, "total", w->total);
        real(o, r, "at_once", w->at_once);
        real(o, r, "weight", w->weight);
        yes(o, r, "background", w->background);
        yes(o, r, "inner", w->inner);
        yes(o, r, "standing", w->standing);
        big(o, r, "looked_at", w->looked);
        yes(o, r, "cut", w->tree.cut);
        out_branches(o, r, w, 0, 0);
    }
}

/* ---- verdicts ------------------------------------------------------------------------------------------ */

static void out_site(struct out *o, json_t *obj, const char *key, const struct site *p)
{
    if (p->user || p->leaf) {
        json_t *r = object(o, obj, key);
        func(o, r, "leaf", p->leaf);
        func(o, r, "user", p->user);
        const struct frame f = p->stack ? trace_frame(o->tr, p->stack, p->frame) : (struct frame){0};
        if (f.file && f.func == p->user) { /* of `user` */
            name(o, r, "file", f.file);
            big(o, r, "line", f.line);
        }
    }
}

static void out_role(struct out *o, json_t *obj, const char *key, const struct role *p)
{
    if (p->group || p->at.user) {
        json_t *r = object(o, obj, key);
        func(o, r, "func", p->group);
        lane_id(o, r, "goroutine", LANE_G, p->g);
        out_site(o, r, "at", &p->at);
    }
}

static void out_chain(struct out *o, json_t *obj, const struct verdict *v)
{
    json_t *arr = array(o, obj, "link");
    for (unsigned i = 0; i < v->nlinks; i++) {
        const struct link *l = &v->link[i];
        json_t *r = row(o, arr);
        func(o, r, "who", l->who);
        func(o, r, "by", l->by);
        said(o, r, "wait", wait_kind_name((enum wait_kind)l->kind));
        out_site(o, r, "at", &l->at);
        out_site(o, r, "let_go", &l->let_go);
    }
    arr = array(o, obj, "doing");
    for (unsigned i = 0; i < v->ndoing; i++) {
        const struct did *d = &v->doing[i];
        json_t *r = row(o, arr);
        said(o, r, "what", explain_cat_id((enum explain_cat)d->cat));
        out_site(o, r, "at", &d->at);
        real(o, r, "share", d->share);
    }
}

static void out_symptoms(struct out *o, json_t *obj, const struct verdict *v)
{
    json_t *arr = array(o, obj, "symptoms");
    for (unsigned i = 0; i < v->nsymptoms; i++) {
        json_t *r = row(o, arr);
        said(o, r, "rule", rule_id(v->symptom[i].rule));
        func(o, r, "user", v->symptom[i].user);
        real(o, r, "share", v->symptom[i].share);
    }
}

/* Counts, nanoseconds and bytes are whole, shares and tenths are not. */
static void out_evidence(struct out *o, json_t *obj, const struct verdict *v)
{
    json_t *r = object(o, obj, "evidence");
    for (int k = 0; k < EV_KINDS; k++) {
        const enum evidence_unit u = evidence_unit((enum evidence_kind)k);
        if (!(v->known >> k & 1))
            continue;
        if (u == EU_SHARE || u == EU_TENTHS)
            real(o, r, evidence_id((enum evidence_kind)k), v->ev[k]);
        else
            num(o, r, evidence_id((enum evidence_kind)k), (int64_t)v->ev[k]);
    }
}

static void out_harm(struct out *o, json_t *obj, const struct harm *h)
{
    json_t *r = object(o, obj, "harm");
    real(o, r, "share", h->share);
    if (h->work != NO_LANE) {
        num(o, r, "work", h->work);
        real(o, r, "all", h->all);
        real(o, r, "usual", h->usual);
        real(o, r, "slow", h->slow);
        big(o, r, "hit", h->hit);
        big(o, r, "of", h->of);
        yes(o, r, "slow_only", h->slow_only);
    }
}

static void range(struct out *o, json_t *obj, const char *key, double lo, double hi)
{
    json_t *r = array(o, obj, key);
    push(o, r, json_real(lo));
    push(o, r, json_real(hi));
}

void out_verdict(struct out *o, json_t *r, const struct verdict *v)
{
    static const char *const level[] = {"note", "warn", "severe"};
    said(o, r, "family", family_id(verdict_family(v)));
    said(o, r, "level", level[v->level]);
    said(o, r, "sure", v->sure == SURE_INFERRED ? "inferred" : "recorded");
    yes(o, r, "grows", v->grows);
    out_site(o, r, "culprit", &v->culprit);
    out_site(o, r, "caller", &v->caller);
    out_site(o, r, "where", &v->where);
    out_role(o, r, "waiter", &v->waiter);
    out_role(o, r, "holder", &v->holder);
    out_role(o, r, "creator", &v->creator);
    out_chain(o, r, v);
    out_symptoms(o, r, v);
    out_evidence(o, r, v);
    out_harm(o, r, &v->harm);
    if (v->gain.known) {
        json_t *g = object(o, r, "gain");
        range(o, g, "piece", v->gain.piece_lo, v->gain.piece_hi);
        range(o, g, "p99", v->gain.p99_lo, v->gain.p99_hi);
        range(o, g, "trace", v->gain.trace_lo, v->gain.trace_hi);
    }
    json_t *e = object(o, r, "example");
    num(o, e, "t0", v->t0);
    num(o, e, "t1", v->t1);
    if (v->lane == LANE_G)
        lane_id(o, e, "goroutine", LANE_G, v->g);
}
