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
#include "triage/exports/export_run.h"
#include "triage/tables/metrics.h"
#include "triage/findings/thresholds.h"

#define ASSERT_MAX 64

struct options {
    struct trace_opts trace;
    bool json, utf8, quiet, rules, list_rules, timeline;
    const char *out, *rank;
    struct condition cond[ASSERT_MAX];
    const char *cond_text[ASSERT_MAX];
    uint32_t nconds;
};

static const char usage[] =
    "usage: gotop report [options] TRACE...\n"
    "One page for each trace, of folders and zip archives, too: what stands out, then the numbers. - is\n"
    "standard input.\n"
    "  --json               the tables as JSON (docs/REPORT.md); an array if there are several traces\n"
    "  --timeline           the traces are of one program: one page for all of them, in clock order\n"
    "  --rank METRIC        one line per trace, largest METRIC first\n"
    "  --assert CONDITION   for example 'stw.max<1ms' or 'p99(sched)<200us'; repeatable; prints each with "
    "its value\n"
    "  --metrics            list the metrics\n"
    "  --rules [FILE]       alone: list the rules and their numbers; with a file: use its numbers "
    "(docs/REPORT.md)\n"
    "  --utf8               print names as they are; without it non-ASCII is written \\u{hex}\n"
    "  -o FILE              write to FILE           --quiet   no progress on the terminal\n"
    "  --strict             fail at the first damage: no page of a part\n"
    "  --max-memory SIZE    memory limit; the rest goes to a temporary file\n"
    "  --threads N          decode and count with N threads; the result is the same for any N\n"
    "  --ticks-per-second N    units of its clock per second, if the trace states none or a wrong one\n"
    "  --exe FILE              for old traces: the program\n"
    "Exit status: 0 fine, 1 an assertion failed, 2 a trace can't be read, 3 only part of a trace could be "
    "read.\n";

static int fail(const char *path, const char *what)
{
    return say_failed("report", path, what);
}

static int list_metrics(void)
{
    struct text t = {0};
    const char *help, *name;
    for (size_t i = 0; (name = metric_list(i, &help)) != NULL; i++)
        text_add(&t, "%-22s %s\n", name, help);
    return say_list("report", &t);
}

int report_rules(const char *command)
{
    struct text t = {0};
    rules_text(&t);
    return say_list(command, &t);
}

/* --rules FILE takes its numbers; with nothing behind it, the rules are to be listed. *i is moved over the
 * file. */
static int take_rules(struct options *o, int argc, char **argv, int *i)
{
    struct err e = {0};
    o->rules = true;
    if (*i + 1 >= argc || argv[*i + 1][0] == '-') {
        o->list_rules = true;
        return 0;
    }
    return thresholds_read(argv[++*i], &e) == ERR_OK ? 0 : fail("--rules", e.what);
}

/* Options that take a value. Returns whether `name` is one; *status is not 0 if its value makes no sense. */
static bool option_value(struct options *o, const char *name, const char *value, int *status)
{
    struct err e = {0};
    if (strcmp(name, "--rank") == 0) {
        o->rank = value;
    } else if (strcmp(name, "-o") == 0) {
        o->out = value;
    } else if (strcmp(name, "--exe") == 0) {
        o->trace.exe = value;
    } else if (strcmp(name, "--ticks-per-second") == 0) {
        o->trace.ticks_per_second = strtod(value, NULL);
        *status = o->trace.ticks_per_second > 0 ? 0 : fail(value, "is no clock rate");
    } else if (strcmp(name, "--threads") == 0) {
        *status =
            export_threads(value, &o->trace.threads) ? 0 : fail(value, "is no number of threads (1 to 256)");
    } else if (strcmp(name, "--max-memory") == 0) {
        *status = export_size(value, &o->trace.max_memory) ? 0 : fail(value, "is no size (500M, 4G)");
    } else if (strcmp(name, "--assert") == 0) {
        if (o->nconds == ASSERT_MAX)
            *status = fail("--assert", "too many conditions");
        else if (condition_parse(value, false, &o->cond[o->nconds], &e) ||
                 condition_check(&o->cond[o->nconds], &e))
            *status = fail("--assert", e.what);
        else
            o->cond_text[o->nconds++] = value;
    } else {
        return false;
    }
    return true;
}

