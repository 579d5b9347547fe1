/*
 * diff_tables.c - one run beside another: how long a piece of a work takes and where it spends more or less
 * (the works' trees, work.h, matched by what the lines of a tree say), findings, numbers. Nothing is claimed:
 * two runs of an unchanged program differ here, too.
 */
#include <string.h>

#include "decode/base/order.h"
#include "decode/base/mem.h"
#include "triage/diff/claims.h"
#include "triage/work/work_text.h"

#define MOVED 0.10 /* of a piece: smaller changes of a part are left out */

/* Returns the time of a node in an average piece, without what its children explain. */
static int64_t own_ns(const struct work_tree *t, uint32_t node)
{
    int64_t ns = t->v[node].ns[TREE_ALL];
    for (uint32_t k = t->v[node].first; k != NO_LANE; k = t->v[k].next)
        ns -= t->v[k].ns[TREE_ALL];
    return ns > 0 && t->pieces[TREE_ALL] ? ns / t->pieces[TREE_ALL] : 0;
}

/* A part is the kind of a node and the user's function, else the one that was called: which function of a
 * library waits may differ by chance. */
static bool part_add(struct diff_work *d, int side, const struct trace *tr, const struct tree_node *n,
                     int64_t ns)
{
    struct text f = {0};
    const char *what = node_word(n);
    text_func(&f, tr, n->user ? n->user : n->leaf, 0);
    char *func = text_take(&f);
    if (!func)
        return false;
    const uint32_t i =
        find_first(k, d->n, strcmp(d->v[k].what, what) == 0 && strcmp(d->v[k].func, func) == 0);
    if (i == d->n && d->n < DIFF_PARTS)
        d->v[d->n++] = (struct diff_part){.what = what, .func = func};
    else
        mem_free(func);
    if (i < d->n)
        d->v[i].ns[side] = ns_add(d->v[i].ns[side], ns);
    return true;
}

static bool parts_add(struct diff_work *d, int side, const struct loaded *l)
{
    const struct work_tree *t = &d->w[side]->tree;
    bool ok = true;
    for (uint32_t k = 1; k < t->n && ok; k++) {
        const int64_t ns = own_ns(t, k);
        ok = !ns || part_add(d, side, l->tr, &t->v[k], ns);
    }
    return ok;
}

static int64_t part_moved(const struct diff_part *p)
{
    return p->ns[1] > p->ns[0] ? p->ns[1] - p->ns[0] : p->ns[0] - p->ns[1];
}

ORDER(farthest_first, struct diff_part, MOST(part_moved(r)) ALPHA(r->func) ALPHA(r->what))

/* Leaves the parts that moved, and frees the others. */
static void keep_moved(struct diff_work *d, double least)
{
    uint32_t n = 0;
    sort(d->v, d->n, farthest_first);
    while (n < d->n && part_moved(&d->v[n]) > 0 && (double)part_moved(&d->v[n]) >= least)
        n++;
    for (uint32_t i = n; i < d->n; i++)
        mem_free(d->v[i].func);
    d->n = n;
}

/* Returns the same work of the other run; the handler may be known in one of them alone. */
static const struct work *work_like(const struct loaded *old, const struct loaded *new, const struct work *w)
{
    each_of(o, old->fs.works.v, old->fs.works.n)
        if (o->kind == w->kind && str_same(trace_str(old->tr, o->name), trace_str(new->tr, w->name)) &&
            (!o->user || !w->user || str_same(trace_str(old->tr, o->user), trace_str(new->tr, w->user))))
            return o;
    return NULL;
}

bool diff_works_each(const struct loaded *a, const struct loaded *b, diff_work_fn *fn, void *arg)
{
    const bool clock = trace_info(a->tr)->has_clock && trace_info(b->tr)->has_clock;
    struct diff_work d;
    uint32_t nth = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && clock && i < b->fs.works.n; i++) {
        const struct work *w = &b->fs.works.v[i], *o = work_counts(w) ? work_like(a, b, w) : NULL;
        if (!o || !o->d.n || !w->d.n)
            continue;
        const int64_t was = dist_avg(&o->d), is = dist_avg(&w->d);
        d = (struct diff_work){.nth = nth++, .tr = b->tr, .all = &b->fs.works, .w = {o, w}};
        ok = parts_add(&d, 0, a) && parts_add(&d, 1, b);
        keep_moved(&d, MOVED * (double)(was > is ? was : is));
        if (ok)
            fn(arg, &d);
        for (uint32_t k = 0; k < d.n; k++)
            mem_free(d.v[k].func);
    }
    return ok;
}

/* ---- as text ------------------------------------------------------------------------------------------- */

enum { SAID = 4 }; /* parts of a work */

