/*
 * rules_slots.c - slots that leak: a semaphore, a pool, of which fewer and fewer come back.
 *
 * A trace doesn't say who holds a slot. But who is let in while others wait, and goes on waiting there again, or ends, without having
 * let anybody in although somebody stood there all the time, gave nothing back. Where most do give back, the few who don't are leaks.
 */
#include "triage/findings/causes.h"
#include "triage/findings/commits.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define STEPS 20000   /* spans of each goroutine */
#define MEMBERS 16384 /* goroutines of a group, at most: who of more lets in whom isn't looked at */
#define SPANS 2000000 /* of all of them */
#define STAYS (1u << 16)
#define PLACES 32

struct stay { /* a wait at the place */
    uint32_t g, by;
    int64_t t0, t1, next; /* next: it waits there again, or ends; NO_TIME: neither */
    bool open, gave;      /* gave: another of its kind came to take it back from this one, which waited to send it */
};
struct ends { /* who let somebody in, when */
    uint32_t by;
    int64_t t;
};
struct gap { /* nobody waits */
    int64_t t0, t1;
};
struct slots {
    uint32_t place, stack, group;
    enum wait_kind kind;
    struct stay *v;
    size_t n, cap;
    struct ends *e;
    struct gap *gap;
    size_t nends, ngaps;
    uint32_t judged, lost, hung;
    uint32_t lost_g, hung_stack; /* the last one that gave nothing back */
    int64_t lost_t0, lost_t1, first, last;
    uint32_t early, late, all;     /* let in: in the first and the last quarter, in all */
    int64_t early_wait, late_wait; /* waited meanwhile, by all together */
    int64_t from, until;           /* before and behind that not all was looked at; 0: it was */
    uint32_t left;                 /* spans that may be looked at */
};

static int cmp_stay(const void *a, const void *b)
{
    const struct stay *x = a, *y = b;
    return x->t0 != y->t0 ? (x->t0 > y->t0) - (x->t0 < y->t0) : (x->g > y->g) - (x->g < y->g);
}

static int cmp_ends(const void *a, const void *b)
{
    const struct ends *x = a, *y = b;
    return x->by != y->by ? (x->by > y->by) - (x->by < y->by) : (x->t > y->t) - (x->t < y->t);
}

/* Did another of the group take what this one waited to send? */
static bool taken(const struct causes *c, const struct slots *s, const struct span *p, const struct span *next)
{
    return s->kind == WK_RECV && p->state == ST_WAITING && next && next->state == ST_RUNNABLE &&
           next->who < c->tg->ng && stacks_wait_kind(c->tr, p->reason, p->stack) == WK_SEND &&
           gstat_group(c->tg->g, next->who) == s->group;
}

static bool stays_of(struct causes *c, uint32_t g, struct slots *s)
{
    struct walk w;
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    size_t last = SIZE_MAX;
    walk_at(&w, c->tr, g, s->from, STEPS);
    const struct span *next = walk_next(&w);
    for (struct span p; s->left && s->n < STAYS && walk_pair(&w, &p, &next); s->left--) {
        if (last != SIZE_MAX && taken(c, s, &p, next)) {
            s->v[last].gave = true;
        }
        if (p.state != ST_WAITING || (!next && !p.open_end) || causes_place(c->tr, p.stack) != s->place ||
            stacks_wait_kind(c->tr, p.reason, p.stack) != s->kind) {
            continue;
        }
        struct stay *v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *v);
        if (!v) {
            c->rs->failed = true;
            return false;
        }
        s->v = v;
        if (last != SIZE_MAX) {
            v[last].next = p.t0;
        }
        last = s->n;
        v[s->n++] = (struct stay){.g = g,
                                  .by = next && next->state == ST_RUNNABLE ? next->who : NO_LANE,
                                  .t0 = p.t0,
                                  .t1 = p.t1,
                                  .next = li.ended ? li.last : NO_TIME,
                                  .open = !next};
    }
    const int64_t until = walk_until(&w);
    s->until = causes_until(s->until, until);
    if (until && last != SIZE_MAX) { /* what it does with what it was given is not looked at */
        s->v[last].open = true;
    }
    return true;
}

