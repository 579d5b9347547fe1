/*
 * fam_line.c - short work that waits behind long. One goroutine takes things as they come; few of them take
 * most of its time, and others stand behind these. One of four signs shows that they do:
 *  - whoever began to wait while the long one lasted is answered by that same goroutine after it, though
 *    others of its kind had nothing to do;
 *  - the next question over a connection was there already when the long one was answered;
 *  - the goroutine that handed over the long one came with more meanwhile, and stood until it was done;
 *  - of a goroutine that is the only one of its kind: it was given more meanwhile, and goes on in a row.
 */
#include "triage/findings/asks.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/ways.h"

enum {
    LONG = 32 /* long pieces looked at */,
    MEMBERS = 256,
    PAIRS = 16,
    STEPS = 64,
    LOOKED = 16384,
    USUAL = 8,
    MOMENTS = 8
};

/* Does another one of the kind wait for more at some moment of p? Then what waits behind p is not for any of
 * them. */
static bool others_rest(const struct causes *c, const struct work *k, const struct workpiece *p)
{
    bool rest = c->of[k->group].n == 1;
    struct span s;
    each_member(m, c, k->group, MEMBERS)
        for (int64_t at = 1; at < MOMENTS && m != p->g && !rest; at++)
            rest = trace_span_at(c->tr, lane_g(m), p->t0 + (p->t1 - p->t0) / MOMENTS * at, &s) &&
                   s.state == ST_WAITING && waits_for_more(c->tr, k->name, s.reason, s.stack);
    return rest;
}

/* Of a piece: how many waits who did it ended; how many of them began in it and were long enough to be felt;
 * and how many are of goroutines that no other one of its kind woke, but this one several times. Who waits
 * for more work is at rest. */
struct woken {
    uint32_t n, felt, bound;
};

static void woken_in(const struct causes *c, uint32_t group, const struct workpiece *p, struct woken *out)
{
    const uint32_t end = members_by(c, group, p->t1), name = c->tg->groups[group].name,
                   kind = c->tg->group_of[p->g];
    const uint32_t first = end > MEMBERS ? end - MEMBERS : 0;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t g = causes_nth(c, group, i);
        uint32_t here = 0, others = 0;
        struct span wait = {.state = ST_NONE};
        struct lifetime life;
        trace_lives(c->tr, LANE_G, g, 1, &life);
        if (g == p->g || life.last <= p->t0)
            continue;
        each_between(s, c->tr, g, p->t0, p->t1 + TOGETHER + 1, LOOKED / (end - first) + STEPS) {
            if (s->state == ST_RUNNABLE && wait.state == ST_WAITING && causes_group_of(c, s->who) == kind &&
                !waits_for_more(c->tr, name, wait.reason, wait.stack)) {
                here += s->who == p->g;
                others += s->who != p->g;
                out->felt += s->who == p->g && wait.t0 > p->t0 && wait.t1 - wait.t0 >= threshold_ns(TH_FELT);
            }
            wait = *s;
        }
        out->n += here;
        out->bound += here > 1 && !others ? here : 0;
    }
}

static struct woken woken_by(const struct causes *c, const struct work *k, const struct workpiece *p)
{
    uint32_t groups[PAIRS], ngroups = 0;
    struct woken n = {0, 0, 0};
    each_of(r, c->tg->pairs, works_pairs(c)) {
        const uint32_t group = causes_group(c, r->waiter);
        const bool known = ngroups == PAIRS || r->waker != k->name || r->waiter == k->name ||
                           r->from_scheduler || !wait_passes_on(r->kind) || group == UINT32_MAX;
        if (known || any_of(j, ngroups, groups[j] == group))
            continue;
        groups[ngroups++] = group;
        woken_in(c, group, p, &n);
    }
    return n;
}

/* So many waits a usual piece ends. */
static double wakes_usually(const struct causes *c, const struct work *k)
{
    const uint32_t n = k->looked / 4 < USUAL ? k->looked / 4 : USUAL, from = k->looked / 2 - n / 2;
    double sum = 0;
    for (uint32_t i = from; i < from + n; i++)
        sum += woken_by(c, k, &k->v[i]).n;
    return n ? sum / n : 0;
}

/* Of items that one goroutine takes: are more answered in p than in a usual one, which wakes *usual (below 0:
 * still to be asked)? *felt: so many had waited behind it. One waits for p itself. Many that it takes without
 * a wait in between are no long one. */
