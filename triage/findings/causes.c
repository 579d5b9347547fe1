/* causes.c - see causes.h. */
#include "triage/findings/apart.h"
#include "triage/findings/asks.h"
#include "triage/findings/works.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"
#include "triage/findings/won.h"
#include "triage/findings/story.h"
#include "triage/tables/slices.h"
#include "triage/work/work_text.h"
#include "triage/verdicts/verdict.h"
#include <stdio.h>

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define BUDGET 1500000 /* spans that all explanations for the findings may pass */

void causes_counted_in(struct text *t, int64_t from, int64_t until)
{
    if (from > 0) {
        text_lit(t, " Counted from ");
        text_dur(t, from);
        text_add(t, "%s", until ? " to " : " on");
        if (until) {
            text_dur(t, until);
        }
        text_lit(t, ".");
    } else {
        causes_counted(t, 1, 1, until);
    }
}

void causes_counted(struct text *t, uint32_t looked, uint32_t of, int64_t until)
{
    if (looked < of) {
        text_add(t, " Counted over %u of the %u goroutines", looked, of);
    } else if (until) {
        text_lit(t, " Counted");
    }
    if (until == WALK_SPREAD) {
        text_add(t, " in %d stretches of each one's time, spread over all of it", WALK_STRETCHES);
    } else if (until) {
        text_lit(t, " until ");
        text_dur(t, until);
    }
    text_raw(t, ".", looked < of || until ? 1 : 0);
}

bool causes_told_there(const struct causes *c, uint32_t place)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if (f->stack && causes_place(c->tr, f->stack) == place) {
            return true;
        }
    }
    return false;
}

bool causes_told_at(const struct causes *c, enum rule rule, uint32_t place)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if (f->rule == rule && f->stack && causes_place(c->tr, f->stack) == place) {
            return true;
        }
    }
    return false;
}

bool causes_told_of(const struct causes *c, uint32_t group)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        const bool its = f->lane.kind == LANE_G && f->lane.i < c->tg->ng && gstat_group(c->tg->g, f->lane.i) == group;
        if (its && !f->note && !story_is_sign(c->rs, f)) {
            return true;
        }
    }
    return false;
}

uint32_t causes_group(const struct causes *c, uint32_t name)
{
    return tab_get(&c->by_name, name, 0);
}

static void life_of(struct causes *c, uint32_t i)
{
    const struct group *g = &c->tg->groups[i];
    struct group_life *l = &c->life[i];
    int64_t idle = 0;
    for (uint32_t k = 0; k < g->nwaits; k++) {
        const struct group_wait *w = &c->tg->group_waits[g->waits + k];
        enum wait_kind kind = stacks_wait_kind(c->tr, w->reason, 0);
        kind = str_is(trace_str(c->tr, w->reason), "sync") ? WK_LOCK : kind;
        l->by[kind] = ns_add(l->by[kind], w->d.total);
        idle = w->reason ? idle
                         : ns_add(idle, w->d.total); /* since before the trace: for what nobody knows, but it waits */
    }
    bool fed = l->by[WK_RECV] + l->by[WK_SELECT] >
               0; /* takes work from a channel, so waiting for the network is part of it */
    for (int k = 0; k < WK_KINDS; k++) {
        idle = k == WK_GC || k == WK_OTHER || (k == WK_NET && fed) ? idle : ns_add(idle, l->by[k]);
    }
    l->life = g->d[GM_LIFE].total;
    l->program = !g->is_system && stacks_is_program(c->tr, g->name);
    l->n = l->last > l->first ? (double)l->life / (double)(l->last - l->first) : 0;
    l->busy = l->life > 0 ? (double)(l->life - idle) / (double)l->life : 0;
}

static bool groups(struct causes *c)
{
    const struct triage *tg = c->tg;
    c->life = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *c->life);
    if (!c->life || !causes_members(c)) {
        return false;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        if (tab_put(&c->by_name, tg->groups[i].name, 0, i) == TAB_NONE) {
            return false;
        }
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        c->life[i].first = tg->groups[i].first;
        c->life[i].last = tg->groups[i].last;
    }
    return true;
}

