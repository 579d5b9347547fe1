/*
 * diff.c - `gotop diff A B`: what changed between two traces of a program.
 *
 * Traces differ in length, so sets of durations are compared by their statistics and counts by rate where that is
 * said. Whether a mean really moved is judged by Welch's rule: the difference against the standard error of both
 * means; it is called clear beyond 3 of them, likely beyond 2, else within the spread; with fewer than 8 on a side,
 * too few to say. Names match by text: ids of two traces have nothing to do with each other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/door.h"
#include "decode/mem.h"
#include "triage/metrics.h"
#include "triage/report.h"

#define FAIL_MAX 64
#define GROUPS_MAX 12

static const char usage[] =
    "usage: gotop diff [options] OLD NEW\n"
    "What changed from one trace to another of the same program.\n"
    "  --fail-if CONDITION  as 'p99(sched)>+20%', 'stw.max>+1ms' (change) or 'gc.share>25%' (the new value)\n"
    "  --utf8, --quiet, -o FILE, --ticks-per-second N   as for gotop report\n"
    "Exit status: 0 fine, 1 a condition came true, 2 a trace can't be read, 3 a trace is there in part only.\n";

const char *diff_verdict(const struct dist *a, const struct dist *b)
{
    double se, d;
    if (a->n < 8 || b->n < 8) {
        return "too few to say";
    }
    se = sqrt(dist_sd(a) * dist_sd(a) / (double)a->n + dist_sd(b) * dist_sd(b) / (double)b->n);
    d = fabs((double)b->total / (double)b->n - (double)a->total / (double)a->n);
    if (d == 0) {
        return "no change";
    }
    return d > 3 * se ? "clear" : d > 2 * se ? "likely" : "within the spread";
}

static void change(struct text *t, const struct metric_value *a, const struct metric_value *b)
{
    struct text cell = {0};
    metric_text(&cell, a);
    text_add(t, "%12s", cell.p ? cell.p : "");
    text_free(&cell);
    metric_text(&cell, b);
    text_add(t, " -> %-12s", cell.p ? cell.p : "");
    text_free(&cell);
    if (a->known && b->known && a->v > 0 && a->unit != UNIT_SHARE) {
        text_add(t, " %+7.1f%%", (b->v / a->v - 1) * 100);
    } else if (a->known && b->known && a->unit == UNIT_SHARE) {
        text_add(t, " %+7.2f points", (b->v - a->v) * 100);
    }
}

static void metrics(struct text *t, const struct loaded *a, const struct loaded *b)
{
    static const char *const shown[] = {
        "duration",   "procs",        "events",     "goroutines", "goroutines.stuck", "busy.share", "idle.missed",
        "gc.cycles",  "gc.share",     "gc.assist",  "heap.max",   "mmu(10ms)",        "count(stw)", "max(stw)",
        "total(stw)", "count(sched)", "p50(sched)", "p99(sched)", "max(sched)",
    };
    text_lit(t, "\nNUMBERS\n");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        struct metric_value x, y;
        size_t start = t->n;
        if (metric_get(a, shown[i], &x, NULL) != ERR_OK || metric_get(b, shown[i], &y, NULL) != ERR_OK) {
            continue;
        }
        text_add(t, "  %s", shown[i]);
        text_pad(t, start, 20);
        change(t, &x, &y);
        if (strncmp(shown[i], "p50(sched", 9) == 0) {
            text_add(t, "  mean: %s", diff_verdict(&x.d, &y.d));
        }
        text_lit(t, "\n");
    }
}

static bool has_key(const struct findings *fs, const char *key)
{
    for (uint32_t i = 0; i < fs->n; i++) {
        if (strcmp(fs->f[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

static void findings_only(struct text *t, const struct loaded *x, const struct loaded *other, const char *word,
                          bool *any)
{
    for (uint32_t i = 0; i < x->fs.n; i++) {
        const struct finding *f = &x->fs.f[i];
        if (has_key(&other->fs, f->key) || f->rule == RULE_TIME) {
            continue;
        }
        text_add(t, "  %s ", word);
        text_clean(t, f->amount, strlen(f->amount), 0);
        text_add(t, "  %s [", f->title);
        text_clean(t, f->key, strlen(f->key), 0);
        text_lit(t, "]\n");
        *any = true;
    }
}

static void findings(struct text *t, const struct loaded *a, const struct loaded *b)
{
    bool any = false;
    text_lit(t, "\nFINDINGS\n");
    findings_only(t, b, a, "new ", &any);
    findings_only(t, a, b, "gone", &any);
    for (uint32_t i = 0; i < b->fs.n; i++) {
        const struct finding *f = &b->fs.f[i];
        for (uint32_t k = 0; k < a->fs.n; k++) {
            const struct finding *g = &a->fs.f[k];
            if (strcmp(f->key, g->key) == 0 && f->rule != RULE_TIME) {
                text_add(t, "  both %s", f->title);
                text_lit(t, "  ");
                text_clean(t, g->amount, strlen(g->amount), 0);
                text_lit(t, " -> ");
                text_clean(t, f->amount, strlen(f->amount), 0);
                text_lit(t, "\n");
                any = true;
                break;
            }
        }
    }
    if (!any) {
        text_lit(t, "  none in either\n");
    }
}

/* ---- tables matched by name --------------------------------------------------------------------------------- */

