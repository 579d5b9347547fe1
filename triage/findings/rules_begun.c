/*
 * rules_begun.c - goroutines that are begun one by one though the host could do many at a time: who begins them waits, where it
 * begins them, until one of those before is done. A semaphore, errgroup's SetLimit(1), a WaitGroup within the loop.
 *
 * What tells it from a pool that is too small: the one that waits and those it waits for are parent and children.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

struct begun {
    const struct pair_row *p;
    uint32_t children; /* group */
    int64_t waited;
    uint64_t count;
    uint32_t beginners; /* goroutines that begin them */
    uint32_t frame;     /* of where they wait: the function that begins them */
    double row;         /* waits for them in a row, where several begin them */
};

static bool may_be_begun(const struct pair_row *p)
{
    return !p->from_scheduler && p->waker != p->waiter &&
           (wait_on_channel(p->kind) || p->kind == WK_COND || p->kind == WK_WAITGROUP);
}

/* The function, where one waits or its caller (a helper: a group of its own, say), that began those of a stack as well; *frame: there. 0: none. */
static uint32_t begins_and_waits(const struct causes *c, uint32_t waits, uint32_t creates, uint32_t *frame)
{
    const uint32_t n = trace_stack(c->tr, waits), place = causes_place(c->tr, creates);
    for (uint32_t i = stacks_user_frame(c->tr, waits), seen = 0; place && i < n && seen < 2; i++) {
        const uint32_t func = trace_frame(c->tr, waits, i).func;
        if (stacks_is_program(c->tr, func)) {
            const bool began =
                func == place || (seen && text_caller(c->tr, creates, stacks_user_frame(c->tr, creates), 1) == func);
            if (began) {
                *frame = i;
                return func;
            }
            seen++;
        }
    }
    return 0;
}

/* Were most of a group's goroutines begun by one of that start function, in the function that waits? *frame: that, of where it waits. */
static bool begun_by(const struct causes *c, uint32_t group, const struct pair_row *p, uint32_t *frame)
{
    enum { ASKED = 32 };
    const uint32_t n = c->of[group].n, step = n > ASKED ? n / ASKED : 1;
    uint32_t asked = 0, yes = 0;
    for (uint32_t i = 0; i < n; i += step, asked++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, causes_nth(c, group, i)});
        yes += li.created && li.creator < c->tg->ng &&
               trace_lane(c->tr, (struct lane){LANE_G, li.creator}).name == p->waiter &&
               begins_and_waits(c, p->stack, li.create_stack, frame);
    }
    return asked && yes * 4 >= asked * 3;
}

struct in_rows {
    uint64_t waits, rows;
};

/* A goroutine's waits at a place, and in how many rows they follow each other: what else it waits for, but for locks and the collector, ends one. */
static struct in_rows rows_of(const struct causes *c, uint32_t g, uint32_t place)
{
    enum { STEPS = 4000 };
    struct in_rows r = {0};
    struct walk w;
    bool in = false;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&w));) {
        const enum wait_kind kind = s->state == ST_WAITING ? stacks_wait_kind(c->tr, s->reason, s->stack) : WK_LOCK;
        if (s->state == ST_WAITING && s->stack && causes_place(c->tr, s->stack) == place) {
            r.rows += !in;
            r.waits++;
            in = true;
        } else if ((kind != WK_LOCK && kind != WK_GC) || s->state == ST_NONE) {
            in = false;
        }
    }
    return r;
}

/* How many waits for them follow each other in one goroutine, on average. 0: in most of these goroutines there are no rows worth it. */
static double in_a_row(const struct causes *c, const struct pair_row *p)
{
    enum { ASKED = 8 };
    const uint32_t group = causes_group(c, p->waiter), place = causes_place(c->tr, p->stack);
    struct in_rows all = {0};
    uint32_t wait = 0, again = 0;
    for (uint32_t i = 0; group != UINT32_MAX && i < c->of[group].n && i < ASKED; i++) {
        const struct in_rows r = rows_of(c, causes_member(c, group, i, ASKED), place);
        all.waits += r.waits;
        all.rows += r.rows;
        wait += r.waits > 0;
        again += r.waits > 0 && (double)r.waits >= threshold(TH_BEGUN_ROW) * (double)r.rows;
    }
    return all.rows && again * 2 > wait ? (double)all.waits / (double)all.rows : 0;
}

/* Does who begins them begin others beside each, in the same function? Then it waits for all of a lot. */
static bool begun_in_lots(const struct causes *c, uint32_t group, const struct pair_row *p)
{
    uint64_t others = 0;
    uint32_t frame;
    for (uint32_t i = 0; i < c->tg->ngroups && i < 256; i++) {
        const bool may = i != group && c->life[i].program && c->of[i].n;
        others += may && begun_by(c, i, p, &frame) ? c->of[i].n : 0;
    }
    return others * 2 >= c->of[group].n;
}

/*
 * Are many of them begun before those have ended that the same goroutine began before, and others when all of these have? Then a lot is begun,
 * two or more at once, and waited for. A limit lets the next one in when one of them has ended: where one goroutine begins them, it is a lot
 * only if now and then all have.
 */
static bool begun_together(const struct causes *c, uint32_t group, bool several)
{
    enum { ASKED = 256, BEGINNERS = 16 };
    struct {
        uint32_t g;
        int64_t last;
    } by[BEGINNERS];
    uint32_t n = 0, pairs = 0, beside = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < ASKED; i++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, causes_nth(c, group, i)});
        uint32_t k = 0;
        while (k < n && by[k].g != li.creator) {
            k++;
        }
        if (!li.created || k == BEGINNERS) {
            continue;
        }
        pairs += k < n;
        beside += k < n && li.first < by[k].last;
        by[k].g = li.creator;
        by[k].last = k < n && by[k].last > li.last ? by[k].last : li.last;
        n += k == n;
    }
    return pairs && (double)beside >= threshold(TH_BEGUN_BESIDE) * pairs &&
           (several || (double)(pairs - beside) >= threshold(TH_BEGUN_LOTS) * pairs);
}

