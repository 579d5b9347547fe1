/* json.c - see json.h. */
#include "triage/json.h"

#include <math.h>
#include <string.h>

#include "decode/base/mem.h"

static bool failed; /* documents are made one after another, by the thread that prints */

static void *json_take(size_t n)
{
    void *p = mem_alloc(n);
    failed |= !p;
    return p;
}

json_t *json_begin(void)
{
    failed = false;
    json_set_alloc_funcs(json_take, mem_free);
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

static json_t *set(json_t *obj, const char *key, json_t *v)
{
    failed |= json_object_set_new(obj, key, v) != 0;
    return v;
}

json_t *json_append(json_t *arr)
{
    json_t *v = json_object();
    failed |= json_array_append_new(arr, v) != 0;
    return v;
}

json_t *json_under(json_t *obj, const char *key)
{
    return set(obj, key, json_object());
}

json_t *json_list(json_t *obj, const char *key)
{
    return set(obj, key, json_array());
}

/* ---- values -------------------------------------------------------------------------------------------- */

static const struct trace *of; /* the trace that values are of; json_of() */

void json_of(const struct trace *tr)
{
    of = tr ? tr : of;
}

static json_t *words_of(const char *p, size_t n)
{
    struct text t = {0};
    text_clean(&t, p, n, 0);
    failed |= !text_ok(&t);
    json_t *v = json_string(t.p ? t.p : "");
    text_free(&t);
    return v;
}

json_t *json_words(const char *s)
{
    return s ? words_of(s, strlen(s)) : NULL;
}

json_t *json_count(unsigned long long n)
{
    return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

json_t *json_bool(bool v)
{
    return json_boolean(v);
}

json_t *json_number(double v)
{
    return json_real(isfinite(v) ? v : 0);
}

json_t *j_str(uint32_t str)
{
    const struct str s = trace_str(of, str);
    return words_of(s.p, s.len);
}

json_t *j_some(uint32_t str)
{
    return str ? j_str(str) : NULL;
}

static json_t *lane(struct lane l)
{
    const bool is = l.i != NO_LANE && l.i < trace_nlanes(of, l.kind);
    return is ? json_count(trace_lane_who(of, l).id) : NULL;
}

json_t *j_g(uint32_t g)
{
    return lane(lane_g(g));
}

json_t *j_p(uint32_t p)
{
    return lane(lane_p(p));
}

json_t *j_stack(uint32_t stack)
{
    enum { MOST = 64 };
    const uint32_t n = trace_stack(of, stack);
    json_t *arr = n ? json_array() : NULL;
    for (uint32_t i = 0; i < n && i < MOST; i++) {
        const struct frame f = trace_frame(of, stack, i);
        json_row(arr, NULL, "func", j_str(f.func), "file", j_str(f.file), "line", f.line, "pc",
                 j_if(!f.func, f.pc));
    }
    return arr;
}

json_t *json_put_parts(json_t *obj, json_t *const *v, size_t n)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        const char *key = json_string_value(v[i]);
        if (key && v[i + 1])
            set(obj, key, v[i + 1]);
        else
            json_decref(v[i + 1]);
        json_decref(v[i]);
    }
    return obj;
}

json_t *json_notes(json_t *obj, const char *key, const struct trace *tr,
                   const struct err *(*get)(const struct trace *, uint32_t))
{
    json_t *arr = json_list(obj, key);
    const struct err *e;
    for (uint32_t i = 0; (e = get(tr, i)); i++)
        json_row(arr, tr, "offset", j_if(e->offset != ERR_NO_OFFSET, e->offset), "what", e->what);
    return arr;
}
