/*
 * json_out.h - how the report's files write JSON: an object's members, cleaned names, stacks, distributions.
 */
#ifndef GOTOP_TRIAGE_JSON_OUT_H
#define GOTOP_TRIAGE_JSON_OUT_H

#include <jansson.h>
#include <string.h>

#include "triage/report/report.h"

#define TOP 100 /* rows of a table */

struct out { /* one failure anywhere spoils all */
    const struct loaded *l;
    const struct trace *tr;
    bool failed;
};

static inline void put(struct out *o, json_t *obj, const char *key, json_t *v)
{
    if (json_object_set_new(obj, key, v) != 0)
        o->failed = true;
}

static inline void push(struct out *o, json_t *arr, json_t *v)
{
    if (json_array_append_new(arr, v) != 0)
        o->failed = true;
}

static inline json_t *object(struct out *o, json_t *parent, const char *key)
{
    json_t *v = json_object();
    put(o, parent, key, v);
    return v;
}

static inline json_t *array(struct out *o, json_t *parent, const char *key)
{
    json_t *v = json_array();
    put(o, parent, key, v);
    return v;
}

static inline json_t *row(struct out *o, json_t *arr)
{
    json_t *v = json_object();
    push(o, arr, v);
    return v;
}

static inline void num(struct out *o, json_t *obj, const char *key, int64_t v)
{
    put(o, obj, key, json_integer((json_int_t)v));
}

static inline void big(struct out *o, json_t *obj, const char *key, uint64_t v)
{
    num(o, obj, key, v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

static inline void yes(struct out *o, json_t *obj, const char *key, bool v)
{
    put(o, obj, key, json_boolean(v));
}

static inline void words(struct out *o, json_t *obj, const char *key, const char *p, size_t n)
{
    struct text t = {0};
    text_clean(&t, p, n, 0);
    put(o, obj, key, json_string(t.p ? t.p : ""));
    o->failed |= !text_ok(&t);
    text_free(&t);
}

static inline void name(struct out *o, json_t *obj, const char *key, uint32_t str)
{
    struct str s = trace_str(o->tr, str);
    words(o, obj, key, s.p, s.len);
}

static inline void lane_id(struct out *o, json_t *obj, const char *key, enum lane_kind k, uint32_t i)
{
    if (i != NO_LANE && i < trace_nlanes(o->tr, k))
        big(o, obj, key, trace_lane(o->tr, (struct lane){k, i}).id);
}

static inline void stack(struct out *o, json_t *obj, const char *key, uint32_t id)
{
    uint32_t n = trace_stack(o->tr, id);
    json_t *arr;
    if (n == 0)
        return;
    arr = array(o, obj, key);
    for (uint32_t i = 0; i < n && i < 64; i++) {
        struct frame f = trace_frame(o->tr, id, i);
        json_t *r = row(o, arr);
        name(o, r, "func", f.func);
        name(o, r, "file", f.file);
        big(o, r, "line", f.line);
        if (!f.func)
            big(o, r, "pc", f.pc);
    }
}

static inline void dist(struct out *o, json_t *obj, const char *key, const struct dist *d)
{
    json_t *r = object(o, obj, key);
    big(o, r, "count", d->n);
    num(o, r, "total", d->total);
    num(o, r, "min", d->min);
    num(o, r, "avg", dist_avg(d));
    num(o, r, "p50", d->p50);
    num(o, r, "p90", d->p90);
    num(o, r, "p95", d->p95);
    num(o, r, "p99", d->p99);
    num(o, r, "p99_9", d->p999);
    num(o, r, "max", d->max);
    put(o, r, "sd", json_real(dist_sd(d)));
}

static inline void moment(struct out *o, json_t *obj, const char *key, const struct moment *m)
{
    json_t *r = object(o, obj, key);
    num(o, r, "t0", m->t0);
    num(o, r, "t1", m->t1);
    lane_id(o, r, "goroutine", LANE_G, m->g);
    lane_id(o, r, "proc", LANE_P, m->p);
}

/* out_works - what the program does again and again. out_verdict - the typed fields of a finding
 * (report_verdicts.c). */
void out_works(struct out *o, json_t *root);
void out_verdict(struct out *o, json_t *r, const struct verdict *v);
/* out_waitfor - who waits for whom (report_waitfor.c). */
void out_waitfor(struct out *o, json_t *root);
/* out_ran - of running: what is known of it being there; nothing if it is NULL (report_instances.c). */
struct ran;
void out_ran(struct out *o, json_t *r, const struct ran *ran);
/* out_instances - what was done many times (report_instances.c). */
void out_instances(struct out *o, json_t *root);

#endif
