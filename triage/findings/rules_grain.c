/*
 * rules_grain.c - work that is handed on in pieces so small that handing on is most of it: a pipeline whose goroutines
 * run for a microsecond between two waits, goroutines that hand to and fro (a question and its answer, io.Pipe), and sequences
 * that are pulled from coroutines element by element (iter.Pull).
 *
 * A switch costs about as much as such a piece, and each stage's next one stands behind it: what is lost is the time in
 * which not even the busiest of them has anything to do.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include "decode/base/mem.h"

#define CHAIN 64   /* goroutines of a pipeline, at most */
#define SURELY 0.5 /* of what handing on may take of a run: what it costs for sure */

/* ---- a pipeline ------------------------------------------------------------------------------------------------------- */

struct chain {
    uint32_t g[CHAIN], n;
    uint64_t waits;
    int64_t ran, queued; /* of them all: running, waiting for a processor */
    int64_t first, last; /* they were there */
    int64_t life, top;   /* of the one that ran most */
    const struct pair_row *most;
    uint32_t hands; /* stack of who hands on there */
};

static int64_t elsewhere(const struct group_life *l)
{
    return ns_add(ns_add(l->by[WK_SLEEP], l->by[WK_NET]), ns_add(l->by[WK_LOCK], l->by[WK_COND]));
}

/* Does it run shortly between two waits on channels, all its life, and wake others as often? */
static bool is_link(const struct causes *c, uint32_t g)
{
    const struct group_life *l = &c->life[gstat_group(c->tg->g, g)];
    const double waits = gstat_waits(c->tg->g, g), life = (double)gstat_ns(c->tg->g, g, GM_LIFE);
    return l->program && waits >= threshold(TH_GRAIN_WAITS) && waits / life * 1e9 >= threshold(TH_GRAIN_RATE) &&
           (double)gstat_ns(c->tg->g, g, GM_EXEC) <= threshold(TH_GRAIN_RUN) * waits &&
           !threshold_reached(TH_GRAIN_ELSE, elsewhere(l), l->life) &&
           threshold_reached(TH_HAND_SPAN, (int64_t)life, c->tg->end);
}

static void link_add(const struct causes *c, struct chain *k, uint32_t g)
{
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    const int64_t exec = gstat_ns(c->tg->g, g, GM_EXEC);
    k->first = k->n == 0 || li.first < k->first ? li.first : k->first;
    k->last = li.last > k->last ? li.last : k->last;
    k->ran = ns_add(k->ran, exec);
    k->queued = ns_add(k->queued, gstat_ns(c->tg->g, g, GM_SCHED));
    k->waits += gstat_waits(c->tg->g, g);
    k->top = exec > k->top ? exec : k->top;
    k->g[k->n++] = g;
}

static bool in_chain(const struct causes *c, const struct chain *k, uint32_t name)
{
    for (uint32_t i = 0; i < k->n; i++) {
        if (c->tg->groups[gstat_group(c->tg->g, k->g[i])].name == name) {
            return true;
        }
    }
    return false;
}

/* Waits on channels of the chain's goroutines that others of the chain ended: how many, and the pair with most. */
static uint64_t by_each_other(const struct causes *c, struct chain *k)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool channel = wait_on_channel(p->kind);
        if (!p->from_scheduler && channel && in_chain(c, k, p->waiter) && in_chain(c, k, p->waker)) {
            n += p->count;
            k->most = !k->most || p->count > k->most->count ? p : k->most;
        }
    }
    k->hands = !k->most ? 0 : k->most->kind == WK_SEND ? k->most->stack : k->most->waker_stack;
    return n;
}

/* The names of its start functions, each once. */
static void links_text(struct text *t, const struct causes *c, const struct chain *k)
{
    for (uint32_t i = 0, told = 0; i < k->n && told < 4; i++) {
        const uint32_t group = gstat_group(c->tg->g, k->g[i]);
        uint32_t m = 0;
        while (m < i && gstat_group(c->tg->g, k->g[m]) != group) {
            m++;
        }
        if (m == i) {
            text_raw(t, ", ", told++ ? 2 : 0);
            text_func(t, c->tr, c->tg->groups[group].name, 0);
        }
    }
}

