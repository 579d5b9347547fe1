/*
 * diff_paths.c - in which call paths two runs differ. What both do many times (tasks, regions, pieces of
 * work, goroutines of a start function) is explained instance by instance on both sides and compared by
 * category, function and caller. It claims nothing: runs of an unchanged program differ here, too.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/diff/diff_parts.h"
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/instances.h"
#include "triage/sentence.h"

#define SPANS 400000  /* the most spans that the explanations of a side may visit */
#define LOOK 128      /* instances of a row that are explained: of as many lots by length the middle ones */
#define ROWS_A_KIND 2 /* of each kind, those that take longest in the new run */
#define SHARE 0.01    /* least share of the trace of a row */
#define MOVED 0.10    /* least change of a path, as a share of an instance */

struct how { /* a side */
    const struct loaded *l;
    struct instances_all all;
};

/* ---- the paths of a row -------------------------------------------------------------------------------- */

/* Takes ownership of the names. */
static void path_put(struct diff_paths *d, int side, struct diff_path *p, int64_t ns)
{
    uint32_t i = 0;
    while (i < d->n && (d->v[i].cat != p->cat || strcmp(d->v[i].func, p->func) != 0 ||
                        strcmp(d->v[i].caller, p->caller) != 0))
        i++;
    if (i == d->n && d->n < DIFF_PATHS) {
        d->v[d->n++] = *p;
    } else {
        mem_free(p->func);
        mem_free(p->caller);
    }
    if (i < d->n)
        d->v[i].ns[side] = ns_add(d->v[i].ns[side], ns);
}

/*
 * Where in the library a goroutine of its was differs by chance: there it is told by the goroutine's start
 * function.
 */
static bool in_program(const struct trace *tr, const struct leaf *l)
{
    return l->func && (stacks_is_program(tr, l->func) || !l->who);
}

static void path_add(struct diff_paths *d, int side, const struct trace *tr, const struct leaf *l,
                     uint32_t caller, int64_t ns)
{
    struct text f = {0}, by = {0};
    text_func(&f, tr, in_program(tr, l) ? l->func : l->who, 0);
    if (caller)
        text_func(&by, tr, caller, 0);
    struct diff_path p = {.cat = (enum explain_cat)l->cat, .func = text_take(&f), .caller = text_take(&by)};
    if (p.func && p.caller) {
        path_put(d, side, &p, ns);
    } else {
        mem_free(p.func);
        mem_free(p.caller);
        d->failed = true;
    }
}

/* Adds a path for each caller, and one without a caller for the rest. */
static void leaf_add(struct diff_paths *d, int side, const struct trace *tr, const struct leaf *l,
                     int64_t looked)
{
    int64_t rest = l->ns;
    for (int k = 0; k < CALLERS; k++) {
        if (l->callers.func[k] && l->callers.ns[k] > 0 && in_program(tr, l)) {
            path_add(d, side, tr, l, l->callers.func[k], l->callers.ns[k] / looked);
            rest -= l->callers.ns[k];
        }
    }
    if (rest > 0)
        path_add(d, side, tr, l, 0, rest / looked);
}

static bool side_of(struct how *h, const struct instance_row *r, int side, struct diff_paths *d)
{
    const struct workpiece *v = h->all.in.one + r->at;
    const uint32_t n = (uint32_t)r->d.n, looked = n < LOOK ? n : LOOK;
    struct explain_tree t;
    struct leaves s = {0};
    bool ok = explain_tree_init(&t, h->l->tr);
    d->count[side] = r->d.n;
    d->each[side] = dist_avg(&r->d);
    for (uint32_t i = 0; ok && i < looked; i++) {
        const struct workpiece *one =
            &v[(2 * (uint64_t)i + 1) * n / (2 * looked)]; /* not the longest of all */
        ok = explain_add_piece(h->all.x, &t, one);
    }
    if (ok) {
        causes_leaves(&t, &s);
        d->cut |= t.cut;
    }
    for (uint32_t i = 0; ok && i < s.n; i++)
        leaf_add(d, side, h->l->tr, &s.v[i], looked);
    explain_tree_free(&t);
    return ok && !d->failed;
}

static int64_t far(const struct diff_path *p)
{
    return p->ns[1] > p->ns[0] ? p->ns[1] - p->ns[0] : p->ns[0] - p->ns[1];
}

static int cmp_path(const void *a, const void *b)
{
    const struct diff_path *x = a, *y = b;
    const int64_t p = far(x), q = far(y);
    const int f = strcmp(x->func, y->func);
    return p != q             ? (p < q) - (p > q)
           : f                ? f
           : x->cat != y->cat ? (x->cat > y->cat ? 1 : -1)
                              : strcmp(x->caller, y->caller);
}

