/*
 * rules_service.c - goroutines that many others wait for without a lock: a worker or a pool that has more to do than
 * it can.
 *
 * A group (goroutines of one start function) serves another if it ends the other's waits on channels and conditions.
 * It is what is short if it is busy nearly all the time, others queue for it, and processors have nothing to do.
 */
#include "triage/findings/asks.h"
#include "triage/findings/causes.h"
#include "triage/findings/instances.h"
#include "triage/findings/leaves.h"
#include "triage/findings/service.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/works.h"

#include "decode/base/mem.h"

#define BUSY threshold(TH_BOTTLE_BUSY)
#define QUEUE(one) threshold((one) ? TH_BOTTLE_QUEUE : TH_POOL_QUEUE)
#define WAITS threshold(TH_BOTTLE_WAITS)
#define SHARE threshold(TH_BOTTLE_SHARE)
#define STOP_SPANS 16
#define LINES 64 /* of the program, where others wait */

struct service {
    int64_t send, other; /* waits of other groups that it ended: to hand it work, for its answers */
    uint64_t count;
    const struct pair_row *most;
};

/* A crowd that is woken in vain, hardly one of them not, is not served by who wakes it (thundering-herd). */
static bool in_vain(const struct pair_row *p)
{
    return p->kind == WK_COND && (double)p->futile >= threshold(TH_BOTTLE_VAIN) * (double)p->count;
}

