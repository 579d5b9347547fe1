/*
 * life.c - see life.h.
 */
#include "layout/views/life.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "triage/activity/gstate.h"
#include "layout/cells/when.h"
#include "triage/tables/stacks.h"
#include "triage/triage.h"
#include "layout/move/record.h"
#include "layout/move/naming.h"

enum { LIST = 200 };

static void func_of(const struct view *v, uint32_t stack, int w, char *out, size_t size)
{
    out[0] = 0;
    uint32_t f = stacks_function(v->tr, stack, true);
    if (f)
        str_shorten(trace_str(v->tr, f), w, glyph_dots(v->scr.tier), out, size);
}

static void life_origin(const struct view *v, struct lane l, const struct lane_info *li, struct lines *out,
                        int w)
{
    char name[400], file[300], t[FMT_MAX], d[FMT_MAX];
    const struct frame begins = trace_frame(v->tr, li->start_stack, 0);
    if (begins.func && begins.func != li->name) {
        str_shorten(trace_str(v->tr, begins.func), w - 40, glyph_dots(v->scr.tier), name, sizeof name);
        lines_add(out, "begins in %s, which runs it%s", name, li->name_inferred ? " (likely)" : "");
    } else if (li->name_inferred) {
        lines_add(out, "its name is taken from one of its stacks");
    }
    if (li->created) {
        name_goroutine(v, li->creator, w - 30, name, sizeof name);
        lines_add(out, "created at %s by %s", when_exact(v->tr, li->seen, t),
                  li->creator != NO_LANE       ? name
                  : tri_by_timer(v->tr, l, li) ? "a timer"
                                               : "(not recorded)");
        struct frame f = trace_frame(v->tr, li->create_stack, 0);
        for (uint32_t i = 0, n = trace_stack(v->tr, li->create_stack); i < n && i < 4; i++) {
            f = trace_frame(v->tr, li->create_stack, i);
            str_shorten(trace_str(v->tr, f.func), w / 2, glyph_dots(v->scr.tier), name, sizeof name);
            str_tail(trace_str(v->tr, f.file), w / 2 - 10, glyph_dots(v->scr.tier), file, sizeof file);
            lines_add(out, "    %s  %s:%" PRIu64, name, file, f.line);
        }
    } else {
        lines_add(out, "%s; first mentioned at %s",
                  trace_info(v->tr)->ndamages ? "its creation is not in this trace"
                                              : "it existed when the trace began",
                  when_exact(v->tr, li->seen, t));
    }
    int64_t first = li->created ? li->seen : li->first;
    lines_add(out, "%s at %s, %s in this trace%s", li->ended ? "ended" : "not ended; last known",
              when_exact(v->tr, li->last, t), when_dur(v->tr, li->last - first, d),
              li->is_system ? "; one of the runtime's own" : "");
}

static void life_states(const struct view *v, struct lane l, const struct lane_info *li, struct lines *out)
{
    struct shares sh;
    char d[FMT_MAX], p[FMT_MAX];
    int64_t end = li->last > li->first ? li->last : li->first + 1;
    gstate_shares(v->cache.gstate, v->tr, l, li->first, end, &sh);
    const bool timed = tri_any_timed(v->tr, l, li->first, end, sh.ns[ST_SYSCALL]);
    lines_add(out, "%s", "");
    for (int s = 0; s < ST_COUNT; s++)
        if (s == ST_SYSCALL && sh.ns[s] > 0 && !timed)
            lines_add(out, "%-16s %10s", state_name(ST_SYSCALL), TRI_UNTIMED);
        else if (sh.ns[s] > 0 && s != ST_NONE)
            lines_add(out, "%-16s %10s  %6s", state_name((enum state)s), when_dur(v->tr, sh.ns[s], d),
                      fmt_percent(sh.ns[s], end - li->first, p));
    if (li->no_p_ns)
        lines_add(out, "%-16s %10s  (system calls that lost their processor)", "  of it without P",
                  when_dur(v->tr, li->no_p_ns, d));
}

static void life_list(const struct view *v, struct lane l, int64_t t, struct lines *out, int w)
{
    struct span_iter it;
    char d[FMT_MAX], f[300], why[100], whom[100], from[FMT_MAX];
    if (!span_seek(&it, v->tr, l, t))
        return;
    uint64_t here = span_get(&it)->index;
    for (int i = 0; i < LIST / 2 && span_prev(&it); i++)
        ;
    lines_add(out, "%s", "");
    lines_add(out, "spans from number %" PRIu64 " on ('>': the cursor, '+': at least that long)",
              span_get(&it)->index);
    for (int i = 0; i < LIST; i++) {
        const struct span *s = span_get(&it);
        whom[0] = 0;
        if (s->who != NO_LANE)
            name_lane(v, (struct lane){s->state == ST_RUNNABLE ? LANE_G : LANE_P, s->who}, whom);
        func_of(v, s->state == ST_RUNNABLE && s->who != NO_LANE ? 0 : s->stack, w > 90 ? w - 60 : 30, f,
                sizeof f);
        str_head(name_bracketed(stacks_reason(v->tr, s->reason ? s->reason : s->label, s->stack)), 24, why,
                 sizeof why);
        lines_add(out, "%c %15s %10s %c %s%s%s%s%s%s%s%s", s->index == here ? '>' : ' ',
                  when_exact(v->tr, s->t0, from),
                  record_untimed(v, s) ? TRI_UNTIMED : when_dur(v->tr, s->t1 - s->t0, d),
                  record_open(v, l, s) ? '+' : ' ', state_name(record_state(v, l, s)), *why ? " (" : "", why,
                  *why ? ")" : "", *whom ? (s->state == ST_RUNNABLE ? " by " : " on ") : "", whom,
                  *f ? " in " : "", f);
        if (!span_next(&it))
            break;
    }
}

void life_text(const struct view *v, uint32_t g, int64_t t, struct lines *out, int w)
{
    struct lane l = {LANE_G, g};
    struct lane_info li = trace_lane(v->tr, l);
    char name[600], id[32];
    name_lane(v, l, id);
    str_safe(trace_str(v->tr, li.name), name, sizeof name);
    lines_add(out, "%s %s", id, li.name ? name : "(its start function is not in the trace)");
    life_origin(v, l, &li, out, w);
    life_states(v, l, &li, out);
    life_list(v, l, t, out, w);
}
