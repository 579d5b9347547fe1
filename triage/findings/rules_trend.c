/*
 * rules_trend.c - work that takes longer each time it is done: what grows with all that was done before (a document that is encoded
 * anew, a list that is searched) makes the whole cost the square of its parts.
 *
 * Things of one kind, in the order in which they began: tasks of a type, regions of a name, goroutines of a start function, rounds of
 * a goroutine's loop. Of each only what it works counts (running, system calls): not what it waits, which grows with the load,
 * nor what it does for the collector. But where one goroutine does them all, one after another, and none of what they work grows, waits
 * that no goroutine ends (timers, the network) count, too: nobody else's load is in these. Rounds go from one system call or sleep to the next at the same place: waits for other goroutines
 * are skipped when there is something already, so a round between two of them may be many.
 */
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define KEPT 480 /* of one kind: the others are left out, evenly */
#define STRETCHES 12
#define LOOK 16    /* of the first and of the last ones explained */
#define GROUPS 24  /* of the program's, looked at for rounds */
#define MEMBERS 4  /* of each */
#define STEPS 8000 /* spans of each */
#define STACKS 4   /* places of each at which a round may end */

struct one {
    int64_t t0, t1, work;
    uint32_t g;
};
enum what { TASKS, REGIONS, GOROUTINES, ROUNDS };
struct series {
    struct one v[KEPT];
    uint32_t n;
    uint64_t of; /* how many there are */
    enum what what;
    uint32_t name; /* type, region, start function */
    bool waits;    /* for timers and the network count, too */
};
struct trend {
    int64_t first, last; /* medians of the quarters */
    double cost, most;   /* ns by the clock: of work; of all that it takes */
};
struct best {
    struct series s;
    struct trend t;
};
struct search {
    struct causes *c;
    struct series now;
    struct best best;
};

static int cmp_one(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    return x->t0 != y->t0 ? (x->t0 > y->t0) - (x->t0 < y->t0) : (x->g > y->g) - (x->g < y->g);
}

/* What one of n works for, of which `part` work less. */
static int64_t work_of(const struct one *v, uint32_t n, double part)
{
    int64_t w[KEPT] = {0};
    for (uint32_t i = 0; i < n; i++) {
        w[i] = v[i].work;
    }
    qsort(w, n, sizeof w[0], cmp_ns);
    return n ? w[(uint32_t)(part * n)] : 0;
}

/* A host that takes threads away makes things longer, for a while most of them; the quick ones of many it leaves alone longest. */
#define QUICK 0.125
#define MEDIAN 0.5

/* Rises it all the way? By the quick ones of stretches of equal count. */
static bool rises(const struct one *v, uint32_t n)
{
    int64_t m[STRETCHES];
    unsigned up = 0, pairs = 0;
    for (uint32_t i = 0; i < STRETCHES; i++) {
        const uint32_t at = (uint32_t)((uint64_t)n * i / STRETCHES);
        m[i] = work_of(v + at, (uint32_t)((uint64_t)n * (i + 1) / STRETCHES) - at, QUICK);
        for (uint32_t k = 0; k < i; k++) {
            pairs++;
            up += m[i] > m[k];
        }
    }
    return up >= threshold(TH_TREND_ORDER) * pairs;
}

static int cmp_g(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    return x->g != y->g ? (x->g > y->g) - (x->g < y->g) : (x->t0 > y->t0) - (x->t0 < y->t0);
}

/* How many goroutines do it at once, on average: those of one follow each other. */
static double at_once(const struct series *s)
{
    struct one v[KEPT];
    double there = 0;
    int64_t first = INT64_MAX, last = 0;
    memcpy(v, s->v, s->n * sizeof v[0]);
    qsort(v, s->n, sizeof v[0], cmp_g);
    for (uint32_t i = 0, k; i < s->n; i = k) {
        int64_t end = v[i].t1;
        for (k = i + 1; k < s->n && v[k].g == v[i].g; k++) {
            end = v[k].t1 > end ? v[k].t1 : end;
        }
        there += (double)(end - v[i].t0) * (k == i + 1 ? (double)s->of / s->n : 1);
        first = v[i].t0 < first ? v[i].t0 : first;
        last = end > last ? end : last;
    }
    there = last > first ? there / (double)(last - first) : 1;
    return there > 1 ? there : 1;
}

