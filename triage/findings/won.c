/* won.c - see won.h. */
#include "triage/findings/won.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/story.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/won_parts.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define WALKED 16   /* goroutines of a group */
#define STEPS 20000 /* spans of each */
#define GROUPS 4    /* groups that lose */
#define LOSES threshold(TH_WON_LOSES)
#define SWITCH 1000.0 /* ns that waiting, or waking another, takes of what a goroutine runs, about */

enum how { LOCKS, SERVED, PLACE }; /* waits: for a lock asked for in func; that goroutines of `func` ended; at func */
struct ask {
    enum how how;
    uint32_t func;
    int64_t stays; /* of each wait: what serving it takes */
    bool shared;   /* other functions ask for the same lock */
    bool nested;   /* its holders wait for another lock: waits for that go, too */
    /* they wait for the network, or to hand something over, in the function that locks: another goroutine could */
    bool outside;
    /* what others run needn't be done before: they are handed something, or have the processors holders wait for */
    bool alone;
};
struct lives { /* of goroutines that lose: all, and without what goes */
    int64_t all, stays, served;
    int64_t queued;  /* of what stays: they waited for a processor */
    int64_t ran;     /* of what stays */
    int64_t longest; /* of these lives */
    uint32_t n;
    int64_t there; /* by the clock, while their groups had one there */
    bool some;     /* not all of a group were looked at */
    bool more;     /* there are more groups */
    double least;  /* share that one needs who loses nothing and sleeps most of its life: in the lock, maybe */
};
struct work {
    struct causes *c;
    uint64_t left;
    struct held held; /* of the lock under work */
    bool walked;      /* the main goroutine's way has been asked for */
    bool leads;       /* it leads through others' work, so it tells what the trace's length depends on */
    struct explain_tree way;
};

/* ---- lives without what goes ----------------------------------------------------------------------------------- */

/* Is the lock asked for in that place? */
static bool at_lock(const struct causes *c, const struct ask *a, uint32_t stack)
{
    const uint32_t place = holder_place(c->tr, stack);
    return place == a->func || (a->shared && holder_lock(c->tg, place) == a->func);
}

static bool goes(const struct causes *c, const struct ask *a, const struct span *s, const struct span *next)
{
    enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
    switch (a->how) {
    case LOCKS:
        if ((k == WK_NET || k == WK_SEND) && a->outside) {
            return stacks_passes(c->tr, s->stack, a->func) || at_lock(c, a, s->stack);
        }
        return (k == WK_LOCK || k == WK_COND) && (a->nested || at_lock(c, a, s->stack));
    case PLACE: return causes_place(c->tr, s->stack) == a->func;
    default:
        return wait_passes_on(k) && next->state == ST_RUNNABLE && next->who < c->tg->ng &&
               c->tg->groups[gstat_group(c->tg->g, next->who)].name == a->func;
    }
}

/*
 * A goroutine's life without the waits that go, and without the time to get a processor again behind each. Who hardly
 * loses any (and holds the lock, maybe) sleeps as long as before.
 */
static void live_of(struct work *w, const struct ask *a, uint32_t g, struct lives *v)
{
    struct walk k;
    int64_t first = NO_TIME, last = 0, life = 0, gone = 0, slept = 0, idle = 0, served = 0, queued = 0, ran = 0;
    bool back = false; /* the wait before this span goes */
    const struct span *next = walk_first(&k, w->c->tr, g, STEPS);
    for (struct span s; w->left && walk_pair(&k, &s, &next); w->left--) {
        int64_t ns = s.t1 - s.t0;
        first = first == NO_TIME ? s.t0 : first;
        last = s.t1;
        life = ns_add(life, ns);
        if (s.state == ST_WAITING && next) {
            back = goes(w->c, a, &s, next);
            served += back ? (ns < a->stays ? ns : a->stays) : 0;
            bool sleeps = stacks_wait_kind(w->c->tr, s.reason, s.stack) == WK_SLEEP;
            *(sleeps ? &slept : &idle) += ns;
        } else if (s.state != ST_RUNNABLE) {
            back = false;
        }
        gone += back ? ns : 0;
        queued += !back && s.state == ST_RUNNABLE ? ns : 0;
        ran += s.state == ST_RUNNING ? ns : 0;
    }
    if (life <= 0) {
        return;
    }
    if ((double)gone < LOSES * (double)life) {
        double own = 1 - (double)idle / (double)life;
        bool counts = a->how == LOCKS && last - first > w->c->tg->end / 2 && slept > life / 2;
        v->least = counts && own > v->least ? own : v->least;
        return;
    }
    const double times = (double)(last - first) / (double)life; /* of stretches of its life: about */
    v->all = ns_add(v->all, last - first);
    v->stays = ns_add(v->stays, (int64_t)((double)(life - gone) * times));
    v->served = ns_add(v->served, (int64_t)((double)served * times));
    v->queued = ns_add(v->queued, (int64_t)((double)queued * times));
    v->ran = ns_add(v->ran, (int64_t)((double)ran * times));
    v->longest = last - first > v->longest ? last - first : v->longest;
    v->n++;
}

/* Of what all run, and make system calls with, what the holders of the lock do while they hold it. */
static double held_work(const struct work *w, uint32_t lock)
{
    struct holder_row h;
    int64_t ns = 0;
    for (size_t i = 0; i < w->held.n; i++) {
        ns = ns_add(ns, w->held.v[i].t1 - w->held.v[i].t0);
    }
    return holder_of_lock(w->c->tg, lock, &h) && h.told > 0
               ? (double)ns / (double)w->c->tg->end * (double)ns_add(h.ns[ST_RUNNING], h.ns[ST_SYSCALL]) /
                     (double)h.told
               : 0;
}

