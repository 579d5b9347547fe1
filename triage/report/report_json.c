/*
 * report_json.c - what only a report knows, as one JSON object (docs/REPORT.md): what a program does again
 * and again, with the trees of its time; findings with their typed fields; and the numbers of --metrics.
 * Tables are SQL's (triage/sql). Names are cleaned UTF-8, times whole nanoseconds, shares 0..1.
 */
#include "triage/json.h"
#include "triage/findings/asked.h"
#include "triage/findings/explain.h"
#include "triage/query/goto.h"
#include "triage/report/report.h"

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

static void out_works(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "works");
    each_of(w, l->fs.works.v, l->fs.works.n) {
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
    each_of(l, v->link, v->nlinks) {
        json_row(arr, tr, "who", j_some(l->who), "by", j_some(l->by), "wait",
                 wait_kind_name((enum wait_kind)l->kind), "at", site(tr, &l->at), "let_go",
                 site(tr, &l->let_go));
    }
    arr = json_list(obj, "doing");
    each_of(d, v->doing, v->ndoing) {
        json_row(arr, tr, "what", explain_cat_id((enum explain_cat)d->cat), "at", site(tr, &d->at), "share",
                 d->share);
    }
    arr = json_list(obj, "symptoms");
    for (unsigned i = 0; i < v->nsymptoms; i++)
        json_row(arr, tr, "rule", rule_id(v->symptom[i].rule), "user", j_some(v->symptom[i].user), "share",
                 v->symptom[i].share);
}

/* Adds the evidence. Counts, nanoseconds and bytes are whole, shares and tenths are not. */
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

static json_t *from_to(double lo, double hi)
{
    return json_pack("[f, f]", lo, hi);
}

static void out_verdict(json_t *r, const struct trace *tr, const struct verdict *v)
{
    json_put(r, tr, "family", family_id(verdict_family(v)), "level", level_id(v->level), "sure",
             v->sure == SURE_INFERRED ? "inferred" : "recorded", "grows", v->grows, "culprit",
             site(tr, &v->culprit), "caller", site(tr, &v->caller), "where", site(tr, &v->where), "waiter",
             role(tr, &v->waiter), "holder", role(tr, &v->holder), "creator", role(tr, &v->creator));
    out_chain(r, tr, v);
    out_evidence(r, v);
    const struct harm *h = &v->harm;
    json_t *harm = json_in(r, "harm", NULL, "share", h->share);
    if (h->work != NO_LANE)
        json_put(harm, NULL, "work", h->work, "all", h->all, "usual", h->usual, "slow", h->slow, "hit",
                 h->hit, "of", h->of, "slow_only", h->slow_only);
    if (v->gain.known)
        json_in(r, "gain", NULL, "piece", from_to(v->gain.piece_lo, v->gain.piece_hi), "p99",
                from_to(v->gain.p99_lo, v->gain.p99_hi), "trace",
                from_to(v->gain.trace_lo, v->gain.trace_hi));
    json_in(r, "example", tr, "t0", v->t0, "t1", v->t1, "goroutine", j_g(v->lane == LANE_G ? v->g : NO_LANE));
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void out_trace(json_t *root, const struct loaded *l)
{
    const struct trace *tr = l->tr;
    const struct trace_info *in = trace_info(tr);
    json_t *t = json_in(root, "trace", tr, "path", l->path, "dialect", in->dialect, "duration_ns", in->end,
                        "has_clock", in->has_clock, "clock_assumed", in->clock_assumed, "events", in->events,
                        "bytes", in->bytes_done, "gomaxprocs", in->gomaxprocs, "first_ns", in->first_ns);
    json_put(t, tr, "wall_sec", j_if(in->has_wall, in->wall_sec), "wall_nsec",
             j_if(in->has_wall, in->wall_nsec), "goroutines", in->goroutines, "goroutines_created",
             l->tg->g_created, "goroutines_ended", l->tg->g_ended, "partial", l->partial);
    json_notes(t, "damages", tr, trace_damage);
    json_put(t, tr, "more_damages", j_if(in->more_damages, in->more_damages));
    json_notes(t, "warnings", tr, trace_warning);
}

/* Adds a place to look at: the lane's number, and the id that explain and the viewer accept. */
static void out_place(json_t *r, const struct trace *tr, const struct finding *f)
{
    char place[LINK_PLACE];
    const bool g = f->lane.kind == LANE_G;
    if (f->lane.i == NO_LANE || (!g && f->lane.kind != LANE_P))
        return;
    link_place(place, f->v.t0, f->lane.kind, f->lane_id);
    json_put(r, tr, "goroutine", j_g(g ? f->lane.i : NO_LANE), "proc", j_p(g ? NO_LANE : f->lane.i), "place",
             place);
}

static void out_findings(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "findings");
    each_of(f, l->fs.f, l->fs.n) {
        json_t *r = json_row(arr, l->tr, "rule", rule_id(f->v.rule), "key", f->key, "note", f->note,
                             "inferred", f->inferred, "severity_ns", f->severity_ns, "amount", f->amount,
                             "title", f->title, "text", f->text, "next", f->next, "won", f->won, "t0",
                             f->v.t0, "t1", f->v.t1, "view", rule_row(f->v.rule)->view);
        out_place(r, l->tr, f);
        json_put(r, l->tr, "stack", j_stack(f->v.where.stack));
        out_verdict(r, l->tr, &f->v);
    }
}

/* Adds the rules that could not be asked, since "none" and "not recorded" are two answers. */
static void out_not_asked(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "not_applicable");
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *why = rule_not_asked(l->tg, (enum rule)r);
        if (why)
            json_row(arr, l->tr, "rule", rule_id((enum rule)r), "because", why);
    }
}

static const char *const unit[] = {"count", "ns", "share", "bytes"};

static void out_numbers(json_t *root, const struct loaded *l)
{
    json_t *all = json_under(root, "numbers");
    const char *name;
    for (size_t i = 0; (name = metric_number(i)) != NULL; i++) {
        struct metric_value v;
        struct err e;
        if (metric_get(l, name, &v, &e) != ERR_OK)
            json_fail();
        else if (v.known)
            json_in(all, name, NULL, "value", v.v, "unit", unit[v.unit]);
    }
}

static void out_asserts(json_t *root, const struct asserts *a)
{
    json_t *arr = json_list(root, "assertions");
    each_of(x, a->v, a->evaluated) {
        json_row(arr, NULL, "condition", x->said, "metric", x->cond.metric, "held", x->held, "known",
                 x->v.known, "unit", unit[x->v.unit], "value", j_if(x->v.known, x->v.v));
    }
}

char *report_json(const struct loaded *l, const struct asserts *a)
{
    json_t *root = json_begin();
    json_put(root, NULL, "schema", REPORT_SCHEMA);
    out_trace(root, l);
    if (a)
        out_asserts(root, a);
    out_works(root, l);
    out_findings(root, l);
    out_not_asked(root, l);
    out_numbers(root, l);
    return json_end(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}
