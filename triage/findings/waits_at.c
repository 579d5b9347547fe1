/*
 * waits_at.c - see waits_at.h.
 */
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"

#include <string.h>

#include "decode/base/idmap.h"
#include "decode/base/mem.h"
#include "triage/findings/walk.h"

#define BUCKETS 4096
#define SPANS (1u << 20) /* walked for one place, at most */
#define EACH 4096        /* of one goroutine, at least */
#define LOOKED 256       /* waits whose end is looked at */
#define PROCS 256
#define JUST_BEFORE 20000 /* ns */

void waits_at_add(struct waits_at *v, uint32_t *n, uint32_t most, uint32_t place, const struct pair_row *p)
{
    uint32_t k = 0;
    while (k < *n && v[k].place != place) {
        k++;
    }
    if (k == most) {
        return;
    }
    if (k == *n) {
        v[(*n)++] = (struct waits_at){.place = place, .most = p};
    }
    v[k].total = ns_add(v[k].total, p->total);
    v[k].count += p->count;
    v[k].most = p->total > v[k].most->total ? p : v[k].most;
}

uint32_t waits_at_rows(const struct causes *c, struct waits_at *v, uint32_t most, uint32_t asked, waits_pick *pick)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < asked; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const uint32_t place = pick(c, p) ? causes_place(c->tr, p->stack) : 0;
        if (place) {
            waits_at_add(v, &n, most, place, p);
        }
    }
    return n;
}

double waits_at_share(const struct causes *c, const struct waits_at *p)
{
    const uint32_t g = causes_group(c, p->most->waiter);
    return g != UINT32_MAX && c->life[g].life > 0 ? (double)p->total / (double)c->life[g].life : 0;
}

bool waits_timed(const struct causes *c, const struct pair_row *p)
{
    (void)c;
    return p->from_scheduler && (p->kind == WK_SLEEP || p->kind == WK_RECV || p->kind == WK_SELECT);
}

const struct pair_row *waits_between(const struct causes *c, uint32_t a, uint32_t b, int64_t *ns, uint64_t *count)
{
    const struct pair_row *most = NULL;
    *ns = 0;
    *count = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (!p->from_scheduler && p->waiter == c->tg->groups[a].name && p->waker == c->tg->groups[b].name &&
            wait_passes_on(p->kind)) {
            *ns = ns_add(*ns, p->total);
            *count += p->count;
            most = !most || p->total > most->total ? p : most;
        }
    }
    return most;
}

bool waits_at_brought(const struct causes *c, uint32_t waiter, uint32_t place)
{
    struct idmap there = {0}; /* the groups that wait there themselves */
    uint64_t own = 0, brought = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        ok = causes_place(c->tr, p->stack) != place || idmap_put(&there, p->waiter, 1);
    }
    for (uint32_t i = 0; ok && i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->from_scheduler || p->waiter != waiter || p->count <= p->futile ||
            causes_place(c->tr, p->stack) != place) {
            continue;
        }
        if (p->waker == waiter) {
            own += p->count - p->futile;
        } else if (idmap_get(&there, p->waker) == IDMAP_NONE) {
            brought += p->count - p->futile;
        }
    }
    c->rs->failed |= !ok;
    idmap_free(&there);
    return ok && brought > own;
}

enum { ENDERS = 4, MEMBERS = 128 };
struct enders { /* of one goroutine's waits at a place: the first few that end them, and how often */
    uint32_t g, who[ENDERS], times[ENDERS], n;
    uint32_t waits, parts; /* parts: ended by one that it began */
};

static void enders_of(const struct causes *c, uint32_t g, uint32_t place, struct enders *e)
{
    enum { STEPS = 256 };
    struct walk w;
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    *e = (struct enders){.g = g};
    for (struct span s; walk_pair(&w, &s, &next);) {
        if (s.state != ST_WAITING || !next || next->state != ST_RUNNABLE || next->who >= c->tg->ng ||
            causes_place(c->tr, s.stack) != place) {
            continue;
        }
        uint32_t i = 0;
        while (i < e->n && e->who[i] != next->who) {
            i++;
        }
        if (i < ENDERS) {
            e->who[i] = next->who;
            e->times[i] += 1;
            e->n += i == e->n;
        }
        e->waits++;
        e->parts += trace_lane(c->tr, (struct lane){LANE_G, next->who}).creator == g;
    }
}

