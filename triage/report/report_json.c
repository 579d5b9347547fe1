/*
 * report_json.c - what only a report knows, as one JSON object (docs/REPORT.md): works, findings, why
 * processors were idle, the collector, the worst waits for a processor, who held locks. Tables that can be
 * counted from spans are SQL's (triage/sql). Names are cleaned UTF-8, times whole nanoseconds, shares 0..1.
 */
#include "decode/base/mem.h"
#include "triage/findings/asked.h"
#include "triage/report/asserts.h"
#include "triage/link.h"
#include "triage/report/report_parts.h"

/* Adds what the reader noted: what it was and, if it has a place, where. */
static void notes(json_t *t, const char *key, const struct trace *tr, uint32_t n,
                  const struct err *(*get)(const struct trace *, uint32_t))
{
    json_t *arr = json_list(t, key);
    for (uint32_t i = 0; i < n && get(tr, i); i++) {
        const struct err *e = get(tr, i);
        json_row(arr, tr, "offset", j_if(e->offset != ERR_NO_OFFSET, e->offset), "what", e->what);
    }
}

static void out_trace(json_t *root, const struct loaded *l)
{
    const struct trace *tr = l->tr;
    const struct trace_info *in = trace_info(tr);
    json_t *t = json_in(root, "trace", tr, "path", l->path, "dialect", in->dialect, "duration_ns", in->end,
                        "has_clock", in->has_clock, "clock_assumed", in->clock_assumed, "events", in->events,
                        "bytes", in->bytes_done, "gomaxprocs", in->gomaxprocs, "first_ns", in->first_ns);
    json_put(t, tr, "wall_sec", j_if(in->has_wall, in->wall_sec), "wall_nsec",
             j_if(in->has_wall, in->wall_nsec), "goroutines", in->goroutines, "goroutines_created",
             l->tg->g_created, "goroutines_ended", l->tg->g_ended, "partial", l->partial);
    notes(t, "damages", tr, in->ndamages, trace_damage);
    json_put(t, tr, "more_damages", j_if(in->more_damages, in->more_damages));
    notes(t, "warnings", tr, in->nwarnings, trace_warning);
}

/* Adds a place to look at: the lane's number, and the id that explain and the viewer accept. */
static void out_place(json_t *r, const struct trace *tr, const struct finding *f)
{
    char place[LINK_PLACE];
    const bool g = f->lane.kind == LANE_G;
    if (f->lane.i == NO_LANE || (!g && f->lane.kind != LANE_P))
        return;
    link_place(place, f->t0, f->lane.kind, f->lane_id);
    json_put(r, tr, "goroutine", j_g(g ? f->lane.i : NO_LANE), "proc", j_p(g ? NO_LANE : f->lane.i), "place",
             place);
}

static void out_findings(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "findings");
    for (uint32_t i = 0; i < l->fs.n; i++) {
        const struct finding *f = &l->fs.f[i];
        json_t *r = json_row(arr, l->tr, "rule", rule_id(f->rule), "key", f->key, "note", f->note, "inferred",
                             f->inferred, "severity_ns", f->severity_ns, "amount", f->amount, "title",
                             f->title, "text", f->text, "next", f->next, "won", f->won, "t0", f->t0, "t1",
                             f->t1, "view", f->view);
        out_place(r, l->tr, f);
        json_put(r, l->tr, "stack", j_stack(f->stack));
        out_verdict(r, l->tr, &f->v);
    }
}

/* Adds the rules that could not be asked, since "none" and "not recorded" are two answers. */
static void out_not_asked(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "not_applicable");
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *why = rule_not_asked(l->tg, (enum rule)r);
        if (why)
            json_row(arr, l->tr, "rule", rule_id((enum rule)r), "because", why);
    }
}

static void shares(json_t *obj, const struct shares *s)
{
    json_t *r = json_under(obj, "time_ns");
    for (int i = ST_IDLE; i <= ST_SYSCALL; i++)
        json_put(r, NULL, state_name((enum state)i), s->ns[i]);
}

static void out_processors(json_t *root, const struct loaded *l)
{
    const struct triage *tg = l->tg;
    json_t *p = json_in(root, "processors", l->tr, "capacity_ns", tg->capacity, "unrecorded_ns", tg->unused);
    shares(p, &tg->p_sum);
    json_t *arr = json_list(p, "each");
    for (uint32_t i = 0; i < tg->np && i < 1024; i++)
        shares(json_row(arr, l->tr, "proc", j_p(i)), &tg->p[i].s);
}

static void out_stw(json_t *gc, const struct loaded *l)
{
    json_t *arr = json_list(gc, "stop_the_world");
    for (uint32_t i = 0; i < l->tg->nstw; i++) {
        const struct stw_row *w = &l->tg->stw[i];
        json_t *r = json_row(arr, l->tr, "kind", j_str(w->kind), "gc", w->is_gc, "count", w->count,
                             "total_ns", w->total, "longest", j_moment(&w->longest));
        if (w->last_p != NO_LANE)
            json_in(r, "last_to_stop", l->tr, "proc", j_p(w->last_p), "goroutine", j_g(w->last_g), "after_ns",
                    w->last_ns, "stack", j_stack(w->last_stack));
    }
}

