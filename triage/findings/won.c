/* won.c - see won.h. */
#include "triage/findings/won.h"

#include <string.h>

#include "decode/base/mem.h"
#include "triage/findings/holder.h"
#include "triage/findings/thresholds.h"

#define WALKED 16   /* goroutines of a group */
#define STEPS 20000 /* spans of each */
#define GROUPS 4    /* groups that lose */
#define LOSES threshold(TH_WON_LOSES)
#define SWITCH 1000.0 /* ns that waiting, or waking another, takes of what a goroutine runs, about */
#define LEAST threshold(TH_WON_LEAST)
#define SPREAD threshold(TH_WON_SPREAD)

enum how { LOCKS, SERVED, PLACE }; /* waits: for a lock asked for in func; that goroutines of `func` ended; at func */
struct ask {
    enum how how;
    uint32_t func;
    int64_t stays; /* of each wait: what serving it takes */
    bool nested;   /* its holders wait for another lock: waits for that go, too */
    bool
        outside; /* they wait for the network, or to hand something over, in the function that locks: another goroutine could */
};
struct lives { /* of goroutines that lose: all, and without what goes */
    int64_t all, stays, served;
    double least; /* share that one needs who loses nothing and sleeps most of its life: in the lock, maybe */
};
struct work {
    struct causes *c;
    uint64_t left;
};

static bool goes(const struct causes *c, const struct ask *a, const struct span *s, const struct span *next)
{
    enum wait_kind k = stacks_wait_kind(c->tr, s->reason, s->stack);
    switch (a->how) {
    case LOCKS:
        if ((k == WK_NET || k == WK_SEND) && a->outside) {
            return holder_place(c->tr, s->stack) == a->func;
        }
        return (k == WK_LOCK || k == WK_COND) && (a->nested || holder_place(c->tr, s->stack) == a->func);
    case PLACE: return causes_place(c->tr, s->stack) == a->func;
    default:
        return (k == WK_SEND || k == WK_RECV || k == WK_SELECT || k == WK_COND) && next->state == ST_RUNNABLE &&
               next->who < c->tg->ng && c->tg->groups[gstat_group(c->tg->g, next->who)].name == a->func;
    }
}

/*
 * A goroutine's life without the waits that go, and without the time to get a processor again behind each. Who hardly loses
 * any (and holds the lock, maybe) sleeps as long as before.
 */
static void live_of(struct work *w, const struct ask *a, uint32_t g, struct lives *v)
{
    struct span_iter it;
    int64_t first = 0, last = 0, gone = 0, slept = 0, idle = 0, served = 0;
    bool back = false; /* the wait before this span goes */
    bool more = span_seek_index(&it, w->c->tr, (struct lane){LANE_G, g}, 0);
    for (int i = 0; more && i < STEPS && w->left; i++, w->left--) {
        struct span s = *span_get(&it);
        int64_t ns = s.t1 - s.t0;
        first = i ? first : s.t0;
        last = s.t1;
        more = span_next(&it);
        if (s.state == ST_WAITING && more) {
            back = goes(w->c, a, &s, span_get(&it));
            served += back ? (ns < a->stays ? ns : a->stays) : 0;
            bool sleeps = stacks_wait_kind(w->c->tr, s.reason, s.stack) == WK_SLEEP;
            *(sleeps ? &slept : &idle) += ns;
        } else if (s.state != ST_RUNNABLE) {
            back = false;
        }
        gone += back ? ns : 0;
    }
    if (last <= first) {
        return;
    }
    if ((double)gone < LOSES * (double)(last - first)) {
        double own = 1 - (double)idle / (double)(last - first);
        bool counts = a->how == LOCKS && last - first > w->c->tg->end / 2 && slept > (last - first) / 2;
        v->least = counts && own > v->least ? own : v->least;
        return;
    }
    v->all = ns_add(v->all, last - first);
    v->stays = ns_add(v->stays, last - first - gone);
    v->served = ns_add(v->served, served);
}

struct span_of_won {
    double lo, hi; /* shares of the trace */
    const char *words;
};

/* What share of the time would be left: by the one that keeps most, and no less than the processors need. */
static void waits_won(struct work *w, const struct ask *a, struct span_of_won *o)
{
    struct causes *c = w->c;
    struct lives v = {0};
    uint32_t seen[GROUPS], n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && n < GROUPS; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        bool in = a->how == SERVED
                      ? !p->from_scheduler && p->waker == a->func && p->waiter != a->func
                      : (a->how == LOCKS ? holder_place(c->tr, p->stack) : causes_place(c->tr, p->stack)) == a->func;
        uint32_t g = in ? causes_group(c, p->waiter) : UINT32_MAX, k = 0;
        while (k < n && seen[k] != g) {
            k++;
        }
        if (g == UINT32_MAX || k < n) {
            continue;
        }
        seen[n++] = g;
        uint32_t m = c->of[g].n, look = m < WALKED ? m : WALKED;
        for (uint32_t j = 0; j < look; j++) {
            live_of(w, a, causes_member(c, g, j, WALKED), &v);
        }
    }
    double left = v.all > 0 ? (double)v.stays / (double)v.all : 1;
    double procs = c->running / c->procs, least = procs > v.least ? procs : v.least,
           serve = v.all > 0 ? (double)v.served / (double)v.all : 0;
    left = left > least ? left : least < 1 ? least : 1;
    o->hi = 1 - left;
    o->lo = (o->hi > serve ? o->hi - serve : 0) * LEAST;
}

