/* apart.c - see apart.h. */
#include "triage/findings/apart.h"

#include "decode/base/mem.h"
#include "triage/tables/slices.h"

struct apart {
    rule_fn *f;
    struct causes c; /* as the others', but with findings of its own and no explainer */
    struct rules rs;
    struct findings told;
};

static bool work(void *arg, size_t i, void **kept)
{
    struct apart *a = &((struct apart *)arg)[i];
    *kept = NULL;
    a->f(&a->c);
    return slices_tick_now();
}

static bool add(void *arg, size_t i, void *kept)
{
    (void)arg, (void)i, (void)kept;
    return true;
}

static void drop(void *kept)
{
    (void)kept;
}

struct apart *aparts_do(struct causes *c, rule_fn *const f[], size_t n)
{
    struct apart *all = mem_zalloc((n + 1) * sizeof *all);
    if (!all) {
        c->rs->failed = true;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        struct apart *a = &all[i];
        a->f = f[i];
        a->rs = *c->rs;
        a->rs.out = &a->told;
        a->rs.cap = 0;
        a->c = *c;
        a->c.rs = &a->rs;
        a->c.x = NULL;
    }
    if (!slices_each(trace_threads(c->tr), n, &(struct slices_job){work, add, drop, all})) {
        aparts_free(all, n);
        return NULL;
    }
    return all;
}

static bool told_before(const struct causes *c, uint32_t before, const struct finding *f)
{
    const uint32_t place = causes_place(c->tr, f->stack);
    for (uint32_t i = 0; i < before; i++) {
        const struct finding *b = &c->rs->out->f[i];
        if (b->rule == f->rule && b->stack && causes_place(c->tr, b->stack) == place) {
            return true;
        }
    }
    return false;
}

void apart_tell(struct causes *c, struct apart *all, size_t i, bool once)
{
    struct findings *from = &all[i].told, *to = c->rs->out;
    const uint32_t before = to->n;
    uint32_t left = 0;
    c->rs->failed |= all[i].rs.failed;
    struct finding *f = from->n ? mem_grow(to->f, &c->rs->cap, (size_t)to->n + from->n, sizeof *f) : NULL;
    if (!f) {
        c->rs->failed |= from->n > 0;
        return;
    }
    to->f = f;
    for (uint32_t k = 0; k < from->n; k++) {
        if (once && told_before(c, before, &from->f[k])) {
            from->f[left++] = from->f[k];
        } else {
            f[to->n++] = from->f[k];
        }
    }
    from->n = left; /* freed with the rest */
}

void aparts_free(struct apart *all, size_t n)
{
    for (size_t i = 0; all && i < n; i++) {
        findings_free(&all[i].told);
    }
    mem_free(all);
}
