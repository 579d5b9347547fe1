/* page_curves.c - the whole trace in three curves: how busy the processors are, how many goroutines wait for
 * one, the heap. See page.h. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/base/mem.h"
#include "layout/cells/ruler.h"
#include "layout/draw/draw.h"
#include "decode/model/item.h"
#include "layout/views/page.h"
#include "layout/move/naming.h"

enum { CURVES = 3 };

struct box page_axis(struct box b)
{
    const int beside = b.w >= 60 ? PAGE_BESIDE : 0;
    return (struct box){b.x + page_label(b.w), b.y, b.w - page_label(b.w) - beside, 1};
}

/* A column's height, 0..1, and its colour. */
struct column {
    double part;
    enum style style;
};

/* Returns the edges of n columns over the whole trace. */
static int64_t *column_edges(const struct view *v, int n)
{
    int64_t *e = n > 0 ? mem_alloc(((size_t)n + 1) * sizeof *e) : NULL;
    if (e)
        window_edges(window_of(0, view_end(v)), n, e);
    return e;
}

/* Gets the average number of goroutines in a state, per column. Returns false if it is not known. */
static bool average_in(const struct view *v, enum gcount of, const int64_t *edge, int n, struct column *out)
{
    const struct gbucket *b;
    int64_t width;
    const size_t all = trace_gcounts(v->tr, &width, &b);
    for (int c = 0; c < n && all && width > 0; c++) {
        const size_t from = (size_t)(edge[c] / width),
                     last = (size_t)((edge[c + 1] - (edge[c + 1] > edge[c])) / width);
        double ns = 0;
        for (size_t i = from; i <= last && i < all; i++)
            ns += (double)b[i].ns[of];
        out[c].part = ns / ((double)(last - from + 1) * (double)width);
    }
    return all && width > 0;
}

/* Gets running goroutines per processor, in the GC's colour where it marks for most of a column. */
static void busy(const struct view *v, const int64_t *edge, int n, struct column *out)
{
    const double procs = trace_nlanes(v->tr, LANE_P);
    struct shares *gc = mem_zalloc((size_t)n * sizeof *gc);
    if (gc && trace_nlanes(v->tr, LANE_BAND) > BAND_GC)
        trace_columns(v->tr, (struct lane){LANE_BAND, BAND_GC}, edge, (uint32_t)n, gc);
    const bool known = average_in(v, GC_RUNNING, edge, n, out) && procs > 0;
    for (int c = 0; c < n; c++) {
        const bool marks = gc && gc[c].ns[ST_GC] * 2 > edge[c + 1] - edge[c];
        out[c] = (struct column){known ? out[c].part / procs : 0, marks ? STYLE_GCWORK : STYLE_RUNNING};
    }
    mem_free(gc);
}

/* Gets runnable goroutines on average; their maximum would also show short peaks without real waiting. */
static void queue(const struct view *v, const int64_t *edge, int n, struct column *out)
{
    const double procs = trace_nlanes(v->tr, LANE_P);
    double most = procs;
    (void)average_in(v, GC_RUNNABLE, edge, n, out);
    for (int c = 0; c < n; c++) {
        most = out[c].part > most ? out[c].part : most;
        out[c].style = out[c].part > procs ? STYLE_RUNQ_OVER : STYLE_RUNQ;
    }
    for (int c = 0; c < n; c++)
        out[c].part = most > 0 ? out[c].part / most : 0;
}

static void heap(const struct view *v, const int64_t *edge, int n, struct column *out)
{
    struct extent *e = mem_zalloc((size_t)n * sizeof *e);
    uint64_t most = 0;
    if (e)
        trace_extents(v->tr, METRIC_HEAP, edge, (uint32_t)n, e);
    for (int c = 0; e && c < n; c++)
        most = e[c].known && e[c].max > most ? e[c].max : most;
    for (int c = 0; e && c < n && most; c++)
        out[c] = (struct column){e[c].known ? (double)e[c].max / (double)most : 0, STYLE_HEAP};
    mem_free(e);
}

