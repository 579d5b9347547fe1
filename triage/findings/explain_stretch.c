/*
 * explain_stretch.c - explain_stretches(): even stretches of a piece too long to explain completely.
 */
#include "triage/findings/explain_priv.h"

enum { PROBES = 16, PART = 64 /* so much of it they are */, LEAST = 64 /* spans a stretch, at least */ };

/* Estimate the cost of explaining a piece, in spans, from short stretches spread over it. Stops once they
 * cost as much as is allowed. Returns false if out of memory. */
static bool cost_of(struct explainer *x, const struct workpiece *p, uint64_t most, uint64_t *all)
{
    static const uint8_t at[PROBES] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    const int64_t step = (p->t1 - p->t0) / PROBES, each = step / PART;
    const uint64_t left = x->left, begun = x->placed;
    uint64_t cost = 0;
    bool ok = true, cut = false;
    *all = 0;
    for (uint64_t n = 0; ok && n < PROBES && each > 0 && (n < 4 || cost < most || !*all);) {
        const int64_t t0 = p->t0 + at[n++] * step;
        ok = explain_walk(x, workpiece_of_g(p->g, t0, t0 + each), NULL, NULL, &cut);
        cost = left - x->left;
        /* A level costs one span to find and one to be in, wherever it is cut. Any more are boundaries. */
        const uint64_t found = 2 * (x->placed - begun);
        *all = cost > found ? (cost - found) * PART * PROBES / n : 0;
    }
    return ok;
}

/* True if all goroutines have no more spans in so long, on average: no piece costs much more. */
static bool has_few(const struct trace_info *in, int64_t ns, uint64_t most)
{
    return in->end <= 0 || (double)in->events / (double)in->end * (double)ns <= (double)most;
}

bool explain_stretches(struct explainer *x, struct workpiece p, uint64_t most, struct stretches *out)
{
    const int64_t ns = p.t1 - p.t0;
    uint64_t all = 0;
    most = most > LEAST ? most : LEAST;
    *out = (struct stretches){1, ns, ns, 1};
    if (p.task != NO_TASK || has_few(trace_info(x->tr), ns, most))
        return true;
    const bool ok = cost_of(x, &p, most, &all);
    if (all > most) {
        const uint64_t times = (all - 1) / most + 1;
        out->n = most < LEAST * STRETCHES ? (int)(most / LEAST) + 1 : STRETCHES;
        out->step = ns / out->n;
        out->times = times < (uint64_t)out->step ? (int64_t)times : out->step;
        out->each = out->step / out->times;
    }
    return ok;
}
