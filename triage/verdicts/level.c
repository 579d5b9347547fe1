/*
 * level.c - of a verdict about a work: does it warn, how much is there to win, and what is its order by. See
 * decide.c.
 *
 * A large share alone is what the work is. It warns where one of these holds:
 *   contention   others have what a piece waits for (a lock, one of a set, the one that serves all)
 *   lateness     it sleeps while what it waits for is there
 *   repetition   a piece asks for many things in a row from one line, or makes many tiny system calls
 *   variation    the slow pieces have it, the usual ones don't; or it became slower at some moment
 *   order        short pieces stand behind long ones; or all go at once where one could for all
 *   failure      it waits until a deadline or a timer is up, where others are answered
 */
#include "triage/findings/asks.h"
#include "triage/findings/requests.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/ways.h"

enum { BOUND_SPANS = 64 };

static double average(const struct work_tree *t, enum tree_set s)
{
    return t->pieces[s] ? (double)tree_ns(t, s) / t->pieces[s] : 0;
}

/* Returns the verdict's share of the extra time of the slow pieces over the usual ones; 0 if they have
 * none. */
static double excess(const struct works *all, const struct verdict *v)
{
    const struct work_tree *t = &all->v[v->harm.work].tree;
    const double slow = average(t, TREE_SLOW), usual = average(t, TREE_USUAL);
    if (slow < threshold(TH_TAIL) * usual || slow - usual < threshold(TH_FELT) || usual <= 0)
        return 0;
    return (v->harm.slow * slow - v->harm.usual * usual) / (slow - usual);
}

/* Returns an upper bound of the share of the trace's wall-clock time that it takes. */
static double of_clock(const struct causes *c, const struct works *all, const struct verdict *v)
{
    const double clock = work_counted(&all->v[v->harm.work]) / (double)c->tg->end;
    return v->harm.all * (clock < 1 ? clock : 1);
}

/* The share of what is done in these categories (a bit each). */
static double does_as(const struct verdict *v, unsigned cats)
{
    double share = 0;
    each_of(d, v->doing, v->ndoing)
        share += cats >> d->cat & 1 ? d->share : 0;
    return share;
}

/* Whether more parallelism would find idle processors. Running work needs them, waits and sleeps do not. If a
 * processor, idle or not, comes late to who is waited for, that is it, and not what it does. */
static bool room(const struct causes *c, const struct verdict *v)
{
    const bool late = v->ndoing && (v->doing[0].cat == EX_RUNNABLE || v->doing[0].cat == EX_NOBODY) &&
                      v->doing[0].share >= threshold(TH_MOST);
    return !late && (does_as(v, 1u << EX_RUN | 1u << EX_RUNNABLE | 1u << EX_ASSIST) < threshold(TH_MOST) ||
                     c->idle >= threshold(TH_ROOM) * c->procs);
}

/* Whether each of many goroutines waits for it once, as the first thing that it does, in the program's own
 * function: an intended bound on how many work at once. A library's pool has other reasons for its size. */
static bool bounds(const struct causes *c, const struct works *all, const struct verdict *v)
{
    const struct lane_info li = trace_lane(c->tr, lane_g(v->g));
    uint32_t waits = 0;
    if (!li.created || v->where.leaf != v->where.user)
        return false;
    each_walked(s, c->tr, v->g, BOUND_SPANS)
        waits += s->state == ST_WAITING && s->stack && verdict_place(all, s->stack).user == v->where.user;
    return waits < 2 && (double)(v->t0 - li.first) < threshold(TH_SHARE) * (double)(li.last - li.first);
}

/* Whether the waiter for a slot starts the goroutines that it waits for, one at a time: a limit of one
 * slot. */
static bool one_at_a_time(const struct causes *c, const struct verdict *v)
{
    return v->holder.n <= 1 && trace_lane_who(c->tr, lane_g(v->holder.g)).creator == v->g;
}

/* How many waits at a place of a tree are of that category. */
static int64_t waits_as(const struct work_tree *t, uint32_t user, enum explain_cat cat)
{
    return sum_over(n, t->v, t->n, n->user == user && n->cat == cat ? n->n[TREE_ALL] + n->n[TREE_SLOW] : 0);
}

