/*
 * tasks.c - how long tasks and regions take, by name. Where the time of one went is explain.h's to tell.
 */
#include "triage/tri.h"

#include "decode/base/order.h"
#include "decode/base/mem.h"

struct item { /* A task or a region, so that one function counts both. */
    uint32_t name;
    bool whole; /* The trace has both ends. */
    int64_t ns;
};

ORDER(by_name, struct item, LEAST(r->name))

ORDER(by_total, struct span_type, LEAST(r->is_region) MOST(r->d.total) LEAST(r->name))

/* Adds a row for each name of the n items. Returns false when out of memory. */
static bool types_of(struct triage *tg, struct item *it, size_t n, bool region)
{
    size_t types = 0;
    sort(it, n, by_name);
    for (size_t i = 0; i < n; i++)
        types += !i || it[i].name != it[i - 1].name;
    int64_t *v = mem_alloc((n + 1) * sizeof *v);
    struct span_type *p = mem_resize(tg->types, (tg->ntypes + types + 1) * sizeof *p);
    tg->types = p ? p : tg->types;
    for (size_t i = 0, j; v && p && i < n; i = j) {
        size_t whole = 0;
        for (j = i; j < n && it[j].name == it[i].name; j++)
            if (it[j].whole)
                v[whole++] = it[j].ns;
        struct span_type *t = &p[tg->ntypes++];
        *t = (struct span_type){.name = it[i].name, .is_region = region, .count = j - i};
        dist_of(&t->d, v, whole);
    }
    mem_free(v);
    return v && p;
}

bool triage_tasks(struct triage *tg)
{
    const struct task *task;
    const struct region *reg;
    const size_t nt = trace_tasks(tg->tr, &task), nr = trace_regions(tg->tr, &reg);
    struct item *it = mem_alloc(((nt > nr ? nt : nr) + 1) * sizeof *it);
    if (!it)
        return false;
    for (size_t i = 0; i < nt; i++)
        it[i] =
            (struct item){task[i].name, !task[i].open_start && !task[i].open_end, task[i].t1 - task[i].t0};
    bool ok = types_of(tg, it, nt, false);
    tg->ntask_types = tg->ntypes;
    for (size_t i = 0; i < nr && ok; i++)
        it[i] = (struct item){reg[i].name, !reg[i].open_start && !reg[i].open_end, reg[i].t1 - reg[i].t0};
    ok = ok && types_of(tg, it, nr, true);
    mem_free(it);
    if (ok)
        sort(tg->types, tg->ntypes, by_total);
    return ok;
}