/* The lives of those that wait there, without that. */
static struct lives lives_of(struct work *w, const struct ask *a)
{
    struct causes *c = w->c;
    struct lives v = {0};
    uint32_t seen[GROUPS], losing[GROUPS], n = 0, lose = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        bool in = a->how == SERVED
                      ? !p->from_scheduler && p->waker == a->func && p->waiter != a->func
                      : (a->how == LOCKS ? at_lock(c, a, p->stack) : causes_place(c->tr, p->stack) == a->func);
        uint32_t g = in ? causes_group(c, p->waiter) : UINT32_MAX, k = 0;
        while (k < n && seen[k] != g) {
            k++;
        }
        if (g == UINT32_MAX || k < n) {
            continue;
        }
        if (n == GROUPS) {
            v.more = true;
            break;
        }
        seen[n++] = g;
        const uint32_t m = c->of[g].n, look = m < WALKED ? m : WALKED, before = v.n;
        v.some |= m > WALKED;
        for (uint32_t j = 0; j < look; j++) {
            live_of(w, a, causes_member(c, g, j, WALKED), &v);
        }
        if (v.n > before) {
            losing[lose++] = g;
        }
    }
    v.there = won_while_there(c, losing, lose);
    return v;
}

/*
 * Of the longest: a crew that is there throughout, of whom some have more to do than others, shares out what is left.
 */
static double left_shared(const struct causes *c, const struct lives *v)
{
    const bool crew = v->n > 1 && !v->some && threshold_reached(TH_WON_CREW, v->longest, c->tg->end);
    return crew ? (double)v->stays / v->n / (double)v->longest : 1;
}

/* What runs on average where others are waited for whose work is waiting itself, mostly: it goes with that. */
static double sends_on(const struct causes *c, const struct ask *a)
{
    double runs = 0;
    for (uint32_t i = 0; i < c->tg->ngroups && a->how == SERVED; i++) {
        const struct group *g = &c->tg->groups[i];
        const bool of = g->name == a->func && g->d[GM_EXEC].total < g->d[GM_LIFE].total / 2;
        runs += of ? (double)g->d[GM_EXEC].total / (double)c->tg->end : 0;
    }
    return runs;
}

/*
 * By the clock, while there is one of those that lose: outside of that nothing is won. Of groups that were not looked
 * at nobody knows.
 */
static int64_t there_at_most(const struct causes *c, const struct lives *v)
{
    return v->n && !v->more && v->there < c->tg->end ? v->there : c->tg->end;
}

/* What the processors run and make system calls with. */
static double work_of(const struct causes *c)
{
    return c->running + (double)c->tg->p_sum.ns[ST_SYSCALL] / (double)c->tg->end;
}

/* What share of the time would be left: of all these lives, and no less than the processors need. */
static void waits_won(struct work *w, const struct ask *a, struct span_of_won *o)
{
    struct causes *c = w->c;
    const struct lives v = lives_of(w, a);
    const double all = (double)v.all, procs = (c->running - sends_on(c, a)) / c->procs,
                 least = procs > v.least ? procs : v.least, shared = left_shared(c, &v);
    double left = v.all > 0 ? (double)v.stays / all : 1, work = procs; /* work: what the processors do in any case */
    left = left > least ? left : least < 1 ? least : 1;
    o->hi = 1 - left;
    const double kept = a->how == LOCKS ? work_of(c) / c->procs : 0, /* letting go sooner takes none of it away */
        sure = 1 - (kept > left ? kept : left) - (double)v.served / (all + 1);
    o->lo = (sure > 0 ? sure : 0) * LEAST;
    if (a->how == LOCKS && v.all > 0) { /* the crowd that comes from it may go as well, and what runs under it */
        const double rest = (double)(v.stays - v.queued) / all;
        w->c->rs->failed |= !won_held(w->c->tg, a->func, &w->held);
        work = a->alone ? (double)v.ran / (double)c->tg->end / c->procs
                        : (work_of(c) - held_work(w, a->func)) / c->procs;
        work = work > 0 ? work : 0;
        left = rest > work ? rest : work < 1 ? work : 1;
        o->hi = 1 - left > o->hi ? 1 - left : o->hi;
    }
    if (shared < 1 && 1 - (shared > work ? shared : work) > o->hi) {
        o->hi = 1 - (shared > work ? shared : work);
    }
    const double there = (double)there_at_most(c, &v) / (double)c->tg->end;
    o->hi = there < 1 ? o->hi * there : o->hi; /* a share of these lives, which are a part of the trace */
    o->lo = there < 1 ? o->lo * there : o->lo;
}

/*
 * Two runs of a program differ, and by so much the upper end is widened: never by more than half of what is told, or
 * of a small thing mostly the difference would be told. Where nothing is told but that it may be more, by all of
 * that.
 */
static double spread_of(const struct span_of_won *o)
{
    const double most = o->hi > 0 && o->hi / 2 < SPREAD ? o->hi / 2 : SPREAD;
    return most < (1 - o->hi) / 2 ? most : (1 - o->hi) / 2;
}

/* ---- the way that decides how long the trace is ---------------------------------------------------------------- */

/*
 * The main goroutine's way, followed through those that ended its waits, is as long as the trace. Without a part of
 * it it is shorter by that part at most, whatever else gets shorter; what it doesn't lead through makes nothing
 * shorter, unless all else gets quicker. Where it hardly leads through others, or its own many pauses, it says
 * nothing: it waits for a signal, or for a while.
 */
