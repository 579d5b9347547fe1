/*
 * report_json.c - the tables as one JSON object; docs/REPORT.md describes it. Tables are cut at TOP rows, in
 * their own order. Names are cleaned UTF-8, times whole nanoseconds, shares 0..1.
 */
#include "decode/base/mem.h"
#include "triage/findings/asked.h"
#include "triage/report/asserts.h"
#include "triage/link.h"
#include "triage/report/json_out.h"

/* What the reader noted on the way: where (if it has a place) and what. */
static void notes(struct out *o, json_t *t, const char *key, uint32_t n,
                  const struct err *(*get)(const struct trace *, uint32_t))
{
    json_t *d = array(o, t, key);
    for (uint32_t i = 0; i < n && get(o->tr, i); i++) {
        const struct err *e = get(o->tr, i);
        json_t *r = row(o, d);
        if (e->offset != ERR_NO_OFFSET)
            big(o, r, "offset", e->offset);
        words(o, r, "what", e->what, strlen(e->what));
    }
}

static void out_trace(struct out *o, json_t *root)
{
    const struct trace_info *in = trace_info(o->tr);
    json_t *t = object(o, root, "trace");
    words(o, t, "path", o->l->path, strlen(o->l->path));
    words(o, t, "dialect", in->dialect, strlen(in->dialect));
    num(o, t, "duration_ns", in->end);
    yes(o, t, "has_clock", in->has_clock);
    yes(o, t, "clock_assumed", in->clock_assumed);
    big(o, t, "events", in->events);
    big(o, t, "bytes", in->bytes_done);
    num(o, t, "gomaxprocs", in->gomaxprocs);
    num(o, t, "first_ns", in->first_ns);
    if (in->has_wall) {
        num(o, t, "wall_sec", in->wall_sec);
        num(o, t, "wall_nsec", in->wall_nsec);
    }
    big(o, t, "goroutines", trace_info(o->tr)->goroutines);
    num(o, t, "goroutines_created", o->l->tg->g_created);
    num(o, t, "goroutines_ended", o->l->tg->g_ended);
    yes(o, t, "partial", o->l->partial);
    notes(o, t, "damages", in->ndamages, trace_damage);
    if (in->more_damages)
        yes(o, t, "more_damages", true);
    notes(o, t, "warnings", in->nwarnings, trace_warning);
}

/* Where to look: the lane's number, and the id that explain and the viewer take. */
static void out_place(struct out *o, json_t *r, const struct finding *f)
{
    char place[LINK_PLACE];
    if (f->lane.i == NO_LANE)
        return;
    lane_id(o, r, f->lane.kind == LANE_G ? "goroutine" : "proc", f->lane.kind, f->lane.i);
    link_place(place, f->t0, f->lane.kind, f->lane_id);
    words(o, r, "place", place, strlen(place));
}

static void out_findings(struct out *o, json_t *root)
{
    json_t *arr = array(o, root, "findings");
    for (uint32_t i = 0; i < o->l->fs.n; i++) {
        const struct finding *f = &o->l->fs.f[i];
        json_t *r = row(o, arr);
        words(o, r, "rule", rule_id(f->rule), strlen(rule_id(f->rule)));
        words(o, r, "key", f->key, strlen(f->key));
        yes(o, r, "note", f->note);
        yes(o, r, "inferred", f->inferred);
        num(o, r, "severity_ns", f->severity_ns);
        words(o, r, "amount", f->amount, strlen(f->amount));
        words(o, r, "title", f->title, strlen(f->title));
        words(o, r, "text", f->text, strlen(f->text));
        words(o, r, "next", f->next, strlen(f->next));
        if (f->won)
            words(o, r, "won", f->won, strlen(f->won));
        num(o, r, "t0", f->t0);
        num(o, r, "t1", f->t1);
        num(o, r, "view", f->view);
        if (f->lane.kind == LANE_G || f->lane.kind == LANE_P)
            out_place(o, r, f);
        stack(o, r, "stack", f->stack);
        out_verdict(o, r, &f->v);
    }
}

/* "None" and "not recorded" are two answers. */
static void out_not_asked(struct out *o, json_t *root)
{
    json_t *arr = array(o, root, "not_applicable");
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *why = rule_not_asked(o->l->tg, (enum rule)r);
        if (why) {
            json_t *x = row(o, arr);
            words(o, x, "rule", rule_id((enum rule)r), strlen(rule_id((enum rule)r)));
            words(o, x, "because", why, strlen(why));
        }
    }
}

