/*
 * rules_rows.c - rows of calls told apart by what runs between them: a goroutine that does nothing but ask has one row all its life, unless
 * it works on what has come each time so many answers are there. Then it runs for longer than between two questions, again and again after
 * as many.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define WALKED 16   /* goroutines of a group */
#define STEPS 20000 /* spans of each */
#define KEPT 4096   /* calls */
#define LONGEST 64

struct gaps { /* what one goroutine ran before each of its calls but the first */
    int64_t v[KEPT], sorted[KEPT];
    uint32_t n;
};
struct lengths { /* of rows */
    uint32_t of[LONGEST];
};

static void gaps_of(const struct causes *c, uint32_t g, uint32_t place, struct gaps *out)
{
    struct walk w;
    uint32_t at = 0;
    bool here = false, first = true;
    int64_t ran = 0;
    out->n = 0;
    walk_g(&w, c->tr, g, STEPS);
    for (const struct span *s; out->n < KEPT && (s = walk_next(&w));) {
        if (s->state == ST_NONE) {
            first = true;
            ran = 0;
        } else if (s->state == ST_RUNNING) {
            ran = ns_add(ran, s->t1 - s->t0);
        } else if (s->state == ST_WAITING) {
            here = s->stack == at ? here
                                  : causes_place(c->tr, s->stack) == place &&
                                        stacks_wait_kind(c->tr, s->reason, s->stack) == WK_NET;
            at = s->stack;
            if (here && !first) {
                out->v[out->n++] = ran;
            }
            first &= !here;
            ran = here ? 0 : ran;
        }
    }
}

static void rows_in(struct gaps *k, struct lengths *r)
{
    memcpy(k->sorted, k->v, k->n * sizeof k->v[0]);
    qsort(k->sorted, k->n, sizeof k->v[0], cmp_ns);
    const int64_t median = k->sorted[k->n / 2];
    const double usual = (double)median;
    uint32_t now = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        now++; /* the call before that */
        if ((double)k->v[i] >= threshold(TH_ROWS_TIMES) * usual && k->v[i] >= threshold_ns(TH_ROWS_RUN)) {
            r->of[now < LONGEST ? now : LONGEST - 1]++;
            now = 0;
        }
    }
}

uint32_t rows_between_runs(struct causes *c, uint32_t group, uint32_t place)
{
    struct gaps *k = mem_alloc(sizeof *k);
    struct lengths r = {0};
    uint32_t most = 0;
    uint64_t calls = 0;
    for (uint32_t i = 0; k && i < c->of[group].n && i < WALKED; i++) {
        gaps_of(c, causes_member(c, group, i, WALKED), place, k);
        if (k->n) {
            rows_in(k, &r);
        }
    }
    c->rs->failed |= !k;
    mem_free(k);
    for (uint32_t i = 1; i < LONGEST - 1;
         i++) { /* one that the host interrupts falls in two: what most calls are in tells */
        calls += (uint64_t)i * r.of[i];
        most = (uint64_t)i * r.of[i] > (uint64_t)most * r.of[most] ? i : most;
    }
    calls += (uint64_t)(LONGEST - 1) * r.of[LONGEST - 1];
    return (double)r.of[most] >= threshold(TH_ROWS_COUNT) &&
                   (double)most * r.of[most] >= threshold(TH_ROWS_ALIKE) * (double)calls
               ? most
               : 0;
}
