/*
 * why_view.c - `W`: where the time of an interval went. Above, the lanes of the goroutines that account for
 * the time, the requested one first; each moment is marked in the lane of the one that all others waited
 * for. Below, the same as a list, the largest first, each wait before what the goroutine that ended it did.
 * Enter on a row goes to its longest part in the lanes.
 */

#include "decode/base/mem.h"
#include "decode/model/item.h"
#include "triage/findings/why.h"
#include "layout/views/page.h"
#include "triage/work/work_text.h"
#include "layout/move/naming.h"
#include "layout/move/record.h"
#include "layout/move/pick.h"

/* These are the columns of share, time and count; how wide a screen has times and bars, and counts; levels
 * that are indented. */
enum { SHARE = 7, TIME = 9, COUNT = 8, TIMES_FROM = 60, COUNTS_FROM = 100, DEEPEST = 6 };

static int bar_at(int w)
{
    return SHARE + (w < TIMES_FROM ? 0 : TIME) + (w < COUNTS_FROM ? 0 : COUNT) + 2;
}

static int words_at(int w)
{
    return bar_at(w) + (w < TIMES_FROM ? 0 : TRI_BAR + 1);
}

static const struct tree_node *node(const struct view *v, uint32_t row)
{
    return &v->why->tree.v[v->why->row[row].node];
}

static uint32_t why_view_count(const struct view *v)
{
    return v->why ? v->why->nrows : 0;
}

static bool why_view_ready(const struct view *v)
{
    return v->why != NULL;
}

/* ---- the lanes ----------------------------------------------------------------------------------------- */

/* Returns the number of lanes above the list: the whole chain if it fits a third of the screen. */
static int lanes_shown(const struct view *v, int rows)
{
    int n = (int)v->why->nchain, most = rows / 3;
    return n < most ? n : most;
}

static int names_width(const struct view *v)
{
    return v->scr.w >= 160 ? 48 : v->scr.w >= 100 ? 32 : v->scr.w >= 60 ? 22 : 10;
}

/* Returns the main state of goroutine g in [a,b), within the time put down to it. ST_COUNT: none; ST_NONE:
 * it did not exist. */
static enum state state_in(const struct why *y, uint32_t g, int64_t a, int64_t b)
{
    enum { LOOK = 256 };
    int64_t ns[ST_COUNT] = {0};
    enum state best = ST_COUNT;
    uint32_t i = why_leaf_from(y, a);
    for (int left = LOOK; left > 0 && i < y->nleaves && y->leaf[i].t0 < b; i++, left--) {
        const struct why_leaf *l = &y->leaf[i];
        if (l->g != g)
            continue;
        ns[l->state] += (l->t1 < b ? l->t1 : b) - (l->t0 > a ? l->t0 : a);
        best = best == ST_COUNT || ns[l->state] > ns[best] ? (enum state)l->state : best;
    }
    return best;
}

static void why_view_lane(struct grid *g, const struct view *v, uint32_t i, int y)
{
    const struct why *k = v->why;
    int w = names_width(v), plot = v->scr.w - w - 1;
    char share[FMT_MAX];
    fmt_percent(k->chain[i].ns, k->t1 - k->t0, share);
    tri_say(g, 0, y, w - 7, i ? STYLE_LANE : STYLE_LANE_FOCUS, "%s", name_g(v, k->chain[i].g, w - 8).s);
    grid_right(g, w - 7, y, 7, share, STYLE_LANE_NOTE);
    for (int c = 0; c < plot; c++) {
        double step = (double)(k->t1 - k->t0) / plot;
        int64_t a = k->t0 + (int64_t)(step * c), b = k->t0 + (int64_t)(step * (c + 1));
        enum state s = state_in(k, k->chain[i].g, a, b > a ? b : a + 1);
        bool spoken = b > k->chain[i].first && a < k->chain[i].last;
        if (s != ST_NONE && s != ST_COUNT)
            grid_put(g, w + 1 + c, y, glyph_state(v->scr.tier, s), (enum style)(STYLE_STATE + (int)s));
        else if (s == ST_COUNT && spoken) /* it is spoken of, but this moment is another's */
            grid_put(g, w + 1 + c, y, '.', STYLE_DIM);
    }
}

/* ---- head ---------------------------------------------------------------------------------------------- */

static int why_view_head_lines(const struct view *v, int rows)
{
    return v->why ? lanes_shown(v, rows) + 3 : 0; /* what it is of; the lanes; a line, the columns' names */
}

