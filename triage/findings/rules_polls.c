/* rules_polls.c - sleeps that poll: they last longer than what they wait for, which was over before. */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define STEPS 20000 /* spans of each goroutine */
#define PLACES 32

struct child {
    uint32_t creator;
    int64_t born, gone;
};
struct polls { /* by the function that sleeps */
    uint32_t func, stack, g;
    int64_t late, slept, worst, t0, t1; /* late: asleep after what it had begun was over */
    uint64_t sleeps, lates;
    uint64_t empty; /* sleeps again after having done nothing that shows */
    uint64_t ahead; /* begins the next one while an earlier one is not over: it does not wait for them */
    uint32_t goroutines, last;
    int64_t until; /* behind that not all was looked at; 0: it was */
};

static int cmp_child(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    return x->creator != y->creator ? (x->creator > y->creator) - (x->creator < y->creator)
                                    : (x->born > y->born) - (x->born < y->born);
}

/* The first that g began at `after` or later, or what stands behind it. */
static size_t first_child(const struct child *v, size_t n, uint32_t g, int64_t after)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t m = lo + (hi - lo) / 2;
        if (v[m].creator < g || (v[m].creator == g && v[m].born < after)) {
            lo = m + 1;
        } else {
            hi = m;
        }
    }
    return lo;
}

/* Behind a sleep that ended at t: does g begin another one while one that it began since `after` is not over? Then it paces. */
static bool goes_on(const struct child *v, size_t n, uint32_t g, int64_t after, int64_t t)
{
    const size_t next = first_child(v, n, g, t);
    if (next >= n || v[next].creator != g) {
        return false;
    }
    for (size_t i = first_child(v, n, g, after); i < next && next - i <= 64; i++) {
        if (v[i].gone > v[next].born) {
            return true;
        }
    }
    return false;
}

/* When the last one of what g began before t was over; -1: it began nothing since `after`, or not all is over by `by`. */
static int64_t all_over(const struct child *v, size_t n, uint32_t g, int64_t after, int64_t t, int64_t by)
{
    const size_t lo = first_child(v, n, g, after);
    int64_t last = -1;
    for (size_t i = lo; i < n && v[i].creator == g && v[i].born < t && i < lo + 64; i++) {
        if (v[i].gone > by) {
            return -1;
        }
        last = v[i].gone > last ? v[i].gone : last;
    }
    return last;
}

struct waited { /* where a goroutine waited last, and last at another function than that */
    struct span now, elsewhere;
    uint32_t func; /* of now: 0, it did not sleep */
};

static void waited_at(struct waited *w, const struct span *s, uint32_t func)
{
    if (func == 0 || func != w->func) {
        w->elsewhere = w->now;
    }
    w->now = *s;
    w->func = func;
}

/* Since it began the last of those before s: has it waited elsewhere, for a good part of so long? Then it sleeps for another reason. */
static bool waited_since(const struct child *v, size_t n, uint32_t g, const struct span *s, const struct waited *w)
{
    const size_t last = first_child(v, n, g, s->t0);
    return last > 0 && v[last - 1].creator == g && w->elsewhere.t0 >= v[last - 1].born &&
           w->elsewhere.t1 - w->elsewhere.t0 > (s->t1 - s->t0) / 16;
}

static struct polls *polls_at(struct polls *v, uint32_t *n, uint32_t func, uint32_t stack)
{
    uint32_t k = 0;
    while (k < *n && v[k].func != func) {
        k++;
    }
    if (!func || k == PLACES) {
        return NULL;
    }
    if (k == *n) {
        v[(*n)++] = (struct polls){.func = func, .stack = stack, .last = NO_LANE};
    }
    return &v[k];
}

/* One sleep of g; what it had begun was over at `over` (-1: not). */
static void polls_add(struct polls *p, uint32_t g, const struct span *s, int64_t over, bool late)
{
    p->goroutines += p->last != g;
    p->last = g;
    p->sleeps++;
    p->slept = ns_add(p->slept, s->t1 - s->t0);
    const bool within = over - s->t0 > (s->t1 - s->t0) / 16; /* else it paces its work: that was done before */
    if (!late || over <= s->t0 || !within ||
        (double)(s->t1 - over) <= threshold(TH_POLL_LATE) * (double)(s->t1 - s->t0)) {
        return;
    }
    p->lates++;
    p->late = ns_add(p->late, s->t1 - over);
    if (s->t1 - over > p->worst) {
        p->worst = s->t1 - over;
        p->t0 = s->t0;
        p->t1 = s->t1;
        p->g = g;
        p->stack = s->stack;
    }
}