static void out_gc(json_t *root, const struct loaded *l)
{
    const struct triage *tg = l->tg;
    const struct heap_stat *h = &tg->heap;
    json_t *gc = json_in(root, "gc", NULL, "cycles", tg->gc_cycles, "mark_ns", tg->gc_mark_ns);
    json_t *x = json_under(gc, "worker_ns");
    for (int i = 0; i < GC_MODES; i++)
        json_put(x, NULL, gc_mode_name((enum gc_mode)i), tg->label_ns[i]);
    json_put(gc, NULL, "assists", tg->assists, "assist_ns", tg->p_sum.ns[ST_ASSIST], "sweeps", tg->sweeps,
             "sweep_ns", tg->p_sum.ns[ST_SWEEP]);
    out_stw(gc, l);
    if (h->known)
        json_in(gc, "heap", NULL, "first", h->first, "last", h->last, "max", h->max, "max_at", h->max_at,
                "max_goal", h->max_goal, "over_goal", h->over, "first_cycle_end", h->low_first,
                "last_cycle_end", h->low_last);
    x = json_list(gc, "mmu");
    for (uint32_t i = 0; i < tg->nmmu; i++)
        json_row(x, NULL, "window_ns", tg->mmu[i].window, "mmu", tg->mmu[i].mmu, "at", tg->mmu[i].at);
}

static void out_worst(json_t *s, const struct loaded *l)
{
    json_t *arr = json_list(s, "worst");
    for (uint32_t i = 0; i < l->tg->nworst; i++) {
        const struct sched_wait *w = &l->tg->worst[i];
        json_t *r =
            json_row(arr, l->tr, "t0", w->t0, "t1", w->t1, "goroutine", j_g(w->g), "woken_by", j_g(w->waker),
                     "preempted", w->preempted, "processors_ns", w->all_ns, "idle_ns", w->idle_ns,
                     "stopped_ns", w->stopped_ns, "gc_ns", w->gc_ns, "syscall_ns", w->syscall_ns);
        json_t *ran = json_list(r, "ran");
        for (uint32_t k = 0; k < w->nran; k++)
            json_row(ran, l->tr, "func", j_str(w->ran[k]), "ns", w->ran_ns[k]);
    }
}

static void out_scheduler(json_t *root, const struct loaded *l)
{
    struct dist own, runtime;
    hist_dist(&l->tg->sched, &own);
    hist_dist(&l->tg->sched_system, &runtime);
    json_t *s = json_in(root, "scheduler", NULL, "latency", j_dist(&own), "runtime", j_dist(&runtime));
    json_t *arr = json_list(s, "histogram");
    for (int e = 0; e < 62; e++) {
        const int64_t from = e ? (int64_t)1 << e : 0, to = (int64_t)1 << (e + 1);
        const uint64_t n = hist_between(&l->tg->sched, from, to);
        if (n)
            json_row(arr, NULL, "from", from, "to", to, "count", n);
    }
    out_worst(s, l);
}

enum { LOCKS = 100 }; /* the most waited for */

static void out_locks(json_t *root, const struct loaded *l)
{
    json_t *arr = json_list(root, "locks");
    for (uint32_t i = 0; i < l->tg->nholders && i < LOCKS; i++) {
        const struct holder_row *h = &l->tg->holders[i];
        json_t *r = json_row(arr, l->tr, "place", j_str(h->place), "waits", h->waits, "waited_ns", h->waited,
                             "told_ns", h->told, "holders", h->holders, "holder", j_g(h->g), "holder_ns",
                             h->g_ns, "holder_func", j_str(h->name), "holder_func_ns", h->name_ns, "let_go",
                             j_stack(h->stack), "let_go_ns", h->stack_ns, "longest", j_moment(&h->longest));
        json_t *did =
            json_in(r, "holders_did_ns", NULL, "running", h->ns[ST_RUNNING], "system call", h->ns[ST_SYSCALL],
                    "runnable", h->ns[ST_RUNNABLE], "not recorded", h->ns[ST_UNKNOWN]);
        for (int k = 0; k < WK_KINDS; k++)
            json_put(did, NULL, wait_kind_name((enum wait_kind)k), j_if(h->wait_ns[k] != 0, h->wait_ns[k]));
    }
}

static void out_asserts(json_t *root, const struct asserts *a)
{
    static const char *const unit[] = {"count", "ns", "share", "bytes"};
    json_t *arr = json_list(root, "assertions");
    for (uint32_t i = 0; i < a->n; i++) {
        const struct asserted *x = &a->v[i];
        json_row(arr, NULL, "condition", x->on->said, "metric", x->on->cond.metric, "held", x->held, "known",
                 x->v.known, "unit", unit[x->v.unit], "value", j_if(x->v.known, x->v.v));
    }
}

char *report_json(const struct loaded *l, const struct asserts *a)
{
    json_t *root = json_begin();
    json_put(root, NULL, "schema", REPORT_SCHEMA);
    out_trace(root, l);
    if (a)
        out_asserts(root, a);
    out_works(root, l);
    out_findings(root, l);
    out_not_asked(root, l);
    out_processors(root, l);
    out_gc(root, l);
    out_scheduler(root, l);
    out_locks(root, l);
    return json_end(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}
