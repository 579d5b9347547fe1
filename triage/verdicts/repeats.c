/* repeats.c - how often a piece asks from one line. See ways.h. */
#include "decode/model/alive.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/stacks.h"
#include "triage/verdicts/ways.h"

enum { SITES = 32 };
struct sites { /* where one piece waits for answers: lines of the program, and stacks below */
    uint32_t line[SITES], stack[SITES], count[SITES], n;
    uint32_t waits; /* at the node's place: one answer may take several */
};

/* One call of a library may wait at several places in it: these are no repetitions. */
static void site_add(struct sites *k, uint32_t line, uint32_t stack)
{
    const uint32_t i = find_first(j, k->n, k->line[j] == line && k->stack[j] == stack);
    if (i == SITES)
        return;
    if (i == k->n) {
        k->line[i] = line;
        k->stack[i] = stack;
        k->count[i] = 0;
        k->n++;
    }
    k->count[i]++;
}

/* Whether goroutine `by` hands something to another one in [t0,t1), or creates one. Who takes what another
 * one waited to send lets it go, too, but asks for nothing. */
static bool hands_over(const struct trace *tr, struct alive *alive, uint32_t by, int64_t t0, int64_t t1)
{
    const struct alive_ask q = {tr, LANE_G, t0, t1, trace_nlanes(tr, LANE_G)};
    bool any = false;
    for (uint32_t g = 0; !any && (g = alive_next(alive, &q, g)) != NO_LANE; g++) {
        const struct lane l = lane_g(g);
        const struct lane_info li = trace_lane(tr, l);
        struct span_iter it;
        any = li.creator == by && li.created && li.seen >= t0 && li.seen < t1;
        if (any || !trace_ns(tr, l, ST_RUNNABLE, t0, t1))
            continue;
        each_span(s, it, tr, l, t0) {
            any = s->t0 >= t0 && s->t0 < t1 && s->state == ST_RUNNABLE && s->who == by &&
                  !stacks_has(tr, s->stack, "runtime.chanrecv1") &&
                  !stacks_has(tr, s->stack, "runtime.chanrecv2");
            if (any || s->t0 >= t1)
                break;
        }
    }
    return any;
}

/* Further waits at one place, with nothing asked in between, are for one answer: no write, and no goroutine
 * is woken that writes. */
static struct sites piece_asks(const struct follow *f, const struct tree_node *n, const struct workpiece *p,
                               struct alive *alive)
{
    const struct trace *tr = f->c->tr;
    struct sites k = {.n = 0};
    bool wrote = false, sent = false; /* since the last one; sent: to no file */
    uint32_t last = 0, stack = 0;
    int64_t since = 0;
    const uint32_t g = n->up == 0 ? p->g : n->g;
    each_pair_between(s, next, tr, g, p->t0, p->t1, BUSY_SPANS) {
        const bool writes = s->stack && s->state != ST_RUNNING && causes_writes(tr, s->stack);
        wrote |= writes;
        sent |= writes && causes_sends(tr, s->stack);
        if (s->state != ST_WAITING || !s->stack)
            continue;
        const struct site at = verdict_place(f->all, s->stack);
        const bool here = at.user == n->user;
        k.waits += here && at.leaf == n->leaf;
        const int64_t before = since;
        const bool again = s->stack == stack;
        since = s->t1;
        stack = s->stack;
        if (!here)
            continue;
        const uint32_t line = verdict_lines(f->all, s->stack);
        const bool net = stacks_wait_kind(tr, s->reason, s->stack) == WK_NET;
        if (net ? line == last && !(stacks_pipe(tr, s->stack) ? wrote : sent)
                : again && !wrote && !hands_over(tr, alive, g, before, s->t0))
            continue;
        last = line;
        site_add(&k, line, s->stack);
        wrote = sent = false;
    }
    return k;
}

/* Examines pieces `from` to `to` by length: how often those that ask do so from one line, on average. Calls
 * from several lines are different operations, each of which may depend on the previous one. *waits: for one
 * answer. */
static double again_at(const struct follow *f, const struct tree_node *n, uint32_t from, uint32_t to,
                       double *waits)
{
    enum { LOOKED = 16 };
    uint32_t pieces = 0, most = 0, all = 0;
    struct alive alive = {0};
    for (uint32_t i = from; i < to && pieces < LOOKED; i += (to - from) / LOOKED + 1) {
        const struct sites k = piece_asks(f, n, &f->w->v[i], &alive);
        pieces += k.n > 0;
        all += k.waits;
        most += k.n ? k.count[find_most(j, k.n, k.count[j])] : 0;
    }
    alive_free(&alive);
    *waits = all && most ? (double)all / most : 1;
    return pieces ? (double)most / pieces : 0;
}

/* Whether several other goroutines ask for a piece at a time: together they wait there for much longer than
 * the pieces take. Asked first, as it costs least. */
static bool others_ask(const struct follow *f, const struct tree_node *at)
{
    const int64_t ns = sum_over(p, f->c->tg->pairs, works_pairs(f->c),
                                at->up && verdict_waits_at(f->all, p, at->who, at->user) ? p->total : 0);
    return (double)ns >= threshold(TH_DOUBLE) * (double)f->w->total;
}

void ways_repeats(const struct follow *f, const struct tree_node *at, struct verdict *v)
{
    const double several = threshold(TH_SEVERAL);
    const bool may = v->rule == RULE_SERIAL;
    double waits;
    if (others_ask(f, at)) {
        v->rule = RULE_BACKEND;
        return;
    }
    const uint32_t half = f->w->looked / 2;
    const double slow = again_at(f, at, 0, f->w->slow, &waits),
                 usual = again_at(f, at, half, f->w->looked, &waits);
    const bool few = may && slow >= several && usual > 0 && slow >= threshold(TH_DOUBLE) * usual;
    const double again = few ? slow : again_at(f, at, 0, f->w->looked, &waits);
    v->rule = may && again >= several ? RULE_SERIAL : RULE_BACKEND;
    if (few) {
        ways_counts(&f->w->tree, at, TREE_SLOW, v);
        verdict_ev(v, EV_USUAL, usual);
    }
    verdict_ev(v, EV_EACH, v->ev[EV_EACH] * waits);
    verdict_ev(v, EV_TIMES, again);
}