static void why_view_head(struct grid *g, struct view *v, int y, int n)
{
    const struct why *k = v->why;
    struct text t = {.ticks = when_ticks(v->tr)};
    const struct task *task;
    if (k->task < trace_tasks(v->tr, &task)) {
        text_say(&t, v->tr, "task ", task[k->task].id, " ", t_str(task[k->task].name),
                 task[k->task].g == k->g ? " by " : " ended by ");
    }
    text_say(&t, v->tr, t_who(k->g), ", ");
    text_between(&t, k->t0, k->t1);
    text_say(&t, NULL, ": where its ", t_dur(k->t1 - k->t0), " went",
             k->cut ? "; some waits are not followed to their end" : "");
    tri_say(g, 0, y, g->w, STYLE_STATUS_KEY, "%s", t.p ? t.p : "");
    text_free(&t);
    int lanes = n - 3;
    for (int i = 0; i < lanes; i++)
        why_view_lane(g, v, (uint32_t)i, y + 1 + i);
    uint32_t more = v->why->nchain - (uint32_t)(lanes > 0 ? lanes : 0);
    if (more)
        tri_say(g, 0, y + n - 2, g->w, STYLE_DIM, "%u more goroutine%s%s", more, more == 1 ? "" : "s",
                g->w >= 60 ? ": Enter shows all in the lanes" : " (Enter: all)");
    tri_say(g, 0, y + n - 1, g->w, STYLE_RULER, "  share%s%s", g->w < TIMES_FROM ? "" : "     time",
            g->w < COUNTS_FROM ? "" : "   count");
    tri_say(g, words_at(g->w), y + n - 1, g->w - words_at(g->w), STYLE_RULER, "what");
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static bool own(const struct view *v, uint32_t row)
{
    const struct why *k = v->why;
    const struct tree_node *n = node(v, row);
    if (k->row[row].depth == 0)
        return !k->tree.handed;
    return n->who == k->tree.v[n->up].who;
}

/* Returns whether row i is the largest part that nothing else explains. */
static bool counts_most(const struct view *v, uint32_t i)
{
    for (uint32_t k = 0; k < v->why->nrows; k++)
        if (node(v, k)->first == NO_LANE && (node(v, k)->ns[TREE_ALL] > node(v, i)->ns[TREE_ALL] ||
                                             (node(v, k)->ns[TREE_ALL] == node(v, i)->ns[TREE_ALL] && k < i)))
            return false;
    return node(v, i)->first == NO_LANE;
}

static void why_view_row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    const struct tree_node *n = node(v, i);
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    char share[FMT_MAX], d[FMT_MAX], many[FMT_MAX], words[1200];
    struct text t = {.ticks = when_ticks(v->tr)};
    int deep = v->why->row[i].depth < DEEPEST ? v->why->row[i].depth : DEEPEST;
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    grid_right(g, 0, y, SHARE, fmt_percent(n->ns[TREE_ALL], v->why->t1 - v->why->t0, share), s);
    if (g->w >= TIMES_FROM)
        grid_right(g, SHARE, y, TIME, when_dur(v->tr, n->ns[TREE_ALL], d), s);
    if (g->w >= COUNTS_FROM)
        grid_right(g, SHARE + TIME, y, COUNT, fmt_count(n->n[TREE_ALL], many), focus ? s : STYLE_DIM);
    if (!own(v, i))
        text_say(&t, v->tr, t_func(n->who), ": ");
    node_what(&t, v->tr, n);
    const int x = words_at(g->w) + 2 * deep;
    if (g->w >= TIMES_FROM)
        tri_bar(g, v, bar_at(g->w), y, TRI_BAR, n->ns[TREE_ALL], v->why->t1 - v->why->t0,
                (enum style)(STYLE_STATE + (int)page_state((enum explain_cat)n->cat)));
    str_where(str_of(t.p ? t.p : ""), g->w - x, glyph_dots(v->scr.tier), words, sizeof words);
    grid_str(g, x, y, g->w - x, words, !focus && counts_most(v, i) ? STYLE_STATUS_KEY : s);
    text_free(&t);
}

static void why_view_detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    const struct tree_node *n = node(v, i);
    if (line == 0) {
        node_text(t, v->tr, n, false);
        return;
    }
    text_say(t, v->tr, "The longest of them: ", t_dur(n->t1 - n->t0), " at ", t_dur(n->t0), " of ",
             t_who(n->g));
    if (n->by != NO_LANE && n->cat == EX_WAIT)
        text_say(t, v->tr, ", ended by ", t_who(n->by));
    text_lit(t, ". Enter goes there and shows these goroutines one below the other.");
}

static unsigned why_view_enter(struct view *v)
{
    const struct tree_node *n = node(v, v->at.row);
    uint32_t g = n->g;
    int64_t t0 = n->t0, t1 = n->t1;
    if (g == NO_LANE)
        return move_fail(v, "no goroutine is known for that");
    if (!why_lanes(v))
        return move_fail(v, "out of memory");
    unsigned f = tri_goto(v, lane_g(g), t0, t1);
    view_message(v, false, "these goroutines took the time; the one that all waited for is underlined");
    return f;
}

/* An explanation in progress. */
struct asked_why {
    struct job job;
    struct why_job *of;
    struct why *out;
};

static bool why_view_step(struct view *v, struct job *j, int64_t budget_ns)
{
    struct asked_why *a = (struct asked_why *)j;
    (void)v;
    return why_step(a->of, budget_ns, &a->out);
}

