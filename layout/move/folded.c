/*
 * folded.c - see folded.h. Each goroutine is examined only in the columns in which it lives, which is one or
 * two for each of a hundred thousand short ones. One with few spans, such as each of a hundred thousand that
 * wait all the time, is examined span by span: that costs an addition for each column.
 */
#include "layout/move/folded.h"

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "layout/move/lanes.h"
#include "triage/activity/gstate.h"
#include "triage/tables/tab.h"

enum { GROUPS = 128, BEFORE = 32, AT_ONCE_NS = 2000000, BEGIN_NS = 300000, STEP = 64, MANY = 8192, FEW = 8 };

struct folded {
    struct window win;
    int cols;
    uint32_t total; /* goroutines in the trace */
    uint32_t n;
    struct folded_group {
        uint32_t lane, members; /* its first goroutine; their number */
        struct shares *col;     /* NULL: none of them is added yet */
    } group[GROUPS];
    struct tab by_name; /* groups, by start function (a string) */
    bool oom;
    uint32_t next; /* the next goroutine to add; NO_LANE: none remains */
};

void folded_free(struct folded *f)
{
    for (uint32_t i = 0; f && i < f->n; i++)
        mem_free(f->group[i].col);
    if (f)
        tab_free(&f->by_name);
    mem_free(f);
}

static void folded_drop(struct view *v)
{
    folded_free(v->cache.folded);
    v->cache.folded = NULL;
}

/* Finds the folded groups near the visible rows, so that a step up or down finds them ready. Returns their
 * number. */
static uint32_t groups_shown(const struct view *v, struct folded_group *out)
{
    const struct lanes *l = &v->lanes[LANE_G];
    uint32_t n = 0, top = v->at.top < l->n ? v->at.top : 0, from = top;
    for (int before = 0; from > 0 && before < BEFORE; from--)
        before += lanes_more(l, from - 1) > 0;
    for (uint32_t row = from; row < l->n && n < GROUPS && row < top + 8 * GROUPS; row++)
        if (lanes_more(l, row))
            out[n++] = (struct folded_group){.lane = lanes_at(l, row), .members = lanes_more(l, row) + 1};
    return n;
}

/* Returns whether every visible group is covered, with the same number of members. */
static bool covers_shown(const struct folded *m, const struct view *v)
{
    const struct lanes *l = &v->lanes[LANE_G];
    if (m->cols != v->scr.plot_w || !window_same(m->win, v->at.win) ||
        m->total != trace_nlanes(v->tr, LANE_G))
        return false;
    for (uint32_t row = v->at.top, i = 0; row < l->n && row < v->at.top + (uint32_t)v->scr.rows; row++) {
        if (!lanes_more(l, row))
            continue;
        while (i < m->n && m->group[i].lane != lanes_at(l, row))
            i++;
        if (i == m->n || m->group[i].members != lanes_more(l, row) + 1)
            return false;
    }
    return true;
}

static struct folded *folded_begin(const struct view *v)
{
    struct folded *f = mem_zalloc(sizeof *f);
    bool ok = f;
    if (f) {
        f->win = v->at.win;
        f->cols = v->scr.plot_w;
        f->total = trace_nlanes(v->tr, LANE_G);
        f->n = groups_shown(v, f->group);
    }
    for (uint32_t i = 0; ok && i < f->n; i++)
        ok = tab_put(&f->by_name, trace_g_name(v->tr, f->group[i].lane), 0, i) != TAB_NONE;
    if (ok)
        return f;
    folded_free(f);
    return NULL;
}

/* ---- adding up ----------------------------------------------------------------------------------------- */

/*
 * Makes the columns of a group when its first goroutine comes: for the hundred groups around those that show
 * they are megabytes, which would take longer than the frame at once. NULL: out of memory.
 */
static struct shares *columns_of(struct folded *f, struct folded_group *x)
{
    if (!x->col)
        x->col = mem_zalloc((size_t)f->cols * sizeof *x->col);
    (void)mem_noted(&f->oom, x->col);
    return x->col;
}

/* Adds the spans of a lane in [t0,t1), which lies in columns c .. last. */
static void add_spans(const struct view *v, struct shares *col, struct lane l, int64_t t0, int64_t t1, int c,
                      int last)
{
    const int64_t *edges = v->cache.edges;
    struct span_iter it;
    each_span(s, it, v->tr, l, t0) {
        const int64_t end = s->t1 < t1 ? s->t1 : t1;
        while (t0 < end) {
            const int64_t edge = c < last && edges[c + 1] < end ? edges[c + 1] : end;
            int64_t *sum = &col[c].ns[s->state];
            *sum = s->state == ST_NONE ? 0 : ns_add(*sum, edge - t0);
            c += c < last && edge == edges[c + 1];
            t0 = edge;
        }
        if (end == t1)
            break;
    }
}