static void shares(struct out *o, json_t *obj, const char *key, const struct shares *s)
{
    json_t *r = object(o, obj, key);
    for (int i = ST_IDLE; i <= ST_SYSCALL; i++)
        num(o, r, state_name((enum state)i), s->ns[i]);
}

static void out_processors(struct out *o, json_t *root)
{
    static const char *const why[IDLE_WHYS] = {"stopped", "missed_work", "system_calls", "no_work",
                                               "short_gaps"};
    const struct triage *tg = o->l->tg;
    json_t *p = object(o, root, "processors"), *idle, *arr;
    num(o, p, "capacity_ns", tg->capacity);
    num(o, p, "unrecorded_ns", tg->unused);
    num(o, p, "busy_p99", tg->busy_p99);
    shares(o, p, "time_ns", &tg->p_sum);
    idle = object(o, p, "idle_ns");
    for (int i = 0; i < IDLE_WHYS; i++)
        num(o, idle, why[i], tg->idle[i]);
    num(o, p, "missed_wall_ns", tg->missed_wall);
    moment(o, p, "missed_worst", &tg->idle_worst);
    arr = array(o, p, "each");
    for (uint32_t i = 0; i < tg->np && i < 1024; i++) {
        json_t *r = row(o, arr);
        lane_id(o, r, "proc", LANE_P, i);
        shares(o, r, "time_ns", &tg->p[i].s);
    }
}

static void out_stw(struct out *o, json_t *gc)
{
    json_t *arr = array(o, gc, "stop_the_world");
    for (uint32_t i = 0; i < o->l->tg->nstw; i++) {
        const struct stw_row *w = &o->l->tg->stw[i];
        json_t *r = row(o, arr);
        name(o, r, "kind", w->kind);
        yes(o, r, "gc", w->is_gc);
        big(o, r, "count", w->count);
        num(o, r, "total_ns", w->total);
        moment(o, r, "longest", &w->longest);
        if (w->last_p != NO_LANE) {
            json_t *last = object(o, r, "last_to_stop");
            lane_id(o, last, "proc", LANE_P, w->last_p);
            lane_id(o, last, "goroutine", LANE_G, w->last_g);
            num(o, last, "after_ns", w->last_ns);
            stack(o, last, "stack", w->last_stack);
        }
    }
}

static void out_gc(struct out *o, json_t *root)
{
    const struct triage *tg = o->l->tg;
    json_t *gc = object(o, root, "gc"), *x;
    big(o, gc, "cycles", tg->gc_cycles);
    num(o, gc, "mark_ns", tg->gc_mark_ns);
    x = object(o, gc, "worker_ns");
    for (int i = 0; i < GC_MODES; i++)
        num(o, x, gc_mode_name((enum gc_mode)i), tg->label_ns[i]);
    big(o, gc, "assists", tg->assists);
    num(o, gc, "assist_ns", tg->p_sum.ns[ST_ASSIST]);
    big(o, gc, "sweeps", tg->sweeps);
    num(o, gc, "sweep_ns", tg->p_sum.ns[ST_SWEEP]);
    out_stw(o, gc);
    if (tg->heap.known) {
        x = object(o, gc, "heap");
        big(o, x, "first", tg->heap.first);
        big(o, x, "last", tg->heap.last);
        big(o, x, "max", tg->heap.max);
        num(o, x, "max_at", tg->heap.max_at);
        big(o, x, "max_goal", tg->heap.max_goal);
        put(o, x, "over_goal", json_real(tg->heap.over));
        big(o, x, "first_cycle_end", tg->heap.low_first);
        big(o, x, "last_cycle_end", tg->heap.low_last);
    }
    x = array(o, gc, "mmu");
    for (uint32_t i = 0; i < tg->nmmu; i++) {
        json_t *r = row(o, x);
        num(o, r, "window_ns", tg->mmu[i].window);
        put(o, r, "mmu", json_real(tg->mmu[i].mmu));
        num(o, r, "at", tg->mmu[i].at);
    }
}

