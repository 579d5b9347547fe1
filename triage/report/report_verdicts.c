/* report_verdicts.c - what a program does again and again, with the trees of its time, and a verdict's typed
 * fields, as JSON. */
#include "triage/findings/explain.h"
#include "triage/report/report_parts.h"

#define LEAST 0.005 /* of a work's time, of all pieces or of the slow ones: smaller branches are left out */
enum { DEEP = 32 };

/* ---- works --------------------------------------------------------------------------------------------- */

static void out_branches(json_t *parent, const struct trace *tr, const struct work *w, uint32_t node,
                         int depth)
{
    const struct work_tree *t = &w->tree;
    json_t *arr = json_list(parent, depth ? "children" : "tree");
    for (uint32_t k = t->n ? t->v[node].first : NO_LANE; k != NO_LANE; k = t->v[k].next) {
        const struct tree_node *n = &t->v[k];
        if (depth == DEEP || (tree_share(t, k, TREE_ALL) < LEAST && tree_share(t, k, TREE_SLOW) < LEAST))
            continue;
        const enum tree_set set = n->pieces[TREE_ALL] ? TREE_ALL : TREE_SLOW;
        json_t *r =
            json_row(arr, tr, "what", explain_cat_id((enum explain_cat)n->cat), "wait",
                     n->cat == EX_WAIT ? wait_kind_name((enum wait_kind)n->kind) : NULL, "leaf",
                     j_some(n->leaf), "user", j_some(n->user), "owner", owner_id((enum owner)n->owner), "who",
                     j_some(n->who), "let_go", j_some(n->let_go));
        json_in(r, "share", tr, "all", tree_share(t, k, TREE_ALL), "usual",
                j_if(!w->standing, tree_share(t, k, TREE_USUAL)), "slow",
                j_if(!w->standing, tree_share(t, k, TREE_SLOW)));
        json_put(r, tr, "times", n->pieces[set] ? (double)n->n[set] / n->pieces[set] : 0, "pieces",
                 n->pieces[set]);
        if (n->first != NO_LANE)
            out_branches(r, tr, w, k, depth + 1);
    }
}

void out_works(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "works");
    for (uint32_t i = 0; i < l->fs.works.n; i++) {
        const struct work *w = &l->fs.works.v[i];
        json_t *r = json_row(arr, l->tr, "kind", work_kind_name(w->kind), "name", j_str(w->name), "handler",
                             j_str(w->user ? w->user : w->name), "count", w->n, "open", w->open, "p50",
                             w->d.p50, "p90", w->d.p90, "p95", w->d.p95, "p99", w->d.p99, "p99_9", w->d.p999,
                             "max", w->d.max, "total", w->total);
        json_put(r, NULL, "at_once", w->at_once, "weight", w->weight, "background", w->background, "inner",
                 w->inner, "standing", w->standing, "rest", work_rest(w), "looked_at", w->looked, "cut",
                 w->tree.cut);
        out_branches(r, l->tr, w, 0, 0);
    }
}

/* ---- verdicts ------------------------------------------------------------------------------------------ */

/* Returns a place as an object; NULL: there is none. */
static json_t *site(const struct trace *tr, const struct site *p)
{
    if (!p->user && !p->leaf)
        return NULL;
    const struct frame f = p->stack ? trace_frame(tr, p->stack, p->frame) : (struct frame){0};
    const bool of_user = f.file && f.func == p->user;
    return json_put(json_object(), tr, "leaf", j_some(p->leaf), "user", j_some(p->user), "file",
                    j_some(of_user ? f.file : 0), "line", j_if(of_user, f.line));
}

static json_t *role(const struct trace *tr, const struct role *p)
{
    if (!p->group && !p->at.user)
        return NULL;
    return json_put(json_object(), tr, "func", j_some(p->group), "goroutine", j_g(p->g), "at",
                    site(tr, &p->at));
}

static void out_chain(json_t *obj, const struct trace *tr, const struct verdict *v)
{
    json_t *arr = json_list(obj, "link");
    for (unsigned i = 0; i < v->nlinks; i++) {
        const struct link *l = &v->link[i];
        json_row(arr, tr, "who", j_some(l->who), "by", j_some(l->by), "wait",
                 wait_kind_name((enum wait_kind)l->kind), "at", site(tr, &l->at), "let_go",
                 site(tr, &l->let_go));
    }
    arr = json_list(obj, "doing");
    for (unsigned i = 0; i < v->ndoing; i++) {
        const struct did *d = &v->doing[i];
        json_row(arr, tr, "what", explain_cat_id((enum explain_cat)d->cat), "at", site(tr, &d->at), "share",
                 d->share);
    }
    arr = json_list(obj, "symptoms");
    for (unsigned i = 0; i < v->nsymptoms; i++)
        json_row(arr, tr, "rule", rule_id(v->symptom[i].rule), "user", j_some(v->symptom[i].user), "share",
                 v->symptom[i].share);
}

/* Counts, nanoseconds and bytes are whole, shares and tenths are not. */
static void out_evidence(json_t *obj, const struct verdict *v)
{
    json_t *r = json_under(obj, "evidence");
    for (int k = 0; k < EV_KINDS; k++) {
        const enum evidence_unit u = evidence_unit((enum evidence_kind)k);
        const char *id = evidence_id((enum evidence_kind)k);
        if (!(v->known >> k & 1))
            continue;
        if (u == EU_SHARE || u == EU_TENTHS)
            json_put(r, NULL, id, v->ev[k]);
        else
            json_put(r, NULL, id, (int64_t)v->ev[k]);
    }
}

static void out_harm(json_t *obj, const struct harm *h)
{
    json_t *r = json_in(obj, "harm", NULL, "share", h->share);
    if (h->work != NO_LANE)
        json_put(r, NULL, "work", h->work, "all", h->all, "usual", h->usual, "slow", h->slow, "hit", h->hit,
                 "of", h->of, "slow_only", h->slow_only);
}

static json_t *from_to(double lo, double hi)
{
    return json_pack("[f, f]", lo, hi);
}

void out_verdict(json_t *r, const struct trace *tr, const struct verdict *v)
{
    json_put(r, tr, "family", family_id(verdict_family(v)), "level", level_id(v->level), "sure",
             v->sure == SURE_INFERRED ? "inferred" : "recorded", "grows", v->grows, "culprit",
             site(tr, &v->culprit), "caller", site(tr, &v->caller), "where", site(tr, &v->where), "waiter",
             role(tr, &v->waiter), "holder", role(tr, &v->holder), "creator", role(tr, &v->creator));
    out_chain(r, tr, v);
    out_evidence(r, v);
    out_harm(r, &v->harm);
    if (v->gain.known)
        json_in(r, "gain", NULL, "piece", from_to(v->gain.piece_lo, v->gain.piece_hi), "p99",
                from_to(v->gain.p99_lo, v->gain.p99_hi), "trace",
                from_to(v->gain.trace_lo, v->gain.trace_hi));
    json_in(r, "example", tr, "t0", v->t0, "t1", v->t1, "goroutine", j_g(v->lane == LANE_G ? v->g : NO_LANE));
}