static void polls_walk(struct causes *c, uint32_t g, const struct child *ch, size_t nch, struct polls *v, uint32_t *n)
{
    struct walk w;
    struct waited waited = {0};
    int64_t after = 0;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *at; (at = walk_next(&w));) {
        const struct span s = *at;
        if (s.state == ST_NONE) { /* what is over at the next sleep may have been over at others */
            waited = (struct waited){0};
            after = s.t1;
        }
        if (s.state != ST_WAITING) {
            continue;
        }
        const bool sleeps = stacks_wait_kind(c->tr, s.reason, s.stack) == WK_SLEEP;
        const uint32_t func = sleeps ? causes_place(c->tr, s.stack) : 0;
        waited_at(&waited, &s, func);
        if (sleeps) {
            const int64_t over = all_over(ch, nch, g, after, s.t0, s.t1);
            struct polls *p = polls_at(v, n, func, s.stack);
            if (p) {
                p->ahead += over < 0 && goes_on(ch, nch, g, after, s.t1);
                polls_add(p, g, &s, over, !waited_since(ch, nch, g, &s, &waited));
            }
            after = over >= 0 ? s.t1 : after;
        }
    }
    const int64_t until = walk_until(&w);
    for (uint32_t i = 0; i < *n && until; i++) { /* those that it sleeps at */
        v[i].until = v[i].last == g ? causes_until(v[i].until, until) : v[i].until;
    }
}

static void poll_finding(struct causes *c, const struct polls *p)
{
    struct draft d;
    draft_start(&d, RULE_POLL, p->late / (int64_t)p->goroutines);
    draft_about(&d, c->rs, p->func, p->stack);
    draft_at(&d, p->t0, p->t1, LANE_G, p->g);
    d.f.inferred = true;
    text_dur(&d.amount, p->late / (int64_t)p->lates);
    text_say(&d.text, c->tr, t_place(p->stack, 3),
             " sleeps until what its goroutine started is over, and longer: in ", p->lates, " of ", p->sleeps,
             " sleeps of ", t_dur(p->slept / (int64_t)p->sleeps),
             " on average the goroutines it had started were done ", t_dur(p->late / (int64_t)p->lates),
             " before it woke up; ", t_dur(p->late / (int64_t)p->goroutines),
             " were lost that way for each of the goroutines that sleep there (inferred).");
    causes_counted(&d.text, 1, 1, p->until);
    text_lit(&d.next,
             "Wait for the event itself: a closed channel, a WaitGroup, a condition; or sleep more briefly.");
    draft_end(c->rs, &d);
}

struct children {
    const struct causes *c;
    struct child *v;
    size_t n, cap;
};

/* May its goroutines' ends be what a sleep is for? */
static bool may_sleep(void *arg, uint32_t creator)
{
    const struct causes *c = ((const struct children *)arg)->c;
    return creator < c->tg->ng && c->life[gstat_group(c->tg->g, creator)].by[WK_SLEEP];
}

static bool add_child(void *arg, uint32_t g, const struct lane_info *li)
{
    struct children *to = arg;
    const struct causes *c = to->c;
    if (!li->created || !li->ended || li->is_system || !c->life[gstat_group(c->tg->g, g)].program) {
        return true; /* of what the library begins for itself (to watch a connection) nobody waits for the end */
    }
    struct child *p = mem_grow(to->v, &to->cap, to->n + 1, sizeof *p);
    if (!p) {
        c->rs->failed = true;
        return false;
    }
    to->v = p;
    p[to->n++] = (struct child){li->creator, li->first, li->last};
    return to->n < 1u << 20;
}

static struct child *children(const struct causes *c, size_t *n)
{
    struct children to = {.c = c};
    bool any = false;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        any |= c->life[i].by[WK_SLEEP] > 0;
    }
    if (any) {
        (void)trace_walk(c->tr, 0, c->tg->ng, &(struct span_walk){.begin = add_child, .arg = &to, .by = may_sleep});
    }
    if (to.n) {
        qsort(to.v, to.n, sizeof *to.v, cmp_child);
    }
    *n = to.n;
    return to.v;
}

void rule_poll(struct causes *c)
{
    struct polls v[PLACES];
    uint32_t n = 0;
    size_t nch;
    struct child *ch = children(c, &nch);
    for (size_t i = 0, walked = 0; i < nch && walked < 256; i++) {
        if (i == 0 || ch[i].creator != ch[i - 1].creator) {
            polls_walk(c, ch[i].creator, ch, nch, v, &n);
            walked++;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct polls *p = &v[i];
        if ((double)p->lates >= threshold(TH_POLL_SLEEPS) &&
            (double)p->lates >= threshold(TH_POLL_VAIN) * (double)p->sleeps &&
            (double)p->ahead <= threshold(TH_POLL_AHEAD) * (double)p->sleeps &&
            p->late / (int64_t)p->goroutines >= (int64_t)(threshold(TH_POLL_SHARE) * (double)c->tg->end)) {
            poll_finding(c, p);
        }
    }
    mem_free(ch);
}