static bool way_leads(struct work *w)
{
    struct causes *c = w->c;
    if (!w->walked) {
        int64_t others = 0;
        w->walked = true;
        w->leads = causes_main_tree(c, &w->way);
        for (uint32_t i = w->leads ? w->way.v[0].first : NO_LANE; i != NO_LANE; i = w->way.v[i].next) {
            const struct explain_node *n = &w->way.v[i];
            const bool paces = n->cat == EX_TIMER && (double)n->count >= threshold(TH_TIME_PIECES);
            others = ns_add(others, n->cat == EX_WAIT || paces ? n->ns : 0);
        }
        if (w->leads && !threshold_reached(TH_WON_WAY, others, w->way.v[0].ns)) {
            explain_tree_free(&w->way);
            w->leads = false;
        }
    }
    return w->leads;
}

/*
 * Its share at a place, or another with it, or (place 0) where goroutines of a start function do something
 * themselves. What ends at the network of a process that is asked itself is not followed: whoever answers there may
 * be at that place, so `unknown` is its share.
 */
static double way_at(const struct work *w, uint32_t place, uint32_t also, uint32_t who, double *unknown)
{
    const struct explain_tree *t = &w->way;
    const bool serves = calls_accept(w->c);
    int64_t ns = 0, net = 0;
    for (uint32_t i = 1; i < t->n; i++) {
        const struct explain_node *n = &t->v[i];
        const bool at = place ? n->func == place || (also && n->func == also) : n->who == who && n->first == NO_LANE;
        bool within = false; /* another that counts */
        for (uint32_t up = n->up; place && up != NO_LANE && up != 0 && !within; up = t->v[up].up) {
            within = t->v[up].func == place || (also && t->v[up].func == also);
        }
        ns = at && !within ? ns_add(ns, n->ns) : ns;
        net = !at && !within && serves && explain_waits_outside(n->cat) ? ns_add(net, n->ns) : net;
    }
    const double all = t->v[0].ns > 0 ? (double)t->v[0].ns : 1;
    *unknown = (double)net / all;
    return (double)ns / all;
}

/* No more is won for sure than a part of the way; where what is waited for is outside, up to all of what is on it. */
static void way_bounds(struct work *w, const struct finding *f, struct span_of_won *o)
{
    struct causes *c = w->c;
    const bool calls = f->rule == RULE_SERIAL_CALLS || f->rule == RULE_BACKEND || f->rule == RULE_CONNS;
    const bool held_up = calls || f->rule == RULE_CONVOY || f->rule == RULE_WRITER || f->rule == RULE_POLL;
    const uint32_t place = f->stack ? causes_place(c->tr, f->stack) : 0;
    if (f->note ||
        !(f->rule == RULE_UNBALANCED ? f->lane.kind == LANE_G && f->lane.i < c->tg->ng : held_up && place) ||
        !way_leads(w)) {
        return;
    }
    double unknown;
    double on = way_at(w, f->rule == RULE_UNBALANCED ? 0 : place, f->also,
                       f->rule == RULE_UNBALANCED ? trace_g_name(c->tr, f->lane.i) : 0, &unknown);
    if (f->own_side) { /* what is not known of it is for those that this finding is about */
        on += unknown;
        unknown = 0;
    }
    if (on * LEAST + SPREAD < o->lo) {
        o->bound = unknown < SPREAD ? ON_WAY : BEYOND;
        o->on = on;
    }
    o->lo = on * LEAST < o->lo ? on * LEAST : o->lo;
    /* what readers do behind their lock need not be waited for by the writer; what calls wait for, by nobody */
    const bool all = (calls && f->rule != RULE_CONNS && !f->later) || f->rule == RULE_WRITER;
    o->hi = all && on + unknown > o->hi ? (on + unknown < 1 ? on + unknown : 1) : o->hi;
}

/*
 * A set that many wait for, while hardly any of the way leads through that waiting: what comes late, or is tried
 * again, decides. Then it is a note. Where the way does not meet it at all, it may be told there by other functions.
 */
static void pool_bounds(struct work *w, struct finding *f, struct span_of_won *o)
{
    const bool asks = f->rule == RULE_POOL && !f->note && !f->at_work && f->stack;
    const uint32_t place = asks ? causes_place(w->c->tr, f->stack) : 0;
    double unknown;
    const double on = place && way_leads(w) ? way_at(w, place, 0, 0, &unknown) : 0;
    if (on >= threshold(TH_TIME_FINDING) && on < threshold(TH_WON_POOL) * o->hi) {
        *o = (struct span_of_won){on * LEAST, on, .bound = ON_WAY, .on = on};
        f->note = true;
    }
}

/*
 * Where hardly a processor idles, time for which many wait is no time lost: others run meanwhile. So it costs the
 * middle of what can be won. Where its holders wait for these processors all of it may go, unless the main
 * goroutine's way hardly leads through it: then it is a note.
 */
static void lock_bounds(const struct causes *c, struct finding *f, const struct span_of_won *o)
{
    if ((f->rule != RULE_CONVOY && f->rule != RULE_WRITER) || o->more ||
        c->idle >= threshold(TH_CONVOY_IDLE) * c->procs) {
        return;
    }
    const int64_t middle = (int64_t)((o->lo + o->hi) / 2 * (double)c->tg->end);
    struct holder_row h;
    const bool queues = f->stack && holder_of_lock(c->tg, holder_lock(c->tg, holder_place(c->tr, f->stack)), &h) &&
                        holder_queues(c->tg, &h);
    f->note |= queues && o->bound == ON_WAY && o->on < SPREAD;
    f->severity_ns = queues || f->severity_ns < middle ? f->severity_ns : middle;
}

