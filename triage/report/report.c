/*
 * report.c - `gotop report`: command line, several files, conditions.
 */
#include "triage/folder.h"
#include "triage/report/report.h"
#include "triage/say.h"

#include "decode/base/mem.h"
#include "triage/options.h"
#include "triage/findings/thresholds.h"

static const struct command command = {
    "report", CMD_REPORT,
    "usage: gotop report [options] TRACE...\nOne page for each trace, of folders and zip archives, too: what "
    "stands out, then the numbers. - is standard input.\n",
    "Exit status: 0 fine, 1 an assertion failed, 2 a trace can't be read, 3 only part of a trace could be "
    "read.\n"};

static int list_metrics(void)
{
    struct text t = {0};
    const char *help, *name;
    for (size_t i = 0; (name = metric_list(i, &help)) != NULL; i++)
        text_add(&t, "%-22s %s\n", name, help);
    return say_list("report", &t);
}

int report_rules(const char *who)
{
    struct text t = {0};
    rules_text(&t);
    return say_list(who, &t);
}

static int conditions(const struct options *o, struct asserts *a)
{
    struct err e = {0};
    for (; a->n < o->conditions.n && a->n < ASSERTS_MOST; a->n++) {
        struct asserted *x = &a->v[a->n];
        x->said = o->conditions.v[a->n];
        if (condition_parse(x->said, false, &x->cond, &e))
            return say_failed("report", "--assert", e.what);
    }
    return -1;
}

/* Returns -1 to go on, else the exit status. */
static int report_parse(struct options *o, struct asserts *a, int argc, char **argv)
{
    struct err e = {0};
    const int status = options_read(&command, argc, argv, o);
    if (status >= 0)
        return status;
    if (o->list_metrics)
        return list_metrics();
    if (o->rules && thresholds_read(o->rules, &e) != ERR_OK)
        return say_failed("report", "--rules", e.what);
    if (o->list_rules || (!o->noperands && o->rules))
        return report_rules("report");
    if (!o->noperands)
        return options_lack(&command, "TRACE");
    return conditions(o, a);
}

/* Returns the worse of two exit statuses: unreadable, broken, partial, fine. */
static int worse(int a, int b)
{
    static const int rank[] = {0, 2, 3, 1};
    return rank[a & 3] > rank[b & 3] ? a : b;
}

/* Evaluates the conditions on a trace. Returns an exit status: 0, 1 or 2. */
static int check(struct asserts *a, const struct loaded *l)
{
    struct err e = {0};
    int status = 0;
    for (a->evaluated = 0; a->evaluated < a->n;) {
        struct asserted *x = &a->v[a->evaluated++];
        const struct condition *c = &x->cond;
        *x = (struct asserted){.said = x->said, .cond = x->cond};
        if (metric_get(l, c->metric, &x->v, &e) != ERR_OK)
            return say_failed("report", e.code == ERR_ARG ? x->said : "--assert", e.what);
        if (x->v.known && c->unit != x->v.unit && !(c->unit == UNIT_COUNT && c->v == 0))
            return say_failed("report", x->said, "the value's unit is not the metric's");
        x->held = x->v.known && condition_holds(c, x->v.v);
        status |= !x->held;
    }
    return status;
}

/* Adds a line for each: "held   stw.max<1ms: 137us  trace.out". */
static void put_results(struct text *t, const struct asserts *a, const struct loaded *l)
{
    each_of(x, a->v, a->evaluated) {
        text_say(t, NULL, x->held ? "held  " : "BROKEN", " ", t_clean(x->said), ": ");
        if (x->v.known)
            metric_text(t, &x->v);
        else
            text_lit(t, "the trace has no such thing");
        text_say(t, NULL, "  ", t_clean(l->path), l->partial ? "  (partial)" : "", "\n");
    }
}

static void page(const struct options *o, const struct asserts *as, const struct loaded *l, struct text *t,
                 bool many)
{
    if (o->json) {
        text_add(t, "%s", t->n ? ",\n" : many ? "[\n" : "");
        text_own(t, report_json(l, as));
    } else if (as) {
        put_results(t, as, l);
    } else {
        text_add(t, "%s", t->n ? "\n\n" : "");
        report_text(t, l);
    }
}

/* Reports one trace. Returns the exit status. */
static int report_one(const struct options *o, struct asserts *a, const struct folder_file *f, struct text *t,
                      bool many)
{
    const char *path = f->path;
    struct loaded l;
    struct err e = {0};
    int status;
    const enum err_code rc = load_file(path, &o->trace, o->quiet, &l, &e);
    if (rc != ERR_OK)
        return folder_skips(f, rc) ? 0
                                   : say_failed("report", o->trace.more.n ? "these traces" : path, e.what);
    status = worse(check(a, &l), l.partial ? 3 : 0);
    page(o, a->n ? a : NULL, &l, t, many);
    load_free(&l);
    return status;
}

/* Opens several traces as one: the first, with the others attached. Returns false when out of memory. */
static bool as_one(struct options *o, const struct folder *files)
{
    const size_t n = files->n ? files->n - 1 : 0;
    const char **more = n ? mem_alloc(n * sizeof *more) : NULL;
    for (size_t i = 0; more && i < n; i++)
        more[i] = files->file[i + 1].path;
    o->trace.more = (struct joint_paths){more, more ? (uint32_t)n : 0};
    return more || !n;
}

static int pages(const struct options *o, struct asserts *a, const struct folder *files, struct text *t)
{
    const size_t n = o->trace.more.n ? 1 : files->n;
    int status = 0;
    for (size_t i = 0; i < n; i++)
        status = worse(status, report_one(o, a, &files->file[i], t, n > 1));
    if (o->json && t->n)
        text_add(t, n > 1 ? "\n]\n" : "\n");
    return status;
}

static int report_all(struct options *o, struct asserts *a)
{
    struct text t = {.ascii = !o->utf8, .width = o->out ? 0 : say_width(REPORT_WIDTH)};
    struct folder files;
    int status = 0;
    t.failed = !folder_of(o->operand, (int)o->noperands, &files) || (o->timeline && !as_one(o, &files));
    if (!t.failed)
        status = pages(o, a, &files, &t);
    status = worse(status, say_answer("report", o->json, o->out, &t));
    mem_free((void *)o->trace.more.path);
    folder_free(&files);
    return status;
}

int report_main(int argc, char **argv)
{
    struct options o;
    struct asserts a = {.n = 0};
    const int status = report_parse(&o, &a, argc, argv);
    return status >= 0 ? status : report_all(&o, &a);
}

int report_page(struct options *o)
{
    const char *const one[] = {o->path};
    o->timeline = o->trace.more.n > 0;
    o->trace.more = (struct joint_paths){0};
    if (!o->noperands) {
        o->operand = one;
        o->noperands = 1;
    }
    return report_all(o, &(struct asserts){.n = 0});
}
