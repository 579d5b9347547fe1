/*
 * explain_main.c - `gotop explain TRACE SUBJECT`: where the time of a goroutine, a task or a region went,
 * as a tree.
 *
 * A subject is one interval of one goroutine (g123, g123@1.2s..1.3s), or all instances of a name merged, with
 * the slowest tenth of them beside (task:NAME, region:NAME, group:FUNCTION), or the longest one
 * (slowest:task:NAME). A moment of a goroutine (g17@1.25s) is the span there.
 */
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "decode/model/item.h"
#include "triage/findings/explain.h"
#include "triage/json.h"
#include "triage/load.h"
#include "triage/options.h"
#include "triage/query/goto.h"
#include "triage/report/report.h"
#include "triage/say.h"
#include "triage/work/work_text.h"

#define LINES 60       /* of a tree, in text */
#define INSTANCES 2000 /* of a name, spread evenly over all there are */

/* ---- subjects ------------------------------------------------------------------------------------------ */

struct asked {
    struct workpiece *v; /* longest first */
    size_t n, cap, all;  /* all: the total count */
    struct text title;
    bool failed;
};

static void ask_piece(struct asked *q, struct workpiece p)
{
    if (p.g != NO_LANE && p.t1 > p.t0)
        q->failed |= !mem_add(q->v, q->cap, q->n, p);
}

/* Reads "123", "123@1.25s" (the span there) or "123@1.2s..1.3s". */
static bool ask_goroutine(struct asked *q, const struct trace *tr, const char *s, const char **why)
{
    char place[LINK_PLACE * 2];
    struct target to;
    const int n = snprintf(place, sizeof place, "g%s", s);
    if (n >= (int)sizeof place || !goto_parse(tr, place, &to, why)) {
        *why = *why ? *why : "a goroutine is g123, g123@1.25s or g123@1.2s..1.3s";
        return false;
    }
    const uint32_t g = trace_find_lane(tr, LANE_G, to.id);
    *why = "no such goroutine in this trace";
    if (g == NO_LANE)
        return false;
    const struct lane_info li = trace_lane(tr, lane_g(g));
    struct span is = {.t0 = to.has_range ? to.t0 : li.first, .t1 = to.has_range ? to.t1 : li.last};
    *why = "this goroutine isn't there at that moment";
    if (to.has_time && !trace_span_at(tr, lane_g(g), to.t0, &is))
        return false;
    text_who(&q->title, tr, g);
    ask_piece(q, workpiece_of_g(g, is.t0, is.t1));
    q->all = 1;
    *why = is.t1 > trace_info(tr)->end ? "the range ends behind the trace's end" : "it has no length";
    return q->n > 0 && is.t1 <= trace_info(tr)->end;
}

static void ask_items(struct asked *q, const struct trace *tr, enum item_kind kind, const char *s)
{
    uint64_t id;
    const char *end = goto_id(s, &id);
    const bool task = kind == ITEM_TASK, by_id = task && end && !*end;
    struct item x;
    for (size_t i = 0; item_at(tr, kind, i, &x); i++)
        if (by_id ? x.task == id : str_is(trace_str(tr, x.name), s))
            ask_piece(q, task ? workpiece_of_task(tr, i) : workpiece_of_g(x.g, x.t0, x.t1));
    text_add(&q->title, "%s ", task ? "task" : "region");
    text_clean(&q->title, s, strlen(s), 60);
}

static void ask_group(struct asked *q, const struct trace *tr, const char *s)
{
    uint32_t n = trace_nlanes(tr, LANE_G);
    for (uint32_t g = 0; g < n; g++) {
        struct lane_info li = trace_lane(tr, lane_g(g));
        const uint32_t begins = trace_frame(tr, li.start_stack, 0).func; /* a helper, if it isn't that name */
        if (text_func_is(tr, li.name, s) || text_func_is(tr, begins, s))
            ask_piece(q, workpiece_of_g(g, li.first, li.last));
    }
    text_lit(&q->title, "goroutines of ");
    text_clean(&q->title, s, strlen(s), 60);
}

ORDER(cmp_one, struct workpiece, MOST(r->t1 - r->t0) LEAST(r->t0) LEAST(r->g))

#define NO_SUCH(what, table) \
    "no " what " of that name in this trace: gotop sql 'select distinct name from " table "' lists them"

/* Parses a subject into *q, which must be zeroed. On failure returns false, and *why has the reason or
 * q->failed is set (out of memory). */