/* What of a run between two waits is handing on itself: half of it, and of very short ones all, for all that a trace tells. */
static double handing_on(int64_t run)
{
    const double takes = (double)threshold_ns(TH_GRAIN_HAND) / ((double)run + 1);
    return takes < 0.5 ? 0.5 : takes > 1 ? 1 : takes;
}

static void chain_finding(struct causes *c, const struct chain *k)
{
    const int64_t span = k->last - k->first;
    struct draft d;
    const double hands = handing_on(k->ran / (int64_t)k->waits);
    draft_start(&d, RULE_GRAIN, (int64_t)(((double)span - (double)k->top * (1 - hands * SURELY)) * 0.8));
    draft_about(&d, c->rs, causes_place(c->tr, k->hands), k->hands);
    draft_moment(&d, &k->most->longest);
    d.f.won_hi = span - (int64_t)((double)k->top * (1 - hands));
    text_add(&d.amount, "%.0f/s", (double)k->waits / (double)span * 1e9);
    text_say(&d.text, c->tr, t_place(k->hands, 3), " passes items on one at a time: ", k->n, " goroutines (");
    links_text(&d.text, c, k);
    text_say(&d.text, c->tr, ") wait for each other ", t_f0((double)k->waits / (double)span * 1e9),
             " times a second and run for ", t_dur(k->ran / (int64_t)k->waits),
             " between two waits, on average. A wake-up costs about as much: they wait for a processor for ",
             t_dur(k->queued / (int64_t)k->waits), " each time, and the busiest of them runs for only ",
             t_share((double)k->top, (double)span), " of the time.");
    text_lit(&d.next, "Pass many at once (slices of a few hundred), or do the steps one after the other in one "
                      "goroutine. A channel buffer lets each handle several items between two waits.");
    draft_end(c->rs, &d);
}

static void rule_chain(struct causes *c)
{
    struct chain k = {.n = 0};
    for (uint32_t i = 0; i < c->tg->ngroups && k.n < CHAIN; i++) {
        for (uint32_t m = 0; m < c->of[i].n && c->of[i].n <= CHAIN && k.n < CHAIN; m++) {
            const uint32_t g = causes_nth(c, i, m);
            if (is_link(c, g)) {
                link_add(c, &k, g);
            }
        }
    }
    const int64_t span = k.last - k.first;
    if ((double)k.n < threshold(TH_GRAIN_LINKS) || span <= 0 || c->idle < causes_idle_least(c) ||
        (double)k.top > threshold(TH_BOTTLE_BUSY) * (double)span || ns_add(k.ran, k.queued) < span ||
        !threshold_reached(TH_GRAIN_OWN, (int64_t)by_each_other(c, &k), (int64_t)k.waits) || !k.most ||
        !causes_place(c->tr, k.hands)) {
        return;
    }
    chain_finding(c, &k);
}

/* ---- to and fro ------------------------------------------------------------------------------------------------------- */

struct side { /* of two groups that end each other's waits on channels */
    uint32_t group;
    uint64_t n, takes, sends, writes; /* waits; to receive; to send; to write into an io.Pipe */
    int64_t ns;
    double rows; /* share of the waits that stand in rows, where it runs for longer between some; 0: not looked at */
    const struct pair_row *most;
};

static bool writes_pipe(const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        if (str_is(trace_str(tr, trace_frame(tr, stack, i).func), "io.(*pipe).write")) {
            return true;
        }
    }
    return false;
}

