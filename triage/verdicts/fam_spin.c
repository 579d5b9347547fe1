/*
 * fam_spin.c - goroutines that run and ask again and again whether there is something to do. Where one is
 * stopped while it runs its stack is recorded: a select that does not wait, an atomic load, TryLock, Gosched
 * are looks.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

#include <string.h>

enum { GROUPS = 64, MEMBERS = 16, STEPS = 4000 };

static bool looks(const struct trace *tr, uint32_t stack)
{
    static const char *const f[] = {"runtime.selectnb", "runtime.selectgo", "runtime.Gosched", "sync/atomic.",
                                    "internal/runtime/atomic."};
    const uint32_t n = stacks_user_frame(tr, stack);
    if (stacks_may(tr, stack, STACK_COLLECTS))
        return false; /* the runtime asks whether its collection is over */
    for (uint32_t i = 0; i <= n; i++) {
        const struct str func = trace_str(tr, trace_frame(tr, stack, i).func);
        if (any_of(k, sizeof f / sizeof *f, str_starts(func, f[k])))
            return true;
        if (func.len > 8 && memcmp(func.p + func.len - 8, ".TryLock", 8) == 0)
            return true;
    }
    return false;
}

/* Does it give its processor up by itself? Who does work in between, and is polite, does not spin. */
#define BRIEF 20000 /* ns */
static bool yields(const struct trace *tr, uint32_t stack)
{
    return str_is(trace_str(tr, trace_frame(tr, stack, 0).func), "runtime.Gosched") ||
           stacks_has(tr, stack, "runtime.Gosched");
}

struct spin {
    uint32_t stops, looks, stack, n; /* stack: of a look */
    int64_t ran;                     /* up to these looks, since it last got a processor */
};

/* The end of its last wait, if a tenth of the trace is left then; NO_TIME: it waits up to the end. */
static int64_t last_wait(const struct causes *c, uint32_t g)
{
    struct span_iter it = {.tr = NULL};
    bool more = span_seek_at(&it, c->tr, lane_g(g), c->tg->end - 1);
    const int64_t end = more ? span_get(&it)->t1 : 0;
    for (int i = 0; i < STEPS && more && span_get(&it)->state != ST_WAITING; i++)
        more = span_prev(&it);
    const int64_t since = more ? span_get(&it)->t1 : end;
    return (double)(end - since) >= threshold(TH_SHARE) * (double)c->tg->end ? since : NO_TIME;
}

static void spin_of(const struct causes *c, uint32_t g, struct spin *s)
{
    const struct gstat st = gstat_of(c->tg, g);
    const bool busy =
        (double)(st.ns[GM_EXEC] + st.ns[GM_RUNNABLE]) >= threshold(TH_SPIN_BUSY) * (double)st.ns[GM_LIFE];
    const int64_t since = busy ? 0 : last_wait(c, g);
    struct walk w;
    if (st.ns[GM_LIFE] <= 0 || since == NO_TIME)
        return;
    const uint32_t before = s->looks;
    if (busy)
        walk_g(&w, c->tr, g, STEPS);
    else
        walk_at(&w, c->tr, g, since, STEPS);
    int64_t ran = 0;
    bool before_ran = false;
    for (const struct span *p; (p = walk_next(&w));) {
        if (p->state == ST_RUNNABLE && before_ran && p->who == NO_LANE &&
            p->stack) { /* it was stopped while it ran */
            const bool look = looks(c->tr, p->stack);
            s->stops++;
            s->looks += look;
            s->stack = look ? p->stack : s->stack;
            s->ran = ns_add(s->ran, look && yields(c->tr, p->stack) ? ran : 0);
        }
        before_ran = p->state == ST_RUNNING;
        ran = p->state == ST_RUNNING ? p->t1 - p->t0 : ran;
    }
    s->n += s->looks > before;
}

bool fam_spin(struct causes *c, const struct works *w, struct verdicts *out)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->ngroups && i < GROUPS; i++) {
        struct spin s = {0};
        const struct group *g = &c->tg->groups[i];
        each_member(one, c, g->is_system ? UINT32_MAX : i, MEMBERS)
            spin_of(c, one, &s);
        if (s.looks < threshold(TH_SEVERAL) || s.looks < threshold(TH_SEVERE) * s.stops ||
            s.ran > (int64_t)s.looks * BRIEF)
            continue;
        const double ran = (double)g->ns[GM_EXEC] / (double)(c->tg->capacity > 0 ? c->tg->capacity : 1);
        struct verdict v = verdict_new(RULE_BUSY_LOOP, ran, verdict_place(w, s.stack));
        v.waiter.group = g->name;
        v.g = causes_nth(c, i, 0);
        v.t1 = c->tg->end;
        v.doing[v.ndoing++] = (struct did){.cat = EX_RUN, .at = v.where, .share = (double)s.looks / s.stops};
        verdict_ev(&v, EV_COUNT, s.n);
        v.level = ran >= threshold(TH_NOTED) ? LEVEL_WARN : LEVEL_NOTE;
        ok = verdict_add(out, &v);
    }
    return ok;
}
