/*
 * goroutines.c - one walk over the spans of all goroutines; g_spans.c counts what each did.
 */
#include "triage/tables/g_walk.h"

/* Finds the row of the goroutine's group. */
static bool in_group(struct g_walk *w)
{
    struct subtotal *y = w->y;
    const uint32_t group = w->tg->group_of[w->g];
    bool made;
    if (y->ngroups && y->groups[y->group].group == group)
        return true;
    struct group_part *p = tab_row(&y->by_group, y->groups, y->ngroups, y->cap_groups, group, 0, &made);
    if (!p)
        return false;
    p->group = group;
    y->group = (uint32_t)(p - y->groups);
    return true;
}

/* Moves on to the next goroutine. */
static inline void lane_next(struct g_walk *w, uint32_t g)
{
    w->g = g;
    w->some = false;
    w->ran = w->called = 0;
    w->mode = GC_UNLABELLED;
    w->was = ST_NONE;
    w->kind = WK_OTHER;
    w->call = w->cond_pair = TAB_NONE;
    w->on = NO_LANE;
    w->moved = (struct moved){0};
    w->cond_run = 0;
}

static bool lane_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    struct g_walk *w = arg;
    lane_next(w, g);
    w->life = li->last - li->first;
    w->no_p_ns = li->no_p_ns;
    w->name = li->name;
    w->system = li->is_system;
    w->worker = li->is_worker;
    w->alike = NULL;
    return in_group(w);
}

static bool lane_alike(void *arg, const struct lane_info *li, const struct lanes_alike *a)
{
    (void)li;
    ((struct g_walk *)arg)->alike = a;
    return true;
}

/* Moves on to the next goroutine if it is one of those alike, which have no start of their own. */
static inline void lane_next_alike(struct g_walk *w)
{
    const uint32_t g = w->g + 1, i = w->alike ? g - w->alike->g : 0;
    if (w->alike && i < w->alike->n) {
        lane_next(w, g);
        w->life = w->alike->last[i] - w->alike->first[i];
        w->no_p_ns = w->alike->no_p_ns[i];
    }
}

static bool lane_spans(void *arg, uint32_t g, const struct span_run *r)
{
    struct g_walk *w = arg;
    (void)g;
    w->some = true;
    return g_spans(w, r) && (r->n < SPAN_BLOCK || slices_tick());
}

/* Counts what all of its spans tell. */
static void lane_told(struct g_walk *w)
{
    const int64_t calls = ns_clamp(w->called), blocked = w->no_p_ns < calls ? w->no_p_ns : calls;
    count(w, GM_LIFE, w->life);
    count(w, GM_SYSBLOCK, blocked);
    count(w, GM_SYSCALL, -blocked);
    if (!w->system && w->ran > w->y->busy.least && w->ran > 0)
        longest_add(&w->y->busy, &(struct time_of){.t1 = w->ran, .g = w->g});
}

static bool lane_end(void *arg, uint32_t g)
{
    struct g_walk *w = arg;
    if (w->some)
        lane_told(w);
    const bool ok = g_spans_end(w) && (g % LANES_ALIKE || slices_tick());
    lane_next_alike(w);
    return ok;
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1)
{
    struct g_walk w = {.tg = tg, .y = y};
    y->worst.least = y->busy.least = -1;
    const struct span_walk walk = {
        .begin = lane_begin, .alike = lane_alike, .spans = lane_spans, .end = lane_end, .arg = &w};
    return trace_walk(tg->tr, g0, g1, &walk);
}