/*
 * What they work, and what they take, above the first ones: above their median, or their mean if that is less, since of short and
 * long rounds by turns the long ones don't grow because the short ones do.
 */
static void cost_of(const struct series *s, struct trend *t)
{
    const double each = (double)s->of / s->n / at_once(s);
    const uint32_t quarter = s->n / 4;
    double work = 0, took = 0, first = 0, mean = 0;
    for (uint32_t i = 0; i < quarter; i++) {
        first += (double)(s->v[i].t1 - s->v[i].t0);
        mean += (double)s->v[i].work;
    }
    first /= quarter;
    mean /= quarter;
    mean = mean > (double)t->first ? mean : (double)t->first;
    for (uint32_t i = 0; i < s->n; i++) {
        work += (double)s->v[i].work - mean;
        took += (double)(s->v[i].t1 - s->v[i].t0) - first;
    }
    t->cost = work * each;
    t->most = (took > work ? took : work) * each;
}

static bool trend_of(const struct series *s, int64_t end, struct trend *t)
{
    const uint32_t q = s->n / 4;
    const struct one *end_of = s->v + s->n - q;
    const double times = threshold(TH_TREND_TIMES);
    t->first = work_of(s->v, q, MEDIAN);
    t->last = work_of(end_of, q, MEDIAN);
    const double quick = (double)work_of(end_of, q, QUICK);
    if ((double)t->last < times * (double)t->first || quick < times * (double)work_of(s->v, q, QUICK) ||
        quick < threshold(TH_TREND_STILL) * (double)work_of(end_of - q, q, QUICK) || !rises(s->v, s->n)) {
        return false;
    }
    cost_of(s, t);
    return t->cost >= threshold(TH_TREND_SHARE) * (double)end;
}

/* Judges what stands in s->now, in any order. */
static void judge(struct search *k)
{
    struct trend t;
    struct series *s = &k->now;
    if (s->n < 4 || s->n < threshold(TH_TREND_COUNT)) { /* quarters are compared */
        return;
    }
    qsort(s->v, s->n, sizeof s->v[0], cmp_one);
    if (trend_of(s, k->c->tg->end, &t) && t.cost > k->best.t.cost) {
        k->best = (struct best){*s, t};
    }
}

static void begin(struct search *k, enum what what, uint32_t name, uint64_t of)
{
    k->now.n = 0;
    k->now.waits = false;
    k->now.what = what;
    k->now.name = name;
    k->now.of = of;
}

/* Is the i-th of `of` one of those kept? */
static bool kept(uint64_t i, uint64_t of)
{
    return of <= KEPT || i * KEPT / of != (i + 1) * KEPT / of;
}

static void add(struct series *s, int64_t t0, int64_t t1, int64_t work, uint32_t g)
{
    if (s->n < KEPT) {
        s->v[s->n++] = (struct one){t0, t1, work, g};
    }
}

static int64_t works(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    struct shares s;
    trace_shares(tr, (struct lane){LANE_G, g}, t0, t1, &s);
    return ns_add(s.ns[ST_RUNNING], s.ns[ST_SYSCALL]);
}

/* What it works, and the waits that no goroutine ends. */
static int64_t works_and_waits(const struct causes *c, uint32_t g, int64_t t0, int64_t t1)
{
    struct span_iter it;
    int64_t ns = 0;
    bool more = span_seek(&it, c->tr, (struct lane){LANE_G, g}, t0);
    for (uint32_t i = 0; more && i < STEPS && span_get(&it)->t0 < t1; i++) {
        const struct span s = *span_get(&it);
        const int64_t a = s.t0 > t0 ? s.t0 : t0, z = s.t1 < t1 ? s.t1 : t1;
        more = span_next(&it);
        const bool outside =
            s.state == ST_WAITING && more && span_get(&it)->state == ST_RUNNABLE && span_get(&it)->who >= c->tg->ng;
        ns += outside || s.state == ST_RUNNING || s.state == ST_SYSCALL ? z - a : 0;
    }
    return ns;
}

