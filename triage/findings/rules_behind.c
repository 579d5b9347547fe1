/*
 * rules_behind.c - short work of one kind that stands behind long work of another for the processors: all are in use, the
 * long ones go on until they are stopped, and who has a moment's work waits for its turn each time.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"

#include "decode/base/mem.h"

#define COUNTED 256 /* goroutines of a group */

struct kind_of_work { /* of a group, its goroutines counted */
    uint32_t group;
    int64_t ran, queued, life;
    uint64_t waits, turns; /* turns: times that one waited for a processor */
    uint64_t goes; /* stretches from one wait to the next; of those that never wait all that they run is one */
};

static struct kind_of_work work_of(const struct causes *c, uint32_t group)
{
    struct kind_of_work k = {.group = group};
    const uint32_t n = c->of[group].n < COUNTED ? c->of[group].n : COUNTED;
    for (uint32_t i = 0; i < n; i++) {
        const struct gstat g = gstat_of(c->tg->g, causes_member(c, group, i, COUNTED));
        k.ran = ns_add(k.ran, g.ns[GM_EXEC]);
        k.queued = ns_add(k.queued, g.ns[GM_SCHED]);
        k.life = ns_add(k.life, g.ns[GM_LIFE]);
        k.waits += g.waits;
        k.turns += g.scheds;
    }
    k.goes = k.waits ? k.waits : n;
    return k;
}

/* More of them want to run than there are processors, and each goes on for long. */
static bool is_long(const struct causes *c, const struct kind_of_work *k)
{
    const struct group *g = &c->tg->groups[k->group];
    const double span = (double)(c->life[k->group].last - c->life[k->group].first);
    const double at_once = span > 0 ? (double)ns_add(g->d[GM_EXEC].total, g->d[GM_SCHED].total) / span : 0;
    return c->life[k->group].program && at_once >= c->procs && k->goes &&
           k->ran / (int64_t)k->goes >= threshold_ns(TH_BEHIND_LONG) &&
           (double)g->d[GM_EXEC].total >= threshold(TH_BEHIND_MOST) * c->running * (double)c->tg->end;
}

static bool serves_requests(const struct causes *c, const struct kind_of_work *k)
{
    return request_serves(c->tr, c->tg->groups[k->group].name);
}

static bool is_short(const struct causes *c, const struct kind_of_work *k)
{
    return (c->life[k->group].program || serves_requests(c, k)) && c->of[k->group].n >= 2 && k->waits && k->turns &&
           k->life > 0 && k->ran / (int64_t)k->waits <= threshold_ns(TH_BEHIND_SHORT) &&
           (double)k->queued >= threshold(TH_BEHIND_TIMES) * (double)k->ran &&
           threshold_reached(TH_BEHIND_LIFE, k->queued, k->life) &&
           k->queued / (int64_t)k->turns >= threshold_ns(TH_SCHED_LONG);
}

/* Tasks that goroutines of a group begin: what the program itself counts. */
static uint64_t tasks_of(const struct causes *c, uint32_t group)
{
    const struct task *t;
    const size_t n = trace_tasks(c->tr, &t);
    uint64_t k = 0;
    for (size_t i = 0; i < n; i++) {
        k += t[i].g < c->tg->ng && gstat_group(c->tg->g, t[i].g) == group;
    }
    return k;
}

static void behind_finding(struct causes *c, const struct kind_of_work *s, const struct kind_of_work *l)
{
    const struct group_life *life = &c->life[s->group];
    const uint64_t tasks = tasks_of(c, s->group);
    struct leaves v = {0};
    struct draft d;
    c->rs->failed |= !causes_doing(c, l->group, &v);
    draft_start(&d, RULE_LINE, (int64_t)((double)(life->last - life->first) * (double)s->queued / (double)s->life));
    draft_subject(&d, c->rs, c->tg->groups[s->group].name);
    draft_at(&d, life->first, life->last, LANE_G, causes_nth(c, s->group, 0));
    d.f.note =
        (double)(serves_requests(c, s) ? s->waits : tasks) <
        threshold(TH_LINE_ITEMS); /* else it is work that the program itself counts, or somebody outside waits for */
    d.f.queued = true;
    text_dur(&d.amount, s->queued / (int64_t)s->turns);
    if (v.n && v.v[0].stack) {
        d.f.stack = v.v[0].stack;
        causes_calls_text(&d.text, c->tr, &v.v[0]);
        text_lit(&d.text, " occupies the processors that short work waits for. ");
    }
    text_say(&d.text, c->tr, "The ", c->of[s->group].n, " goroutines of ", t_func(c->tg->groups[s->group].name));
    if (tasks) {
        text_add(&d.text, " (%llu tasks)", (unsigned long long)tasks);
    }
    text_say(&d.text, c->tr, " run for ", t_dur(s->ran / (int64_t)s->waits), " between two waits and wait ",
             t_dur(s->queued / (int64_t)s->turns), " for a processor each time, on average, ",
             t_share((double)s->queued, (double)s->life), " of their lives; meanwhile ", c->of[l->group].n, " of ",
             t_func(c->tg->groups[l->group].name), " have ",
             t_share((double)c->tg->groups[l->group].d[GM_EXEC].total, c->running * (double)c->tg->end),
             " of all that runs, and go on for ", t_dur(l->ran / (int64_t)l->goes), " each. ", t_f1(c->idle), " of ",
             t_f0(c->procs), " processors were idle.");
    text_lit(&d.next, "Run fewer of the long ones at once than there are processors, so that one is left for short "
                      "work; or move them elsewhere.");
    draft_end(c->rs, &d);
}

void rules_behind(struct causes *c)
{
    struct kind_of_work l = {.group = UINT32_MAX};
    if (c->idle > threshold(TH_BEHIND_IDLE) * c->procs) {
        return;
    }
    for (uint32_t i = 0; i < c->tg->ngroups && i < 16 && l.group == UINT32_MAX; i++) { /* by what they run */
        const struct kind_of_work k = work_of(c, i);
        l = is_long(c, &k) ? k : l;
    }
    for (uint32_t i = 0; i < c->tg->ngroups && i < 64 && l.group != UINT32_MAX; i++) {
        const struct kind_of_work k = work_of(c, i);
        if (i != l.group && is_short(c, &k)) {
            behind_finding(c, &k, &l);
            return;
        }
    }
}