static void beside_busy(struct text *t, const struct triage *tg)
{
    const double procs = triage_mean_procs(tg);
    const int64_t used = tg->capacity - tg->p_sum.ns[ST_IDLE] - tg->unused;
    text_share(t, (double)used, (double)tg->capacity);
    text_add(t, " of %.3g P%s", procs, procs > 1 ? "s" : "");
}

static void beside_queue(struct text *t, const struct triage *tg)
{
    struct dist d;
    hist_dist(&tg->sched, &d);
    text_say(t, NULL, "p99 wait ", t_dur(d.p99));
}

static void beside_heap(struct text *t, const struct triage *tg)
{
    if (!tg->heap.known)
        text_lit(t, "not recorded");
    else
        text_say(t, NULL, "at most ", t_bytes(tg->heap.max));
}

static const struct {
    const char *name;
    void (*of)(const struct view *v, const int64_t *edge, int n, struct column *out);
    void (*beside)(struct text *t, const struct triage *tg);
} curves[CURVES] = {{"busy", busy, beside_busy}, {"queue", queue, beside_queue}, {"heap", heap, beside_heap}};

/* Draws the curve in `h` lines, from below. */
static void draw_curve(struct grid *g, const struct view *v, struct box axis, const struct column *col)
{
    for (int c = 0; c < axis.w; c++) {
        const int most = axis.h * 8;
        int level = (int)(col[c].part * most + 0.5);
        level = level < 0 ? 0 : level > most ? most : level;
        level = !level && col[c].part > 0 ? 1 : level;
        for (int r = 0; r < axis.h; r++) {
            const int here = level - 8 * r;
            if (here > 0 || r == 0)
                grid_put(g, axis.x + c, axis.y + axis.h - 1 - r,
                         here > 0 ? glyph_height(v->scr.tier, here > 8 ? 8 : here) : '_',
                         here > 0 ? col[c].style : STYLE_DIM);
        }
    }
}

static void curve(struct grid *g, const struct view *v, int i, struct box b, int high)
{
    struct box axis = page_axis(b);
    int64_t *edge = column_edges(v, axis.w);
    struct column *col = edge ? mem_zalloc((size_t)axis.w * sizeof *col) : NULL;
    struct text t = {.ticks = when_ticks(v->tr)};
    axis.h = high;
    if (col) {
        curves[i].of(v, edge, axis.w, col);
        draw_curve(g, v, axis, col);
    }
    grid_str(g, b.x, b.y + high - 1, page_label(b.w) - 1, curves[i].name, STYLE_DIM);
    if (v->tri && v->tri->tg && axis.x + axis.w < b.x + b.w) {
        curves[i].beside(&t, v->tri->tg);
        grid_str(g, axis.x + axis.w + 1, b.y + high - 1, PAGE_BESIDE - 1, t.p ? t.p : "", STYLE_NORMAL);
    }
    text_free(&t);
    mem_free(col);
    mem_free(edge);
}

int page_curves(struct grid *g, const struct view *v, struct box b)
{
    uint64_t least, most;
    const struct trace_info *ti = trace_info(v->tr);
    const bool heaps = trace_minmax(v->tr, METRIC_HEAP, 0, ti->end + (ti->end < INT64_MAX), &least, &most);
    const int all = heaps ? CURVES : CURVES - 1, n = b.h < all ? b.h : all,
              high = b.h / CURVES > 1 ? b.h / CURVES : 1;
    if (page_axis(b).w < 8 || n < 1)
        return 0;
    for (int i = 0; i < n; i++)
        curve(g, v, i, (struct box){b.x, b.y + i * high, b.w, high}, high);
    return n * high;
}

/* ---- where a finding is -------------------------------------------------------------------------------- */

/* Gets the height in each column for a finding about a band: the share of the column. */
static void strip_band(const struct view *v, const struct finding *f, const int64_t *edge, int n,
                       struct column *out)
{
    struct shares *col = mem_zalloc((size_t)n * sizeof *col);
    if (col)
        trace_columns(v->tr, f->lane, edge, (uint32_t)n, col);
    for (int c = 0; col && c < n; c++) {
        const int64_t len = edge[c + 1] - edge[c];
        out[c].part = len > 0 ? (double)col[c].ns[item_state((int)f->lane.i)] / (double)len : 0;
    }
    mem_free(col);
}

