/*
 * rules_service.c - goroutines that many others wait for without a lock: a worker or a pool that has more to do than it
 * can, a bounded set of things that are passed round, and stages that wait for each other by turns.
 *
 * A group (goroutines of one start function) serves another if it ends the other's waits on channels and conditions.
 * It is what is short if it is busy nearly all the time, others queue for it, and processors have nothing to do.
 */
#include "triage/findings/causes.h"
#include "triage/findings/holder.h"
#include "triage/findings/instances.h"
#include "triage/findings/story.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/works.h"
#include "triage/findings/let_go.h"
#include "triage/findings/shares_of.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define BUSY threshold(TH_BOTTLE_BUSY)
#define QUEUE(one) threshold((one) ? TH_BOTTLE_QUEUE : TH_POOL_QUEUE)
#define WAITS threshold(TH_BOTTLE_WAITS)
#define SHARE threshold(TH_BOTTLE_SHARE)
#define LINES 64 /* of the program, where others wait */
#define TURNS threshold(TH_HAND_TURNS)
#define WAITED threshold(TH_HAND_WAITED)

struct service {
    int64_t send, other; /* waits of other groups that it ended: to hand it work, for its answers */
    uint64_t count;
    const struct pair_row *most;
};

static bool passes_on(enum wait_kind k)
{
    return k == WK_SEND || k == WK_RECV || k == WK_SELECT || k == WK_COND;
}

/* A crowd that is woken in vain, hardly one of them not, is not served by who wakes it (thundering-herd). */
static bool in_vain(const struct pair_row *p)
{
    return p->kind == WK_COND && (double)p->futile >= threshold(TH_BOTTLE_VAIN) * (double)p->count;
}

/* The library's own goroutines (of a connection, say) that take what comes next wait for more to do, not for an answer. */
static bool has_nothing_to_do(const struct causes *c, const struct pair_row *p)
{
    const uint32_t w = p->kind == WK_SELECT || p->kind == WK_RECV ? causes_group(c, p->waiter) : UINT32_MAX;
    return w != UINT32_MAX && !c->life[w].program && !causes_place(c->tr, p->stack);
}

static void gather(struct causes *c, struct service *s)
{
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        uint32_t g = p->from_scheduler || p->waker == p->waiter ? UINT32_MAX : causes_group(c, p->waker);
        if (g == UINT32_MAX || !passes_on(p->kind) || in_vain(p) || has_nothing_to_do(c, p)) {
            continue;
        }
        *(p->kind == WK_SEND ? &s[g].send : &s[g].other) =
            ns_add(p->kind == WK_SEND ? s[g].send : s[g].other, p->total);
        s[g].count += p->count;
        s[g].most = !s[g].most || p->total > s[g].most->total ? p : s[g].most;
    }
}

static double queue_of(const struct group_life *l, const struct service *s)
{
    double span = (double)(l->last - l->first), served = l->n * l->busy, others = (double)s->other / span;
    return (double)s->send / span + (others > served ? others - served : 0);
}

/* The share of their lives asleep. Who sleeps while others queue to hand something over keeps them as one at work does. */
static double slept_of(const struct group_life *l)
{
    return l->life > 0 ? (double)l->by[WK_SLEEP] / (double)l->life : 0;
}

/* Do several wait to hand something to goroutines of that name for nearly all their lives? One may only deal out the work. */
static bool feeders_wait(const struct causes *c, uint32_t name)
{
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t w = !p->from_scheduler && p->waker == name && p->kind == WK_SEND && p->waiter != name
                               ? causes_group(c, p->waiter)
                               : UINT32_MAX;
        if (w != UINT32_MAX && c->life[w].n >= 1.5 && threshold_reached(TH_BOTTLE_FED, p->total, c->life[w].life)) {
            return true;
        }
    }
    return false;
}

/*
 * One that sleeps while several wait for its answers, and has waited for them to bring more or makes system calls for them. What gives out
 * turns at its own pace does neither.
 */
static bool answers_late(const struct causes *c, uint32_t g, const struct service *s)
{
    const struct group_life *l = &c->life[g];
    if (l->n >= 1.5 || slept_of(l) <= l->busy || l->busy + slept_of(l) < BUSY ||
        (double)s->other < threshold(TH_BOTTLE_SLEEPS) * (double)(l->last - l->first)) {
        return false;
    }
    bool brought = gstat_of(c->tg->g, causes_nth(c, g, 0)).syscalls * 2 >= s->count;
    for (uint32_t i = 0; i < c->tg->npairs && !brought; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        brought = !p->from_scheduler && p->waiter == c->tg->groups[g].name && p->waker == s->most->waiter &&
                  p->waker != p->waiter && passes_on(p->kind);
    }
    return brought;
}