/*
 * What waits for a device queues there when it no longer waits for the lock: how much goes is not told by the lock's
 * waits.
 */
static void device_bounds(const struct finding *f, struct span_of_won *o)
{
    if (f->at_device && o->bound != ON_WAY) {
        o->lo /= 2;
        o->words =
            "from about a third of the waiting up to all of it: without the lock, calls that wait for a device "
            "(fsync) may still wait for each other";
    }
}

/* ---- each rule ------------------------------------------------------------------------------------------------- */

#define CALLS_WORK \
    "from a third of the calls' time to all of it: a trace does not show what the kernel does inside a call"
#define HALF "if between half and all of it goes away and the rest stays the same"
#define SOONER "by which the waiters finish sooner; wall time is gained only as far as something waits for them"
#define ANSWERS_TOO \
    "from 70 % of the waiting for connections to all of it plus the waiting for answers, which may be late because " \
    "of them"
#define CALLERS_WAIT \
    "from 70 % of what they take of the processors and of stopping, up to all that the main goroutine waits for " \
    "them"
#define FIRST_TOO "if what is asked first on each connection is part of opening it"
#define MOST NULL /* "if 70 % of it .." */
/* what is waited for takes a part of it anyway */
#define SOME "if between 60 % and all of it goes away and the rest stays the same"
/* What is no time of this trace. */
static const char latency_only[] = "its cost is latency", memory_only[] = "its cost is memory, or latency";
#define STUCK_FOR_GOOD "but a trace cannot show what the stuck goroutines would do if they went on"
#define ALLOCATOR \
    "from half of the time it holds goroutines up to all of that plus what marking slows down; a trace does not " \
    "show what allocating itself costs"
#define TIMES_LATE \
    "in processor time; wall time is gained only as far as others wait for a processor; a trace does not show how " \
    "late " \
    "this makes other timers"
#define CROWD "since a trace does not show what starting and ending so many costs"
#define ALL_BACK "from 70 % of the waiting added since the beginning to all the waiting there"
#define NOT_APART \
    "if no call needs the answer of another; nothing if each needs the previous answer, or if nothing waits for " \
    "them"
#define FETCHED "if no question depends on the work before it; nothing if each does"
#define HANDING "from 70 % of its cost, counting half of the hand-over work, to all of that plus the waits"
#define GARBAGE \
    "if between half and all of it goes away; a trace does not show what the collector takes from everyone else " \
    "for it"
#define NOT_PACE "if what it waits for has happened by then; nothing if this pace is intended"
#define NO_SLEEP "if those that sleep work as the others do; nothing if the sleep is intended"
#define QUEUED "nothing if a single call takes that long by itself, all of it if the calls only queue"
#define ONE_FOR_ALL "from half of the time they wait longer than the quickest one to all their waiting there"
#define UNDER_LOCK "from 70 % of the waiting to all of it plus the waits for a processor that it causes"
#define ONE_QUESTION \
    "nothing if those that wait need just what is fetched meanwhile, all of it if they need something else"
#define GIVE_WAY \
    "up to all of it if the holders need not wait for a processor; what occupies the processors then takes longer"
#define SHORT_WORK \
    "for the short work: its waits for a processor, and the lateness of its timers, which nobody checks " \
    "meanwhile (at most its sleeping); the long work may take longer in return"
#define COLLECTIONS "from half of the extra time of the slow ones to all of it plus what their collections slow down"
#define TURNS "from half of the stopped time to all the time that the callers wait for their turn to stop the world"
#define RUNS_LESS \
    "from 70 % of the waiting, less what the holders run meanwhile, to all of it plus the waits for a processor " \
    "that it " \
    "causes"
#define ALSO_WRITES "; what the callers run besides, to write the profile, is not counted"
#define ALLOCATES "; a trace does not show what collecting what is allocated there takes from everyone else"
#define IDLE_ANYHOW "in processor time; wall time is gained only as far as others wait for a processor"

/* What of a group's lives is waiting for a processor. */
static double queue_of(const struct causes *c, uint32_t group)
{
    const struct group *g = group != UINT32_MAX ? &c->tg->groups[group] : NULL;
    return g && g->d[GM_LIFE].total > 0 ? (double)g->d[GM_SCHED].total / (double)g->d[GM_LIFE].total : 0;
}

/* A wait for a processor by goroutines of other groups: what of their lives is that, at most. */
static double others_queue(const struct causes *c, uint32_t except)
{
    double most = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const double share = queue_of(c, i);
        if (i != except && c->life[i].program &&
            (double)(c->life[i].last - c->life[i].first) > 0.2 * (double)c->tg->end) {
            most = share > most ? share : most;
        }
    }
    return most;
}

/*
 * Of a group's lives all that a timer ends: while the processors are taken by who runs on, these are looked at late.
 */
static double late_timers(const struct causes *c, uint32_t group)
{
    const bool known = group != UINT32_MAX && c->life[group].life > 0;
    return known ? (double)c->life[group].by[WK_SLEEP] / (double)c->life[group].life : 0;
}

static double served_stays(const struct causes *c, uint32_t group)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        n += !p->from_scheduler && p->waker == c->tg->groups[group].name && p->waiter != p->waker ? p->count : 0;
    }
    return n ? c->life[group].busy * (double)c->life[group].life / (double)n : 0;
}

