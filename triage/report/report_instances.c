/*
 * report_instances.c - what a program did many times: rows of instances.h with their percentiles, and what
 * the slow ones do more of than the usual ones, as lines of the page and as JSON.
 */
#include "triage/findings/instances.h"
#include "triage/report/report_parts.h"
#include "triage/sentence.h"

#define SPANS 200000 /* that all explanations of a report may pass */
#define DIFFS 8      /* rows of a kind whose slow ones are explained */

/* Finds no difference if times are ticks or the budget is spent. Returns false when out of memory. */
static bool differ(struct instances_all *k, const struct loaded *l, const struct instance_row *r,
                   struct instance_diff *d)
{
    *d = (struct instance_diff){0};
    const bool asked = trace_info(l->tr)->has_clock && explain_left(k->x) && r->kind != IN_GROUP;
    return !asked || instances_differ(k->x, &k->in, r, d);
}

static void row_name(struct text *t, const struct trace *tr, const struct instance_row *r, size_t max)
{
    struct str s = trace_str(tr, r->name);
    if (r->kind == IN_TASK || r->kind == IN_REGION)
        text_clean(t, s.p, s.len, max);
    else
        text_func(t, tr, r->name, max);
}

/* Whether a row is worth a line of the page: not if it happened once or took hardly any time. */
static bool worth(const struct instance_row *r, int64_t end)
{
    return r->kind == IN_TASK || r->kind == IN_REGION ||
           (r->d.total >= end / 100 && r->d.n >= (r->kind == IN_PLACE ? 8 : 2));
}

void report_instances(struct text *t, const struct loaded *l)
{
    static const unsigned most[IN_KINDS] = {2, 2, 2, 2, 2};
    const bool all = report_columns() > REPORT_WIDTH - 10; /* columns */
    const int most_name = (int)report_room(all ? 33 : 33 + 10);
    unsigned shown[IN_KINDS] = {0}, lines = 0;
    struct instances_all k;
    bool ok = instances_all(l->tg, SPANS, &k);
    for (uint32_t i = 0; ok && i < k.in.n; i++) {
        const struct instance_row *r = &k.in.row[i];
        struct instance_diff d;
        struct text u = {.ascii = t->ascii};
        if (shown[r->kind] == most[r->kind] || !worth(r, l->tg->end))
            continue;
        shown[r->kind]++;
        if (lines++ == 0) {
            text_add(t, "\nINSTANCES\n  %-14s %-*s %7s %9s %9s %9s%s\n", "", most_name, "", "count", "p50",
                     "p99", "max", all ? "     total" : "");
        }
        text_add(t, "  %-14s ", instance_kind_name(r->kind));
        size_t start = t->n;
        row_name(t, l->tr, r, (size_t)(r->kind == IN_PLACE ? most_name - 13 : most_name));
        if (r->kind == IN_PLACE)
            text_add(t, ": %s", wait_kind_name(r->wait));
        text_pad(t, start, (size_t)most_name);
        text_say(t, NULL, r->looked < r->of ? "~" : " ", t_right(r->d.n, 7), t_cell(r->d.p50, 10),
                 t_cell(r->d.p99, 10), t_cell(r->d.max, 10));
        if (all)
            text_say(t, NULL, t_cell(r->d.total, 10));
        text_lit(t, "\n");
        t->failed |= !differ(&k, l, r, &d);
        instance_diff_text(&u, l->tr, &d);
        t->failed |= !text_ok(&u);
        if (u.n)
            report_wrapped(t, &u, 6, 3);
    }
    t->failed |= !ok;
    instances_all_free(&k);
}

static void out_differ(json_t *r, const struct trace *tr, const struct instance_diff *d)
{
    json_t *v = json_in(r, "differ", tr, "slow", d->nslow, "slow_ns", d->slow, "usual", d->nusual, "usual_ns",
                        d->usual, "cut", d->cut),
           *arr = json_list(v, "parts");
    for (uint32_t i = 0; i < d->n; i++) {
        json_t *p = json_row(arr, tr, "what", explain_cat_id((enum explain_cat)d->part[i].cat), "func",
                             j_str(d->part[i].func));
        json_ran(p, tr, d->part[i].cat == EX_RUN && d->part[i].stack ? &d->part[i].ran : NULL);
        json_put(p, tr, "slow_ns", d->part[i].slow, "usual_ns", d->part[i].usual, "stack",
                 j_stack(d->part[i].stack));
    }
}

static json_t *out_row(json_t *arr, const struct trace *tr, const struct instances *in,
                       const struct instance_row *w)
{
    json_t *r = json_row(arr, tr, "kind", instance_kind_id(w->kind), "name", j_str(w->name), "wait",
                         w->kind == IN_PLACE ? wait_kind_name(w->wait) : NULL, "looked", w->looked, "of",
                         w->of, "open", w->open, "latency", j_dist(&w->d)),
           *x = json_list(r, "buckets");
    for (uint32_t n = 0; n < INSTANCE_BUCKETS; n++)
        if (w->bucket[n])
            json_row(x, tr, "from", instance_bucket(n), "count", w->bucket[n]);
    x = json_list(r, "slowest");
    for (uint32_t n = 0; n < w->d.n && n < 8; n++) {
        const struct workpiece *one = &in->one[w->at + n];
        json_row(x, tr, "t0", one->t0, "t1", one->t1, "goroutine", j_g(one->g));
    }
    return r;
}

void out_instances(json_t *root, const struct loaded *l)
{
    unsigned shown[IN_KINDS] = {0};
    json_t *arr = json_list(root, "instances");
    struct instances_all k;
    bool ok = instances_all(l->tg, SPANS, &k);
    for (uint32_t i = 0; ok && i < k.in.n; i++) {
        const struct instance_row *w = &k.in.row[i];
        struct instance_diff d;
        if (shown[w->kind]++ >= TOP)
            continue;
        json_t *r = out_row(arr, l->tr, &k.in, w);
        if (shown[w->kind] <= DIFFS) {
            ok = differ(&k, l, w, &d);
            if (d.n)
                out_differ(r, l->tr, &d);
        }
    }
    if (!ok)
        json_fail();
    instances_all_free(&k);
}