bool causes_init(struct causes *c, struct rules *rs)
{
    const struct gbucket *counts;
    int64_t width;
    *c = (struct causes){.rs = rs, .tg = rs->tg, .tr = rs->tr};
    c->x = explain_new(rs->tr);
    c->caught = caught_new(rs->out);
    c->lines = in_lines_new(c->tg);
    (void)trace_gcounts(c->tr, &width, &counts); /* sums them up when it is first asked */
    if (!c->x || !c->caught || !c->lines || !groups(c)) {
        causes_free(c);
        return false;
    }
    explain_budget(c->x, BUDGET);
    int64_t exec = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        life_of(c, i);
        exec = ns_add(exec, c->tg->groups[i].is_system ? 0 : c->tg->groups[i].d[GM_EXEC].total);
    }
    c->procs = c->tg->end > 0 && c->tg->capacity > 0 ? (double)c->tg->capacity / (double)c->tg->end : 1;
    c->running = c->tg->end > 0 ? (double)exec / (double)c->tg->end : 0;
    int64_t busy = 0;
    for (int s = ST_SCHED; s <= ST_SYSCALL; s++) {
        busy = ns_add(busy, c->tg->p_sum.ns[s]);
    }
    c->busy = (double)busy / (double)c->tg->end;
    c->looks = (double)c->tg->p_sum.ns[ST_SCHED] / (double)c->tg->end;
    c->idle = c->procs - (double)ns_add(busy, c->tg->lost) / (double)c->tg->end;
    c->idle = c->idle > 0 ? c->idle : 0;
    return true;
}

void causes_free(struct causes *c)
{
    explain_free(c->x);
    caught_free(c->caught);
    in_lines_free(c);
    tab_free(&c->by_name);
    mem_free(c->life);
    mem_free(c->of);
    mem_free(c->member);
}

static const struct step {
    rule_fn *f;
    enum { IN_TURN, APART, APART_ONCE, AHEAD } how;
} steps[] = {
#define X(rule, how) {rule, how},
#include "triage/findings/steps.def"
#undef X
};
enum { STEPS = sizeof steps / sizeof *steps };

static void all_steps(struct causes *c)
{
    rule_fn *apart[STEPS];
    size_t n = 0, next = 0;
    for (size_t i = 0; i < STEPS; i++) {
        if (steps[i].how != IN_TURN) {
            /* cppcheck-suppress legacyUninitvar ; an array of pointers, written here */
            apart[n++] = steps[i].f;
        }
    }
    struct apart *all = aparts_do(c, apart, n);
    for (size_t i = 0; all && i < STEPS && slices_tick_now(); i++) {
        if (steps[i].how == IN_TURN) {
            steps[i].f(c);
        } else {
            apart_tell(c, all, next++, steps[i].how == APART_ONCE);
        }
    }
    aparts_free(all, n);
}

void rules_causes(struct rules *rs)
{
    struct causes c;
    if (!causes_init(&c, rs)) {
        rs->failed = true;
        return;
    }
    if (getenv("GOTOP_WORK")) {
        struct works w;
        struct text t = {0};
        if (works_new(&c, &w)) {
            works_text(&t, &w);
            struct verdicts v = {0};
            if (verdicts_ways(&c, &w, &v)) {
                verdicts_decide(&c, &w, &v);
            }
            for (uint32_t i = 0; i < v.n; i++) {
                text_add(&t, "V %s %s %.2f ", v.v[i].level == LEVEL_NOTE ? "." : v.v[i].level == LEVEL_WARN ? "!" : "!!", family_id(v.v[i].family), v.v[i].score);
                void (*const say[])(struct text *, const struct works *, const struct verdict *) = {verdict_harm, verdict_what, verdict_why, verdict_do, verdict_gain};
                for (int k = 0; k < 5; k++) {
                    text_lit(&t, "\n    ");
                    say[k](&t, &w, &v.v[i]);
                }
                text_lit(&t, "\n");
            }
            fputs(t.p ? t.p : "", stderr);
            text_free(&t);
            works_free(&w);
        }
        causes_free(&c);
        return;
    }
    all_steps(&c);
    if (getenv("GOTOP_V")) {
        verdicts_tell(&c);
    }
    causes_free(&c);
}
