/*
 * report.c - `gotop report`: command line, several files, conditions, ranking.
 */
#include "triage/folder.h"
#include "triage/report/report.h"
#include "triage/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "triage/options.h"
#include "triage/tables/metrics.h"
#include "triage/findings/thresholds.h"

#define ASSERT_MAX 64

struct asserts { /* --assert */
    struct condition cond[ASSERT_MAX];
    uint32_t n;
};

static const char usage_head[] =
    "usage: gotop report [options] TRACE...\n"
    "One page for each trace, of folders and zip archives, too: what stands out, then the numbers. - is\n"
    "standard input.\n";
static const char usage_tail[] =
    "Exit status: 0 fine, 1 an assertion failed, 2 a trace can't be read, 3 only part of a trace could "
    "be read.\n";

static int fail(const char *path, const char *what)
{
    return say_failed("report", path, what);
}

static const struct command command = {"report", CMD_REPORT, usage_head, usage_tail};

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
    for (a->n = 0; a->n < o->conditions.n; a->n++) {
        struct condition *c = &a->cond[a->n];
        if (condition_parse(o->conditions.v[a->n], false, c, &e) || condition_check(c, &e))
            return fail("--assert", e.what);
    }
    return -1;
}

/* -1 to go on, else the exit status. */
static int parse(struct options *o, struct asserts *a, int argc, char **argv)
{
    struct err e = {0};
    const int status = options_read(&command, argc, argv, o);
    if (status >= 0)
        return status;
    if (o->list_metrics)
        return list_metrics();
    if (o->rules && thresholds_read(o->rules, &e) != ERR_OK)
        return fail("--rules", e.what);
    if (o->list_rules || (!o->noperands && o->rules))
        return report_rules("report");
    if (!o->noperands)
        return options_lack(&command, "TRACE");
    return conditions(o, a);
}

/* The worse of two exit statuses: unreadable, broken, partial, fine. */
static int worse(int a, int b)
{
    static const int rank[] = {0, 2, 3, 1};
    return rank[a & 3] > rank[b & 3] ? a : b;
}

static void line_path(struct text *t, const struct loaded *l)
{
    text_clean(t, l->path, strlen(l->path), 0);
    if (l->partial)
        text_lit(t, "  (partial)");
    text_lit(t, "\n");
}

static int check(const struct asserts *a, const struct options *o, const struct loaded *l, struct text *t)
{
    int status = report_status(l);
    for (uint32_t i = 0; i < a->n; i++) {
        const char *said = o->conditions.v[i];
        struct metric_value v;
        struct err e = {0};
        bool held;
        if (metric_get(l, a->cond[i].metric, &v, &e) != ERR_OK)
            return fail("--assert", e.what);
        if (v.known && a->cond[i].unit != v.unit && !(a->cond[i].unit == UNIT_COUNT && a->cond[i].v == 0))
            return fail(said, "the value's unit is not the metric's");
        held = v.known && condition_holds(&a->cond[i], v.v);
        text_add(t, "%s ", held ? "held  " : "BROKEN");
        text_clean(t, said, strlen(said), 0);
        text_lit(t, ": ");
        if (v.known)
            metric_text(t, &v);
        else
            text_lit(t, "the trace has no such thing");
        text_lit(t, "  ");
        line_path(t, l);
        status = held ? status : worse(status, 1);
    }
    return status;
}

/* *some: a page, or what stands for it, is printed already. */
static int one(const struct options *o, const struct asserts *a, const struct folder_file *f, struct text *t,
               bool *some, bool many)
{
    const char *path = f->path;
    struct loaded l;
    struct err e = {0};
    int status;
    const enum err_code rc = load_file(path, &o->trace, o->quiet, &l, &e);
    if (rc != ERR_OK)
        return folder_skips(f, rc) ? 0 : fail(o->trace.more.n ? "these traces" : path, e.what);
    status = report_status(&l);
    if (a->n) {
        status = check(a, o, &l, t);
    } else if (o->json) {
        char *j = report_json(&l);
        text_add(t, "%s", *some ? ",\n" : many ? "[\n" : "");
        if (j)
            text_raw(t, j, strlen(j));
        else
            t->failed = true;
        mem_free(j);
    } else {
        text_add(t, "%s", *some ? "\n\n" : "");
        report_text(t, &l);
    }
    *some = true;
    load_free(&l);
    return status;
}