static bool keeps_others(const struct causes *c, uint32_t g, const struct service *s)
{
    const struct group_life *l = &c->life[g];
    const double sends = (double)s->send / (double)(l->last - l->first);
    return l->busy >= BUSY || answers_late(c, g, s) ||
           (l->busy + slept_of(l) >= BUSY &&
            (l->n < 1.5 ? sends >= threshold(TH_BOTTLE_SLEEPS)
                        : slept_of(l) > l->busy && feeders_wait(c, c->tg->groups[g].name)));
}

double causes_idle_least(const struct causes *c)
{
    double one = threshold(TH_BOTTLE_IDLE);
    return c->procs < 4 * one ? c->procs / 4 : one;
}

/* Time won if the work could be spread over the processors that idle; who sleeps needs none of them. */
static int64_t won(const struct causes *c, const struct group_life *l, double share)
{
    if (l->n >= 1.5 && slept_of(l) > l->busy) {
        return (int64_t)((double)(l->last - l->first) * (share > 1 ? 1 : share) * slept_of(l));
    }
    double d = (double)(l->last - l->first) * (share > 1 ? 1 : share) * c->idle / (l->n + c->idle);
    return d < 0 ? 0 : (int64_t)d;
}

/* *most: what takes half of its work or more. */
static void doing_text(struct text *t, struct causes *c, uint32_t group, struct leaf *most)
{
    struct leaves v;
    *most = (struct leaf){.cat = EX_CATS};
    if (!causes_doing(c, group, &v)) {
        c->rs->failed = true;
        return;
    }
    if (v.n && v.all > 0) {
        *most = v.v[0].ns * 2 >= v.all ? v.v[0] : *most;
        text_lit(t, " Its work: ");
        for (uint32_t i = 0; i < v.n && i < 3 && (i == 0 || v.v[i].ns > v.all / 20); i++) {
            text_raw(t, "; ", i ? 2 : 0);
            causes_leaf_text(t, c->tr, &v.v[i], v.all);
        }
        text_lit(t, ".");
    }
}

/* How many of the system calls that take longest in that function of the program there are. */
static uint64_t longest_calls(const struct causes *c, uint32_t func)
{
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        if (causes_place(c->tr, c->tg->syscalls[i].stack) == func) {
            return c->tg->syscalls[i].count;
        }
    }
    return 0;
}

/* How many questions a group has asked over the network in that function: by what it sends there and by how often it waits for an answer. */
static uint64_t questions(const struct causes *c, uint32_t name, uint32_t func)
{
    uint64_t waits = 0, sent = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        waits += p->waiter == name && p->kind == WK_NET && causes_place(c->tr, p->stack) == func ? p->count : 0;
    }
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        sent += causes_place(c->tr, r->stack) == func && causes_sends(c->tr, r->stack) ? r->count : 0;
    }
    return waits > sent ? waits : sent;
}

/*
 * For how many items those of a group have ended waits of others. Who brings one may wait twice for it, to hand it over and for the answer:
 * of each kind of waiter the line of the program with most waits counts.
 */
static uint64_t items_of(const struct causes *c, uint32_t name)
{
    struct {
        uint32_t waiter, func, line;
        uint64_t n;
    } v[LINES];
    uint32_t n = 0;
    uint64_t items = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        uint32_t k = 0;
        if (p->from_scheduler || p->waker != name || p->waiter == name || !passes_on(p->kind) || in_vain(p) ||
            has_nothing_to_do(c, p)) {
            continue;
        }
        const struct frame f = trace_frame(c->tr, p->stack, stacks_user_frame(c->tr, p->stack));
        while (k < n && (v[k].waiter != p->waiter || v[k].func != f.func || v[k].line != f.line)) {
            k++;
        }
        if (k == n && n < LINES) {
            v[n].waiter = p->waiter;
            v[n].func = f.func;
            v[n].line = f.line;
            v[n++].n = 0;
        }
        if (k < n) {
            v[k].n += p->count;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        bool most = true;
        for (uint32_t k = 0; k < n && most; k++) {
            most = v[k].waiter != v[i].waiter || v[k].n < v[i].n || (i <= k && v[k].n == v[i].n);
        }
        items += most ? v[i].n : 0;
    }
    return items;
}