static void out_scheduler(struct out *o, json_t *root)
{
    const struct triage *tg = o->l->tg;
    json_t *s = object(o, root, "scheduler"), *arr;
    struct dist d;
    hist_dist(&tg->sched, &d);
    dist(o, s, "latency", &d);
    hist_dist(&tg->sched_system, &d);
    dist(o, s, "runtime", &d);
    arr = array(o, s, "histogram");
    for (int e = 0; e < 62; e++) {
        int64_t from = e ? (int64_t)1 << e : 0, to = (int64_t)1 << (e + 1);
        uint64_t n = hist_between(&tg->sched, from, to);
        if (n) {
            json_t *r = row(o, arr);
            num(o, r, "from", from);
            num(o, r, "to", to);
            big(o, r, "count", n);
        }
    }
    arr = array(o, s, "worst");
    for (uint32_t i = 0; i < tg->nworst; i++) {
        const struct sched_wait *w = &tg->worst[i];
        json_t *r = row(o, arr), *ran;
        num(o, r, "t0", w->t0);
        num(o, r, "t1", w->t1);
        lane_id(o, r, "goroutine", LANE_G, w->g);
        lane_id(o, r, "woken_by", LANE_G, w->waker);
        yes(o, r, "preempted", w->preempted);
        num(o, r, "processors_ns", w->all_ns);
        num(o, r, "idle_ns", w->idle_ns);
        num(o, r, "stopped_ns", w->stopped_ns);
        num(o, r, "gc_ns", w->gc_ns);
        num(o, r, "syscall_ns", w->syscall_ns);
        ran = array(o, r, "ran");
        for (uint32_t k = 0; k < w->nran; k++) {
            json_t *x = row(o, ran);
            name(o, x, "func", w->ran[k]);
            num(o, x, "ns", w->ran_ns[k]);
        }
    }
}

static void out_groups_of(struct out *o, json_t *root, struct dist *const d[GM_COUNT])
{
    static const char *const key[GM_COUNT] = {"exec",          "sched",   "wait",   "syscall",
                                              "syscall_block", "unknown", "assist", "life"};
    const struct triage *tg = o->l->tg;
    json_t *arr = array(o, root, "groups");
    for (uint32_t i = 0; i < tg->ngroups && i < TOP; i++) {
        const struct group *g = &tg->groups[i];
        json_t *r = row(o, arr), *w;
        name(o, r, "func", g->name);
        yes(o, r, "system", g->is_system);
        num(o, r, "count", g->count);
        num(o, r, "created", g->created);
        num(o, r, "ended", g->ended);
        big(o, r, "moves", g->moves);
        for (int m = 0; m < GM_COUNT; m++)
            dist(o, r, key[m], &d[m][i]);
        w = array(o, r, "waits");
        for (uint32_t k = 0; k < g->nwaits; k++) {
            const struct group_wait *gw = &tg->group_waits[g->waits + k];
            json_t *x = row(o, w);
            name(o, x, "reason", gw->reason);
            big(o, x, "waits", gw->count);
            num(o, x, "longest_ns", gw->longest);
            dist(o, x, "per_goroutine", &gw->d);
        }
    }
}

static void out_groups(struct out *o, json_t *root)
{
    struct dist *d[GM_COUNT];
    bool ok = true;
    for (int m = 0; m < GM_COUNT; m++) {
        d[m] = ok ? triage_group_dists(o->l->tg, (enum gmetric)m) : NULL;
        ok = d[m];
    }
    if (ok)
        out_groups_of(o, root, d);
    o->failed |= !ok;
    for (int m = 0; m < GM_COUNT; m++)
        mem_free(d[m]);
}

static void out_locks(struct out *o, json_t *root)
{
    json_t *arr = array(o, root, "locks");
    for (uint32_t i = 0; i < o->l->tg->nholders && i < TOP; i++) {
        const struct holder_row *h = &o->l->tg->holders[i];
        json_t *r = row(o, arr), *did;
        name(o, r, "place", h->place);
        big(o, r, "waits", h->waits);
        num(o, r, "waited_ns", h->waited);
        num(o, r, "told_ns", h->told);
        num(o, r, "holders", h->holders);
        lane_id(o, r, "holder", LANE_G, h->g);
        num(o, r, "holder_ns", h->g_ns);
        name(o, r, "holder_func", h->name);
        num(o, r, "holder_func_ns", h->name_ns);
        stack(o, r, "let_go", h->stack);
        num(o, r, "let_go_ns", h->stack_ns);
        moment(o, r, "longest", &h->longest);
        did = object(o, r, "holders_did_ns");
        num(o, did, "running", h->ns[ST_RUNNING]);
        num(o, did, "system call", h->ns[ST_SYSCALL]);
        num(o, did, "runnable", h->ns[ST_RUNNABLE]);
        num(o, did, "not recorded", h->ns[ST_UNKNOWN]);
        for (int k = 0; k < WK_KINDS; k++)
            if (h->wait_ns[k])
                num(o, did, wait_kind_name((enum wait_kind)k), h->wait_ns[k]);
    }
}

