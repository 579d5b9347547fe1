/*
 * goroutines.c - one walk over the spans of all goroutines: counts each in its group and birthplace;
 * g_spans.c counts what it did.
 */
#include "triage/tables/g_walk.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

static inline void group_lives(struct group *p, int64_t first, int64_t last)
{
    p->first = first < p->first ? first : p->first;
    p->last = last > p->last ? last : p->last;
}

static bool put_in_group(struct g_walk *w, const struct lane_info *li)
{
    struct subtotal *y = w->y;
    bool made = false;
    struct group *p = y->ngroups && y->groups[y->group].name == li->name
                          ? &y->groups[y->group]
                          : tab_row(&y->by_name, y->groups, y->ngroups, y->cap_groups, li->name, 0, &made);
    if (!p)
        return false;
    y->group = (uint32_t)(p - y->groups);
    if (made)
        *p = (struct group){.name = li->name,
                            .is_system = li->is_system,
                            .first_member = w->g,
                            .first = li->first,
                            .last = li->last};
    group_lives(p, li->first, li->last);
    p->count++;
    p->created += li->created;
    p->ended += li->ended;
    return true;
}

/* Counts a goroutine of the program that was created within the trace. */
static bool note_birth(struct g_walk *w, const struct lane_info *li)
{
    struct subtotal *y = w->y;
    struct birth *b = y->nbirths ? &y->births[y->birth] : NULL;
    bool made;
    if (!b || b->create_stack != li->create_stack || b->name != li->name)
        b = tab_row(&y->by_birth, y->births, y->nbirths, y->cap_births, li->create_stack, li->name, &made);
    if (!b)
        return false;
    y->birth = (uint32_t)(b - y->births);
    b->create_stack = li->create_stack;
    b->name = li->name;
    b->created++;
    b->ended += li->ended;
    if (!li->ended && !mem_room(y->alive, y->cap_alive, y->nalive + 1))
        return false;
    if (!li->ended)
        y->alive[y->nalive++] = w->g;
    return true;
}

/* ---- along a lane -------------------------------------------------------------------------------------- */

/* Moves on to the next goroutine. */
static inline void lane_next(struct g_walk *w, uint32_t g)
{
    w->g = g;
    w->some = false;
    w->mode = GC_UNLABELLED;
    w->was = ST_NONE;
    w->kind = WK_OTHER;
    w->call = w->cond_pair = TAB_NONE;
    w->on = NO_LANE;
    w->moved = (struct moved){0};
    w->cond_run = 0;
    w->nmine = 0;
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
    return put_in_group(w, li) && (!li->created || li->is_system || note_birth(w, li));
}

/* Adds n more goroutines with the same group and birthplace. */
static void more_alike(struct subtotal *y, const struct lane_info *li, uint32_t n)
{
    struct group *p = &y->groups[y->group];
    p->count += n;
    p->created += li->created ? n : 0;
    p->ended += li->ended ? n : 0;
    if (li->created && !li->is_system) {
        y->births[y->birth].created += n;
        y->births[y->birth].ended += li->ended ? n : 0;
    }
}

static bool lane_alike(void *arg, const struct lane_info *li, const struct lanes_alike *a)
{
    struct g_walk *w = arg;
    struct subtotal *y = w->y;
    for (uint32_t i = 0; i < a->n; i++)
        group_lives(&y->groups[y->group], a->first[i], a->last[i]);
    more_alike(y, li, a->n);
    w->alike = a;
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

/* Stores the goroutine's own sums once its neighbours have theirs. Its group number is the subtotal's until
 * the subtotal is added. */
static inline bool put(struct g_walk *w, int64_t life)
{
    struct subtotal *y = w->y;
    y->life[y->nrows] = life;
    y->rows.group[y->nrows++] = y->group;
    return (w->g + 1 < y->g1 && y->nrows < GSTATS_ROWS) || subtotal_rows_put(y, w->tg->g, w->g);
}

/* Moves the time of its calls without a P from GM_SYSCALL to GM_SYSBLOCK. */
static void calls_apart(struct g_walk *w)
{
    const int64_t calls = ns_clamp((int64_t)*counted(w, GM_SYSCALL)),
                  blocked = w->no_p_ns < calls ? w->no_p_ns : calls;
    w->y->rows.used |= 1u << GM_SYSBLOCK | 1u << GM_SYSCALL;
    *counted(w, GM_SYSBLOCK) = (uint64_t)blocked;
    *counted(w, GM_SYSCALL) = (uint64_t)(calls - blocked);
}

static bool lane_end(void *arg, uint32_t g)
{
    struct g_walk *w = arg;
    (void)g;
    if (w->no_p_ns && w->some)
        calls_apart(w);
    const bool ok = g_spans_end(w) && put(w, w->some ? w->life : 0);
    lane_next_alike(w);
    return ok;
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1)
{
    struct g_walk w = {.tg = tg, .y = y};
    y->g1 = g1;
    y->worst_least = -1;
    const struct span_walk walk = {
        .begin = lane_begin, .alike = lane_alike, .spans = lane_spans, .end = lane_end, .arg = &w};
    return trace_walk(tg->tr, g0, g1, &walk) && waits_of_pairs(&w);
}