int64_t begun_longest(const struct causes *c, const struct finding *f)
{
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t g =
            f->stack && p->stack == f->stack && may_be_begun(p) ? causes_group(c, p->waker) : UINT32_MAX;
        uint32_t frame;
        if (g != UINT32_MAX && begun_by(c, g, p, &frame)) {
            return c->tg->groups[g].d[GM_LIFE].max;
        }
    }
    return 0;
}

static void begun_finding(struct causes *c, const struct begun *l)
{
    const uint32_t waits = causes_group(c, l->p->waiter);
    const struct group_life *y = &c->life[l->children];
    const struct group *g = &c->tg->groups[l->children];
    const double span = (double)(y->last - y->first), each = span * l->beginners;
    const double share = (double)l->waited / each < 1 ? (double)l->waited / each : 1;
    struct draft d;
    draft_start(&d, RULE_POOL, (int64_t)(span * share * c->idle / (y->n + c->idle)));
    draft_about(&d, c->rs, trace_frame(c->tr, l->p->stack, l->frame).func, l->p->stack);
    draft_moment(&d, &l->p->longest);
    d.f.inferred = true;
    const bool subtests =
        stacks_has(c->tr, l->p->stack, "testing.(*T).Run"); /* as they do, unless they say otherwise */
    d.f.note = subtests || y->n > threshold(TH_BEGUN_NOTE) * l->beginners;
    d.f.ends_with = d.f.note ? 0 : g->name;
    text_add(&d.amount, "%.1f at a time", y->n);
    text_calls(&d.text, c->tr, l->p->stack, l->frame, 3);
    text_say(&d.text, c->tr, " started ", g->count, " goroutines of ", t_func(g->name), " and waited there for ",
             t_share(share, 1), " of that time (", l->count, " waits) for one of them to finish: ", t_f1(y->n),
             " of them existed at a time, while ", t_f1(c->idle), " of ", t_f0(c->procs), " processors were idle.");
    if (l->beginners > 1) {
        text_add(&d.text, " %u goroutines do so, each with %.1f of them in a row before it waits for something else.",
                 (unsigned)l->beginners, l->row);
        d.f.won_hi = (int64_t)(span * share * (1 - 1 / l->row));
        d.f.severity_ns = d.f.won_hi < d.f.severity_ns ? d.f.won_hi : d.f.severity_ns;
    }
    if (waits != UINT32_MAX && causes_aside(c, l->children, waits)) {
        causes_aside_text(&d, c, waits);
        text_lit(&d.next, "Nothing, if this is fast enough. Otherwise: ");
    }
    if (subtests) {
        text_lit(&d.next, "Subtests run one after the other unless they call t.Parallel: let those do so that share "
                          "nothing.");
    } else {
        text_add(&d.next,
                 "%set more of them run at once: a higher limit, or wait after the loop instead of inside it.",
                 d.next.n ? "l" : "L");
    }
    draft_titled(c->rs, &d, "started one after the other");
}

/* Does each that begins them wait for them most of the time, though processors idle? Where several do, each in rows of its own. */
static bool one_by_one(const struct causes *c, struct begun *l)
{
    const struct group_life *y = &c->life[l->children];
    const int64_t span = y->last - y->first;
    const uint32_t waits = causes_group(c, l->p->waiter);
    l->beginners = waits != UINT32_MAX && c->of[waits].n ? c->of[waits].n : 1;
    if (span <= 0 || (double)l->count * 2 < (double)c->tg->groups[l->children].count ||
        !threshold_reached(TH_BEGUN_WAITED, l->waited / l->beginners, span) ||
        !threshold_reached(TH_BEGUN_SPAN, span, c->tg->end) || c->idle < threshold(TH_POOL_IDLE) * c->procs ||
        !begun_by(c, l->children, l->p, &l->frame) || begun_in_lots(c, l->children, l->p)) {
        return false;
    }
    if (begun_together(c, l->children, l->beginners > 1)) {
        return false;
    }
    if (l->beginners == 1) {
        return y->n <= threshold(TH_BEGUN_AT_ONCE) * c->procs;
    }
    if (l->p->kind == WK_SELECT) {
        return false; /* it may be begun only so that who waits can give up */
    }
    l->row = in_a_row(c, l->p);
    return l->row >= threshold(TH_BEGUN_ROW) && y->n <= threshold(TH_BEGUN_EACH) * l->beginners;
}

void rules_begun(struct causes *c)
{
    enum { MOST = 16 };
    struct begun v[MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t g = may_be_begun(p) ? causes_group(c, p->waker) : UINT32_MAX;
        uint32_t k = 0;
        if (g == UINT32_MAX || !c->life[g].program || (double)c->tg->groups[g].count < threshold(TH_BEGUN_COUNT)) {
            continue;
        }
        while (k < n && (v[k].children != g || v[k].p->waiter != p->waiter ||
                         causes_place(c->tr, v[k].p->stack) != causes_place(c->tr, p->stack))) {
            k++;
        }
        if (k == MOST) {
            continue;
        }
        if (k == n) {
            v[n++] = (struct begun){.p = p, .children = g};
        }
        v[k].waited = ns_add(v[k].waited, p->total);
        v[k].count += p->count;
        v[k].p = p->total > v[k].p->total ? p : v[k].p;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (one_by_one(c, &v[k])) {
            begun_finding(c, &v[k]);
        }
    }
}
