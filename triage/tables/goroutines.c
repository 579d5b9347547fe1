/*
 * goroutines.c - one walk over all goroutines' spans: each is counted in its group and birthplace, what it
 * did by g_spans.c.
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
    uint32_t i = y->ngroups && y->groups[y->group].name == li->name
                     ? y->group
                     : tab_put(&y->by_name, li->name, 0, y->ngroups);
    if (i == TAB_NONE)
        return false;
    y->group = i;
    if (i == y->ngroups) {
        struct group *p = mem_grow(y->groups, &y->cap_groups, (size_t)i + 1, sizeof *p);
        if (!p)
            return false;
        y->groups = p;
        p[i] = (struct group){.name = li->name,
                              .is_system = li->is_system,
                              .first_member = w->g,
                              .first = li->first,
                              .last = li->last};
        y->ngroups++;
    }
    struct group *p = &y->groups[i];
    group_lives(p, li->first, li->last);
    p->count++;
    p->created += li->created;
    p->ended += li->ended;
    return true;
}

/* One of the program's that the trace saw created. */
static bool note_birth(struct g_walk *w, const struct lane_info *li)
{
    struct subtotal *y = w->y;
    uint32_t i = y->birth;
    if (!y->nbirths || y->births[i].create_stack != li->create_stack || y->births[i].name != li->name)
        i = tab_put(&y->by_birth, li->create_stack, li->name, y->nbirths);
    if (i == TAB_NONE)
        return false;
    y->birth = i;
    if (i == y->nbirths) {
        struct birth *p = mem_grow(y->births, &y->cap_births, (size_t)i + 1, sizeof *p);
        if (!p)
            return false;
        y->births = p;
        p[y->nbirths++] = (struct birth){.create_stack = li->create_stack, .name = li->name};
    }
    y->births[i].created++;
    y->births[i].ended += li->ended;
    if (li->ended)
        return true;
    uint32_t *p = mem_grow(y->alive, &y->cap_alive, y->nalive + 1, sizeof *p);
    if (p) {
        y->alive = p;
        p[y->nalive++] = w->g;
    }
    return p;
}

/* ---- along a lane -------------------------------------------------------------------------------------- */

/* On to a goroutine. */
static inline void lane_next(struct g_walk *w, uint32_t g)
{
    w->g = g;
    w->some = w->of_c = false;
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
    /* Up to Go 1.21 a program with cgo has one for threads of C's that may call it (goroutine 17): begun by
       nothing that has a name, "in a system call" as long as none does. It keeps nothing from a processor. */
    const struct trace_info *in = trace_info(w->tg->tr);
    w->of_c = !in->second_family && in->has_names && !li->name && !li->created && li->nspans == 1;
    w->sched = w->system ? &w->y->sched_system : &w->y->sched;
    w->alike = NULL;
    return put_in_group(w, li) && (!li->created || li->is_system || note_birth(w, li));
}

/* n more of the same group and birthplace. */
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

/* The one that comes next, if it is like this one: nobody begins it. */
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

static bool lane_wants(void *arg, const struct span_pairs *p)
{
    return g_block_wanted(arg, p);
}

static bool lane_pairs(void *arg, uint32_t g, const struct span_pairs *p)
{
    struct g_walk *w = arg;
    (void)g;
    w->some = true;
    return g_block(w, p) && slices_tick();
}

/* The goroutine's own sums, once its neighbours have theirs. Its group is the subtotal's, until that is
 * added. */
static inline bool put(struct g_walk *w, int64_t life)
{
    struct subtotal *y = w->y;
    y->life[y->nrows] = life;
    y->rows.group[y->nrows++] = y->group;
    y->rows.spans = 0;
    return (w->g + 1 < y->g1 && y->nrows < GSTATS_ROWS) || subtotal_rows_put(y, w->tg->g, w->g);
}

/* Of its system calls those without a processor. */
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

/* ---- along many at once -------------------------------------------------------------------------------- */

/* Of what struct gstat_rows calls spans: they waited for a processor once, and ran once, or one of these. 0:
 * there is more to it. */