static void out_waits(struct out *o, json_t *root)
{
    const char *what;
    const struct triage *tg = o->l->tg;
    json_t *arr = array(o, root, "waits");
    for (uint32_t i = 0; i < tg->nwaits && i < TOP; i++) {
        const struct wait_row *w = &tg->waits[i];
        json_t *r = row(o, arr);
        name(o, r, "reason", w->reason);
        what = stacks_wait_name(o->l->tr, w->kind, w->stack);
        words(o, r, "kind", what, strlen(what));
        big(o, r, "count", w->count);
        big(o, r, "open", w->open);
        num(o, r, "total_ns", w->total);
        moment(o, r, "longest", &w->longest);
        stack(o, r, "stack", w->stack);
    }
    arr = array(o, root, "contention");
    for (uint32_t i = 0; i < tg->npairs && i < TOP; i++) {
        const struct pair_row *p = &tg->pairs[i];
        json_t *r = row(o, arr);
        name(o, r, "reason", p->reason);
        what = stacks_wait_name(o->l->tr, p->kind, p->stack);
        words(o, r, "kind", what, strlen(what));
        name(o, r, "waiter", p->waiter);
        stack(o, r, "stack", p->stack);
        yes(o, r, "by_scheduler", p->from_scheduler);
        name(o, r, "waker", p->waker);
        stack(o, r, "waker_stack", p->waker_stack);
        big(o, r, "count", p->count);
        big(o, r, "futile", p->futile);
        num(o, r, "total_ns", p->total);
        moment(o, r, "longest", &p->longest);
        lane_id(o, r, "longest_waker", LANE_G, p->longest_waker);
    }
    out_locks(o, root);
    out_waitfor(o, root);
    arr = array(o, root, "syscalls");
    for (uint32_t i = 0; i < tg->nsyscalls && i < TOP; i++) {
        const struct syscall_row *s = &tg->syscalls[i];
        json_t *r = row(o, arr);
        big(o, r, "count", s->count);
        big(o, r, "blocking", s->blocking);
        big(o, r, "open", s->open);
        num(o, r, "total_ns", s->total);
        moment(o, r, "longest", &s->longest);
        stack(o, r, "stack", s->stack);
    }
}

static void out_breakdown(struct out *o, json_t *obj, const struct breakdown *b)
{
    json_t *r = object(o, obj, "breakdown"), *w;
    num(o, r, "goroutines", b->goroutines);
    num(o, r, "all_ns", b->all);
    num(o, r, "running_ns", b->running);
    num(o, r, "assist_ns", b->assist);
    num(o, r, "sched_ns", b->sched);
    num(o, r, "syscall_ns", b->syscall);
    num(o, r, "waiting_ns", b->waiting);
    num(o, r, "during_gc_ns", b->gc);
    num(o, r, "stopped_ns", b->stw);
    w = array(o, r, "waits");
    for (uint32_t i = 0; i < b->nreasons; i++) {
        json_t *x = row(o, w);
        name(o, x, "reason", b->reason[i]);
        num(o, x, "ns", b->reason_ns[i]);
    }
}

static void out_types(struct out *o, json_t *root)
{
    json_t *arr = array(o, root, "tasks");
    for (uint32_t i = 0; i < o->l->tg->ntypes && i < TOP; i++) {
        const struct span_type *y = &o->l->tg->types[i];
        json_t *r = row(o, arr), *x;
        name(o, r, "name", y->name);
        yes(o, r, "region", y->is_region);
        big(o, r, "count", y->count);
        big(o, r, "begun_before", y->open_start);
        big(o, r, "not_ended", y->open_end);
        dist(o, r, "latency", &y->d);
        x = array(o, r, "decades");
        for (int k = 0; k < 14; k++)
            push(o, x, json_integer((json_int_t)y->decade[k]));
        x = array(o, r, "slowest");
        for (uint32_t k = 0; k < y->nslow; k++) {
            json_t *z = row(o, x);
            num(o, z, "t0", y->slow[k].t0);
            num(o, z, "t1", y->slow[k].t1);
            lane_id(o, z, "goroutine", LANE_G, y->slow[k].g);
            out_breakdown(o, z, &y->slow[k].b);
        }
    }
}