/* ---- kinds ---------------------------------------------------------------------------------------------------------- */

/* Does one goroutine do all that stands in k->now, one after another? Then its waits count, too. */
static bool with_waits(struct search *k)
{
    struct series *s = &k->now;
    for (uint32_t i = 1; i < s->n; i++) {
        if (s->v[i].g != s->v[0].g) {
            return false;
        }
    }
    for (uint32_t i = 0; i < s->n; i++) {
        s->v[i].work = works_and_waits(k->c, s->v[i].g, s->v[i].t0, s->v[i].t1);
    }
    s->waits = s->n > 0;
    return s->waits;
}

static void types(struct search *k, bool waits)
{
    const struct triage *tg = k->c->tg;
    const struct task *task;
    const struct region *region;
    const size_t nt = trace_tasks(tg->tr, &task), nr = trace_regions(tg->tr, &region);
    for (uint32_t i = 0; i < tg->ntypes && i < 64; i++) {
        const struct span_type *y = &tg->types[i];
        const size_t n = y->is_region ? nr : nt;
        uint64_t seen = 0;
        if ((double)y->d.n < threshold(TH_TREND_COUNT) || !threshold_reached(TH_TREND_SHARE, y->d.total, tg->end)) {
            continue;
        }
        begin(k, y->is_region ? REGIONS : TASKS, y->name, y->d.n);
        for (size_t j = 0; j < n; j++) {
            const uint32_t name = y->is_region ? region[j].name : task[j].name,
                           g = y->is_region ? region[j].g : task[j].g;
            const bool open =
                y->is_region ? region[j].open_start || region[j].open_end : task[j].open_start || task[j].open_end;
            const int64_t t0 = y->is_region ? region[j].t0 : task[j].t0,
                          t1 = y->is_region ? region[j].t1 : task[j].t1;
            if (name == y->name && !open && g < tg->ng && kept(seen++, y->d.n)) {
                add(&k->now, t0, t1, works(tg->tr, g, t0, t1), g);
            }
        }
        if (!waits || with_waits(k)) {
            judge(k);
        }
    }
}

static void goroutines(struct search *k, uint32_t group)
{
    const struct causes *c = k->c;
    const struct group *grp = &c->tg->groups[group];
    const int64_t work = ns_add(grp->d[GM_EXEC].total, ns_add(grp->d[GM_SYSCALL].total, grp->d[GM_SYSBLOCK].total));
    if (grp->ended < threshold(TH_TREND_COUNT) || !threshold_reached(TH_TREND_SHARE, work, c->tg->end)) {
        return;
    }
    begin(k, GOROUTINES, grp->name, grp->ended);
    const uint64_t of = c->of[group].n, most = of < KEPT ? of : KEPT;
    for (uint64_t k_th = 1; k_th <= most; k_th++) { /* those that are kept() */
        const uint64_t i = (k_th * of + most - 1) / most - 1;
        const uint32_t g = causes_nth(c, group, i);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        if (li.created && li.ended) {
            const int64_t ns = ns_add(gstat_ns(c->tg->g, g, GM_SYSCALL), gstat_ns(c->tg->g, g, GM_SYSBLOCK));
            add(&k->now, li.first, li.last,
                ns_add(ns, gstat_ns(c->tg->g, g, GM_EXEC) - gstat_ns(c->tg->g, g, GM_ASSIST)), g);
        }
    }
    judge(k);
}

static bool ends_round(const struct causes *c, const struct span *s)
{
    return s->stack && (s->state == ST_SYSCALL ||
                        (s->state == ST_WAITING && stacks_wait_kind(c->tr, s->reason, s->stack) == WK_SLEEP));
}