/* When nobody waited there, between the first wait and the last. */
static bool index_stays(struct causes *c, struct slots *s)
{
    s->e = mem_alloc((s->n + 1) * sizeof *s->e);
    s->gap = mem_alloc((s->n + 1) * sizeof *s->gap);
    if (!s->e || !s->gap) {
        c->rs->failed = true;
        return false;
    }
    qsort(s->v, s->n, sizeof *s->v, cmp_stay);
    int64_t till = s->v[0].t1;
    s->first = s->v[0].t1;
    s->last = s->v[0].t1;
    for (size_t i = 0; i < s->n; i++) {
        const struct stay *v = &s->v[i];
        if (v->t0 > till) {
            s->gap[s->ngaps++] = (struct gap){till, v->t0};
        }
        till = v->t1 > till ? v->t1 : till;
        if (!v->open) {
            s->first = v->t1 < s->first ? v->t1 : s->first;
            s->last = v->t1 > s->last ? v->t1 : s->last;
        }
        if (v->by < c->tg->ng) {
            s->e[s->nends++] = (struct ends){v->by, v->t1};
        }
    }
    qsort(s->e, s->nends, sizeof *s->e, cmp_ends);
    return true;
}

static bool let_in(const struct slots *s, uint32_t by, int64_t t0, int64_t t1)
{
    size_t lo = 0, hi = s->nends;
    while (lo < hi) {
        size_t m = lo + (hi - lo) / 2;
        if (s->e[m].by < by || (s->e[m].by == by && s->e[m].t < t0)) {
            lo = m + 1;
        } else {
            hi = m;
        }
    }
    return lo < s->nends && s->e[lo].by == by && s->e[lo].t <= t1;
}

static bool somebody_all_the_time(const struct slots *s, int64_t t0, int64_t t1)
{
    size_t lo = 0, hi = s->ngaps;
    while (lo < hi) {
        size_t m = lo + (hi - lo) / 2;
        if (s->gap[m].t1 <= t0) {
            lo = m + 1;
        } else {
            hi = m;
        }
    }
    return t1 <= s->v[s->n - 1].t1 && (lo == s->ngaps || s->gap[lo].t0 >= t1);
}

/* Does it wait elsewhere when the trace ends, and has for most of the time since it was let in? Then it has the slot still. */
static uint32_t hangs_at(const struct causes *c, const struct stay *v)
{
    struct span s;
    int64_t end = c->tg->end;
    if (v->next != NO_TIME || v->open || !trace_span_at(c->tr, (struct lane){LANE_G, v->g}, end - 1, &s) ||
        s.state != ST_WAITING || s.t0 <= v->t1 || (s.t1 - s.t0) < (end - v->t1) / 2 || s.t1 - s.t0 < end / 8) {
        return 0;
    }
    return s.stack;
}

/* How long, on average, those that let somebody in afterwards took to wait there again. */
static int64_t usual_hold(const struct slots *s)
{
    int64_t ns = 0, n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct stay *v = &s->v[i];
        if (!v->open && v->next != NO_TIME && let_in(s, v->g, v->t1, v->next)) {
            ns = ns_add(ns, v->next - v->t1);
            n++;
        }
    }
    return n ? ns / n : 0;
}

static int64_t overlap(int64_t a, int64_t b, int64_t t0, int64_t t1)
{
    const int64_t from = a > t0 ? a : t0, to = b < t1 ? b : t1;
    return to > from ? to - from : 0;
}

static void judge(const struct causes *c, struct slots *s)
{
    const int64_t span = s->last - s->first, least = s->kind == WK_COND ? usual_hold(s) / 4 : 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct stay *v = &s->v[i];
        s->early_wait = ns_add(s->early_wait, overlap(v->t0, v->t1, s->first, s->first + span / 4));
        s->late_wait = ns_add(s->late_wait, overlap(v->t0, v->t1, s->last - span / 4, s->last));
        if (v->open || (v->next != NO_TIME && v->next - v->t1 < least)) { /* woken, but another one was quicker */
            continue;
        }
        s->all++;
        s->early += v->t1 < s->first + span / 4;
        s->late += v->t1 >= s->last - span / 4;
        uint32_t hung = hangs_at(c, v);
        int64_t till = v->next != NO_TIME ? v->next : c->tg->end;
        if ((s->until && till > s->until) || (v->next == NO_TIME && !hung) ||
            !somebody_all_the_time(s, v->t1, hung ? s->last : till)) {
            continue;
        }
        s->judged++;
        if (!v->gave && !let_in(s, v->g, v->t1, till)) {
            s->lost++;
            s->hung += hung != 0;
            s->hung_stack = hung ? hung : s->hung_stack;
            s->lost_g = v->g;
            s->lost_t0 = v->t1;
            s->lost_t1 = till;
        }
    }
}

