/*
 * export_scope.c - see export_scope.h. Typed numbers are kept as integers: a time given to the nanosecond is
 * that one.
 */
#include "triage/exports/export_scope.h"
#include "decode/base/wide.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* One NUMBER[UNIT] at *s. *bare: no unit. Values saturate. */
static bool term(const char **s, int64_t *ns, bool *bare)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1},         {"us", 1000},       {"\xC2\xB5s", 1000}, {"ms", 1000000},
                 {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}};
    const char *p = *s;
    uint64_t whole = 0, part = 0, scale = 1;
    bool digits = false, point = false;
    for (; isdigit((unsigned char)*p); p++, digits = true)
        whole = wide_muladd(whole, 10, (unsigned)(*p - '0'));
    if (*p == '.' && isdigit((unsigned char)p[1])) {
        point = digits = true;
        for (p++; isdigit((unsigned char)*p); p++) {
            if (scale < 1000000000000000ull) {
                part = part * 10 + (unsigned)(*p - '0');
                scale *= 10;
            }
        }
    }
    int64_t unit = point ? 1000000000 : 1;
    *bare = true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].name);
        if (strncmp(p, units[i].name, n) == 0 && !isalpha((unsigned char)p[n])) {
            unit = units[i].ns;
            p += n;
            *bare = false;
            break;
        }
    }
    uint64_t v = wide_muladd(whole, (uint64_t)unit, wide_muldiv(part, (uint64_t)unit, scale));
    *ns = v > INT64_MAX ? INT64_MAX : (int64_t)v;
    *s = p;
    return digits;
}

bool scope_time(const char *s, int64_t end, int64_t *ns)
{
    int64_t sum = 0, t;
    bool bare = false, any = false;
    size_t len = strlen(s);
    if (len && s[len - 1] == '%') {
        char *rest;
        double d = isdigit((unsigned char)*s) ? strtod(s, &rest) : -1;
        if (d < 0 || d > 100 || rest != s + len - 1)
            return false;
        *ns = (int64_t)((double)end * d / 100);
        return true;
    }
    while (*s && !bare && term(&s, &t, &bare)) {
        if (bare && any)
            return false;
        sum = sum > INT64_MAX - t ? INT64_MAX : sum + t;
        any = true;
    }
    *ns = sum;
    return any && !*s;
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
