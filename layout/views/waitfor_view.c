/*
 * waitfor_view.c - who waits for whom: edges between groups of goroutines, the longest first; in the status
 * where it ends. Enter: the longest such wait in the lanes.
 */
#include <stdio.h>
#include <string.h>

#include "layout/cells/fmt.h"
#include "layout/views/tri_priv.h"
#include "triage/findings/waitfor.h"
#include "triage/tables/slices.h"

enum {
    WORDS = 28,
    WITH_BARS = 100
}; /* columns of the numbers before them; screens so wide have bars between */

static int words_at(int w)
{
    return WORDS + (w < WITH_BARS ? 0 : TRI_BAR + 1);
}

static bool waitfor_view_ready(const struct view *v)
{
    return v->tri && v->tri->whom.made;
}

static bool pending(const struct view *v)
{
    return v->tri && v->tri->tg && !waitfor_view_ready(v);
}

static bool waitfor_view_make(void *arg)
{
    struct tri *t = arg;
    t->whom.v = waitfor_new(t->tg);
    return t->whom.v;
}

static unsigned waitfor_view_work(struct view *v, int64_t budget_ns)
{
    struct whom *w = pending(v) ? &v->tri->whom : NULL;
    if (!w)
        return VR_NONE;
    if (!w->making && !(w->making = slices_new(waitfor_view_make, v->tri)))
        (void)waitfor_view_make(v->tri);
    else if (slices_run(w->making, budget_ns) == SLICES_MORE)
        return VR_WORK;
    slices_free(w->making);
    w->making = NULL;
    w->made = true;
    return VR_DRAW;
}

/* NULL: not there yet, or no memory. */
static const struct waitfor *waitfor_of(const struct view *v)
{
    return waitfor_view_ready(v) ? v->tri->whom.v : NULL;
}

static uint32_t waitfor_view_count(const struct view *v)
{
    return waitfor_of(v) ? waitfor_of(v)->nedges : 0;
}

static int waitfor_view_head_lines(const struct view *v, int rows)
{
    (void)v;
    return rows > 2 ? 1 : 0;
}

static void waitfor_view_head(struct grid *g, struct view *v, int y, int n)
{
    if (n > 0 && !waitfor_of(v))
        tri_say(g, 0, y, g->w, STYLE_STATUS_KEY, "out of memory for who waits for whom");
    else if (n > 0 && !waitfor_view_count(v))
        tri_say(g, 0, y, g->w, STYLE_STATUS_KEY, "no goroutine waits for another in this trace");
    else if (n > 0)
        tri_say(g, 0, y, g->w, STYLE_RULER, "  waited    waits  of life%*swho waits for whom",
                words_at(g->w) - (WORDS - 2), "");
}

static void name_within(struct text *t, const struct view *v, uint32_t name, size_t w)
{
    struct text u = {0};
    char s[1200];
    text_func(&u, v->tr, name, 0);
    str_shorten((struct str){u.p ? u.p : "", (uint32_t)u.n}, (int)w, glyph_dots(v->scr.tier), s, sizeof s);
    text_raw(t, s, strlen(s));
    text_free(&u);
}

static size_t name_width(const struct view *v, uint32_t name)
{
    struct text u = {0};
    text_func(&u, v->tr, name, 0);
    size_t w = text_width(&u, 0);
    text_free(&u);
    return w;
}

/* In so many columns: of long names the ends, which tell most, rather than the middle of the line away. */
static void row_words(struct text *t, const struct view *v, const struct waitfor_edge *e, size_t room)
{
    enum { NAME_LEAST = 8 };
    waitfor_edge_text(t, v->tr, e);
    if (e->knot)
        text_lit(t, ", and that one for it");
    const char *for_it = e->knot ? " and that one for it" : "";
    size_t fixed = strlen(" waits for ") + strlen(for_it) + strlen(waitfor_whom(e->what));
    size_t from = name_width(v, e->from), to = e->what == WF_GROUP ? name_width(v, e->to) : 0;
    if (text_width(t, 0) <= room || room < fixed + (e->what == WF_GROUP ? 2 : 1) * NAME_LEAST)
        return;
    size_t left = room - fixed, half = left / 2; /* for names */
    from = from + to <= left ? from : to <= half ? left - to : from <= half ? from : half;
    text_free(t);
    name_within(t, v, e->from, from);
    text_lit(t, " waits for ");
    if (e->what == WF_GROUP)
        name_within(t, v, e->to, left - from);
    else
        text_add(t, "%s", waitfor_whom(e->what));
    text_add(t, "%s", for_it);
}