/* Whether it sent a request before its wait at t: its last operation, except reads that found nothing, is a
 * write. */
static bool asked_first(const struct trace *tr, uint32_t g, int64_t t)
{
    enum { BACK = 12 };
    struct span_iter it = {.tr = NULL};
    bool more = g != NO_LANE && span_seek_at(&it, tr, lane_g(g), t) && span_prev(&it);
    for (int i = 0; i < BACK && more && span_get(&it)->state != ST_WAITING; i++) {
        const struct span *s = span_get(&it);
        if (s->state == ST_SYSCALL && causes_writes(tr, s->stack))
            return true;
        more = span_prev(&it);
    }
    return false;
}

/* Whether, where a deadline ends reads, others were answered, and somebody waits for the piece or it had
 * sent a request. */
static bool others_answered(const struct causes *c, const struct works *all, const struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    return (double)waits_as(&w->tree, v->where.user, EX_NET) >= threshold(TH_SEVERAL) &&
           (double)waits_as(&w->tree, v->where.user, EX_DEADLINE) >= threshold(TH_SEVERAL) &&
           (work_awaited(w) || ((w->asks || !w->standing) && asked_first(c->tr, v->g, v->t0)));
}

/* Whether its pieces are parallel parts of a larger one. Nobody outside waits for each of them. */
static bool side_by_side(const struct work *w)
{
    return w->standing || (!work_awaited(w) && !w->paced && w->at_once >= threshold(TH_DOUBLE));
}

/* Whether another handler serves the slow requests, or a library's own. They are a different kind then, not
 * slower ones. Where the usual ones' handler is unknown, a wait that ends in vain is what no kind is for. */
static bool of_another_kind(const struct works *all, const struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const struct work_tree *t = &w->tree;
    const uint32_t at = find_most(k, t->n, t->v[k].user == v->where.user ? tree_both(&t->v[k]) : 0);
    const uint32_t stack = w->kind == WORK_REQUESTS ? t->v[tree_top(t, at)].stack : 0;
    return stack && owner_root(all->own, stack) != w->user && (w->user || v->rule != RULE_LIMIT);
}

/* Whether it goes by its own pace: another goroutine waits for a timer there in its own loop, or the piece
 * does so many times. */
static bool keeps_pace(const struct works *all, const struct verdict *v)
{
    const bool other = v->waiter.group != all->v[v->harm.work].name && v->where.stack &&
                       own_loop(all->tr, v->waiter.group, v->where.stack);
    return v->rule == RULE_LIMIT && (other || v->ev[EV_TIMES] >= threshold(TH_MANY));
}

/* Whether the timer begins the work that ends the wait, as of a batch that lingers, and the wait is not many
 * times as long as that work: a limit of a context begins none. */
static bool lingers(const struct causes *c, const struct works *all, const struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const uint32_t by = v->holder.g;
    struct harm there = {0};
    if (v->rule != RULE_LIMIT || by >= c->tg->ng || !verdict_by_timer(c->tr, by) ||
        str_starts(trace_str(c->tr, trace_g_name(c->tr, by)), "context."))
        return false;
    verdict_share_at(&w->tree, v->where.user, 0, &there);
    return there.slow >= (1 + 1 / threshold(TH_MANY)) * v->harm.slow;
}

/* Whether all pieces that are long enough to have it lie in the first quarter of the trace, and many others
 * after it: it is over. */
static bool only_at_first(const struct causes *c, const struct works *all, const struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    uint32_t late = 0, others = 0;
    each_of(p, w->v, w->looked)
        if (p->t0 > c->tg->end / 4)
            ++*((double)(p->t1 - p->t0) * threshold(TH_DOUBLE) >= v->ev[EV_EACH] ? &late : &others);
    return !late && others >= threshold(TH_MANY);
}

/* Whether the slow pieces have something of their own at a known place that the usual ones lack. */
static bool slows_few(struct causes *c, const struct works *all, const struct verdict *v)
{
    return v->where.user && !v->held && !v->usual_too && !of_another_kind(all, v) && !keeps_pace(all, v) &&
           !lingers(c, all, v) && !(v->rule == RULE_LIMIT && link_news(c, all, v));
}