static double slow_share(const struct causes *c, const struct finding *f)
{
    for (uint32_t i = 0; i < c->tg->ntypes; i++) {
        const struct span_type *y = &c->tg->types[i];
        if (y->nslow && y->slow[0].t0 == f->t0 && y->slow[0].t1 == f->t1 && y->d.total > 0) {
            double usual = (double)y->d.p50 * (double)y->d.n / (double)y->d.total;
            int64_t life =
                f->lane.i < c->tg->ng ? c->tg->groups[gstat_group(c->tg->g, f->lane.i)].d[GM_LIFE].total : 0;
            double of =
                life > 0 ? (double)y->d.total / (double)life : 1; /* the rest of their lives is not in tasks */
            return usual < 1 ? (1 - usual) * (of < 1 ? of : 1) : 0;
        }
    }
    return 0;
}

static bool asks_for_collections(const struct causes *c)
{
    bool asks = false;
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        asks |= c->rs->out->f[i].rule == RULE_FORCED;
    }
    return asks;
}

/* Both would run through what they have to do, the busier one without a pause. */
static void handoff_won(const struct causes *c, uint32_t group, double cost, struct span_of_won *o)
{
    const struct group *g = group != UINT32_MAX ? &c->tg->groups[group] : NULL;
    double run = 1, woke = 0;
    for (uint32_t i = 0; g && i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        woke += p->waiter == g->name || p->waker == g->name ? SWITCH * (double)p->count : 0;
    }
    if (g && g->d[GM_LIFE].total > 0) {
        run = ((double)g->d[GM_EXEC].total - woke) / (double)g->d[GM_LIFE].total;
        run = run > 0 ? run : 0;
    }
    o->hi = 1 - run > cost ? 1 - run : cost;
}

/*
 * Where no processor idles, who spins takes them from all others: what these run, side by side, is what is left at
 * least.
 */
static void spin_won(const struct causes *c, double cost, struct span_of_won *o)
{
    const double others = c->running / c->procs - cost;
    *o = (struct span_of_won){0, cost, .words = IDLE_ANYHOW};
    if (c->idle < threshold(TH_BOTTLE_IDLE)) {
        o->hi = others > 0 ? 1 - others : 1;
    }
}

/* With a processor for each, who runs longest decides. */
static void procs_won(const struct causes *c, double cost, struct span_of_won *o)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *g = &c->tg->groups[i];
        most = c->life[i].program && g->d[GM_EXEC].max > most ? g->d[GM_EXEC].max : most;
    }
    double hi = 1 - (double)most / (double)c->tg->end;
    o->hi = hi > cost ? hi : cost;
}

/* The share of the trace in which the collector marks, stops the world or, on one processor after the other, sweeps. */
static double at_it(const struct causes *c)
{
    int64_t ns = ns_add(c->tg->gc_mark_ns, c->tg->p_sum.ns[ST_SWEEP]);
    for (uint32_t i = 0; i < c->tg->nstw; i++) {
        ns = ns_add(ns, c->tg->stw[i].is_gc ? c->tg->stw[i].total : 0);
    }
    return ns < c->tg->end ? (double)ns / (double)c->tg->end : 1;
}

/*
 * Of the lives of the busiest goroutines: assists, waits for it and for a processor, and what they ran while it
 * marked, which it slows.
 */
static void collector_won(const struct causes *c, double cost, struct span_of_won *o)
{
    uint32_t best = UINT32_MAX;
    double hi = cost, lost = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        bool more = best == UINT32_MAX || c->tg->groups[i].d[GM_EXEC].total > c->tg->groups[best].d[GM_EXEC].total;
        best = c->life[i].program && more ? i : best;
    }
    if (best != UINT32_MAX && c->tg->groups[best].d[GM_LIFE].total > 0) {
        const struct group *g = &c->tg->groups[best];
        double own = (double)(g->d[GM_EXEC].total - g->d[GM_ASSIST].total);
        double marked = own * (double)c->tg->gc_mark_ns / (double)c->tg->end;
        const int64_t *by = c->life[best].by; /* "sync" without a lock of the program's is the allocator's, too */
        double held = (double)ns_add(g->d[GM_ASSIST].total, g->d[GM_SCHED].total) +
                      (double)ns_add(ns_add(by[WK_GC], by[WK_OTHER]), by[WK_LOCK]);
        hi = (held + marked) / (double)g->d[GM_LIFE].total;
        bool paced = by[WK_SLEEP] > g->d[GM_LIFE].total / 3; /* who sleeps between pieces may make up for it so */
        lost = paced ? 0 : held / (double)g->d[GM_LIFE].total;
    }
    const double most = at_it(c); /* who waits for something else while it is not is not held by it */
    hi = hi < most ? hi : most;
    *o = (struct span_of_won){(lost < cost ? lost : cost) / 2, hi > cost ? hi : cost, .more = true,
                              .words = ALLOCATOR};
}

