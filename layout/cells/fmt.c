/*
 * fmt.c - numbers as people read them, rounded to the digits shown, as in the report. Only moments are cut
 * instead. A share that is not all is never "100%". Nobody knows how long a tick is: ticks get no unit of
 * time, and all their digits are shown where there is room.
 */
#include "layout/cells/fmt.h"
#include "decode/base/wide.h"
#include "triage/tables/tab.h"
#include "triage/text.h"

#include <stdio.h>
#include <string.h>

struct time_unit {
    uint64_t size;
    const char *name;
};

/* Writes value/size with three digits in all, rounded. */
static char *three(uint64_t v, const struct time_unit *u, char *out)
{
    uint64_t k = u->size == 1 ? v : wide_muldiv(v, 1000, u->size); /* thousandths */
    if (u->size == 1)
        snprintf(out, FMT_MAX, "%llu%s", (unsigned long long)v, u->name);
    else if (k >= 99950)
        snprintf(out, FMT_MAX, "%llu%s", (unsigned long long)((k + 500) / 1000), u->name);
    else if (k >= 9995)
        snprintf(out, FMT_MAX, "%llu.%01llu%s", (unsigned long long)((k + 50) / 1000),
                 (unsigned long long)((k + 50) / 100 % 10), u->name);
    else
        snprintf(out, FMT_MAX, "%llu.%02llu%s", (unsigned long long)((k + 5) / 1000),
                 (unsigned long long)((k + 5) / 10 % 100), u->name);
    return out;
}

static const struct time_unit time_units[] = {{1, "ns"}, {1000, "us"}, {1000000, "ms"}, {1000000000, "s"}};

static char *fmt_dur(int64_t ns, char out[FMT_MAX])
{
    const uint64_t minutes = time_abs(ns) / 60000000000;
    struct text t = {0};
    if (minutes >= 600) /* columns have no room for its seconds */
        text_add(&t, "%s%lluh%02um", ns < 0 ? "-" : "", (unsigned long long)(minutes / 60),
                 (unsigned)(minutes % 60));
    else
        text_dur(&t, ns);
    snprintf(out, FMT_MAX, "%s", t.p ? t.p : "");
    text_free(&t);
    return out;
}

/* Writes it with the digits that res needs; with `strip` without the zeros at the end. */
static char *fmt_time(int64_t ns, int64_t res, bool strip, char out[FMT_MAX])
{
    const uint64_t v = time_abs(ns);
    if (v == 0)
        return strcpy(out, "0");
    const int unit = v >= 1000000000 ? 3 : v >= 1000000 ? 2 : v >= 1000 ? 1 : 0;
    const uint64_t size = time_units[unit].size;
    int digits = unit * 3;
    char frac[24];
    snprintf(frac, sizeof frac, "%0*llu", digits, (unsigned long long)(v % size));
    for (int64_t r = 10; digits > 0 && r <= res && r <= INT64_MAX / 10; r *= 10)
        digits--;
    while (strip && digits > 0 && frac[digits - 1] == '0')
        digits--;
    frac[digits] = 0;
    snprintf(out, FMT_MAX, "%s%llu%s%s%s", ns < 0 ? "-" : "", (unsigned long long)(v / size),
             digits ? "." : "", digits ? frac : "", time_units[unit].name);
    return out;
}

char *fmt_ticks(int64_t ticks, bool brief, char out[FMT_MAX])
{
    static const struct time_unit u[] = {{1, "t"},           {1000, "kt"},          {1000000, "Mt"},
                                         {1000000000, "Gt"}, {1000000000000, "Tt"}, {1000000000000000, "Pt"}};
    uint64_t v = time_abs(ticks);
    char tmp[FMT_MAX];
    int i = 0;
    if (v == 0)
        return strcpy(out, "0");
    if (brief && v >= 100000) {
        uint64_t step = 1;
        while (v / step >= 1000)
            step *= 10;
        v = v > UINT64_MAX / 2 ? v : (v + step / 2) / step * step;
        for (i = 1; i < 5 && v >= u[i + 1].size; i++)
            ;
    }
    snprintf(out, FMT_MAX, "%s%.40s", ticks < 0 ? "-" : "", three(v, &u[i], tmp));
    return out;
}

bool when_ticks(const struct trace *tr)
{
    const struct trace_info *ti = tr ? trace_info(tr) : NULL;
    return ti && ti->version && !ti->has_clock;
}

char *when_dur(const struct trace *tr, int64_t t, char out[FMT_MAX])
{
    return when_ticks(tr) ? fmt_ticks(t, true, out) : fmt_dur(t, out);
}

char *when_exact(const struct trace *tr, int64_t t, char out[FMT_MAX])
{
    return when_ticks(tr) ? fmt_ticks(t, false, out) : fmt_time(t, 0, true, out);
}

char *when_time(const struct trace *tr, int64_t t, int64_t res, char out[FMT_MAX])
{
    return when_ticks(tr) ? fmt_ticks(t, false, out) : fmt_time(t, res, false, out);
}

char *when_length(const struct trace *tr, int64_t t, bool open, bool wide, char out[WHEN_LENGTH])
{
    char d[FMT_MAX];
    const char *least = !open ? "" : wide ? "at least " : ">";
    snprintf(out, WHEN_LENGTH, "%s%s", least, (wide ? when_exact : when_dur)(tr, t, d));
    return out;
}

/* Writes it in the largest of n units in which it is at least one, once it is rounded. */
static char *in_unit(uint64_t v, const struct time_unit *u, size_t n, char *out)
{
    size_t i = 0;
    while (i + 1 < n && v >= u[i + 1].size - u[i].size / 2)
        i++;
    return three(v, &u[i], out);
}

char *fmt_bytes(uint64_t n, char out[FMT_MAX])
{
    static const struct time_unit u[] = {{1, "B"},          {1ull << 10, "K"}, {1ull << 20, "M"},
                                         {1ull << 30, "G"}, {1ull << 40, "T"}, {1ull << 50, "P"}};
    return in_unit(n, u, sizeof u / sizeof *u, out);
}

char *fmt_count(uint64_t n, char out[FMT_MAX])
{
    static const struct time_unit u[] = {{1, ""}, {1000000, "M"}, {1000000000, "G"}, {1000000000000ull, "T"}};
    return in_unit(n, u, sizeof u / sizeof *u, out);
}

char *fmt_percent(int64_t part, int64_t whole, char out[FMT_MAX])
{
    const double most = part < whole ? 0.999 : 1; /* the nearest double to a part may be the whole */
    double of = whole > 0 ? (double)part / (double)whole : 0;
    of = of < 0 ? 0 : of > most ? most : of;
    return share_of(of, 1, out);
}

char *fmt_round(char *s)
{
    char *point = strchr(s, '.');
    char *unit = point ? point + 1 + strspn(point + 1, "0123456789") : NULL, *end = unit;
    while (unit && end > point && (end[-1] == '0' || end[-1] == '.'))
        end--;
    if (unit)
        memmove(end, unit, strlen(unit) + 1);
    return s;
}
