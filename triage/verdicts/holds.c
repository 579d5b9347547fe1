/*
 * holds.c - whether a set is full because a few of its holders take long in one call. See verdict.h.
 *
 * It compares all calls in the function in which the holders mostly wait. A call is the longest of a row of
 * waits there: the other waits of the row may read what the same answer brings. If the calls are alike, the
 * set is too small. If a few of them have most of the time, these occupy the slots, and would occupy more
 * slots as well.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

#include <stdlib.h>

#include "decode/base/mem.h"

enum { MEMBERS = 8192, STEPS = 2048, CALLS = 65536 };

struct calls {
    struct stretch *v;
    size_t n, cap;
    bool failed;
};

static void call_add(struct calls *k, struct stretch c)
{
    struct stretch *v = k->n < CALLS && c.ns >= 0 ? mem_grow(k->v, &k->cap, k->n + 1, sizeof *v) : NULL;
    k->failed |= !v && k->n < CALLS && c.ns >= 0;
    if (v) {
        k->v = v;
        v[k->n++] = c;
    }
}

static int cmp_length(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns) : (x->t0 > y->t0) - (x->t0 < y->t0);
}

static int cmp_begin(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->t0 > y->t0) - (x->t0 < y->t0);
}

/* Adds the calls of one goroutine at that place. */
static void calls_of(const struct causes *c, const struct works *w, uint32_t g, const struct site *at,
                     struct calls *out)
{
    struct stretch longest = {0, -1};
    struct walk k;
    walk_g(&k, c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&k)) && !out->failed;) {
        const struct site p = s->state == ST_WAITING ? verdict_place(w, s->stack) : (struct site){0};
        const bool here = p.user && p.user == at->user && p.leaf == at->leaf;
        if (here && !s->open_end && s->t1 - s->t0 > longest.ns) {
            longest = (struct stretch){s->t0, s->t1 - s->t0};
        } else if (!here && (s->state == ST_WAITING || s->state == ST_NONE)) {
            call_add(out, longest);
            longest.ns = -1;
        }
    }
    call_add(out, longest);
}

void verdict_when(struct stretch *v, size_t n, int64_t *since, int64_t *end)
{
    const double few = threshold(TH_NOTED);
    int64_t all = 0, ns = 0;
    for (size_t i = 0; i < n; i++)
        all = ns_add(all, v[i].ns);
    qsort(v, n, sizeof *v, cmp_begin);
    *since = *end = v[0].t0;
    for (size_t i = 0; i < n; i++) {
        *since = (double)ns < few * (double)all ? v[i].t0 : *since;
        *end = (double)ns <= (1 - few) * (double)all ? ns_add(v[i].t0, v[i].ns) : *end;
        ns = ns_add(ns, v[i].ns);
    }
}

/* Whether few of the calls, which are sorted by length, have most of the time of all calls while they go on.
 * Records their number and since when. */
static bool few_have_most(struct calls *k, struct verdict *v)
{
    int64_t all = 0, few = 0, since = 0, end = 0;
    const int64_t usual = k->v[k->n / 2].ns;
    size_t n = 0, before = 0;
    for (; n < k->n && (double)k->v[k->n - 1 - n].ns >= threshold(TH_TAIL) * (double)usual; n++)
        few = ns_add(few, k->v[k->n - 1 - n].ns);
    if (n < threshold(TH_PIECES) || n * 3 > k->n || few / (int64_t)n - usual < threshold_ns(TH_FELT))
        return false;
    verdict_when(k->v + (k->n - n), n, &since, &end);
    for (size_t i = 0; i < k->n; i++) {
        all = ns_add(all, k->v[i].t0 >= since && k->v[i].t0 <= end ? k->v[i].ns : 0);
        before += k->v[i].t0 < since;
    }
    verdict_ev(v, EV_COUNT, (double)n);
    verdict_ev(v, EV_EACH, (double)few / (double)n);
    verdict_ev(v, EV_FIRST, (double)usual);
    if ((double)before * (double)n >= threshold(TH_MANY) * (double)k->n) /* else one came later by chance */
        verdict_ev(v, EV_SINCE, (double)since);
    return (double)few * (1 - threshold(TH_SHARE)) >= threshold(TH_MOST) * (double)all;
}

bool verdict_few_hold(const struct causes *c, const struct works *w, struct verdict *v)
{
    const struct did *d = &v->doing[0];
    const bool waits = v->ndoing && d->at.user && (explain_waits_outside(d->cat) || d->cat == EX_TIMER);
    const uint32_t group = waits ? causes_group(c, d->who) : UINT32_MAX;
    struct calls k = {0};
    const uint32_t n = group == UINT32_MAX ? 0 : c->of[group].n;
    for (uint32_t i = 0; i < n && i < MEMBERS && !k.failed && slices_tick(); i++)
        calls_of(c, w, causes_member(c, group, i, MEMBERS), &d->at, &k);
    if (k.n)
        qsort(k.v, k.n, sizeof *k.v, cmp_length);
    const bool few = !k.failed && k.n >= threshold(TH_MANY) && few_have_most(&k, v);
    mem_free(k.v);
    return few;
}