/* Whether it waits for what no goroutine of the program does: an answer, the disk, a timer, the collector,
 * what does not come. If only the slow pieces do, that may be what they are for: a cache does not have it. */
static bool waits_outside(const struct verdict *v)
{
    const uint8_t cat = v->ndoing ? v->doing[0].cat : EX_RUN;
    return explain_waits_outside(cat) || cat == EX_SYSCALL || cat == EX_TIMER || cat == EX_OPEN ||
           cat == EX_ASSIST || cat == EX_GC;
}

/* ---- when a shape warns: the column WARNS of families.def. varies: the slow pieces have it ------------- */

/* Whether the calls, asked for all at once, would save that much. */
static bool repeats(const struct works *all, const struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const bool starts = v->rule == RULE_START; /* of the start-up, which the calls have most of */
    const double times = v->ev[starts ? EV_COUNT : EV_TIMES];
    const double saved = times > 1 ? (starts ? 1 : v->harm.share) * (1 - 1 / times) : 0;
    return saved >= threshold(TH_REPEATS) && (starts || !side_by_side(w));
}

enum when { NOTE, MUCH, MOSTLY, HELD_UP, SCARCE, SHOWN, ASKED, IN_VAIN, REPEATS, TINY, BEGINS, VARIES };
static const uint8_t when[RULE_COUNT] = {
#define S(ID, id, FAMILY, VIEW, needs, CULPRIT, OF, TELLS, WARNS, ...) WARNS,
#include "triage/verdicts/families.def"
};

static bool warns(struct causes *c, const struct works *all, const struct verdict *v, bool varies)
{
    const struct work *w = &all->v[v->harm.work];
    const double on_average = v->harm.all * (double)w->total / (double)c->tg->end; /* so many wait */
    const bool much = v->harm.share >= threshold(TH_SHARE), crowd = v->ev[EV_CROWD] >= threshold(TH_SEVERAL),
               slower = v->known >> EV_SINCE & 1; /* it became so at some moment (name_onset) */
    switch ((enum when)when[v->rule]) {
    case NOTE: return false;
    case MUCH: return much;
    case MOSTLY: return v->harm.share >= threshold(TH_SEVERE);
    case HELD_UP: return much && room(c, v) && (crowd || varies || on_average >= threshold(TH_SEVERAL));
    case SCARCE:
        return v->harm.share >= threshold(TH_SET_SHARE) && room(c, v) && !bounds(c, all, v) &&
               (crowd || one_at_a_time(c, v));
    case SHOWN: return v->ev[EV_SHARE] > 0; /* the sleep is longer than needed, or who answers is too busy */
    case ASKED: return much && w->kind == WORK_REQUESTS; /* others may keep a pace */
    case IN_VAIN:
        return much && ((varies && v->harm.share >= threshold(TH_SEVERE) && work_awaited(w) &&
                         slows_few(c, all, v)) ||
                        others_answered(c, all, v));
    case REPEATS: return repeats(all, v);
    case TINY:
        return v->harm.share >= threshold(TH_SEVERE) && v->ev[EV_TIMES] >= threshold(TH_MANY) &&
               v->ev[EV_EACH] <= threshold(TH_CALLS_EACH);
    case BEGINS: return slower;
    case VARIES:
        return work_awaited(w) && ((!waits_outside(v) && slows_few(c, all, v)) || (slower && !v->held));
    }
    return false;
}

/* ---- its gain, its name, its level --------------------------------------------------------------------- */

/* The share of the pieces' own waits and calls under which a verdict's place is. */
static double above(const struct works *all, const struct verdict *v, enum tree_set s)
{
    const struct work_tree *t = &all->v[v->harm.work].tree;
    double share = 0;
    for (uint32_t top = t->v[0].first; top != NO_LANE; top = t->v[top].next)
        if (any_of(k, t->n, k && tree_top(t, k) == top && t->v[k].user == v->where.user))
            share += tree_share(t, top, s);
    return share < 1 ? share : 1;
}

/* Sets the possible gain of a part with such a share, under a part with the share `most`: at most all of
 * that goes with it, unless others do work there in turn, which remains (a set). Those that queue after the
 * waiters wait less, too. What one has of all is shared out: a part of it stays. */