enum { LEAST_OF_IT = -1, AS_TOLD = -2 };
/* What depends on no more than what the finding costs, or told of what is to be won. */
static const struct plain {
    enum rule rule;
    double lo, hi; /* of what it costs */
    bool more;
    const char *words;
} plain[] = {
    {RULE_FINALIZERS, LEAST_OF_IT, 1, false, MOST},
    {RULE_PREPARED, LEAST_OF_IT, 1, false, MOST},
    {RULE_HUB, LEAST_OF_IT, AS_TOLD, false, MOST},
    {RULE_SLOWEST, LEAST_OF_IT, 1, false, MOST},
    {RULE_LINGER, 0.6, 1, false, SOME},
    {RULE_IN_ORDER, LEAST_OF_IT, 1, false, MOST},
    {RULE_FORCED, LEAST_OF_IT, AS_TOLD, false, CALLERS_WAIT},
    {RULE_UNBALANCED, LEAST_OF_IT, 1, false, MOST},
    {RULE_SERIAL, 0.6, 1, false, SOME},
    {RULE_CONNS, LEAST_OF_IT, AS_TOLD, true,
     "since what each connection takes beside (its goroutines and buffers, the other side's part) goes away as well"},
    {RULE_SYSCALL, LEAST_OF_IT, 1, false, MOST},
    {RULE_PHASES, LEAST_OF_IT, 1, true, "since more than two steps may overlap"},
    {RULE_PIECES, LEAST_OF_IT, 1, false, MOST},
    {RULE_READER, LEAST_OF_IT, 1, false, MOST},
    {RULE_BURSTS, 0, AS_TOLD, false,
     "for the callers of that moment; how much sooner everything ends depends on what else they do"},
    {RULE_SERIAL_CALLS, LEAST_OF_IT, AS_TOLD, false, MOST},
    {RULE_BACKEND, LEAST_OF_IT, AS_TOLD, false, MOST},
    {RULE_GRAIN, LEAST_OF_IT, AS_TOLD, false, HANDING},
    {RULE_SMALL_CALLS, LEAST_OF_IT, AS_TOLD, true,
     "since a trace does not show what entering and leaving each costs"},
    {RULE_EACH, 0, AS_TOLD, false, "if one call does the work of many; the time of that one remains"},
    {RULE_FULL, 0, AS_TOLD, false, "if all of that work went away; only its author knows how much can"},
    {RULE_HOT, 0, AS_TOLD, false, "if all of that work went away; only its author knows how much can"},
    {RULE_ACCEPT, 0, AS_TOLD, false, "for connecting clients; a trace does not show how long each had waited"},
    {RULE_LIMIT, 0, AS_TOLD, false, NOT_PACE},
    {RULE_RETRY, 0, AS_TOLD, false, "if nothing has to be retried; nothing if this pace is intended"},
    {RULE_HERD, 0, 2, false, IDLE_ANYHOW},
    {RULE_CHURN, 0, 1, true, CROWD},
    {RULE_CONTEXTS, LEAST_OF_IT, 1, true, CROWD},
    {RULE_EXPLOSION, LEAST_OF_IT, 1, true, CROWD},
    {RULE_CHILDREN, 0.5, 1, false, HALF},
    {RULE_STUCK, 0, 1, false, STUCK_FOR_GOOD},
    {RULE_KNOT, 0, 1, false, STUCK_FOR_GOOD},
    {RULE_STARVED, 0.6, 1.1, false, SOME},
    {RULE_LAST, LEAST_OF_IT, 1, false, MOST},
    {RULE_LEFT, 0, 1, false, IDLE_ANYHOW},
    {RULE_LOST, 0.5, 1, true, HALF},
    {RULE_HOLD, 0.5, 1, true, HALF},
    {RULE_SHARE, 0, 1, false, "for those waiters; whether everything ends sooner depends on what else they do"},
    {RULE_HOST, LEAST_OF_IT, 1, true, "since a trace shows only part of what the host takes"},
    {RULE_LEAK, 0, 0, false, memory_only},
    {RULE_OPEN, 0, 0, false, "its cost is that a process may have only so many open"},
    {RULE_HEAP, 0, 0, false, memory_only},
};

static void lock_won(struct work *w, const struct finding *f, struct span_of_won *o)
{
    const struct causes *c = w->c;
    const uint32_t place = f->stack ? holder_place(c->tr, f->stack) : 0;
    struct ask a = {.how = LOCKS, .func = holder_lock(c->tg, place)};
    struct holder_row sum;
    const struct holder_row *h = holder_of_lock(c->tg, a.func, &sum) ? &sum : NULL;
    a.shared = holder_shared(c->tg, a.func);
    a.nested = h && h->wait_ns[WK_LOCK] > h->told / 2;
    a.outside = h && ns_add(h->wait_ns[WK_NET], h->wait_ns[WK_SEND]) > h->told / 2;
    const bool kept = h && holder_queues(c->tg, h); /* others have the processors */
    a.alone = kept || (h && h->wait_ns[WK_SEND] > h->told / 2);
    waits_won(w, &a, o);
    o->words = kept ? GIVE_WAY : UNDER_LOCK;
    const int64_t runs = h ? ns_add(h->ns[ST_RUNNING], h->ns[ST_RUNNABLE]) : 0;
    if (h && !a.shared && h->told > 0 && runs > h->told / 8 && runs <= h->told / 2) {
        o->lo *=
            1 - (double)runs / (double)h->told; /* the advice is about what they wait for; what they run may stay */
        o->words = RUNS_LESS;
    }
    if (h && lock_one_for_all(c->tg, a.func, h)) {
        o->lo = 0;
        o->words = ONE_QUESTION;
    }
    if (h && h->ns[ST_RUNNING] > h->told / 2 && threshold_reached(TH_WON_MARKED, c->tg->gc_mark_ns, c->tg->end)) {
        o->more = true;
        o->words = UNDER_LOCK ALLOCATES;
    }
}

/*
 * Of the trace, what one goroutine waits for the network, if that is most of what it does: asked for at once, hardly
 * any of that is left.
 */
