/*
 * fam_polling.c - a goroutine sleeps instead of waiting for what it handed over. A sleep alone is no
 * fault. It is one if, within one piece, the goroutine hands something over and then sleeps; the other
 * goroutine is done and waits for more while the sleep goes on; and the piece does not sleep there again.
 * Work that is done at once (a line for a log) is not what it sleeps for. If it creates a goroutine for
 * the work each time, and that ends during the sleep, the sleep may be a pace: a note.
 *
 * Or others wait for the one that sleeps: it was asleep before they came, and does what they want in one go
 * once it is up. Who sleeps for each of them does so after they came.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { GROUPS = 48, MEMBERS = 16, STEPS = 1024, THINGS = 256, NEXT = 16 };

struct polled {
    const struct causes *c;
    const struct works *w;
    const struct verdict *v;
    uint32_t looked, done; /* things handed over; done while the one that handed them over slept */
    uint32_t last;         /* of these, in one piece, which does not sleep there again */
    double took;           /* ns from then until they were done */
    double asleep, late;   /* ns of these sleeps, and since they were done */
};

static bool is_sleep(const struct polled *p, const struct span *s)
{
    return s->state == ST_WAITING && s->stack &&
           stacks_wait_kind(p->c->tr, s->reason, s->stack) == WK_SLEEP &&
           verdict_place(p->w, s->stack).user == p->v->where.user;
}

/* The end of the piece in which g is from t0 to t1; NO_TIME: they are in no one piece. */
static int64_t piece_end(const struct polled *p, uint32_t g, int64_t t0, int64_t t1)
{
    const struct work *k = &p->w->v[p->v->harm.work];
    const uint32_t at = find_first(i, k->looked, k->v[i].g == g && k->v[i].t0 <= t0 && k->v[i].t1 >= t1);
    return at < k->looked ? k->v[at].t1 : NO_TIME;
}

/* Is g asleep there at t, since it handed something over at `since`? */
static bool sleeps(struct polled *p, uint32_t g, int64_t since, int64_t t)
{
    struct span s;
    struct walk k;
    if (!trace_span_at(p->c->tr, lane_g(g), t, &s) || s.t0 < since || !is_sleep(p, &s))
        return false;
    const int64_t end = piece_end(p, g, since, s.t1);
    const struct span *n = NULL;
    walk_at(&k, p->c->tr, g, s.t1, NEXT);
    while ((n = walk_next(&k)) && n->state != ST_WAITING) {
    }
    p->last += end != NO_TIME && (!n || n->t0 >= end || !is_sleep(p, n));
    p->took += (double)(t - since);
    p->asleep += (double)(s.t1 - s.t0);
    p->late += (double)(s.t1 - t);
    return true;
}

/* Can half of THINGS still be done meanwhile? */
static bool may_be_half(const struct polled *p)
{
    return (p->looked - p->done) * 2 <= THINGS;
}

/* One of those that are handed something: from a wake-up to where it waits for the next one. */
static void polling_look(struct polled *p, uint32_t g)
{
    uint32_t rest = 0, from = NO_LANE;
    int64_t since = 0;
    struct walk k;
    walk_g(&k, p->c->tr, g, STEPS);
    for (const struct span *s; p->looked < THINGS && may_be_half(p) && (s = walk_next(&k));) {
        if (s->state == ST_NONE) {
            rest = 0;
            from = NO_LANE;
        } else if (s->state == ST_WAITING && from != NO_LANE && s->stack == rest) {
            p->looked++;
            p->done += sleeps(p, from, since, s->t0);
            from = NO_LANE;
        } else if (s->state == ST_WAITING && from == NO_LANE) {
            rest = s->stack;
        } else if (s->state == ST_RUNNABLE && from == NO_LANE && rest &&
                   trace_g_name(p->c->tr, s->who) == p->v->waiter.group) {
            from = s->who;
            since = s->t0;
        }
    }
}

