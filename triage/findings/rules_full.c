/*
 * rules_full.c - a program whose own work has the processors: what it does many times (requests, pieces of work) runs, and queues for the
 * processors that others of its kind have. That it queues is a symptom; what it runs is the cause, and a trace knows of it only the
 * moments inside the runs that have a stack.
 */
#include "triage/findings/causes.h"
#include "triage/findings/works.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"

struct parts { /* of what the work takes */
    int64_t own, queued;
};

static struct parts parts_of(const struct work_kind *w)
{
    struct parts p = {0, 0};
    for (uint32_t i = 0; i < w->v.n; i++) {
        const struct leaf *l = &w->v.v[i];
        p.queued = l->cat == EX_SCHED ? ns_add(p.queued, l->ns) : p.queued; /* not for a late one: nobody had that */
        p.own = l->cat == EX_RUN || l->cat == EX_SYSCALL || l->cat == EX_ASSIST ? ns_add(p.own, l->ns) : p.own;
    }
    return p;
}

bool full_finding(struct causes *c, const struct work_kind *w, uint32_t n)
{
    const struct parts p = parts_of(w);
    const double queued = w->v.all > 0 ? (double)p.queued / (double)w->v.all : 0,
                 own = w->v.all > 0 ? (double)p.own / (double)w->v.all : 0,
                 of_all = own * (double)w->ns / (c->running * (double)c->tg->end + 1);
    struct inside in;
    struct draft d;
    if (c->busy - c->looks < threshold(TH_FULL_BUSY) * c->procs || own + queued < threshold(TH_FULL_RUNS) ||
        queued < threshold(TH_FULL_QUEUE) || of_all < threshold(TH_FULL_OWN)) {
        return false;
    }
    draft_start(&d, RULE_FULL, (int64_t)(queued * work_in_flight(w)));
    d.f.note = d.f.queued = true;
    d.f.won_hi = (int64_t)((own + queued) * work_in_flight(w));
    draft_subject(&d, c->rs, c->tg->groups[w->group].name);
    draft_at(&d, w->v.v[0].t0, w->v.v[0].t1, LANE_G, w->v.v[0].g);
    text_add(&d.amount, "%.1f of %.0f", c->busy - c->looks, c->procs);
    d.f.stack = w->v.v[0].stack;
    if (moments_inside(c, w->group, &in)) {
        inside_text(&d.text, c, w->group, &in);
        text_lit(&d.text, " ");
        d.f.stack = in.stack;
    }
    text_say(&d.text, c->tr, t_f1(c->busy - c->looks), " of ", t_f0(c->procs),
             " processors have work on average, and ", t_share(of_all < 1 ? of_all : 1, 1),
             " of what runs is that of ");
    works_name(&d.text, c, w);
    text_say(&d.text, c->tr, ", which wait for a processor for ", t_share(queued, 1),
             " of their time: mostly for each other. ");
    work_text(&d.text, c, w, n);
    text_lit(&d.next, "Make that work cheaper, or do less of it; the queueing is only a symptom. A CPU profile, or a "
                      "trace taken while one runs, shows where it goes. If the host has more CPUs than GOMAXPROCS, "
                      "which a trace doesn't show, raise that first.");
    draft_end(c->rs, &d);
    return true;
}
