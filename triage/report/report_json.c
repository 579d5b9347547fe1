/*
 * report_json.c - what only a report knows, as one JSON object (docs/REPORT.md): works, findings, and the
 * numbers of --metrics. Tables are SQL's (triage/sql). Names are cleaned UTF-8, times whole nanoseconds,
 * shares 0..1.
 */
#include "triage/findings/asked.h"
#include "triage/link.h"
#include "triage/report/report_parts.h"

/* Adds what the reader noted: what it was and, if it has a place, where. */
static void notes(json_t *t, const char *key, const struct trace *tr, uint32_t n,
                  const struct err *(*get)(const struct trace *, uint32_t))
{
    json_t *arr = json_list(t, key);
    for (uint32_t i = 0; i < n && get(tr, i); i++) {
        const struct err *e = get(tr, i);
        json_row(arr, tr, "offset", j_if(e->offset != ERR_NO_OFFSET, e->offset), "what", e->what);
    }
}

static void out_trace(json_t *root, const struct loaded *l)
{
    const struct trace *tr = l->tr;
    const struct trace_info *in = trace_info(tr);
    json_t *t = json_in(root, "trace", tr, "path", l->path, "dialect", in->dialect, "duration_ns", in->end,
                        "has_clock", in->has_clock, "clock_assumed", in->clock_assumed, "events", in->events,
                        "bytes", in->bytes_done, "gomaxprocs", in->gomaxprocs, "first_ns", in->first_ns);
    json_put(t, tr, "wall_sec", j_if(in->has_wall, in->wall_sec), "wall_nsec",
             j_if(in->has_wall, in->wall_nsec), "goroutines", in->goroutines, "goroutines_created",
             l->tg->g_created, "goroutines_ended", l->tg->g_ended, "partial", l->partial);
    notes(t, "damages", tr, in->ndamages, trace_damage);
    json_put(t, tr, "more_damages", j_if(in->more_damages, in->more_damages));
    notes(t, "warnings", tr, in->nwarnings, trace_warning);
}

/* Adds a place to look at: the lane's number, and the id that explain and the viewer accept. */
static void out_place(json_t *r, const struct trace *tr, const struct finding *f)
{
    char place[LINK_PLACE];
    const bool g = f->lane.kind == LANE_G;
    if (f->lane.i == NO_LANE || (!g && f->lane.kind != LANE_P))
        return;
    link_place(place, f->t0, f->lane.kind, f->lane_id);
    json_put(r, tr, "goroutine", j_g(g ? f->lane.i : NO_LANE), "proc", j_p(g ? NO_LANE : f->lane.i), "place",
             place);
}

static void out_findings(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "findings");
    for (uint32_t i = 0; i < l->fs.n; i++) {
        const struct finding *f = &l->fs.f[i];
        json_t *r = json_row(arr, l->tr, "rule", rule_id(f->rule), "key", f->key, "note", f->note, "inferred",
                             f->inferred, "severity_ns", f->severity_ns, "amount", f->amount, "title",
                             f->title, "text", f->text, "next", f->next, "won", f->won, "t0", f->t0, "t1",
                             f->t1, "view", f->view);
        out_place(r, l->tr, f);
        json_put(r, l->tr, "stack", j_stack(f->stack));
        out_verdict(r, l->tr, &f->v);
    }
}

/* Adds the rules that could not be asked, since "none" and "not recorded" are two answers. */
static void out_not_asked(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "not_applicable");
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *why = rule_not_asked(l->tg, (enum rule)r);
        if (why)
            json_row(arr, l->tr, "rule", rule_id((enum rule)r), "because", why);
    }
}

static const char *const unit[] = {"count", "ns", "share", "bytes"};

static void out_numbers(json_t *root, const struct loaded *l)
{
    json_t *all = json_under(root, "numbers");
    const char *name;
    for (size_t i = 0; (name = metric_number(i)) != NULL; i++) {
        struct metric_value v;
        struct err e;
        if (metric_get(l, name, &v, &e) != ERR_OK)
            json_fail();
        else if (v.known)
            json_in(all, name, NULL, "value", v.v, "unit", unit[v.unit]);
    }
}

static void out_asserts(json_t *root, const struct asserts *a)
{
    json_t *arr = json_list(root, "assertions");
    for (uint32_t i = 0; i < a->told; i++) {
        const struct asserted *x = &a->v[i];
        json_row(arr, NULL, "condition", x->said, "metric", x->cond.metric, "held", x->held, "known",
                 x->v.known, "unit", unit[x->v.unit], "value", j_if(x->v.known, x->v.v));
    }
}

char *report_json(const struct loaded *l, const struct asserts *a)
{
    json_t *root = json_begin();
    json_put(root, NULL, "schema", REPORT_SCHEMA);
    out_trace(root, l);
    if (a)
        out_asserts(root, a);
    out_works(root, l);
    out_findings(root, l);
    out_not_asked(root, l);
    out_numbers(root, l);
    return json_end(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}
