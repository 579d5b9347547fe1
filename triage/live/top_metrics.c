/*
 * top_metrics.c - what `gotop top` has seen so far in Prometheus' text format (version 0.0.4): names by its
 * conventions (base units, _total), a HELP and a TYPE each, hostile names as escaped label values. How many
 * series there are is bounded: PULSE_ROWS works, FIG_GROUPS start functions, FIG_FINDINGS findings.
 */
#include <math.h>
#include <string.h>

#include "triage/live/figures.h"

static void head(struct text *t, const char *name, const char *type, const char *help)
{
    text_add(t, "# HELP gotop_%s %s\n# TYPE gotop_%s %s\n", name, help, name, type);
}

static void plain(struct text *t, const char *name, const char *type, const char *help, double v)
{
    head(t, name, type, help);
    text_add(t, "gotop_%s %.15g\n", name, v);
}

/* Write ,key="value" with cleaned text; what would end the string is escaped. */
static void label(struct text *t, bool first, const char *key, const char *value)
{
    struct text clean = {0};
    text_clean(&clean, value, strlen(value), 0);
    text_add(t, "%s%s=\"", first ? "{" : ",", key);
    for (size_t i = 0; i < clean.n; i++) {
        const char c = clean.p[i];
        if (c == '\\' || c == '"')
            text_raw(t, "\\", 1);
        text_raw(t, &c, 1);
    }
    text_lit(t, "\"");
    t->failed |= clean.failed;
    text_free(&clean);
}

static double seconds(double ns)
{
    return ns / 1e9;
}

/* A bound may lie within one of the histogram's own buckets (3 % wide); that bucket counts as below it. */
static void out_hist(struct text *t, const char *name, const char *help, const struct hist *h)
{
    head(t, name, "histogram", help);
    for (int i = 0; i < PULSE_BOUNDS; i++) {
        const uint64_t n = hist_between(h, 0, (int64_t)(pulse_bound_s[i] * 1e9));
        text_add(t, "gotop_%s_bucket{le=\"%g\"} %llu\n", name, pulse_bound_s[i], (unsigned long long)n);
    }
    text_add(t, "gotop_%s_bucket{le=\"+Inf\"} %llu\ngotop_%s_sum %.15g\ngotop_%s_count %llu\n", name,
             (unsigned long long)h->n, name, seconds((double)h->total), name, (unsigned long long)h->n);
}

/* ---- work ---------------------------------------------------------------------------------------------- */

static void of_work(struct text *t, const struct pulse_row *w)
{
    label(t, true, "kind", work_kind_name(w->kind));
    label(t, false, "work", w->name);
}

static void sum_and_count(struct text *t, const char *metric, const struct pulse_row *w)
{
    text_add(t, "gotop_%s_sum", metric);
    of_work(t, w);
    text_add(t, "} %.15g\ngotop_%s_count", seconds(w->total_ns), metric);
    of_work(t, w);
    text_add(t, "} %llu\n", (unsigned long long)w->n);
}

static void out_durations(struct text *t, const struct figures *f)
{
    head(t, "work_duration_seconds", "histogram", "How long requests, tasks and items of workers took.");
    for (uint32_t i = 0; i < pulse_rows(f->pulse); i++) {
        const struct pulse_row *w = pulse_row(f->pulse, i);
        uint64_t n = 0;
        for (int k = 0; k <= PULSE_BOUNDS; k++) {
            n += w->bucket[k];
            text_lit(t, "gotop_work_duration_seconds_bucket");
            of_work(t, w);
            if (k < PULSE_BOUNDS)
                text_add(t, ",le=\"%g\"} %llu\n", pulse_bound_s[k], (unsigned long long)n);
            else
                text_add(t, ",le=\"+Inf\"} %llu\n", (unsigned long long)n);
        }
        sum_and_count(t, "work_duration_seconds", w);
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
        for (int k = 0; k < 5; k++) {
            text_lit(t, "gotop_work_recent_duration_seconds");
            of_work(t, w);
            text_add(t, ",quantile=\"%s\"} %.15g\n", q[k], d->n ? seconds((double)v[k]) : NAN);
        }
        sum_and_count(t, "work_recent_duration_seconds", w);
    }
}

/* ---- groups, findings ---------------------------------------------------------------------------------- */