/*
 * The library's own goroutines (of a connection, say) that take what comes next wait for more to do, not for an
 * answer.
 */
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
        if (g == UINT32_MAX || !wait_passes_on(p->kind) || in_vain(p) || has_nothing_to_do(c, p)) {
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

/*
 * The share of their lives asleep. Who sleeps while others queue to hand something over keeps them as one at work
 * does.
 */
static double slept_of(const struct group_life *l)
{
    return l->life > 0 ? (double)l->by[WK_SLEEP] / (double)l->life : 0;
}

/*
 * Do several wait to hand something to goroutines of that name for nearly all their lives? One may only deal out the
 * work.
 */
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

/* Does it wake by closing a channel? The runtime's function that sends or receives is in its stack, the one that closes is not. */
static bool by_closing(const struct trace *tr, uint32_t stack)
{
    const struct str f = trace_stack(tr, stack) ? trace_str(tr, trace_frame(tr, stack, 0).func) : (struct str){0};
    return f.len && !str_starts(f, "runtime.") && !str_starts(f, "reflect.") && !str_starts(f, "sync.");
}

/* Did who waited longest go to its end behind that, without another wait? Then, if a channel was closed, it had waited to be told so. */
static bool told_to_stop(const struct causes *c, const struct pair_row *p)
{
    struct span_iter it;
    if (!wait_on_channel(p->kind) || !by_closing(c->tr, p->waker_stack) ||
        !span_seek(&it, c->tr, (struct lane){LANE_G, p->longest.g}, p->longest.t1)) {
        return false;
    }
    for (int i = 0; i < STOP_SPANS; i++) {
        if (span_get(&it)->state == ST_WAITING) {
            return false;
        }
        if (!span_next(&it)) {
            return trace_lane(c->tr, (struct lane){LANE_G, p->longest.g}).last < c->tg->end;
        }
    }
    return false;
}

/*
 * One that sleeps while several wait for its answers, and has waited for them to bring more or makes system calls for
 * them. What gives out turns at its own pace does neither.
 */
static bool answers_late(const struct causes *c, uint32_t g, const struct service *s)
{
    const struct group_life *l = &c->life[g];
    if (l->n >= 1.5 || slept_of(l) <= l->busy || l->busy + slept_of(l) < BUSY ||
        (double)s->other < threshold(TH_BOTTLE_SLEEPS) * (double)(l->last - l->first)) {
        return false;
    }
    bool brought = gstat_of(c->tg->g, causes_nth(c, g, 0)).syscalls * 2 >= s->count && !told_to_stop(c, s->most);
    for (uint32_t i = 0; i < c->tg->npairs && !brought; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        brought = !p->from_scheduler && p->waiter == c->tg->groups[g].name && p->waker == s->most->waiter &&
                  p->waker != p->waiter && wait_passes_on(p->kind);
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

int64_t service_won(const struct causes *c, const struct group_life *l, double share)
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
        leaves_text(t, c->tr, &v, 3, 20);
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

/* Do goroutines of that start function write anything, to the network or elsewhere? */
static bool sends_any(const struct causes *c, uint32_t name)
{
    for (uint32_t i = 0; i < c->tg->nsyscalls; i++) {
        const uint32_t stack = c->tg->syscalls[i].stack, n = trace_stack(c->tr, stack);
        if (n && trace_frame(c->tr, stack, n - 1).func == name && causes_sends(c->tr, stack)) {
            return true;
        }
    }
    return false;
}

/*
 * How many questions a group has asked over the network in that function: by what it sends there and by how often it
 * waits for an answer.
 */
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
 * For how many items those of a group have ended waits of others. Who brings one may wait twice for it, to hand it
 * over and for the answer: of each kind of waiter the line of the program with most waits counts.
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
        if (p->from_scheduler || p->waker != name || p->waiter == name || !wait_passes_on(p->kind) || in_vain(p) ||
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

const char *service_advice(const struct causes *c, const struct group_life *l, const struct leaf *most, bool together)
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
 * Who waits for an answer of group g much longer than a piece of its work takes, while others keep its queue full: it
 * stands behind what these have put there. NULL: nobody. *fills: the start function of those.
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
        if (w == UINT32_MAX || w == g || !wait_passes_on(p->kind)) {
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

/*
 * Who sleeps while others wait to hand something over, or for an answer. Whether that is their pace, or stands for
 * work, only its author knows.
 */
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
    draft_start(&d, one ? RULE_BOTTLENECK : RULE_POLL, service_won(c, l, queue));
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

/* Who writes nothing takes what comes: then that is told, and nothing of a queue. */
static bool only_reads(struct causes *c, struct draft *d, uint32_t name, const struct leaf *most)
{
    if (causes_writes(c->tr, most->stack) || sends_any(c, name)) {
        return false;
    }
    d->f.note = true;
    text_lit(&d->text, " It writes nothing: it takes what comes, and asks nobody for it (inferred).");
    text_lit(&d->next, "What it reads comes when the other side sends it: look there, and at who asks for it.");
    draft_end(c->rs, d);
    return true;
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
    draft_start(&d, one ? RULE_BOTTLENECK : RULE_POOL, service_won(c, l, queue));
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
             brings                     ? single ? " others had nothing to do but wait for what it brings"
                                                 : " others had nothing to do but wait for what they bring"
             : s->most->kind == WK_SEND ? single ? " others queued for it" : " others queued for them"
             : single ? " others waited for it" /* for its answer, or for work: a condition tells neither */
                      : " others waited for them",
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
    if (single) {
        (void)locked_text(&d, c, g);
    }
    if (aside) {
        causes_aside_text(&d, c, waits);
    }
    if (one && asks && only_reads(c, &d, grp->name, &most)) {
        return;
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

void rules_service(struct causes *c)
{
    const struct triage *tg = c->tg;
    struct service *s = mem_zalloc(((size_t)tg->ngroups + 1) * sizeof *s);
    if (!s) {
        c->rs->failed = true;
        return;
    }
    gather(c, s);
    for (uint32_t g = 0; g < tg->ngroups; g++) {
        const struct group_life *l = &c->life[g];
        double queue = l->last > l->first ? queue_of(l, &s[g]) : 0;
        if (l->program && l->n >= threshold(TH_BOTTLE_THERE) && s[g].most && (double)s[g].count >= WAITS &&
            keeps_others(c, g, &s[g]) && queue >= QUEUE(l->n < 1.5) && c->idle >= causes_idle_least(c) &&
            service_won(c, l, queue) >= (int64_t)(SHARE * (double)tg->end)) {
            service(c, g, &s[g], queue);
            c->saturated = true;
        }
    }
    mem_free(s);
}
