/*
 * wall.c - see wall.h.
 */
#include "triage/wall.h"

#include <ctype.h>
#include <stdio.h>
#include <time.h>

enum { DAY = 86400 };
#define SECOND INT64_C(1000000000)

bool wall_known(const struct trace *tr)
{
    const struct trace_info *ti = trace_info(tr);
    return ti->has_wall && ti->has_clock && ti->wall_sec > -(INT64_C(1) << 40) &&
           ti->wall_sec < (INT64_C(1) << 40);
}

/* Splits t into seconds and nanoseconds on the wall. */
static int64_t wall_sec(const struct trace *tr, int64_t t, int64_t *ns)
{
    const struct trace_info *ti = trace_info(tr);
    int64_t sum = ti->wall_nsec % SECOND + t % SECOND, sec = ti->wall_sec + t / SECOND + sum / SECOND;
    *ns = sum % SECOND;
    if (*ns < 0) {
        *ns += SECOND;
        sec--;
    }
    return sec;
}

char *wall_time(const struct trace *tr, int64_t t, char out[WALL_MAX])
{
    int64_t ns;
    struct tm tm;
    out[0] = 0;
    if (!wall_known(tr))
        return out;
    time_t sec = (time_t)wall_sec(tr, t, &ns);
    if (localtime_r(&sec, &tm))
        snprintf(out, WALL_MAX, "%02d:%02d:%02d.%06d", tm.tm_hour % 24, tm.tm_min % 60, tm.tm_sec % 61,
                 (int)(ns / 1000) % 1000000);
    return out;
}

static bool time_of_day(const char *s, int64_t *ns, const char **rest)
{
    struct tm tm = {0};
    int64_t frac = 0, unit = SECOND;
    const char *end = isdigit((unsigned char)*s) ? strptime(s, "%H:%M:%S", &tm) : NULL;
    if (end && *end == '.' && isdigit((unsigned char)end[1])) {
        for (end++; isdigit((unsigned char)*end); end++)
            frac += (*end - '0') * (unit /= 10);
    } else if (!end && isdigit((unsigned char)*s)) {
        tm.tm_sec = 0;
        end = strptime(s, "%H:%M", &tm);
    }
    *ns = ((int64_t)tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * SECOND + frac;
    *rest = end;
    /* strptime() stops before a digit that would be too much, and it knows leap seconds. */
    return end && *end != ':' && !isdigit((unsigned char)*end) && tm.tm_sec < 60;
}

bool wall_is(const char *s)
{
    int64_t ns;
    const char *rest;
    return time_of_day(s, &ns, &rest);
}

bool wall_parse(const struct trace *tr, const char *s, int64_t *t, const char **rest)
{
    int64_t ns, first;
    struct tm tm;
    *t = 0;
    if (!time_of_day(s, &ns, rest) || (tr && !wall_known(tr)))
        return false;
    if (!tr) {
        *t = ns;
        return true;
    }
    time_t sec = (time_t)wall_sec(tr, 0, &first);
    if (!localtime_r(&sec, &tm))
        return false;
    first += ((int64_t)tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * SECOND;
    *t = ns - first;
    if (*t < -DAY / 2 * SECOND)
        *t += DAY * SECOND;
    return true;
}