/* Returns whether the finding is about pieces of a work, most of which have it. *slow: most slow ones do. */
static bool of_pieces(const struct finding *f, bool *slow)
{
    const struct harm *h = &f->v.harm;
    *slow = h->slow_only || (h->slow > h->all && h->share >= h->slow);
    return h->work != NO_LANE && (*slow || h->hit * 2 >= h->of);
}

static bool of_band(const struct view *v, const struct finding *f)
{
    return f->lane.kind == LANE_BAND && f->lane.i < trace_nlanes(v->tr, LANE_BAND);
}

/* Marks the pieces of work that have it: the slowest tenth if the finding is about these, or all that were
 * looked at. */
static void strip_pieces(const struct view *v, const struct finding *f, const int64_t *edge, int n,
                         struct column *out)
{
    bool of_slow;
    if (!of_pieces(f, &of_slow))
        return;
    const struct work *w = &v->tri->fs->works.v[f->v.harm.work];
    const uint32_t slow = w->tree.pieces[TREE_SLOW], most = of_slow && slow < w->looked ? slow : w->looked;
    for (uint32_t i = 0; i < most; i++)
        for (int c = 0; c < n; c++)
            if (w->v[i].t0 < edge[c + 1] && w->v[i].t1 > edge[c])
                out[c].part = 0.5;
}

bool page_strip_whole(const struct view *v, const struct finding *f)
{
    bool slow;
    return of_band(v, f) || of_pieces(f, &slow);
}

void page_strip(struct grid *g, const struct view *v, const struct finding *f, struct box axis)
{
    const int n = axis.w;
    int64_t *edge = column_edges(v, n);
    struct column *col = edge ? mem_zalloc((size_t)n * sizeof *col) : NULL;
    if (col && of_band(v, f)) {
        strip_band(v, f, edge, n, col);
    } else if (col) {
        strip_pieces(v, f, edge, n, col);
        const struct window all = window_of(0, view_end(v));
        int a = window_col(all, n, f->v.t0),
            b = window_col(all, n, f->v.t1 > f->v.t0 ? f->v.t1 - 1 : f->v.t0);
        a = a < 0 ? 0 : a;
        b = b < a ? a : b >= n ? n - 1 : b;
        for (int c = a; c <= b; c++)
            col[c].part = 1;
    }
    for (int c = 0; col && c < n; c++)
        col[c].style = f->note ? STYLE_DIM : STYLE_WARN;
    if (col)
        draw_curve(g, v, axis, col);
    mem_free(col);
    mem_free(edge);
}

/* ---- processors ---------------------------------------------------------------------------------------- */

/* Draws a lane on an axis of that time as its own view does; the axis may be several lines high. */
static void lane_on(struct grid *g, struct view *v, struct lane l, struct window time, struct box axis)
{
    const struct window win = v->at.win;
    const int plot_w = v->scr.plot_w, lane_h = v->scr.lane_h;
    v->at.win = time;
    v->scr.plot_w = axis.w;
    v->scr.lane_h = axis.h;
    if (axis.w > 0 && draw_prepare(v))
        draw_lane(g, v, l, axis.x, axis.y + axis.h - 1);
    v->at.win = win;
    v->scr.plot_w = plot_w;
    v->scr.lane_h = lane_h;
    (void)draw_prepare(v);
}

static void lane_line(struct grid *g, struct view *v, const char *label, struct lane l, struct window time,
                      struct box b)
{
    struct box axis = page_axis(b);
    axis.h = b.h;
    lane_on(g, v, l, time, axis);
    grid_right(g, b.x, b.y + b.h - 1, page_label(b.w) - 1, label, STYLE_DIM);
}

