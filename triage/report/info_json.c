/* info_json.c - see info.h: the page as one JSON object. Times are nanoseconds, sizes bytes. */
#include <string.h>

#include "triage/json.h"
#include "triage/report/info.h"

static void put(json_t *o, const char *key, json_t *v)
{
    (void)json_object_set_new(o, key, v); /* what fails is noticed at the end: json_whole() */
}

static void num(json_t *o, const char *key, uint64_t v)
{
    if (v <= INT64_MAX)
        put(o, key, json_integer((json_int_t)v));
    else
        put(o, key, json_real((double)v));
}

static json_t *notes(const struct info *i, bool damage)
{
    json_t *a = json_array();
    const struct trace_info *in = trace_info(i->tr);
    for (uint32_t k = 0; k < (damage ? in->ndamages : in->nwarnings); k++) {
        const struct err *e = damage ? trace_damage(i->tr, k) : trace_warning(i->tr, k);
        if (!e)
            break;
        json_t *o = json_object();
        put(o, "what", json_string(e->what));
        if (e->offset != ERR_NO_OFFSET)
            num(o, "offset", e->offset);
        (void)json_array_append_new(a, o);
    }
    if (damage && i->packed->code) {
        json_t *o = json_object();
        put(o, "what", json_string(i->packed->what));
        (void)json_array_append_new(a, o);
    }
    return a;
}

static json_t *generations(const struct info *i)
{
    json_t *a = json_array();
    for (size_t k = 0; k < i->c->ngen; k++) {
        const struct census_gen *g = &i->c->gen[k];
        json_t *o = json_object();
        num(o, "number", g->number);
        num(o, "offset", g->offset);
        num(o, "bytes", g->bytes);
        num(o, "batches", g->batches);
        num(o, "events", g->events);
        num(o, "strings", g->strings);
        num(o, "stacks", g->stacks);
        num(o, "samples", g->samples);
        if (g->unit > 0)
            put(o, "from_ns",
                json_integer((json_int_t)((double)g->time * g->unit) - trace_info(i->tr)->first_ns));
        put(o, "whole", json_boolean(g->whole));
        (void)json_array_append_new(a, o);
    }
    return a;
}

static void table(json_t *o, const char *key, const struct census_table *t)
{
    json_t *v = json_object();
    num(v, "number", t->n);
    num(v, "bytes", t->bytes);
    put(o, key, v);
}

static json_t *made_of(const struct info *i)
{
    json_t *o = json_object(), *kinds = json_object();
    for (int k = 0; k < 256; k++) {
        const struct census_kind *c = &i->c->kind[k];
        if (c->n)
            table(kinds, c->name, &(struct census_table){c->n, c->bytes});
    }
    put(o, "events", kinds);
    table(o, "strings", &i->c->strings);
    table(o, "stacks", &i->c->stacks);
    num(o, "frames", i->c->frames);
    table(o, "samples", &i->c->samples);
    table(o, "experiments", &i->c->experiments);
    table(o, "clock", &i->c->clock);
    num(o, "headers_bytes", i->c->structure);
    num(o, "unread_bytes", i->c->unread);
    return o;
}

static json_t *answers(const struct info *i)
{
    static const char *const can[] = {"no", "in part", "yes"};
    struct info_answer a[INFO_ANSWERS];
    size_t n = info_answers(i, a);
    json_t *o = json_object();
    for (size_t k = 0; k < n; k++) {
        json_t *v = json_object();
        put(v, "answer", json_string(can[a[k].can]));
        put(v, "question", json_string(a[k].question));
        put(v, "why", json_string(a[k].why));
        put(o, a[k].key, v);
    }
    return o;
}

static void facts(json_t *o, const struct info *i)
{
    const struct trace_info *in = trace_info(i->tr);
    struct text name = {0};
    text_clean(&name, i->path, strlen(i->path), 0);
    put(o, "schema", json_string(INFO_SCHEMA));
    put(o, "file", json_string(name.p ? name.p : ""));
    text_free(&name);
    put(o, "dialect", json_string(in->dialect));
    put(o, "version", json_integer(in->version));
    put(o, "second_family", json_boolean(in->second_family));
    num(o, "bytes", i->c->bytes);
    num(o, "stored_bytes", i->stored);
    if (i->c->hz > 0)
        put(o, "clock_hz", json_real(i->c->hz));
    put(o, "clock_assumed", json_boolean(in->clock_assumed));
    put(o, in->has_clock ? "duration_ns" : "duration_ticks", json_integer((json_int_t)in->end));
    if (in->has_wall) {
        put(o, "wall_sec", json_integer((json_int_t)in->wall_sec));
        put(o, "wall_nsec", json_integer(in->wall_nsec));
    }
    num(o, "events", in->events);
    num(o, "batches", i->c->batches);
    num(o, "goroutines", in->goroutines);
    num(o, "processors", trace_nlanes(i->tr, LANE_P));
    num(o, "threads", trace_nlanes(i->tr, LANE_M));
    num(o, "gomaxprocs", in->gomaxprocs);
}

char *info_json(const struct info *i)
{
    json_begin();
    json_t *o = json_object();
    facts(o, i);
    put(o, "answers", answers(i));
    put(o, "damage", notes(i, true));
    if (trace_info(i->tr)->more_damages)
        put(o, "more_damage", json_true());
    put(o, "warnings", notes(i, false));
    put(o, "generations", generations(i));
    put(o, "made_of", made_of(i));
    char *text = json_whole() ? json_dumps(o, JSON_INDENT(1) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(o);
    return text;
}
