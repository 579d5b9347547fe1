/*
 * repeats.c - how often a piece asks at one place: from one line again and again, with pauses in between or
 * without, or from several lines. See ways.h.
 */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/stacks.h"
#include "triage/verdicts/ways.h"

/* Returns a hash of the program's own lines in a stack. */
static uint32_t lines_of(const struct follow *f, uint32_t stack)
{
    uint32_t sum = 2166136261u;
    for (uint32_t i = owner_user(f->all->own, stack), n = trace_stack(f->c->tr, stack); i < n; i++) {
        const struct frame at = trace_frame(f->c->tr, stack, i);
        if (owner_of(f->all->own, &at) == OWNER_PROGRAM)
            sum = ((sum ^ at.func) * 16777619u ^ (uint32_t)at.line) * 16777619u;
    }
    return sum;
}

struct asked {           /* of pieces that wait at a function, on average */
    double again, lines; /* most repetitions from one line; number of lines */
    double pauses;       /* between two repetitions: share that has a sleep in it */
    struct span pause;   /* the longest of these; .stack 0: none */
};

/* Whether net/http has sent a request then: the answer is still waited for. */
static bool only_sent(const struct trace *tr, const struct span *s, const struct span *next)
{
    return stacks_may(tr, s->stack, STACK_TRIP) && next && next->state == ST_RUNNABLE &&
           next->who != NO_LANE &&
           str_is(trace_str(tr, trace_g_name(tr, next->who)), "net/http.(*persistConn).writeLoop");
}

enum { SITES = 32 };
struct sites { /* lines from which one piece asks */
    uint32_t line[SITES], count[SITES], slept[SITES], n;
};

static void site_add(struct sites *k, uint32_t line, bool slept)
{
    uint32_t i = 0;
    while (i < k->n && k->line[i] != line)
        i++;
    if (i == SITES)
        return;
    if (i == k->n) {
        k->line[i] = line;
        k->count[i] = k->slept[i] = 0;
        k->n++;
    }
    k->slept[i] += slept && k->count[i] > 0;
    k->count[i]++;
}

/* Further reads from one line, with nothing written in between, are of one answer. */
static struct sites piece_asks(const struct follow *f, const struct tree_node *n, const struct workpiece *p,
                               struct span *pause)
{
    const struct trace *tr = f->c->tr;
    struct sites k = {.n = 0};
    struct span slept = {.stack = 0}, s; /* since the last one */
    bool wrote = false, sent = false;    /* the same; sent: to no file */
    uint32_t last = 0;
    struct walk w;
    walk_at(&w, tr, n->up == 0 ? p->g : n->g, p->t0, BUSY_SPANS);
    const struct span *next = walk_next(&w);
    while (walk_pair(&w, &s, &next) && s.t0 < p->t1) {
        const bool writes = s.stack && s.state != ST_RUNNING && causes_writes(tr, s.stack);
        wrote |= writes;
        sent |= writes && !stacks_may(tr, s.stack, STACK_FILE);
        if (s.state != ST_WAITING || !s.stack)
            continue;
        const enum wait_kind kind = stacks_wait_kind(tr, s.reason, s.stack);
        if (kind == WK_SLEEP)
            slept = s;
        if (verdict_place(f->all, s.stack).user != n->user || only_sent(tr, &s, next))
            continue;
        const uint32_t line = lines_of(f, s.stack);
        if (kind == WK_NET && line == last && !(stacks_pipe(tr, s.stack) ? wrote : sent))
            continue;
        last = line;
        const bool first = k.n == 0;
        site_add(&k, line, slept.stack != 0);
        if (slept.stack && !first && (!pause->stack || slept.t1 - slept.t0 > pause->t1 - pause->t0))
            *pause = slept;
        slept.stack = 0;
        wrote = sent = false;
    }
    return k;
}

/* Examines the `of` longest pieces. Calls from one line are repetitions. Calls from several lines are
 * different operations, each of which may depend on the previous one. */
static struct asked asked_at(const struct follow *f, const struct tree_node *n, uint32_t of)
{
    enum { LOOKED = 16 };
    struct asked a = {.pause = {.stack = 0}};
    uint32_t pieces = 0, most = 0, all = 0, slept = 0;
    for (uint32_t i = 0; i < of && pieces < LOOKED; i += of / LOOKED + 1) {
        const struct sites k = piece_asks(f, n, &f->w->v[i], &a.pause);
        uint32_t best = 0;
        for (uint32_t j = 1; j < k.n; j++)
            best = k.count[j] > k.count[best] ? j : best;
        pieces += k.n > 0;
        most += k.n ? k.count[best] : 0;
        slept += k.n ? k.slept[best] : 0;
        all += k.n;
    }
    if (pieces) {
        a.again = (double)most / pieces;
        a.lines = (double)all / pieces;
        a.pauses = most > pieces ? (double)slept / (most - pieces) : 0;
    }
    return a;
}

/* Tells that it asks, sleeps and asks again: where it sleeps. The time is what comes after the first one. */
static void tries(const struct follow *f, const struct tree_node *at, const struct asked *a,
                  struct verdict *v)
{
    struct harm sleeps = {0};
    v->where = verdict_place(f->all, a->pause.stack);
    v->rule = RULE_RETRY;
    v->t0 = a->pause.t0;
    v->t1 = a->pause.t1;
    verdict_share_at(&f->w->tree, v->where.user, 1u << EX_TIMER, &sleeps);
    ways_counts(&f->w->tree, at, TREE_SLOW, v);
    v->harm.slow = v->harm.slow * (1 - 1 / a->again) + sleeps.slow;
    v->harm.all = v->harm.slow * work_slow_part(f->w);
    v->harm.usual = 0;
    v->harm.share = v->harm.slow;
    verdict_ev(v, EV_LONGEST, (double)(a->pause.t1 - a->pause.t0));
}

void ways_repeats(const struct follow *f, const struct tree_node *at, struct verdict *v)
{
    const double several = threshold(TH_SEVERAL);
    struct asked a = asked_at(f, at, f->w->looked);
    if (a.again < several && f->w->slow < f->w->looked) {
        const struct asked slow = asked_at(f, at, f->w->slow);
        if (slow.again >= several) {
            ways_counts(&f->w->tree, at, TREE_SLOW, v);
            a = slow;
        }
    }
    if (v->harm.slow_only && a.pauses >= threshold(TH_MOST) && a.pause.stack)
        tries(f, at, &a, v);
    else
        v->rule = a.again >= several ? RULE_SERIAL : a.lines >= several ? RULE_IN_A_ROW : RULE_BACKEND;
    v->sure = v->rule == RULE_IN_A_ROW ? SURE_INFERRED : v->sure;
    verdict_ev(v, EV_TIMES, v->rule == RULE_IN_A_ROW ? a.lines : a.again);
}