static double asks_alone(const struct causes *c, uint32_t group)
{
    const struct group_life *l = &c->life[group];
    const bool net = l->n < 1.5 && threshold_reached(TH_WON_ASKS, l->by[WK_NET], l->life);
    return net && c->of[group].n == 1 ? (double)l->by[WK_NET] / (double)c->tg->end : 0;
}

/* Of what others wait for; told: of requests, as a share of what they take. */
static void set_won(struct work *w, const struct finding *f, uint32_t group, double told, struct span_of_won *o)
{
    const struct causes *c = w->c;
    const int64_t longest = begun_longest(w->c, f);
    if (told > 0) { /* of requests: those that ask may be as slow by themselves */
        *o = f->rule != RULE_BOTTLENECK || !(f->note || f->ends_with)
                 ? (struct span_of_won){told / 2, told, .words = HALF}
                 : (struct span_of_won){0, told, .words = f->note ? IDLE_ANYHOW : SOONER};
    } else if (longest) { /* side by side the longest of them is what is left */
        o->hi = 1 - (double)longest / (double)c->tg->end;
        o->lo = o->lo < o->hi ? o->lo : o->hi;
    } else if (f->stack) {
        waits_won(w, &(struct ask){.how = PLACE, .func = causes_place(c->tr, f->stack)}, o);
    } else {
        const bool known = group != UINT32_MAX;
        const int64_t stays = known ? (int64_t)served_stays(w->c, group) : 0;
        waits_won(w, &(struct ask){.how = SERVED, .func = known ? c->tg->groups[group].name : 0, .stays = stays}, o);
        const double asks = f->rule == RULE_BOTTLENECK && known && !f->note ? asks_alone(c, group) : 0;
        o->hi = asks > o->hi ? asks : o->hi;
    }
}

/* Of what waits where the finding is. */
static struct span_of_won place_won(struct work *w, const struct finding *f)
{
    struct span_of_won o = {0, 0, .words = MOST};
    waits_won(w, &(struct ask){.how = PLACE, .func = causes_place(w->c->tr, f->stack)}, &o);
    return o;
}

/* Behind each stop, all queue for the processors; and who asks for the next one waits for its turn. */
static void stops_won(struct work *w, const struct finding *f, double cost, struct span_of_won *o)
{
    const double turns = f->stack ? place_won(w, f).hi : 0;
    const double queue = others_queue(w->c, UINT32_MAX);
    const bool full =
        w->c->idle < threshold(TH_POOL_IDLE) * w->c->procs; /* then the queue is there without them, too */
    *o = (struct span_of_won){0, cost + (full && queue > cost ? cost : queue), .words = IDLE_ANYHOW};
    if (turns > 0 && turns + cost * (1 - turns) > o->hi) {
        const bool profile = stacks_has(w->c->tr, f->stack, "oroutineProfile");
        *o = (struct span_of_won){turns > o->hi ? cost / 2 : 0, turns + cost * (1 - turns), .more = profile,
                                  .words = profile ? TURNS ALSO_WRITES : TURNS}; /* who does not wait stands, too */
    }
}

static void trend_won(const struct causes *c, double cost, double told, struct span_of_won *o)
{
    const bool more = threshold_reached(TH_WON_MARKED, c->tg->gc_mark_ns, c->tg->end);
    *o = (struct span_of_won){cost / 2, told, .more = more, .words = more ? GARBAGE : HALF};
}

/* Calls that block: they keep processors, or only threads. */
static void calls_won(const struct finding *f, double told, double queue, struct span_of_won *o)
{
    if (f->queued) {
        *o = (struct span_of_won){told / 3, told, .words = CALLS_WORK};
    } else if (told > 0) {
        *o = (struct span_of_won){f->note ? 0 : told / 2, told, .words = f->note ? QUEUED : HALF};
    } else {
        *o = (struct span_of_won){0, queue, .words = IDLE_ANYHOW};
    }
}

