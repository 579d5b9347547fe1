/*
 * goto.c - a typed target as data. One small recursive-descent reader over the line; blanks between parts are
 * free. Numbers saturate: what someone types is as untrusted as a file.
 */
#include "triage/query/goto.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/wide.h"
#include "triage/wall.h"

static const char *blanks(const char *s)
{
    return s + strspn(s, " \t");
}

/* Returns the unit's length; `bare` is that of a number without unit or point. 0: there is no such unit. */
static int64_t unit_of(const char **s, bool point, int64_t bare)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        {"ns", 1},       {"t", 1},          {"us", 1000},       {"\xC2\xB5s", 1000},  {"\xCE\xBCs", 1000},
        {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].name);
        if (!strncmp(*s, units[i].name, n) && !isalpha((unsigned char)(*s)[n])) {
            *s += n;
            return units[i].ns;
        }
    }
    return isalpha((unsigned char)**s) ? 0 : point ? 1000000000 : bare;
}

struct number { /* whole + frac / scale */
    uint64_t whole, frac, scale;
};

/* Reads a number: "12.5", "1_000". Returns false if none is here. */
static bool goto_number(const char **s, struct number *n)
{
    const char *p = *s;
    bool digits = false;
    *n = (struct number){.scale = 1};
    for (; isdigit((unsigned char)*p) || (*p == '_' && digits); p++) {
        digits = true;
        n->whole = *p == '_' ? n->whole : wide_muladd(n->whole, 10, (unsigned)(*p - '0'));
    }
    if (*p == '.' && isdigit((unsigned char)p[1])) {
        digits = true;
        for (p++; isdigit((unsigned char)*p); p++)
            if (n->scale < 1000000000000000ull) {
                n->frac = n->frac * 10 + (unsigned)(*p - '0');
                n->scale *= 10;
            }
    }
    *s = digits ? p : *s;
    return digits;
}

bool goto_time(const char *s, int64_t bare, int64_t *ns, const char **rest)
{
    bool any = false, unit = true;
    *ns = 0;
    for (const char *at = s; unit; any = true) { /* "1m2.5s" is two terms */
        struct number n;
        if (!goto_number(&at, &n))
            break;
        const char *digits = at;
        const int64_t u = unit_of(&at, n.scale > 1, bare);
        unit = at != digits;
        if (!u || (any && !unit))
            break;
        const uint64_t v = wide_muladd(n.whole, (uint64_t)u, wide_muldiv(n.frac, (uint64_t)u, n.scale));
        *ns = v > (uint64_t)(INT64_MAX - *ns) ? INT64_MAX : *ns + (int64_t)v;
        s = at;
    }
    *rest = s;
    return any;
}

/* This is what is known while a line is read. Without a trace any time of day and any share will do. */
struct said {
    const struct trace *tr;
    const char *why; /* why the trace can't tell a time that the line names; NULL: it can */
};

/* Reads a time, a time of day, or a share; *rest points behind it. A time of day may lie before the trace.
 * Returns false if none is here, or if the trace can't tell it. */
static bool moment(struct said *x, const char *s, int64_t *t, const char **rest)
{
    const struct trace_info *ti = x->tr ? trace_info(x->tr) : NULL;
    const char *end = s;
    struct number n;
    *rest = s;
    if (goto_number(&end, &n) && *end == '%') {
        const int64_t all = ti ? ti->end : INT64_C(100000000000);
        const bool part = n.whole < 100 || (n.whole == 100 && !n.frac);
        *t = part ? (int64_t)wide_muldiv((uint64_t)all, n.whole * n.scale + n.frac, 100 * n.scale) : all;
        *rest = end + 1;
        if (ti && !(part && ti->done))
            x->why = part ? "a share needs the length of the whole trace: once it is loaded, try again"
                          : "a share is 0% to 100%";
    } else if (!wall_is(s)) {
        return goto_time(s, 1, t, rest);
    } else if (!wall_parse(x->tr, s, t, rest)) {
        x->why = "this trace doesn't tell what time of day it was (Go 1.25 and later do)";
    }
    return !x->why;
}