/* Takes the options out of argv; returns -1 to go on, else the exit status. *n: the paths, now argv[1..*n].
 */
static int parse(struct options *o, int argc, char **argv, int *n)
{
    bool paths_only = false;
    *n = 0;
    for (int i = 1; i < argc; i++) {
        int status = 0;
        if (paths_only || argv[i][0] != '-' || argv[i][1] == 0)
            argv[++*n] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            paths_only = true;
        else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return say_usage("report", usage);
        else if (strcmp(argv[i], "--metrics") == 0)
            return list_metrics();
        else if (strcmp(argv[i], "--rules") == 0)
            status = take_rules(o, argc, argv, &i);
        else if (strcmp(argv[i], "--json") == 0)
            o->json = true;
        else if (strcmp(argv[i], "--timeline") == 0)
            o->timeline = true;
        else if (strcmp(argv[i], "--utf8") == 0)
            o->utf8 = true;
        else if (strcmp(argv[i], "--quiet") == 0)
            o->quiet = true;
        else if (strcmp(argv[i], "--strict") == 0)
            o->trace.strict = true;
        else if (i + 1 < argc && option_value(o, argv[i], argv[i + 1], &status))
            i++;
        else
            status = fail(argv[i], "unknown option, or its value is missing (gotop report --help)");
        if (status)
            return status;
    }
    if (o->list_rules || (*n == 0 && o->rules))
        return report_rules("report");
    if (*n == 0)
        return say_lacks("report", "TRACE", usage);
    return -1;
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

static int check(const struct options *o, const struct loaded *l, struct text *t)
{
    int status = report_status(l);
    for (uint32_t i = 0; i < o->nconds; i++) {
        struct metric_value v;
        struct err e = {0};
        bool held;
        if (metric_get(l, o->cond[i].metric, &v, &e) != ERR_OK)
            return fail("--assert", e.what);
        if (v.known && o->cond[i].unit != v.unit && !(o->cond[i].unit == UNIT_COUNT && o->cond[i].v == 0))
            return fail(o->cond_text[i], "the value's unit is not the metric's");
        held = v.known && condition_holds(&o->cond[i], v.v);
        text_add(t, "%s ", held ? "held  " : "BROKEN");
        text_clean(t, o->cond_text[i], strlen(o->cond_text[i]), 0);
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
static int one(const struct options *o, const struct folder_file *f, struct text *t, bool *some, bool many)
{
    const char *path = f->path;
    struct loaded l;
    struct err e = {0};
    int status;
    const enum err_code rc = load_file(path, &o->trace, o->quiet, &l, &e);
    if (rc != ERR_OK)
        return folder_skips(f, rc) ? 0 : fail(o->trace.more.n ? "these traces" : path, e.what);
    status = report_status(&l);
    if (o->nconds) {
        status = check(o, &l, t);
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

static int pages(const struct options *o, const struct folder *files, struct text *t)
{
    const size_t n = o->trace.more.n ? 1 : files->n;
    bool printed = false;
    int status = 0;
    for (size_t i = 0; i < n; i++)
        status = worse(status, one(o, &files->file[i], t, &printed, n > 1));
    if (o->json && !o->nconds && printed)
        text_add(t, n > 1 ? "\n]\n" : "\n");
    return status;
}

int report_main(int argc, char **argv)
{
    struct options o = {0};
    struct text t = {0};
    struct folder files;
    int n, status = parse(&o, argc, argv, &n);
    if (status >= 0)
        return status;
    status = 0;
    t.ascii = !o.utf8;
    report_fit(o.out ? 0 : say_width());
    t.failed = !folder_of(argv + 1, n, &files) || (o.timeline && !as_one(&o, &files));
    if (!t.failed)
        status = o.rank ? rank(&o, &files, &t) : pages(&o, &files, &t);
    if (!text_ok(&t))
        status = fail("report", "out of memory");
    else
        status = worse(status, say_text("report", o.out, &t));
    text_free(&t);
    mem_free((void *)o.trace.more.path);
    folder_free(&files);
    return status;
}
