/* g_names.c - see g_names.h. */
#include "triage/tables/g_names.h"

#include <string.h>

#include "decode/base/mem.h"
#include "triage/tables/slices.h"

struct fill {
    struct g_names *k;
    uint8_t *number; /* by string, its number + 1; 0: none yet */
};

static bool name_one(void *arg, uint32_t g, const struct lane_info *li)
{
    enum { EACH = 1024 };
    const struct fill *f = arg;
    struct g_names *k = f->k;
    uint8_t *at = &f->number[li->name];
    if (!*at && k->n < G_NAMES) {
        k->name[k->n] = li->name;
        *at = (uint8_t)++k->n;
    }
    k->of[g] = (uint8_t)(*at - 1); /* none: G_NAMES */
    return g % EACH || slices_tick();
}

static bool name_alike(void *arg, const struct lane_info *li, const struct lanes_alike *a)
{
    const struct fill *f = arg;
    (void)li;
    memset(&f->k->of[a->g], f->k->of[a->g - 1], a->n);
    return slices_tick();
}

struct g_names *g_names_new(const struct trace *tr)
{
    const uint32_t ng = trace_nlanes(tr, LANE_G);
    struct g_names *k = mem_alloc(sizeof *k + ng);
    uint8_t *number = mem_zalloc((size_t)trace_nstr(tr) + 1);
    bool ok = k && number;
    if (ok) {
        k->tr = tr;
        k->ng = ng;
        k->n = 0;
        struct fill f = {k, number};
        ok = trace_walk(tr, 0, ng, &(struct span_walk){.begin = name_one, .alike = name_alike, .arg = &f});
    }
    mem_free(number);
    if (!ok)
        mem_free(k);
    return ok ? k : NULL;
}