static struct side side_of(const struct causes *c, uint32_t group, uint32_t other)
{
    struct side k = {.group = group};
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool channel = wait_on_channel(p->kind);
        if (channel && !p->from_scheduler && p->waiter == c->tg->groups[group].name &&
            p->waker == c->tg->groups[other].name && causes_place(c->tr, p->stack)) {
            k.n += p->count;
            k.takes += p->kind == WK_RECV ? p->count : 0;
            k.sends += p->kind == WK_SEND ? p->count : 0;
            k.writes += writes_pipe(c->tr, p->stack) ? p->count : 0;
            k.ns = ns_add(k.ns, p->total);
            k.most = !k.most || p->count > k.most->count ? p : k.most;
        }
    }
    return k;
}

#define WALKED 8
#define SHARED 8      /* that ask one */
#define ROWS_ASKED 16 /* pairs of groups whose rows are looked at */
#define STEPS 20000

/* Of what its goroutines wait to hand on: how many with next to nothing run since the last one? */
static double in_rows(const struct causes *c, const struct side *k)
{
    uint64_t waits = 0, near = 0;
    for (uint32_t i = 0; i < c->of[k->group].n && i < WALKED; i++) {
        struct walk w;
        int64_t ran = INT64_MAX / 2;
        walk_g(&w, c->tr, causes_member(c, k->group, i, WALKED), STEPS);
        for (const struct span *s; (s = walk_next(&w));) {
            if (s->state == ST_WAITING) {
                const bool sends = stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SEND;
                waits += sends;
                near += sends && ran <= threshold_ns(TH_GRAIN_RUN);
                ran = sends ? 0 : ran;
            } else if (s->state != ST_RUNNABLE) {
                ran = s->state == ST_NONE ? INT64_MAX / 2 : ns_add(ran, s->t1 - s->t0);
            }
        }
    }
    return waits ? (double)near / (double)waits : 0;
}

/* Does it run shortly between two waits, on average, or in rows of them? */
static bool run_short(const struct causes *c, struct side *k, uint32_t *asked)
{
    if ((double)c->tg->groups[k->group].d[GM_EXEC].total <= threshold(TH_GRAIN_RUN) * (double)k->n) {
        return true;
    }
    k->rows = k->most->kind == WK_SEND && (*asked)++ < ROWS_ASKED ? in_rows(c, k) : 0;
    return k->rows >= threshold(TH_GRAIN_ROWS);
}

/* Does a side wait for the other all its life, often, and run shortly between? */
static bool is_side(const struct causes *c, struct side *k, uint32_t *asked)
{
    const struct group_life *l = &c->life[k->group];
    const double waits = (double)k->n;
    return k->most && waits >= threshold(TH_GRAIN_WAITS) && threshold_reached(TH_HAND_WAITED, k->ns, l->life) &&
           !threshold_reached(TH_GRAIN_ASKS, elsewhere(l), l->life) &&
           threshold_reached(TH_HAND_SPAN, l->last - l->first, c->tg->end) && run_short(c, k, asked);
}

/* One of them waits so often; several that ask it share that out. */
static bool often(const struct causes *c, const struct side *a, const struct side *b)
{
    const double x = (double)a->n / (double)c->life[a->group].life * 1e9,
                 y = (double)b->n / (double)c->life[b->group].life * 1e9;
    return (x > y ? x : y) >= threshold(TH_GRAIN_RATE) && (x < y ? x : y) * SHARED >= threshold(TH_GRAIN_RATE);
}

static int64_t both_there(const struct causes *c, uint32_t a, uint32_t b)
{
    const struct group_life *x = &c->life[a], *y = &c->life[b];
    const int64_t first = x->first > y->first ? x->first : y->first, last = x->last < y->last ? x->last : y->last;
    return last > first ? last - first : 0;
}

static double side_runs(const struct causes *c, const struct side *k)
{
    return (double)c->tg->groups[k->group].d[GM_EXEC].total / (double)c->life[k->group].life;
}

static void side_text(struct text *t, const struct causes *c, const struct side *k)
{
    text_place(t, c->tr, k->most->stack, 3);
}