static bool behind_item(const struct causes *c, const struct work *k, const struct workpiece *p,
                        double *usual, uint32_t *felt)
{
    const struct woken n = woken_by(c, k, p);
    const bool one = n.n && (n.bound * 2 > n.n || others_rest(c, k, p));
    *felt = one && n.felt > 1 ? n.felt - 1 : 0;
    if (one && *usual < 0)
        *usual = wakes_usually(c, k);
    const double things = n.n / (*usual > 1 ? *usual : 1);
    return one && (double)(p->t1 - p->t0) >= threshold(TH_DOUBLE) * things * (double)k->d.p50 &&
           n.n >= *usual + 1;
}

/* Who ended the wait for more that p came after; NO_LANE: not told. */
static uint32_t fed_by(const struct trace *tr, const struct workpiece *p)
{
    struct span s;
    return trace_span_at(tr, lane_g(p->g), p->t0, &s) && s.state == ST_RUNNABLE ? s.who : NO_LANE;
}

/* Did anybody who gives it more come in [t0,t1): of those of the kind that are there all along by going on
 * after a wait, else by being born? */
static bool fed_in(const struct causes *c, uint32_t by, int64_t t0, int64_t t1)
{
    const uint32_t group = causes_group_of(c, by);
    if (group == UINT32_MAX)
        return false;
    if (members_by(c, group, t1) > members_by(c, group, t0))
        return true;
    each_member(g, c, group, MEMBERS)
        each_between(s, c->tr, g, t0, t1, STEPS)
            if (s->state == ST_RUNNABLE && s->t0 > t0)
                return true;
    return false;
}

/* Calls of the system that a piece makes in that function. */
static uint32_t calls_in(const struct causes *c, const struct works *all, const struct workpiece *p,
                         uint32_t user)
{
    uint32_t n = 0;
    each_between(s, c->tr, p->g, p->t0, p->t1, LOOKED)
        n += s->state == ST_SYSCALL && s->stack && verdict_place(all, s->stack).user == user;
    return n;
}

/*
 * The same, where nobody is seen to wait for them: how often does it go on, behind the longest wait in p, to
 * such a wait again, without waiting for more, or how many times as many calls as a usual piece does it make
 * there? These are steps of one thing, unless more was given to it meanwhile.
 */
static uint32_t in_a_row(const struct causes *c, const struct works *all, const struct workpiece *p,
                         const struct workpiece *usual)
{
    struct span longest = {.t0 = 0, .t1 = 0};
    uint32_t after = 0, user = 0;
    each_between(s, c->tr, p->g, p->t0, p->t1, LOOKED) {
        if (s->state != ST_WAITING || !s->stack)
            continue;
        if (s->t1 - s->t0 > longest.t1 - longest.t0) {
            longest = *s;
            user = verdict_place(all, s->stack).user;
            after = 0;
        } else if (s->stack == longest.stack || verdict_place(all, s->stack).user == user) {
            after++;
        }
    }
    if (!after && user) {
        const uint32_t calls = calls_in(c, all, usual, user);
        after = calls_in(c, all, p, user) / (calls ? calls : 1);
        after -= after > 0;
    }
    return after && fed_in(c, fed_by(c->tr, p), longest.t0, longest.t1) ? after : 0;
}

/* Does who gave it p come with more meanwhile, and wait until p is done to hand that over, too? Who waits for
 * p itself has not gone on to anything else. */
static bool feeder_stands(const struct causes *c, const struct workpiece *p)
{
    const uint32_t by = fed_by(c->tr, p);
    bool came = false;
    struct span wait = {.state = ST_NONE};
    each_between(s, c->tr, by, p->t0, p->t1 + TOGETHER + 1, STEPS) {
        const bool ends = s->state == ST_RUNNABLE && wait.state == ST_WAITING && wait.t0 > p->t0;
        if (ends && came && s->who == p->g && wait.t1 - wait.t0 >= threshold_ns(TH_FELT))
            return true;
        came |= ends && s->who != p->g;
        wait = *s;
    }
    return false;
}

/* Of questions over one connection: is the next one there when p is answered? */
static bool behind_question(const struct causes *c, const struct work *k, const struct workpiece *p)
{
    const uint32_t asked = k->more ? stacks_place(c->tr, k->more) : 0;
    bool answered = false;
    if (!asked)
        return false;
    each_between(s, c->tr, p->g, p->t1 > 0 ? p->t1 - 1 : 0, INT64_MAX, STEPS) {
        if (s->state == ST_WAITING && s->t0 >= p->t1)
            return answered;
        answered |= s->state == ST_SYSCALL && s->t0 >= p->t1 && s->stack && causes_writes(c->tr, s->stack);
    }
    return false;
}