/* The stacks of the goroutine at which most rounds could end. Returns how many. */
static uint32_t round_stacks(const struct causes *c, uint32_t g, uint32_t out[STACKS], uint32_t count[STACKS])
{
    struct {
        uint32_t stack, n;
    } v[32];
    uint32_t n = 0, most = 0;
    struct walk w;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        uint32_t k = 0;
        if (!ends_round(c, s)) {
            continue;
        }
        while (k < n && v[k].stack != s->stack) {
            k++;
        }
        if (k < 32) {
            v[k].n = k == n ? 1 : v[k].n + 1;
            v[k].stack = s->stack;
            n += k == n;
        }
    }
    for (; most < STACKS && most < n; most++) {
        uint32_t at = 0;
        for (uint32_t k = 1; k < n; k++) {
            at = v[k].n > v[at].n ? k : at;
        }
        out[most] = v[at].stack;
        count[most] = v[at].n;
        v[at].n = 0;
    }
    return most;
}

static void rounds_at(struct search *k, uint32_t g, uint32_t stack, uint32_t count)
{
    const struct causes *c = k->c;
    struct walk w;
    int64_t since = NO_TIME, work = 0;
    uint64_t seen = 0;
    begin(k, ROUNDS, c->tg->groups[gstat_group(c->tg->g, g)].name, count - 1);
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        if (s->state == ST_NONE) {
            since = NO_TIME;
        } else if (s->stack == stack && ends_round(c, s)) {
            if (since != NO_TIME && kept(seen++, count - 1)) {
                add(&k->now, since, s->t0, work, g);
            }
            since = s->t1;
            work = 0;
        } else if (s->state == ST_RUNNING || s->state == ST_SYSCALL) {
            work += s->t1 - s->t0;
        }
    }
    judge(k);
}

/* May one goroutine of a group end as many rounds as a finding takes? What it waits for besides ends none. */
static bool may_round(const struct causes *c, uint32_t group, uint32_t g)
{
    const struct gstat st = gstat_of(c->tg->g, g);
    const uint64_t sleeps = c->life[group].by[WK_SLEEP] ? st.waits : 0;
    return (double)(st.syscalls + sleeps) > threshold(TH_TREND_COUNT);
}

static void rounds(struct search *k, uint32_t group)
{
    const struct causes *c = k->c;
    for (uint32_t m = 0; m < c->of[group].n && m < MEMBERS; m++) {
        uint32_t stack[STACKS], count[STACKS];
        const uint32_t g = causes_member(c, group, m, MEMBERS);
        if (!threshold_reached(TH_TREND_SHARE, gstat_ns(c->tg->g, g, GM_EXEC), c->tg->end) ||
            !may_round(c, group, g)) {
            continue;
        }
        const uint32_t n = round_stacks(c, g, stack, count);
        for (uint32_t i = 0; i < n; i++) {
            if (count[i] > threshold(TH_TREND_COUNT)) {
                rounds_at(k, g, stack[i], count[i]);
            }
        }
    }
}

/* ---- the finding ---------------------------------------------------------------------------------------------------- */

static bool explained(struct causes *c, const struct one *v, uint32_t n, struct leaves *out)
{
    struct explain_tree t;
    bool ok = explain_tree_init(&t, c->tr);
    for (uint32_t i = 0; i < n && ok; i++) {
        const struct workpiece p = workpiece_at(c->tr, v[i].g, v[i].t0, v[i].t1);
        ok = explain_add_piece(c->x, &t, &p);
    }
    if (ok) {
        causes_leaves(&t, out);
    }
    explain_tree_free(&t);
    c->rs->failed |= !ok;
    return ok;
}

/* Of what the last ones do, what the first ones do least of. NULL: nothing has a place. */
static const struct leaf *grown(const struct leaves *last, const struct leaves *first, bool waits, int64_t *by)
{
    const struct leaf *best = NULL;
    *by = 0;
    for (uint32_t i = 0; i < last->n; i++) {
        const struct leaf *l = &last->v[i];
        int64_t before = 0;
        for (uint32_t k = 0; k < first->n; k++) {
            before = first->v[k].cat == l->cat && first->v[k].func == l->func ? first->v[k].ns : before;
        }
        const bool outside = waits && (l->cat == EX_TIMER || explain_waits_outside(l->cat));
        if ((l->cat == EX_RUN || l->cat == EX_SYSCALL || outside) && l->stack && l->ns - before > *by) {
            *by = l->ns - before;
            best = l;
        }
    }
    return best;
}