/* ---- each rule ----------------------------------------------------------------------------------------------------- */

#define HALF "if half of it to all of it goes and the rest stays as it is"
#define MOST NULL /* "if 60 % of it .." */
#define STUCK_FOR_GOOD "what the stuck ones would do if they went on no trace tells"
#define ALLOCATOR "from half of what it holds up to all of that and of what it slows down while it marks"
#define NOT_PACE "if it waits for what has happened by then; nothing if that is its pace"
#define ONE_FOR_ALL "from half of what they wait longer than the quickest to all that they wait there"
#define IDLE_ANYHOW "time of processors: by the clock it is won only as far as others wait for them"

/* A wait for a processor by goroutines of other groups: what of their lives is that, at most. */
static double others_queue(const struct causes *c, uint32_t except)
{
    double most = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *g = &c->tg->groups[i];
        double share = g->d[GM_LIFE].total > 0 ? (double)g->d[GM_SCHED].total / (double)g->d[GM_LIFE].total : 0;
        if (i != except && c->life[i].program &&
            (double)(c->life[i].last - c->life[i].first) > 0.2 * (double)c->tg->end) {
            most = share > most ? share : most;
        }
    }
    return most;
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

/* Where no processor idles, who spins takes them from all others: what these run, side by side, is what is left at least. */
static void spin_won(const struct causes *c, double cost, struct span_of_won *o)
{
    const double others = c->running / c->procs - cost;
    *o = (struct span_of_won){0, cost, IDLE_ANYHOW};
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

/* Of the lives of the busiest goroutines: assists, waits for it and for a processor, and what they ran while it marked, which it slows. */
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
    *o = (struct span_of_won){(lost < cost ? lost : cost) / 2, hi > cost ? hi : cost, ALLOCATOR};
}