/* Which work that counts waits for goroutines of that group most; itself: none other does. */
static uint32_t work_behind(const struct causes *c, const struct works *all, uint32_t self)
{
    uint32_t best = self;
    double most = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        const struct work *w = &all->v[i];
        for (uint32_t n = 1; work_counts(w) && n < w->tree.n; n++) {
            const struct tree_node *x = &w->tree.v[n];
            const double share = tree_share(&w->tree, n, w->standing ? TREE_ALL : TREE_SLOW);
            if (x->cat == EX_WAIT && causes_group_of(c, x->by) == all->v[self].group && share > most) {
                most = share;
                best = i;
            }
        }
    }
    return best;
}

/* Long pieces: how many, their time, and those of the first LONG that others stand behind. */
struct longs {
    uint32_t n, few, looked, queued, behind, rows; /* few: that take most; rows: of queued, those behind which
                                                      more is done in a row */
    double ns;
};

static struct longs longs_of(const struct work *k)
{
    struct longs l = {.n = 0};
    for (; l.n < k->looked &&
           (double)(k->v[l.n].t1 - k->v[l.n].t0) >= threshold(TH_LINE_TIMES) * (double)k->d.p50;
         l.n++) {
        l.few += l.ns < threshold(TH_MOST) * (double)k->d.total;
        l.ns += (double)(k->v[l.n].t1 - k->v[l.n].t0);
        l.looked += l.n < LONG && k->v[l.n].t1 - k->v[l.n].t0 >= threshold_ns(TH_FELT);
    }
    return l;
}

/* Are items taken by one goroutine, so that more done in a row behind one tells that others wait? */
static bool in_rows(const struct causes *c, const struct work *k)
{
    return k->kind == WORK_ITEMS && c->of[k->group].n == 1;
}

/* Counts what stands behind those that are looked at. Returns false once that cannot be half of them. */
static bool behind_longs(const struct causes *c, const struct works *all, const struct work *k,
                         struct longs *l)
{
    double usual = -1;
    for (uint32_t i = 0; i < l->looked && (l->queued + l->looked - i) * 2 >= l->looked && slices_tick();
         i++) {
        const struct workpiece *p = &k->v[i];
        uint32_t felt = 1;
        const bool seen = k->kind == WORK_ITEMS ? behind_item(c, k, p, &usual, &felt) || feeder_stands(c, p)
                                                : behind_question(c, k, p);
        const uint32_t row = !seen && in_rows(c, k) ? in_a_row(c, all, p, &k->v[k->looked / 2]) : 0;
        l->queued += seen || row;
        l->rows += row > 0;
        l->behind += row ? row : felt;
    }
    return l->queued * 2 >= l->looked;
}

bool fam_line(struct causes *c, const struct works *all, uint32_t work, struct verdicts *out)
{
    const struct work *k = &all->v[work];
    if ((k->kind != WORK_ITEMS && k->kind != WORK_REQUESTS) || k->background || k->paced ||
        k->looked < threshold(TH_MANY) || (double)k->d.max < (double)threshold_ns(TH_FELT))
        return true;
    struct did does = {0};
    struct longs l = longs_of(k);
    const struct site at = verdict_slow_place(k, &does);
    struct harm own = {0};
    verdict_share_at(&k->tree, at.user, 1u << does.cat | 1u << EX_WAIT, &own);
    const bool tail = threshold(TH_TAIL) * own.usual < own.slow;
    if (!(tail || in_rows(c, k)) || l.few * 3 > k->looked || l.n < threshold(TH_SEVERAL) || !at.user ||
        l.ns < threshold(TH_LINE_SHARE) * (double)k->d.total)
        return true; /* whatever stands behind them */
    if (!behind_longs(c, all, k, &l) || !(tail || l.rows * 2 >= l.looked))
        return true;
    struct verdict v = verdict_new(RULE_LINE, l.ns / (double)k->d.total, at);
    v.waiter.group = k->name;
    bool library;
    const struct site called = verdict_called_back(all, at.stack, &library);
    v.holder =
        (struct role){.group = k->name, .g = k->v[0].g, .at = library ? called : verdict_place(all, k->more)};
    v.doing[v.ndoing++] = does;
    verdict_shows(&v, k->v[0].g, k->v[0].t0, k->v[0].t1);
    struct harm harm = {.work = work_behind(c, all, work)};
    verdict_share_at(&all->v[harm.work].tree, at.user, 0, &harm);
    if (l.behind >= l.looked && harm.share >= threshold(TH_SHARE))
        v.harm = harm;
    else if (does.cat == EX_TIMER)
        return true; /* nobody is seen to feel it: it keeps its own pace */
    verdict_ev(&v, EV_SHARE, l.ns / (double)k->d.total);
    verdict_ev(&v, EV_LONGEST, (double)k->d.max);
    verdict_ev(&v, EV_EACH, (double)k->d.p50);
    verdict_ev(&v, EV_CROWD, (double)l.behind / l.looked);
    return verdict_add(out, &v);
}