static void why_view_drop(struct job *j)
{
    why_end(((struct asked_why *)j)->of);
}

static unsigned why_view_over(struct view *v, struct job *j)
{
    struct why *y = ((struct asked_why *)j)->out;
    if (!y)
        return move_fail(v, "out of memory");
    why_free(v->why);
    v->why = y;
    v->popup.kind = POPUP_NONE;
    if (v->tri)
        v->tri->row[VIEW_WHY] = v->tri->top[VIEW_WHY] = 0;
    return tri_open(v, VIEW_WHY);
}

/* After opening a thing from a table, `W` explains that thing until the cursor leaves it. */
static bool of_shown(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    if (!v->trail.led || v->sel.stands || v->trail.shown.lane.kind != LANE_G || v->at.focus.kind != LANE_G ||
        v->at.focus.i != v->trail.shown.lane.i || v->at.cursor != v->trail.shown.cursor)
        return false;
    *g = v->trail.shown.lane.i;
    *t0 = v->trail.shown.t0;
    *t1 = v->trail.shown.t1;
    return *t1 > *t0;
}

bool why_here(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    struct lane l;
    struct span s;
    if (kind_here(v)->about)
        return kind_here(v)->about(v, g, t0, t1) && *g < trace_nlanes(v->tr, LANE_G) && *t1 > *t0;
    if (kind_here(v)->table || !view_span_here(v, &l, &s))
        return false;
    if (!v->sel.stands && record_untimed(v, &s))
        return false;
    if (of_shown(v, g, t0, t1))
        return *g < trace_nlanes(v->tr, LANE_G);
    *g = l.kind == LANE_G ? l.i : s.who;
    *t0 = v->sel.stands ? v->sel.t0 : s.t0;
    *t1 = v->sel.stands ? v->sel.t1 : s.t1;
    return *g < trace_nlanes(v->tr, LANE_G) && *t1 > *t0;
}

static const char *why_not(const struct view *v)
{
    const struct task *k;
    const struct item *i = kind_here(v)->items && v->at.row < v->items.n ? &v->items.row[v->at.row] : NULL;
    if (i && i->kind == ITEM_TASK && i->index < trace_tasks(v->tr, &k) &&
        workpiece_of_task(v->tr, i->index).g == NO_LANE)
        return "nothing to explain: the trace records neither who began it nor who ended it";
    return "nothing here to explain: go to a goroutine's span, a task, a region or a finding about one";
}

unsigned view_why(struct view *v)
{
    uint32_t g;
    int64_t t0, t1;
    if (!why_here(v, &g, &t0, &t1))
        return move_fail(v, "%s", why_not(v));
    if (why_long(v->tr, g, t0, t1))
        return move_fail(
            v, "too much to explain while the trace grows: select less, or ask when it is complete");
    struct asked_why *a = mem_zalloc(sizeof *a);
    if (a)
        *a = (struct asked_why){.job = {.step = why_view_step,
                                        .over = why_view_over,
                                        .drop = why_view_drop,
                                        .soon = "where its time went is being worked out"},
                                .of = why_begin(v->tr, g, t0, t1)};
    if (a && !a->of) {
        mem_free(a);
        a = NULL;
    }
    return job_begin(v, a ? &a->job : NULL);
}

static bool why_view_tsv(const struct view *v, struct text *t)
{
    if (!why_view_count(v))
        return false;
    t->ticks = when_ticks(v->tr);
    text_lit(t, "share\tns\tcount\tdepth\twhat\n");
    for (uint32_t i = 0; i < why_view_count(v); i++) {
        const struct tree_node *n = node(v, i);
        text_add(t, "%.4f\t%lld\t%llu\t%d\t", (double)n->ns[TREE_ALL] / (double)(v->why->t1 - v->why->t0),
                 (long long)n->ns[TREE_ALL], (unsigned long long)n->n[TREE_ALL], v->why->row[i].depth);
        node_text(t, v->tr, n, own(v, i));
        text_lit(t, "\n");
    }
    return true;
}

const struct view_kind kind_why = {
    TIMELESS_PLAN,
    .over = true,
    .open = tri_open,
    .draw = tri_draw,
    .none = "Nothing is explained yet: :why on a goroutine's span, a task, a region or a finding.",
    .speak = tri_speak,
    .where = tri_where,
    .refuse = "Enter opens the lanes first",
    .rows = why_view_count,
    .head_lines = why_view_head_lines,
    .head = why_view_head,
    .row = why_view_row,
    .detail = why_view_detail,
    .enter = why_view_enter,
    .ready = why_view_ready,
    .has = why_view_ready,
    .tsv = why_view_tsv,
    .answer = {ANSWER_ROWS, [REQ_CAUSE] = tri_cause},
    .refusal = {REFUSE_ZOOM, REFUSE_SORT, REFUSE_SELECT,
                ANSWER_SIDE("up and down walk the parts, Enter looks there")},
};
