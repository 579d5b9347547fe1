/*
 * naming.c - see naming.h.
 */
#include "layout/move/naming.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/cells/cells.h"
#include "triage/tables/stacks.h"

struct lane_name name_lane(const struct view *v, struct lane l)
{
    static const char letter[LANE_KINDS] = {'P', 'G', 'M', 'B'};
    struct lane_name out;
    if (l.i == NO_LANE)
        snprintf(out.s, sizeof out.s, "%c?", letter[l.kind]);
    else
        snprintf(out.s, sizeof out.s, "%c%" PRIu64, letter[l.kind], trace_lane_who(v->tr, l).id);
    return out;
}

struct goroutine_name name_g(const struct view *v, uint32_t g, int w)
{
    struct goroutine_name out;
    name_goroutine(v, g, w, out.s, sizeof out.s);
    return out;
}

void name_goroutine(const struct view *v, uint32_t g, int w, char *out, size_t size)
{
    const struct lane_name id = name_lane(v, lane_g(g));
    int n = (int)strlen(id.s);
    snprintf(out, size, "%s", n <= w ? id.s : "");
    struct str name = g == NO_LANE ? (struct str){"", 0} : trace_str(v->tr, trace_g_name(v->tr, g));
    if (n + 5 > w || !name.len || (size_t)n + 2 > size)
        return;
    out[n] = ' ';
    str_shorten(name, w - n - 1, glyph_dots(v->scr.tier), out + n + 1, size - (size_t)n - 1);
}

struct str name_bracketed(struct str why)
{
    const uint32_t head = sizeof "GC (" - 1;
    if (str_starts(why, "GC (") && why.len > head + 1 && why.p[why.len - 1] == ')')
        return (struct str){why.p + head, why.len - head - 1};
    return why;
}

const char *name_state(enum lane_kind k, enum state s)
{
    return s != ST_NONE ? state_name(s) : k == LANE_P ? state_name(ST_UNKNOWN) : "not alive";
}

bool name_any(const struct view *v, uint32_t stack)
{
    uint32_t n = trace_stack(v->tr, stack);
    for (uint32_t i = 0; i < n && i < 64; i++) {
        struct frame f = trace_frame(v->tr, stack, i);
        if (f.func || f.pc)
            return true;
    }
    return false;
}

uint32_t name_function(const struct trace *tr, uint32_t stack, bool calls)
{
    const uint32_t n = trace_stack(tr, stack);
    uint32_t first = 0;
    for (uint32_t i = 0; i < n && i < 64; i++) {
        const uint32_t f = trace_frame(tr, stack, i).func;
        const struct str s = trace_str(tr, f);
        const bool inside = str_starts(s, "runtime.") || str_starts(s, "internal/");
        const bool blocks =
            str_starts(s, "syscall.") || str_starts(s, "sync.") || str_starts(s, "time.Sleep");
        first = first ? first : f;
        if (f && !inside && !(calls && blocks))
            return f;
    }
    return first;
}