bool waits_at_parts(const struct causes *c, uint32_t group, uint32_t place)
{
    uint32_t waits = 0, parts = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < MEMBERS; i++) {
        struct enders e;
        enders_of(c, causes_member(c, group, i, MEMBERS), place, &e);
        waits += e.waits;
        parts += e.parts;
    }
    return parts * 2 > waits;
}

/* Who ends half of the waits of e, or more; NO_LANE: nobody does. */
static uint32_t ender_of(const struct enders *e)
{
    for (uint32_t k = 0; k < e->n; k++) {
        if (e->times[k] * 2 >= e->waits) {
            return e->who[k];
        }
    }
    return NO_LANE;
}

/*
 * Going from each to who ends its waits, does one come from v[i] to the beginning of a row, which waits for nobody there or for others, or to
 * two that wait for each other?
 */
static bool in_a_row(const struct enders *v, uint32_t n, uint32_t i)
{
    for (uint32_t steps = 0; steps < n; steps++) {
        const uint32_t by = ender_of(&v[i]);
        uint32_t next = 0;
        while (next < n && v[next].g != by) {
            next++;
        }
        if (next == n) {
            return by != NO_LANE || !v[i].waits;
        }
        if (ender_of(&v[next]) == v[i].g) {
            return true;
        }
        i = next;
    }
    return false;
}

bool waits_at_stages(const struct causes *c, uint32_t group, uint32_t place)
{
    enum { FEW = 3 }; /* which are not in a row: any two of them wait for each other */
    const uint32_t n = c->of[group].n;
    struct enders v[MEMBERS];
    uint32_t rows = 0, all = 0;
    for (uint32_t i = 0; i < n && n <= MEMBERS; i++) {
        enders_of(c, causes_nth(c, group, i), place, &v[i]);
    }
    for (uint32_t i = 0; i < n && n <= MEMBERS; i++) {
        all += v[i].waits;
        rows += in_a_row(v, n, i) ? v[i].waits : 0;
    }
    return n > FEW && rows * 4 > all * 3;
}

#define CALLS_SAID 4
#define NEARLY_ALL 0.95

void waits_at_text(struct text *t, const struct causes *c, const struct waits_at *p)
{
    const uint32_t stack = p->most->stack, frame = stacks_user_frame(c->tr, stack);
    int64_t alike[CALLS_SAID + 1] = {0}, all = 0; /* [k]: of those whose first k functions are the same */
    struct callers by = {0};
    unsigned said = CALLS_SAID;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        if (q->kind != p->most->kind || causes_place(c->tr, q->stack) != p->place) {
            continue;
        }
        const uint32_t its = stacks_user_frame(c->tr, q->stack), caller = text_caller(c->tr, q->stack, its, 1);
        all = ns_add(all, q->total);
        for (unsigned k = 1; k <= CALLS_SAID && text_calls_alike(c->tr, stack, frame, q->stack, its, k); k++) {
            alike[k] = ns_add(alike[k], q->total);
        }
        if (caller) {
            callers_add(&by, caller, q->total);
        }
    }
    while (said > 1 && (double)alike[said] < NEARLY_ALL * (double)all) {
        said--;
    }
    text_calls(t, c->tr, stack, frame, said);
    if (said == 1) {
        const struct caller most = callers_most(&by, all);
        caller_text(t, c->tr, &most);
    }
}

/* ---- by the clock ---------------------------------------------------------------------------------------------- */

struct seeing {
    const struct causes *c;
    const struct waits_at *p;
    struct waits_seen *out;
    int64_t *covered; /* by bucket, summed over all that wait: by the clock no more than the bucket is long */
    int64_t width, soon, all;
    uint32_t left, every, nth;
    bool cut; /* not all was walked */
};

