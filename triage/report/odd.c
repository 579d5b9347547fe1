/*
 * odd.c - see odd.h.
 */
#include "triage/report/odd.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/tables/metrics.h"
#include "triage/sentence.h"

static const struct {
    const char *metric;
    bool rate; /* it grows with the trace: by second */
} of[] = {{"sched.p50", false},      {"sched.p99", false},        {"sched.max", false},
          {"stw.max", false},        {"stw.total", true},         {"mmu(10ms)", false},
          {"gc.share", false},       {"gc.cycles", true},         {"gc.assist", true},
          {"heap.max", false},       {"heap.over", false},        {"busy.share", false},
          {"task.p99", false},       {"region.p99", false},       {"goroutines.created", true},
          {"goroutines.end", false}, {"goroutines.stuck", false}, {"events", true},
          {"procs", false},          {"duration", false},         {"damages", false}};
enum { METRICS = sizeof of / sizeof *of };

struct odd_trace {
    char *path;
    struct metric_value v[METRICS];
    double far; /* in its oddest metric */
    size_t at;
};
struct odd {
    struct odd_trace *v;
    size_t n, cap;
    double middle[METRICS], width[METRICS]; /* as on_scale() has them; width 0: too few know it */
    double lo[METRICS], hi[METRICS];        /* between these three in five lie */
};

struct odd *odd_new(void)
{
    return mem_zalloc(sizeof(struct odd));
}

void odd_free(struct odd *o)
{
    for (size_t i = 0; o && i < o->n; i++)
        mem_free(o->v[i].path);
    if (o)
        mem_free(o->v);
    mem_free(o);
}

bool odd_add(struct odd *o, const struct loaded *l)
{
    const double s = (double)trace_info(l->tr)->end / 1e9;
    struct err e;
    if (!mem_room(o->v, o->cap, o->n + 1))
        return false;
    struct odd_trace *v = &o->v[o->n];
    *v = (struct odd_trace){.path = mem_alloc(strlen(l->path) + 1), .at = o->n};
    if (!v->path)
        return false;
    strcpy(v->path, l->path);
    o->n++;
    for (int k = 0; k < METRICS; k++) {
        if (metric_get(l, of[k].metric, &v->v[k], &e) != ERR_OK)
            v->v[k] = (struct metric_value){.known = false};
        if (of[k].rate && v->v[k].known) {
            v->v[k].known = s > 0;
            v->v[k].v /= s > 0 ? s : 1;
            if (v->v[k].unit == UNIT_NS) { /* time of a time */
                v->v[k].unit = UNIT_SHARE;
                v->v[k].v /= 1e9;
            }
        }
    }
    return true;
}

size_t odd_count(const struct odd *o)
{
    return o->n;
}

/* ---- what is usual ------------------------------------------------------------------------------------- */

/* Below these, values differ by nothing that matters. */
static const double little[] = {[UNIT_COUNT] = 2, [UNIT_NS] = 10e3, [UNIT_BYTES] = 65536, [UNIT_SHARE] = 1};

/* Puts a value on a scale where equal distances matter equally: a share as it is, all else by its
 * logarithm. */
