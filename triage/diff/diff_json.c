/*
 * diff_json.c - the verdict of `gotop diff` as one JSON object; docs/REPORT.md describes it.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/diff/diff_parts.h"

static bool put(json_t *o, const char *key, json_t *v)
{
    return json_object_set_new(o, key, v) == 0;
}

static json_t *number(double v)
{
    return json_real(isfinite(v) ? v : 0);
}

static json_t *runs(const struct side *s)
{
    json_t *a = json_array();
    bool ok = a != NULL;
    for (uint32_t i = 0; i < s->n && ok; i++) {
        json_t *r = json_object();
        ok = r && put(r, "path", json_string(s->run[i].path)) &&
             put(r, "duration_ns", json_integer((json_int_t)s->run[i].end)) &&
             put(r, "partial", json_boolean(s->run[i].partial)) && json_array_append(a, r) == 0;
        json_decref(r);
    }
    if (!ok) {
        json_decref(a);
        return NULL;
    }
    return a;
}

static json_t *moved(const struct moved *m)
{
    json_t *o = json_object();
    if (!o || !put(o, "old", number(m->old)) || !put(o, "new", number(m->new)) ||
        !put(o, "factor", number(m->factor)) || !put(o, "low", number(m->low)) ||
        !put(o, "high", number(m->high)) || !put(o, "sure", json_boolean(m->sure))) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *change(const struct claim *v, const struct change *c)
{
    struct text t = {0};
    json_t *o = json_object();
    bool ok;
    change_text(&t, v, c);
    ok = o && text_ok(&t) && put(o, "kind", json_string(measure_kind_name(c->kind))) &&
         put(o, "name", json_string(c->name)) && put(o, "per_second", moved(&c->count)) &&
         put(o, "share", moved(&c->time)) && put(o, "text", json_string(t.p ? t.p : ""));
    ok = ok && (!c->held || put(o, "held_in", json_string(c->held)));
    ok = ok && (c->kind != MK_GC || !v->gc_why || put(o, "why", json_string(v->gc_why)));
    text_free(&t);
    if (!ok) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *changes(const struct claim *v, uint32_t from, uint32_t to)
{
    json_t *a = json_array();
    for (uint32_t i = from; a && i < to; i++) {
        if (json_array_append_new(a, change(v, &v->c[i])) != 0) {
            json_decref(a);
            return NULL;
        }
    }
    return a;
}

static json_t *two(uint64_t old, uint64_t new)
{
    json_t *o = json_object();
    if (!o || !put(o, "old", json_integer((json_int_t)old)) ||
        !put(o, "new", json_integer((json_int_t) new))) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *path(const struct diff_path *p)
{
    json_t *o = json_object();
    if (!o || !put(o, "what", json_string(explain_cat_id(p->cat))) || !put(o, "func", json_string(p->func)) ||
        (p->caller[0] && !put(o, "called_by", json_string(p->caller))) ||
        !put(o, "ns", two((uint64_t)p->ns[0], (uint64_t)p->ns[1]))) {
        json_decref(o);
        return NULL;
    }
    return o;
}

struct rows {
    const struct trace *tr; /* of the new run */
    json_t *a;
    bool failed;
};

static void row(void *arg, const struct diff_paths *d)
{
    struct rows *k = arg;
    struct text t = {0};
    json_t *o = json_object(), *a = json_array();
    text_str(&t, k->tr, d->name);
    for (uint32_t i = 0; a && i < d->n; i++)
        k->failed |= json_array_append_new(a, path(&d->v[i])) != 0;
    const bool ok = o && text_ok(&t) && put(o, "kind", json_string(instance_kind_id(d->kind))) &&
                    put(o, "name", json_string(t.p ? t.p : "")) &&
                    put(o, "count", two(d->count[0], d->count[1])) &&
                    put(o, "each_ns", two((uint64_t)d->each[0], (uint64_t)d->each[1])) &&
                    put(o, "cut", json_boolean(d->cut));
    text_free(&t);
    if (!ok)
        json_decref(a);
    if (ok && put(o, "parts", a)) {
        k->failed |= json_array_append_new(k->a, o) != 0;
    } else {
        json_decref(o);
        k->failed = true;
    }
}

static json_t *paths(const struct loaded *a, const struct loaded *b)
{
    struct rows k = {b->tr, json_array(), false};
    const bool clock = trace_info(a->tr)->has_clock && trace_info(b->tr)->has_clock;
    if (!k.a || (clock && !diff_paths_each(a, b, row, &k)) || k.failed) {
        json_decref(k.a);
        return NULL;
    }
    return k.a;
}

char *diff_json(const struct side side[2], const struct claim *v, const char *not_asked,
                const struct loaded *a, const struct loaded *b)
{
    const char *word = not_asked ? "not asked" : v->claimed ? "changed" : "no meaningful change";
    char *s = NULL;
    json_t *o;
    json_set_alloc_funcs(mem_alloc, mem_free);
    o = json_object();
    if (o && put(o, "schema", json_string(DIFF_SCHEMA)) && put(o, "old", runs(&side[0])) &&
        put(o, "new", runs(&side[1])) && put(o, "verdict", json_string(word)) &&
        (!not_asked || put(o, "because", json_string(not_asked))) && put(o, "pace", number(v->pace)) &&
        put(o, "changes", changes(v, 0, v->claimed)) && put(o, "unchanged", changes(v, v->claimed, v->n)) &&
        put(o, "paths", paths(a, b)))
        s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(o);
    return s;
}