/* What helps depends on what its work is. */
static const char *service_advice(const struct causes *c, const struct group_life *l, const struct leaf *most,
                                  bool together)
{
    if (slept_of(l) > l->busy) {
        return "Sleep when nobody waits to hand something over, or take what is there and go on; or don't make the "
               "others wait: use a buffered channel, or drop the excess.";
    }
    if (explain_waits_outside(most->cat) && causes_writes(c->tr, most->stack)) {
        return CAUSES_WRITE_LESS;
    }
    if (together && explain_waits_outside(most->cat)) {
        return "It already takes several at a time: what remains is the answer itself (a faster other side), or "
               "several goroutines like it that ask in parallel.";
    }
    if (together) {
        return "It already takes several at a time: what remains is the call itself (a faster device, less to "
               "write), or waiting a little for more.";
    }
    if (explain_waits_outside(most->cat) && l->n < 1.5) {
        return "Ask for many at once (what several wait for, or a block to hand out from), or let several goroutines "
               "like it ask in parallel.";
    }
    if (most->cat == EX_SYSCALL) {
        return "Take everything that waits and make one call for all of it; several goroutines gain something only "
               "if their calls don't wait for each other.";
    }
    if (explain_waits_outside(most->cat)) {
        return MORE_OF_THEM;
    }
    return l->n < 1.5 ? "Let several goroutines do its work, or make its longest step cheaper, or move that step "
                        "where nobody waits for it."
                      : "More of these goroutines would use the idle processors; or make their longest step cheaper.";
}

/*
 * Who waits for an answer of group g much longer than a piece of its work takes, while others keep its queue full: it stands behind
 * what these have put there. NULL: nobody. *fills: the start function of those.
 */
static const struct pair_row *stands_behind(const struct causes *c, uint32_t g, const struct service *s,
                                            uint32_t *fills)
{
    const int64_t piece = s->count ? c->tg->groups[g].d[GM_EXEC].total / (int64_t)s->count : 0;
    const struct pair_row *asks = NULL, *most = NULL;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t w =
            p->from_scheduler || p->waker != c->tg->groups[g].name ? UINT32_MAX : causes_group(c, p->waiter);
        if (w == UINT32_MAX || w == g || !passes_on(p->kind)) {
            continue;
        }
        if (p->kind != WK_RECV && threshold_reached(TH_BOTTLE_FILLS, p->total, c->life[w].life)) {
            most = !most || p->total > most->total ? p : most;
        } else if (p->kind == WK_RECV && (double)p->count >= WAITS &&
                   (double)p->total >= threshold(TH_BOTTLE_BEHIND) * (double)piece * (double)p->count) {
            asks = !asks || p->total > asks->total ? p : asks;
        }
    }
    *fills = most ? most->waiter : 0;
    return most && asks && asks->waiter != most->waiter ? asks : NULL;
}

static void behind_text(struct text *t, const struct causes *c, const struct pair_row *p, uint32_t fills)
{
    text_say(t, c->tr, " What waits for its answers, ", t_func(p->waiter), " in ", t_place(p->stack, 1), " (",
             p->count, " waits of ", t_dur(p->total / (int64_t)p->count), " on average), queues behind what ",
             t_func(fills), " has put there (inferred).");
}

/* Who sleeps while others wait to hand something over, or for an answer. Whether that is their pace, or stands for work, only its author knows. */
static void sleepers(struct causes *c, uint32_t g, const struct service *s, double queue)
{
    const struct group_life *l = &c->life[g];
    const bool one = l->n < 1.5;
    const struct pair_row *most = NULL;
    struct draft d;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool its = p->from_scheduler && p->kind == WK_SLEEP && p->waiter == c->tg->groups[g].name;
        most = its && (!most || p->total > most->total) ? p : most;
    }
    if (!most) {
        return;
    }
    draft_start(&d, one ? RULE_BOTTLENECK : RULE_POLL, won(c, l, queue));
    d.f.note = true;
    d.f.won_hi = d.f.severity_ns;
    draft_about(&d, c->rs, causes_place(c->tr, most->stack), most->stack);
    draft_moment(&d, &most->longest);
    text_add(&d.amount, "%.0f wait", queue < 1 ? 1 : queue);
    text_say(&d.text, c->tr, t_place(most->stack, 3), " sleeps (time.Sleep) while others wait ",
             one ? "for an answer: one goroutine of " : "to hand something over: ");
    if (!one) {
        text_say(&d.text, c->tr, t_f0(l->n), " goroutines of ");
    }
    text_say(
        &d.text, c->tr, t_func(c->tg->groups[g].name), one ? " is" : " are", " asleep for ", t_share(slept_of(l), 1),
        " of the time, ", t_dur(most->total / (int64_t)most->count), " each time, and at work for ",
        t_share(l->busy, 1), ", while ", t_f1(queue), one ? " others queue for it" : " others queue for them",
        " on average, most of all ", t_func(s->most->waiter), " at ", t_where(s->most->stack, 0), "; ", t_f1(c->idle),
        " of ", t_f0(c->procs),
        " processors were idle. A trace cannot tell whether the sleep is an intended pace or stands for other work.");
    text_add(&d.next, "%s",
             one ? "Do it once for everyone waiting by then, or let several goroutines like it answer in parallel; "
                   "if the sleep is a pace, shorten it."
                 : service_advice(c, l, &(struct leaf){.cat = EX_CATS}, false));
    draft_titled(c->rs, &d, "sleeps while others wait");
}

