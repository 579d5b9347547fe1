/*
 * explain_ids.c - see explain_parts.h.
 */
#include "triage/report/explain_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "triage/link.h"
#include "triage/report/report.h"
#include "triage/sentence.h"
#include "triage/tables/stacks.h"

enum { FRAMES = 64 };

/* The rule of a finding's key, or of that id. */
static enum rule rule_of(const char *key)
{
    return rule_named((struct str){key, (uint32_t)strcspn(key, ":")});
}

static bool is_stack(const char *id)
{
    return strncmp(id, "stack:", 6) == 0;
}

bool explain_needs_tables(const char *id)
{
    return is_stack(id) || rule_of(id) != RULE_COUNT;
}

/* ---- stacks -------------------------------------------------------------------------------------------- */

static void frames(struct text *t, const struct trace *tr, uint32_t stack)
{
    const uint32_t n = trace_stack(tr, stack);
    for (uint32_t i = 0; i < n && i < FRAMES; i++) {
        const struct frame f = trace_frame(tr, stack, i);
        if (f.func)
            text_say(t, tr, "    ", t_str(f.func));
        else
            text_add(t, "    0x%" PRIx64, f.pc);
        if (f.file)
            text_say(t, tr, "  ", t_str(f.file), ":", f.line);
        text_lit(t, "\n");
    }
    if (n > FRAMES)
        text_say(t, tr, "    .. and ", n - FRAMES, " more\n");
}

static void open_with(struct text *t, const struct loaded *l, int64_t t0, struct lane lane)
{
    if (lane.i == NO_LANE)
        return;
    text_lit(t, "  open   gotop ");
    link_add(t, l->path, t0, lane.kind, trace_lane_who(l->tr, lane).id);
    text_lit(t, "\n");
}

static bool stack_text(struct text *t, const struct loaded *l, const char *id, const char **why)
{
    char *end;
    errno = 0;
    const unsigned long long no = strtoull(id, &end, 10);
    *why = "no such stack in this trace";
    if (end == id || *end || errno || !no || no > UINT32_MAX || !trace_stack(l->tr, (uint32_t)no))
        return false;
    text_add(t, "stack:%llu\n", no);
    frames(t, l->tr, (uint32_t)no);
    for (uint32_t i = 0; i < l->tg->nwaits; i++) {
        const struct wait_row *w = &l->tg->waits[i];
        if (w->stack != no)
            continue;
        text_say(t, l->tr, "  waits  ", t_wait(w->reason, w->stack), ": ", w->count, ", ", t_dur(w->total));
        if (w->open)
            text_say(t, l->tr, ", ", w->open, " not over");
        text_say(t, l->tr, ", the longest ", t_dur(w->longest.t1 - w->longest.t0), "\n");
        open_with(t, l, w->longest.t0, lane_g(w->longest.g));
    }
    return true;
}

/* ---- verdicts ------------------------------------------------------------------------------------------ */

static void verdict_text(struct text *t, const struct loaded *l, const struct finding *f)
{
    text_say(t, NULL, t_clean(f->key), "\n");
    report_finding(t, l, f);
    open_with(t, l, f->t0, f->lane);
    if (f->stack) {
        text_add(t, "  at     stack:%" PRIu32 "\n", f->stack);
        frames(t, l->tr, f->stack);
    }
}

bool explain_id(struct text *t, const struct loaded *l, const char *id, const char **why)
{
    if (is_stack(id))
        return stack_text(t, l, id + 6, why);
    const enum rule r = rule_of(id);
    bool any = false;
    for (uint32_t i = 0; i < l->fs.n; i++) {
        const struct finding *f = &l->fs.f[i];
        if (f->rule != r || (strchr(id, ':') && strcmp(f->key, id) != 0))
            continue;
        text_add(t, "%s", any ? "\n" : "");
        verdict_text(t, l, f);
        any = true;
    }
    *why = "there is no such finding in this trace; gotop report lists them";
    return any;
}

/* ---- moments ------------------------------------------------------------------------------------------- */

static void state_text(struct text *t, const struct trace *tr, const struct span *s)
{
    text_say(t, tr, state_name((enum state)s->state));
    if (s->state == ST_WAITING)
        text_say(t, tr, " (", t_wait(s->reason, s->stack), ")");
    if (s->stack && s->state != ST_RUNNABLE)
        text_say(t, tr, " at ", t_where(s->stack, 0));
}

static void beside_text(struct text *t, const struct trace *tr, const char *when, struct lane lane,
                        int64_t at)
{
    struct span_iter it = {.tr = NULL};
    if (at < 0 || !span_seek_at(&it, tr, lane, at))
        return;
    const struct span *s = span_get(&it);
    text_add(t, "  %-6s ", when);
    state_text(t, tr, s);
    text_say(t, tr, ", ", t_dur(s->t1 - s->t0));
    if (s->state == ST_RUNNABLE && s->who != NO_LANE && when[0] == 't') {
        text_say(t, tr, "; woken by ", t_who(s->who));
        if (s->stack)
            text_say(t, tr, " at ", t_where(s->stack, 0));
    }
    text_lit(t, "\n");
}

bool explain_moment(struct text *t, const struct trace *tr, uint32_t g, int64_t at, struct span *s)
{
    const struct lane lane = lane_g(g);
    struct span_iter it = {.tr = NULL};
    char place[LINK_PLACE];
    if (!span_seek_at(&it, tr, lane, at))
        return false;
    *s = *span_get(&it);
    link_place(place, s->t0, LANE_G, trace_lane_who(tr, lane).id);
    text_add(t, "  id     %s\n  is     ", place);
    state_text(t, tr, s);
    if (s->state == ST_RUNNABLE && s->who != NO_LANE)
        text_say(t, tr, ", made so by ", t_who(s->who));
    text_lit(t, "\n");
    if (s->stack) {
        text_add(t, "  %-6s stack:%" PRIu32 "\n", s->state == ST_RUNNABLE ? "by" : "at", s->stack);
        frames(t, tr, s->stack);
    }
    beside_text(t, tr, "before", lane, s->t0 - 1);
    beside_text(t, tr, "then", lane, s->t1);
    return true;
}
