/*
 * onset.c - whether the slow pieces of a work begin at some moment and then go on to the end of the trace:
 * something became slower then, and it is no chance which pieces are hit. See verdict.h.
 */
#include "triage/findings/thresholds.h"
#include "triage/verdicts/verdict.h"

enum { PARTS = 4, LEAST = 3 };

/* Whether a piece is slow: at least half as long as the slow ones of the tree are on average. */
static bool is_slow(const struct work *w, const struct workpiece *p)
{
    const double n = w->tree.pieces[TREE_SLOW];
    return (double)(p->t1 - p->t0) * n * threshold(TH_DOUBLE) >= (double)tree_ns(&w->tree, TREE_SLOW);
}

/* Returns when the slow pieces begin, but for the earliest LEAST of them: these may be chance. NO_TIME if
 * there are not many. */
static int64_t first_slow(const struct work *w, uint32_t *slow)
{
    int64_t early[LEAST + 1];
    uint32_t n = 0;
    *slow = 0;
    for (uint32_t i = 0; i < w->looked; i++) {
        if (!is_slow(w, &w->v[i]))
            continue;
        ++*slow;
        uint32_t at = n < LEAST + 1 ? n++ : LEAST;
        if (at == LEAST && n == LEAST + 1 && *slow > LEAST + 1 && w->v[i].t0 >= early[LEAST])
            continue;
        for (; at > 0 && early[at - 1] > w->v[i].t0; at--)
            early[at] = early[at - 1];
        early[at] = w->v[i].t0;
    }
    return *slow >= threshold(TH_MANY) ? early[LEAST] : NO_TIME;
}

bool verdict_began_at(const struct causes *c, const struct work *w, int64_t *since)
{
    uint32_t slow, in[PARTS] = {0}, before = 0, pieces = 0;
    const int64_t t = first_slow(w, &slow), end = c->tg->end;
    if (t == NO_TIME || t < (int64_t)(threshold(TH_SHARE) * (double)end))
        return false;
    for (uint32_t i = 0; i < w->looked; i++) {
        const int64_t at = w->v[i].t0;
        before += at < t;
        pieces++;
        if (at >= t && is_slow(w, &w->v[i]))
            in[(at - t) / ((end - t) / PARTS + 1)]++;
    }
    for (int i = 0; i < PARTS; i++)
        if (in[i] * 2 * PARTS < slow)
            return false; /* it comes and goes */
    /* so many would have been slow before, if it had been no different then */
    *since = t;
    return (double)before * (slow - LEAST) / (pieces - before ? pieces - before : 1) >= threshold(TH_MANY);
}
