/*
 * rules_pools.c - a bounded set of things that are passed round: who has one gives it to who waits for one. It is too
 * small if much time is spent on waiting for one while processors have nothing to do. The waits at one function of
 * the program are ended there by goroutines that wait there themselves; what is one of a set is no lock that all
 * need, no event, and no work that one of them brings.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/let_go.h"
#include "triage/findings/service.h"
#include "triage/findings/shares_of.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/works.h"

#define POOLS 64
#define AT_ONCE 50000 /* ns */

bool held_advice(struct text *next, const struct trace *tr, const struct leaves *v)
{
    const struct leaf *l = &v->v[0];
    if (v->n == 0 || !explain_waits_outside(l->cat) || l->ns * 2 <= v->all || !stacks_is_program(tr, l->func)) {
        return false;
    }
    text_say(
        next, tr, "Don't hold it while ", t_func(l->func), " waits for ",
        l->cat == EX_PIPE ? "a pipe" : "the network",
        ", if that doesn't need it: wait before taking it or after releasing it. Otherwise make the pool larger.");
    return true;
}

bool leaves_holder(struct text *t, struct text *next, const struct trace *tr, const struct leaves *v)
{
    if (!v->n) {
        return false;
    }
    text_lit(t, " The holder was ");
    causes_leaf_text(t, tr, &v->v[0], v->all);
    text_lit(t, " (during the longest wait).");
    return held_advice(next, tr, v);
}

/*
 * All wait for one that is at work all the time: often one of their own group, whose goroutines do different things.
 */
