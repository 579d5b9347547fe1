/* untimed.c - see untimed.h. */
#include "triage/findings/untimed.h"

#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/tab.h"
#include "triage/triage.h"

enum { FIRST = 1024, LOOKED = 4096, LANES = 256, STEPS = 1000 }; /* of goroutines, but STEPS: spans */

struct after { /* running after the calls of one stack: of those without an end, and of the others */
    uint32_t n[2];
    int64_t ns[2];
};
struct untimed {
    struct tab by_stack;
    struct after *v;
    uint32_t n;
};

static bool note(struct untimed *u, uint32_t stack, bool timed, int64_t ns)
{
    bool made;
    struct after *a = tab_row(&u->by_stack, u->v, u->n, stack, 0, &made);
    if (a) {
        a->n[timed]++;
        a->ns[timed] = ns_add(a->ns[timed], ns);
    }
    return a;
}

static bool untimed_look(struct untimed *u, const struct trace *tr, uint32_t g, uint32_t steps)
{
    uint32_t stack = 0;
    bool timed = false;
    each_walked(s, tr, g, steps) {
        if (s->state == ST_RUNNING && stack && !note(u, stack, timed, s->t1 - s->t0))
            return false;
        if (s->state == ST_SYSCALL) {
            stack = s->stack;
            timed = !tri_untimed(tr, s->t1 - s->t0);
        } else if (s->state != ST_RUNNABLE) {
            stack = 0;
        }
    }
    return true;
}

/* The i-th of those that are looked at: the first ones, most of which are there all along, and others that
 * are spread evenly over the rest. */
static uint32_t nth(uint32_t i, uint32_t ng)
{
    return ng <= LOOKED || i < FIRST
               ? i
               : FIRST + (uint32_t)((uint64_t)(i - FIRST) * (ng - FIRST) / (LOOKED - FIRST));
}

static uint64_t untimed_spans(const struct trace *tr, uint32_t g)
{
    return trace_lane(tr, lane_g(g)).nspans;
}

struct untimed *untimed_new(const struct trace *tr)
{
    struct untimed *u = mem_zalloc(sizeof *u);
    const uint32_t ng = trace_info(tr)->second_family ? 0 : trace_nlanes(tr, LANE_G),
                   n = ng < LOOKED ? ng : LOOKED;
    uint64_t all = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        all += untimed_spans(tr, nth(i, ng));
    const uint64_t each = all / LANES + 1;
    bool ok = u;
    for (uint32_t i = 0; ok && i < n; i++) { /* as often as it has spans */
        const uint64_t before = sum / each;
        sum += untimed_spans(tr, nth(i, ng));
        ok = sum / each == before || untimed_look(u, tr, nth(i, ng), (uint32_t)(sum / each - before) * STEPS);
    }
    if (!ok) {
        untimed_free(u);
        u = NULL;
    }
    return u;
}

void untimed_free(struct untimed *u)
{
    if (u) {
        tab_free(&u->by_stack);
        mem_free(u->v);
        mem_free(u);
    }
}

bool untimed_lasts(const struct untimed *u, uint32_t stack)
{
    const uint32_t i = tab_get(&u->by_stack, stack, 0);
    const struct after *a = i == TAB_NONE ? NULL : &u->v[i];
    return a && a->n[0] >= threshold(TH_SEVERAL) && a->n[1] >= threshold(TH_SEVERAL) &&
           (double)a->ns[1] / a->n[1] < (1 - threshold(TH_MOST)) * (double)a->ns[0] / a->n[0];
}