static void out_groups(struct text *t, const struct figures *f)
{
    const struct fig_sums *s = &f->sum;
    head(t, "group_goroutines", "gauge", "Goroutines by start function, at the end of the last picture.");
    for (uint32_t i = 0; i < s->ngroups; i++) {
        text_lit(t, "gotop_group_goroutines");
        label(t, true, "func", s->group[i].name);
        text_add(t, "} %u\n", s->group[i].there);
    }
    head(t, "group_seconds_total", "counter",
         "Time that goroutines of a start function spent in a state, added up.");
    for (uint32_t i = 0; i < s->ngroups; i++)
        for (int k = 0; k < FIG_STATES; k++) {
            text_lit(t, "gotop_group_seconds_total");
            label(t, true, "func", s->group[i].name);
            text_add(t, ",state=\"%s\"} %.15g\n", fig_state[k], seconds((double)s->group[i].ns[k]));
        }
    head(t, "group_created_total", "counter", "Goroutines of a start function that were created.");
    for (uint32_t i = 0; i < s->ngroups; i++) {
        text_lit(t, "gotop_group_created_total");
        label(t, true, "func", s->group[i].name);
        text_add(t, "} %llu\n", (unsigned long long)s->group[i].created);
    }
}

static void out_findings(struct text *t, const struct figures *f)
{
    const struct fig_sums *s = &f->sum;
    head(t, "finding", "gauge", "A finding of the last pictures: 1 if it is in the last one.");
    for (uint32_t i = 0; i < s->nfindings; i++) {
        text_lit(t, "gotop_finding");
        label(t, true, "rule", s->finding[i].rule);
        label(t, false, "level", s->finding[i].level);
        label(t, false, "key", s->finding[i].key);
        text_add(t, "} %d\n", s->finding[i].now);
    }
}

static void out_now(struct text *t, const struct figures *f)
{
    const struct triage *tg = f->l->tg;
    head(t, "info", "gauge", "What the trace says of the program.");
    text_lit(t, "gotop_info");
    label(t, true, "dialect", trace_info(f->l->tr)->dialect);
    text_lit(t, "} 1\n");
    plain(t, "goroutines", "gauge", "Goroutines at the end of the last picture.", tg->g_at_end);
    plain(t, "processors", "gauge", "GOMAXPROCS.", trace_info(f->l->tr)->gomaxprocs);
    head(t, "goroutines_in_state", "gauge", "Goroutines in a state, on average over the last picture.");
    for (int k = 0; k < FIG_STATES; k++)
        text_add(t, "gotop_goroutines_in_state{state=\"%s\"} %.15g\n", fig_state[k],
                 tg->end > 0 ? (double)fig_all_ns(tg, k) / (double)tg->end : 0);
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
    plain(t, "up", "gauge", "1 while the program's trace comes.", up);
    if (f->l && up)
        out_now(t, f);
    plain(t, "trace_seconds_total", "counter", "Time of the program that was looked at.",
          seconds((double)s->seen_ns));
    plain(t, "trace_bytes_total", "counter", "Bytes of trace that were looked at.", (double)s->bytes);
    plain(t, "trace_left_out_bytes_total", "counter", "Bytes of trace that came and were left out.",
          (double)s->lost_bytes);
    plain(t, "trace_events_total", "counter", "Events, as Go counts them.", (double)s->events);
    plain(t, "goroutines_created_total", "counter", "Goroutines that were created.", (double)s->created);
    plain(t, "processor_seconds_total", "counter", "Processor time there was: GOMAXPROCS over time.",
          seconds((double)s->capacity_ns));
    plain(t, "processor_busy_seconds_total", "counter", "Processor time that was used.",
          seconds((double)s->busy_ns));
    plain(t, "gc_cycles_total", "counter", "Mark phases.", (double)s->gc_cycles);
    plain(t, "gc_worker_seconds_total", "counter", "Processor time of GC workers and sweeping.",
          seconds((double)s->gc_ns));
    plain(t, "gc_assist_seconds_total", "counter",
          "Processor time in which goroutines assisted the collector.", seconds((double)s->assist_ns));
    out_hist(t, "sched_latency_seconds", "How long goroutines of the program waited for a processor.",
             &s->sched);
    out_hist(t, "stop_the_world_seconds", "How long the world was stopped.", &s->stw);
    out_durations(t, f);
    if (up)
        out_recent(t, f);
    out_groups(t, f);
    out_findings(t, f);
}