static bool one_of_them(struct causes *c, const struct waits_at *p, double waiting, uint32_t g)
{
    const uint32_t group = gstat_group(c->tg->g, g);
    const struct lane_info s = trace_lane(c->tr, (struct lane){LANE_G, g});
    const double busy = (double)gstat_of(c->tg->g, g).ns[GM_EXEC] / (double)(s.last > s.first ? s.last - s.first : 1);
    struct leaves v;
    struct draft d;
    if (group == UINT32_MAX || busy < threshold(TH_BOTTLE_BUSY) || c->idle < causes_idle_least(c)) {
        return false;
    }
    struct group_life one = c->life[group];
    one.n = 1;
    one.first = s.first;
    one.last = s.last;
    draft_start(&d, RULE_BOTTLENECK, service_won(c, &one, waiting));
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_at(&d, s.first, s.last, LANE_G, g);
    d.f.inferred = true;
    text_add(&d.amount, "%.0f wait", waiting < 1 ? 1 : waiting);
    text_say(&d.text, c->tr, "One goroutine of ", t_func(c->tg->groups[group].name), ", G", (uint64_t)s.id,
             ", was at work for ", t_share(busy, 1), " of its life while ", t_f1(waiting));
    if (group == causes_group(c, p->most->waiter)) {
        text_lit(&d.text, " others that began in the same function");
    } else {
        text_say(&d.text, c->tr, " of ", t_func(p->most->waiter));
    }
    text_say(&d.text, c->tr, " waited for it at ", t_where(p->most->stack, 0), " on average (", p->count, " waits); ",
             t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    leaves_between(c, g, s.first, s.last, &v);
    text_add(&d.text, "%s", v.n ? " Its work: " : "");
    leaves_text(&d.text, c->tr, &v, 3, 20);
    text_raw(&d.text, ".", v.n ? 1 : 0);
    text_add(&d.next, "%s", service_advice(c, &one, &v.v[0], false));
    draft_end(c->rs, &d);
    return true;
}

/*
 * Who gives takes none of it: it is no set of which each takes one. Those that only give what comes at its time are
 * not too few.
 */
static bool no_set(struct causes *c, const struct waits_at *p, double waiting, const struct leaves *v)
{
    uint32_t one;
    if (!let_go_gives(c, causes_group(c, p->most->waiter), p->place, &one)) {
        return false;
    }
    return one != NO_LANE ? one_of_them(c, p, waiting, one)
                          : v->n && v->v[0].cat == EX_TIMER && v->v[0].ns * 2 > v->all;
}

static void pool(struct causes *c, const struct waits_at *p, double waiting)
{
    uint32_t g = causes_group(c, p->most->waiter);
    const struct group_life *l = &c->life[g];
    struct leaves v;
    struct let_go go;
    struct draft d;
    struct shares_of in;
    const bool shares = shares_of(c, g, p->place, &in), kept = !shares && let_go_together(c, g, p->place, &go);
    const bool at_random = stacks_through(c->tr, p->most->stack, "database/sql.(*DB).conn"); /* from Go 1.23 on */
    if (!shares && (go.for_all || (in.passed * 2 > in.waits && !at_random))) {
        return; /* or each waits for something of its own: what is one of a set goes to who has waited longest */
    }
    const struct moment *m = &p->most->longest;
    leaves_between(c, m->g, m->t0, m->t1, &v); /* done meanwhile by those for whom the longest wait there was */
    if (!shares && !kept && no_set(c, p, waiting, &v)) {
        return;
    }
    int64_t cost = service_won(c, l, waiting / (waiting + c->running + 1));
    if (waiting < threshold(TH_POOL_WAITING)) { /* their lives, and no more */
        const int64_t most = (int64_t)((double)(l->last - l->first) * (double)p->total / (double)l->life);
        cost = cost < most ? cost : most;
    }
    draft_start(&d, RULE_POOL, cost);
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    d.f.inferred = true;
    text_add(&d.amount, "%.0f wait", waiting);
    if (kept) {
        let_go_together_text(&d.text, &d.next, c, &go);
    }
    text_say(&d.text, c->tr, t_func(p->place), ": ", t_f1(waiting), " goroutines of ", t_func(p->most->waiter),
             " waited there on average for what others of them released in ",
             t_func(trace_frame(c->tr, p->most->waker_stack, stacks_user_frame(c->tr, p->most->waker_stack)).func),
             " (", p->count, " waits); ", t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    if (v.n && !kept) {
        leaves_holder(&d.text, &d.next, c->tr, &v);
        d.f.at_device = v.v[0].cat == EX_SYSCALL && v.v[0].ns * 2 >= v.all && each_keeps(c->tr, v.v[0].stack);
    }
    if (shares) {
        text_free(&d.next);
        shares_text(&d.text, &d.next, c->tr, &in);
    } else if (!kept && let_go_is_lock(c, p->most, p->place)) {
        text_lit(&d.text, " One of them has it at a time and lets the next one in (inferred): it works like a lock.");
        text_free(&d.next);
        text_lit(&d.next, "Hold it more briefly: do the long part before or after. A larger pool would let several "
                          "in at once, which may not be intended.");
    } else if (!d.next.n) {
        text_lit(&d.next, "Make the pool larger, or hold what comes from it more briefly.");
    }
    draft_titled(c->rs, &d, shares ? SHARES_TITLE : kept ? LET_GO_KEEPS : rule_title(RULE_POOL));
}

bool causes_all_at_once(const struct causes *c, const struct pair_row *p, uint32_t group)
{
    const uint32_t place = causes_place(c->tr, p->stack); /* not all came there the same way */
    uint32_t others = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < 256 && p->longest_waker != NO_LANE; i++) {
        const struct lane l = {LANE_G, causes_nth(c, group, i)};
        struct span s, woken;
        others += l.i != p->longest.g && trace_span_at(c->tr, l, p->longest.t1 - AT_ONCE, &s) &&
                  s.state == ST_WAITING && causes_place(c->tr, s.stack) == place && s.t1 <= p->longest.t1 + AT_ONCE &&
                  trace_span_at(c->tr, l, s.t1, &woken) && woken.who == p->longest_waker;
    }
    return others >= threshold(TH_POOL_EVENT);
}

/*
 * Few wait, but it is much of what they do when they don't sleep: what each of them is at takes so much longer. Where
 * most wait for one, they take turns.
 */
static bool held_up(const struct waits_at *p, const struct group_life *l, double waiting)
{
    const int64_t awake = l->life - l->by[WK_SLEEP];
    return waiting >= threshold(TH_POOL_SOME) && waiting * 2 <= l->n && awake > 0 &&
           threshold_reached(TH_POOL_ACTIVE, p->total, awake);
}

static bool of_a_set(const struct causes *c, const struct pair_row *p)
{
    (void)c;
    const bool herd = p->kind == WK_COND && p->futile * 4 > p->count;
    return !p->from_scheduler && p->waker == p->waiter && wait_passes_on(p->kind) && !herd;
}

/* some: of those of which fewer wait than a part, where nothing else has been told there. */
static void pools(struct causes *c, bool some)
{
    struct waits_at v[POOLS];
    const uint32_t n = waits_at_rows(c, v, POOLS, PAIRS_ALL, of_a_set);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = causes_group(c, v[i].most->waiter);
        const struct group_life *l = g == UINT32_MAX ? NULL : &c->life[g];
        double waiting = l && l->last > l->first ? (double)v[i].total / (double)(l->last - l->first) : 0;
        if (l && l->program && (double)v[i].count >= threshold(TH_BOTTLE_WAITS) &&
            (waiting >= threshold(TH_POOL_WAITING) || held_up(&v[i], l, waiting)) &&
            (some ? held_up(&v[i], l, waiting) && !causes_told_there(c, v[i].place)
                  : waiting >= threshold(TH_POOL_PART) * l->n) &&
            c->idle >= threshold(TH_POOL_IDLE) * c->procs && !causes_all_at_once(c, v[i].most, g) &&
            !waits_at_parts(c, g, v[i].place)) {
            pool(c, &v[i], waiting);
        }
    }
}

void rules_pools(struct causes *c)
{
    pools(c, false);
}

void rules_some(struct causes *c)
{
    pools(c, true);
}
