/* export_scope.c - see export_scope.h. */
#include "triage/exports/export_scope.h"

#include <string.h>

bool scope_all_g(const struct scope *sc)
{
    return !sc->group && !sc->one;
}

static bool contains(const struct scope *sc, uint32_t name)
{
    const struct str s = trace_str(sc->tr, name);
    return memmem(s.p ? s.p : "", s.len, sc->group, strlen(sc->group)) != NULL;
}

bool scope_g(const struct scope *sc, uint32_t g)
{
    if (scope_all_g(sc))
        return true;
    if (g == NO_LANE)
        return false;
    struct lane_info i = trace_lane_who(sc->tr, (struct lane){LANE_G, g});
    if (sc->one && i.id != sc->id)
        return false;
    if (!sc->group)
        return true;
    return contains(sc, i.name) ||
           contains(sc, trace_frame(sc->tr, i.start_stack, 0).func); /* a helper runs it */
}

bool scope_overlaps(const struct scope *sc, int64_t t0, int64_t t1)
{
    return t0 < sc->to && (t1 > sc->from || (t1 == t0 && t0 >= sc->from));
}

int64_t scope_len(const struct scope *sc, int64_t t0, int64_t t1)
{
    int64_t a = t0 > sc->from ? t0 : sc->from, b = t1 < sc->to ? t1 : sc->to;
    return b > a ? b - a : 0;
}