static void out_leaks(struct out *o, json_t *root)
{
    json_t *arr = array(o, root, "unended");
    for (uint32_t i = 0; i < o->l->tg->nleaks && i < TOP; i++) {
        const struct leak_row *k = &o->l->tg->leaks[i];
        json_t *r = row(o, arr), *q;
        name(o, r, "func", k->name);
        name(o, r, "reason", k->reason);
        num(o, r, "blocked", k->count);
        num(o, r, "never_woken", k->once);
        num(o, r, "lost", k->lost);
        num(o, r, "created", k->created);
        num(o, r, "ended", k->ended);
        num(o, r, "oldest_ns", k->oldest);
        num(o, r, "youngest_ns", k->youngest);
        lane_id(o, r, "example", LANE_G, k->example);
        q = array(o, r, "created_by_quarter");
        for (int n = 0; n < 4; n++)
            push(o, q, json_integer((json_int_t)k->quarter[n]));
        stack(o, r, "stack", k->stack);
        stack(o, r, "creation", k->create_stack);
    }
}

static void out_samples(struct out *o, json_t *root)
{
    const struct triage *tg = o->l->tg;
    json_t *s = object(o, root, "samples"), *arr;
    big(o, s, "count", tg->sample_count);
    arr = array(o, s, "functions");
    for (uint32_t i = 0; i < tg->nsamples && i < TOP; i++) {
        json_t *r = row(o, arr);
        name(o, r, "func", tg->samples[i].func);
        big(o, r, "flat", tg->samples[i].flat);
        big(o, r, "cum", tg->samples[i].cum);
    }
    arr = array(o, s, "groups");
    for (uint32_t i = 0; i < tg->nsample_groups && i < TOP; i++) {
        json_t *r = row(o, arr);
        name(o, r, "func", tg->groups[tg->sample_groups[i].group].name);
        big(o, r, "count", tg->sample_groups[i].count);
    }
    arr = object(o, s, "states");
    for (int i = 0; i < ST_COUNT; i++)
        if (tg->sample_states[i])
            big(o, arr, state_name((enum state)i), tg->sample_states[i]);
}

static void out_asserts(struct out *o, json_t *root, const struct asserts *a)
{
    static const char *const unit[] = {"count", "ns", "share", "bytes"};
    json_t *arr = array(o, root, "assertions");
    for (uint32_t i = 0; i < a->n; i++) {
        const struct asserted *x = &a->v[i];
        json_t *r = row(o, arr);
        words(o, r, "condition", x->on->said, strlen(x->on->said));
        words(o, r, "metric", x->on->cond.metric, strlen(x->on->cond.metric));
        yes(o, r, "held", x->held);
        yes(o, r, "known", x->v.known);
        put(o, r, "unit", json_string(unit[x->v.unit]));
        if (x->v.known)
            put(o, r, "value", json_real(x->v.v));
    }
}

char *report_json(const struct loaded *l)
{
    return report_json_with(l, NULL);
}

char *report_json_with(const struct loaded *l, const struct asserts *a)
{
    struct out o = {.l = l, .tr = l->tr};
    json_t *root;
    char *s = NULL;
    json_set_alloc_funcs(mem_alloc, mem_free);
    root = json_object();
    if (!root)
        return NULL;
    put(&o, root, "schema", json_string(REPORT_SCHEMA));
    out_trace(&o, root);
    if (a)
        out_asserts(&o, root, a);
    out_works(&o, root);
    out_findings(&o, root);
    out_not_asked(&o, root);
    out_processors(&o, root);
    out_gc(&o, root);
    out_scheduler(&o, root);
    out_groups(&o, root);
    out_waits(&o, root);
    out_types(&o, root);
    out_instances(&o, root);
    out_leaks(&o, root);
    out_samples(&o, root);
    if (!o.failed)
        s = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    return s;
}
