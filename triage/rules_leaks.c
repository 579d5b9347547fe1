/*
 * rules_leaks.c - rules about goroutines by their number and their share of the work: leaks, churn, workers, tasks.
 */
#include "triage/rules.h"

static bool ends_from_within(enum wait_kind k)
{
    return k == WK_RECV || k == WK_SEND || k == WK_SELECT || k == WK_LOCK || k == WK_COND;
}

static void leak_growth(struct text *t, const struct leak_row *r)
{
    text_add(t, " Created in the quarters of the trace: %u, %u, %u, %u.", r->quarter[0], r->quarter[1], r->quarter[2],
             r->quarter[3]);
}

static void rule_leak(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    int64_t min = tg->end / 2 < 1000000000 ? tg->end / 2 : 1000000000;
    for (uint32_t i = 0; i < tg->nleaks && tg->last; i++) {
        const struct leak_row *r = &tg->leaks[i];
        struct draft d;
        if (r->count < 10 || r->once < r->count || !ends_from_within(r->kind) || r->oldest < min ||
            r->ended > r->created / 10) {
            continue;
        }
        draft_start(&d, RULE_LEAK, 0);
        draft_subject(&d, rs, r->name);
        draft_at(&d, tg->t1 - r->oldest, tg->t1, LANE_G, r->example);
        d.f.note = true;
        d.f.stack = r->stack;
        text_add(&d.amount, "+%u", r->count);
        text_func(&d.text, rs->tr, r->name, 60);
        text_add(&d.text, ": %u created, %u ended; %u blocked (", r->created, r->ended, r->count);
        text_str(&d.text, rs->tr, r->reason);
        text_lit(&d.text, ") at ");
        text_where(&d.text, rs->tr, r->stack, 60);
        text_lit(&d.text, ", never woken, for up to ");
        text_dur(&d.text, r->oldest);
        text_lit(&d.text, ". Created at ");
        text_where(&d.text, rs->tr, r->create_stack, 60);
        text_lit(&d.text, ".");
        leak_growth(&d.text, r);
        text_add(&d.next,
                 "Who was to wake them? Give such waits a way out: a context, a closed channel, a time limit.");
        draft_end(rs, &d);
    }
}

static void rule_churn(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        const struct group *g = &tg->groups[i];
        uint32_t n = g->created < g->ended ? g->created : g->ended;
        double rate = (double)n / ((double)tg->end / 1e9);
        int64_t severity = g->d[GM_SCHED].total / rules_procs(rs);
        struct draft d;
        if (g->is_system || n < 1000 || rate < 1000 || dist_avg(&g->d[GM_EXEC]) > 5000) {
            continue;
        }
        draft_start(&d, RULE_CHURN, severity < tg->end ? severity : tg->end);
        draft_subject(&d, rs, g->name);
        draft_at(&d, tg->t0, tg->t1, LANE_G, g->first_member);
        text_add(&d.amount, "%u", n);
        text_add(&d.text, "%u goroutines of ", n);
        text_func(&d.text, rs->tr, g->name, 60);
        text_add(&d.text, " came and went (%.0f a second) and ran ", rate);
        text_dur(&d.text, dist_avg(&g->d[GM_EXEC]));
        text_lit(&d.text, " each on average, after waiting ");
        text_dur(&d.text, dist_avg(&g->d[GM_SCHED]));
        text_lit(&d.text, " for a processor.");
        text_add(
            &d.next,
            "Starting one costs about as much as it does: do the work in place, or in batches by a few workers.");
        draft_end(rs, &d);
    }
}

/* ---- workers ------------------------------------------------------------------------------------------------ */

struct team { /* goroutines of one group with one creation, there for half of the trace */
    uint32_t n, top, stack;
    int64_t all, most;
    bool same;
};

/* What a goroutine ran for itself: without assisting, and without stopping the world in passing. */
static int64_t own_run(const struct triage *tg, uint32_t g)
{
    const struct range *r;
    size_t n = trace_ranges(tg->tr, RANGE_STW, &r);
    int64_t ns = tg->g[g].ns[GM_EXEC] - tg->g[g].ns[GM_ASSIST];
    for (size_t i = 0; i < n; i++) {
        ns -= !r[i].scope_p && r[i].owner == g ? r[i].t1 - r[i].t0 : 0;
    }
    return ns > 0 ? ns : 0;
}

static void team_of(const struct triage *tg, uint32_t group, struct team *t)
{
    *t = (struct team){.same = true};
    for (uint32_t g = 0; g < tg->ng; g++) {
        struct lane_info li;
        int64_t run;
        if (tg->g[g].group != group || tg->g[g].ns[GM_LIFE] < tg->end / 2) {
            continue;
        }
        li = trace_lane(tg->tr, (struct lane){LANE_G, g});
        t->stack = t->n ? t->stack : li.create_stack;
        t->same = t->same && li.create_stack == t->stack;
        t->n++;
        run = own_run(tg, g);
        t->all = ns_add(t->all, run);
        if (run > t->most || t->n == 1) {
            t->most = run;
            t->top = g;
        }
    }
}

