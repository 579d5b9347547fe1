/* siblings.c - see siblings.h. */
#include "decode/model/siblings.h"

#include "decode/events/helper.h"
#include "decode/model/past.h"
#include "decode/model/trace_priv.h"

static bool any_helper(const struct names *nm)
{
    for (uint32_t i = 0; i < nm->nhelper; i++)
        if (!helper_hidden(names_get(nm, nm->helper[i])))
            return true;
    return false;
}

static bool learn(struct siblings *s, const struct names *nm, const struct ginfo *gi)
{
    const uint32_t begins = names_frame(nm, gi->start_stack, 0).func;
    if (!gi->create_stack || gi->name == begins || !names_helper(nm, begins))
        return true;
    const uint32_t known = idmap_get(&s->run, gi->create_stack);
    return known == gi->name || !known || idmap_put(&s->run, gi->create_stack, known == IDMAP_NONE ? gi->name : 0);
}

void siblings_learn(struct trace *tr)
{
    struct ginfo room;
    bool ok = any_helper(&tr->names);
    for (uint32_t g = 0, n = trace_nlanes(tr, LANE_G); ok && g < n; g++)
        ok = learn(&tr->siblings, &tr->names, ginfo_of(tr, g, &room));
}

uint32_t siblings_name(const struct trace *tr, uint32_t name, uint32_t create_stack, bool *told)
{
    const uint32_t run = create_stack && tr->siblings.run.used && names_helper(&tr->names, name)
                             ? idmap_get(&tr->siblings.run, create_stack)
                             : IDMAP_NONE;
    *told = run && run != IDMAP_NONE;
    return *told ? run : name;
}