static void what_text(struct text *t, const struct causes *c, const struct series *s)
{
    static const char *const each[] = {"of the tasks", "of the regions", "of the goroutines of", "of the rounds of"};
    text_add(t, "%s ", each[s->what]);
    if (s->what == TASKS || s->what == REGIONS) {
        text_say(t, c->tr, "\"", t_str(s->name), "\"");
    } else {
        text_func(t, c->tr, s->name, 0);
    }
}

static void trend_finding(struct causes *c, const struct best *b)
{
    const struct series *s = &b->s;
    const struct one *end = &s->v[s->n - 1];
    struct leaves first, last;
    struct draft d;
    int64_t by;
    if (!explained(c, s->v + s->n / 50, LOOK, &first) || !explained(c, s->v + s->n - LOOK, LOOK, &last)) {
        return;
    }
    const struct leaf *l = grown(&last, &first, s->waits, &by);
    draft_start(&d, RULE_TREND, (int64_t)b->t.cost);
    d.f.won_hi = (int64_t)(b->t.most < (double)c->tg->end ? b->t.most : (double)c->tg->end);
    draft_about(&d, c->rs, s->name, l ? l->stack : 0);
    draft_at(&d, end->t0, end->t1, LANE_G, end->g);
    text_add(&d.amount, "%.1f times", (double)b->t.last / (double)(b->t.first > 0 ? b->t.first : 1));
    if (l) {
        causes_calls_text(&d.text, c->tr, l);
        text_lit(&d.text, " takes longer each time: each ");
    } else {
        text_lit(&d.text, "What is done again and again takes longer each time: each ");
    }
    what_text(&d.text, c, s);
    text_say(&d.text, c->tr, " (", s->of, s->waits ? ") works and waits for " : ") works for ", t_dur(b->t.first),
             " at the beginning and for ", t_dur(b->t.last), " at the end, ",
             t_f1((double)b->t.last / (double)(b->t.first > 0 ? b->t.first : 1)),
             " times as long (medians of the first and the last quarter), rising steadily.");
    if (l) {
        text_lit(&d.text, " What grows most: ");
        causes_what_text(&d.text, c->tr, (enum explain_cat)l->cat,
                         &(struct told_at){l->stack, l->frame, l->mixed, l->ran, callers_most(&l->callers, l->ns)});
        text_say(&d.text, c->tr, ", by ", t_dur(by / LOOK), " each.");
    }
    if (s->waits && l && l->cat != EX_RUN && l->cat != EX_SYSCALL) {
        text_lit(&d.next, "Does each wait for everything that came before it, one after the other (a list that only "
                          "grows, peers that have left)? Then remove what is finished, or wait for all in parallel. "
                          "If each simply has more to do, this is its time.");
        draft_end(c->rs, &d);
        return;
    }
    text_lit(&d.next,
             "Does each go through everything that came before it (encode it again, copy it, search a list)? Then do "
             "only the new part: append, cache, use a map. If each simply has more to do, this is its time.");
    draft_end(c->rs, &d);
}

void rules_trend(struct causes *c)
{
    struct search *k = mem_alloc(sizeof *k);
    c->rs->failed |= !k;
    if (!k) {
        return;
    }
    k->c = c;
    k->best.t.cost = 0;
    types(
        k,
        false); /* what the program itself marks tells best what is done again and again, and a loop's rounds least */
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS && k->best.t.cost <= 0; i++) {
        if (c->life[i].program) {
            goroutines(k, i);
        }
    }
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS && k->best.t.cost <= 0; i++) {
        if (c->life[i].program) {
            rounds(k, i);
        }
    }
    if (k->best.t.cost <= 0) {
        types(k, true);
    }
    if (k->best.t.cost > 0) {
        trend_finding(c, &k->best);
    }
    mem_free(k);
}
