/*
 * retry.c - whether waits that a timer ends are the pauses of a piece that retries. Either each is longer
 * than the one before it and there is other work in between; or they lie between two waits, or two calls of
 * the system that are no reads of a connection, at one line, which asks again: if usual pieces do so as well,
 * that is how it waits for what is not there yet. See verdict.h.
 */
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { PIECES = 16, STEPS = 2000, LINES = 8 };

struct tried {                      /* of one piece */
    uint32_t pauses, longer, again; /* longer: than the one before; again: between two waits at one line */
    int64_t ns;                     /* from the first pause to the end of the last wait after one */
    uint32_t asks;                  /* stack: that line */
};

/* Whether it waits there until a timer fires. Nobody ended that wait. */
static bool waits_out(const struct works *w, const struct verdict *v, const struct span *s,
                      const struct span *next)
{
    return next->state == ST_RUNNABLE && next->who == NO_LANE &&
           verdict_place(w, s->stack).user == v->where.user;
}

static struct tried tries_in(const struct causes *c, const struct works *w, const struct verdict *v,
                             const struct workpiece *p)
{
    struct tried t = {0};
    uint32_t line[LINES] = {0}, n = 0; /* where it waited since the pause before */
    int64_t before = 0, since = 0;
    bool paused = false;
    each_pair_between(s, next, c->tr, p->g, p->t0, p->t1, STEPS) {
        const bool call = s->state == ST_SYSCALL && s->stack &&
                          (!stacks_may(c->tr, s->stack, STACK_CONN) ||
                           (v->rule == RULE_SLEEP && causes_writes(c->tr, s->stack)));
        if ((s->state != ST_WAITING && !call) || !s->stack)
            continue;
        if (!call && waits_out(w, v, s, next)) {
            t.longer += t.pauses > 0 && (double)(s->t1 - s->t0) > threshold(TH_TREND_RISE) * (double)before;
            before = s->t1 - s->t0;
            since = t.pauses++ ? since : s->t0;
            paused = true;
        } else {
            const uint32_t at = verdict_lines(w, s->stack);
            const bool same = paused && any_of(i, n < LINES ? n : LINES, line[i] == at);
            t.again += same;
            t.asks = same ? s->stack : t.asks;
            t.ns = paused ? s->t1 - since : t.ns;
            n = paused ? 0 : n;
            line[n++ % LINES] = at;
            paused = false;
        }
    }
    return t;
}

/* ---- of a goroutine, where nothing parts its pieces ---------------------------------------------------- */

enum { PAUSES = 512, ALL = 20000 };

/* Of a row of pauses, how often each grows, on average, until it is the shortest again; 0: they don't. */
static double backs_off(const int64_t *v, uint32_t n)
{
    uint32_t grows = 0, again = 0;
    const int64_t least = n ? v[find_most(i, n, -v[i])] : 0;
    for (uint32_t i = 1; i < n; i++) {
        const double times = (double)v[i] / (double)(v[i - 1] > 0 ? v[i - 1] : 1);
        grows += times >= (1 - threshold(TH_ROOM)) * threshold(TH_DOUBLE) && times <= threshold(TH_TAIL);
        again += (double)v[i] <= (1 + threshold(TH_ROOM)) * (double)least;
    }
    const bool does =
        n >= threshold(TH_PIECES) && grows * 3 >= n && grows + again >= (1 - threshold(TH_SHARE)) * (n - 1);
    return does ? (double)n / (again + 1) : 0;
}

double verdict_backs_off(const struct causes *c, const struct works *w, struct verdict *v)
{
    int64_t ns[PAUSES];
    uint32_t n = 0;
    each_pair(s, next, c->tr, v->g, ALL)
        if (n < PAUSES && s->state == ST_WAITING && s->stack && waits_out(w, v, s, next))
            ns[n++] = s->t1 - s->t0;
    const double times = backs_off(ns, n);
    v->rule = times > 0 ? RULE_RETRY : v->rule;
    return times;
}

double verdict_retries(const struct causes *c, const struct works *w, struct verdict *v)
{
    const struct work *k = &w->v[v->harm.work];
    const bool few = threshold(TH_TAIL) * v->harm.usual < v->harm.slow;
    uint32_t looked = 0, pieces = 0, grows = 0, asks = 0;
    double n = 0, ns = 0, all = 0;
    for (; looked < PIECES && looked < k->slow; looked++) { /* the longest pieces */
        const struct tried t = tries_in(c, w, v, &k->v[looked]);
        const bool backs_off = t.pauses >= threshold(TH_SEVERAL) && t.longer + 1 == t.pauses;
        const bool is = backs_off || t.again > 0;
        grows += backs_off;
        pieces += is;
        n += is ? (backs_off ? t.pauses : t.again) : 0;
        asks = t.asks ? t.asks : asks;
        ns += is ? (double)t.ns : 0;
        all += (double)(k->v[looked].t1 - k->v[looked].t0);
    }
    const bool reads = v->ndoing && v->doing[0].cat == EX_DEADLINE, tries = few || grows * 2 > pieces;
    if (pieces < threshold(TH_SEVERAL) || pieces * 2 <= looked || (reads && !tries))
        return 0; /* (who waits for an answer until a deadline, and then asks another one, does not sleep) */
    const double share = all > 0 ? ns / all : 0;
    if (few && share > v->harm.share) {
        v->harm.slow = v->harm.share = share;
        v->harm.all = share * work_slow_part(k);
    }
    if (asks && v->ndoing < DOINGS)
        v->doing[v->ndoing++] = (struct did){.cat = EX_WAIT, .at = verdict_place(w, asks)};
    v->rule = tries ? RULE_RETRY : RULE_ASKS;
    return n / pieces;
}
