/* g_names.c - see g_names.h. */
#include "triage/tables/g_names.h"

#include "decode/base/mem.h"
#include "triage/tables/slices.h"

enum { EACH = 1024 };

/* number: by string, its number + 1; 0: none yet. */
static bool fill(struct g_names *k, uint8_t *number)
{
    uint32_t name[EACH];
    for (uint32_t g = 0, n; g < k->ng; g += n) {
        n = k->ng - g < EACH ? k->ng - g : EACH;
        trace_g_names(k->tr, g, n, name);
        for (uint32_t i = 0; i < n; i++) {
            uint8_t *at = &number[name[i]];
            if (!*at && k->n < G_NAMES) {
                k->name[k->n] = name[i];
                *at = (uint8_t)++k->n;
            }
            k->of[g + i] = (uint8_t)(*at - 1); /* none: G_NAMES */
        }
        if (!slices_tick())
            return false;
    }
    return true;
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
        ok = fill(k, number);
    }
    mem_free(number);
    if (!ok)
        mem_free(k);
    return ok ? k : NULL;
}
