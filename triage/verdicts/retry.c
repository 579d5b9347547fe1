/*
 * retry.c - whether waits that a timer ends are the back-off of a piece that retries: it waits, does
 * something, waits longer, does something, and so on. See verdict.h.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { PIECES = 16, STEPS = 2000 };

/* Whether it waits there until a timer fires. Nobody ended that wait. */
static bool waits_out(const struct works *w, const struct verdict *v, const struct span *s,
                      const struct span *next)
{
    return s->state == ST_WAITING && s->stack && next && next->state == ST_RUNNABLE && next->who == NO_LANE &&
           verdict_place(w, s->stack).user == v->where.user;
}

/* Returns how often one piece waits there if each wait is longer than the previous one; 0 if not. */
static uint32_t tries_in(const struct causes *c, const struct works *w, const struct verdict *v,
                         const struct workpiece *p)
{
    uint32_t n = 0, longer = 0;
    int64_t before = 0;
    struct walk k;
    struct span s;
    walk_at(&k, c->tr, p->g, p->t0, STEPS);
    const struct span *next = walk_next(&k);
    while (walk_pair(&k, &s, &next) && s.t0 < p->t1) {
        if (!waits_out(w, v, &s, next))
            continue;
        longer += n > 0 && (double)(s.t1 - s.t0) > threshold(TH_TREND_RISE) * (double)before;
        before = s.t1 - s.t0;
        n++;
    }
    return n >= threshold(TH_SEVERAL) && longer + 1 == n ? n : 0;
}

double verdict_retries(const struct causes *c, const struct works *w, const struct verdict *v)
{
    const struct work *k = &w->v[v->harm.work];
    uint32_t looked = 0, tries = 0;
    double n = 0;
    for (; looked < PIECES && looked < k->slow; looked++) { /* the longest pieces */
        const uint32_t t = tries_in(c, w, v, &k->v[looked]);
        tries += t > 0;
        n += t;
    }
    return tries >= threshold(TH_SEVERAL) && tries * 2 > looked ? n / tries : 0;
}
