/* fam_procs.c - the processors: goroutines and timers that wait for one, too few of them, and a host that
 * takes them away. */
#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { MEMBERS = 16, STEPS = 4000, READY = 1 << 18, TOGETHER = 1000000 /* ns */ };

/* Who had the processors during the longest of these waits: the start function with most of that time. */
static uint32_t who_had(const struct triage *tg)
{
    struct by_name had = {{0}, {0}};
    for (uint32_t i = 0; i < tg->longest_runnable.n; i++) {
        const struct meanwhile m = triage_meanwhile(tg, &tg->longest_runnable.v[i]);
        for (uint32_t k = 0; k < m.nran; k++)
            by_name_add(&had, m.ran[k], m.ran_ns[k]);
    }
    return by_name_most(&had);
}

struct site verdict_runs_at(const struct causes *c, const struct works *w, uint32_t name)
{
    const uint32_t group = causes_group(c, name);
    struct site at = {0};
    int64_t votes = 0;
    bool exact = false;
    each_member(g, c, group, MEMBERS) {
        each_pair(s, next, c->tr, g, STEPS) {
            const struct site p =
                s->state == ST_RUNNING && s->stack_end ? verdict_place(w, s->stack_end) : at;
            if (s->state != ST_RUNNING || !verdict_own(w, p))
                continue;
            const bool here = next && next->state == ST_RUNNABLE;
            if (votes <= 0 || (at.user == p.user && here && !exact)) {
                at = p;
                exact = here;
            }
            votes += at.user == p.user ? s->t1 - s->t0 : s->t0 - s->t1;
        }
    }
    if (!at.user && group != UINT32_MAX)
        at.user = verdict_handler(w, group);
    at.leaf = at.user; /* a run's stack is that of its end: what it calls there may be what it waits in */
    return at;
}

/* Of the works that count, the largest share that waits for a processor. */
static struct harm queues(const struct works *w)
{
    struct harm most = {.work = NO_LANE, .of_work = NO_LANE};
    for (uint32_t i = 0; i < w->n; i++) {
        const struct work *k = &w->v[i];
        double all = 0, slow = 0;
        for (uint32_t n = 1; !k->background && !k->inner && n < k->tree.n; n++) {
            if (k->tree.v[n].cat == EX_RUNNABLE) {
                all += tree_share(&k->tree, n, TREE_ALL);
                slow += work_awaited(k) ? tree_share(&k->tree, n, TREE_SLOW) : 0;
            }
        }
        verdict_raise(&most, i, all, slow);
    }
    return most;
}

/* When goroutines of a group begin, or are woken, ascending: the first READY times. NULL: out of memory. */
static int64_t *ready_of(const struct causes *c, uint32_t group, uint32_t *n)
{
    int64_t *t = mem_alloc(READY * sizeof *t);
    *n = 0;
    each_member(g, c, t ? group : UINT32_MAX, READY) {
        uint8_t before = ST_NONE;
        each_walked(s, c->tr, g, STEPS) {
            if (s->state == ST_RUNNABLE && (before == ST_NONE || before == ST_WAITING) && *n < READY)
                t[(*n)++] = s->t0;
            before = s->state;
        }
    }
    if (t)
        ns_sort(t, *n);
    return t;
}

/* How many goroutines of a group become ready together at most, if most of them do so in crowds, several
 * times; 0: they come one by one. *times: how often. */
static uint32_t crowd_of(const struct causes *c, uint32_t group, uint32_t *times)
{
    uint32_t n, size = 1, most = 0, within = 0;
    int64_t *t = ready_of(c, group, &n);
    *times = 0;
    for (uint32_t i = 1; t && i <= n; i++) {
        if (i < n && t[i] - t[i - size] <= TOGETHER) {
            size++;
            continue;
        }
        const bool crowd = size >= threshold(TH_MANY) && size >= threshold(TH_DOUBLE) * c->procs;
        *times += crowd;
        within += crowd ? size : 0;
        most = crowd && size > most ? size : most;
        size = 1;
    }
    mem_free(t);
    return *times >= threshold(TH_SEVERAL) && within >= threshold(TH_MOST) * n ? most : 0;
}

static bool latency(struct causes *c, const struct works *w, struct verdicts *out)
{
    const struct triage *tg = c->tg;
    const int64_t p99 = hist_quantile(&tg->sched, 0.99);
    const double share = c->ran > 0 ? (double)tg->sched.total / ((double)tg->sched.total + c->ran) : 0;
    if (tg->sched.n < 100 || p99 < threshold_ns(TH_SCHED_P99) || share < threshold(TH_SHARE))
        return true;
    const struct harm queue = queues(w);
    const uint32_t had = who_had(tg);
    struct verdict v = verdict_new(RULE_SCHED, queue.share, verdict_runs_at(c, w, had));
    v.harm = queue;
    const double clock = (double)tg->sched.total / (double)tg->end;
    v.clock = clock < v.clock ? clock : v.clock;
    v.holder = (struct role){.group = had, .g = NO_LANE, .at = v.where};
    if (tg->longest_runnable.n)
        verdict_shows(&v, tg->longest_runnable.v[0].g, tg->longest_runnable.v[0].t0,
                      tg->longest_runnable.v[0].t1);
    verdict_ev(&v, EV_P99, (double)p99);
    verdict_ev(&v, EV_SHARE, share);
    v.level = LEVEL_NOTE;
    uint32_t times;
    const uint32_t crowd = queue.share < threshold(TH_MOST) ? 0 : crowd_of(c, causes_group(c, had), &times);
    if (crowd) {
        v.rule = RULE_AT_ONCE;
        verdict_ev(&v, EV_CROWD, crowd);
        verdict_ev(&v, EV_COUNT, times);
    }
    return verdict_add(out, &v);
}