static const char *to_and_fro_advice(const struct side *a, const struct side *b)
{
    if (a->writes > a->n / 2) {
        return "Put a bufio.Writer in front of the pipe (flush it before closing): then the two sides meet once "
               "every few kilobytes, not at each write.";
    }
    const bool both_ways = a->sends > a->n / 4 && b->sends > b->n / 4; /* what is sent back is waited for */
    return both_ways || (a->takes > a->n / 4 && b->takes > b->n / 4)
               ? "Ask for many at once, so that one answer has them all; or put what the other goroutine owns under "
                 "a lock and let each look for itself: an uncontended lock wakes nobody."
               : "Pass many at once (slices of a few hundred), or do both steps in one goroutine. A channel buffer "
                 "lets each handle several items between two waits.";
}

/* In rows: who hands on has work of its own. What goes is what processors do nothing but switch, or nothing at all, and the handing. */
static void rows_cost(const struct causes *c, struct finding *f, double span, int64_t n)
{
    const double capacity = c->procs * (double)c->tg->end,
                 lost = (double)c->tg->p_sum.ns[ST_SCHED] + c->idle * (double)c->tg->end,
                 hand = (double)n * (double)threshold_ns(TH_GRAIN_HAND) / 2;
    f->severity_ns = (int64_t)(span * lost / capacity);
    f->won_hi = (int64_t)(span * (lost + hand < capacity ? (lost + hand) / capacity : 1));
    f->inferred = true;
}

static void run_text(struct text *t, const struct causes *c, const struct side *a, const struct side *b)
{
    const struct group *g = &c->tg->groups[a->group], *h = &c->tg->groups[b->group];
    const struct side *rows = a->rows > 0 ? a : b->rows > 0 ? b : NULL;
    if (!rows) {
        text_say(t, c->tr, " and run for ",
                 t_dur(ns_add(g->d[GM_EXEC].total, h->d[GM_EXEC].total) / (int64_t)(a->n + b->n)),
                 " between two waits, on average.");
        return;
    }
    const struct side *other = rows == a ? b : a;
    text_say(t, c->tr, ". ", t_func(c->tg->groups[other->group].name), " runs for ",
             t_dur(c->tg->groups[other->group].d[GM_EXEC].total / (int64_t)other->n),
             " between two waits on average, and ", t_share(rows->rows, 1), " of the waits of ",
             t_func(c->tg->groups[rows->group].name), " to pass something on come in rows, with ",
             t_dur(threshold_ns(TH_GRAIN_RUN)),
             " of running or less in between: parts of one thing, it seems (inferred).");
}

/* Who asks may wait for other things between two rows of questions; of both sides what is more of that. */
static double elsewhere_share(const struct causes *c, const struct side *a, const struct side *b)
{
    const struct group_life *x = &c->life[a->group], *y = &c->life[b->group];
    const double p = (double)elsewhere(x) / (double)x->life, q = (double)elsewhere(y) / (double)y->life;
    const double most = p > q ? p : q;
    return most < threshold(TH_GRAIN_ELSE) ? 0 : most;
}

