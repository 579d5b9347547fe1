/*
 * fam_regions.c - the slow pieces of a work are in a region that the usual ones are not in: they are another
 * kind, and the program says itself which. What was done in the longest of these regions is explained as
 * pieces are.
 */
#include "triage/findings/thresholds.h"
#include "triage/tables/slices.h"
#include "triage/verdicts/verdict.h"

enum { NAMES = 32, LOOKED = 100000, PIECES = 48 /* slow ones, and usual ones */ };

struct named {                    /* regions of one name */
    uint32_t name, in, hit, last; /* in: of the usual ones */
    int64_t ns[2];                /* in the usual pieces, in the slow ones */
    struct region longest;
};
struct sides { /* pieces of a work: [0] around the median, [1] the slow ones */
    const struct workpiece *v[2];
    uint32_t n[2];
    double mean[2];
};

static struct sides sides_of(const struct work *k)
{
    const uint32_t n = k->looked, quarter = n / 4;
    struct sides s = {.n = {quarter < PIECES ? quarter : PIECES, k->slow < PIECES ? k->slow : PIECES}};
    s.v[0] = k->v + n / 2 - s.n[0] / 2;
    s.v[1] = k->v;
    for (int i = 0; i < 2; i++)
        for (uint32_t j = 0; j < s.n[i]; j++)
            s.mean[i] += (double)(s.v[i][j].t1 - s.v[i][j].t0) / s.n[i];
    return s;
}

static void regions_add(struct named *v, uint32_t *n, const struct region *r, int side, uint32_t piece,
                        int64_t ns)
{
    const uint32_t k = find_first(i, *n, v[i].name == r->name);
    if (k == NAMES)
        return;
    if (k == *n)
        v[(*n)++] = (struct named){.name = r->name, .last = UINT32_MAX};
    v[k].ns[side] = ns_add(v[k].ns[side], ns);
    v[k].in += side == 0 && v[k].last != piece;
    v[k].hit += side == 1 && v[k].last != piece;
    v[k].last = piece;
    if (side == 1)
        v[k].longest = r->t1 - r->t0 > v[k].longest.t1 - v[k].longest.t0 ? *r : v[k].longest;
}

static uint32_t names_of(const struct causes *c, const struct sides *s, struct named v[NAMES])
{
    const struct region *r;
    const size_t n = trace_regions(c->tr, &r), step = n / LOOKED + 1;
    uint32_t names = 0;
    for (int side = 0; side < 2; side++) {
        for (uint32_t j = 0; j < s->n[side] && slices_tick(); j++) {
            const struct workpiece *p = &s->v[side][j];
            for (size_t i = 0; i < n; i += step) {
                const int64_t t0 = r[i].t0 > p->t0 ? r[i].t0 : p->t0, t1 = r[i].t1 < p->t1 ? r[i].t1 : p->t1;
                if (r[i].g == p->g && t0 < t1)
                    regions_add(v, &names, &r[i], side, side * PIECES + j, t1 - t0);
            }
        }
    }
    return names;
}

/* What took most of one region. */
static bool deeds(struct causes *c, const struct works *w, const struct region *r, struct verdict *v)
{
    const struct workpiece p = workpiece_of_g(r->g, r->t0, r->t1);
    struct work_tree t = {.n = 0};
    struct explainer *x = explain_new(c->tr, w->own);
    bool told[EX_CATS] = {false};
    const bool ok = x && tree_explain(&t, c->tr, x, &p, 1, 1, TREE_SPANS);
    for (uint32_t k = ok ? t.v[0].first : NO_LANE; k != NO_LANE && v->ndoing < 2; k = t.v[k].next) {
        int64_t ns = 0;
        for (uint32_t i = t.v[0].first; i != NO_LANE; i = t.v[i].next)
            ns = ns_add(ns, t.v[i].cat == t.v[k].cat ? t.v[i].ns[TREE_ALL] : 0);
        const double share = tree_part(&t, ns, TREE_ALL);
        if (!told[t.v[k].cat] && share >= threshold(TH_SHARE))
            v->doing[v->ndoing++] = verdict_did(&t.v[k], &t.v[k], share);
        told[t.v[k].cat] = true;
    }
    tree_free(&t);
    explain_free(x);
    return ok;
}

static bool regions_look(struct causes *c, const struct works *w, uint32_t work, const struct sides *s,
                         struct verdicts *out)
{
    struct named v[NAMES];
    const uint32_t n = names_of(c, s, v);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        const double slow = (double)v[i].ns[1] / s->n[1], usual = s->n[0] ? (double)v[i].ns[0] / s->n[0] : 0;
        if (slow - usual < threshold(TH_SLOW_REGION) * (s->mean[1] - s->mean[0]) ||
            v[i].in > threshold(TH_SHARE) * s->n[0])
            continue;
        const struct region *r = &v[i].longest;
        struct verdict d = verdict_new(RULE_REGION, 0, verdict_place(w, r->stack));
        d.region = r->name;
        verdict_shows(&d, r->g, r->t0, r->t1);
        ok = deeds(c, w, r, &d);
        d.harm = (struct harm){.work = work, .hit = v[i].hit, .of = s->n[1], .slow_only = true};
        d.harm.slow = s->mean[1] > 0 ? slow / s->mean[1] : 0;
        d.harm.usual = s->mean[0] > 0 ? usual / s->mean[0] : 0;
        d.harm.all = d.harm.slow * work_slow_part(&w->v[work]);
        verdict_ev(&d, EV_LONGEST, (double)(r->t1 - r->t0));
        ok = ok && verdict_add(out, &d);
    }
    return ok;
}

bool fam_regions(struct causes *c, const struct works *w, uint32_t work, struct verdicts *out)
{
    const struct work *k = &w->v[work];
    if (!work_awaited(k) || k->background || k->looked < 4)
        return true;
    const struct sides s = sides_of(k);
    const bool tail =
        s.mean[1] >= threshold(TH_TAIL) * s.mean[0] && s.mean[1] - s.mean[0] >= threshold(TH_FELT);
    return !tail || regions_look(c, w, work, &s, out);
}