static void paths_free(struct diff_paths *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        mem_free(d->v[i].func);
        mem_free(d->v[i].caller);
    }
    d->n = 0;
}

static void keep_moved(struct diff_paths *d)
{
    const double longer = (double)(d->each[1] > d->each[0] ? d->each[1] : d->each[0]);
    uint32_t n = 0;
    if (d->n)
        qsort(d->v, d->n, sizeof *d->v, cmp_path);
    while (n < d->n && (double)far(&d->v[n]) >= MOVED * longer)
        n++;
    for (uint32_t i = n; i < d->n; i++) {
        mem_free(d->v[i].func);
        mem_free(d->v[i].caller);
    }
    d->n = n;
}

/* ---- all rows ------------------------------------------------------------------------------------------ */

static const struct instance_row *row_like(const struct how *old, const struct how *new,
                                           const struct instance_row *r)
{
    const struct str s = trace_str(new->l->tr, r->name);
    for (uint32_t i = 0; i < old->all.in.n; i++) {
        const struct instance_row *o = &old->all.in.row[i];
        const struct str u = trace_str(old->l->tr, o->name);
        if (o->kind == r->kind && s.len == u.len && memcmp(s.p, u.p, s.len) == 0)
            return o;
    }
    return NULL;
}

static bool asked(const struct how *h, const struct instance_row *r)
{
    return r->kind != IN_PLACE && r->d.n >= 2 && (double)r->d.total >= SHARE * (double)h->l->tg->end &&
           (r->kind == IN_TASK || r->kind == IN_REGION || stacks_is_program(h->l->tr, r->name) ||
            r->kind == IN_PIECE);
}

bool diff_paths_each(const struct loaded *a, const struct loaded *b, diff_paths_fn *fn, void *arg)
{
    struct how old = {.l = a}, new = {.l = b};
    uint32_t shown[IN_KINDS] = {0};
    struct diff_paths *d = mem_zalloc(sizeof *d);
    bool ok = d && instances_all(a->tg, SPANS, &old.all) && instances_all(b->tg, SPANS, &new.all);
    for (uint32_t i = 0; ok && i < new.all.in.n; i++) {
        const struct instance_row *r = &new.all.in.row[i],
                                  *o = asked(&new, r) ? row_like(&old, &new, r) : NULL;
        if (!o || shown[r->kind] == ROWS_A_KIND)
            continue;
        shown[r->kind]++;
        *d = (struct diff_paths){.kind = r->kind, .name = r->name};
        ok = side_of(&old, o, 0, d) && side_of(&new, r, 1, d);
        keep_moved(d);
        if (ok && d->n)
            fn(arg, d);
        paths_free(d);
    }
    instances_all_free(&old.all);
    instances_all_free(&new.all);
    mem_free(d);
    return ok;
}

/* ---- as text ------------------------------------------------------------------------------------------- */

#define TOLD 4 /* paths of a row */

struct page {
    struct text *t;
    const struct trace *tr; /* of the new run */
    unsigned rows;
};

static void path_text(struct text *t, const struct diff_path *p)
{
    text_add(t, "      %s", p->ns[1] >= p->ns[0] ? "+" : "-");
    text_say(t, NULL, t_dur(far(p)), t_to(8), " ", explain_cat_name(p->cat), " ",
             p->cat == EX_QUEUED ? "by" : "in", " ", t_clean(p->func));
    if (p->caller[0])
        text_say(t, NULL, ", called by ", t_clean(p->caller));
    text_say(t, NULL, ": ", t_dur(p->ns[0]), " -> ", t_dur(p->ns[1]), "\n");
}

static void paths_text(void *arg, const struct diff_paths *d)
{
    struct page *k = arg;
    if (k->rows++ == 0) {
        text_lit(
            k->t,
            "\nCALL PATHS in which one instance differs, on average, followed to its end (of two runs of "
            "one program, too)\n");
    }
    text_add(k->t, "  %s ", instance_kind_name(d->kind));
    if (d->kind == IN_TASK || d->kind == IN_REGION)
        text_str(k->t, k->tr, d->name);
    else
        text_func(k->t, k->tr, d->name, 60);
    text_say(k->t, NULL, ": ", d->count[0], " -> ", d->count[1], ", ", t_dur(d->each[0]), " -> ",
             t_dur(d->each[1]), " each", d->cut ? " (some waits are not followed to their end)" : "", "\n");
    for (uint32_t i = 0; i < d->n && i < TOLD; i++)
        path_text(k->t, &d->v[i]);
}

void diff_paths(struct text *t, const struct loaded *a, const struct loaded *b)
{
    struct page k = {t, b->tr, 0};
    if (trace_info(a->tr)->has_clock && trace_info(b->tr)->has_clock)
        t->failed |= !diff_paths_each(a, b, paths_text, &k);
}