static void range_of(const struct verdict *v, double share, double most, double *lo, double *hi)
{
    const enum family f = verdict_family(v);
    if (f == FAM_CROWD &&
        v->ev[EV_EACH] > 0) { /* who waits for the first one waits half of that on average */
        share *= v->ev[EV_FIRST] < v->ev[EV_EACH] ? 1 - v->ev[EV_FIRST] / v->ev[EV_EACH] / 2 : 0;
        most = share;
    }
    const bool queued = share > 0 && (family_contends(f) || f == FAM_SLOW);
    *lo = share * threshold(TH_MEND);
    *hi = queued ? share + threshold(TH_REST) * (1 - share) : share;
    *hi = f != FAM_SET && most > *hi ? most : *hi;
    if (f == FAM_SLOW_ONE) {
        *hi = *lo;
        *lo = *hi > threshold(TH_REST) ? *hi - threshold(TH_REST) : 0;
    }
}

/* For a piece that is hit: if few are hit, their part is larger. */
static struct gain gain_of(const struct works *all, const struct verdict *v, double clock)
{
    struct gain g = {.known = true};
    const bool few = v->harm.hit > 0 && v->harm.hit < v->harm.of && !v->harm.slow_only;
    const double hit = few ? v->harm.all * (double)v->harm.of / (double)v->harm.hit : v->harm.all;
    range_of(v, hit < 1 ? hit : 1, above(all, v, TREE_ALL), &g.piece_lo, &g.piece_hi);
    range_of(v, v->harm.slow, above(all, v, TREE_SLOW), &g.p99_lo, &g.p99_hi);
    range_of(v, clock, clock, &g.trace_lo, &g.trace_hi);
    return g;
}

/* For a wait that a timer ends: whether its answer is there already, whether it is a retry, or whether no
 * answer can come. */
static void name_timer(struct causes *c, const struct works *all, struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const bool each = work_awaited(w) || w->single || (w->lives && !w->standing),
               awaited = each && v->harm.share >= threshold(TH_SHARE);
    const bool sleeps = v->rule == RULE_SLEEP, limit = v->rule == RULE_LIMIT;
    const uint32_t group = causes_group(c, v->waiter.group);
    /* a goroutine for each piece, that keeps a pace, limits none of the others */
    const bool alone = keeps_pace(all, v) && group != UINT32_MAX && c->of[group].n > 1;
    const double polls = sleeps ? verdict_polls(c, all, v) : 0;
    double tries = 0;
    if (awaited && polls * v->harm.share >= threshold(TH_SHARE)) {
        verdict_ev(v, EV_SHARE, polls);
    } else if (each && (awaited || v->harm.slow >= threshold(TH_SHARE)) && (sleeps || limit) &&
               (tries = verdict_retries(c, all, v)) > 0) {
        verdict_ev(v, EV_TIMES, tries);
    } else if (!each && v->harm.share >= threshold(TH_SHARE) && (sleeps || limit) &&
               (tries = verdict_backs_off(c, all, v)) > 0) {
        verdict_ev(v, EV_TIMES, tries);
    } else if (limit && verdict_limit_of(all, v) == RULE_LIMIT && !link_news(c, all, v) &&
               verdict_slots_lost(c, all, v)) {
        v->rule = RULE_SLOTS;
    } else if (awaited && (sleeps || limit) && !alone && !(v->ndoing && v->doing[0].cat == EX_DEADLINE) &&
               verdict_rate_limited(c, all, v)) { /* no answer that does not come */
        v->rule = RULE_RATE;
    } else if (awaited && sleeps && trace_g_name(c->tr, w->v[0].g) != v->waiter.group) {
        v->rule = RULE_DOZES;
        if (work_awaited(w) && v->harm.share >= threshold(TH_SEVERE))
            (void)verdict_dozes(c, all, v);
    } else if (limit) {
        v->rule = verdict_limit_of(all, v);
    }
}

/* Whether main's calls, one after the other, are the startup of the program. */
static void name_start(const struct causes *c, const struct works *all, struct verdict *v)
{
    int64_t ns;
    uint32_t n;
    if (v->rule == RULE_SERIAL && verdict_starts_up(c, all, v, &ns, &n)) {
        v->rule = RULE_START;
        v->harm.all = v->harm.share = (double)ns / (double)c->tg->end;
        verdict_ev(v, EV_TOTAL, (double)ns);
        verdict_ev(v, EV_COUNT, n);
    }
}