/*
 * A timer belongs to the processor on which it was started, and fires when that one takes up another
 * goroutine, or when an idle one looks for work.
 * Returns the goroutine that ran there from `due`, when the sleep should have ended, until it did; NO_LANE:
 * the sleep was as long as that.
 */
static uint32_t ran_on(const struct causes *c, uint32_t g, int64_t t0, int64_t due, int64_t t1)
{
    struct span before, run;
    if (!trace_span_at(c->tr, lane_g(g), t0 - 1, &before) || before.state != ST_RUNNING ||
        before.who == NO_LANE)
        return NO_LANE;
    const bool ran = trace_span_at(c->tr, lane_p(before.who), due, &run);
    return ran && run.state == ST_RUNNING && run.t1 <= t1 && run.t1 >= t1 - TOGETHER ? run.who : NO_LANE;
}

/* Sleeps that are much longer in slow pieces than in usual ones, as no processor looks at its timers. */
bool fam_late(struct causes *c, const struct works *w, uint32_t work, uint32_t node, struct verdicts *out)
{
    const struct work_tree *t = &w->v[work].tree;
    const struct tree_node *n = &t->v[node];
    const int64_t usual = n->n[TREE_USUAL] ? n->ns[TREE_USUAL] / n->n[TREE_USUAL] : 0;
    const double slow = n->n[TREE_SLOW] ? (double)n->ns[TREE_SLOW] / n->n[TREE_SLOW] : 0;
    if (!work_counts(&w->v[work]) || !verdict_sleeps(n) ||
        tree_share(t, node, TREE_SLOW) < threshold(TH_SHARE) || !usual ||
        slow < threshold(TH_TAIL) * (double)usual || slow - (double)usual < threshold(TH_FELT))
        return true;
    const uint32_t who = ran_on(c, n->g, n->t0, n->t0 + usual, n->t1);
    const struct meanwhile m = triage_meanwhile(c->tg, &(struct sched_wait){n->t0 + usual, n->t1, n->g, 0});
    if (who == NO_LANE || (double)m.idle_ns > threshold(TH_NOTED) * (double)m.all_ns)
        return true;
    struct verdict v = verdict_new(RULE_LATE, 0, node_site(n));
    v.waiter = (struct role){.group = n->who, .g = n->g, .at = v.where};
    v.holder = (struct role){.group = trace_g_name(c->tr, who), .g = who};
    v.holder.at = verdict_runs_at(c, w, v.holder.group);
    verdict_shows(&v, n->g, n->t0, n->t1);
    verdict_raise(&v.harm, work, tree_share(t, node, TREE_ALL), tree_share(t, node, TREE_SLOW));
    v.score = v.harm.share;
    verdict_ev(&v, EV_LONGEST, (double)(n->t1 - n->t0));
    verdict_ev(&v, EV_EACH, (double)usual);
    return verdict_add(out, &v);
}

static bool below(struct causes *c, const struct works *w, struct verdicts *out)
{
    const double runnable = c->tg->end > 0 ? (double)c->tg->sched.total / (double)c->tg->end : 0;
    if (c->procs - c->idle < threshold(TH_BELOW_BUSY) * c->procs ||
        runnable < threshold(TH_BELOW_TIMES) * c->procs)
        return true;
    const struct group *g = c->tg->groups;
    const uint32_t most = find_most(i, c->tg->ngroups, g[i].is_system ? 0 : g[i].ns[GM_EXEC]);
    const uint32_t name = c->tg->ngroups && !g[most].is_system ? g[most].name : 0;
    struct verdict v =
        verdict_new(RULE_PROCS_BELOW, runnable / (runnable + c->procs), verdict_runs_at(c, w, name));
    v.waiter.group = name;
    v.where.user = v.where.user ? v.where.user : name;
    v.lane = LANE_P;
    v.g = 0;
    v.t1 = c->tg->end;
    verdict_ev(&v, EV_PROCS, c->procs);
    verdict_ev(&v, EV_IDLE, c->idle);
    verdict_ev(&v, EV_RUNNABLE, runnable);
    verdict_ev(&v, EV_SHARE, name && c->ran > 0 ? (double)g[most].ns[GM_EXEC] / c->ran : 0);
    return verdict_add(out, &v);
}

static bool host(struct causes *c, struct verdicts *out)
{
    const struct long_runs *l = &c->tg->long_runs;
    const double share = (double)l->total / (double)(c->tg->capacity > 0 ? c->tg->capacity : 1);
    if (trace_info(c->tr)->version < 1014 || (double)l->n < threshold(TH_SEVERAL) ||
        share < threshold(TH_NOTED))
        return true;
    struct verdict v = verdict_new(RULE_HOST, share, (struct site){0});
    verdict_shows(&v, l->longest.g, l->longest.t0, l->longest.t1);
    v.sure = SURE_INFERRED;
    verdict_ev(&v, EV_COUNT, (double)l->n);
    verdict_ev(&v, EV_TOTAL, (double)l->total);
    verdict_ev(&v, EV_LONGEST, (double)l->least);
    return verdict_add(out, &v);
}

bool fam_procs(struct causes *c, const struct works *w, struct verdicts *out)
{
    return latency(c, w, out) && below(c, w, out) && host(c, out);
}
