/*
 * fam_takes.c - one goroutine does all that comes, one thing after the other: a library's loop that calls the
 * program back for each message, or a loop of the program's own.
 *
 * Nobody need be seen to wait for it: who asked may stand at the other end of a connection. What is seen: it
 * is there all along, it seldom waits for more, and between two such waits it does the same thing many times.
 * That these are several things, and not steps of one, is seen in one of three ways: who gives it more comes
 * back from waits of its own as often; or, in a library's loop, each time it hands something on; or what
 * comes are connections, and the next one is there already. It mostly waits while it does so, or processors
 * are idle. Who waits for a loop of the program's own would be seen: where nobody does, it is a note.
 */
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { GROUPS = 48, MEMBERS = 16, STEPS = 8192, SITES = 16, FEEDS = 4 };

struct doing { /* what it does at one place, and from one to the next */
    uint32_t stack, reason, n;
    uint8_t state;
    int64_t ns;
    struct moment longest;
};
struct taker {
    uint32_t g, rests, feeder, nsites;
    uint32_t accepts; /* calls for a connection: what comes; one that is there already is not waited for */
    int64_t seen, rest, ran, outside; /* rest: it waits for more; outside: for other things, or in calls */
    struct doing at[SITES];
};

static bool accepts(const struct trace *tr, uint32_t reason, uint32_t stack)
{
    return stack && stacks_wait_kind(tr, reason, stack) == WK_NET && stacks_may(tr, stack, STACK_ACCEPTS);
}

/* Is that a wait for more, in the goroutine's own loop? One that had begun before the trace
 * may be. */
static bool rests(const struct trace *tr, uint32_t reason, uint32_t stack)
{
    const enum wait_kind k = stack ? stacks_wait_kind(tr, reason, stack) : WK_OTHER;
    return !stack || ((k == WK_RECV || k == WK_SELECT || k == WK_COND) && own_loop(tr, 0, stack)) ||
           accepts(tr, reason, stack);
}

static void did(struct taker *k, const struct span *s, const struct moment *m)
{
    const uint32_t i = find_first(j, k->nsites, k->at[j].stack == s->stack);
    k->outside = ns_add(k->outside, s->t1 - s->t0);
    if (i == SITES)
        return;
    struct doing *d = &k->at[i];
    if (i == k->nsites) {
        *d = (struct doing){.stack = s->stack, .reason = s->reason, .state = s->state, .longest = *m};
        k->nsites++;
    }
    d->n++;
    d->ns = ns_add(d->ns, s->t1 - s->t0);
    if (s->t1 - s->t0 > d->longest.t1 - d->longest.t0)
        d->longest = *m;
}

static void taker_of(const struct trace *tr, uint32_t g, struct taker *k)
{
    bool rested = false, is = false, more = false;
    uint32_t stack = 0, reason = 0; /* more: what was asked of them */
    *k = (struct taker){.g = g, .feeder = NO_LANE};
    each_walked(s, tr, g, STEPS) {
        const int64_t ns = s->t1 - s->t0;
        k->seen = ns_add(k->seen, ns);
        k->ran = ns_add(k->ran, s->state == ST_RUNNING || s->state == ST_RUNNABLE ? ns : 0);
        if (s->state == ST_RUNNABLE && rested && s->who != NO_LANE)
            k->feeder = s->who;
        if (s->state == ST_WAITING && (s->stack != stack || s->reason != reason || !stack)) {
            stack = s->stack;
            reason = s->reason;
            more = rests(tr, reason, stack);
        }
        is = s->state == ST_WAITING && more;
        rested = is;
        k->rests += is;
        k->accepts += s->state == ST_SYSCALL && s->stack && stacks_may(tr, s->stack, STACK_ACCEPTS);
        k->rest = ns_add(k->rest, is ? ns : 0);
        if (!is && s->stack && (s->state == ST_WAITING || s->state == ST_SYSCALL))
            did(k, s, &(struct moment){s->t0, s->t1, g, NO_LANE});
    }
}

static const struct doing *most_often(const struct taker *k)
{
    return k->nsites ? &k->at[find_most(i, k->nsites, k->at[i].ns)] : NULL;
}

struct site verdict_called_back(const struct works *w, uint32_t stack, bool *library)
{
    struct site p = verdict_place(w, stack);
    uint32_t i = trace_stack(w->tr, stack), depth = 0;
    *library = false;
    while (i-- > 0) {
        const struct frame f = trace_frame(w->tr, stack, i);
        const bool own = owner_of(w->own, &f) == OWNER_PROGRAM;
        *library |= depth == 0 && !own;
        if (own && (*library || depth > 0)) {
            p.user = f.func;
            p.frame = i;
            break;
        }
        depth++;
    }
    return p;
}

/* How often goroutines of that group wake others, or hand something to them, in `user` (0: anywhere) or what
 * it calls. */
static uint64_t hands_on(const struct causes *c, uint32_t group, uint32_t user)
{
    return (uint64_t)sum_over(
        p, c->tg->pairs, works_pairs(c),
        p->waker == group && (!user || stacks_passes(c->tr, p->waker_stack, user)) ? p->count : 0);
}