static void to_and_fro_finding(struct causes *c, const struct side *a, const struct side *b)
{
    const struct group *g = &c->tg->groups[a->group], *h = &c->tg->groups[b->group];
    const int64_t n = (int64_t)(a->n + b->n);
    const double span = (double)both_there(c, a->group, b->group), runs = side_runs(c, a), other = side_runs(c, b),
                 top = runs > other ? runs : other;
    struct draft d;
    const double beside = 1 - elsewhere_share(c, a, b); /* of the time in which they do this */
    const double hands = handing_on(ns_add(g->d[GM_EXEC].total, h->d[GM_EXEC].total) / n);
    draft_start(&d, RULE_GRAIN, (int64_t)(span * beside * (1 - top * (1 - hands * SURELY)) * 0.8));
    draft_about(&d, c->rs, causes_place(c->tr, a->most->stack), a->most->stack);
    draft_moment(&d, &a->most->longest);
    d.f.won_hi = (int64_t)(span * beside * (1 - top * (1 - hands)));
    if (a->rows > 0 || b->rows > 0) {
        rows_cost(c, &d.f, span, n);
    }
    text_add(&d.amount, "%.0f/s", (double)n / span * 1e9);
    side_text(&d.text, c, a);
    text_lit(&d.text, " and ");
    side_text(&d.text, c, b);
    text_say(&d.text, c->tr, " ping-pong: ", c->of[a->group].n, " goroutines of ", t_func(g->name), " and ",
             c->of[b->group].n, " of ", t_func(h->name), " wait for each other ", t_f0((double)n / span * 1e9),
             " times a second");
    run_text(&d.text, c, a, b);
    text_say(&d.text, c->tr, " A wake-up costs about as much, and they wait for a processor for ",
             t_dur(ns_add(g->d[GM_SCHED].total, h->d[GM_SCHED].total) / n),
             " each time. Those of the busier kind run for ", t_share(top, 1),
             " of their lives only. Tracing, which records each wait, makes this costlier than it is without.");
    (void)(locked_text(&d, c, a->group) || locked_text(&d, c, b->group));
    text_add(&d.next, "%s", to_and_fro_advice(a, b));
    draft_end(c->rs, &d);
}

/* Who asks is told first: who writes into the pipe, or sends, or is one of more. */
static bool asks_first(const struct causes *c, const struct side *a, const struct side *b)
{
    if ((a->writes > a->n / 2) != (b->writes > b->n / 2)) {
        return a->writes > a->n / 2;
    }
    return (a->most->kind == WK_SEND) != (b->most->kind == WK_SEND) ? a->most->kind == WK_SEND
                                                                    : c->life[a->group].n >= c->life[b->group].n;
}

static bool told(const struct causes *c, enum rule r)
{
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        if (c->rs->out->f[i].rule == r) {
            return true;
        }
    }
    return false;
}

/* Where neither a pipeline nor turns of few are told. */
static void rule_to_and_fro(struct causes *c)
{
    uint32_t asked = 0;
    if (told(c, RULE_GRAIN) || told(c, RULE_HANDOFF)) {
        return;
    }
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t x = p->from_scheduler ? UINT32_MAX : causes_group(c, p->waiter),
                       y = x == UINT32_MAX ? UINT32_MAX : causes_group(c, p->waker);
        if (y == UINT32_MAX || x == y || !c->life[x].program || !c->life[y].program ||
            (double)p->count <
                threshold(TH_GRAIN_WAITS) / 8) { /* of a side: it may have that many at several places */
            continue;
        }
        struct side a = side_of(c, x, y), b = side_of(c, y, x);
        if (is_side(c, &a, &asked) && is_side(c, &b, &asked) && often(c, &a, &b) &&
            threshold_reached(TH_HAND_SPAN, both_there(c, x, y), c->tg->end) &&
            side_runs(c, &a) <= threshold(TH_BOTTLE_BUSY) && side_runs(c, &b) <= threshold(TH_BOTTLE_BUSY)) {
            const bool as_is = asks_first(c, &a, &b);
            to_and_fro_finding(c, as_is ? &a : &b, as_is ? &b : &a);
            return;
        }
    }
}

/* ---- coroutines ------------------------------------------------------------------------------------------------------- */

#define PULLS 64 /* groups of coroutines that are looked at */

struct pulls { /* of one group of coroutines */
    uint32_t group, puller, stack;
    uint64_t n;
    int64_t waited;
    const struct pair_row *most;
};

bool grain_coroutine(const struct trace *tr, uint32_t create_stack)
{
    const uint32_t n = trace_stack(tr, create_stack);
    for (uint32_t i = 0; i < n && i < 3; i++) {
        if (str_starts(trace_str(tr, trace_frame(tr, create_stack, i).func), "iter.Pull")) {
            return true;
        }
    }
    return false;
}

