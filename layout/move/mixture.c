/*
 * mixture.c - see mixture.h. Each goroutine is asked only for the columns in which it lives: of a hundred
 * thousand short ones that is one or two each. Of a hundred thousand that wait all along the few spans are
 * asked: of the columns that one covers only where they begin and end is noted.
 */
#include "layout/move/mixture.h"

#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/activity/gstate.h"
#include "layout/move/lanes.h"
#include "triage/tables/tab.h"

enum { GROUPS = 128, BEFORE = 32, AT_ONCE_NS = 2000000, BEGIN_NS = 300000, STEP = 64, FEW = 8, MANY = 8192 };

struct covered { /* a column: by how many spans more than the one before, all of it */
    int64_t n[ST_COUNT];
};

struct mixed {
    uint32_t lane, members; /* the group's first; how many they are */
    struct shares *col;     /* NULL: none of them is added yet */
    struct covered *covered;
};

struct mixture {
    struct window win;
    int cols;
    uint32_t total; /* goroutines in the trace */
    uint32_t n;
    struct mixed group[GROUPS];
    bool oom;
    struct tab by_name;
    struct shares *one; /* a goroutine's columns */
    uint32_t next;      /* goroutine to be added; NO_LANE: all are */
    uint32_t settled;   /* groups that are ready */
};

void mixture_free(struct mixture *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->n; i++) {
        mem_free(m->group[i].col);
        mem_free(m->group[i].covered);
    }
    tab_free(&m->by_name);
    mem_free(m->one);
    mem_free(m);
}

/* The folded groups around those that show, so that a step up or down finds them there. */
static uint32_t groups_shown(const struct view *v, struct mixed *out)
{
    const struct lanes *l = &v->lanes[LANE_G];
    uint32_t n = 0, top = v->at.top < l->n ? v->at.top : 0, from = top;
    for (int before = 0; from > 0 && before < BEFORE; from--)
        before += lanes_more(l, from - 1) > 0;
    for (uint32_t row = from; row < l->n && n < GROUPS && row < top + 8 * GROUPS; row++)
        if (lanes_more(l, row))
            out[n++] = (struct mixed){.lane = lanes_at(l, row), .members = lanes_more(l, row) + 1};
    return n;
}

/* Is each group that shows there, with as many members? */
static bool covers(const struct mixture *m, const struct view *v)
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

