/*
 * diff_json.c - the verdict of `gotop diff` as one JSON object; docs/REPORT.md describes it.
 */
#include <string.h>

#include "triage/diff/diff_parts.h"
#include "triage/json.h"

static void runs(json_t *root, const char *key, const struct side *s)
{
    json_t *arr = json_list(root, key);
    for (uint32_t i = 0; i < s->n; i++)
        json_row(arr, NULL, "path", s->run[i].path, "duration_ns", s->run[i].end, "partial",
                 s->run[i].partial);
}

static json_t *moved(const struct moved *m)
{
    return json_put(json_object(), NULL, "old", m->old, "new", m->new, "factor", m->factor, "low", m->low,
                    "high", m->high, "sure", m->sure);
}

static void changes(json_t *root, const char *key, const struct claim *v, uint32_t from, uint32_t to)
{
    json_t *arr = json_list(root, key);
    for (uint32_t i = from; i < to; i++) {
        const struct change *c = &v->c[i];
        struct text t = {0};
        change_text(&t, v, c);
        if (!text_ok(&t))
            json_fail();
        json_row(arr, NULL, "kind", measure_kind_name(c->kind), "name", c->name, "per_second",
                 moved(&c->count), "share", moved(&c->time), "text", t.p, "held_in", c->held, "why",
                 c->kind == MK_GC ? v->gc_why : NULL);
        text_free(&t);
    }
}

static json_t *two(int64_t old, int64_t new)
{
    return json_put(json_object(), NULL, "old", old, "new", new);
}

struct rows {
    const struct trace *tr; /* of the new run */
    json_t *arr;
};

static void row(void *arg, const struct diff_paths *d)
{
    const struct rows *k = arg;
    json_t *r = json_row(k->arr, k->tr, "kind", instance_kind_id(d->kind), "name", j_str(d->name), "count",
                         two((int64_t)d->count[0], (int64_t)d->count[1]), "each_ns",
                         two(d->each[0], d->each[1]), "cut", d->cut),
           *parts = json_list(r, "parts");
    for (uint32_t i = 0; i < d->n; i++) {
        const struct diff_path *p = &d->v[i];
        json_row(parts, NULL, "what", explain_cat_id(p->cat), "func", p->func, "called_by",
                 p->caller[0] ? p->caller : NULL, "ns", two(p->ns[0], p->ns[1]));
    }
}

char *diff_json(const struct side side[2], const struct claim *v, const char *not_asked,
                const struct loaded *a, const struct loaded *b)
{
    const char *word = not_asked ? "not asked" : v->claimed ? "changed" : "no meaningful change";
    const bool clock = trace_info(a->tr)->has_clock && trace_info(b->tr)->has_clock;
    json_t *root = json_begin();
    json_put(root, NULL, "schema", DIFF_SCHEMA);
    runs(root, "old", &side[0]);
    runs(root, "new", &side[1]);
    json_put(root, NULL, "verdict", word, "because", not_asked, "pace", v->pace);
    changes(root, "changes", v, 0, v->claimed);
    changes(root, "unchanged", v, v->claimed, v->n);
    struct rows k = {b->tr, json_list(root, "paths")};
    if (clock && !diff_paths_each(a, b, row, &k))
        json_fail();
    return json_end(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}