/* What needs more of the trace than what the finding tells. false: nothing is told of it. */
static bool counted_won(struct work *w, const struct finding *f, double cost, double told, struct span_of_won *o)
{
    struct causes *c = w->c;
    const uint32_t group =
        f->lane.kind == LANE_G && f->lane.i < c->tg->ng ? gstat_group(c->tg->g, f->lane.i) : UINT32_MAX;
    double all;
    switch (f->rule) {
    case RULE_CONVOY:
    case RULE_WRITER: lock_won(w, f, o); return true;
    case RULE_BOTTLENECK:
    case RULE_POOL: set_won(w, f, group, told, o); return !f->note || f->severity_ns > 0; /* aside: nothing is said */
    case RULE_OWN: /* the one that they wait for waits itself, mostly: less sure */
        all = place_won(w, f).hi;
        *o = (struct span_of_won){all / 2, all, .words = HALF};
        return true;
    case RULE_SLOTS:    /* with all of them back nobody may have to wait */
        if (told > 0) { /* workers */
            return true;
        }
        all = place_won(w, f).hi;
        o->hi = all > cost ? all : cost;
        o->words = ALL_BACK;
        return true;
    case RULE_STAMPEDE:
        /* who may go on with what was there before waits for nobody; who gets the same at once queues with it */
        *o = (struct span_of_won){cost / 2, told + queue_of(c, group), .words = ONE_FOR_ALL};
        return true;
    case RULE_BUSY_LOOP: spin_won(c, cost, o); return true;
    case RULE_BLOCKING: calls_won(f, told, others_queue(c, group), o); return true;
    case RULE_STORM:
    case RULE_TICKERS:
        all = others_queue(c, group);
        all = f->rule == RULE_TICKERS && cost > all ? cost : all;
        *o = (struct span_of_won){0, all, .more = true, .words = TIMES_LATE};
        return true;
    case RULE_STW: stops_won(w, f, cost, o); return true;
    case RULE_SLOW_TASK:
        all = slow_share(c, f);
        *o = (struct span_of_won){all / 2, all, .words = HALF};
        if (asks_for_collections(c)) { /* these slow all others down as well */
            o->hi = all + (double)c->tg->gc_mark_ns / (double)c->tg->end;
            o->words = COLLECTIONS;
        }
        return true;
    case RULE_GC_SHARE:
    case RULE_GC_ASSIST: collector_won(c, cost, o); return true;
    case RULE_HANDOFF:
        if (told > 0) { /* a chain: the busiest by itself is what is left */
            *o = (struct span_of_won){cost / 2, told, .words = HALF};
        } else {
            handoff_won(c, group, cost, o);
        }
        return true;
    case RULE_PROCS_BELOW:
        *o = (struct span_of_won){cost / 2, cost, .words = HALF};
        procs_won(c, cost, o);
        return true;
    case RULE_POLL:
        if (f->note) { /* whether it could wait for less only its author knows */
            *o = (struct span_of_won){0, told, .words = f->queued ? NO_SLEEP : NOT_PACE};
        }
        return true;
    case RULE_TREND: trend_won(c, cost, told, o); return true;
    case RULE_SENDS:
        *o = (struct span_of_won){0, (double)(f->t1 - f->t0) / (double)c->tg->end, .words = STUCK_FOR_GOOD};
        return true;
    case RULE_LINE:
        if (f->queued) {
            *o = (struct span_of_won){0, cost + late_timers(c, group), .words = SHORT_WORK};
        } else if (f->note) {
            *o = (struct span_of_won){0, 0, .words = latency_only};
        }
        return true;
    default: return false;
    }
}

static bool won_of(struct work *w, const struct finding *f, struct span_of_won *o)
{
    const double end = (double)w->c->tg->end, cost = (double)f->severity_ns / end, told = (double)f->won_hi / end;
    if (f->note && f->stack && stacks_of_benchmarks(w->c->tr, f->stack)) {
        return false; /* package testing's own: its text says so */
    }
    if (f->rule == RULE_LEAK && f->severity_ns > 0) { /* all that are left of their kind stand */
        *o = (struct span_of_won){0, cost, .words = STUCK_FOR_GOOD};
        return true;
    }
    if (f->rule == RULE_LINGER && f->note && told > 0) {
        *o = (struct span_of_won){0, told, .words = NOT_PACE};
        return true;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        const struct plain *p = &plain[i];
        if (p->rule == f->rule) {
            const bool pooled = f->rule == RULE_CONNS && f->stack && calls_pooled(w->c->tr, f->stack);
            const bool fetches = f->rule == RULE_PHASES && f->note;
            const bool unsure =
                f->note && /* whether anybody waits, or each needs the one before; whether it is part of opening */
                (fetches || f->rule == RULE_SERIAL_CALLS || (f->rule == RULE_CONNS && !pooled));
            const double lo = unsure ? 0 : p->lo == LEAST_OF_IT ? LEAST : p->lo;
            *o = (struct span_of_won){lo * cost, p->hi == AS_TOLD ? told : p->hi * cost,
                                      .more = p->more && !fetches && (cost > 0 || told > 0),
                                      .words = fetches                                ? FETCHED
                                               : unsure && p->rule == RULE_CONNS      ? FIRST_TOO
                                               : unsure                               ? NOT_APART
                                               : p->rule == RULE_CONNS && told > cost ? ANSWERS_TOO
                                                                                      : p->words};
            return true;
        }
    }
    *o = (struct span_of_won){cost * LEAST, cost, .words = MOST};
    return counted_won(w, f, cost, told, o);
}

void won_all(struct causes *c)
{
    struct work w = {.c = c, .left = WON_SPANS};
    for (uint32_t i = 0; i < c->rs->out->n && !c->rs->failed; i++) {
        struct finding *f = &c->rs->out->f[i];
        struct span_of_won o;
        struct text t = {0};
        if (!won_of(&w, f, &o)) {
            continue;
        }
        const bool none = o.hi <= 0 && !o.more;
        if (none && o.words != latency_only && o.words != memory_only) {
            continue; /* its text says why it costs nothing */
        }
        way_bounds(&w, f, &o);
        pool_bounds(&w, f, &o);
        lock_bounds(c, f, &o);
        device_bounds(f, &o);
        const double spread = none ? 0 : spread_of(&o);
        const double lo = o.lo - SPREAD, hi = o.hi + spread;
        f->has_won = true;
        f->won_more = o.more;
        f->won_lo = (int64_t)((lo < threshold(TH_TIME_FINDING) ? 0 : lo) * (double)c->tg->end); /* less is none */
        f->won_hi = (int64_t)((hi > 1 ? 1 : hi) * (double)c->tg->end);
        if (!o.more && f->severity_ns > f->won_hi &&
            f->rule != RULE_LEAK) { /* one scale for all: no more than can be won */
            f->severity_ns = f->won_hi;
        }
        if (!f->note && f->severity_ns < f->won_lo) { /* one scale for all: no less than what is surely won */
            f->severity_ns = f->won_lo;
        }
        won_text(&t, f, c, &o);
        f->won = text_take(&t);
        c->rs->failed |= !f->won;
    }
    mem_free(w.held.v);
    if (w.leads) {
        explain_tree_free(&w.way);
    }
}
