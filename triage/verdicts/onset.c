/* onset.c - whether the slow pieces of a work begin at some moment, and some are slow all the time from then
 * on: something became slower. See verdict.h. */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { PARTS = 16 };

/* Whether a piece is slow: at least half as long as the slow ones of the tree are on average. */
static bool is_slow(const struct work *w, const struct workpiece *p)
{
    const double n = w->tree.pieces[TREE_SLOW];
    return (double)(p->t1 - p->t0) * n * threshold(TH_DOUBLE) >= (double)tree_ns(&w->tree, TREE_SLOW);
}

bool verdict_began_at(const struct causes *c, const struct work *w, int64_t *since)
{
    uint32_t slow[PARTS] = {0}, all[PARTS] = {0};
    double ns[PARTS] = {0}, before = 0, after = 0, was = 0, is = 0; /* pieces, and their time */
    const int64_t wide = c->tg->end / PARTS + 1;
    int from = PARTS, fast;
    for (uint32_t i = 0; i < w->looked; i++) {
        const int64_t at = w->v[i].t0 / wide, part = at < 0 ? 0 : at < PARTS ? at : PARTS - 1;
        all[part]++;
        slow[part] += is_slow(w, &w->v[i]);
        ns[part] += (double)(w->v[i].t1 - w->v[i].t0);
    }
    for (; from > 0 && slow[from - 1] >= threshold(TH_ROOM) * all[from - 1]; from--) {
        after += all[from - 1];
        is += ns[from - 1];
    }
    from -= from > 0 && slow[from - 1] >= threshold(TH_SHARE) * all[from - 1]; /* it began in this part */
    for (fast = from; fast > 0 && slow[fast - 1] < threshold(TH_SHARE) * all[fast - 1]; fast--) {
        before += all[fast - 1];
        was += ns[fast - 1];
    }
    if (from - fast < threshold(TH_SHARE) * PARTS || before < threshold(TH_MANY) ||
        after < threshold(TH_MANY) || is / after < threshold(TH_TAIL) * was / before)
        return false; /* it comes and goes, hits a few, or was so all along */
    *since = c->tg->end;
    for (uint32_t i = 0; i < w->looked; i++)
        if (w->v[i].t0 >= from * wide && w->v[i].t0 < *since && is_slow(w, &w->v[i]))
            *since = w->v[i].t0;
    return true;
}
