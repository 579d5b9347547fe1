/*
 * top_metrics.c - what `gotop top` has seen so far in Prometheus' text format (version 0.0.4): names by its
 * conventions (base units, _total), a HELP and a TYPE each, hostile names as escaped label values. How many
 * series there are is bounded: PULSE_ROWS works, FIG_GROUPS start functions, FIG_FINDINGS findings.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "triage/live/figures.h"

static void head(struct text *t, const char *name, const char *type, const char *help)
{
    text_add(t, "# HELP gotop_%s %s\n# TYPE gotop_%s %s\n", name, help, name, type);
}

/* Adds a value with labels, of which names and values follow up to NULL. What is in a value is cleaned, and
 * what would end it is escaped. */
static void series_of(struct text *t, const char *name, const char *part, double v, const char *const *label)
{
    text_add(t, "gotop_%s%s", name, part);
    for (const char *before = "{"; *label; label += 2, before = ",") {
        struct text clean = {0};
        text_clean(&clean, label[1], strlen(label[1]), 0);
        text_add(t, "%s%s=\"", before, label[0]);
        for (size_t i = 0; i < clean.n; i++) {
            text_raw(t, "\\", clean.p[i] == '\\' || clean.p[i] == '"');
            text_raw(t, &clean.p[i], 1);
        }
        text_add(t, label[2] ? "\"" : "\"}");
        t->failed |= clean.failed;
        text_free(&clean);
    }
    text_add(t, " %.15g\n", v);
}
#define part(t, name, part, v, ...) \
    series_of(t, name, part, v, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
#define series(t, name, v, ...) part(t, name, "", v __VA_OPT__(, ) __VA_ARGS__)

static void plain(struct text *t, const char *name, const char *type, const char *help, double v)
{
    head(t, name, type, help);
    series(t, name, v);
}

static double seconds(double ns)
{
    return ns / 1e9;
}

/* Returns the k-th bound of a histogram, as a label. */
static const char *bound_label(int k, char out[32])
{
    snprintf(out, 32, k < PULSE_BOUNDS ? "%g" : "+Inf", k < PULSE_BOUNDS ? pulse_bound_s[k] : 0);
    return out;
}

/* A bound may lie within one of the histogram's own buckets (3 % wide); that bucket counts as below it. */
static void out_hist(struct text *t, const char *name, const char *help, const struct hist *h)
{
    char le[32];
    head(t, name, "histogram", help);
    for (int k = 0; k <= PULSE_BOUNDS; k++)
        part(t, name, "_bucket",
             (double)(k < PULSE_BOUNDS ? hist_between(h, 0, (int64_t)(pulse_bound_s[k] * 1e9)) : h->n), "le",
             bound_label(k, le));
    part(t, name, "_sum", seconds((double)h->total));
    part(t, name, "_count", (double)h->n);
}

/* ---- work ---------------------------------------------------------------------------------------------- */

#define OF_WORK(w) "kind", work_kind_name((w)->kind), "work", (w)->name

static void out_durations(struct text *t, const struct figures *f)
{
    char le[32];
    head(t, "work_duration_seconds", "histogram", "How long requests, tasks and items of workers took.");
    for (uint32_t i = 0; i < pulse_rows(f->pulse); i++) {
        const struct pulse_row *w = pulse_row(f->pulse, i);
        uint64_t n = 0;
        for (int k = 0; k <= PULSE_BOUNDS; k++) {
            n += w->bucket[k];
            series(t, "work_duration_seconds_bucket", (double)n, OF_WORK(w), "le", bound_label(k, le));
        }
        series(t, "work_duration_seconds_sum", seconds(w->total_ns), OF_WORK(w));
        series(t, "work_duration_seconds_count", (double)w->n, OF_WORK(w));
    }
}

static void out_recent(struct text *t, const struct figures *f)
{
    static const char *const q[] = {"0.5", "0.95", "0.99", "0.999", "1"};
    head(
        t, "work_recent_duration_seconds", "summary",
        "Quantiles of the last ten seconds, exact; 1 is the longest. Sum and count are since the beginning.");
    for (uint32_t i = 0; i < f->nwork; i++) {
        const struct pulse_row *w = pulse_row(f->pulse, i);
        const struct dist *d = &f->work[FIG_TEN][i];
        const int64_t v[] = {d->p50, d->p95, d->p99, d->p999, d->max};
        for (int k = 0; k < 5; k++)
            series(t, "work_recent_duration_seconds", d->n ? seconds((double)v[k]) : NAN, OF_WORK(w),
                   "quantile", q[k]);
        series(t, "work_recent_duration_seconds_sum", seconds(w->total_ns), OF_WORK(w));
        series(t, "work_recent_duration_seconds_count", (double)w->n, OF_WORK(w));
    }
}

/* ---- groups, findings ---------------------------------------------------------------------------------- */

static void out_groups(struct text *t, const struct figures *f)
{
    const struct fig_sums *s = &f->sum;
    head(t, "group_goroutines", "gauge", "Goroutines by start function, at the end of the last picture.");
    each_of(g, s->group, s->ngroups)
        series(t, "group_goroutines", g->there, "func", g->name);
    head(t, "group_seconds_total", "counter",
         "Time that goroutines of a start function spent in a state, added up.");
    each_of(g, s->group, s->ngroups)
        for (int k = 0; k < FIG_STATES; k++)
            series(t, "group_seconds_total", seconds((double)g->ns[k]), "func", g->name, "state",
                   fig_state[k]);
    head(t, "group_created_total", "counter", "Goroutines of a start function that were created.");
    each_of(g, s->group, s->ngroups)
        series(t, "group_created_total", (double)g->created, "func", g->name);
}

static void put_findings(struct text *t, const struct figures *f)
{
    head(t, "finding", "gauge", "A finding of the last pictures: 1 if it is in the last one.");
    each_of(x, f->sum.finding, f->sum.nfindings)
        series(t, "finding", x->now, "rule", rule_id(x->f.v.rule), "level", level_id(x->f.v.level), "key",
               x->f.key);
}

static void out_now(struct text *t, const struct figures *f)
{
    const struct triage *tg = f->l->tg;
    head(t, "info", "gauge", "What the trace says of the program.");
    series(t, "info", 1, "dialect", trace_info(f->l->tr)->dialect);
    plain(t, "goroutines", "gauge", "Goroutines at the end of the last picture.", tg->g_at_end);
    plain(t, "processors", "gauge", "GOMAXPROCS.", trace_info(f->l->tr)->gomaxprocs);
    head(t, "goroutines_in_state", "gauge", "Goroutines in a state, on average over the last picture.");
    for (int k = 0; k < FIG_STATES; k++)
        series(t, "goroutines_in_state", tg->end > 0 ? (double)fig_all_ns(tg, k) / (double)tg->end : 0,
               "state", fig_state[k]);
    if (tg->heap.known)
        plain(t, "heap_bytes", "gauge", "The heap at the end of the last picture.", (double)tg->heap.last);
    plain(t, "trace_late_seconds", "gauge",
          "How much later than most promptly the last picture's trace came.", seconds((double)f->late_ns));
    plain(t, "picture_timestamp_seconds", "gauge", "When the last picture was taken.",
          seconds((double)f->wall_ns));
}

void fig_prometheus(struct text *t, const struct figures *f, bool up)
{
    const struct fig_sums *s = &f->sum;
    const struct {
        const char *name, *help;
        double v;
    } sums[] = {
        {"trace_seconds_total", "Time of the program that was looked at.", seconds((double)s->seen_ns)},
        {"trace_bytes_total", "Bytes of trace that were looked at.", (double)s->bytes},
        {"trace_left_out_bytes_total", "Bytes of trace that came and were left out.", (double)s->lost_bytes},
        {"trace_events_total", "Events, as Go counts them.", (double)s->events},
        {"goroutines_created_total", "Goroutines that were created.", (double)s->created},
        {"processor_seconds_total", "Processor time there was: GOMAXPROCS over time.",
         seconds((double)s->capacity_ns)},
        {"processor_busy_seconds_total", "Processor time that was used.", seconds((double)s->busy_ns)},
        {"gc_cycles_total", "Mark phases.", (double)s->gc_cycles},
        {"gc_worker_seconds_total", "Processor time of GC workers and sweeping.", seconds((double)s->gc_ns)},
        {"gc_assist_seconds_total", "Processor time in which goroutines assisted the collector.",
         seconds((double)s->assist_ns)}};
    plain(t, "up", "gauge", "1 while the program's trace comes.", up);
    if (f->l && up)
        out_now(t, f);
    each_of(x, sums, sizeof sums / sizeof *sums)
        plain(t, x->name, "counter", x->help, x->v);
    out_hist(t, "sched_latency_seconds", "How long goroutines of the program waited for a processor.",
             &s->sched);
    out_hist(t, "stop_the_world_seconds", "How long the world was stopped.", &s->stw);
    out_durations(t, f);
    if (up)
        out_recent(t, f);
    out_groups(t, f);
    put_findings(t, f);
}
