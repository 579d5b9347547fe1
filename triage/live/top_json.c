/* top_json.c - a picture of `gotop top` as one line of JSON: docs/top.schema.json describes it. */
#include "decode/base/mem.h"
#include "decode/input/feed.h"
#include "triage/json.h"
#include "triage/live/figures.h"
#include "triage/live/live.h"
#include "triage/report/json_out.h"

static void real(struct out *o, json_t *obj, const char *key, double v)
{
    put(o, obj, key, json_real(v));
}

static void said(struct out *o, json_t *obj, const char *key, const char *s)
{
    words(o, obj, key, s, strlen(s));
}

static double per(double n, int64_t ns)
{
    return ns > 0 ? n * 1e9 / (double)ns : 0;
}

static double portion(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void times(struct out *o, json_t *r, const struct dist *d)
{
    big(o, r, "count", d->n);
    num(o, r, "p50_ns", d->p50);
    num(o, r, "p95_ns", d->p95);
    num(o, r, "p99_ns", d->p99);
    num(o, r, "p99_9_ns", d->p999);
    num(o, r, "max_ns", d->max);
}

static void out_program(struct out *o, json_t *root, const struct figures *f)
{
    const struct trace_info *ti = trace_info(o->tr);
    const struct triage *tg = o->l->tg;
    json_t *r = object(o, root, "program");
    said(o, r, "dialect", ti->dialect);
    num(o, r, "gomaxprocs", ti->gomaxprocs);
    num(o, r, "goroutines", tg->g_at_end);
    real(o, r, "goroutines_created_per_s", per(tg->g_created, tg->end));
    real(o, r, "goroutines_ended_per_s", per(tg->g_ended, tg->end));
    real(o, r, "busy", portion(fig_busy(tg), tg->capacity));
    json_t *s = object(o, r, "states");
    for (int k = 0; k < FIG_STATES; k++) {
        int64_t ns = 0;
        for (uint32_t i = 0; i < tg->ngroups; i++)
            ns = ns_add(ns, fig_ns(&tg->groups[i], k));
        real(o, s, fig_state[k], portion(ns, tg->end));
    }
    r = object(o, root, "trace");
    real(o, r, "events_per_s", per((double)ti->events, tg->end));
    real(o, r, "bytes_per_s", per((double)ti->bytes_done, tg->end));
    num(o, r, "late_ns", f->late_ns);
    big(o, r, "left_out_bytes", f->lost);
    big(o, r, "left_out_generations", f->skipped);
    yes(o, r, "partial", o->l->partial);
}

static void out_gc(struct out *o, json_t *root)
{
    const struct triage *tg = o->l->tg;
    struct dist d;
    json_t *r = object(o, root, "sched_latency");
    hist_dist(&tg->sched, &d);
    times(o, r, &d);
    r = object(o, root, "gc");
    big(o, r, "cycles", tg->gc_cycles);
    real(o, r, "share",
         portion(ns_add(ns_add(tg->p_sum.ns[ST_GCWORK], tg->p_sum.ns[ST_ASSIST]), tg->p_sum.ns[ST_SWEEP]),
                 tg->capacity));
    num(o, r, "assist_ns", tg->p_sum.ns[ST_ASSIST]);
    if (tg->heap.known)
        big(o, r, "heap_bytes", tg->heap.last);
    r = object(o, root, "stop_the_world");
    hist_dist(&tg->stw_all, &d);
    times(o, r, &d);
}

static void out_work(struct out *o, json_t *root, const struct figures *f)
{
    static const char *const key[FIG_WINDOWS] = {"last_1s", "last_10s", "held"};
    json_t *arr = array(o, root, "work");
    for (uint32_t i = 0; i < f->nwork; i++) {
        const struct pulse_row *w = pulse_row(f->pulse, f->order[i]);
        json_t *r = row(o, arr);
        said(o, r, "kind", work_kind_name(w->kind));
        said(o, r, "name", w->name);
        said(o, r, "handler", w->handler);
        big(o, r, "total", w->n);
        for (int k = 0; k < FIG_WINDOWS; k++) {
            const struct dist *d = &f->work[k][f->order[i]];
            json_t *x = object(o, r, key[k]);
            num(o, x, "window_ns", f->window_ns[k]);
            real(o, x, "per_s", per((double)d->n, f->window_ns[k]));
            times(o, x, d);
        }
    }
}

static void out_groups(struct out *o, json_t *root)
{
    const struct triage *tg = o->l->tg;
    json_t *arr = array(o, root, "groups");
    for (uint32_t i = 0; i < tg->ngroups && i < FIG_GROUPS; i++) {
        const struct group *g = &tg->groups[i];
        json_t *r = row(o, arr);
        name(o, r, "func", g->name);
        num(o, r, "goroutines", g->count);
        real(o, r, "created_per_s", per(g->created, tg->end));
        json_t *s = object(o, r, "states");
        for (int k = 0; k < FIG_STATES; k++)
            real(o, s, fig_state[k], portion(fig_ns(g, k), tg->end));
        real(o, r, "assist", portion(g->count ? g->d[GM_ASSIST].total : 0, tg->end));
        json_t *w = array(o, r, "waiting_for");
        for (uint32_t k = 0; k < g->nwaits && k < 3; k++) {
            const struct group_wait *x = &tg->group_waits[g->waits + k];
            json_t *b = row(o, w);
            name(o, b, "reason", x->reason);
            real(o, b, "goroutines", portion(x->d.total, tg->end));
            num(o, b, "longest_ns", x->longest);
        }
    }
}

static void out_findings(struct out *o, json_t *root, const struct figures *f)
{
    json_t *arr = array(o, root, "findings");
    for (uint32_t i = 0; i < f->sum.nfindings; i++) {
        const struct fig_finding *x = &f->sum.finding[i];
        json_t *r = row(o, arr);
        said(o, r, "rule", x->rule);
        said(o, r, "key", x->key);
        said(o, r, "level", x->level);
        said(o, r, "title", x->title);
        said(o, r, "amount", x->amount);
        said(o, r, "text", x->text);
        yes(o, r, "now", x->now);
        big(o, r, "pictures", x->pictures);
    }
}

char *fig_json(const struct figures *f)
{
    struct out o = {.l = f->l, .tr = f->l->tr};
    char stamp[64], shown[FEED_SHOWN], *s = NULL;
    json_begin();
    json_t *root = json_object();
    if (!root)
        return NULL;
    live_stamp(f->wall_ns, false, stamp, sizeof stamp);
    put(&o, root, "schema", json_string(TOP_SCHEMA));
    said(&o, root, "time", stamp);
    num(&o, root, "time_ns", f->wall_ns);
    said(&o, root, "where", feed_shown(f->where, shown));
    num(&o, root, "length_ns", f->l->tg->end);
    out_program(&o, root, f);
    out_gc(&o, root);
    out_work(&o, root, f);
    out_groups(&o, root);
    out_findings(&o, root, f);
    if (!o.failed && json_whole())
        s = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(root);
    return s;
}