/* Adds goroutine g to its group. Returns true if that took long. */
static bool fold_g(const struct view *v, struct folded *f, uint32_t g)
{
    const struct lane l = lane_g(g);
    const struct lane_info li = trace_lane(v->tr, l);
    const uint32_t i = tab_get(&f->by_name, li.name, 0);
    const int64_t t0 = li.first > f->win.t0 ? li.first : f->win.t0, *edges = v->cache.edges;
    const int64_t t1 = li.last < f->win.t1 ? li.last : f->win.t1;
    if (i == TAB_NONE || t1 <= t0)
        return false;
    int c0 = window_col(f->win, f->cols, t0), c1 = window_col(f->win, f->cols, t1 - 1);
    c0 = c0 < 0 ? 0 : c0;
    c1 = c1 < 0 || c1 >= f->cols ? f->cols - 1 : c1;
    struct shares *col = c1 < c0 ? NULL : columns_of(f, &f->group[i]), *one = v->cache.cols;
    if (!col)
        return false;
    const bool assists = !li.is_worker && gstate_any(v->cache.gstate, v->tr, g, t0, t1);
    if (li.nspans < FEW && !li.is_worker && !assists) {
        add_spans(v, col, l, t0, t1, c0, c1);
        return false;
    }
    const struct assists own = gstate_assists(v->cache.gstate, v->tr, l);
    trace_columns(v->tr, l, edges + c0, (uint32_t)(c1 - c0 + 1), one);
    for (int c = c0; c <= c1; c++, one++) {
        gstate_tell(&own, v->tr, edges[c], edges[c + 1], one);
        ns_sum(col[c].ns + ST_NONE + 1, one->ns + ST_NONE + 1, ST_COUNT - ST_NONE - 1);
    }
    return true;
}

/* Returns true when everything is added up. */
static bool folded_step(struct view *v, int64_t budget_ns)
{
    struct folded *f = v->cache.folded;
    const int64_t start = host_now();
    if (f->next == NO_LANE)
        return true;
    window_edges(f->win, f->cols, v->cache.edges); /* a frame between may have shown another window */
    while (f->next != NO_LANE) {
        bool longer = false;
        for (int k = 0; k < STEP && !longer && f->next != NO_LANE; k++) {
            f->next = lanes_behind(&v->lanes[LANE_G], v->tr, f->next);
            if (f->next != NO_LANE)
                longer = fold_g(v, f, f->next++);
        }
        if (f->next != NO_LANE && budget_ns != INT64_MAX && host_now() - start > budget_ns)
            return false;
    }
    if (f->oom ||
        any_of(i, f->n, !columns_of(f, &f->group[i]))) /* each row then shows only its first goroutine */
        folded_drop(v);
    return true;
}

void folded_follow(struct view *v)
{
    if (!v->lanes[LANE_G].grouped || !trace_info(v->tr)->done) {
        folded_drop(v);
        return;
    }
    if (!v->cache.folded || !covers_shown(v->cache.folded, v)) {
        folded_drop(v);
        v->cache.folded = folded_begin(v); /* NULL: out of memory */
    }
    if (v->cache.folded)
        (void)folded_step(v, v->cache.folded->total > MANY ? BEGIN_NS : AT_ONCE_NS);
}

bool folded_pending(const struct view *v)
{
    return v->cache.folded && v->cache.folded->next != NO_LANE && v->lanes[LANE_G].grouped &&
           covers_shown(v->cache.folded, v);
}

unsigned folded_work(struct view *v, int64_t budget_ns)
{
    return !folded_pending(v) ? VR_NONE : folded_step(v, budget_ns) ? VR_DRAW : VR_DRAW | VR_WORK;
}

static const struct folded_group *lane_group(const struct view *v, uint32_t lane)
{
    const struct folded *m = v->cache.folded;
    const struct lanes *l = &v->lanes[LANE_G];
    if (!m || !l->grouped || !lanes_more(l, lanes_row(l, lane)))
        return NULL;
    const uint32_t i = find_first(k, m->n, m->group[k].lane == lane);
    return i < m->n ? &m->group[i] : NULL;
}

uint32_t folded_members(const struct view *v, uint32_t lane)
{
    const struct folded_group *x = lane_group(v, lane);
    return x ? x->members : 0;
}

int folded_share(const struct view *v)
{
    const struct folded *m = v->cache.folded;
    return !m || m->next == NO_LANE ? 100 : (int)((uint64_t)m->next * 100 / (m->total ? m->total : 1));
}

const struct shares *folded_of(const struct view *v, uint32_t lane)
{
    const struct folded_group *x = lane_group(v, lane);
    return x && v->cache.folded->next == NO_LANE ? x->col : NULL;
}