/* One that is begun for it, and ends. */
static void look_at_life(struct polled *p, uint32_t g)
{
    const struct lane_info li = trace_lane(p->c->tr, lane_g(g));
    if (li.created && li.ended && trace_g_name(p->c->tr, li.creator) == p->v->waiter.group) {
        p->looked++;
        p->done += sleeps(p, li.creator, li.first, li.last - 1);
    }
}

/* Do goroutines of that group do what is handed over, and for a time that one feels? */
static bool hands_over(struct polled *p, uint32_t group, void (*look)(struct polled *, uint32_t))
{
    p->looked = p->done = p->last = 0;
    p->took = p->asleep = p->late = 0;
    const uint32_t most = look == polling_look ? MEMBERS : THINGS;
    each_member(g, p->c, group, most)
        if (may_be_half(p))
            look(p, g);
    return p->done >= threshold(TH_SEVERAL) && p->done * 2 >= p->looked &&
           p->took >= threshold(TH_FELT) * p->done;
}

static void done_by(const struct polled *p, struct verdict *v, uint32_t name, uint32_t g)
{
    v->holder = (struct role){.group = name, .g = g};
    v->sure = SURE_INFERRED;
    verdict_ev(v, EV_FIRST, p->took / p->done);
}

double verdict_polls(const struct causes *c, const struct works *w, struct verdict *v)
{
    struct polled p = {.c = c, .w = w, .v = v};
    uint32_t asked[GROUPS], n = 0;
    each_of(r, c->tg->pairs, works_pairs(c)) {
        const uint32_t group = r->waker == v->waiter.group ? causes_group(c, r->waiter) : UINT32_MAX;
        const bool known = r->waiter == r->waker || r->from_scheduler ||
                           (double)r->count < threshold(TH_SEVERAL) || !wait_passes_on(r->kind) ||
                           group == UINT32_MAX;
        if (known || any_of(k, n, asked[k] == group))
            continue;
        if (n < GROUPS)
            asked[n++] = group;
        if (hands_over(&p, group, polling_look) && p.last >= threshold(TH_SEVERAL) &&
            p.last * 2 >= p.looked) {
            done_by(&p, v, r->waiter, r->longest.g);
            return p.late / p.asleep;
        }
    }
    for (uint32_t i = 0; i < c->tg->ngroups && i < GROUPS; i++) {
        if (c->tg->groups[i].ended >= threshold(TH_SEVERAL) && hands_over(&p, i, look_at_life)) {
            done_by(&p, v, c->tg->groups[i].name, NO_LANE);
            break;
        }
    }
    return 0;
}

/* Is goroutine g asleep at t, and once it is up, up until t1? Adds that sleep to *ns. */
static bool dozes(const struct polled *p, uint32_t g, int64_t t, int64_t t1, double *ns)
{
    struct span s;
    if (!trace_span_at(p->c->tr, lane_g(g), t, &s) || !is_sleep(p, &s) || s.t1 >= t1)
        return false;
    each_between(n, p->c->tr, g, s.t1, t1, STEPS)
        if (n->t0 >= s.t1 && is_sleep(p, n))
            return false;
    *ns += (double)(s.t1 - s.t0);
    return true;
}

bool verdict_dozes(const struct causes *c, const struct works *w, struct verdict *v)
{
    const struct polled asleep = {.c = c, .w = w, .v = v};
    const struct work *k = &w->v[v->harm.work];
    uint32_t looked = 0, is = 0;
    double ns = 0;
    for (uint32_t i = 0; i < k->looked; i += k->looked / THINGS + 1) {
        const struct workpiece *p = &k->v[i];
        each_pair_between(s, next, c->tr, p->g, p->t0, p->t1, STEPS) {
            if (s->state == ST_WAITING && trace_g_name(c->tr, next->who) == v->waiter.group) {
                looked++;
                is += dozes(&asleep, next->who, p->t0, s->t1, &ns);
                break;
            }
        }
    }
    if (is < threshold(TH_SEVERAL) || is * 2 <= looked)
        return false;
    verdict_ev(v, EV_SHARE, (double)is / looked);
    verdict_ev(v, EV_EACH, ns / is);
    return true;
}
