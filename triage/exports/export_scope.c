/* export_scope.c - see export_scope.h. */
#include "triage/exports/export_scope.h"

#include <string.h>

#include "triage/query/goto.h"
#include "triage/wall.h"

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

bool scope_time(const char *s, int64_t end, int64_t *ns)
{
    const char *rest;
    bool whole = true;
    const bool is = goto_share(s, end, ns, &whole, &rest) || goto_time(s, ns, &rest);
    return is && whole && !*rest;
}

bool scope_typed(const char *s, bool *needs)
{
    int64_t ns;
    const char *rest;
    const bool wall = wall_parse(NULL, s, &ns, &rest) && !*rest;
    *needs = wall || strchr(s, '%');
    return wall || scope_time(s, 0, &ns);
}

bool scope_when(const char *s, const struct trace *tr, int64_t *ns, const char **why)
{
    const char *rest;
    *why = "--from or --to is no time";
    if (!wall_is(s))
        return scope_time(s, trace_info(tr)->end, ns);
    if (!wall_known(tr)) {
        *why = "this trace doesn't tell what time of day it was (Go 1.25 and later do)";
        return false;
    }
    return wall_parse(tr, s, ns, &rest) && !*rest;
}
