/*
 * report_instances.c - what a program did many times: rows of instances.h with their percentiles, and what
 * the slow ones do more of than the usual ones, as lines of the page and as JSON.
 */
#include "triage/findings/instances.h"
#include "triage/report/json_out.h"

#define SPANS 200000 /* that all explanations of a report may pass */
#define DIFFS 8      /* rows of a kind whose slow ones are explained */

/* Where times are ticks, or the budget is spent, nothing is told to differ. false: out of memory. */
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

/* Is it worth a line of the page? What was there once, and what hardly took any time, is not. */
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
        text_add(t, "%s%7llu", r->looked < r->of ? "~" : " ", (unsigned long long)r->d.n);
        report_cell(t, r->d.p50, 10);
        report_cell(t, r->d.p99, 10);
        report_cell(t, r->d.max, 10);
        if (all)
            report_cell(t, r->d.total, 10);
        text_lit(t, "\n");
        t->failed |= !differ(&k, l, r, &d);
        instance_diff_text(&u, l->tr, &d);
        if (u.n)
            report_wrapped(t, u.p, 6, 3);
        t->failed |= !text_ok(&u);
        text_free(&u);
    }
    t->failed |= !ok;
    instances_all_free(&k);
}

void out_ran(struct out *o, json_t *r, const struct ran *ran)
{
    if (!ran)
        return;
    const char *how = ran_id(ran_how(ran));
    words(o, r, "how", how, strlen(how));
    if (ran->from)
        name(o, r, "after", ran->from);
    if (ran->to)
        name(o, r, "before", ran->to);
}

static void out_differ(struct out *o, json_t *r, const struct instance_diff *d)
{
    json_t *v = object(o, r, "differ"), *arr;
    num(o, v, "slow", d->nslow);
    num(o, v, "slow_ns", d->slow);
    num(o, v, "usual", d->nusual);
    num(o, v, "usual_ns", d->usual);
    yes(o, v, "cut", d->cut);
    arr = array(o, v, "parts");
    for (uint32_t i = 0; i < d->n; i++) {
        json_t *p = row(o, arr);
        const char *what = explain_cat_id((enum explain_cat)d->part[i].cat);
        words(o, p, "what", what, strlen(what));
        name(o, p, "func", d->part[i].func);
        out_ran(o, p, d->part[i].cat == EX_RUN && d->part[i].stack ? &d->part[i].ran : NULL);
        num(o, p, "slow_ns", d->part[i].slow);
        num(o, p, "usual_ns", d->part[i].usual);
        stack(o, p, "stack", d->part[i].stack);
    }
}

void out_instances(struct out *o, json_t *root)
{
    unsigned shown[IN_KINDS] = {0};
    json_t *arr = array(o, root, "instances");
    struct instances_all k;
    bool ok = instances_all(o->l->tg, SPANS, &k);
    for (uint32_t i = 0; ok && i < k.in.n; i++) {
        const struct instance_row *w = &k.in.row[i];
        const char *kind = instance_kind_id(w->kind);
        struct instance_diff d;
        if (shown[w->kind]++ >= TOP)
            continue;
        json_t *r = row(o, arr), *b;
        words(o, r, "kind", kind, strlen(kind));
        name(o, r, "name", w->name);
        if (w->kind == IN_PLACE)
            words(o, r, "wait", wait_kind_name(w->wait), strlen(wait_kind_name(w->wait)));
        big(o, r, "looked", w->looked);
        big(o, r, "of", w->of);
        big(o, r, "open", w->open);
        dist(o, r, "latency", &w->d);
        b = array(o, r, "buckets");
        for (uint32_t n = 0; n < INSTANCE_BUCKETS; n++) {
            if (w->bucket[n]) {
                json_t *x = row(o, b);
                num(o, x, "from", instance_bucket(n));
                big(o, x, "count", w->bucket[n]);
            }
        }
        b = array(o, r, "slowest");
        for (uint32_t n = 0; n < w->d.n && n < 8; n++) {
            const struct workpiece *one = &k.in.one[w->at + n];
            json_t *z = row(o, b);
            num(o, z, "t0", one->t0);
            num(o, z, "t1", one->t1);
            lane_id(o, z, "goroutine", LANE_G, one->g);
        }
        if (shown[w->kind] <= DIFFS) {
            o->failed |= !differ(&k, o->l, w, &d);
            if (d.n)
                out_differ(o, r, &d);
        }
    }
    o->failed |= !ok;
    instances_all_free(&k);
}