/* Returns the processor with the smallest id above `last`. */
static uint32_t next_proc(const struct trace *tr, uint64_t last, bool first)
{
    uint32_t best = NO_LANE;
    for (uint32_t i = 0, n = trace_nlanes(tr, LANE_P); i < n; i++) {
        const uint64_t id = trace_lane_who(tr, lane_p(i)).id;
        if ((first || id > last) && (best == NO_LANE || id < trace_lane_who(tr, lane_p(best)).id))
            best = i;
    }
    return best;
}

int page_procs(struct grid *g, struct view *v, struct box b)
{
    enum { MOST = 16, HIGHEST = 6 };
    const uint32_t all = trace_nlanes(v->tr, LANE_P);
    const int most = b.h < MOST ? b.h : MOST, lines = all < (uint32_t)most ? (int)all : most,
              room = lines ? (b.h - b.h / 3) / lines : 0, /* the rest is for goroutines */
        high = room < 1         ? 1
               : room < HIGHEST ? room
                                : HIGHEST;
    uint64_t last = 0;
    int n = 0;
    for (uint32_t p; n < most && (p = next_proc(v->tr, last, n == 0)) != NO_LANE; n++) {
        const struct lane l = {LANE_P, p};
        lane_line(g, v, name_lane(v, l).s, l, window_of(0, view_end(v)),
                  (struct box){b.x, b.y + n * high, b.w, high});
        last = trace_lane_who(v->tr, l).id;
    }
    if (n > 0 && (uint32_t)n < all) {
        char more[40];
        const struct box axis = page_axis(b);
        snprintf(more, sizeof more, "%d of %" PRIu32 " Ps", n, all);
        grid_str(g, axis.x + axis.w + 1, b.y + n * high - 1, PAGE_BESIDE - 1, more, STYLE_DIM);
    }
    return n * high;
}

/* ---- goroutines of a finding --------------------------------------------------------------------------- */

void page_lane(struct grid *g, struct view *v, const char *role, uint32_t lane, struct window time,
               struct box b)
{
    const struct box axis = page_axis(b);
    lane_line(g, v, role, lane_g(lane), time, b);
    if (axis.x + axis.w < b.x + b.w)
        grid_str(g, axis.x + axis.w + 1, b.y, PAGE_BESIDE - 1, name_g(v, lane, PAGE_BESIDE - 1).s,
                 STYLE_NORMAL);
}

/* Finds when the example goes on, and an eighth of that before and behind it. */
static struct window example_time(const struct view *v, const struct finding *f)
{
    const int64_t end = view_end(v), more = (f->v.t1 - f->v.t0) / 8;
    return f->v.t1 > f->v.t0
               ? window_of(f->v.t0 > more ? f->v.t0 - more : 0, f->v.t1 < end - more ? f->v.t1 + more : end)
               : window_of(0, end);
}

static uint32_t role_lane(const struct role *r)
{
    return r->group || r->at.user ? r->g : NO_LANE;
}

int page_lanes(struct grid *g, struct view *v, const struct finding *f, struct box b)
{
    enum { ROLES = 3 };
    static const char *const role[ROLES] = {"waits", "for", "starts"};
    const uint32_t of = f->lane.kind == LANE_G ? f->lane.i : NO_LANE, holder = role_lane(&f->v.holder),
                   waiter = role_lane(&f->v.waiter),
                   lane[ROLES] = {of != NO_LANE && of != holder ? of : waiter, holder,
                                  role_lane(&f->v.creator)};
    const struct window time = example_time(v, f);
    int used = 0;
    for (int i = 0; i < ROLES && used + 1 < b.h; i++) {
        if (lane[i] >= trace_nlanes(v->tr, LANE_G) || (i && lane[i] == lane[0]) ||
            (i > 1 && lane[i] == lane[1]))
            continue;
        used++;
        page_lane(g, v, i < 2 && (lane[0] == NO_LANE || holder == NO_LANE) ? "example" : role[i], lane[i],
                  time, (struct box){b.x, b.y + used, b.w, 1});
    }
    if (used) {
        const struct box axis = page_axis(b); /* not that of the curves */
        ruler_draw(g, v->tr, v->scr.tier, time, axis.x, axis.y, axis.w, false);
    }
    return used + (used > 0);
}
