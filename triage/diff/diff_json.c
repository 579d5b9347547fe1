/*
 * diff_json.c - the verdict of `gotop diff` as one JSON object; docs/REPORT.md describes it.
 */

#include "triage/diff/diff_parts.h"
#include "triage/json.h"

static void out_runs(json_t *root, const char *key, const struct side *s)
{
    json_t *arr = json_list(root, key);
    for (uint32_t i = 0; i < s->n; i++)
        json_row(arr, NULL, "path", s->run[i].path, "duration_ns", s->run[i].end, "partial",
                 s->run[i].partial);
}

static json_t *out_moved(const struct moved *m)
{
    return json_put(json_object(), NULL, "old", m->old, "new", m->new, "factor", m->factor, "low", m->low,
                    "high", m->high, "sure", m->sure);
}

static const char *const kind_word[MK_KINDS] = {"work", "collector", "lock",        "hand-over",
                                                "stop", "running",   "system call", "wait"};

static void out_changes(json_t *root, const char *key, const struct claim *v, uint32_t from, uint32_t to)
{
    json_t *arr = json_list(root, key);
    for (uint32_t i = from; i < to; i++) {
        const struct change *c = &v->c[i];
        struct text t = {0};
        change_text(&t, v, c);
        if (!text_ok(&t))
            json_fail();
        json_row(arr, NULL, "kind", kind_word[c->kind], "name", c->name, "per_second", out_moved(&c->count),
                 c->kind == MK_WORK ? "seconds_each" : "share", out_moved(&c->time), "text", t.p, "held_in",
                 c->held, "why", c->kind == MK_GC ? v->gc_why : NULL);
        text_free(&t);
    }
}

static json_t *old_new(int64_t old, int64_t new)
{
    return json_put(json_object(), NULL, "old", old, "new", new);
}

struct rows {
    const struct trace *tr; /* of the new run */
    json_t *arr;
};

static void out_work(void *arg, const struct diff_work *d)
{
    const struct rows *k = arg;
    const struct work *o = d->w[0], *w = d->w[1];
    json_t *r = json_row(k->arr, k->tr, "kind", work_kind_name(w->kind), "name", j_str(w->name), "handler",
                         j_str(w->user ? w->user : w->name), "count", old_new((int64_t)o->n, (int64_t)w->n),
                         "p50_ns", old_new(o->d.p50, w->d.p50), "p99_ns", old_new(o->d.p99, w->d.p99),
                         "avg_ns", old_new(dist_avg(&o->d), dist_avg(&w->d))),
           *parts = json_list(r, "parts");
    for (uint32_t i = 0; i < d->n; i++)
        json_row(parts, NULL, "what", d->v[i].what, "func", d->v[i].func, "ns",
                 old_new(d->v[i].ns[0], d->v[i].ns[1]));
}

char *diff_json(const struct side side[2], const struct claim *v, const char *not_asked,
                const struct loaded *a, const struct loaded *b)
{
    const char *word = not_asked ? "not asked" : v->claimed ? "changed" : "no meaningful change";
    json_t *root = json_begin();
    json_put(root, NULL, "schema", DIFF_SCHEMA);
    out_runs(root, "old", &side[0]);
    out_runs(root, "new", &side[1]);
    json_put(root, NULL, "verdict", word, "because", not_asked, "pace", v->pace);
    out_changes(root, "changes", v, 0, v->claimed);
    out_changes(root, "unchanged", v, v->claimed, v->n);
    struct rows k = {b->tr, json_list(root, "works")};
    const bool clock = trace_info(a->tr)->has_clock && trace_info(b->tr)->has_clock;
    if (clock && !diff_works_each(a, b, out_work, &k))
        json_fail();
    return json_end(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}