static void waitfor_view_row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    const struct waitfor_edge *e = &waitfor_of(v)->edge[i];
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    char d[FMT_MAX], n[FMT_MAX], share[FMT_MAX], words[1200];
    struct text t = {0};
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    tri_cell(g, 0, y, 8, s, tri_dur(v->tr, e->ns, d));
    tri_cell(g, 8, y, 9, s, fmt_count(e->count, n));
    tri_cell(g, 17, y, 9, s, fmt_percent((int64_t)(e->share * 1e9), 1000000000, share));
    const int x = words_at(g->w), room = g->w > x ? g->w - x : 0;
    if (x > WORDS)
        tri_bar(g, v, WORDS, y, TRI_BAR, e->ns, waitfor_of(v)->edge[0].ns, STYLE_WAITING);
    row_words(&t, v, e, (size_t)room);
    str_middle((struct str){t.p ? t.p : "", (uint32_t)t.n}, room, glyph_dots(v->scr.tier), words,
               sizeof words);
    grid_str(g, x, y, room, words, s);
    text_free(&t);
}

static void waitfor_view_detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    const struct waitfor_edge *e = &waitfor_of(v)->edge[i];
    if (line == 0) {
        waitfor_edge_text(t, v->tr, e);
        text_lit(t, ": ");
        text_dur(t, e->ns / (int64_t)(e->count ? e->count : 1));
        text_lit(t, " on average, longest ");
        text_dur(t, e->longest.t1 - e->longest.t0);
        text_lit(t, " @");
        text_dur(t, e->longest.t0);
        return;
    }
    const struct waitfor *w = waitfor_of(v);
    for (uint32_t k = 0; k < w->nends; k++)
        if (w->end[k].from == e->from && w->end[k].n) {
            text_lit(t, "All its waits for others end with (inferred): ");
            waitfor_end_text(t, v->tr, &w->end[k]);
        }
}

static unsigned waitfor_view_enter(struct view *v)
{
    const struct waitfor_edge *e = &waitfor_of(v)->edge[v->at.row];
    if (e->longest.g == NO_LANE)
        return move_fail(v, "no goroutine is known for that");
    return tri_goto(v, tri_g(e->longest.g), e->longest.t0, e->longest.t1);
}

static bool about(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    if (!tri_rows(v) || v->at.row >= tri_rows(v))
        return false;
    const struct moment m = waitfor_of(v)->edge[v->at.row].longest;
    *g = m.g;
    *t0 = m.t0;
    *t1 = m.t1;
    return m.g != NO_LANE;
}

static void waitfor_view_line(struct text *out, const struct view *v, uint32_t i)
{
    const struct waitfor_edge *e = &waitfor_of(v)->edge[i];
    text_add(out, "%lld\t%llu\t%.4f\t%u\t", (long long)e->ns, (unsigned long long)e->count, e->share,
             e->knot);
    waitfor_edge_text(out, v->tr, e);
}

static bool waitfor_view_tsv(const struct view *v, FILE *f)
{
    return tri_tsv(v, f, "ns\tcount\tlife\tknot\twho", waitfor_view_count(v), waitfor_view_line);
}

static const struct tri_view list = {.rows = waitfor_view_count,
                                     .head_lines = waitfor_view_head_lines,
                                     .head = waitfor_view_head,
                                     .row = waitfor_view_row,
                                     .detail = waitfor_view_detail,
                                     .enter = waitfor_view_enter,
                                     .ready = waitfor_view_ready,
                                     .counted = true};
const struct view_kind kind_waitfor = {
    IS_TABLE,
    .status_most = tri_status_most,
    .list = &list,
    .about = about,
    .pending = pending,
    .work = waitfor_view_work,
    .tsv = waitfor_view_tsv,
    .answer = {ANSWER_ROWS},
    .refusal = {REFUSE_ZOOM, REFUSE_SORT, REFUSE_SELECT,
                ANSWER_SIDE("up and down walk the rows, Enter looks there")},
};
