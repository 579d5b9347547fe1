/*
 * rules_few.c - a few workers that are never idle, whose work is waiting: they take it from a channel and hardly ever find that empty,
 * while each waits for the network nearly all its life and processors idle. What stands in the channel nobody waits for that a trace
 * shows; that it is there is inferred from them. Quicker answers would help, but so does what costs nothing: more of them.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/instances.h"
#include "triage/findings/thresholds.h"

#define WALKED 64  /* goroutines */
#define STEPS 8000 /* spans of each */

struct few {
    uint64_t n, more, calls; /* goroutines; their waits for more work, and those at the place */
    uint64_t took;           /* waits to receive in what the start function calls: it may be more work, too */
    uint64_t least, most;    /* of the latter by one of them */
    uint64_t each;           /* for an answer, about: the library may wait several times */
    int64_t life, fed, waited;
    int64_t first, last; /* when the first and the last of them were done with these */
};

/* It lasts so much longer than those that have ended that these say nothing of it: no wait for an answer like theirs. */
static bool no_answer(const struct waits_at *p, const struct span *s)
{
    const int64_t each = p->count ? p->total / (int64_t)p->count : 0;
    return p->count && (double)(s->t1 - s->t0) > threshold(TH_GONE_LONG) * (double)each;
}

static void walk(const struct causes *c, uint32_t g, uint32_t name, const struct waits_at *p, struct few *f)
{
    struct span_iter it;
    uint32_t last = 0;
    bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0), at = false, fed = false, takes = false;
    uint64_t calls = 0;
    int64_t done = 0;
    for (int i = 0; more && i < STEPS; i++, more = span_next(&it)) {
        const struct span *s = span_get(&it);
        f->life = ns_add(f->life, s->t1 - s->t0);
        if (s->state != ST_WAITING) {
            continue;
        }
        if (s->open_end && no_answer(p, s)) {
            continue;
        }
        if (s->stack != last) {
            const enum wait_kind kind = stacks_wait_kind(c->tr, s->reason, s->stack);
            fed = instance_wants_more(c->tr, name, s->reason, s->stack);
            at = !fed && (kind == WK_NET || kind == p->most->kind) && causes_place(c->tr, s->stack) == p->place;
            takes = !fed && kind == WK_RECV && causes_place(c->tr, s->stack) != p->place;
            last = s->stack;
        }
        calls += at;
        f->took += takes;
        done = at ? s->t1 : done;
        f->waited = at ? ns_add(f->waited, s->t1 - s->t0) : f->waited;
        f->more += fed;
        f->fed = fed ? ns_add(f->fed, s->t1 - s->t0) : f->fed;
    }
    f->first = f->n == 0 || done < f->first ? done : f->first;
    f->last = done > f->last ? done : f->last;
    f->least = f->n == 0 || calls < f->least ? calls : f->least;
    f->most = calls > f->most ? calls : f->most;
    f->calls += calls;
    f->n++;
}

/* Done at about the same time, though some have made more of them: then what one does not do another does. */
static bool shared_out(const struct few *f)
{
    return f->calls && f->most >= f->least + 2 * f->each && f->last - f->first <= 2 * (f->waited / (int64_t)f->calls);
}

static bool never_idle(const struct few *f)
{
    return (f->more || shared_out(f)) && (double)f->calls >= threshold(TH_FEW_CALLS) * (double)f->n &&
           !threshold_reached(TH_FEW_EMPTY, (int64_t)(f->more + f->took), (int64_t)f->calls) &&
           !threshold_reached(TH_FEW_EMPTY, f->fed, f->life) && threshold_reached(TH_FEW_WAITS, f->waited, f->life);
}

/* Of goroutines that begin their lives together and have all the work between them: those that come and go are begun for one thing each. */
static bool set_of_them(const struct causes *c, uint32_t group)
{
    const struct group_life *l = &c->life[group];
    return l->program && c->of[group].n > 1 && c->of[group].n <= WALKED &&
           l->n >= threshold(TH_FEW_THERE) * c->of[group].n &&
           threshold_reached(TH_FEW_SPAN, l->last - l->first, c->tg->end);
}

static void finding(struct causes *c, const struct waits_at *p, uint32_t group, const struct few *f)
{
    const struct group_life *l = &c->life[group];
    const int64_t there = l->last - l->first, all = (int64_t)((double)there * (double)f->waited / (double)f->life);
    const bool as_procs = (double)f->n <= c->procs + 0.5;
    struct draft d;
    draft_start(&d, RULE_POOL, all / 2);
    d.f.won_hi = all;
    d.f.note = !as_procs || f->more == 0; /* so many may be meant */
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    d.f.inferred = true;
    text_add(&d.amount, "%llu at once", (unsigned long long)f->n);
    waits_at_text(&d.text, c, p);
    text_say(&d.text, c->tr, ": the ", f->n, " goroutines of ", t_func(c->tg->groups[group].name), " wait there for ",
             stacks_pipe(c->tr, p->most->stack) ? "a pipe" : "the network", " for ",
             t_share((double)f->waited, (double)f->life), " of their lives (", p->count, " waits of ",
             t_dur(p->total / (int64_t)p->count), " on average) and ", f->more + f->took ? "hardly ever" : "never",
             " for more work (", f->more + f->took, " waits)");
    if (f->more == 0) {
        text_add(&d.text,
                 "; they finish at about the same time, though one of them waited there %.1f times as often as "
                 "another, so they share one batch of work",
                 (double)f->most / (double)(f->least ? f->least : 1));
    }
    text_add(&d.text,
             ": more work is ready (inferred), and no more answers are awaited at once than there are goroutines. "
             "%.1f of %.0f processors were idle.",
             c->idle, c->procs);
    if (as_procs) {
        text_lit(&d.text,
                 " There are no more of them than processors, but for work that mostly waits that is no limit.");
    }
    text_add(&d.next, "%s", MORE_OF_THEM);
    draft_end(c->rs, &d);
}

/* Is it told already that others queue for that group? */
static bool queued_for(const struct causes *c, uint32_t group)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if (f->rule == RULE_POOL && f->lane.kind == LANE_G && f->lane.i < c->tg->ng && f->stack == 0 &&
            gstat_group(c->tg->g, f->lane.i) == group) {
            return true;
        }
    }
    return false;
}

bool few_finding(struct causes *c, const struct waits_at *p)
{
    if (causes_told_at(c, RULE_LINGER, p->place)) { /* who does not answer one will not answer more */
        return false;
    }
    const uint32_t group = gstat_group(c->tg->g, p->most->longest.g);
    struct few f = {0};
    if (c->idle < threshold(TH_POOL_IDLE) * c->procs || causes_writes(c->tr, p->most->stack) ||
        !set_of_them(c, group) || queued_for(c, group) || causes_told_at(c, RULE_POOL, p->place)) {
        return false;
    }
    for (uint32_t i = 0; i < c->of[group].n; i++) {
        walk(c, causes_member(c, group, i, WALKED), c->tg->groups[group].name, p, &f);
    }
    f.each = p->count && f.calls > p->count ? (f.calls + p->count / 2) / p->count : 1;
    if (!never_idle(&f)) {
        return false;
    }
    finding(c, p, group, &f);
    return true;
}