static double on_scale(const struct metric_value *v)
{
    if (v->unit == UNIT_SHARE)
        return v->v;
    return log(1 + (v->v > 0 ? v->v : 0) / little[v->unit]);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Computes how far values usually lie from the middle: half of them lie that near, and what one trace in five
 * has is usual, too. */
static void spread(struct odd *o, int k, double *v, size_t n)
{
    o->middle[k] = median(v, n); /* they are in order now */
    o->lo[k] = v[n / 5];
    o->hi[k] = v[n - 1 - n / 5];
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(v[i] - o->middle[k]);
    /* Both are the standard deviation, of values that spread normally. */
    o->width[k] = fmax(1.4826 * median(v, n), (o->hi[k] - o->lo[k]) / (2 * .8416));
}

/* Distances below a tenth, or a point of a share, are none: many traces are alike to the last digit. */
static void usual(struct odd *o, int k, double *v)
{
    size_t n = 0;
    double least = log(1.1);
    for (size_t i = 0; i < o->n; i++) {
        if (o->v[i].v[k].known) {
            v[n++] = on_scale(&o->v[i].v[k]);
            least = o->v[i].v[k].unit == UNIT_SHARE ? .01 : log(1.1);
        }
    }
    o->width[k] = 0;
    if (n < ODD_LEAST)
        return;
    spread(o, k, v, n);
    o->width[k] = fmax(o->width[k], least);
}

static double distance(const struct odd *o, const struct odd_trace *t, int k)
{
    return t->v[k].known && o->width[k] > 0 ? (on_scale(&t->v[k]) - o->middle[k]) / o->width[k] : 0;
}

static int by_far(const void *a, const void *b)
{
    const struct odd_trace *x = a, *y = b;
    return x->far != y->far ? (x->far < y->far) - (x->far > y->far) : (x->at > y->at) - (x->at < y->at);
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* Returns the value at which on_scale() is x. */
static struct metric_value off_scale(const struct metric_value *like, double x)
{
    struct metric_value v = *like;
    v.v = v.unit == UNIT_SHARE ? x : (exp(x) - 1) * little[v.unit];
    v.v = v.v > 0 ? v.v : 0;
    return v;
}

static void value(struct text *t, const struct metric_value *v, bool tsv, bool rate)
{
    struct metric_value shown = *v;
    if (v->unit == UNIT_COUNT && v->v >= 100) /* a digit more would say nothing */
        shown.v = round(v->v);
    if (tsv)
        text_add(t, "%.9g", v->v);
    else if (v->unit == UNIT_COUNT)
        text_add(t, shown.v >= 100 ? "%.0f" : "%.3g", shown.v);
    else
        metric_text(t, &shown);
    if (rate && !tsv && v->unit != UNIT_SHARE)
        text_lit(t, "/s");
}

static void line(struct text *t, const struct odd *o, const struct odd_trace *v, int k, bool tsv)
{
    const double z = distance(o, v, k);
    const struct metric_value m = off_scale(&v->v[k], o->middle[k]), lo = off_scale(&v->v[k], o->lo[k]),
                              hi = off_scale(&v->v[k], o->hi[k]);
    const size_t from = t->n;
    if (tsv) {
        text_say(t, NULL, t_clean(v->path), "\t", of[k].metric, of[k].rate ? "/s" : "", "\t");
        value(t, &v->v[k], true, false);
        text_lit(t, "\t");
        value(t, &m, true, false);
        text_add(t, "\t%.3g\n", z);
        return;
    }
    text_add(t, "  %s", of[k].metric);
    text_pad(t, from, 22);
    value(t, &v->v[k], false, of[k].rate);
    text_pad(t, from, 34);
    text_lit(t, "  the others ");
    value(t, &m, false, of[k].rate);
    text_lit(t, ", mostly ");
    value(t, &lo, false, false);
    text_lit(t, "..");
    value(t, &hi, false, false);
    text_lit(t, "\n");
}

/* Adds the metrics that make it odd, the oddest first. */
static void reasons(struct text *t, const struct odd *o, const struct odd_trace *v, bool tsv)
{
    bool said[METRICS] = {false};
    for (;;) {
        int best = -1;
        for (int k = 0; k < METRICS; k++)
            if (!said[k] && fabs(distance(o, v, k)) >= ODD_FAR &&
                (best < 0 || fabs(distance(o, v, k)) > fabs(distance(o, v, best))))
                best = k;
        if (best < 0)
            return;
        said[best] = true;
        line(t, o, v, best, tsv);
    }
}

int64_t odd_text(struct odd *o, uint64_t limit, bool tsv, struct text *t)
{
    double *v = mem_alloc((o->n + 1) * sizeof *v);
    int64_t odd = 0;
    if (!v)
        return -1;
    for (int k = 0; k < METRICS; k++)
        usual(o, k, v);
    mem_free(v);
    for (size_t i = 0; i < o->n; i++) {
        o->v[i].far = 0;
        for (int k = 0; k < METRICS; k++)
            o->v[i].far = fmax(o->v[i].far, fabs(distance(o, &o->v[i], k)));
        odd += o->v[i].far >= ODD_FAR;
    }
    if (o->n)
        qsort(o->v, o->n, sizeof *o->v, by_far);
    for (size_t i = 0; i < (size_t)odd && (!limit || i < limit); i++) {
        if (!tsv)
            text_say(t, NULL, t_clean(o->v[i].path), "\n");
        reasons(t, o, &o->v[i], tsv);
    }
    return text_ok(t) ? odd : -1;
}
