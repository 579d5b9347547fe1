/*
 * rules_contexts.c - contexts with a time limit that nobody cancels: each stays, with its timer, until its time is up. Then a goroutine of
 * the context package is begun for it, whom nobody waits for any more. A context that is cancelled when its work is done has none.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#define BEGIN 1000 /* ns: what beginning and ending a goroutine costs, about */
#define MAKERS 32
#define MOMENTS 200000 /* at most, of each kind of range */
#define STACKS 50000

/* The goroutines that a context's timer begins. */
static bool runs_out(const struct trace *tr, uint32_t name)
{
    const struct str s = trace_str(tr, name);
    return str_starts(s, "context.WithDeadline.func") || str_starts(s, "context.WithDeadlineCause.func");
}

struct makers { /* stacks within context.WithTimeout and its like, by the function of the program that called it */
    struct {
        uint32_t func, stack;
        uint64_t n;
    } v[MAKERS];
    uint32_t n;
    uint64_t all;
};

static void maker_add(struct makers *m, const struct trace *tr, uint32_t stack)
{
    const uint32_t at = stack ? stacks_user_frame(tr, stack) : 0, func = at ? trace_frame(tr, stack, at).func : 0;
    const struct str s = at ? trace_str(tr, trace_frame(tr, stack, at - 1).func) : (struct str){0};
    uint32_t i = 0;
    if (!func || !(str_starts(s, "context.WithTimeout") || str_starts(s, "context.WithDeadline"))) {
        return;
    }
    while (i < m->n && m->v[i].func != func) {
        i++;
    }
    if (i == MAKERS) {
        return;
    }
    if (i == m->n) {
        m->v[m->n].func = func;
        m->v[m->n].stack = stack;
        m->v[m->n++].n = 0;
    }
    m->v[i].n++;
    m->all++;
}

/* Who makes them was seen doing so when it worked for the collector; else one of its stacks is in the trace for another reason. */
static struct makers makers_of(const struct trace *tr)
{
    static const enum range_kind kind[] = {RANGE_ASSIST, RANGE_SWEEP, RANGE_STW};
    struct makers m = {.n = 0};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const struct range *r;
        const size_t n = trace_ranges(tr, kind[k], &r), step = n / MOMENTS + 1;
        for (size_t i = 0; i < n; i += step) {
            maker_add(&m, tr, r[i].stack);
        }
    }
    const uint32_t stacks = m.n ? 0 : trace_nstacks(tr);
    for (uint32_t s = 1; s < stacks && s < STACKS; s++) {
        maker_add(&m, tr, s);
    }
    return m;
}

/* Waits that they ended, other than for locks: of those that did wait for the context. */
static uint64_t waited_for(const struct causes *c, uint32_t name)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        n += !p->from_scheduler && p->waker == name && p->kind != WK_LOCK ? p->count : 0;
    }
    return n;
}

/* What stood until they ran out was begun somewhere: 0 not known, else a stack of the most of these waits. */
static uint32_t begun_for(const struct causes *c, uint32_t name)
{
    const struct pair_row *most = NULL;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool it = !p->from_scheduler && p->waker == name && p->kind != WK_LOCK && p->longest.g < c->tg->ng &&
                        !causes_place(c->tr, p->stack);
        most = it && (!most || p->count > most->count) ? p : most;
    }
    const uint32_t stack = most ? trace_lane(c->tr, (struct lane){LANE_G, most->longest.g}).create_stack : 0;
    return stack && causes_place(c->tr, stack) ? stack : 0;
}

/* Goroutines of the library that only wait for the end of what the program opened. */
static void left_open_text(struct draft *d, const struct causes *c, uint32_t name)
{
    const uint32_t stack = begun_for(c, name);
    if (!stack) {
        return;
    }
    d->f.stack = d->f.stack ? d->f.stack : stack;
    text_say(&d->text, c->tr, " What waited until one expired was started in ", t_place(stack, 3), ".");
    if (str_starts(trace_str(c->tr, trace_frame(c->tr, stack, 0).func), "database/sql.")) {
        text_lit(&d->next, "Close what a query returns (rows.Close) as soon as it is read: otherwise it keeps its "
                           "connection until the context expires. ");
    }
}

static void contexts_finding(struct causes *c, const struct group *g, uint64_t waits)
{
    const struct makers m = makers_of(c->tr);
    const int64_t cost = (int64_t)(((double)g->d[GM_EXEC].total + (double)g->count * BEGIN) / c->procs);
    uint32_t best = 0;
    struct draft d;
    draft_start(&d, RULE_CONTEXTS, cost);
    for (uint32_t i = 1; i < m.n; i++) {
        best = m.v[i].n > m.v[best].n ? i : best;
    }
    const bool known = m.n && m.v[best].n * 2 > m.all;
    draft_subject(&d, c->rs, known ? m.v[best].func : g->name);
    draft_at(&d, g->first, g->last, LANE_G, causes_nth(c, g - c->tg->groups, 0));
    d.f.inferred = true;
    text_add(&d.amount, "%u", g->created);
    if (known) {
        d.f.stack = m.v[best].stack;
        text_say(&d.text, c->tr, t_place(d.f.stack, 3),
                 " seems to create contexts with a timeout and not to cancel them: ");
    } else {
        text_lit(&d.text, "Contexts with a timeout seem not to be cancelled: ");
    }
    text_add(&d.text, "%u expired in this trace, ", g->created);
    if (waits) {
        text_add(&d.text, "and %llu waits ended by that: nobody was waiting for the others any more (inferred). ",
                 (unsigned long long)waits);
    } else {
        text_lit(&d.text, "and nobody was waiting for any of them (inferred). ");
    }
    text_say(&d.text, c->tr, "For each a timer started a goroutine of ", t_func(g->name), "; these ran ",
             t_dur(g->d[GM_EXEC].total), " together");
    const int64_t locked = c->life[g - c->tg->groups].by[WK_LOCK];
    if (locked > 0) {
        text_say(&d.text, c->tr, ", and waited ", t_dur(locked), " for locks (of their parent context)");
    }
    text_lit(&d.text, ".");
    left_open_text(&d, c, g->name);
    text_lit(&d.next, "Cancel each as soon as it is no longer needed: defer cancel(), the second value that "
                      "context.WithTimeout returns. Until then its timer and all it refers to stay alive.");
    draft_end(c->rs, &d);
}

void rules_contexts(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *g = &c->tg->groups[i];
        if (g->created < threshold(TH_CONTEXTS_COUNT) || !runs_out(c->tr, g->name) || c->of[i].n == 0) {
            continue;
        }
        const uint64_t waits = waited_for(c, g->name);
        /* (a dial's own limit is up at the same time as its context's, so nobody needs that any more) */
        if ((double)waits <= threshold(TH_CONTEXTS_WAITED) * g->created && c->dials_up * 2 < g->created) {
            contexts_finding(c, g, waits);
        }
    }
}