bool goto_when(const struct trace *tr, const char *s, int64_t *t, const char **why)
{
    struct said x = {.tr = tr};
    const char *rest;
    const bool is = moment(&x, s, t, &rest) && !*rest;
    *why = x.why ? x.why : is ? NULL : "this is no time: 1.2s, 300ms, 1m30s, 40%, 14:03:22.5 are";
    return is;
}

/* Reads a moment within the trace. */
static bool moment_in(struct said *x, const char **s, int64_t *t)
{
    const bool is = moment(x, *s, t, s);
    if (is && *t < 0)
        x->why = "the trace began later that day";
    *s = blanks(*s);
    return is && !x->why;
}

/* Reads a moment, or a range. */
static bool when(struct said *x, const char *s, struct target *out)
{
    int64_t a = 0, b = 0;
    const bool has_a = moment_in(x, &s, &a), plus = has_a && *s == '+', dots = strncmp(s, "..", 2) == 0;
    out->has_time = has_a && !*s;
    out->t0 = a;
    if (x->why || (!plus && !dots))
        return out->has_time;
    s = blanks(s + (plus ? 1 : 2));
    const bool has_b = moment_in(x, &s, &b);
    if (*s || x->why || (!has_b && (plus || !has_a)))
        return false;
    b = !has_b || (plus && b > INT64_MAX - a) ? INT64_MAX : plus ? a + b : b;
    out->has_range = b != a;
    out->t0 = a < b ? a : b; /* typed the other way round it is the same range */
    out->t1 = a < b ? b : a;
    return out->has_range;
}

const char *goto_id(const char *s, uint64_t *id)
{
    const char *from = s;
    for (*id = 0; isdigit((unsigned char)*s); s++)
        *id = *id > (UINT64_MAX - 9) / 10 ? UINT64_MAX : *id * 10 + (uint64_t)(*s - '0');
    return s > from ? s : NULL;
}

static const char letter[] = {[LANE_P] = 'p', [LANE_G] = 'g', [LANE_M] = 'm', '\0'};

static bool goto_lane(const char **s, struct target *out)
{
    const char *kind = **s ? strchr(letter, tolower((unsigned char)**s)) : NULL;
    const char *end = kind ? goto_id(blanks(*s + 1), &out->id) : NULL;
    if (!end || (*end && *end != '@' && *end != ' '))
        return false;
    out->has_lane = true;
    out->kind = (enum lane_kind)(kind - letter);
    *s = end;
    return true;
}

bool goto_parse(const struct trace *tr, const char *line, struct target *out, const char **why)
{
    struct said x = {.tr = tr};
    const char *s = blanks(line);
    *out = (struct target){0};
    bool ok = goto_lane(&s, out);
    s = blanks(s);
    if (*s == '@')
        s = blanks(s + 1);
    ok = (ok && !*s) || when(&x, s, out);
    if (why)
        *why = x.why;
    return ok;
}

/* ---- ids of places ------------------------------------------------------------------------------------- */

void link_place(char out[LINK_PLACE], int64_t t, enum lane_kind k, uint64_t id)
{
    snprintf(out, LINK_PLACE, "%c%" PRIu64 "@%" PRId64 "ns", letter[k], id, t);
}

void link_add(struct text *out, const char *path, int64_t t, enum lane_kind k, uint64_t id)
{
    text_clean(out, path, strlen(path), 0);
    text_add(out, "@%" PRId64 "ns:%c%" PRIu64, t, letter[k], id);
}

bool link_split(char *word, char place[LINK_PLACE])
{
    char *colon = strrchr(word, ':'), *at = strrchr(word, '@');
    if (!colon || !at || at == word || colon < at + 2 || !strchr(letter, colon[1]) || !colon[1])
        return false;
    const size_t digits = strspn(colon + 2, "0123456789");
    if (!digits || colon[2 + digits] || access(word, F_OK) == 0)
        return false;
    if (snprintf(place, LINK_PLACE, "%s@%.*s", colon + 1, (int)(colon - at - 1), at + 1) >= LINK_PLACE)
        return false;
    *at = '\0';
    return true;
}
