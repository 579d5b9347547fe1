/* top_json.c - a picture of `gotop top` as one line of JSON: docs/top.schema.json describes it. */
#include "decode/input/feed.h"
#include "triage/json.h"
#include "triage/live/figures.h"
#include "triage/live/live.h"

static double per(double n, int64_t ns)
{
    return ns > 0 ? n * 1e9 / (double)ns : 0;
}

static json_t *times(json_t *r, const struct dist *d)
{
    return json_put(r, NULL, "count", d->n, "p50_ns", d->p50, "p95_ns", d->p95, "p99_ns", d->p99, "p99_9_ns",
                    d->p999, "max_ns", d->max);
}

static void out_program(json_t *root, const struct figures *f)
{
    const struct trace_info *ti = trace_info(f->l->tr);
    const struct triage *tg = f->l->tg;
    json_t *r = json_in(root, "program", NULL, "dialect", ti->dialect, "gomaxprocs", ti->gomaxprocs,
                        "goroutines", tg->g_at_end, "goroutines_created_per_s", per(tg->g_created, tg->end),
                        "goroutines_ended_per_s", per(tg->g_ended, tg->end), "busy",
                        ns_share(triage_busy(tg), tg->capacity)),
           *s = json_under(r, "states");
    for (int k = 0; k < FIG_STATES; k++)
        json_put(s, NULL, fig_state[k], ns_share(fig_all_ns(tg, k), tg->end));
    json_in(root, "trace", NULL, "events_per_s", per((double)ti->events, tg->end), "bytes_per_s",
            per((double)ti->bytes_done, tg->end), "late_ns", f->late_ns, "left_out_bytes", f->lost,
            "left_out_generations", f->skipped, "partial", f->l->partial);
}

static void out_gc(json_t *root, const struct triage *tg)
{
    struct dist d;
    hist_dist(&tg->sched, &d);
    times(json_under(root, "sched_latency"), &d);
    json_in(root, "gc", NULL, "cycles", tg->gc_cycles, "share", ns_share(triage_gc_work(tg), tg->capacity),
            "assist_ns", tg->p_sum.ns[ST_ASSIST], "heap_bytes", j_if(tg->heap.known, tg->heap.last));
    hist_dist(&tg->stw_all, &d);
    times(json_under(root, "stop_the_world"), &d);
}

static void out_work(json_t *root, const struct figures *f)
{
    static const char *const key[FIG_WINDOWS] = {"last_1s", "last_10s", "held"};
    json_t *arr = json_list(root, "work");
    for (uint32_t i = 0; i < f->nwork; i++) {
        const struct pulse_row *w = pulse_row(f->pulse, f->order[i]);
        json_t *r = json_row(arr, NULL, "kind", work_kind_name(w->kind), "name", w->name, "handler",
                             w->handler, "total", w->n);
        for (int k = 0; k < FIG_WINDOWS; k++) {
            const struct dist *d = &f->work[k][f->order[i]];
            times(json_in(r, key[k], NULL, "window_ns", f->window_ns[k], "per_s",
                          per((double)d->n, f->window_ns[k])),
                  d);
        }
    }
}

static void out_groups(json_t *root, const struct triage *tg)
{
    json_t *arr = json_list(root, "groups");
    for (uint32_t i = 0; i < tg->ngroups && i < FIG_GROUPS; i++) {
        const struct group *g = &tg->groups[i];
        json_t *r = json_row(arr, tg->tr, "func", j_str(g->name), "goroutines", g->count, "created_per_s",
                             per(g->created, tg->end)),
               *s = json_under(r, "states");
        for (int k = 0; k < FIG_STATES; k++)
            json_put(s, NULL, fig_state[k], ns_share(fig_ns(g, k), tg->end));
        json_put(r, NULL, "assist", ns_share(g->ns[GM_ASSIST], tg->end));
        json_t *w = json_list(r, "waiting_for");
        for (uint32_t k = 0; k < g->nwaits && k < 3; k++) {
            const struct group_wait *x = &tg->group_waits[g->waits + k];
            json_row(w, tg->tr, "reason", j_str(x->reason), "goroutines", ns_share(x->total, tg->end),
                     "longest_ns", x->longest);
        }
    }
}

static void out_findings(json_t *root, const struct fig_sums *s)
{
    json_t *arr = json_list(root, "findings");
    each_of(x, s->finding, s->nfindings) {
        json_row(arr, NULL, "rule", rule_id(x->f.v.rule), "key", x->f.key, "level", level_id(x->f.v.level),
                 "title", x->f.title, "amount", x->f.amount, "text", x->f.text, "now", x->now, "pictures",
                 x->pictures);
    }
}

char *fig_json(const struct figures *f)
{
    char stamp[64], shown[FEED_SHOWN];
    live_stamp(f->wall_ns, false, stamp, sizeof stamp);
    json_t *root = json_begin();
    json_put(root, NULL, "schema", TOP_SCHEMA, "time", stamp, "time_ns", f->wall_ns, "where",
             feed_shown(f->where, shown), "length_ns", f->l->tg->end);
    out_program(root, f);
    out_gc(root, f->l->tg);
    out_work(root, f);
    out_groups(root, f->l->tg);
    out_findings(root, &f->sum);
    return json_end(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
}
