/*
 * explain_stretch.c - explain_stretches(): even stretches of a life too long to explain completely.
 */
#include "triage/findings/explain_priv.h"

static uint32_t passed(void *arg, uint32_t up, const struct explain_part *p)
{
    (void)arg;
    (void)p;
    return up;
}

/* How g's [a,b) is cut to find what it costs. */
struct probes {
    uint32_t g;
    int64_t a, step, each;
};
enum { PROBES = 16, PART = 64 /* so much of it they are */, LEAST = 64 /* spans a stretch, at least */ };

/* Estimate the cost of explaining a life, in spans, from short stretches spread over it. Stops once they
 * cost as much as is allowed. Returns false if out of memory. */
static bool cost_of(struct explainer *x, const struct probes *k, uint64_t most, uint64_t *all)
{
    static const uint8_t at[PROBES] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    const uint64_t left = x->left, begun = x->placed;
    bool ok = true, cut = false;
    int n = 0;
    while (ok && n < PROBES && k->each > 0 && (n < 4 || left - x->left < most)) {
        const int64_t t0 = k->a + at[n++] * k->step;
        ok = explain_walk(x, k->g, t0, t0 + k->each, passed, NULL, &cut);
    }
    /* A level costs one span to find and one to be in, wherever it is cut. Any more are span boundaries. */
    const uint64_t cost = left - x->left, found = 2 * (x->placed - begun);
    *all = PART * (cost > found ? cost - found : 0);
    *all = n ? *all / (uint64_t)n * PROBES + *all % (uint64_t)n * PROBES / (uint64_t)n : 0;
    return ok;
}

bool explain_stretches(struct explainer *x, uint32_t g, int64_t a, int64_t b, uint64_t most,
                       struct stretches *out)
{
    const int64_t step = (b - a) / PROBES;
    const struct probes k = {g, a, step, step / PART};
    uint64_t all;
    const bool ok = cost_of(x, &k, most, &all);
    *out = (struct stretches){1, b - a, b - a};
    if (all > most) {
        out->n = most < LEAST * STRETCHES ? (int)(most / LEAST) + 1 : STRETCHES;
        out->step = (b - a) / out->n;
        out->each = (int64_t)((double)out->step * (double)most / (double)all);
    }
    return ok;
}
