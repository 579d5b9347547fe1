/*
 * idle_beside.c - see idle_beside.h.
 */
#include "layout/move/idle_beside.h"

#include <inttypes.h>
#include <stdio.h>

#include "layout/cells/fmt.h"
#include "layout/move/kind.h"
#include "layout/move/naming.h"
#include "triage/text.h"

/* Finds what the cursor is on: a span, else the column or the selected range. Returns false if not on a P. */
static bool subject(const struct view *v, int64_t *t0, int64_t *t1)
{
    const struct trace_info *ti = trace_info(v->tr);
    struct lane l = v->at.focus;
    struct span s;
    if (kind_here(v)->lanes != LANE_P || l.kind != LANE_P || l.i >= trace_nlanes(v->tr, LANE_P) ||
        v->at.cursor >= ti->end)
        return false;
    view_column(v, t0, t1);
    if (!view_selected(v, t0, t1) && view_span_here(v, &l, &s) &&
        (v->at.exact || trace_count(v->tr, l, *t0, *t1) == 1)) {
        *t0 = s.t0 < 0 ? 0 : s.t0;
        *t1 = s.t1;
    }
    *t1 = *t1 > ti->end ? ti->end : *t1;
    return *t1 > *t0;
}

void idle_follow(struct view *v)
{
    int64_t t0, t1;
    if (!subject(v, &t0, &t1)) {
        idle_reason_free(v->cache.idle);
        v->cache.idle = NULL;
        return;
    }
    if (idle_reason_is(v->cache.idle, v->at.focus.i, t0, t1))
        return;
    idle_reason_free(v->cache.idle);
    v->cache.idle = idle_reason_new(v->tr, &v->lanes[LANE_G].alive, v->at.focus.i, t0, t1);
    if (v->cache.idle)
        (void)idle_reason_step(v->cache.idle, 2000000);
}

bool idle_pending(const struct view *v)
{
    return trace_info(v->tr)->done && v->cache.idle && !v->cache.idle->done &&
           idle_reason_holds(v->cache.idle);
}

unsigned idle_work(struct view *v, int64_t budget_ns)
{
    return !idle_pending(v)                             ? VR_NONE
           : idle_reason_step(v->cache.idle, budget_ns) ? VR_DRAW
                                                        : VR_DRAW | VR_WORK;
}

bool idle_speaks(const struct view *v)
{
    const struct idle_reason *l = v->cache.idle;
    return l && l->sum.idle * 2 >= l->t1 - l->t0; /* half of it */
}

/* Writes "556us with 1 to 6 runnable (longest G38 90us)". */
static void idle_ready(struct text *t, const struct view *v, const struct idle_reason_sum *m)
{
    char a[FMT_MAX];
    text_add(t, "%s with ", when_dur(v->tr, m->ready, a));
    if (m->least < m->most)
        text_add(t, "%" PRIu32 " to ", m->least);
    text_add(t, "%" PRIu32 " runnable (longest %s %s)", m->most, name_lane(v, lane_g(m->top[0].g)).s,
             when_dur(v->tr, m->top[0].ns, a));
}

void idle_text(const struct view *v, char *out, size_t size)
{
    const struct idle_reason *l = v->cache.idle;
    const struct idle_reason_sum *m = l ? &l->sum : NULL;
    char a[FMT_MAX];
    const char *sep = " ";
    struct text t = {0};
    *out = 0;
    if (!m || !m->idle)
        return;
    text_add(&t, "idle %s:", when_dur(v->tr, m->idle, a));
    if (m->failed) {
        text_lit(&t, " no memory to find who was runnable meanwhile");
    } else if (!l->done) {
        text_add(&t, " adding up who was runnable meanwhile, %d%%", idle_reason_share(l));
    } else {
        if (m->ready) {
            text_add(&t, "%s", sep);
            idle_ready(&t, v, m);
            sep = ", ";
        }
        if (m->stopped) {
            text_add(&t, "%s%s stop-the-world", sep, when_dur(v->tr, m->stopped, a));
            sep = ", ";
        }
        if (m->none)
            text_add(&t, "%s%s nothing to do", sep,
                     m->ready || m->stopped ? when_dur(v->tr, m->none, a) : "all of it");
    }
    snprintf(out, size, "%s", t.p ? t.p : "");
    text_free(&t);
}

/* Finds where a goroutine ran after its wait. */
static void then_ran(const struct view *v, const struct idle_reason_wait *k, char *out, size_t size)
{
    struct span s;
    *out = 0;
    if (!trace_span_at(v->tr, lane_g(k->g), k->t1, &s) || s.t0 != k->t1 || s.who == NO_LANE ||
        s.state == ST_RUNNABLE || s.state == ST_WAITING || s.state == ST_UNKNOWN)
        return;
    snprintf(out, size, ", then ran on %s", name_lane(v, lane_p(s.who)).s);
}

void idle_lines(const struct view *v, struct rich *out, int w)
{
    char text[400], d[FMT_MAX], t[FMT_MAX], ran[60];
    const struct idle_reason *l = v->cache.idle;
    idle_text(v, text, sizeof text);
    rich_say(out, STYLE_POPUP, "%s", text);
    if (!l || !l->done || !l->sum.ntop)
        return;
    rich_blank(out);
    rich_say(out, STYLE_POPUP, "runnable meanwhile, the longest first:");
    for (uint32_t i = 0; i < l->sum.ntop; i++) {
        const struct idle_reason_wait *k = &l->sum.top[i];
        then_ran(v, k, ran, sizeof ran);
        rich_say(out, STYLE_POPUP, "%8s  %s  from %s%s", when_dur(v->tr, k->ns, d),
                 name_g(v, k->g, w > 70 ? w - 50 : 20).s, when_exact(v->tr, k->t0 < 0 ? 0 : k->t0, t), ran);
    }
    if (l->sum.waits > l->sum.ntop)
        rich_say(out, STYLE_POPUP, "and %" PRIu64 " shorter waits", l->sum.waits - l->sum.ntop);
}
