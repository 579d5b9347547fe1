/* info_json.c - see info.h: the page as one JSON object. Times are nanoseconds, sizes bytes. */
#include "triage/json.h"
#include "triage/report/info.h"

static void notes(json_t *root, const struct info *i, bool damage)
{
    json_t *arr = json_list(root, damage ? "damage" : "warnings");
    const struct trace_info *in = trace_info(i->tr);
    for (uint32_t k = 0; k < (damage ? in->ndamages : in->nwarnings); k++) {
        const struct err *e = damage ? trace_damage(i->tr, k) : trace_warning(i->tr, k);
        if (!e)
            break;
        json_row(arr, NULL, "what", e->what, "offset", j_if(e->offset != ERR_NO_OFFSET, e->offset));
    }
    if (damage && i->packed->code)
        json_row(arr, NULL, "what", i->packed->what);
}

static void generations(json_t *root, const struct info *i)
{
    json_t *arr = json_list(root, "generations");
    for (size_t k = 0; k < i->c->ngen; k++) {
        const struct census_gen *g = &i->c->gen[k];
        json_row(arr, NULL, "number", g->number, "offset", g->offset, "bytes", g->bytes, "events", g->events,
                 "from_ns", j_if(g->unit > 0, info_from(i, g)), "whole", g->whole);
    }
}

static void made_of(json_t *root, const struct census *c)
{
    json_t *o = json_in(root, "made_of", NULL, "strings", c->strings, "stacks", c->stacks, "samples",
                        c->samples),
           *kinds = json_under(o, "events");
    for (int k = 0; k < 256; k++)
        if (c->kind[k].n)
            json_put(kinds, NULL, c->kind[k].name, c->kind[k].n);
}

static void answers(json_t *root, const struct info *i)
{
    struct info_answer a[INFO_ANSWERS];
    const size_t n = info_answers(i, a);
    json_t *o = json_under(root, "answers");
    for (size_t k = 0; k < n; k++)
        json_in(o, a[k].key, NULL, "answer", info_can_word[a[k].can], "question", a[k].question, "why",
                a[k].why);
}

static void facts(json_t *root, const struct info *i)
{
    const struct trace_info *in = trace_info(i->tr);
    json_put(root, NULL, "schema", INFO_SCHEMA, "file", i->path, "dialect", in->dialect, "version",
             in->version, "second_family", in->second_family, "bytes", in->bytes, "stored_bytes", i->stored,
             "clock_hz", j_if(i->c->hz > 0, i->c->hz), "clock_assumed", in->clock_assumed,
             in->has_clock ? "duration_ns" : "duration_ticks", in->end, "wall_sec",
             j_if(in->has_wall, in->wall_sec), "wall_nsec", j_if(in->has_wall, in->wall_nsec), "events",
             in->events, "batches", i->c->batches, "goroutines", in->goroutines);
    json_put(root, NULL, "processors", trace_nlanes(i->tr, LANE_P), "threads", trace_nlanes(i->tr, LANE_M),
             "gomaxprocs", in->gomaxprocs);
}

char *info_json(const struct info *i)
{
    json_t *root = json_begin();
    facts(root, i);
    answers(root, i);
    notes(root, i, true);
    json_put(root, NULL, "more_damage",
             j_if(trace_info(i->tr)->more_damages, trace_info(i->tr)->more_damages));
    notes(root, i, false);
    generations(root, i);
    made_of(root, i->c);
    return json_end(root, JSON_INDENT(1));
}