static void rule_workers(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    for (uint32_t i = 0; i < tg->ngroups && i < 16; i++) {
        const struct group *g = &tg->groups[i];
        struct team t;
        struct draft d;
        if (g->is_system || g->name == 0 || g->count < 3 || g->count > 1024 || g->d[GM_EXEC].total < tg->end / 10) {
            continue;
        }
        team_of(tg, i, &t);
        if (t.n < 3 || !t.same || t.most < tg->end / 10 || t.most / 3 < t.all / (int64_t)t.n || t.most < t.all / 2) {
            continue;
        }
        draft_start(&d, RULE_UNBALANCED, t.most - t.all / (int64_t)t.n);
        draft_subject(&d, rs, g->name);
        draft_at(&d, tg->t0, tg->t1, LANE_G, t.top);
        text_share(&d.amount, (double)t.most, (double)t.all);
        text_add(&d.text, "Of %u goroutines of ", t.n);
        text_func(&d.text, rs->tr, g->name, 60);
        text_add(&d.text, ", G%llu ran ", (unsigned long long)trace_lane(rs->tr, (struct lane){LANE_G, t.top}).id);
        text_dur(&d.text, t.most);
        text_lit(&d.text, ", ");
        text_share(&d.text, (double)t.most, (double)t.all);
        text_lit(&d.text, " of what they ran together; the mean is ");
        text_dur(&d.text, t.all / (int64_t)t.n);
        text_lit(&d.text, ".");
        text_add(&d.next, "Share out the work in smaller pieces, or let idle workers take from one queue.");
        draft_end(rs, &d);
    }
}

/* ---- tasks -------------------------------------------------------------------------------------------------- */

static void share_text(struct text *t, const char *what, int64_t ns, int64_t all, bool *first)
{
    if (ns < all / 20 || ns <= 0) {
        return; /* less than 5 % */
    }
    text_add(t, "%s%s ", *first ? "" : ", ", what);
    text_dur(t, ns);
    *first = false;
}

static void breakdown_text(struct text *t, const struct rules *rs, const struct breakdown *b)
{
    bool first = true;
    share_text(t, "running", b->running, b->all, &first);
    for (uint32_t i = 0; i < b->nreasons; i++) {
        struct text why = {0};
        text_lit(&why, "waiting (");
        text_str(&why, rs->tr, b->reason[i]);
        text_lit(&why, ")");
        share_text(t, why.p ? why.p : "waiting", b->reason_ns[i], b->all, &first);
        text_free(&why);
    }
    share_text(t, "system calls", b->syscall, b->all, &first);
    share_text(t, "waiting for a processor", b->sched, b->all, &first);
    share_text(t, "GC assist", b->assist, b->all, &first);
}

static void rule_tasks(struct rules *rs)
{
    const struct triage *tg = rs->tg;
    for (uint32_t i = 0; i < tg->ntypes; i++) {
        const struct span_type *y = &tg->types[i];
        int64_t lost = 0;
        uint32_t n = 0;
        struct draft d;
        if ((y->is_region && tg->ntask_types) || y->d.n < 8 || y->d.max / 5 < y->d.p50 ||
            y->d.max - y->d.p50 < 1000000) {
            continue;
        }
        for (; n < y->nslow && (y->slow[n].t1 - y->slow[n].t0) / 5 >= y->d.p50; n++) {
            lost = ns_add(lost, y->slow[n].t1 - y->slow[n].t0 - y->d.p50);
        }
        draft_start(&d, RULE_SLOW_TASK, lost < tg->end ? lost : tg->end);
        draft_subject(&d, rs, y->name);
        draft_at(&d, y->slow[0].t0, y->slow[0].t1, LANE_G, y->slow[0].g);
        text_dur(&d.amount, y->d.max);
        text_add(&d.text, "Of %llu %s \"", (unsigned long long)y->d.n, y->is_region ? "regions" : "tasks");
        text_str(&d.text, rs->tr, y->name);
        text_lit(&d.text, "\" the slowest took ");
        text_dur(&d.text, y->d.max);
        text_lit(&d.text, ", half of them ");
        text_dur(&d.text, y->d.p50);
        text_lit(&d.text, " or less. The slowest: ");
        breakdown_text(&d.text, rs, &y->slow[0].b);
        text_lit(&d.text, "; ");
        text_share(&d.text, (double)y->slow[0].b.gc, (double)y->d.max);
        text_lit(&d.text, " of it during a GC cycle, ");
        text_dur(&d.text, y->slow[0].b.stw);
        text_lit(&d.text, " stopped.");
        text_add(&d.next, "Open its lane: the widest span says what to change. Compare with one of median length.");
        draft_end(rs, &d);
    }
}

void rules_leaks(struct rules *rs)
{
    rule_leak(rs);
    rule_churn(rs);
    rule_workers(rs);
    rule_tasks(rs);
}