/* The stack in which a group's goroutines were made, if they are coroutines of iter.Pull: 0 they aren't. */
static uint32_t coroutines_made(const struct causes *c, uint32_t group)
{
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, causes_nth(c, group, 0)});
    return li.created && grain_coroutine(c->tr, li.create_stack) ? li.create_stack : 0;
}

/* Waits without a stack of their own that such a goroutine ended: it was switched to, and switched back. */
static struct pulls pulls_of(const struct causes *c, uint32_t group, uint32_t stack)
{
    struct pulls k = {.group = group, .puller = UINT32_MAX, .stack = stack};
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler && p->waker == c->tg->groups[group].name && p->waiter != p->waker && !p->stack) {
            k.n += p->count;
            k.waited = ns_add(k.waited, p->total);
            k.most = !k.most || p->total > k.most->total ? p : k.most;
        }
    }
    k.puller = k.most ? causes_group(c, k.most->waiter) : UINT32_MAX;
    return k;
}

static void pulls_finding(struct causes *c, const struct pulls *k)
{
    const struct group_life *l = &c->life[k->puller];
    const double span = (double)(l->last - l->first), share = (double)k->waited / (double)l->life;
    const double ran = (double)c->tg->groups[k->puller].d[GM_EXEC].total / (double)l->life;
    struct draft d;
    draft_start(&d, RULE_GRAIN, (int64_t)(span * (share < 0.5 ? 2 * share : 1))); /* there and back */
    draft_about(&d, c->rs, causes_place(c->tr, k->stack), k->stack);
    draft_moment(&d, &k->most->longest);
    d.f.won_hi = (int64_t)(span * (1 - (ran < 1 ? ran : 1) / 4)); /* most of what it runs is switching */
    text_add(&d.amount, "%.0f/s", (double)k->n / (double)c->tg->end * 1e9);
    text_say(&d.text, c->tr, t_place(k->stack, 3),
             " makes coroutines (iter.Pull) that are pulled from one element at a time: ", c->of[k->group].n);
    if (stacks_is_program(c->tr, c->tg->groups[k->group].name)) { /* else none of them was ever seen at work */
        text_say(&d.text, c->tr, " of ", t_func(c->tg->groups[k->group].name));
    }
    text_say(&d.text, c->tr, " are switched to ", k->n, " times, ", t_f0((double)k->n / (double)c->tg->end * 1e9),
             " times a second, and run for ", t_dur(c->tg->groups[k->group].d[GM_EXEC].total / (int64_t)k->n),
             " each time. The puller (", t_func(k->most->waiter), ") waits for them for ", t_share(share, 1),
             " of its life, ", t_dur(k->waited / (int64_t)k->n),
             " each time; switching back costs as much. Tracing, which records each switch, makes this costlier than "
             "it is without.");
    text_lit(&d.next, "Pull many elements at once (slices), collect short sequences, or range over the sequence "
                      "itself instead of pulling from it.");
    draft_end(c->rs, &d);
}

static void rule_pulls(struct causes *c)
{
    uint32_t asked = 0;
    for (uint32_t i = 0; i < c->tg->ngroups && asked < PULLS; i++) {
        const uint32_t stack = c->of[i].n ? coroutines_made(c, i) : 0;
        if (!stack || !causes_place(c->tr, stack)) {
            continue;
        }
        asked++;
        const struct pulls k = pulls_of(c, i, stack);
        if (k.puller != UINT32_MAX && c->life[k.puller].life > 0 &&
            (double)k.n / (double)c->tg->end * 1e9 >= threshold(TH_GRAIN_PULLS) &&
            (double)c->tg->groups[i].d[GM_EXEC].total <= threshold(TH_GRAIN_RUN) * (double)k.n &&
            threshold_reached(TH_GRAIN_LIFE, k.waited, c->life[k.puller].life)) {
            pulls_finding(c, &k);
        }
    }
}

void rules_grain(struct causes *c)
{
    rule_chain(c);
    rule_to_and_fro(c);
    rule_pulls(c);
}