static bool subject_of(struct asked *q, const struct trace *tr, const char *s, const char **why)
{
    bool slowest = strncmp(s, "slowest:", 8) == 0;
    *why = "a subject is g123, g123@TIME, g123@FROM..TO, task:ID, task:NAME, region:NAME, group:FUNCTION, "
           "slowest:..";
    const char *id = s + (s[0] == 'g' || s[0] == 'G'); /* as keys take it, as the screen writes it, or bare */
    if (*id >= '0' && *id <= '9')
        return ask_goroutine(q, tr, id, why);
    if (slowest) {
        s += 8;
        text_lit(&q->title, "the slowest ");
    }
    if (strncmp(s, "task:", 5) == 0)
        ask_items(q, tr, ITEM_TASK, s + 5);
    else if (strncmp(s, "region:", 7) == 0)
        ask_items(q, tr, ITEM_REGION, s + 7);
    else if (strncmp(s, "group:", 6) == 0)
        ask_group(q, tr, s + 6);
    else
        return false;
    *why = s[0] == 't'   ? NO_SUCH("task", "task")
           : s[0] == 'r' ? NO_SUCH("region", "region")
                         : NO_SUCH("start function", "goroutine");
    q->all = q->n;
    sort(q->v, q->n, cmp_one);
    q->n = slowest && q->n ? 1 : q->n;
    return q->n > 0;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* The spans that an answer may read are bounded: instances may overlap, each as long as the trace. */
static uint64_t allowed(const struct trace *tr)
{
    return 1000000 + 2 * trace_info(tr)->events;
}

/* Returns n: every n-th instance is read, so that their own spans stay within the bound. */
static size_t stride(const struct trace *tr, const struct workpiece *v, size_t n)
{
    for (size_t step = n > INSTANCES ? n / INSTANCES : 1;; step *= 2) {
        uint64_t own = 0;
        for (size_t i = 0; i < n && own <= allowed(tr); i += step)
            own += trace_count(tr, lane_g(v[i].g), v[i].t0, v[i].t1);
        if (own <= allowed(tr) || step >= n)
            return step;
    }
}

static void heading(struct text *t, const struct asked *q, const struct work_tree *x)
{
    text_raw(t, q->title.p ? q->title.p : "", q->title.n);
    const struct workpiece *v = q->v, *half = &v[q->n / 2], *hundredth = &v[q->n / 100];
    if (q->all > 1 && q->n > 1) {
        text_say(t, NULL, ": ", q->all, ", half of them ", t_dur(half->t1 - half->t0), " or less, 1% ",
                 t_dur(hundredth->t1 - hundredth->t0), " or more, the longest ", t_dur(v->t1 - v->t0));
        if (x->pieces[TREE_ALL] < q->n)
            text_say(t, NULL, "; ", x->pieces[TREE_ALL], " of them looked at");
    } else {
        text_lit(t, ", ");
        text_between(t, v->t0, v->t1);
        text_say(t, NULL, ", ", t_dur(v->t1 - v->t0));
    }
    text_lit(t, "\n");
    if (x->cut)
        text_lit(t, "Some waits are not followed to their end: too deep, or too much.\n");
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* Write the members of an object, without its braces, and free it: a list has as many values as the trace has
 * waits, so each is written as it is made. */
static void json_members(struct text *t, json_t *o)
{
    text_own(t, json_dumps(o, JSON_EMBED | (t->ascii ? JSON_ENSURE_ASCII : 0)));
    json_decref(o);
}

/* Adds where the running time went, if that is known. */
static void json_ran(json_t *obj, const struct trace *tr, bool known, const struct ran *r)
{
    if (known)
        json_put(obj, tr, "how", ran_id(ran_how(r)), "after", j_some(r->from), "before", j_some(r->to));
}

static void json_tree(json_t *arr, const struct trace *tr, const struct work_tree *x, uint32_t i, int depth)
{
    for (uint32_t k = depth <= EXPLAIN_DEPTH ? x->v[i].first : NO_LANE; k != NO_LANE; k = x->v[k].next) {
        const struct tree_node *n = &x->v[k];
        const uint32_t func = n->stack ? trace_frame(tr, n->stack, node_frame(tr, n)).func : 0;
        json_t *o = json_row(arr, tr, "what", explain_cat_id((enum explain_cat)n->cat), "func", j_str(func),
                             "leaf", j_some(n->leaf), "goroutines", j_str(n->who), "ns", n->ns[TREE_ALL],
                             "count", n->n[TREE_ALL], "longest_ns", n->t1 - n->t0);
        json_ran(o, tr, n->cat == EX_RUN && n->stack, &n->ran);
        if (n->first != NO_LANE)
            json_tree(json_list(o, "by"), tr, x, k, depth + 1);
    }
}

static json_t *json_part(const struct trace *tr, const struct explain_item *item)
{
    const struct explain_part *p = &item->part;
    struct ran ran;
    uint32_t stack, frame, func = explain_place(tr, p, &stack, &frame, &ran);
    json_t *o =
        json_put(json_object(), tr, "t0", p->t0, "t1", p->t1, "depth", p->depth, "what",
                 explain_cat_id((enum explain_cat)p->cat), "goroutine", j_g(p->g), "func", j_str(func));
    json_ran(o, tr, p->cat == EX_RUN && stack, &ran);
    json_put(o, tr, "of", j_if(item->up != NO_LANE, item->up), "ended_by", j_g(p->by));
    return o;
}

static bool json_answer(struct text *t, struct explainer *x, const struct trace *tr, const struct asked *q,
                        const struct work_tree *all)
{
    struct explain_list l = {0};
    explain_budget(x, 4000000);
    bool ok = q->n > 1 || explain_list(x, q->v[0], &l);
    if (ok) {
        json_t *head = json_begin();
        json_put(head, tr, "schema", "gotop.explain/1", "subject", q->title.p ? q->title.p : "", "instances",
                 q->all, "ns", all->v[0].ns[TREE_ALL], "cut", (bool)(all->cut || l.cut), "t0",
                 j_if(q->n == 1, q->v[0].t0), "t1", j_if(q->n == 1, q->v[0].t1));
        json_tree(json_list(head, "tree"), tr, all, 0, 0);
        text_lit(t, "{");
        json_members(t, head);
        text_add(t, "%s", q->n == 1 ? ",\n \"parts\": [" : "");
        for (size_t i = 0; i < l.n; i++) {
            text_add(t, "%s\n  {", i ? "," : "");
            json_members(t, json_part(tr, &l.v[i]));
            text_lit(t, "}");
        }
        text_add(t, "%s\n}\n", q->n == 1 ? "]" : "");
        ok = json_whole();
    }
    explain_list_free(&l);
    return ok;
}

/* ---- the command --------------------------------------------------------------------------------------- */

static const struct command command = {
    "explain", CMD_EXPLAIN,
    "usage: gotop explain [options] TRACE SUBJECT\nWhere all the time of an interval went: running, system "
    "calls, runnable, and each wait by what the goroutine that ended it did meanwhile.\nSUBJECT  g123        "
    "    a goroutine, its whole life      g123@1.2s..1.3s  a part of it\n         task:42         a task by "
    "its id                 task:NAME        all tasks of that name, merged\n         region:NAME     all "
    "regions of that name         group:FUNCTION   all goroutines that started there\n         "
    "slowest:task:NAME, slowest:region:NAME           the longest one\n         g123@1.25s      the span "
    "at that moment      TRACE@1.25s:g123 the same, as find prints it\n",
    "Exit status: 0 fine, 2 a trace can't be read or has no such subject, 3 only part of a trace could be "
    "read.\n"};

/* Sets o->path, and the subject: the second operand, or the place after the first. Returns -1 to continue,
 * else the exit status. */
static int explain_parse(struct options *o, const char **subject, int argc, char **argv)
{
    static char place[LINK_PLACE];
    const int status = options_read(&command, argc, argv, o);
    if (status >= 0)
        return status;
    if (!o->noperands)
        return options_lack(&command, "TRACE");
    o->path = o->operand[0];
    if (o->noperands > 2)
        return say_failed("explain", o->operand[2], "one trace and one subject, please");
    *subject = o->noperands == 2                               ? o->operand[1]
               : link_split((char *)(uintptr_t)o->path, place) ? place /* now it is a file's name */
                                                               : NULL;
    return *subject ? -1
                    : say_failed("explain", o->path,
                                 "of what? A SUBJECT is missing: g123, task:NAME, .. (gotop explain --help)");
}

static bool respond(struct text *t, const struct options *o, const struct trace *tr, const struct asked *q)
{
    struct explainer *x = explain_new(tr, NULL);
    struct work_tree all = {0};
    bool ok = x && tree_explain(&all, tr, x, q->v, q->n, stride(tr, q->v, q->n), allowed(tr));
    if (ok && o->json) {
        ok = json_answer(t, x, tr, q, &all);
    } else if (ok) {
        heading(t, q, &all);
        tree_text(t, tr, &all, LINES);
    }
    tree_free(&all);
    explain_free(x);
    return ok;
}

static int explain_subject(const struct options *o, const char *subject, struct text *t)
{
    struct trace *tr;
    struct asked q = {0};
    const char *why;
    struct err e = {0};
    int status;
    if (load_model(o->path, &o->trace, o->quiet, &tr, &e) != ERR_OK)
        return say_failed("explain", o->path, e.what);
    if (!subject_of(&q, tr, subject, &why)) {
        status = say_failed("explain", subject, q.failed ? "out of memory" : why);
    } else {
        t->ticks = !trace_info(tr)->has_clock;
        t->failed |= q.failed || !respond(t, o, tr, &q);
        status = trace_info(tr)->ndamages ? 3 : 0;
    }
    text_free(&q.title);
    mem_free(q.v);
    trace_close(tr);
    return status;
}

int explain_main(int argc, char **argv)
{
    struct options o;
    const char *subject;
    struct text t = {0};
    int status = explain_parse(&o, &subject, argc, argv);
    if (status >= 0)
        return status;
    t.ascii = !o.utf8;
    status = explain_subject(&o, subject, &t);
    if (status != 2 && say_answer("explain", o.json, o.out, &t))
        status = 2;
    text_free(&t);
    return status;
}