/* ---- ranking
 * ------------------------------------------------------------------------------------------------ */

struct ranked {
    char *line;
    struct metric_value v;
    int at;
};

static int cmp_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->v.known != y->v.known)
        return y->v.known - x->v.known;
    return x->v.v != y->v.v ? (x->v.v < y->v.v) - (x->v.v > y->v.v) : x->at - y->at;
}

static int rank_one(const struct options *o, const struct folder_file *f, struct ranked *r)
{
    struct loaded l;
    struct err e = {0};
    struct text t = {.ascii = !o->utf8};
    int status;
    const enum err_code rc = load_file(f->path, &o->trace, o->quiet, &l, &e);
    if (rc != ERR_OK)
        return folder_skips(f, rc) ? 0 : fail(f->path, e.what);
    status = report_status(&l);
    if (metric_get(&l, o->rank, &r->v, &e) != ERR_OK) {
        status = fail("--rank", e.what);
    } else {
        metric_text(&t, &r->v);
        text_pad(&t, 0, 12);
        text_lit(&t, "  ");
        line_path(&t, &l);
        r->line = text_take(&t);
    }
    text_free(&t);
    load_free(&l);
    return status;
}

static int rank(const struct options *o, const struct folder *files, struct text *t)
{
    struct ranked *r = mem_zalloc((files->n + 1) * sizeof *r);
    int status = 0, k = 0;
    if (!r) {
        t->failed = true;
        return 2;
    }
    for (size_t i = 0; i < files->n; i++) {
        r[k].at = (int)i;
        status = worse(status, rank_one(o, &files->file[i], &r[k]));
        k += r[k].line != NULL;
    }
    qsort(r, (size_t)k, sizeof *r, cmp_ranked);
    for (int i = 0; i < k; i++) {
        text_raw(t, r[i].line, strlen(r[i].line));
        mem_free(r[i].line);
    }
    mem_free(r);
    return status;
}

/* Several traces as one: the first is opened, the others with it. false: no memory. */
static bool as_one(struct options *o, struct folder *files)
{
    const char **more = files->n > 1 ? mem_alloc((files->n - 1) * sizeof *more) : NULL;
    if (files->n < 2)
        return true;
    for (size_t i = 1; more && i < files->n; i++)
        more[i - 1] = files->file[i].path;
    o->trace.more = (struct joint_paths){more, more ? (uint32_t)(files->n - 1) : 0};
    return more != NULL;
}

static int pages(const struct options *o, const struct asserts *a, const struct folder *files, struct text *t)
{
    const size_t n = o->trace.more.n ? 1 : files->n;
    bool printed = false;
    int status = 0;
    for (size_t i = 0; i < n; i++)
        status = worse(status, one(o, a, &files->file[i], t, &printed, n > 1));
    if (o->json && !a->n && printed)
        text_add(t, n > 1 ? "\n]\n" : "\n");
    return status;
}

int report_main(int argc, char **argv)
{
    struct options o;
    struct asserts a = {.n = 0};
    struct text t = {0};
    struct folder files;
    int status = parse(&o, &a, argc, argv);
    if (status >= 0)
        return status;
    status = 0;
    t.ascii = !o.utf8;
    report_fit(o.out ? 0 : say_width());
    t.failed = !folder_of(o.operand, (int)o.noperands, &files) || (o.timeline && !as_one(&o, &files));
    if (!t.failed)
        status = o.rank ? rank(&o, &files, &t) : pages(&o, &a, &files, &t);
    if (!text_ok(&t))
        status = fail("report", "out of memory");
    else
        status = worse(status, say_text("report", o.out, &t));
    text_free(&t);
    mem_free((void *)o.trace.more.path);
    folder_free(&files);
    return status;
}
