/*
 * fold_names.c - names goroutines: by their start function, by the root of one of their stacks, or, if a
 * helper (decode/events/helper.h) started them, by the function that was passed to the helper.
 *
 * A goroutine that never blocks leaves no stack that shows which function it was passed. But goroutines
 * with the same creation stack were passed the same function, as long as all that are known agree.
 * fold.runs maps creation stacks to these functions, 0 if they differ. It is filled when a name is found,
 * so it costs nothing without helpers; a segment's entries are added to the trace's when it is joined.
 */
#include "decode/model/fold_priv.h"

#include <string.h>

bool fold_label_is_gc(const struct fold *f, uint32_t label)
{
    return str_starts(names_get(f->names, label), "GC (");
}

/* Returns whether this is a function of package runtime that programs may start: "go runtime.GC()". */
static bool is_exported(struct str s)
{
    const size_t n = sizeof "runtime." - 1;
    return str_starts(s, "runtime.") && s.len > n && s.p[n] >= 'A' && s.p[n] <= 'Z' &&
           !memchr(s.p + n, '.', s.len - n);
}

/* Returns whether a goroutine with this start function is the runtime's own. So is all of package runtime,
 * except functions that run user code or are started by it. */
static bool name_is_system(struct str s)
{
    if (str_starts(s, "runtime.main") || str_starts(s, "runtime.handleAsyncEvent") ||
        str_is(s, "runtime.corostart") || is_exported(s))
        return false;
    return str_starts(s, "runtime.") || str_starts(s, "runtime/trace.");
}

void fold_name(struct fold *f, uint32_t g, uint32_t name, bool inferred)
{
    struct ginfo *gi = fold_info_at(f, g);
    if (!name ||
        (gi->name && !(gi->flags & GI_INFERRED && !inferred) && !(inferred && fold_vague(f, gi->name))))
        return;
    gi->name = name;
    gi->flags = (uint16_t)((gi->flags & ~(GI_INFERRED | GI_SYSTEM)) |
                           (inferred && !gi->start_stack ? GI_INFERRED : 0));
    const struct str s = names_get(f->names, name);
    if (name_is_system(s))
        gi->flags |= GI_SYSTEM;
    if (name == f->str_gcworker || (!f->str_gcworker && str_is(s, "runtime.gcBgMarkWorker"))) {
        f->str_gcworker = name;
        gi->flags |= GI_GCWORK;
    } else {
        gi->flags &= (uint16_t)~GI_GCWORK; /* only a label indicated it, see on_g_label() */
    }
}

void fold_name_by(struct fold *f, uint32_t g, uint32_t stack)
{
    const struct ginfo *gi = fold_info_at(f, g);
    const uint32_t begins = gi->name;
    if (!fold_vague(f, begins))
        return;
    fold_name(f, g, names_runs(f->names, stack, begins), true);
    if (begins && gi->name != begins)
        fold_runs(f, gi->create_stack, gi->name);
}

void fold_runs(struct fold *f, uint32_t create_stack, uint32_t name)
{
    const uint32_t known = create_stack ? idmap_get(&f->runs, create_stack) : 0;
    if (known && known != name)
        f->oom |= !idmap_put(&f->runs, create_stack, known == IDMAP_NONE ? name : 0);
}

void fold_runs_join(struct fold *f, const struct fold *segment)
{
    uint64_t stack;
    for (uint32_t at = 0, name; idmap_next(&segment->runs, &at, &stack, &name);)
        fold_runs(f, (uint32_t)stack, name);
}
