/*
 * tasks.c - how long tasks and regions take, by name. Where the time of one went is explain.h's to tell.
 */
#include "decode/model/item.h"
#include "triage/tri.h"

#include "decode/base/order.h"
#include "decode/base/mem.h"

struct named { /* a task or a region */
    uint32_t name;
    bool whole; /* the trace has both ends */
    int64_t ns;
};

ORDER(by_name, struct named, LEAST(r->name))

ORDER(by_total, struct span_type, LEAST(r->is_region) MOST(r->d.total) LEAST(r->name))

/* Adds a row for each name of the tasks or the regions. Returns false when out of memory. */
static bool types_of(struct triage *tg, enum item_kind kind)
{
    const size_t n = item_count(tg->tr, kind);
    struct named *it = mem_alloc((n + 1) * sizeof *it);
    int64_t *v = mem_alloc((n + 1) * sizeof *v);
    struct item x;
    size_t types = 0;
    for (size_t i = 0; it && item_at(tg->tr, kind, i, &x); i++)
        it[i] = (struct named){x.name, !x.open_start && !x.open_end, x.t1 - x.t0};
    if (it)
        sort(it, n, by_name);
    for (size_t i = 0; it && i < n; i++)
        types += !i || it[i].name != it[i - 1].name;
    struct span_type *p = mem_resize(tg->types, (tg->ntypes + types + 1) * sizeof *p);
    tg->types = p ? p : tg->types;
    for (size_t i = 0, j; it && v && p && i < n; i = j) {
        size_t whole = 0;
        for (j = i; j < n && it[j].name == it[i].name; j++)
            if (it[j].whole)
                v[whole++] = it[j].ns;
        struct span_type *t = &p[tg->ntypes++];
        *t = (struct span_type){.name = it[i].name, .is_region = kind == ITEM_REGION};
        dist_of(&t->d, v, whole);
    }
    mem_free(it);
    mem_free(v);
    return it && v && p;
}

bool triage_tasks(struct triage *tg)
{
    bool ok = types_of(tg, ITEM_TASK);
    tg->ntask_types = tg->ntypes;
    ok = ok && types_of(tg, ITEM_REGION);
    if (ok)
        sort(tg->types, tg->ntypes, by_total);
    return ok;
}