/* How many things it does. A call for a connection that was waited for is made twice. */
static double things(const struct taker *k, const struct doing *d)
{
    return k->accepts > k->rests ? k->accepts - k->rests : d->n;
}

/* Of its life the share in which it does things that came while it did the one before. */
static double behind(const struct taker *k, const struct doing *d)
{
    return (double)(k->seen - k->rest) / (double)k->seen * (1 - (double)k->rests / things(k, d));
}

/* Does it do many things in a row, one after the other, and wait for other things meanwhile? */
static bool is_busy(const struct taker *k, const struct doing *d)
{
    return d && things(k, d) >= threshold(TH_MANY) && behind(k, d) >= threshold(TH_SHARE) &&
           (double)k->outside >= threshold(TH_MOST) * (double)(k->seen - k->rest);
}

static bool takes_add(struct causes *c, const struct works *w, const struct taker *k, const struct doing *d,
                      struct verdicts *out)
{
    bool library;
    const uint32_t group = c->tg->groups[c->tg->group_of[k->g]].name;
    const struct site at = verdict_called_back(w, d->stack, &library), does = verdict_place(w, d->stack);
    const bool fed = k->accepts || gstat_waits(c->tg, k->feeder, d->n / 2.0);
    const bool is = library ? fed || hands_on(c, group, at.user) * 2 >= d->n
                            : fed && k->rests >= threshold(TH_SEVERAL) && hands_on(c, group, 0) * 2 < d->n;
    if (!is || !verdict_own(w, at))
        return true; /* (who is seen to wait for a loop of the program's own, ways.c follows) */
    struct verdict v = verdict_new(RULE_TAKES, behind(k, d), at);
    const enum wait_kind kind = stacks_wait_kind(c->tr, d->reason, d->stack);
    v.holder = (struct role){.group = group, .g = k->g, .at = at};
    if (k->feeder != NO_LANE)
        v.waiter = (struct role){.group = c->tg->groups[c->tg->group_of[k->feeder]].name, .g = k->feeder};
    verdict_shows(&v, k->g, d->longest.t0, d->longest.t1);
    v.sure = SURE_INFERRED;
    v.level = (library || k->accepts) && behind(k, d) >= threshold(TH_MOST) ? LEVEL_WARN : LEVEL_NOTE;
    const uint8_t cat = d->state == ST_SYSCALL ? EX_SYSCALL
                        : kind == WK_NET       ? EX_NET
                        : kind == WK_SLEEP     ? EX_TIMER
                                               : EX_WAIT;
    v.doing[v.ndoing++] = (struct did){
        .cat = cat, .kind = (uint8_t)kind, .at = does, .share = (double)d->ns / (double)(k->seen - k->rest)};
    verdict_ev(&v, EV_BUSY, (double)(k->seen - k->rest) / (double)k->seen);
    verdict_ev(&v, EV_COUNT, things(k, d));
    verdict_ev(&v, EV_EACH, (double)(k->seen - k->rest) / things(k, d));
    verdict_ev(&v, EV_TIMES, things(k, d) / k->rests);
    return verdict_add(out, &v);
}

/* Goroutines of a group: of those that are busy so there is one, or none is told. */
static bool takes_look(struct causes *c, const struct works *w, uint32_t group, struct verdicts *out)
{
    struct taker one = {.g = NO_LANE};
    uint32_t busy = 0;
    each_member(g, c, group, MEMBERS) {
        struct lifetime life;
        struct taker k;
        trace_lives(c->tr, LANE_G, g, 1, &life);
        if (busy > 1 || !gstat_waits(c->tg, g, threshold(TH_MANY)) || life.last - life.first < c->tg->end / 2)
            continue;
        taker_of(c->tr, g, &k);
        if (is_busy(&k, most_often(&k))) {
            one = k;
            busy++;
        }
    }
    const bool fed = busy == 1 && one.rests > 0 && (one.accepts || one.feeder != NO_LANE);
    const struct doing *d = fed ? most_often(&one) : NULL;
    const bool room = d && ((double)one.ran < threshold(TH_MOST) * (double)(one.seen - one.rest) ||
                            c->idle >= threshold(TH_ROOM) * c->procs);
    return !room || takes_add(c, w, &one, d, out);
}

bool fam_takes(struct causes *c, const struct works *w, struct verdicts *out)
{
    uint32_t asked[GROUPS], n = 0;
    each_of(p, c->tg->pairs, works_pairs(c)) {
        const uint32_t group = causes_group(c, p->waiter);
        const bool known = n == GROUPS || (p->from_scheduler && !accepts(c->tr, p->reason, p->stack)) ||
                           group == UINT32_MAX || c->tg->groups[group].is_system || !p->stack ||
                           !rests(c->tr, p->reason, p->stack);
        if (known || any_of(k, n, asked[k] == group))
            continue;
        asked[n++] = group;
        if (!takes_look(c, w, group, out))
            return false;
    }
    return true;
}