static bool same_name(const struct trace *x, uint32_t a, const struct trace *y, uint32_t b)
{
    struct str s = trace_str(x, a), u = trace_str(y, b);
    return s.len == u.len && memcmp(s.p, u.p, s.len) == 0;
}

static void dist_line(struct text *t, const char *what, const struct dist *x, const struct dist *y)
{
    size_t start = t->n;
    if (x->total == 0 && y->total == 0) {
        return;
    }
    text_add(t, "      %s", what);
    text_pad(t, start, 22);
    text_lit(t, "avg ");
    text_dur(t, dist_avg(x));
    text_lit(t, " (sd ");
    text_dur(t, (int64_t)dist_sd(x));
    text_lit(t, ") -> ");
    text_dur(t, dist_avg(y));
    text_lit(t, " (sd ");
    text_dur(t, (int64_t)dist_sd(y));
    text_add(t, "): %s\n", diff_verdict(x, y));
}

static const struct group *group_like(const struct loaded *l, const struct trace *tr, uint32_t str)
{
    for (uint32_t i = 0; i < l->tg->ngroups; i++) {
        if (same_name(l->tr, l->tg->groups[i].name, tr, str)) {
            return &l->tg->groups[i];
        }
    }
    return NULL;
}

static void groups(struct text *t, const struct loaded *a, const struct loaded *b)
{
    uint32_t shown = 0;
    text_lit(t, "\nGOROUTINES by start function (per goroutine)\n");
    for (uint32_t i = 0; i < b->tg->ngroups && shown < GROUPS_MAX; i++) {
        const struct group *y = &b->tg->groups[i], *x = group_like(a, b->tr, y->name);
        if (y->is_system) {
            continue;
        }
        shown++;
        text_lit(t, "  ");
        text_func(t, b->tr, y->name, 60);
        text_add(t, ": %u -> %u%s\n", x ? x->count : 0, y->count, x ? "" : "  (new)");
        for (int m = 0; x && m < GM_COUNT; m++) {
            if (m == GM_EXEC || m == GM_SCHED || m == GM_WAIT || m == GM_SYSCALL) {
                dist_line(t, gmetric_name((enum gmetric)m), &x->d[m], &y->d[m]);
            }
        }
    }
    for (uint32_t i = 0; i < a->tg->ngroups && shown < GROUPS_MAX; i++) {
        if (!a->tg->groups[i].is_system && !group_like(b, a->tr, a->tg->groups[i].name)) {
            shown++;
            text_lit(t, "  ");
            text_func(t, a->tr, a->tg->groups[i].name, 60);
            text_add(t, ": %u -> 0  (gone)\n", a->tg->groups[i].count);
        }
    }
}

static void types(struct text *t, const struct loaded *a, const struct loaded *b)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < b->tg->ntypes && shown < GROUPS_MAX; i++) {
        const struct span_type *y = &b->tg->types[i];
        for (uint32_t k = 0; k < a->tg->ntypes; k++) {
            const struct span_type *x = &a->tg->types[k];
            if (x->is_region != y->is_region || !same_name(a->tr, x->name, b->tr, y->name)) {
                continue;
            }
            if (shown++ == 0) {
                text_lit(t, "\nTASKS and regions\n");
            }
            text_add(t, "  %s ", y->is_region ? "region" : "task");
            text_str(t, b->tr, y->name);
            text_add(t, ": %llu -> %llu, p50 ", (unsigned long long)x->d.n, (unsigned long long)y->d.n);
            text_dur(t, x->d.p50);
            text_lit(t, " -> ");
            text_dur(t, y->d.p50);
            text_lit(t, ", p99 ");
            text_dur(t, x->d.p99);
            text_lit(t, " -> ");
            text_dur(t, y->d.p99);
            text_add(t, ", mean: %s\n", diff_verdict(&x->d, &y->d));
        }
    }
}