static void was_is(struct text *t, const char *what, int64_t was, int64_t is)
{
    text_say(t, NULL, what, t_dur(was), " -> ", t_dur(is));
}

static void work_moved(void *arg, const struct diff_work *d)
{
    struct text *t = arg;
    const struct work *o = d->w[0], *w = d->w[1];
    if (!d->nth)
        text_lit(t, "\nWORK  how long one takes, and where it spends more or less (two runs of one program "
                    "differ, too)\n");
    text_lit(t, "  ");
    work_head(t, d->all, w);
    if (w->kind != WORK_MAIN)
        text_say(t, NULL, " (", o->n, " before)");
    if (o->n > 1 || w->n > 1) {
        was_is(t, ": p50 ", o->d.p50, w->d.p50);
        was_is(t, ", p99 ", o->d.p99, w->d.p99);
    } else {
        was_is(t, ": ", o->d.max, w->d.max);
    }
    text_lit(t, "\n");
    for (uint32_t i = 0; i < d->n && i < SAID; i++) {
        const struct diff_part *p = &d->v[i];
        text_say(t, NULL, "      ", p->ns[1] >= p->ns[0] ? "+" : "-", t_dur(part_moved(p)), t_to(16), " ",
                 p->what, " in ", t_clean(p->func));
        was_is(t, ": ", p->ns[0], p->ns[1]);
        text_lit(t, " each\n");
    }
}

/* ---- findings and numbers ------------------------------------------------------------------------------ */

void diff_change(struct text *t, const struct metric_value *a, const struct metric_value *b)
{
    struct text cell = {0};
    metric_text(&cell, a);
    text_add(t, "%12s", cell.p ? cell.p : "");
    text_free(&cell);
    metric_text(&cell, b);
    text_add(t, " -> %-12s", cell.p ? cell.p : "");
    text_free(&cell);
    if (a->known && b->known && a->v > 0 && a->unit != UNIT_SHARE)
        text_add(t, b->v >= 10 * a->v ? " %7.1f times" : " %+7.1f%%",
                 b->v >= 10 * a->v ? b->v / a->v : (b->v / a->v - 1) * 100);
    else if (a->known && b->known && a->unit == UNIT_SHARE)
        text_add(t, " %+7.2f points", (b->v - a->v) * 100);
}

static void diff_numbers(struct text *t, const struct loaded *a, const struct loaded *b)
{
    static const char *const shown[] = {
        "duration",  "procs",      "events",       "goroutines", "goroutines.stuck", "busy.share",
        "gc.cycles", "gc.share",   "gc.assist",    "heap.max",   "mmu(10ms)",        "count(stw)",
        "max(stw)",  "total(stw)", "count(sched)", "p50(sched)", "p99(sched)",       "max(sched)",
    };
    text_lit(t, "\nNUMBERS\n");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        struct metric_value x, y;
        if (metric_get(a, shown[i], &x, NULL) != ERR_OK || metric_get(b, shown[i], &y, NULL) != ERR_OK)
            continue;
        text_say(t, NULL, "  ", shown[i], t_to(20));
        diff_change(t, &x, &y);
        text_lit(t, "\n");
    }
}

/* Adds "gone 69.6%  lock held in  main.(*bank).clerk"; `was` is its amount in the other one. */
static void finding_line(struct text *t, const struct loaded *x, const struct finding *f, const char *word,
                         const char *was)
{
    text_say(t, NULL, "  ", word, " ", t_clean(was ? was : ""), was ? " -> " : "", t_clean(f->amount), "  ",
             f->title);
    if (f->v.culprit.user) {
        text_lit(t, "  ");
        site_text(t, x->tr, &f->v.culprit);
    }
    text_lit(t, "\n");
}

/* Adds those that the other one has, too, or those that it has not. */
static void side_findings(struct text *t, const struct loaded *x, const struct loaded *other, bool both,
                          const char *word)
{
    const struct finding *v = other->fs.f;
    each_of(f, x->fs.f, x->fs.n) {
        const uint32_t k = find_first(j, other->fs.n, strcmp(v[j].key, f->key) == 0);
        if (both == (k < other->fs.n) && !findings_is_what(f))
            finding_line(t, x, f, word, both ? v[k].amount : NULL);
    }
}

static void diff_findings(struct text *t, const struct loaded *a, const struct loaded *b)
{
    text_lit(t, "\nFINDINGS\n");
    const size_t n = t->n;
    side_findings(t, b, a, false, "new ");
    side_findings(t, a, b, false, "gone");
    side_findings(t, b, a, true, "both");
    if (t->n == n)
        text_lit(t, "  none in either\n");
}

void diff_tables(struct text *t, const struct loaded *a, const struct loaded *b)
{
    t->failed |= !diff_works_each(a, b, work_moved, t);
    diff_findings(t, a, b);
    diff_numbers(t, a, b);
}
