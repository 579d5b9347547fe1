/*
 * mixture.c - see mixture.h. Each goroutine is examined only in the columns in which it lives, which is
 * one or two for each of a hundred thousand short ones. One with few spans, such as each of a hundred
 * thousand that wait all the time, is examined span by span: of the columns that a span covers, only where
 * they begin and end is noted. That is ten times as fast for these.
 */
#include "triage/activity/mixture.h"

#include <string.h>

#include "decode/base/mem.h"
#include "triage/tables/tab.h"

enum { FEW = 8 };

struct covered { /* a column: by how many spans more than the one before, all of it */
    int64_t n[ST_COUNT];
};

struct mixed {
    struct shares *col; /* NULL: none of them is added yet */
    struct covered *covered;
};

struct mixture {
    const struct trace *tr;
    struct window win;
    int cols;
    int64_t *edges;
    uint32_t n;
    struct mixed *group;
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
    m->group = mem_zalloc(((size_t)n + 1) * sizeof *m->group);
    m->one = mem_alloc(((size_t)cols + 1) * sizeof *m->one);
    bool ok = m->edges && m->group && m->one;
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
    for (uint32_t i = 0; i < m->n; i++) {
        mem_free(m->group[i].col);
        mem_free(m->group[i].covered);
    }
    tab_free(&m->by_name);
    mem_free(m->group);
    mem_free(m->edges);
    mem_free(m->one);
    mem_free(m);
}

/*
 * The columns of a group, when its first goroutine comes: of a hundred groups around those that show they are
 * megabytes, and to take these at once would take longer than the frame. false: out of memory.
 */
static bool columns_of(struct mixture *m, struct mixed *x)
{
    if (!x->col)
        x->col = mem_zalloc((size_t)m->cols * sizeof *x->col);
    if (!x->covered)
        x->covered = mem_zalloc((size_t)(m->cols + 1) * sizeof *x->covered);
    m->oom |= !x->col || !x->covered;
    return !m->oom;
}

/* Adds a span's part in [t0,t1), which lies in columns c0 .. c1. */
static void add_span(const struct mixture *m, struct mixed *x, const struct span *s, int64_t t0, int64_t t1,
                     int c0, int c1)
{
    const int64_t a = s->t0 > t0 ? s->t0 : t0, z = s->t1 < t1 ? s->t1 : t1;
    int ca = window_col(m->win, m->cols, a), cz = window_col(m->win, m->cols, z - 1);
    if (z <= a || s->state <= ST_NONE || s->state >= ST_COUNT)
        return;
    ca = ca < c0 ? c0 : ca;
    cz = cz < c0 || cz > c1 ? c1 : cz;
    if (ca >= cz) {
        x->col[cz].ns[s->state] = ns_add(x->col[cz].ns[s->state], z - a);
        return;
    }
    x->col[ca].ns[s->state] = ns_add(x->col[ca].ns[s->state], m->edges[ca + 1] - a);
    x->col[cz].ns[s->state] = ns_add(x->col[cz].ns[s->state], z - m->edges[cz]);
    x->covered[ca + 1].n[s->state]++;
    x->covered[cz].n[s->state]--;
}

/* Once all are added: adds the whole width of the columns that spans covered. */
static void mixture_settle(const struct mixture *m, struct mixed *x)
{
    struct covered now = {{0}};
    for (int c = 0; c < m->cols; c++)
        for (int k = ST_NONE + 1; k < ST_COUNT; k++) {
            now.n[k] += x->covered[c].n[k];
            x->col[c].ns[k] = ns_add(x->col[c].ns[k], ns_mul(m->edges[c + 1] - m->edges[c], now.n[k]));
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
    if (c1 < c0 || !columns_of(m, &m->group[i]))
        return false;
    const bool assists = !li.is_worker && gstate_any(gs, m->tr, g, t0, t1);
    if (li.nspans < FEW && !li.is_worker && !assists) {
        struct span_iter it;
        for (bool more = span_seek(&it, m->tr, l, t0); more && span_get(&it)->t0 < t1; more = span_next(&it))
            add_span(m, &m->group[i], span_get(&it), t0, t1, c0, c1);
        return false;
    }
    const struct assists *own = assists ? gstate_assists(gs, m->tr, g) : NULL;
    trace_columns(m->tr, l, m->edges + c0, (uint32_t)(c1 - c0 + 1), m->one);
    for (int c = c0; c <= c1; c++) {
        struct shares *s = &m->one[c - c0], *sum = &m->group[i].col[c];
        if (li.is_worker)
            gstate_worked(s);
        else if (own)
            gstate_tell(own, m->tr, m->edges[c], m->edges[c + 1], s);
        ns_sum(sum->ns + ST_NONE + 1, s->ns + ST_NONE + 1, ST_COUNT - ST_NONE - 1);
    }
    return true;
}

bool mixture_end(struct mixture *m)
{
    for (uint32_t i = 0; i < m->n && !m->oom; i++)
        if (columns_of(m, &m->group[i]))
            mixture_settle(m, &m->group[i]);
    return !m->oom;
}

const struct shares *mixture_columns(const struct mixture *m, uint32_t i)
{
    return m->group[i].col;
}
