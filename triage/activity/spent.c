/* spent.c - see spent.h. */
#include "triage/activity/spent.h"

#include <stdio.h>

#include "triage/activity/window.h"
#include "triage/sentence.h"
#include "triage/tables/stacks.h"

/* ---- tasks and regions --------------------------------------------------------------------------------- */

/* What time was spent on, the most first. Few are named, so that a line of a screen has room for them. */
enum { NAMED = 3, MOST = BREAK_REASONS + 8 };
struct spent {
    struct {
        char name[64];
        int64_t ns;
    } of[MOST];
    unsigned n;
};

static void spend(struct spent *s, const char *name, int64_t ns)
{
    if (ns <= 0 || s->n == MOST) /* there are fewer kinds than that */
        return;
    unsigned i = s->n++;
    for (; i > 0 && s->of[i - 1].ns < ns; i--)
        s->of[i] = s->of[i - 1];
    snprintf(s->of[i].name, sizeof s->of[i].name, "%s", name);
    s->of[i].ns = ns;
}

static void spend_all(struct spent *s, const struct trace *tr, const struct breakdown *b)
{
    int64_t waits = 0;
    spend(s, "running", b->running);
    spend(s, "runnable", b->sched);
    spend(s, "assist", b->assist);
    spend(s, "system calls", b->syscall);
    for (uint32_t i = 0; i < b->nreasons; i++) {
        struct text why = {0};
        const struct str reason = stacks_reason(tr, b->reason[i], 0);
        text_clean(&why, reason.p, reason.len, 0);
        spend(s, why.n ? why.p : "waiting", b->reason_ns[i]);
        waits = ns_add(waits, b->reason_ns[i]);
        text_free(&why);
    }
    spend(s, "other waits", b->waiting - waits);
    spend(s, "not recorded", breakdown_unknown(b));
}

static void spent_part(struct text *t, const char *name, int64_t ns, int64_t all)
{
    text_say(t, NULL,
             !t->n                   ? ""
             : t->p[t->n - 1] == ':' ? " "
                                     : ", ",
             name, " ", t_dur(ns), " ", t_share((double)ns, (double)all));
}

static void spent_parts(struct text *t, const struct spent *s, int64_t all)
{
    int64_t rest = 0;
    for (unsigned i = 0; i < s->n; i++)
        if (i < NAMED)
            spent_part(t, s->of[i].name, s->of[i].ns, all);
        else
            rest = ns_add(rest, s->of[i].ns);
    if (rest)
        spent_part(t, "rest", rest, all);
}

static const struct breakdown *slow_one(const struct triage *tg, bool region, uint32_t index)
{
    for (uint32_t i = 0; tg && i < tg->ntypes; i++)
        for (uint32_t k = 0; tg->types[i].is_region == region && k < tg->types[i].nslow; k++)
            if (tg->types[i].slow[k].index == index)
                return &tg->types[i].slow[k].b;
    return NULL;
}

void spent_text(struct text *t, const struct trace *tr, const struct triage *tg, bool region, uint32_t index)
{
    const struct breakdown *slow = slow_one(tg, region, index);
    const struct task *task;
    const struct region *reg;
    struct spent s = {.n = 0};
    if (index >= (region ? trace_regions(tr, &reg) : trace_tasks(tr, &task)))
        return;
    const int64_t t0 = region ? reg[index].t0 : task[index].t0, t1 = region ? reg[index].t1 : task[index].t1;
    const uint32_t g = region ? reg[index].g : task[index].g;
    if (slow) {
        spend_all(&s, tr, slow);
        spent_parts(t, &s, slow->all);
        text_say(t, NULL, " (", slow->goroutines, " goroutine", slow->goroutines == 1 ? "" : "s");
        if (slow->gc > 0)
            text_say(t, NULL, "; ", t_dur(slow->gc), " in GC");
        text_lit(t, ")");
    } else if (g != NO_LANE && t1 > t0) {
        const struct breakdown own = triage_breakdown(tr, g, t0, t1);
        text_lit(t, "its goroutine:");
        spend_all(&s, tr, &own);
        spend(&s, "not there", t1 - t0 - own.all); /* it was over before the task was */
        spent_parts(t, &s, t1 - t0);
    }
}

/* ---- stops --------------------------------------------------------------------------------------------- */

bool spent_stop(struct text *t, const struct trace *tr, const struct range *r)
{
    struct moment m = {r->t0, r->t1, r->owner, NO_LANE};
    struct span held = {.who = NO_LANE}, was;
    int64_t after = 0;
    const uint32_t last = triage_last_to_stop(tr, &m, &held, &after);
    if (last == NO_LANE)
        return false;
    text_say(t, NULL, "last to stop: P", trace_lane_who(tr, (struct lane){LANE_P, last}).id, " after ",
             t_dur(after));
    if (held.who == NO_LANE)
        return true;
    text_say(t, tr, ", it ran ", t_who(held.who));
    if (trace_span_at(tr, (struct lane){LANE_G, held.who}, held.t1 - 1, &was) && was.stack_end)
        text_say(t, tr, ", which stopped in ", t_where(was.stack_end, 60));
    return true;
}

/* ---- bands --------------------------------------------------------------------------------------------- */

/* Whether a processor in that state does what the band shows; never for a band that no processor state
 * belongs to. */
static bool of_band(enum band b, uint8_t state)
{
    return (b == BAND_GC && (state == ST_GCWORK || state == ST_ASSIST)) ||
           (b == BAND_ASSIST && state == ST_ASSIST) || (b == BAND_SWEEP && state == ST_SWEEP);
}

/* Returns the processor that did it longest in [t0,t1); NO_LANE: none did. */
static uint32_t most_of_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1)
{
    uint32_t best = NO_LANE;
    int64_t most = 0;
    for (uint32_t p = 0, n = trace_nlanes(tr, LANE_P); p < n; p++) {
        struct shares sh;
        int64_t ns = 0;
        trace_shares(tr, (struct lane){LANE_P, p}, t0, t1, &sh);
        for (int k = 0; k < ST_COUNT; k++)
            ns = time_add(ns, of_band(b, (uint8_t)k) ? sh.ns[k] : 0);
        best = ns > most ? p : best;
        most = ns > most ? ns : most;
    }
    return best;
}

bool spent_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1, uint32_t *p, int64_t *at)
{
    enum { SPANS = 10000 };
    struct span_iter it;
    int64_t most = 0;
    *p = most_of_band(tr, b, t0, t1);
    *at = t0;
    if (*p == NO_LANE || !span_seek(&it, tr, (struct lane){LANE_P, *p}, t0))
        return false;
    for (int i = 0; i < SPANS; i++) {
        const struct span *s = span_get(&it);
        const int64_t from = s->t0 > t0 ? s->t0 : t0, len = time_sub(s->t1 < t1 ? s->t1 : t1, from);
        if (of_band(b, s->state) && len > most) {
            *at = from;
            most = len;
        }
        if (s->t1 >= t1 || !span_next(&it))
            break;
    }
    return true;
}
