/* untimed.c - see untimed.h. */
#include "triage/findings/untimed.h"

#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/tables/tab.h"
#include "triage/triage.h"

enum { LANES = 256, STEPS = 1000 };

struct after { /* running after the calls of one stack: of those without an end, and of the others */
    uint32_t n[2];
    int64_t ns[2];
};
struct untimed {
    struct tab by_stack;
    struct after *v;
    uint32_t n;
    size_t cap;
};

static bool note(struct untimed *u, uint32_t stack, bool timed, int64_t ns)
{
    bool made;
    struct after *a = tab_row(&u->by_stack, u->v, u->n, u->cap, stack, 0, &made);
    if (a) {
        a->n[timed]++;
        a->ns[timed] = ns_add(a->ns[timed], ns);
    }
    return a;
}

static bool look_at(struct untimed *u, const struct trace *tr, uint32_t g, uint32_t steps)
{
    uint32_t stack = 0;
    bool ok = true, timed = false;
    struct walk w;
    walk_g(&w, tr, g, steps);
    for (const struct span *s; ok && (s = walk_next(&w));) {
        if (s->state == ST_RUNNING && stack)
            ok = note(u, stack, timed, s->t1 - s->t0);
        if (s->state == ST_SYSCALL) {
            stack = s->stack;
            timed = !tri_untimed(tr, s->t1 - s->t0);
        } else if (s->state != ST_RUNNABLE) {
            stack = 0;
        }
    }
    return ok;
}

struct untimed *untimed_new(const struct trace *tr)
{
    struct untimed *u = mem_zalloc(sizeof *u);
    const uint32_t ng = trace_info(tr)->second_family ? 0 : trace_nlanes(tr, LANE_G);
    uint64_t all = 0, sum = 0;
    bool ok = u;
    for (uint32_t g = 0; g < ng; g++)
        all += trace_lane(tr, (struct lane){LANE_G, g}).nspans;
    const uint64_t each = all / LANES + 1;
    for (uint32_t g = 0; ok && g < ng; g++) { /* as often as it has spans */
        const uint64_t before = sum / each;
        sum += trace_lane(tr, (struct lane){LANE_G, g}).nspans;
        ok = sum / each == before || look_at(u, tr, g, (uint32_t)(sum / each - before) * STEPS);
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