/* Where the usual pieces have it as well: whether it became slower at some moment. */
static void name_onset(const struct causes *c, const struct work *w, struct verdict *v)
{
    int64_t since;
    if ((v->usual_too || v->rule == RULE_SET) && v->harm.slow >= threshold(TH_MOST) &&
        verdict_began_at(c, w, &since))
        verdict_ev(v, EV_SINCE, (double)since);
}

/* Whether a function slows the slow pieces, and not only more of what the usual ones do. If those have it as
 * well, it is worth saying only if they became slower at some moment, and do not wait for answers: those are
 * told as waits for the remote end (name_onset). */
static bool slows(const struct verdict *v, bool varies)
{
    const bool late = v->ndoing && v->doing[0].cat == EX_NOBODY; /* by the host, or by the runtime */
    return varies && !late && (!v->usual_too || (v->known >> EV_SINCE & 1 && !waits_outside(v)));
}

bool verdict_is_chance(const struct works *all, const struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const bool few = !v->harm.slow_only && (double)v->harm.hit < threshold(TH_SEVERAL) &&
                     (double)v->harm.of >= threshold(TH_MANY);
    return few && (v->harm.share <= v->harm.all || w->slow < threshold(TH_LITTLE) * w->looked);
}

bool verdict_level(struct causes *c, const struct works *all, struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const double clock = of_clock(c, all, v);
    const bool varies = excess(all, v) >= threshold(TH_VARIES);
    const double slow = varies ? v->harm.slow : 0;
    const bool slow_repeat = v->rule == RULE_SERIAL && v->harm.slow_only;
    const bool in_one_go = slow_repeat && w->kind == WORK_ITEMS; /* several things that stood in its queue */
    v->rule = (slow_repeat && !varies) || in_one_go ? RULE_BACKEND : v->rule;
    v->harm.all = slow_repeat && varies ? slow * work_slow_part(w) : v->harm.all;
    v->harm.share = v->harm.all > slow ? v->harm.all : slow;
    name_start(c, all, v);
    if (w->background && v->rule != RULE_START)
        return false;
    name_timer(c, all, v);
    if (v->rule == RULE_SET && v->harm.share >= threshold(TH_SHARE) && verdict_slots_lost(c, all, v))
        v->rule = RULE_SLOTS;
    v->usual_too = threshold(TH_TAIL) * v->harm.usual >= v->harm.slow ||
                   (!v->harm.slow_only && v->harm.hit * 2 >= v->harm.of);
    if (v->rule == RULE_SLOW || v->rule == RULE_BACKEND || v->rule == RULE_SET)
        name_onset(c, w, v);
    if (v->rule == RULE_SLOW && !slows(v, varies))
        return false;
    const bool few_at_first =
        v->harm.all < threshold(TH_SHARE) || verdict_family(v) == FAM_SLOW || verdict_family(v) == FAM_LIMIT;
    const bool over = few_at_first && only_at_first(c, all, v);
    /* it matters to these few; of one or two, if it is anything of the trace */
    const double few = slow * work_slow_part(w) * (double)w->total / (double)c->tg->end;
    const bool tail = varies && !family_contends(verdict_family(v)) &&
                      (w->slow >= threshold(TH_SEVERAL) || few >= threshold(TH_LITTLE));
    const bool matters = (clock >= threshold(TH_CLOCK) || tail) && !over;
    v->clock = clock;
    v->score = v->harm.share * (w->weight * 2 < 1 ? w->weight * 2 : 1) *
               (verdict_family(v) == FAM_SLOW && !v->usual_too ? threshold(TH_VAGUE) : 1);
    v->level = matters && !verdict_is_chance(all, v) && warns(c, all, v, varies) ? LEVEL_WARN : LEVEL_NOTE;
    if (v->level != LEVEL_NOTE &&
        verdict_family(v) != FAM_ORDER) /* what waits behind is not in these pieces */
        v->gain = gain_of(all, v, clock);
    return true;
}
