/*
 * mixture.c - see mixture.h. Each goroutine is examined only in the columns in which it lives, which is
 * one or two for each of a hundred thousand short ones. One with few spans, such as each of a hundred
 * thousand that wait all the time, is examined span by span: that costs an addition for each column.
 */
#include "layout/cells/mixture.h"

#include <string.h>

#include "decode/base/mem.h"
#include "triage/tables/tab.h"

enum { FEW = 8 };

struct mixture {
    const struct trace *tr;
    struct window win;
    int cols;
    int64_t *edges;
    uint32_t n;
    struct shares **col; /* of each group, NULL: none of them is added yet */
    bool oom;
    struct tab by_name;
    struct shares *one; /* a goroutine's columns */
};

struct mixture *mixture_new(const struct trace *tr, struct window win, const int64_t *edges, int cols,
                            const uint32_t *names, uint32_t n)
{
    const size_t size = ((size_t)cols + 1) * sizeof *edges;
    struct mixture *m = mem_zalloc(sizeof *m);
    if (!m)
        return NULL;
    m->tr = tr;
    m->win = win;
    m->cols = cols;
    m->edges = mem_alloc(size);
    m->col = mem_zalloc(((size_t)n + 1) * sizeof *m->col);
    m->one = mem_alloc(((size_t)cols + 1) * sizeof *m->one);
    bool ok = m->edges && m->col && m->one;
    for (; ok && m->n < n; m->n++)
        ok = tab_put(&m->by_name, names[m->n], 0, m->n) != TAB_NONE;
    if (!ok) {
        mixture_free(m);
        return NULL;
    }
    memcpy(m->edges, edges, size);
    return m;
}

void mixture_free(struct mixture *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->n; i++)
        mem_free(m->col[i]);
    tab_free(&m->by_name);
    mem_free(m->col);
    mem_free(m->edges);
    mem_free(m->one);
    mem_free(m);
}

/*
 * The columns of a group, when its first goroutine comes: of a hundred groups around those that show they are
 * megabytes, and to take these at once would take longer than the frame. false: out of memory.
 */
static bool columns_of(struct mixture *m, uint32_t i)
{
    if (!m->col[i])
        m->col[i] = mem_zalloc((size_t)m->cols * sizeof **m->col);
    return mem_noted(&m->oom, m->col[i]);
}

/* Adds the spans of a lane in [t0,t1), which lies in columns c .. last. */
static void add_spans(const struct mixture *m, struct shares *col, struct lane l, int64_t t0, int64_t t1,
                      int c, int last)
{
    struct span_iter it;
    each_span(s, it, m->tr, l, t0) {
        const int64_t end = s->t1 < t1 ? s->t1 : t1;
        while (t0 < end) {
            const int64_t edge = c < last && m->edges[c + 1] < end ? m->edges[c + 1] : end;
            int64_t *sum = &col[c].ns[s->state];
            *sum = s->state == ST_NONE ? 0 : ns_add(*sum, edge - t0);
            c += c < last && edge == m->edges[c + 1];
            t0 = edge;
        }
        if (end == t1)
            break;
    }
}

bool mixture_add(struct mixture *m, struct gstate *gs, uint32_t g)
{
    const struct lane l = lane_g(g);
    const struct lane_info li = trace_lane(m->tr, l);
    const uint32_t i = tab_get(&m->by_name, li.name, 0);
    const int64_t t0 = li.first > m->win.t0 ? li.first : m->win.t0;
    const int64_t t1 = li.last < m->win.t1 ? li.last : m->win.t1;
    if (i == TAB_NONE || t1 <= t0)
        return false;
    int c0 = window_col(m->win, m->cols, t0), c1 = window_col(m->win, m->cols, t1 - 1);
    c0 = c0 < 0 ? 0 : c0;
    c1 = c1 < 0 || c1 >= m->cols ? m->cols - 1 : c1;
    if (c1 < c0 || !columns_of(m, i))
        return false;
    const bool assists = !li.is_worker && gstate_any(gs, m->tr, g, t0, t1);
    if (li.nspans < FEW && !li.is_worker && !assists) {
        add_spans(m, m->col[i], l, t0, t1, c0, c1);
        return false;
    }
    const struct assists own = gstate_assists(gs, m->tr, l);
    trace_columns(m->tr, l, m->edges + c0, (uint32_t)(c1 - c0 + 1), m->one);
    for (int c = c0; c <= c1; c++) {
        struct shares *s = &m->one[c - c0], *sum = &m->col[i][c];
        gstate_tell(&own, m->tr, m->edges[c], m->edges[c + 1], s);
        ns_sum(sum->ns + ST_NONE + 1, s->ns + ST_NONE + 1, ST_COUNT - ST_NONE - 1);
    }
    return true;
}

bool mixture_end(struct mixture *m)
{
    return !m->oom && !any_of(i, m->n, !columns_of(m, i));
}

const struct shares *mixture_columns(const struct mixture *m, uint32_t i)
{
    return m->col[i];
}