static void service(struct causes *c, uint32_t g, const struct service *s, double queue)
{
    const uint32_t waits = causes_group(c, s->most->waiter);
    const bool aside = waits != UINT32_MAX && causes_aside(c, g, waits);
    if ((c->life[g].n >= 1.5 && slept_of(&c->life[g]) > c->life[g].busy) || answers_late(c, g, s)) {
        sleepers(c, g, s, queue);
        return;
    }
    if (aside && c->life[g].n < 1.5 && c->of[g].n > 1) {
        return; /* begun one by one: rules_begun.c */
    }
    const struct group_life *l = &c->life[g];
    const struct group *grp = &c->tg->groups[g];
    bool one = l->n < 1.5;
    struct leaf most;
    struct draft d;
    draft_start(&d, one ? RULE_BOTTLENECK : RULE_POOL, won(c, l, queue));
    draft_subject(&d, c->rs, grp->name);
    draft_at(&d, l->first, l->last, LANE_G, causes_nth(c, g, 0));
    d.f.inferred = true;
    text_add(&d.amount, "%.0f wait", queue < 1 ? 1 : queue);
    text_func(&d.text, c->tr, grp->name, 0);
    if (one && c->of[g].n > 1) {
        text_add(&d.text, ", %u goroutines, about one at a time, were at work for ", c->of[g].n);
    } else {
        text_add(&d.text, one ? ", one goroutine, was at work for " : ", %.0f goroutines, were at work for ", l->n);
    }
    text_share(&d.text, l->busy, 1);
    if (slept_of(l) > l->busy) {
        text_say(&d.text, c->tr, " and asleep (time.Sleep) for ", t_share(slept_of(l), 1));
    }
    const bool single = one && c->of[g].n == 1,
               brings = s->most->kind != WK_SEND &&
                        instance_wants_more(c->tr, s->most->waiter, s->most->reason, s->most->stack);
    text_say(&d.text, c->tr, " of the time while ", t_f1(queue),
             brings   ? single ? " others had nothing to do but wait for what it brings"
                               : " others had nothing to do but wait for what they bring"
             : single ? " others queued for it"
                      : " others queued for them",
             " on average, most of all ", t_func(s->most->waiter), " at ", t_where(s->most->stack, 0), "; ",
             t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    doing_text(&d.text, c, g, &most);
    const bool asks = explain_waits_outside(most.cat);
    d.f.note = !one && asks && l->n > c->procs + 0.5; /* so many may be meant */
    const uint64_t calls = one && most.cat == EX_SYSCALL ? longest_calls(c, most.func)
                           : one && most.cat == EX_RUN   ? untimed_calls(c, most.func)
                           : one && asks                 ? questions(c, grp->name, most.func)
                                                         : 0;
    if (calls && most.cat == EX_RUN) {
        untimed_text(&d.text, c, most.func);
    }
    const uint64_t ended = asks ? s->most->count : items_of(c, grp->name);
    const bool together = calls && (double)ended >= threshold(TH_BOTTLE_TOGETHER) * (double)calls;
    if (together) {
        d.f.note = d.f.together = true; /* what helps most is done */
        text_say(&d.text, c->tr, asks ? " It asks" : " Each call is made", " for several at a time: ", calls,
                 asks ? " questions, " : " calls, ", ended, " waits ended.");
    }
    if (aside) {
        causes_aside_text(&d, c, waits);
    }
    uint32_t fills;
    const struct pair_row *behind = stands_behind(c, g, s, &fills);
    if (behind) {
        behind_text(&d.text, c, behind, fills);
        text_lit(&d.next, "Give those that wait for an answer their own queue, or shorten it: they wait for "
                          "everything ahead of them. ");
    }
    text_add(&d.next, "%s", service_advice(c, l, &most, together));
    draft_end(c->rs, &d);
}

/* ---- things passed round ------------------------------------------------------------------------------------------ */

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

/* All wait for one that is at work all the time: often one of their own group, whose goroutines do different things. */
static bool one_of_them(struct causes *c, const struct waits_at *p, double waiting, uint32_t g)
{
    const uint32_t group = gstat_group(c->tg->g, g);
    const struct lane_info s = trace_lane(c->tr, (struct lane){LANE_G, g});
    const double busy = (double)gstat_of(c->tg->g, g).ns[GM_EXEC] / (double)(s.last > s.first ? s.last - s.first : 1);
    struct explain_tree t;
    struct leaves v = {0};
    struct draft d;
    if (group == UINT32_MAX || busy < BUSY || c->idle < causes_idle_least(c)) {
        return false;
    }
    struct group_life one = c->life[group];
    one.n = 1;
    one.first = s.first;
    one.last = s.last;
    draft_start(&d, RULE_BOTTLENECK, won(c, &one, waiting));
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
    if (explain_tree_init(&t, c->tr) && explain_add(c->x, &t, g, s.first, s.last)) {
        causes_leaves(&t, &v);
        for (uint32_t i = 0; i < v.n && i < 3 && (i == 0 || v.v[i].ns > v.all / 20); i++) {
            text_add(&d.text, "%s", i ? "; " : " Its work: ");
            causes_leaf_text(&d.text, c->tr, &v.v[i], v.all);
        }
        text_raw(&d.text, ".", v.n ? 1 : 0);
    }
    explain_tree_free(&t);
    text_add(&d.next, "%s", service_advice(c, &one, &v.v[0], false));
    draft_end(c->rs, &d);
    return true;
}

/* What was done meanwhile by those for whom the longest wait there was. */
static bool meanwhile(struct causes *c, const struct waits_at *p, struct leaves *v)
{
    struct explain_tree t;
    const struct moment *m = &p->most->longest;
    v->n = 0;
    if (explain_tree_init(&t, c->tr) && explain_add(c->x, &t, m->g, m->t0, m->t1)) {
        causes_leaves(&t, v);
    }
    explain_tree_free(&t);
    return v->n > 0;
}

/* Who gives takes none of it: it is no set of which each takes one. Those that only give what comes at its time are not too few. */
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
    const bool known = meanwhile(c, p, &v);
    if (!shares && !kept && no_set(c, p, waiting, &v)) {
        return;
    }
    int64_t cost = won(c, l, waiting / (waiting + c->running + 1));
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
    if (known && !kept) {
        text_lit(&d.text, " The holder was ");
        causes_leaf_text(&d.text, c->tr, &v.v[0], v.all);
        text_lit(&d.text, " (during the longest wait).");
        held_advice(&d.next, c->tr, &v);
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
 * Few wait, but it is much of what they do when they don't sleep: what each of them is at takes so much longer. Where most wait for
 * one, they take turns.
 */
static bool held_up(const struct waits_at *p, const struct group_life *l, double waiting)
{
    const int64_t awake = l->life - l->by[WK_SLEEP];
    return waiting >= threshold(TH_POOL_SOME) && waiting * 2 <= l->n && awake > 0 &&
           threshold_reached(TH_POOL_ACTIVE, p->total, awake);
}

/* some: of those of which fewer wait than a part, where nothing else has been told there. */
static void pools(struct causes *c, bool some)
{
    struct waits_at v[POOLS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool herd = p->kind == WK_COND && p->futile * 4 > p->count;
        const bool set = !p->from_scheduler && p->waker == p->waiter && passes_on(p->kind) && !herd;
        const uint32_t place = set ? causes_place(c->tr, p->stack) : 0;
        if (place) {
            waits_at_add(v, &n, POOLS, place, p);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = causes_group(c, v[i].most->waiter);
        const struct group_life *l = g == UINT32_MAX ? NULL : &c->life[g];
        double waiting = l && l->last > l->first ? (double)v[i].total / (double)(l->last - l->first) : 0;
        if (l && l->program && (double)v[i].count >= WAITS &&
            (waiting >= threshold(TH_POOL_WAITING) || held_up(&v[i], l, waiting)) &&
            (some ? held_up(&v[i], l, waiting) && !causes_told_there(c, v[i].place)
                  : waiting >= threshold(TH_POOL_PART) * l->n) &&
            c->idle >= threshold(TH_POOL_IDLE) * c->procs && !causes_all_at_once(c, v[i].most, g)) {
            pool(c, &v[i], waiting);
        }
    }
}

void rules_some(struct causes *c)
{
    pools(c, true);
}

/* ---- a lock that few wait for, but most of their time --------------------------------------------------------------- */

#define LOCKED threshold(TH_CONVOY_LIFE)

static bool lock_told(const struct causes *c, uint32_t place)
{
    const uint32_t lock = holder_lock(c->tg, place);
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        if ((f->rule == RULE_CONVOY || f->rule == RULE_WRITER || f->rule == RULE_STUCK) && f->stack &&
            holder_lock(c->tg, causes_place(c->tr, f->stack)) == lock) {
            return true;
        }
    }
    return false;
}

static void lock_finding(struct causes *c, const struct waits_at *p, double share, double awake, int64_t cost)
{
    struct draft d;
    draft_start(&d, RULE_CONVOY, cost);
    draft_about(&d, c->rs, p->place, p->most->stack);
    draft_moment(&d, &p->most->longest);
    d.f.inferred = true;
    text_say(&d.text, c->tr, t_func(p->place), ": goroutines of ", t_func(p->most->waiter),
             " waited for a lock there for ", t_share(share >= LOCKED ? share : awake, 1),
             share >= LOCKED ? " of their lives ("
                             : " of the time in which they neither slept nor waited for the next request (",
             p->count, " waits of ", t_dur(p->total / (int64_t)p->count), " on average); ", t_f1(c->idle), " of ",
             t_f0(c->procs), " processors were idle.");
    struct holder_row h;
    const bool known =
        holder_of_lock(c->tg, holder_lock(c->tg, holder_place(c->tr, p->most->stack)), &h) && h.told > 0;
    text_add(&d.next, "%s",
             known ? lock_advice(c->tg, &h) : "Do less while holding the lock, or split it (shards, read locks).");
    lock_readers(&d.next, c->rs, holder_lock(c->tg, holder_place(c->tr, p->most->stack)));
    draft_end(c->rs, &d);
    if (c->rs->out->n && c->rs->out->f[c->rs->out->n - 1].rule == RULE_CONVOY) {
        causes_tell_holders(c, &c->rs->out->f[c->rs->out->n - 1]);
    }
}

/*
 * How long goroutines of a group were at something: neither asleep nor, where each serves a connection, waiting for what comes next
 * over it.
 */
static int64_t awake_of(const struct causes *c, uint32_t group)
{
    int64_t rest = c->life[group].by[WK_SLEEP];
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t place =
            p->kind == WK_NET && p->waiter == c->tg->groups[group].name ? causes_place(c->tr, p->stack) : 0;
        rest = place && calls_for_questions(c, p, place) ? ns_add(rest, p->total) : rest;
    }
    return c->life[group].life - rest;
}

/* Fewer than make a convoy. */
static void locks(struct causes *c)
{
    struct waits_at v[POOLS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        uint32_t place = p->kind == WK_LOCK ? causes_place(c->tr, p->stack) : 0;
        if (place) {
            waits_at_add(v, &n, POOLS, place, p);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = causes_group(c, v[i].most->waiter);
        const struct group_life *l = g == UINT32_MAX ? NULL : &c->life[g];
        double share = l && l->life > 0 ? (double)v[i].total / (double)l->life : 0;
        const bool few = l && l->program && (double)v[i].count >= WAITS && l->n >= threshold(TH_CONVOY_FEW) &&
                         c->idle >= threshold(TH_BOTTLE_IDLE);
        const double awake = few ? (double)v[i].total / ((double)awake_of(c, g) + 1) : 0;
        int64_t span = l ? l->last - l->first : 0, cost = (int64_t)((double)span * (share < 1 ? share : 1));
        if (few && (share >= LOCKED || awake >= threshold(TH_CONVOY_AWAKE)) &&
            threshold_reached(TH_CONVOY_COST, cost, c->tg->end) && !lock_told(c, v[i].place)) {
            lock_finding(c, &v[i], share, awake, cost);
        }
    }
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* Waits of group a that b ended, by channels. */
static const struct pair_row *waits_for(const struct causes *c, uint32_t a, uint32_t b, int64_t *ns, uint64_t *count)
{
    const struct pair_row *most = NULL;
    *ns = 0;
    *count = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == c->tg->groups[a].name && p->waker == c->tg->groups[b].name &&
            passes_on(p->kind)) {
            *ns = ns_add(*ns, p->total);
            *count += p->count;
            most = !most || p->total > most->total ? p : most;
        }
    }
    return most;
}

/* What a group runs, of its life: waiting for a processor is part of a turn, not of its work. */
static double runs_of(const struct causes *c, uint32_t g)
{
    const struct group *x = &c->tg->groups[g];
    int64_t own = ns_add(x->d[GM_EXEC].total, x->d[GM_SYSCALL].total);
    return x->d[GM_LIFE].total > 0 ? (double)own / (double)x->d[GM_LIFE].total : 0;
}

static void turns(struct causes *c, uint32_t a, uint32_t b)
{
    const struct group_life *x = &c->life[a], *y = &c->life[b];
    int64_t xy, yx, first = x->first > y->first ? x->first : y->first, last = x->last < y->last ? x->last : y->last;
    uint64_t nxy, nyx, n;
    const struct pair_row *p = waits_for(c, a, b, &xy, &nxy), *q = waits_for(c, b, a, &yx, &nyx);
    double top = runs_of(c, a) > runs_of(c, b) ? runs_of(c, a) : runs_of(c, b), span = (double)(last - first);
    struct draft d;
    n = nxy < nyx ? nxy : nyx;
    if (!p || !q || span <= 0 || (double)n < TURNS ||
        ((double)n / span * 1e9 < threshold(TH_HAND_RATE) && (double)(xy + yx) < span / 2) || top > BUSY ||
        x->n > threshold(TH_HAND_MEMBERS) || y->n > threshold(TH_HAND_MEMBERS) ||
        c->idle < threshold(TH_BOTTLE_IDLE) || (double)xy < WAITED * span || (double)yx < WAITED * span ||
        (double)(x->by[WK_SLEEP] + y->by[WK_SLEEP]) > threshold(TH_HAND_ELSE) * span ||
        (double)(x->by[WK_NET] + y->by[WK_NET]) > threshold(TH_HAND_ELSE) * span ||
        span < threshold(TH_HAND_SPAN) * (double)c->tg->end) {
        return;
    }
    draft_start(&d, RULE_HANDOFF, (int64_t)(span * (1 - top) * 0.8));
    draft_about(&d, c->rs, causes_place(c->tr, p->stack) ? causes_place(c->tr, p->stack) : c->tg->groups[a].name,
                p->stack);
    draft_moment(&d, &p->longest);
    text_add(&d.amount, "%llu turns", (unsigned long long)n);
    text_say(&d.text, c->tr,
             t_func(causes_place(c->tr, p->stack) ? causes_place(c->tr, p->stack) : c->tg->groups[a].name), " and ",
             t_func(causes_place(c->tr, q->stack) ? causes_place(c->tr, q->stack) : c->tg->groups[b].name),
             " wait for each other in turn, ", t_f0((double)n / span * 1e9), " times a second: the first waited for ",
             t_share((double)xy, span), " of the time (", t_dur(xy / (int64_t)nxy), " each), the second for ",
             t_share((double)yx, span), " (", t_dur(yx / (int64_t)nyx),
             " each), and the busier of them had work for ", t_share(top, 1), " only.");
    text_lit(&d.next, "Pass more at once, or buffer the channel between them, so that neither waits for the other's "
                      "step. A goroutine locked to its thread makes each turn costlier.");
    draft_end(c->rs, &d);
}

/* ---- taken in order ------------------------------------------------------------------------------------------------ */

static void in_order_finding(struct causes *c, const struct pair_row *takes, const struct pair_row *gives,
                             double taker, double life, double waiting)
{
    struct draft d;
    draft_start(&d, RULE_IN_ORDER, (int64_t)(life * (double)c->tg->end));
    draft_about(&d, c->rs, causes_place(c->tr, takes->stack), takes->stack);
    draft_moment(&d, &takes->longest);
    d.f.inferred = true;
    text_add(&d.amount, "%.1f wait", waiting);
    text_say(&d.text, c->tr, t_place(takes->stack, 3), " takes from one goroutine of ", t_func(takes->waker),
             " after the other, not from whichever is ready (inferred): it waits for one of them for ",
             t_share(taker, 1), " of its life, while ", t_f1(waiting), " others wait on average to send to it at ",
             t_where(gives->stack, 0), ", ", t_share(life, 1), " of theirs.");
    text_lit(&d.next, "Take what comes first and reorder it afterwards, or buffer the channels for what is ahead.");
    draft_end(c->rs, &d);
}

/*
 * x takes from the ys in order, z gives them work and waits until x has room for what will be ready: so the ys have nothing to do.
 */
static void window_finding(struct causes *c, const struct pair_row *takes, const struct pair_row *room,
                           const struct pair_row *work, double taker, double life, double full)
{
    struct draft d;
    draft_start(&d, RULE_IN_ORDER, (int64_t)(life * (double)c->tg->end));
    draft_about(&d, c->rs, causes_place(c->tr, takes->stack), takes->stack);
    draft_moment(&d, &takes->longest);
    d.f.inferred = true;
    text_share(&d.amount, taker, 1);
    text_say(&d.text, c->tr, t_place(takes->stack, 3), " takes from one goroutine of ", t_func(takes->waker),
             " after the other, not from whichever is ready (inferred): it waits for one of them for ",
             t_share(taker, 1), " of its life. Meanwhile ", t_func(room->waiter), " waits at ",
             t_where(room->stack, 0), " until it takes more, ", t_share(full, 1),
             " of its life, and the others have no work: they wait for it at ", t_where(work->stack, 0), ", ",
             t_share(life, 1), " of their lives.");
    text_lit(&d.next, "Allow more in flight (a larger window), take what comes first and reorder it afterwards, or "
                      "split long work.");
    draft_end(c->rs, &d);
}

static void in_order_window(struct causes *c, uint32_t x, uint32_t y, const struct pair_row *takes, double taker)
{
    for (uint32_t z = 0; z < c->tg->ngroups && z < 24; z++) {
        int64_t room, work;
        uint64_t nroom, nwork;
        if (z == x || z == y || !c->life[z].program || c->life[z].life <= 0) {
            continue;
        }
        const struct pair_row *p = waits_for(c, z, x, &room, &nroom), *q = waits_for(c, y, z, &work, &nwork);
        double full = (double)room / (double)c->life[z].life, life = (double)work / (double)c->life[y].life;
        if (p && q && p->kind == WK_SEND && q->kind == WK_RECV && (double)nroom >= WAITS && (double)nwork >= WAITS &&
            full >= threshold(TH_ORDER_WINDOW) && life >= threshold(TH_ORDER_LIFE)) {
            window_finding(c, takes, p, q, taker, life, full);
            return;
        }
    }
}

static void rule_in_order(struct causes *c)
{
    for (uint32_t a = 0; a < c->tg->ngroups && a < 24; a++) {
        for (uint32_t b = 0; b < c->tg->ngroups && b < 24; b++) {
            int64_t taken, given;
            uint64_t ntaken, ngiven;
            const struct group_life *x = &c->life[a], *y = &c->life[b]; /* x takes from y */
            if (a == b || !x->program || !y->program || x->n > 1.5 || y->n < threshold(TH_ORDER_MEMBERS) ||
                c->idle < threshold(TH_BOTTLE_IDLE) || x->life <= 0 || y->life <= 0) {
                continue;
            }
            const struct pair_row *takes = waits_for(c, a, b, &taken, &ntaken),
                                  *gives = waits_for(c, b, a, &given, &ngiven);
            double taker = (double)taken / (double)x->life, life = (double)given / (double)y->life;
            double waiting = ((double)given - (double)(x->life - taken) * y->n) / (double)x->life;
            if (takes && gives && takes->kind == WK_RECV && gives->kind == WK_SEND && (double)ngiven >= WAITS &&
                (double)ntaken >= WAITS && taker >= threshold(TH_ORDER_TAKER) && life >= threshold(TH_ORDER_LIFE) &&
                waiting >= threshold(TH_ORDER_WAITING)) {
                in_order_finding(c, takes, gives, taker, life, waiting);
            } else if (takes && takes->kind == WK_RECV && (double)ntaken >= WAITS &&
                       taker >= threshold(TH_ORDER_TAKER)) {
                in_order_window(c, a, b, takes, taker);
            }
        }
    }
}

static bool takes_turns(const struct causes *c, uint32_t g)
{
    const struct group_life *l = &c->life[g];
    return l->program && l->n <= threshold(TH_HAND_MEMBERS) && c->tg->groups[g].count <= 64 &&
           l->life > c->tg->end / 8;
}

void rules_service(struct causes *c)
{
    const struct triage *tg = c->tg;
    struct service *s = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *s);
    if (!s) {
        c->rs->failed = true;
        return;
    }
    gather(c, s);
    bool saturated = false;
    for (uint32_t g = 0; g < tg->ngroups; g++) {
        const struct group_life *l = &c->life[g];
        double queue = l->last > l->first ? queue_of(l, &s[g]) : 0;
        if (l->program && l->n >= threshold(TH_BOTTLE_THERE) && s[g].most && (double)s[g].count >= WAITS &&
            keeps_others(c, g, &s[g]) && queue >= QUEUE(l->n < 1.5) && c->idle >= causes_idle_least(c) &&
            won(c, l, queue) >= (int64_t)(SHARE * (double)tg->end)) {
            service(c, g, &s[g], queue);
            saturated = true;
        }
    }
    mem_free(s);
    pools(c, false);
    locks(c);
    rule_in_order(c);
    for (uint32_t a = 0; a < tg->ngroups && a < 24 && !saturated; a++) {
        for (uint32_t b = a + 1; b < tg->ngroups && b < 24; b++) {
            if (takes_turns(c, a) && takes_turns(c, b)) {
                turns(c, a, b);
            }
        }
    }
}
