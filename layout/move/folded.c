/*
 * folded.c - see folded.h.
 */
#include "layout/move/folded.h"

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "layout/move/lanes.h"
#include "layout/cells/mixture.h"

enum { GROUPS = 128, BEFORE = 32, AT_ONCE_NS = 2000000, BEGIN_NS = 300000, STEP = 64, MANY = 8192 };

struct folded {
    struct window win;
    int cols;
    uint32_t total; /* goroutines in the trace */
    uint32_t n;
    struct folded_group {
        uint32_t lane, members; /* its first goroutine; their number */
    } group[GROUPS];
    struct mixture *mix;
    uint32_t next; /* the next goroutine to add; NO_LANE: none remains */
};

void folded_free(struct folded *f)
{
    if (f)
        mixture_free(f->mix);
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

/* Whether every visible group is covered, with the same number of members. */
static bool covers(const struct folded *m, const struct view *v)
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
    uint32_t names[GROUPS];
    if (!f)
        return NULL;
    f->win = v->at.win;
    f->cols = v->scr.plot_w;
    f->total = trace_nlanes(v->tr, LANE_G);
    f->n = groups_shown(v, f->group);
    for (uint32_t i = 0; i < f->n; i++)
        names[i] = trace_g_name(v->tr, f->group[i].lane);
    if ((f->mix = mixture_new(v->tr, f->win, v->cache.edges, f->cols, names, f->n)))
        return f;
    folded_free(f);
    return NULL;
}

/* Returns true when everything is added up. */
static bool folded_step(struct view *v, int64_t budget_ns)
{
    struct folded *f = v->cache.folded;
    const int64_t start = host_now();
    if (f->next == NO_LANE)
        return true;
    while (f->next != NO_LANE) {
        bool longer = false;
        for (int k = 0; k < STEP && !longer && f->next != NO_LANE; k++) {
            f->next = lanes_behind(&v->lanes[LANE_G], v->tr, f->next);
            if (f->next != NO_LANE)
                longer = mixture_add(f->mix, v->cache.gstate, f->next++);
        }
        if (f->next != NO_LANE && budget_ns != INT64_MAX && host_now() - start > budget_ns)
            return false;
    }
    if (!mixture_end(f->mix)) /* each row then shows only its first goroutine */
        folded_drop(v);
    return true;
}

void folded_follow(struct view *v)
{
    if (!v->lanes[LANE_G].grouped || !trace_info(v->tr)->done) {
        folded_drop(v);
        return;
    }
    if (!v->cache.folded || !covers(v->cache.folded, v)) {
        folded_drop(v);
        v->cache.folded = folded_begin(v); /* NULL: out of memory */
    }
    if (v->cache.folded)
        (void)folded_step(v, v->cache.folded->total > MANY ? BEGIN_NS : AT_ONCE_NS);
}

bool folded_pending(const struct view *v)
{
    return v->cache.folded && v->cache.folded->next != NO_LANE && v->lanes[LANE_G].grouped &&
           covers(v->cache.folded, v);
}

unsigned folded_work(struct view *v, int64_t budget_ns)
{
    return !folded_pending(v) ? VR_NONE : folded_step(v, budget_ns) ? VR_DRAW : VR_DRAW | VR_WORK;
}

static const struct folded_group *group_of(const struct view *v, uint32_t lane)
{
    const struct folded *m = v->cache.folded;
    const struct lanes *l = &v->lanes[LANE_G];
    if (!m || !l->grouped || !lanes_more(l, lanes_row(l, lane)))
        return NULL;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->group[i].lane == lane)
            return &m->group[i];
    return NULL;
}

uint32_t folded_members(const struct view *v, uint32_t lane)
{
    const struct folded_group *x = group_of(v, lane);
    return x ? x->members : 0;
}

int folded_share(const struct view *v)
{
    const struct folded *m = v->cache.folded;
    return !m || m->next == NO_LANE ? 100 : (int)((uint64_t)m->next * 100 / (m->total ? m->total : 1));
}

const struct shares *folded_of(const struct view *v, uint32_t lane)
{
    const struct folded_group *x = group_of(v, lane);
    const struct folded *f = v->cache.folded;
    return x && f->next == NO_LANE ? mixture_columns(f->mix, (uint32_t)(x - f->group)) : NULL;
}