static uint16_t spans_of(const struct g_walk *w, const struct lanes_few *f)
{
    unsigned spans = 0, seen = 0;
    for (unsigned k = 0; k < f->nspans; k++) {
        const uint8_t state = f->kind[k].state;
        const unsigned m = tri_is_exec(state) ? GM_EXEC : state == ST_RUNNABLE ? GM_SCHED : GM_COUNT;
        if (m == GM_COUNT || seen >> m & 1)
            return 0;
        seen |= 1u << m;
        spans |= (m + 1) << 8 * k;
    }
    return w->worker ? 0 : (uint16_t)spans;
}

/* They waited for a processor from first[i] on, behind a span of that state. */
static bool few_queued(struct g_walk *w, const struct lanes_few *f, unsigned k, const int64_t *first)
{
    struct subtotal *y = w->y;
    const int64_t *const ns = f->dur[k];
    const uint8_t was = k ? f->kind[k - 1].state : ST_NONE;
    for (uint32_t i = 0; i < f->n; i++)
        if (ns[i] > RUNNABLE_NOTICE &&
            !subtotal_change(y, CHANGE_RUNNABLE, first[i] + RUNNABLE_NOTICE, first[i] + ns[i]))
            return false;
    if (!k && f->open_start)
        return true; /* since when is not known */
    hist_add_all(w->sched, ns, f->n);
    for (uint32_t i = 0; i < f->n && !w->system; i++)
        if (ns[i] > y->worst_least)
            subtotal_worst(y, &(struct worst_wait){first[i], first[i] + ns[i], f->g + i, was});
    return true;
}

/* Sums of those from the i-th on, as many as there is room for: how many. */
static uint32_t put_few(struct subtotal *y, const struct lanes_few *f, uint16_t spans, uint32_t i)
{
    const uint32_t at = y->nrows, room = GSTATS_ROWS - at, n = f->n - i < room ? f->n - i : room;
    for (unsigned k = 0; k < f->nspans; k++) {
        const unsigned m = (spans >> 8 * k & 255u) - 1, times = m == GM_EXEC ? GV_RUNS : GV_SCHEDS;
        y->rows.used |= 1u << m | 1u << times;
        memcpy(&y->rows.v[m][at], &f->dur[k][i], n * sizeof f->dur[k][i]);
        for (uint32_t j = at; j < at + n; j++)
            y->rows.v[times][j] = 1;
    }
    memcpy(&y->life[at], &f->life[i], n * sizeof f->life[i]);
    for (uint32_t j = at; j < at + n; j++)
        y->rows.group[j] = y->group;
    y->rows.spans = !at || y->rows.spans == spans ? spans : 0;
    y->nrows += n;
    return n;
}

static bool lanes_few(void *arg, const struct lane_info *li, const struct lanes_few *f, bool *done)
{
    struct g_walk *w = arg;
    struct subtotal *y = w->y;
    int64_t t0[LANES_ALIKE];
    const uint16_t spans = spans_of(w, f);
    if (!spans)
        return true;
    *done = true;
    more_alike(y, li, f->n - 1);
    for (uint32_t i = 0; i < f->n; i++) {
        t0[i] = f->first[i];
        group_lives(&y->groups[y->group], t0[i], t0[i] + f->life[i]);
    }
    for (unsigned k = 0; k < f->nspans; k++) {
        if (f->kind[k].state == ST_RUNNABLE && !few_queued(w, f, k, t0))
            return false;
        for (uint32_t i = 0; i < f->n; i++)
            t0[i] += f->dur[k][i];
    }
    for (uint32_t i = 0; i < f->n;) {
        i += put_few(y, f, spans, i);
        const uint32_t last = f->g + i - 1;
        if ((y->nrows == GSTATS_ROWS || last + 1 == y->g1) && !subtotal_rows_put(y, w->tg->g, last))
            return false;
    }
    return true;
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1)
{
    struct g_walk w = {.tg = tg, .y = y, .second_family = trace_info(tg->tr)->second_family};
    y->g1 = g1;
    y->worst_least = -1;
    const struct span_walk walk = {.begin = lane_begin,
                                   .alike = lane_alike,
                                   .few = lanes_few,
                                   .spans = lane_spans,
                                   .end = lane_end,
                                   .wants = lane_wants,
                                   .pairs = lane_pairs,
                                   .arg = &w};
    return trace_walk(tg->tr, g0, g1, &walk) && waits_of_pairs(&w);
}