static void slots_finding(struct causes *c, const struct slots *s)
{
    struct draft d;
    const double mean = (double)s->all / 4, slower = mean < s->early ? 1 - mean / s->early : 0;
    const double more =
        (double)(s->late_wait - s->early_wait) / 2 / (double)c->life[s->group].life; /* it grew evenly */
    const double share = slower > more ? slower : more;
    draft_start(&d, RULE_SLOTS, (int64_t)(share * (double)(s->last - s->first)));
    draft_about(&d, c->rs, s->place, s->stack);
    draft_at(&d, s->lost_t0, s->lost_t1, LANE_G, s->lost_g);
    d.f.inferred = true;
    text_add(&d.amount, "%u lost", s->lost);
    text_say(&d.text, c->tr, t_place(s->stack, 2), ": what goroutines wait for there gets lost bit by bit: of ",
             s->judged, " times that one was let in while others kept waiting, ", s->lost,
             " times it never let anyone else in (inferred), the last of them ", t_who(s->lost_g), " (@",
             t_dur(s->lost_t0), "). In the first quarter of that time ", s->early,
             " were let in, in the last quarter ", s->late, ".");
    causes_counted_in(&d.text, s->from, s->until);
    if (s->hung) {
        text_say(&d.text, c->tr, " ", s->hung, " of them still wait at the end at ", t_where(s->hung_stack, 0), ".");
    }
    text_lit(&d.next, "Release it on every return path (defer, right after taking it): check early returns, errors, "
                      "panics and timeouts.");
    draft_end(c->rs, &d);
}

static void slots_at(struct causes *c, const struct pair_row *p, uint32_t group)
{
    struct slots s = {
        .place = causes_place(c->tr, p->stack), .stack = p->stack, .group = group, .kind = p->kind, .left = SPANS};
    s.from = walk_around(c->tr, p->longest.g, p->longest.t0, STEPS);
    bool ok = c->of[group].n <= MEMBERS;
    for (uint32_t i = 0; ok && i < c->of[group].n; i++) {
        ok = stays_of(c, causes_nth(c, group, i), &s) && s.left &&
             s.n < STAYS; /* else it may have let in one not looked at */
    }
    if (ok && s.n && index_stays(c, &s)) {
        judge(c, &s);
        if ((double)s.judged >= threshold(TH_SLOTS_JUDGED) && (double)s.lost >= threshold(TH_SLOTS_LOST) &&
            (double)s.lost <= threshold(TH_SLOTS_MOST) * (double)s.judged &&
            ((double)s.late <= threshold(TH_SLOTS_LATE) * (double)s.early ||
             (double)s.early_wait <= threshold(TH_SLOTS_LATE) * (double)s.late_wait)) {
            slots_finding(c, &s);
        }
    }
    mem_free(s.v);
    mem_free(s.e);
    mem_free(s.gap);
}

void rules_slots(struct causes *c)
{
    uint32_t seen[PLACES], n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && n < PLACES && !c->rs->failed; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        bool kind = wait_on_channel(p->kind) || p->kind == WK_COND;
        uint32_t place = p->from_scheduler || p->waker != p->waiter || !kind ? 0 : causes_place(c->tr, p->stack),
                 k = 0, g = place ? causes_group(c, p->waiter) : UINT32_MAX;
        while (k < n && seen[k] != place) {
            k++;
        }
        if (g == UINT32_MAX || k < n || !c->life[g].program || (double)p->count < threshold(TH_SLOTS_JUDGED)) {
            continue;
        }
        seen[n++] = place;
        if (!waits_at_brought(c, p->waiter, place) && !waits_at_parts(c, g, place) && !waits_at_stages(c, g, place) &&
            !commits_of(c, g)) {
            slots_at(c, p, g);
        }
    }
}