static bool same_where(const struct loaded *a, const struct wait_row *x, const struct loaded *b,
                       const struct wait_row *y)
{
    struct text s = {0}, u = {0};
    bool same = same_name(a->tr, x->reason, b->tr, y->reason);
    if (same) {
        text_where(&s, a->tr, x->stack, 0);
        text_where(&u, b->tr, y->stack, 0);
        same = s.p && u.p && strcmp(s.p, u.p) == 0;
    }
    text_free(&s);
    text_free(&u);
    return same;
}

struct waited {
    uint64_t count;
    int64_t total;
};

/* All of l's waits that read like row y of b: stacks that differ in lines may name one place. */
static struct waited waited_like(const struct loaded *l, const struct loaded *b, const struct wait_row *y)
{
    struct waited w = {0};
    for (uint32_t k = 0; k < l->tg->nwaits && k < 2000; k++) {
        if (same_where(l, &l->tg->waits[k], b, y)) {
            w.count += l->tg->waits[k].count;
            w.total = ns_add(w.total, l->tg->waits[k].total);
        }
    }
    return w;
}

/* Waiting per second of trace: traces differ in length. */
static int64_t per_second(const struct waited *w, const struct loaded *l)
{
    return l->tg->end > 0 ? (int64_t)((double)w->total / ((double)l->tg->end / 1e9)) : 0;
}

static bool said_before(const struct loaded *b, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (same_where(b, &b->tg->waits[k], b, &b->tg->waits[i])) {
            return true;
        }
    }
    return false;
}

static void waits(struct text *t, const struct loaded *a, const struct loaded *b)
{
    text_lit(t, "\nWAITS by reason and place (waiting per second of trace)\n");
    for (uint32_t i = 0, shown = 0; i < b->tg->nwaits && i < 40 && shown < 10; i++) {
        const struct wait_row *y = &b->tg->waits[i];
        struct waited was, is;
        if (said_before(b, i)) {
            continue;
        }
        shown++;
        was = waited_like(a, b, y);
        is = waited_like(b, b, y);
        text_lit(t, "  ");
        text_dur(t, per_second(&was, a));
        text_lit(t, " -> ");
        text_dur(t, per_second(&is, b));
        text_add(t, ", %llu -> %llu waits, ", (unsigned long long)was.count, (unsigned long long)is.count);
        text_reason(t, b->tr, y->reason);
        text_lit(t, " at ");
        text_where(t, b->tr, y->stack, 48);
        text_lit(t, "\n");
    }
}

/* ---- command ------------------------------------------------------------------------------------------------ */

struct options {
    struct trace_opts trace;
    bool utf8, quiet;
    const char *out, *path[2];
    int npaths;
    struct condition cond[FAIL_MAX];
    const char *cond_text[FAIL_MAX];
    uint32_t nconds;
};

static int fail(const char *path, const char *what)
{
    struct text t = {0};
    text_clean(&t, path, strlen(path), 0);
    text_lit(&t, ": ");
    text_clean(&t, what, strlen(what), 0);
    door_printf(stderr, "gotop diff: %s\n", t.p ? t.p : "out of memory");
    text_free(&t);
    return 2;
}

static int option(struct options *o, int argc, char **argv, int *i)
{
    const char *a = argv[*i];
    struct err e = {0};
    if (strcmp(a, "--utf8") == 0) {
        o->utf8 = true;
    } else if (strcmp(a, "--quiet") == 0) {
        o->quiet = true;
    } else if (*i + 1 >= argc) {
        return fail(a, "unknown option, or its value is missing (gotop diff --help)");
    } else if (strcmp(a, "-o") == 0) {
        o->out = argv[++*i];
    } else if (strcmp(a, "--ticks-per-second") == 0) {
        o->trace.ticks_per_second = strtod(argv[++*i], NULL);
    } else if (strcmp(a, "--fail-if") == 0 && o->nconds < FAIL_MAX) {
        o->cond_text[o->nconds] = argv[++*i];
        if (condition_parse(argv[*i], true, &o->cond[o->nconds++], &e) != ERR_OK) {
            return fail("--fail-if", e.what);
        }
    } else {
        return fail(a, "unknown option (gotop diff --help)");
    }
    return -1;
}