static bool won_of(struct work *w, const struct finding *f, struct span_of_won *o)
{
    struct causes *c = w->c;
    double cost = (double)f->severity_ns / (double)c->tg->end;
    struct ask a = {LOCKS, f->stack ? holder_place(c->tr, f->stack) : 0, 0, false, false};
    uint32_t group = f->lane.kind == LANE_G && f->lane.i < c->tg->ng ? gstat_group(c->tg->g, f->lane.i) : UINT32_MAX;
    *o = (struct span_of_won){cost * LEAST, cost, MOST};
    switch (f->rule) {
    case RULE_CONVOY:
    case RULE_WRITER: {
        const struct holder_row *h = holder_at(c->tg, a.func);
        a.nested = h && h->wait_ns[WK_LOCK] > h->told / 2;
        a.outside = h && ns_add(h->wait_ns[WK_NET], h->wait_ns[WK_SEND]) > h->told / 2;
        waits_won(w, &a, o);
        return true;
    }
    case RULE_BOTTLENECK:
    case RULE_POOL: {
        const int64_t longest = begun_longest(c, f);
        if (f->won_hi > 0) { /* told of requests, as a share of what they take */
            o->hi = (double)f->won_hi / (double)c->tg->end;
            return true;
        }
        if (longest) { /* side by side the longest of them is what is left */
            o->hi = 1 - (double)longest / (double)c->tg->end;
            o->lo = cost * LEAST < o->hi ? cost * LEAST : o->hi;
            return true;
        }
        a.how = f->stack ? PLACE : SERVED;
        a.func = f->stack ? causes_place(c->tr, f->stack) : group != UINT32_MAX ? c->tg->groups[group].name : 0;
        a.stays = f->stack || group == UINT32_MAX ? 0 : (int64_t)served_stays(c, group);
        waits_won(w, &a, o);
        return true;
    }
    case RULE_STAMPEDE: /* who may go on with what was there before waits for nobody */
        *o = (struct span_of_won){cost / 2, (double)f->won_hi / (double)c->tg->end, ONE_FOR_ALL};
        return true;
    case RULE_BUSY_LOOP: spin_won(c, cost, o); return true;
    case RULE_LIMIT:
    case RULE_RETRY: *o = (struct span_of_won){0, (double)f->won_hi / (double)c->tg->end, NOT_PACE}; return true;
    case RULE_BLOCKING:
        if (f->won_hi > 0) {
            *o = (struct span_of_won){0, (double)f->won_hi / (double)c->tg->end, HALF};
            return true;
        }
        *o = (struct span_of_won){0, others_queue(c, group), IDLE_ANYHOW};
        return true;
    case RULE_STORM:
    case RULE_TICKERS: *o = (struct span_of_won){0, others_queue(c, group), IDLE_ANYHOW}; return true;
    case RULE_HERD: *o = (struct span_of_won){0, cost * 2, IDLE_ANYHOW}; return true;
    case RULE_STW: *o = (struct span_of_won){0, cost, IDLE_ANYHOW}; return true;
    case RULE_SLOW_TASK:
        o->hi = slow_share(c, f);
        o->lo = o->hi / 2;
        o->words = HALF;
        return true;
    case RULE_GC_SHARE:
    case RULE_GC_ASSIST: collector_won(c, cost, o); return true;
    case RULE_OWN: /* the one that they wait for waits itself, mostly: less sure */
        a.how = PLACE;
        a.func = causes_place(c->tr, f->stack);
        waits_won(w, &a, o);
        *o = (struct span_of_won){o->hi / 2, o->hi, HALF};
        return true;
    case RULE_FINALIZERS:
    case RULE_HUB:
    case RULE_SLOTS:
    case RULE_SLOWEST:
    case RULE_LINGER:
    case RULE_IN_ORDER:
    case RULE_FORCED:
    case RULE_UNBALANCED:
    case RULE_SERIAL:
    case RULE_CONNS:
    case RULE_EXPLOSION:
    case RULE_CHURN:
    case RULE_SYSCALL: return true;
    case RULE_SERIAL_CALLS:
    case RULE_BACKEND: o->hi = (double)f->won_hi / (double)c->tg->end; return true;
    case RULE_GRAIN: o->hi = (double)f->won_hi / (double)c->tg->end; return true;
    case RULE_HANDOFF: handoff_won(c, group, cost, o); return true;
    case RULE_PROCS_BELOW:
        *o = (struct span_of_won){cost / 2, cost, HALF};
        procs_won(c, cost, o);
        return true;
    case RULE_POLL:
        if (f->note) { /* whether it could wait for less only its author knows */
            *o = (struct span_of_won){0, (double)f->won_hi / (double)c->tg->end, NOT_PACE};
        }
        return true;
    case RULE_TREND: *o = (struct span_of_won){cost / 2, (double)f->won_hi / (double)c->tg->end, HALF}; return true;
    case RULE_CHILDREN: *o = (struct span_of_won){cost / 2, cost, HALF}; return true;
    case RULE_SMALL_CALLS: /* to enter and leave one costs, too, and is not in its time */
        o->hi = (double)f->won_hi / (double)c->tg->end;
        return true;
    case RULE_SENDS:
        *o = (struct span_of_won){0, (double)(f->t1 - f->t0) / (double)c->tg->end, STUCK_FOR_GOOD};
        return true;
    case RULE_STUCK: *o = (struct span_of_won){0, cost, STUCK_FOR_GOOD}; return true;
    case RULE_HOST:
        *o = (struct span_of_won){cost, 1, "or more: what the host takes shows only in part"};
        return true;
    case RULE_LINE:
        if (!f->note) {
            return true;
        }
        *o = (struct span_of_won){0, 0, "no more than two runs differ by: it costs latency, not this trace's time"};
        return true;
    case RULE_LEAK:
    case RULE_HEAP:
        *o = (struct span_of_won){
            0, 0, "no more than two runs differ by: it costs latency or memory, not this trace's time"};
        return true;
    default: return false;
    }
}

static void won_text(struct text *t, const struct finding *f, const struct causes *c, const char *words)
{
    double end = (double)c->tg->end;
    text_lit(t, "To be won: ");
    if (f->won_lo > 0) {
        text_share(t, (double)f->won_lo, end);
        text_lit(t, " to ");
        text_share(t, (double)f->won_hi, end);
        text_lit(t, " of the trace (");
        text_dur(t, f->won_lo);
        text_lit(t, " to ");
    } else {
        text_lit(t, "nothing to ");
        text_share(t, (double)f->won_hi, end);
        text_lit(t, " of the trace (up to ");
    }
    text_dur(t, f->won_hi);
    if (words) {
        text_add(t, "), %s.", words);
    } else {
        text_add(t, "), if %.0f %% of it to all of it goes and the rest stays as it is.", LEAST * 100);
    }
}

void won_all(struct causes *c)
{
    struct work w = {c, WON_SPANS};
    for (uint32_t i = 0; i < c->rs->out->n && !c->rs->failed; i++) {
        struct finding *f = &c->rs->out->f[i];
        struct span_of_won o;
        struct text t = {0};
        if (!won_of(&w, f, &o)) {
            continue;
        }
        double lo = o.lo - SPREAD, hi = o.hi + SPREAD;
        f->has_won = true;
        f->won_lo = (int64_t)((lo < 0 ? 0 : lo) * (double)c->tg->end);
        f->won_hi = (int64_t)((hi > 1 ? 1 : hi) * (double)c->tg->end);
        if (!f->note && f->severity_ns < f->won_lo) { /* one scale for all: no less than what is surely won */
            f->severity_ns = f->won_lo;
        }
        won_text(&t, f, c, o.words);
        f->won = text_take(&t);
        c->rs->failed |= !f->won;
    }
}