static void cover(struct seeing *s, int64_t t0, int64_t t1)
{
    for (int64_t b = t0 / s->width; t0 < t1 && b < BUCKETS; b++) {
        const int64_t end = (b + 1) * s->width < t1 ? (b + 1) * s->width : t1;
        s->covered[b] = ns_add(s->covered[b], end - t0);
        t0 = end;
    }
}

/*
 * Has a processor nothing to do a little before that moment, and the collector neither? Then the network is listened
 * to, and who waits for it is let go on at once. A processor that looks for work just then has come from other work,
 * and the answer may have been there all that time.
 */
static bool one_is_free(const struct causes *c, int64_t t)
{
    struct span s;
    bool is = false;
    if (trace_span_at(c->tr, (struct lane){LANE_BAND, BAND_GC}, t, &s) && s.state == ST_GC) {
        return false;
    }
    for (uint32_t p = 0; p < c->tg->np && p < PROCS && !is; p++) {
        is = trace_span_at(c->tr, (struct lane){LANE_P, p}, t, &s) && s.state == ST_IDLE;
    }
    return is;
}

static void see_wait(struct seeing *s, const struct span *w)
{
    cover(s, w->t0 > 0 ? w->t0 : 0, w->t1);
    if (s->nth++ % s->every == 0 && w->t0 < w->t1 - JUST_BEFORE && w->t1 < s->c->tg->end) {
        s->out->n++;
        s->all = ns_add(s->all, w->t1 - w->t0);
        if (one_is_free(s->c, w->t1 - JUST_BEFORE)) {
            s->out->free++;
            s->soon = ns_add(s->soon, w->t1 - w->t0);
        }
    }
}

static void see_group(struct seeing *s, uint32_t group)
{
    for (uint32_t k = 0; k < s->c->of[group].n && s->left; k++) {
        struct walk w;
        uint32_t at = 0;
        uint32_t seen = 0;
        bool here = false;
        const uint32_t each = s->left / (s->c->of[group].n - k), most = each > EACH ? each : EACH;
        walk_g(&w, s->c->tr, causes_nth(s->c, group, k), most < s->left ? most : s->left);
        for (const struct span *x; (x = walk_next(&w)); seen++) {
            if (x->state == ST_WAITING) {
                here = x->stack == at && at ? here
                                            : causes_place(s->c->tr, x->stack) == s->p->place &&
                                                  stacks_wait_kind(s->c->tr, x->reason, x->stack) == s->p->most->kind;
                at = x->stack;
                if (here) {
                    see_wait(s, x);
                }
            }
        }
        const int64_t until = walk_until(&w);
        s->cut |= until != 0;
        s->left -= until == WALK_SPREAD ? w.most : seen;
    }
}

struct waits_seen waits_seen(const struct causes *c, const struct waits_at *p)
{
    struct waits_seen out = {.clock = c->tg->end};
    uint8_t *asked = mem_zalloc(c->tg->ngroups + 1); /* groups */
    struct seeing s = {c,
                       p,
                       &out,
                       mem_zalloc(BUCKETS * sizeof(int64_t)),
                       .width = c->tg->end / BUCKETS + 1,
                       .left = SPANS,
                       .every = (uint32_t)(p->count / LOOKED) + 1};
    const bool room = asked && s.covered;
    c->rs->failed |= !room;
    for (uint32_t i = 0; i < c->tg->npairs && room && s.left; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        const bool its = q->kind == p->most->kind && causes_place(c->tr, q->stack) == p->place;
        const uint32_t group = its ? causes_group(c, q->waiter) : UINT32_MAX;
        if (group != UINT32_MAX && !asked[group]) {
            asked[group] = 1;
            see_group(&s, group);
        }
    }
    if (room && s.left && !s.cut) { /* else not all was walked */
        out.clock = 0;
        for (uint32_t b = 0; b < BUCKETS; b++) {
            out.clock = ns_add(out.clock, s.covered[b] < s.width ? s.covered[b] : s.width);
        }
        out.clock = out.clock < c->tg->end ? out.clock : c->tg->end;
    }
    out.soon = out.free ? s.soon / out.free : 0;
    out.each = out.n ? s.all / out.n : 0;
    mem_free(s.covered);
    mem_free(asked);
    return out;
}