static int parse(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (argv[i][0] == '-' && argv[i][1]) {
            int status = option(o, argc, argv, &i);
            if (status >= 0) {
                return status;
            }
        } else if (o->npaths < 2) {
            o->path[o->npaths++] = argv[i];
        } else {
            return fail(argv[i], "two traces are compared, not more");
        }
    }
    if (o->npaths < 2) {
        fputs(usage, stderr);
        return 2;
    }
    return -1;
}

/* 1 if the condition came true, 0 if not, 2 if it makes no sense. */
static int judge(const struct condition *c, const char *said, const struct loaded *a, const struct loaded *b,
                 struct text *t)
{
    struct metric_value x, y;
    struct err e = {0};
    double v;
    bool known, hit;
    if (metric_get(a, c->metric, &x, &e) != ERR_OK || metric_get(b, c->metric, &y, &e) != ERR_OK) {
        return fail("--fail-if", e.what);
    }
    if (!c->percent && c->unit != y.unit && c->v != 0) {
        return fail(said, "the value's unit is not the metric's");
    }
    v = !c->relative ? y.v : !c->percent ? y.v - x.v : x.v > 0 ? y.v / x.v - 1 : y.v > 0 ? INFINITY : 0;
    known = y.known && (x.known || !c->relative);
    hit = known && condition_holds(c, v);
    text_add(t, "%s ", hit ? "FAILED" : "passed");
    text_clean(t, said, strlen(said), 0);
    text_lit(t, ": ");
    change(t, &x, &y);
    if (c->relative && x.d.n && y.d.n) {
        text_add(t, "  (n %llu -> %llu, mean: %s)", (unsigned long long)x.d.n, (unsigned long long)y.d.n,
                 diff_verdict(&x.d, &y.d));
    }
    text_lit(t, "\n");
    return hit;
}

static int compare(const struct options *o, const struct loaded *a, const struct loaded *b, struct text *t)
{
    int status = report_status(a) || report_status(b) ? 3 : 0;
    text_lit(t, "gotop diff: ");
    text_tail(t, a->path, strlen(a->path), 44);
    text_lit(t, " -> ");
    text_tail(t, b->path, strlen(b->path), 44);
    text_lit(t, "\n");
    if (status) {
        text_lit(t, "PARTIAL: part of a trace is missing; numbers are for what is there\n");
    }
    findings(t, a, b);
    metrics(t, a, b);
    groups(t, a, b);
    types(t, a, b);
    waits(t, a, b);
    text_raw(t, o->nconds ? "\n" : "", o->nconds ? 1 : 0);
    for (uint32_t i = 0; i < o->nconds; i++) {
        int s = judge(&o->cond[i], o->cond_text[i], a, b, t);
        if (s == 2) {
            return 2;
        }
        status = s == 1 ? 1 : status;
    }
    return status;
}

static int put(const struct options *o, const struct text *t)
{
    FILE *f = o->out ? fopen(o->out, "wb") : stdout;
    bool bad;
    if (!f) {
        return fail(o->out, "can't be written");
    }
    bad = t->n && fwrite(t->p, 1, t->n, f) != t->n;
    bad |= o->out ? fclose(f) != 0 : fflush(f) != 0;
    return bad ? fail(o->out ? o->out : "standard output", "could not be written whole") : 0;
}

int diff_main(int argc, char **argv)
{
    struct options o = {0};
    struct loaded a, b;
    struct err e = {0};
    struct text t = {0};
    int status = parse(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (load_file(o.path[0], &o.trace, o.quiet, &a, &e) != ERR_OK) {
        return fail(o.path[0], e.what);
    }
    if (load_file(o.path[1], &o.trace, o.quiet, &b, &e) != ERR_OK) {
        load_free(&a);
        return fail(o.path[1], e.what);
    }
    t.ascii = !o.utf8;
    if (a.parts || b.parts) {
        status = fail(o.path[a.parts ? 0 : 1], "diff needs the whole model, which is more memory than half of what is free");
    } else {
        status = compare(&o, &a, &b, &t);
    }
    load_free(&a);
    load_free(&b);
    if (!text_ok(&t)) {
        status = fail("diff", "out of memory");
    } else if (put(&o, &t) != 0) {
        status = 2;
    }
    text_free(&t);
    return status;
}