static struct mixture *mixture_begin(const struct view *v)
{
    struct mixture *m = mem_zalloc(sizeof *m);
    if (!m)
        return NULL;
    m->win = v->at.win;
    m->cols = v->scr.plot_w;
    m->total = trace_nlanes(v->tr, LANE_G);
    const size_t size = (size_t)m->cols * sizeof *m->one;
    const uint32_t n = groups_shown(v, m->group);
    bool ok = (m->one = mem_alloc(size)) != NULL;
    for (; ok && m->n < n; m->n++) {
        const uint32_t name = trace_g_name(v->tr, m->group[m->n].lane);
        ok = tab_put(&m->by_name, name, 0, m->n) != TAB_NONE;
    }
    if (!ok) {
        mixture_free(m);
        return NULL;
    }
    return m;
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

/* A span's part in [t0,t1), which lies in columns c0 .. c1. */
static void add_span(const struct view *v, struct mixed *x, const struct span *s, int64_t t0, int64_t t1,
                     int c0, int c1)
{
    const struct window win = v->cache.mixture->win;
    const int64_t a = s->t0 > t0 ? s->t0 : t0, z = s->t1 < t1 ? s->t1 : t1;
    int ca = window_col(win, v->cache.mixture->cols, a), cz = window_col(win, v->cache.mixture->cols, z - 1);
    if (z <= a || s->state <= ST_NONE || s->state >= ST_COUNT)
        return;
    ca = ca < c0 ? c0 : ca;
    cz = cz < c0 || cz > c1 ? c1 : cz;
    if (ca >= cz) {
        x->col[cz].ns[s->state] = ns_add(x->col[cz].ns[s->state], z - a);
        return;
    }
    x->col[ca].ns[s->state] = ns_add(x->col[ca].ns[s->state], v->cache.edges[ca + 1] - a);
    x->col[cz].ns[s->state] = ns_add(x->col[cz].ns[s->state], z - v->cache.edges[cz]);
    x->covered[ca + 1].n[s->state]++;
    x->covered[cz].n[s->state]--;
}

static void add_few(const struct view *v, struct mixed *x, struct lane l, int64_t t0, int64_t t1, int c0,
                    int c1)
{
    struct span_iter it;
    for (bool more = span_seek(&it, v->tr, l, t0); more && span_get(&it)->t0 < t1; more = span_next(&it))
        add_span(v, x, span_get(&it), t0, t1, c0, c1);
}

/* All are added: the columns that spans covered have their whole width of each. */
static void mixture_settle(const struct view *v, struct mixed *x)
{
    struct covered now = {{0}};
    for (int c = 0; c < v->cache.mixture->cols; c++)
        for (int k = ST_NONE + 1; k < ST_COUNT; k++) {
            now.n[k] += x->covered[c].n[k];
            x->col[c].ns[k] =
                ns_add(x->col[c].ns[k], ns_mul(v->cache.edges[c + 1] - v->cache.edges[c], now.n[k]));
        }
}

/* What goroutine g does in each column, to its group's. true: that took long. */
static bool mixture_add(struct mixture *m, const struct view *v, uint32_t g)
{
    const struct lane l = {LANE_G, g};
    const struct lane_info li = trace_lane(v->tr, l);
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
    const bool assists = !li.is_worker && gstate_any(v->cache.gstate, v->tr, g, t0, t1);
    if (li.nspans < FEW && !li.is_worker && !assists) {
        add_few(v, &m->group[i], l, t0, t1, c0, c1);
        return false;
    }
    const struct assists *own = assists ? gstate_assists(v->cache.gstate, v->tr, g) : NULL;
    trace_columns(v->tr, l, v->cache.edges + c0, (uint32_t)(c1 - c0 + 1), m->one);
    for (int c = c0; c <= c1; c++) {
        struct shares *s = &m->one[c - c0], *sum = &m->group[i].col[c];
        if (li.is_worker)
            gstate_worked(s);
        else if (own)
            gstate_tell(own, v->tr, v->cache.edges[c], v->cache.edges[c + 1], s);
        for (int k = ST_NONE + 1; k < ST_COUNT; k++)
            sum->ns[k] = ns_add(sum->ns[k], s->ns[k]);
    }
    return true;
}

/* true: all is added. */
static bool mixture_step(struct view *v, int64_t budget_ns)
{
    struct mixture *m = v->cache.mixture;
    const int64_t start = host_now();
    while (m->next != NO_LANE && !m->oom) {
        bool longer = false;
        for (int k = 0; k < STEP && !longer && m->next != NO_LANE; k++) {
            m->next = m->oom ? NO_LANE : lanes_behind(&v->lanes[LANE_G], v->tr, m->next);
            if (m->next != NO_LANE)
                longer = mixture_add(m, v, m->next++);
        }
        if (m->next != NO_LANE && budget_ns != INT64_MAX && host_now() - start > budget_ns)
            return false;
    }
    for (; m->settled < m->n && columns_of(m, &m->group[m->settled]); m->settled++)
        mixture_settle(v, &m->group[m->settled]);
    if (m->oom) { /* each row is its first goroutine's */
        mixture_free(m);
        v->cache.mixture = NULL;
    }
    return true;
}

void mixture_follow(struct view *v)
{
    if (!v->lanes[LANE_G].grouped || !trace_info(v->tr)->done) {
        mixture_free(v->cache.mixture);
        v->cache.mixture = NULL;
        return;
    }
    if (!v->cache.mixture || !covers(v->cache.mixture, v)) {
        mixture_free(v->cache.mixture);
        v->cache.mixture = mixture_begin(v); /* NULL: out of memory */
    }
    if (v->cache.mixture)
        (void)mixture_step(v, v->cache.mixture->total > MANY ? BEGIN_NS : AT_ONCE_NS);
}

bool mixture_pending(const struct view *v)
{
    return v->cache.mixture && v->cache.mixture->next != NO_LANE && v->lanes[LANE_G].grouped &&
           covers(v->cache.mixture, v);
}

unsigned mixture_work(struct view *v, int64_t budget_ns)
{
    return !mixture_pending(v) ? VR_NONE : mixture_step(v, budget_ns) ? VR_DRAW : VR_DRAW | VR_WORK;
}

static const struct mixed *group_of(const struct view *v, uint32_t lane)
{
    const struct mixture *m = v->cache.mixture;
    const struct lanes *l = &v->lanes[LANE_G];
    if (!m || !l->grouped || !lanes_more(l, lanes_row(l, lane)))
        return NULL;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->group[i].lane == lane)
            return &m->group[i];
    return NULL;
}

uint32_t mixture_members(const struct view *v, uint32_t lane)
{
    const struct mixed *x = group_of(v, lane);
    return x ? x->members : 0;
}

int mixture_share(const struct view *v)
{
    const struct mixture *m = v->cache.mixture;
    return !m || m->next == NO_LANE ? 100 : (int)((uint64_t)m->next * 100 / (m->total ? m->total : 1));
}

const struct shares *mixture_of(const struct view *v, uint32_t lane)
{
    const struct mixed *x = group_of(v, lane);
    return x && v->cache.mixture->next == NO_LANE ? x->col : NULL;
}
