/*
 * when.c - see when.h. Nobody knows how long a tick is. So ticks get no unit of time, and all their digits
 * are shown where there is room.
 */
#include "layout/cells/when.h"

#include <stdio.h>

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
    return when_ticks(tr) ? fmt_ticks(t, false, out) : fmt_exact(t, out);
}

char *when_time(const struct trace *tr, int64_t t, int64_t res, char out[FMT_MAX])
{
    return when_ticks(tr) ? fmt_ticks(t, false, out) : fmt_time(t, res, out);
}

char *when_length(const struct trace *tr, int64_t t, bool open, bool wide, char out[WHEN_LENGTH])
{
    char d[FMT_MAX];
    const char *least = !open ? "" : wide ? "at least " : ">";
    snprintf(out, WHEN_LENGTH, "%s%s", least, (wide ? when_exact : when_dur)(tr, t, d));
    return out;
}
