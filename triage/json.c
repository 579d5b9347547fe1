/* json.c - see json.h. */
#include "triage/json.h"

#include <math.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/ran.h"
#include "triage/text.h"

static bool failed; /* documents are made one after another, by the thread that prints */

static void *take(size_t n)
{
    void *p = mem_alloc(n);
    failed |= !p;
    return p;
}

json_t *json_begin(void)
{
    failed = false;
    json_set_alloc_funcs(take, mem_free);
    return json_object();
}

char *json_end(json_t *root, size_t flags)
{
    char *text = failed ? NULL : json_dumps(root, flags);
    json_decref(root);
    return text;
}

void json_fail(void)
{
    failed = true;
}

bool json_whole(void)
{
    return !failed;
}

static void set(json_t *obj, const char *key, json_t *v)
{
    failed |= json_object_set_new(obj, key, v) != 0;
}

json_t *json_append(json_t *arr)
{
    json_t *v = json_object();
    failed |= json_array_append_new(arr, v) != 0;
    return v;
}

json_t *json_under(json_t *obj, const char *key)
{
    json_t *v = json_object();
    set(obj, key, v);
    return v;
}

json_t *json_list(json_t *obj, const char *key)
{
    json_t *v = json_array();
    set(obj, key, v);
    return v;
}

/* ---- values -------------------------------------------------------------------------------------------- */

static json_t *words(const char *p, size_t n)
{
    struct text t = {0};
    text_clean(&t, p, n, 0);
    failed |= !text_ok(&t);
    json_t *v = json_string(t.p ? t.p : "");
    text_free(&t);
    return v;
}

static json_t *string(const struct trace *tr, uint32_t id)
{
    const struct str s = trace_str(tr, id);
    return words(s.p, s.len);
}

/* NULL: there is no such lane. */
static json_t *lane(const struct trace *tr, struct lane l)
{
    if (l.i == NO_LANE || l.i >= trace_nlanes(tr, l.kind))
        return NULL;
    const uint64_t id = trace_lane_who(tr, l).id;
    return json_integer(id > INT64_MAX ? INT64_MAX : (json_int_t)id);
}

static json_t *frames(const struct trace *tr, uint32_t stack)
{
    enum { MOST = 64 };
    const uint32_t n = trace_stack(tr, stack);
    json_t *arr = n ? json_array() : NULL;
    for (uint32_t i = 0; i < n && i < MOST; i++) {
        const struct frame f = trace_frame(tr, stack, i);
        json_row(arr, tr, "func", j_str(f.func), "file", j_str(f.file), "line", f.line, "pc",
                 j_if(!f.func, f.pc));
    }
    return arr;
}

static json_t *quantiles(const struct dist *d)
{
    return json_put(json_object(), NULL, "count", d->n, "total", d->total, "min", d->min, "avg", dist_avg(d),
                    "p50", d->p50, "p90", d->p90, "p95", d->p95, "p99", d->p99, "p99_9", d->p999, "max",
                    d->max, "sd", dist_sd(d));
}

static json_t *value(const struct trace *tr, const struct json_part *p)
{
    switch (p->how) {
    case JSON_PART_WORDS: return words(p->words, strlen(p->words));
    case JSON_PART_INT: return json_integer((json_int_t)p->n);
    case JSON_PART_BOOL: return json_boolean(p->n);
    case JSON_PART_REAL: return json_real(isfinite(p->v) ? p->v : 0);
    case JSON_PART_STR: return string(tr, p->id);
    case JSON_PART_G: return lane(tr, (struct lane){LANE_G, p->id});
    case JSON_PART_P: return lane(tr, (struct lane){LANE_P, p->id});
    case JSON_PART_STACK: return frames(tr, p->id);
    case JSON_PART_DIST: return quantiles(p->dist);
    case JSON_PART_MOMENT:
        return json_put(json_object(), tr, "t0", p->moment->t0, "t1", p->moment->t1, "goroutine",
                        j_g(p->moment->g), "proc", j_p(p->moment->p));
    case JSON_PART_NODE: return p->node;
    case JSON_PART_NONE: break;
    }
    return NULL;
}

json_t *json_put_parts(json_t *obj, const struct trace *tr, const struct json_part *v, size_t n)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        json_t *x = value(tr, &v[i + 1]);
        if (x)
            set(obj, v[i].words, x);
    }
    return obj;
}

void json_ran(json_t *obj, const struct trace *tr, const struct ran *r)
{
    if (r)
        json_put(obj, tr, "how", ran_id(ran_how(r)), "after", j_some(r->from), "before", j_some(r->to));
}
